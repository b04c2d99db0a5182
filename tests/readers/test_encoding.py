"""Texts that are no Unicode, in an encoding that the user names."""

import pytest

from outgroup.errors import InputError, OutgroupWarning
from outgroup.readers.corpus import read_blocks, read_corpus
from outgroup.readers.fields import Fields

HEADERS = {"gb18030": "正文", "cp932": "本文", "cp949": "본문", "cp874": "ข้อความ"}
WORDS = {"cp1250": "Zażółć gęślą", "cp1253": "Τιμολόγιο λάθος", "gb18030": "发票“有误”", "shift_jis": "請求書の能力"}
MAIL = "From: a@b\nSubject: s\nMIME-Version: 1.0\n\n"


def write(path, content, encoding):
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content.encode(encoding))
    return path


@pytest.mark.parametrize("encoding", WORDS)
@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.csv", "id;text\n1;", "\n"),
        ("a.jsonl", '{"id": "1", "text": "', '"}\n'),
        ("folder/a.txt", "", ""),
        ("folder/a.html", "<p>", "</p>"),
        ("folder/a.eml", MAIL, ""),
        ("folder/a.mbox", f"From x\n{MAIL}", "\n"),
    ],
)
def test_texts_are_read_in_the_encoding_that_is_given(tmp_path, encoding, name, before, after):
    path = write(tmp_path / name, before + WORDS[encoding] + after, encoding)
    (text,) = read_corpus(path.parent if "/" in name else path, encoding=encoding, join_title=False).texts
    assert text.strip() == WORDS[encoding]


def test_what_does_not_fit_is_guessed_and_told(tmp_path):
    path = write(tmp_path / "a.csv", "id;text\n1;caf\u0152\n", "cp1252")
    with pytest.warns(OutgroupWarning, match="1 line is not UTF-8, and decoded as Windows-1252; .* --encoding NAME"):
        assert read_corpus(path, encoding="ascii").texts == ["cafŒ"]


@pytest.mark.parametrize("encoding", ["polish", "utf-16", "rot13", "hex", "utf-7", "unicode_escape", "a\0b", "cp037"])
def test_an_encoding_that_cannot_be_is_refused(tmp_path, encoding):
    path = write(tmp_path / "a.csv", "id;text\n1;Tea\n", "ascii")
    with pytest.raises(InputError, match=r"encoding is .*cp1250 \(Polish, Czech\)"):
        read_corpus(path, encoding=encoding)
    with pytest.raises(InputError, match="encoding is"):
        next(read_blocks(path, Fields(encoding=encoding)))


@pytest.mark.parametrize("encoding", HEADERS)
def test_a_missing_column_whose_name_fits_an_encoding_names_it(tmp_path, encoding):
    path = write(tmp_path / "a.csv", f"id;{HEADERS[encoding]}\n1;tea\n", encoding)
    with pytest.warns(OutgroupWarning), pytest.raises(InputError, match=f"--encoding {encoding}"):
        read_corpus(path, text=HEADERS[encoding])
    assert read_corpus(path, text=HEADERS[encoding], encoding=encoding).texts == ["tea"]
