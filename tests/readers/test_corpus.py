"""Folders and files of records: everything read, or skipped with a reason, or a plain error."""

import gzip
import json
import lzma
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from factories import skipped, write
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outgroup.errors import CorpusError, OutgroupWarning
from outgroup.readers.corpus import read_corpus
from outgroup.readers.documents import LIMITS, Corpus

ROWS = [
    {"id": "a", "title": "First", "text": "Tea, and\nmilk", "label": "drinks"},
    {"id": "b", "title": "", "text": 'A "tent"', "label": "camping"},
]


def json_lines(rows: list[Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def table(rows: list[dict[str, str]], delimiter: str) -> str:
    quoted = [[f'"{cell}"' for cell in (value.replace('"', '""') for value in row.values())] for row in rows]
    return "\r\n".join(delimiter.join(cells) for cells in [list(rows[0]), *quoted]) + "\r\n"


# Folders


def test_folder(tmp_path: Path) -> None:
    write(tmp_path / "drinks/tea.txt", "Tea\r\nand milk")
    write(tmp_path / "drinks/hot/cocoa.md", "# Cocoa")
    write(tmp_path / "camping/tent.HTML", "<title>Tents</title><script>bad()</script><p>Light &amp; green")
    write(tmp_path / "camping/fire.md", "---\ntitle: Fires\n---\nWood")
    write(tmp_path / "51122", "A message")
    write(tmp_path / ".hidden.txt", "no document")
    write(tmp_path / ".git/config.txt", "no document")
    for name in ("~$tea.docx", "Thumbs.db", "desktop.ini"):
        write(tmp_path / "drinks" / name, "no document")
    corpus = read_corpus(tmp_path)
    assert corpus.ids == ["51122", "camping/fire.md", "camping/tent.HTML", "drinks/hot/cocoa.md", "drinks/tea.txt"]
    assert corpus.texts[0::2] == ["A message", "Tents\nLight & green", "Tea\nand milk"]
    assert corpus.titles == ["51122", "Fires", "Tents", "Cocoa", "tea.txt"]
    assert corpus.labels == ["", "camping", "camping", "drinks", "drinks"]
    assert corpus.skipped == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs links and pipes, which Windows keeps from ordinary users")
def test_everything_in_a_folder_is_read_or_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(vars(LIMITS), "document", 100)
    write(tmp_path / "fine.txt", "Tea")
    write(tmp_path / "empty.txt", "")
    write(tmp_path / "blank.txt", " \n\t")
    write(tmp_path / "silent.html", "<script>x</script>")
    write(tmp_path / "picture.txt", b"\x89PNG\r\n\x1a\n\0\0\0")
    write(tmp_path / "paper.pdf", "%PDF")
    write(tmp_path / "song.mp3", "la")
    write(tmp_path / "letter.odt", "la")
    write(tmp_path / "huge.txt", "x" * 101)
    (tmp_path / "dead.txt").symlink_to(tmp_path / "nowhere")
    (tmp_path / "self.txt").symlink_to(tmp_path / "self.txt")
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    os.mkfifo(tmp_path / "pipe.txt")
    corpus = read_corpus(tmp_path)
    assert corpus.ids == ["fine.txt"]
    reasons = skipped(corpus)
    assert reasons.pop("empty.txt") == reasons.pop("blank.txt") == reasons.pop("silent.html") == "no text"
    expected = {
        "picture.txt": "binary",
        "paper.pdf": "PDF file",
        "song.mp3": "unsupported file format: .mp3",
        "letter.odt": "unsupported file format: .odt: save it as .docx",
        "huge.txt": "too large",
        "pipe.txt": "not a regular",
        "dead.txt": "link to a file",
        "self.txt": "link to a file",
        "loop": "link to a folder",
    }
    assert reasons.keys() == expected.keys()
    assert all(part in reasons[where] for where, part in expected.items())
    with pytest.raises(CorpusError, match="unsupported file format"):
        read_corpus(tmp_path / "pipe.txt")


def test_a_link_among_documents_is_named_and_not_followed(tmp_path: Path) -> None:
    folder, secret = tmp_path / "notes", tmp_path / "secret.txt"
    write(secret, "a password")
    write(folder / "deep" / "a.txt", "Tea")
    for name, target in (("out.txt", secret), ("deep/up.txt", "../../secret.txt"), ("deep/in.txt", "a.txt")):
        (folder / name).symlink_to(target)
    corpus = read_corpus(folder)
    assert (corpus.ids, corpus.texts) == (["deep/a.txt"], ["Tea"])
    names = ("out.txt", "deep/up.txt", "deep/in.txt")
    assert skipped(corpus) == dict.fromkeys(names, "link to a file, not followed")
    (tmp_path / "link").symlink_to(folder)  # as the command says
    assert read_corpus(tmp_path / "link").texts == ["Tea"]
    write(tmp_path / "records.csv", "text\nTea\n")
    (tmp_path / "one.csv").symlink_to(tmp_path / "records.csv")
    assert read_corpus(tmp_path / "one.csv").texts == ["Tea"]


def test_unreadable_folder_is_named(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "Tea")
    (tmp_path / "closed").mkdir(mode=0)
    if os.access(tmp_path / "closed", os.R_OK):
        pytest.skip("this user can read everything")
    assert "cannot be read" in skipped(read_corpus(tmp_path))["closed"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_hostile_names(tmp_path: Path) -> None:
    write(tmp_path / "<script>alert(1)" / "=cmd().txt", "Tea")
    write(tmp_path / "{0} %s\n.txt", "Milk")
    (tmp_path / os.fsdecode(b"\xff.txt")).write_text("Cocoa")
    corpus = read_corpus(tmp_path)
    assert corpus.ids == ["<script>alert(1)/=cmd().txt", "{0} %s\n.txt", "\ufffd.txt"]
    "".join(corpus.ids + corpus.titles).encode()


def test_quotes_between_tabs_are_signs_where_they_make_no_cells(tmp_path: Path) -> None:
    plain = 'id\ttext\n1\t"tea\n\n2\t5" of it\n3\tmilk"\n'
    assert read_corpus(write(tmp_path / "a.tsv", plain)).texts == ['"tea', '5" of it', 'milk"']
    quoted = 'id\ttext\n1\t"a ""cup""\nof tea"\n2\t"milk\tand"\n'
    assert read_corpus(write(tmp_path / "b.tsv", quoted)).texts == ['a "cup"\nof tea', "milk\tand"]
    assert read_corpus(write(tmp_path / "c.tsv", 'id\ttext\n1\t"a ""cup"""\n')).texts == ['a "cup"']


def test_nothing_to_read(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="such file or folder"):
        read_corpus(tmp_path / "missing")
    with pytest.raises(CorpusError, match="contains no documents"):
        read_corpus(tmp_path)
    write(tmp_path / "a.mp3", "la")
    with pytest.raises(CorpusError, match=r"no readable document: 1 skipped.*'a\.mp3'.*unsupported"):
        read_corpus(tmp_path)
    with pytest.raises(CorpusError, match=r"unsupported file format: give a folder.*\.jsonl"):
        read_corpus(tmp_path / "a.mp3")
    for path, said in (("a\0b", "cannot read"), ("", "path is empty")):
        with pytest.raises(CorpusError, match=said):
            read_corpus(path)


# Files of records


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", json_lines(ROWS)),
        ("a.ndjson", "\n" + json_lines(ROWS) + "\n \n"),
        ("a.csv", table(ROWS, ",")),
        ("a.TSV", table(ROWS, "\t")),
    ],
)
@pytest.mark.parametrize("pack", [None, gzip.compress, lzma.compress])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_files_of_records(
    tmp_path: Path, name: str, content: str, pack: Callable[[bytes], bytes] | None, encoding: str
) -> None:
    raw = content.encode(encoding)
    suffix = {None: "", gzip.compress: ".gz", lzma.compress: ".xz"}[pack]
    corpus = read_corpus(write(tmp_path / f"{name}{suffix}", pack(raw) if pack else raw))
    classes = ["drinks", "camping"]
    texts = ["First\n\nTea, and\nmilk", 'A "tent"']
    assert corpus == Corpus(["a", "b"], texts, ["First", ""], classes, [], [0, 1], {"label": classes})


@pytest.mark.parametrize("name", ["a.txt", "a.text", "app.log", "a.txt.gz"])
def test_a_text_file_by_itself_has_a_document_on_each_line(tmp_path: Path, name: str) -> None:
    raw = b"Tea with milk\n\n A tent \n"
    path = write(tmp_path / name, gzip.compress(raw) if name.endswith(".gz") else raw)
    with pytest.warns(OutgroupWarning, match=f"each line of .*{re.escape(name)} is read as one document"):
        corpus = read_corpus(path)
    assert [text.strip() for text in corpus.texts] == ["Tea with milk", "A tent"]
    assert read_corpus(tmp_path).texts != corpus.texts  # of a folder it is one document
    for other, kind in (
        (b"\x7fELF\0\1", "binary file"),
        (b"\n<?XML version='1.0'?>", "XML"),
        (b"<!DOCTYPE html>", "HTML"),
        (b"\xef\xbb\xbf<HTML lang='" + b"x" * 200 + b"'>\n<head>", "HTML"),
    ):
        with pytest.raises(CorpusError, match=kind):
            read_corpus(write(tmp_path / "b.txt", other))


def test_records_without_a_usable_text_are_skipped_by_name(tmp_path: Path) -> None:
    rows = [
        {"id": "a", "text": "Tea"},
        {"id": "b"},
        {"text": None},
        {"id": "d", "text": ""},
        {"id": "e", "text": [1, 2]},
        {"id": "f", "text": float("nan")},
    ]
    corpus = read_corpus(write(tmp_path / "a.jsonl", json_lines(rows)))
    assert corpus.ids == ["a"]
    assert skipped(corpus) == {
        "b": "no field 'text'",
        "line 3": "no text",
        "d": "no text",
        "e": "the field 'text' contains a list, not a string",
        "f": "no text",
    }


@given(st.lists(st.sampled_from(["a", "b", "a#2", "a#2#2", "b#3"]), min_size=1))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.filterwarnings("ignore::outgroup.errors.OutgroupWarning")
def test_ids_are_always_unique(tmp_path: Path, ids: list[str]) -> None:
    path = write(tmp_path / "a.jsonl", json_lines([{"id": name, "text": "Tea"} for name in ids]))
    unique = read_corpus(path).ids
    assert len(set(unique)) == len(ids)
    assert set(ids) <= set(unique)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("id,text\n1,Tea, and milk\n", "line 2: 3 cells, but the header has 2"),
        ("id,text\n1,Tea\n2\n", "line 3: 1 cells, but the header has 2"),
        ('id,text\n1,"Tea\n', "line 2: wrong table: a quote opens"),
        ('id,text\n1,"Tea" and milk\n', "line 2: wrong table"),
        ("\x7fELF\0\r\0,", "a.csv: a binary file, not text"),
        ("id,text\n", "contains no documents"),
    ],
)
def test_wrong_tables(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(CorpusError, match=message):
        read_corpus(write(tmp_path / "a.csv", content))


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_damaged_compressed_files(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    suffix = "gz" if pack is gzip.compress else "xz"
    whole = pack(json_lines(ROWS * 5000).encode())
    for raw in (whole[:-20], whole[:40] + b"\0\0\0\0\0" + whole[45:], b"not compressed"):
        with pytest.raises(CorpusError, match="damaged or truncated"):
            read_corpus(write(tmp_path / f"a.jsonl.{suffix}", raw))


def test_lone_surrogates_do_not_survive(tmp_path: Path) -> None:
    corpus = read_corpus(write(tmp_path / "a.jsonl", r'{"text": "Tea \ud800", "id": "\udfff", "title": "a\r\nb"}'))
    assert (corpus.texts, corpus.ids, corpus.titles) == (["a\nb\n\nTea \ufffd"], ["\ufffd"], ["a\nb"])


def test_too_long_a_line_is_skipped_and_the_next_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(vars(LIMITS), "document", 50)
    long = json.dumps({"text": "x" * 500})
    corpus = read_corpus(write(tmp_path / "a.jsonl", f'{long}\n{{"text": "Tea"}}\n{long}'))
    assert (corpus.ids, list(skipped(corpus))) == (["2"], ["line 1", "line 3"])
    with pytest.raises(CorpusError, match="line 2"):
        read_corpus(write(tmp_path / "a.csv", f"text\n{'x' * 500}\n"))


# Titles and other columns


def test_a_title_is_a_part_of_the_text_once(tmp_path: Path) -> None:
    rows = [
        {"title": "Tea", "text": "Boil water."},
        {"title": "Milk", "text": "Milk is white."},
        {"title": "Only a title", "text": ""},
        {"title": "No text at all"},
        {"title": None, "text": "No title"},
    ]
    path = write(tmp_path / "a.jsonl", json_lines(rows))
    corpus = read_corpus(path)
    assert corpus.texts == ["Tea\n\nBoil water.", "Milk is white.", "Only a title", "No text at all", "No title"]
    assert [corpus.body(i) for i in range(5)] == ["Boil water.", *corpus.texts[1:]]
    without = read_corpus(path, join_title=False)
    assert without.texts == ["Boil water.", "Milk is white.", "No title"]
    assert without.titles == ["Tea", "Milk", ""]
    assert skipped(without) == {"line 3": "no text", "line 4": "no field 'text'"}


def test_other_columns_and_row_numbers_are_kept_in_the_order_of_the_input(tmp_path: Path) -> None:
    rows = [
        {"text": "Tea", "date": "2024-05-01", "stars": 5, "vector": [0.1, 0.2], "tags": ["hot", "drink"]},
        {"text": ""},
        {"text": "Milk", "stars": float("nan"), "extra": {"a": 1}},
    ]
    corpus = read_corpus(write(tmp_path / "a.jsonl", json_lines(rows)))
    assert (corpus.rows, [skip.row for skip in corpus.skipped], corpus.n_input) == ([0, 2], [1], 3)
    assert corpus.columns == {
        "date": ["2024-05-01", ""],
        "stars": ["5", ""],
        "tags": ["hot, drink", ""],
        "extra": ["", '{"a": 1}'],
    }


def test_the_first_of_too_many_columns_are_kept_with_a_warning(tmp_path: Path) -> None:
    names = [f"q{number}" for number in range(120)]
    content = ",".join(["text", *names]) + "\n" + "Tea" + ",1" * 120 + "\n"
    with pytest.warns(OutgroupWarning, match="more than 100 columns"):
        corpus = read_corpus(write(tmp_path / "a.csv", content))
    assert list(corpus.columns) == names[:100]


@pytest.mark.parametrize("name", ["id", "title", "other"])
def test_fields_nested_hundreds_deep_are_skipped_by_name(tmp_path: Path, name: str) -> None:
    deep = json.loads("[" * 900 + "]" * 900)
    rows = [{"text": "Tea", name: deep}, {"text": "Milk", name: "x"}]
    corpus = read_corpus(write(tmp_path / "a.jsonl", json_lines(rows)))
    if corpus.skipped:
        assert skipped(corpus) == {"line 1": "a field is nested too deeply"}
    assert corpus.texts[-1].endswith("Milk")


# All kinds
