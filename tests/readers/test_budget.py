"""Small files that expand without bound: what a run expands is counted, and refused or skipped by name."""

import io
import lzma
import zipfile

import pytest
from factories import ods, skipped, word, zipped

from outgroup.errors import CorpusError
from outgroup.readers.corpus import read_corpus
from outgroup.readers.documents import LIMITS, UnreadableError
from outgroup.readers.fields import Fields
from outgroup.readers.mail import message_document
from outgroup.readers.office import office_text
from tests.fuzz.hostile_inputs import shared_pdf


@pytest.fixture
def small(monkeypatch):
    """A budget of 100 kB and 20 times the input."""
    monkeypatch.setitem(vars(LIMITS), "unpacked", 100_000)
    monkeypatch.setitem(vars(LIMITS), "unpacked_times", 20)


def test_packed_files_of_a_folder_share_a_budget(tmp_path, small):
    for name in "abcd":
        (tmp_path / f"{name}.txt.xz").write_bytes(lzma.compress(b"tea " * 10_000))
    (tmp_path / "e.txt").write_text("milk")
    corpus = read_corpus(tmp_path)
    assert corpus.ids == ["a.txt.xz", "b.txt.xz", "e.txt"]
    assert all("more than 20 times" in reason for reason in skipped(corpus).values())


def test_joined_archives_are_not_read_as_the_last(tmp_path):
    (tmp_path / "a.zip").write_bytes(zipped({"a.txt": "tea"}) + zipped({"b.txt": "milk"}))
    with pytest.raises(CorpusError, match="several archives in one file"):
        read_corpus(tmp_path / "a.zip")
    (tmp_path / "b.zip").write_bytes(b"#!/bin/sh\n" + zipped({"b.txt": "milk"}))  # as of a self-extracting archive
    assert read_corpus(tmp_path / "b.zip").texts == ["milk"]


# --- Spreadsheets


def row(text, times=1):
    return f'<t:table-row t:number-rows-repeated="{times}"><t:table-cell><x:p>{text}</x:p></t:table-cell></t:table-row>'


def test_repeated_rows_of_a_sheet_are_counted_together(tmp_path, small):
    (tmp_path / "a.ods").write_bytes(ods(row("text") + row("tea", 50) + row("milk", 50)))
    assert len(read_corpus(tmp_path / "a.ods")) == 100
    (tmp_path / "b.ods").write_bytes(ods(row("text") + "".join(row(f"tea {i}", 200) for i in range(4))))
    with pytest.raises(CorpusError, match=r"b\.ods: unpacks to more than 20 times"):
        read_corpus(tmp_path / "b.ods")


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


# --- Word, PDF and mail

WIDE = (
    '<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2000000000"/></w:tcPr><w:p><w:r><w:t>tea</w:t></w:r></w:p></w:tc>'
    "</w:tr></w:tbl>"
)


@pytest.mark.parametrize("token", ["<!--{}-->", '<w:p a="{}"/>', "<?a {}?>"])
def test_a_long_token_of_a_word_file_is_refused(monkeypatch, token):
    monkeypatch.setitem(vars(LIMITS), "office_token", 100_000)
    assert office_text(word(token.format("a" * 1_000) + "<w:t>tea</w:t>"), ".docx")[1].strip() == "tea"
    with pytest.raises(UnreadableError, match="too long"):
        office_text(word(token.format("a" * 900_000) + "<w:t>tea</w:t>"), ".docx")


def test_pages_that_share_a_stream_are_counted_for_each(monkeypatch):
    pytest.importorskip("pypdf", reason="needs the extra io")
    monkeypatch.setitem(vars(LIMITS), "office_unpacked", 100_000)
    monkeypatch.setitem(vars(LIMITS), "office_times", 10)
    assert office_text(shared_pdf(3, b" " * 30_000), ".pdf")[1].strip() == ""
    with pytest.raises(UnreadableError, match="more than 10 times"):
        office_text(shared_pdf(9, b" " * 30_000), ".pdf")


@pytest.mark.parametrize("header", ['text/plain; charset="latin-1"; a="', 'multipart/mixed; boundary=b; a="'])
def test_the_parameters_of_a_mail_are_cut(header):
    raw = b"Subject: tea\nContent-Type: " + header.encode() + b";" * 1_000_000 + b"\n\n--b\n\ncr\xe8me\n"
    found = message_document(raw, "a.eml", Fields())
    assert (found.title, "crème" in found.text) == ("tea", True)


def test_a_document_that_takes_too_long_is_skipped(tmp_path, monkeypatch):
    monkeypatch.setitem(vars(LIMITS), "seconds", 0)
    (tmp_path / "a.eml").write_bytes(b"Subject: tea\n\nmilk\n")
    (tmp_path / "b.txt").write_text("milk")
    (tmp_path / "c.docx").write_bytes(word(WIDE))
    corpus = read_corpus(tmp_path)
    assert corpus.ids == ["b.txt"]
    assert skipped(corpus) == dict.fromkeys(["a.eml", "c.docx"], "takes more than 0 seconds to read")


def test_the_operators_of_a_page_take_time(monkeypatch):
    pypdf = pytest.importorskip("pypdf", reason="needs the extra io")

    def one_operator(page, visitor_operand_before=lambda *_: None):
        visitor_operand_before(b"Tj", [], None, None)
        raise AssertionError("it went on")

    monkeypatch.setattr(pypdf.PageObject, "extract_text", one_operator)
    monkeypatch.setitem(vars(LIMITS), "seconds", 0)
    with pytest.raises(UnreadableError, match="takes more than 0 seconds"):
        office_text(shared_pdf(1, b"BT 1 0 0 1 5 5 Tm (tea) Tj ET\n"), ".pdf")


# --- JSON after JSON


@pytest.mark.parametrize("rest", [', ["milk"]', "milk", "]", '["milk"', "5", "\0"])
def test_other_text_after_an_array_is_an_error(tmp_path, rest):
    (tmp_path / "a.json").write_text(f'["tea", "toast"]\n{rest}')
    with pytest.raises(CorpusError, match=r"a\.json, item "):
        read_corpus(tmp_path / "a.json")


@pytest.mark.parametrize("between", ["", "\n", " \r\n\n"])
def test_values_after_one_another_are_all_read(tmp_path, between):
    values = ['{"text":\n "tea"}', '[{"text": "rye"}, "oats"]', '{"text": "milk"}', "[]", '"toast"']
    for first in (0, 1):
        (tmp_path / "a.json").write_text(between.join(values[first:]))
        assert read_corpus(tmp_path / "a.json").texts == ["tea", "rye", "oats", "milk", "toast"][first:]
