"""PDF and Word files: their text where the extra is installed, a plain reason where anything is wrong."""

import io
import re
import zipfile
from pathlib import Path

import pytest

from outgroup.readers.corpus import read_corpus
from outgroup.readers.documents import LIMITS, UnreadableError
from outgroup.readers.office import office_text

docx = pytest.importorskip("docx", reason="needs the extra io")
pypdf = pytest.importorskip("pypdf", reason="needs the extra io")


def word_file(title=""):
    document, raw = docx.Document(), io.BytesIO()
    document.core_properties.title = title
    document.add_paragraph("Bread & but").add_run("ter")
    document.add_table(1, 1).cell(0, 0).text = "in a table"
    document.save(raw)
    return raw.getvalue()


def pdf_file(text=b"Bread and butter", password=None, opens=False):
    """One page that shows a line of text: the smallest font is one that every reader has."""
    content = b"BT /F1 12 Tf 72 720 Td (" + text + b") Tj ET"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length " + str(len(content)).encode() + b" >> stream\n" + content + b"\nendstream",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    raw, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(raw))
        raw += str(number).encode() + b" 0 obj " + each + b" endobj\n"
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    raw += b"xref\n0 6\n0000000000 65535 f \n" + table
    raw += b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n" + str(raw.index(b"xref")).encode() + b"\n%%EOF"
    if password is None:
        return raw
    writer, locked = pypdf.PdfWriter(clone_from=io.BytesIO(raw)), io.BytesIO()
    writer.encrypt("", password, algorithm="AES-256") if opens else writer.encrypt(password, algorithm="RC4-128")
    writer.write(locked)
    return locked.getvalue()


def test_a_folder_of_both_is_read(tmp_path: Path):
    (tmp_path / "a.docx").write_bytes(word_file("Breakfast"))
    (tmp_path / "b.PDF").write_bytes(pdf_file())
    corpus = read_corpus(tmp_path)
    assert corpus.texts == ["Bread & butter\nin a table", "Bread and butter"]
    assert corpus.titles == ["Breakfast", "b.PDF"]


def test_insertions_and_controls_of_a_word_file_are_text_and_no_title_is_made_up():
    inner = "<w:r><w:t>{}</w:t></w:r>"
    body = (
        "<w:p>" + inner.format("plain ") + "<w:ins>" + inner.format("inserted ") + "</w:ins><w:sdt><w:sdtContent>"
        + inner.format("chosen") + "</w:sdtContent></w:sdt><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>"
    )  # fmt: skip
    raw = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(word_file("Breakfast"))) as old, zipfile.ZipFile(raw, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "word/document.xml":
                start = content.index(b"<w:body>") + len(b"<w:body>")
                content = content[:start] + body.encode() + content[content.index(b"<w:sectPr") :]
            if name != "docProps/core.xml":
                new.writestr(name, re.sub(rb"<Relationship [^>]*core-properties[^>]*/>", b"", content))
    assert office_text(raw.getvalue(), ".docx") == ("", "plain inserted chosen")


def test_a_pdf_that_unpacks_without_end_is_left(monkeypatch):
    monkeypatch.setitem(vars(LIMITS), "document", 10)
    with pytest.raises(UnreadableError, match="too long for one document"):
        office_text(pdf_file(), ".pdf")


@pytest.mark.parametrize(
    ("raw", "kind", "reason"),
    [
        (b"PK\x03\x04 and no more", ".docx", "it is damaged, or has another format"),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600),
            ".docx",
            "protected by a password, or in an Office format from before 2007",
        ),
        (b"%PDF-1.4 and no more", ".pdf", "not a readable PDF file"),
        (b"", ".pdf", "not a readable PDF file"),
        (pdf_file(password="secret"), ".pdf", "locked by a password"),
    ],
)
def test_a_broken_or_locked_file_is_named(raw, kind, reason):
    with pytest.raises(UnreadableError, match=reason):
        office_text(raw, kind)
