"""Small files that expand without bound: what a run expands is counted, and refused or skipped by name."""

import io
import lzma
import zipfile
import zlib

import pytest

from outgroup.errors import CorpusError
from outgroup.readers.budget import Budget
from outgroup.readers.corpus import read_corpus
from outgroup.readers.documents import LIMITS, UnreadableError
from outgroup.readers.fields import Fields
from outgroup.readers.mail import message_document
from outgroup.readers.office import office_text
from outgroup.readers.source import file_source


@pytest.fixture
def small(monkeypatch):
    """A budget of 100 kB and 20 times the input."""
    monkeypatch.setitem(vars(LIMITS), "unpacked", 100_000)
    monkeypatch.setitem(vars(LIMITS), "unpacked_times", 20)


def zipped(**members):
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/").replace("_dot_", "."), content)
    return raw.getvalue()


def reasons(corpus):
    return {skip.where: skip.reason for skip in corpus.skipped}


def test_a_budget_refuses_what_exceeds_it_and_keeps_the_rest(small):
    budget = Budget(10)
    budget.take(100_000)
    with pytest.raises(UnreadableError, match="more than 20 times"):
        budget.take(201)
    budget.take(200)
    budget.grow(20)
    budget.take(rows=1)
    with pytest.raises(UnreadableError):
        budget.take(1)


def test_packed_files_of_a_folder_share_a_budget(tmp_path, small):
    for name in "abcd":
        (tmp_path / f"{name}.txt.xz").write_bytes(lzma.compress(b"tea " * 10_000))
    (tmp_path / "e.txt").write_text("milk")
    corpus = read_corpus(tmp_path)
    assert corpus.ids == ["a.txt.xz", "b.txt.xz", "e.txt"]
    assert all("more than 20 times" in reason for reason in reasons(corpus).values())


def test_packed_members_of_an_archive_have_the_budget_of_the_archive(tmp_path, small):
    inner = lzma.compress(b"tea " * 10_000)
    (tmp_path / "a.zip").write_bytes(zipped(**{f"m{i}_dot_txt.xz": inner for i in range(9)}))
    corpus = read_corpus(tmp_path / "a.zip")
    assert 2 <= len(corpus) < 9
    assert len(corpus) + len(corpus.skipped) == 9


@pytest.mark.parametrize("pack", [lzma.compress, lambda raw: zipped(a_dot_jsonl=raw)])
def test_many_short_rows_in_a_small_file_are_refused(tmp_path, small, pack):
    raw = b'{"text":"a"}\n' * 1_000
    packed = tmp_path / ("a.jsonl.xz" if pack is lzma.compress else "a.zip")
    packed.write_bytes(pack(raw))
    with pytest.raises(CorpusError, match="more than 20 times"):
        read_corpus(packed)


def test_short_rows_of_a_plain_file_are_never_refused(tmp_path, monkeypatch):
    monkeypatch.setitem(vars(LIMITS), "unpacked", 0)
    (tmp_path / "a.txt").write_text("a\n" * 5_000)
    with pytest.warns(match="each line"):
        assert len(read_corpus(tmp_path / "a.txt")) == 5_000


@pytest.mark.parametrize("tail", ["", "\0" * 4])
def test_frames_of_xz_are_joined(tmp_path, tail):
    frames = [lzma.compress(f'{{"text": "{word}"}}\n'.encode()) for word in ("tea", "milk")]
    (tmp_path / "a.jsonl.xz").write_bytes(tail.encode().join([*frames, b""]))
    assert read_corpus(tmp_path / "a.jsonl.xz").texts == ["tea", "milk"]


@pytest.mark.parametrize("rest", [b'{"text": "milk"}\n', b"\0\0\0\0x", lzma.compress(b'{"text": "milk"}')[:-4]])
def test_bytes_after_a_frame_of_xz_are_not_lost_without_a_word(tmp_path, rest):
    (tmp_path / "a.jsonl.xz").write_bytes(lzma.compress(b'{"text": "tea"}\n') + rest)
    with pytest.raises(CorpusError, match=r"a\.jsonl\.xz: the compressed file is damaged"):
        read_corpus(tmp_path / "a.jsonl.xz")


def test_joined_archives_are_not_read_as_the_last(tmp_path):
    (tmp_path / "a.zip").write_bytes(zipped(a_dot_txt="tea") + zipped(b_dot_txt="milk"))
    with pytest.raises(CorpusError, match="several archives in one file"):
        read_corpus(tmp_path / "a.zip")
    (tmp_path / "b.zip").write_bytes(b"#!/bin/sh\n" + zipped(b_dot_txt="milk"))  # as of a self-extracting archive
    assert read_corpus(tmp_path / "b.zip").texts == ["milk"]


# --- Spreadsheets

_ODS = '<d xmlns:table="{0}:table:1.0" xmlns:text="{0}:text:1.0"><table:table table:name="A">{1}</table:table></d>'


def ods(rows):
    body = "".join(
        f'<table:table-row table:number-rows-repeated="{times}">{cells}</table:table-row>' for cells, times in rows
    )
    return zipped(content_dot_xml=_ODS.format("urn:oasis:names:tc:opendocument:xmlns", body))


def cell(text, times=1):
    return f'<table:table-cell table:number-columns-repeated="{times}"><text:p>{text}</text:p></table:table-cell>'


def test_repeated_rows_of_a_sheet_are_counted_together(tmp_path, small):
    (tmp_path / "a.ods").write_bytes(ods([(cell("text"), 1), (cell("tea"), 50), (cell("milk"), 50)]))
    assert len(read_corpus(tmp_path / "a.ods")) == 100
    (tmp_path / "b.ods").write_bytes(ods([(cell("text"), 1), *[(cell(f"tea {i}"), 200) for i in range(4)]]))
    with pytest.raises(CorpusError, match=r"b\.ods: unpacks to more than 20 times"):
        read_corpus(tmp_path / "b.ods")


def test_a_number_of_spaces_in_a_sheet_takes_no_memory(tmp_path):
    (tmp_path / "a.ods").write_bytes(ods([(cell("text"), 1), (cell('tea<text:s text:c="2000000000"/>milk'), 1)]))
    assert read_corpus(tmp_path / "a.ods").texts == ["tea milk"]


def test_repeated_cells_of_a_sheet_are_counted(tmp_path, small):
    (tmp_path / "a.ods").write_bytes(ods([(cell("text"), 1), (cell("tea" * 1_000, 900), 1)]))
    with pytest.raises(CorpusError, match="more than 20 times"):
        read_corpus(tmp_path / "a.ods")


def xlsx(rows, more=b""):
    openpyxl = pytest.importorskip("openpyxl", reason="needs the extra io")
    book, raw, out = openpyxl.Workbook(), io.BytesIO(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    book.save(raw)
    with zipfile.ZipFile(raw) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b"</sheetData>", more + b"</sheetData>"))
    return out.getvalue()


def far_row(number, column="A"):
    return f'<row r="{number}"><c r="{column}{number}" t="inlineStr"><is><t>milk</t></is></c></row>'.encode()


def test_a_gap_between_rows_is_skipped_up_to_the_last_row_of_a_sheet(tmp_path, monkeypatch):
    monkeypatch.setitem(vars(LIMITS), "sheet_rows", 3_000)
    (tmp_path / "a.xlsx").write_bytes(xlsx([["text"], ["tea"]], far_row(3_000)))
    corpus = read_corpus(tmp_path / "a.xlsx")
    assert (corpus.texts, corpus.ids) == (["tea", "milk"], ["2", "3000"])
    (tmp_path / "b.xlsx").write_bytes(xlsx([["text"], ["tea"]], far_row(2_000_000_000)))
    with pytest.raises(CorpusError, match="a row below row 3,000"):
        read_corpus(tmp_path / "b.xlsx")


def test_a_cell_in_the_last_corner_of_a_sheet_takes_no_memory(tmp_path):
    (tmp_path / "a.xlsx").write_bytes(xlsx([["text"], ["tea"]], far_row(1_048_576, "XFD")))
    assert read_corpus(tmp_path / "a.xlsx").texts == ["tea"]


def test_a_shared_string_in_many_rows_is_counted_for_each(tmp_path, small):
    (tmp_path / "a.xlsx").write_bytes(xlsx([["text"], *[["tea " * 5_000]] * 40]))
    with pytest.raises(CorpusError, match="more than 20 times"):
        read_corpus(tmp_path / "a.xlsx")


def test_entities_of_a_workbook_are_refused(tmp_path):
    raw = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(xlsx([["text"], ["tea"]]))) as old, zipfile.ZipFile(raw, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name.endswith("sheet1.xml"):
                content = b'<!DOCTYPE a [<!ENTITY a "tea">]>' + content
            new.writestr(name, content)
    (tmp_path / "a.xlsx").write_bytes(raw.getvalue())
    with pytest.raises(CorpusError, match="document type declaration"):
        read_corpus(tmp_path / "a.xlsx")


# --- Word, PDF and mail

WORD = (
    '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:tbl><w:tr><w:tc><w:tcPr>'
    '<w:gridSpan w:val="2000000000"/></w:tcPr><w:p><w:r><w:t>{}</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:document>'
)


def test_a_number_of_cells_in_a_word_file_takes_no_memory():
    assert office_text(zipped(word__document_dot_xml=WORD.format("tea")), ".docx")[1] == "tea"


@pytest.mark.parametrize("token", ["<!--{}-->", '<w:p a="{}"/>', "<?a {}?>"])
def test_a_long_token_of_a_word_file_is_refused(monkeypatch, token):
    monkeypatch.setitem(vars(LIMITS), "office_token", 100_000)
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    body = f'<w:document xmlns:w="{space}">{token}<w:t>tea</w:t></w:document>'
    assert office_text(zipped(word__document_dot_xml=body.format("a" * 1_000)), ".docx")[1].strip() == "tea"
    with pytest.raises(UnreadableError, match="too long"):
        office_text(zipped(word__document_dot_xml=body.format("a" * 900_000)), ".docx")


def pdf(pages, content):
    """Pages that share one compressed stream."""
    packed, kids = zlib.compress(content), b" ".join(b"%d 0 R" % (i + 4) for i in range(pages))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, pages),
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(packed), packed),
        *[b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 3 0 R /Resources << >> >>"] * pages,
    ]
    raw, places = b"%PDF-1.5\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(raw))
        raw += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    end = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, len(raw))
    return raw + head + table + end


def test_pages_that_share_a_stream_are_counted_for_each(monkeypatch):
    pytest.importorskip("pypdf", reason="needs the extra io")
    monkeypatch.setitem(vars(LIMITS), "office_unpacked", 100_000)
    monkeypatch.setitem(vars(LIMITS), "office_times", 10)
    assert office_text(pdf(3, b" " * 30_000), ".pdf")[1].strip() == ""
    with pytest.raises(UnreadableError, match="more than 10 times"):
        office_text(pdf(9, b" " * 30_000), ".pdf")


def test_pages_count_as_rows():
    pytest.importorskip("pypdf", reason="needs the extra io")
    budget = Budget()
    budget.take(LIMITS.unpacked - 3 * LIMITS.row)
    with pytest.raises(UnreadableError, match="more than 200 times"):
        office_text(pdf(4, b" "), ".pdf", budget)


@pytest.mark.parametrize("header", ['text/plain; charset="latin-1"; a="', 'multipart/mixed; boundary=b; a="'])
def test_the_parameters_of_a_mail_are_cut(header):
    raw = b"Subject: tea\nContent-Type: " + header.encode() + b";" * 1_000_000 + b"\n\n--b\n\ncr\xe8me\n"
    found = message_document(raw, "a.eml", Fields())
    assert (found.title, "crème" in found.text) == ("tea", True)


def test_a_document_that_takes_too_long_is_skipped(tmp_path, monkeypatch):
    monkeypatch.setitem(vars(LIMITS), "seconds", 0)
    (tmp_path / "a.eml").write_bytes(b"Subject: tea\n\nmilk\n")
    (tmp_path / "b.txt").write_text("milk")
    (tmp_path / "c.docx").write_bytes(zipped(word__document_dot_xml=WORD.format("tea")))
    corpus = read_corpus(tmp_path)
    assert corpus.ids == ["b.txt"]
    assert reasons(corpus) == dict.fromkeys(["a.eml", "c.docx"], "takes more than 0 seconds to read")


# --- JSON after JSON


@pytest.mark.parametrize("between", ["", "\n", "\n\ufeff", " \r\n "])
def test_arrays_that_follow_an_array_are_read(tmp_path, between):
    text = f'[{{"text": "tea"}}, "milk"]{between}[]{between}["toast"]\n'
    (tmp_path / "a.json").write_bytes(text.encode())
    corpus = read_corpus(tmp_path / "a.json")
    assert (corpus.texts, corpus.ids) == (["tea", "milk", "toast"], ["1", "2", "3"])


@pytest.mark.parametrize("rest", ['{"text": "milk"}', ', ["milk"]', "milk", "]", '["milk"', '"milk"', "\0"])
def test_other_text_after_an_array_is_an_error(tmp_path, rest):
    (tmp_path / "a.json").write_text(f'["tea", "toast"]\n{rest}')
    with pytest.raises(CorpusError, match=r"a\.json.*(follows the array of 2 items|item)"):
        read_corpus(tmp_path / "a.json")


@pytest.mark.parametrize("rest", ['{"data": [{"text": "milk"}]}', "[1]", "x"])
def test_text_after_an_object_with_the_only_array_is_an_error(tmp_path, rest):
    (tmp_path / "a.json").write_text('{"data": [{"text": "tea"}]}\n' + rest)
    with pytest.raises(CorpusError, match="more text follows the value"):
        read_corpus(tmp_path / "a.json")


def test_a_source_has_its_own_budget(tmp_path, small):
    path = tmp_path / "a.txt.xz"
    path.write_bytes(lzma.compress(b"tea " * 20_000))
    for _ in range(3):
        with file_source(path).open() as stream:
            assert len(stream.read()) == 80_000
