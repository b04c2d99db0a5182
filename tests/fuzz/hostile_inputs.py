"""Hostile documents in every format, and documents with hostile names, ids, titles and columns."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from tests.fuzz.forging import PLAIN

_SIZE = 200_000  # signs of a hostile piece
_REPEATED = (
    "a", " ", "\n", "\t", "\0", ",", ";", '"', '",', "'", "\\", "<", ">", "&", "&#", "&amp;", "<p>", "<!--",
    "<![CDATA[", "<a href='", "</", "[", "{", '{"a":', "](", "![", "*", "_", "`", "#", "> ", "|", "-", "=", "On ",
    "wrote:\n", "-- \n", "From ", "From: a\n", "\nFrom x\n", "=?utf-8?q?", "=\n", "%", "{0}", "%s", "\ufdfa", "\u0301",
    "\u202e", "\ud7ff", "\U0001f600", "\u200d", "é", "字", "ไทย", "1", "1,", "9.", "-1e", "\x1b[31m", "\r", "\r\n",
    "\x0b", "\u2028", "a1", "x" * 50 + " ", "http://a.", "a@", "a.b.", "a-", "a'", "_a", "0x", "A\n", "\ufeff",
)  # fmt: skip
_PIECES: dict[str, Callable[[int], str]] = {
    **{f"many {sign!r}": lambda n, sign=sign: sign * (n // len(sign)) for sign in _REPEATED},  # type: ignore[misc]
    "deep": lambda n: "[" * (n // 2) + "]" * (n // 2),
    "words": lambda n: " ".join(f"w{i}" for i in range(n // 7)),
    "header": lambda n: ",".join(f"c{i}" for i in range(n // 6)) + "\n" + ",".join("x" for _ in range(n // 6)),
    "same columns": lambda n: "text" + ",c" * (n // 2) + "\n" + "tea" + ",x" * (n // 2),
    "digits": lambda n: "9" * n,
    "marks": lambda n: "a" + "\u0315" * (n // 2) + "\u0316" * (n // 2),
    "half marks": lambda n: "a" + ("\u0315" * 30 + "\uff9e") * (n // 31),
    "references": lambda n: "TY  - JOUR\nAB  - a\n" + "b\n" * (n // 2),
    "entries": lambda n: "@misc{a, b = {" * (n // 28) + "}" * (n // 28),
    "joined": lambda n: "@misc{a,b=" + '"c" # ' * (n // 6) + "1}",
    "cells": lambda n: "text\n" + '"a""b"\n' * (n // 7),
    "mails": lambda n: "From a@b Mon Jan  1 00:00:00 2024\nSubject: x\n\ntea\n\n" * (n // 50),
    "nested mail": lambda n: "Content-Type: multipart/mixed; boundary=b\n\n--b\n" * (n // 50),
    "quotes": lambda n: "".join(">" * i + " x\n" for i in range(int((2 * n) ** 0.5))),
}  # fmt: skip
_SUFFIXES = (
    ".txt", ".csv", ".tsv", ".json", ".jsonl", ".md", ".html", ".eml", ".mbox", ".log", ".xlsx", ".ods", ".docx",
    ".pdf", ".parquet", ".zip", ".xml", ".rtf", ".ris", ".bib",
)  # fmt: skip
_PACKED: dict[str, Callable[[bytes], bytes]] = {"": bytes, ".gz": gzip.compress, ".xz": lzma.compress}
_XML = (
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
    '<!ENTITY c SYSTEM "file:///etc/passwd">]><a>&b;&c;'
)


def _csv(piece: str) -> str:
    out = io.StringIO()
    csv.writer(out).writerows([["id", "text"], ["1", piece], ["2", "tea and milk"]])
    return out.getvalue()


_AROUND: dict[str, Callable[[str], str]] = {
    "bare": str,
    "in a record": lambda piece: json.dumps({"id": piece[:100], "text": piece}) + "\n" + '{"text": "tea"}\n',
    "in a cell": _csv,
    "in a page": lambda piece: f"<html><title>{piece[:99]}</title><body>{piece}</body>",
    "in a mail": lambda piece: f"From: a@b\nSubject: {piece[:500]}\nContent-Type: text/plain\n\n{piece}",
    "in a header": lambda piece: f'Subject: tea\nContent-Type: text/plain; a="{piece}\n\ntea',
    "after an array": lambda piece: f'["tea", "milk"]{piece}',
    "in XML": lambda piece: f"{_XML}{piece}</a>",
}


def contents() -> Iterator[tuple[str, Callable[[], tuple[str, bytes]]]]:
    """Yield a name, and what makes the name and the bytes of a file, for each piece in each wrapping and format."""
    for piece in _PIECES:
        for around in _AROUND:
            for suffix in _SUFFIXES:
                for packing in _PACKED:
                    yield f"{piece} {around} as {suffix}{packing}", partial(_content, piece, around, suffix, packing)
    bombs: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress}
    for kind, pack in bombs.items():
        for suffix in (".jsonl", ".csv", ".txt", ".zip"):
            yield f"bomb {suffix}{kind}", partial(_bomb, suffix, kind, pack)
    for name, make in _EXPANDING.items():
        yield f"expanding {name}", partial(lambda name, make: (name, make()), name, make)


def _content(piece: str, around: str, suffix: str, packing: str) -> tuple[str, bytes]:
    raw = _AROUND[around](_PIECES[piece](_SIZE)).encode("utf-8", "surrogatepass")
    if suffix in (".xlsx", ".ods", ".docx", ".zip"):
        raw = _zip(*((name, raw) for name in _MEMBERS[suffix]))
    return f"hostile{suffix}{packing}", _PACKED[packing](raw)


_MEMBERS = {
    ".xlsx": ("xl/workbook.xml", "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"),
    ".ods": ("content.xml",),
    ".docx": ("word/document.xml", "[Content_Types].xml"),
    ".zip": ("../../evil.txt", "a.jsonl", "b.zip", "/c.txt"),
}


def _bomb(suffix: str, kind: str, pack: Callable[[bytes], bytes]) -> tuple[str, bytes]:
    return f"bomb{suffix}{kind}", pack(b'{"text": "' + b" " * 200_000_000)


# --- Small files that share what expands: each part is within the limits of a part; sheets are in test_budget.py


def _zip(*members: tuple[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return out.getvalue()


def _packed_members() -> bytes:
    member = lzma.compress(b"tea " * 10_000_000)
    return _zip(*((f"{number}.txt.xz", member) for number in range(500)))


def shared_pdf(pages: int, content: bytes) -> bytes:
    """Return a PDF whose pages share one compressed stream."""
    packed, kids = zlib.compress(content, 9), b" ".join(b"%d 0 R" % (number + 4) for number in range(pages))
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


_EXPANDING: dict[str, Callable[[], bytes]] = {
    "lines.txt.xz": lambda: lzma.compress(b"tea milk\n" * 5_000_000),
    "tail.jsonl.xz": lambda: lzma.compress(b'{"text": "tea"}\n' * 20) + b'{"text": "milk"}',
    "members.zip": _packed_members,
    "archives.zip": lambda: _zip(("a.txt", "tea")) + _zip(("b.txt", "milk")),
    "pages.pdf": lambda: shared_pdf(1_000, b" " * 70_000_000),
}

_WORDS = (
    "", " ", ".", "..", "../../x", "/etc/passwd", "a\0b", "\x1b[2J", "\u202e txt", "=cmd|' /C calc'!A0", "+1", "@x",
    "<script>alert(1)</script>", "'\"><img src=x>", "{0.__class__}", "%s%n", "con", "NUL.txt", "a" * 5000, "é",
    "e\u0301", "\ud800", "\ufeff", "-1", "nan", "null", "__proto__", "constructor", "text", "id", "cluster", "\n",
    "a\r\nb", "🙂", "ß", "SS",
)  # fmt: skip


def names() -> Iterator[tuple[str, Callable[[Path], None]]]:
    """Yield a name, and what writes documents with hostile ids, titles, columns or file names into a folder."""
    for word in [*_WORDS, *map(str, PLAIN)]:
        for role in ("id", "title", "label", "column", "file", "value", "text"):
            yield f"{role} {word!r:.30}", partial(_named, word, role)
    for first, second in (("A.txt", "a.txt"), ("straße.txt", "STRASSE.txt"), ("é.txt", "e\u0301.txt"), ("D1", "d1")):
        for role in ("file", "id", "column", "out"):
            yield f"{role}s {first} and {second}", partial(_alike, first, second, role)


def _texts() -> list[str]:
    return [f"{text} number {i}" for i, text in enumerate(("tea milk", "train town") * 4)]


def _named(word: str, role: str, folder: Path) -> None:
    rows = [{"id": f"d{i}", "title": "t", "text": text} for i, text in enumerate(_texts())]
    if role == "file":
        for row in rows:
            (folder / f"{row['id']}.txt").write_text(row["text"])
        (folder / word.replace("/", "_")).write_text("tea and milk")
        return
    for row in rows[:2] if role in ("id", "title") else rows:
        row["extra" if role == "value" else word if role == "column" else role] = word
    (folder / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def _alike(first: str, second: str, role: str, folder: Path) -> None:
    texts = _texts()
    if role in ("file", "out"):
        for name, text in zip((first, second, *(f"{i}.txt" for i in range(6))), texts, strict=True):
            (folder / name).write_text(text)
        return
    rows = [{"text": text, "id": str(i)} for i, text in enumerate(texts)]
    rows[0][role], rows[1][role] = first, second
    if role == "column":
        rows = [row | {first: "x", second: "y"} for row in rows]
    (folder / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
