"""Any bytes in any file: a corpus in which nothing is lost, or a plain error of ours."""

import gzip
import io
import json
import lzma
import sys
import warnings
from email.message import EmailMessage
from functools import lru_cache
from types import SimpleNamespace

import pytest
from factories import word, workbook, zipped
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outgroup.errors import OutgroupError
from outgroup.readers.corpus import read_corpus
from outgroup.readers.dates import holds_dates
from outgroup.readers.in_memory import texts_of

ROWS = [
    {
        "id": "a",
        "title": "Tea & <b>milk</b>",
        "text": "Boil water,\nthen wait.",
        "when": "2024-05-01",
        "tags": ["x", "y"],
    },
    {"id": "b", "title": None, "text": "Ein Zelt für Möwen", "when": None, "tags": []},
    {"id": "a", "title": "", "text": "東京の電車", "when": "soon", "tags": None},
]


def mail():
    made = EmailMessage()
    made["Subject"], made["Date"] = "Zelte für Möwen", "Wed, 01 May 2024 12:00:00 +0200"
    made.set_content("Which one is light?\n> quoted\n")
    made.add_alternative("<p>Which one is <b>light</b>?</p>", subtype="html")
    return made.as_bytes()


def lines():
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS).encode()


def table(separator=","):
    cells = [["id", "text", "when"], *([row["id"], f'"{row["text"]}"', row["when"] or ""] for row in ROWS)]
    return "".join(separator.join(row) + "\n" for row in cells).encode()


def parquet():
    pa, files = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    raw = io.BytesIO()
    files.write_table(pa.Table.from_pylist(ROWS), raw)
    return raw.getvalue()


def sheet(suffix):
    return lambda: workbook(suffix, A=[["id", "text"], ["a", "Tea"], [2, "Milk"]])


def letter():
    return word("<w:p><w:r><w:t>Tea</w:t><w:tab/><w:t>and milk</w:t></w:r></w:p>")


def zst():
    return pytest.importorskip("zstandard").ZstdCompressor().compress(lines())


SOUND = {
    "a.jsonl": lines,
    "a.json": lambda: json.dumps(ROWS).encode(),
    "a.csv": table,
    "a.tsv": lambda: table("\t"),
    "a.jsonl.gz": lambda: gzip.compress(lines()),
    "a.csv.xz": lambda: lzma.compress(table(";")),
    "a.jsonl.zst": zst,
    "a.parquet": parquet,
    "a.xlsx": sheet(".xlsx"),
    "a.ods": sheet(".ods"),
    "a.mbox": lambda: b"From x\n" + mail() + b"\nFrom y\n" + mail(),
    "a.ris": lambda: b"TY  - JOUR\nTI  - tea\nAB  - milk\n and\nER  - \n" * 3,
    "a.bib": lambda: b'@misc{a, title = {tea}, abstract = {{m}ilk} # "\\\'a"}\n' * 3,
    "a.eml": mail,
    "a.zip": lambda: zipped({"a/tea.txt": "Tea", "b.eml": mail(), "c.docx": letter()}),
    "b.zip": lambda: zipped({"a.csv": table("|")}),
    "-": lines,
    "d/a.docx": letter,
    "d/a.html": lambda: b"<title>Tea</title><p>Boil <b>water</b> &amp; wait<script>x</script>",
    "d/a.mbox": lambda: b"From x\n" + mail(),
    "d/a.txt": lambda: "Crème brûlée".encode("utf-16"),
}

EDITS = st.lists(
    st.tuples(
        st.integers(0, 1 << 20), st.sampled_from(["set", "cut", "put", "end"]), st.binary(min_size=1, max_size=8)
    ),
    max_size=6,
)
quick = settings(
    max_examples=max(15, settings().max_examples // 5),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@lru_cache
def sound(name):
    return SOUND[name]()


def edited(raw, edits):
    """Sound bytes with some of them changed, left out, added, or the end cut off."""
    for place, kind, piece in edits:
        at = place % (len(raw) + 1)
        rest = {"set": at + len(piece), "cut": at + len(piece), "put": at, "end": len(raw)}[kind]
        raw = raw[:at] + (piece if kind in ("set", "put") else b"") + raw[rest:]
    return raw


def check(path, raw, monkeypatch, **options):
    """Read the bytes, from a file or piped in: a sound corpus, or an error of ours."""
    if path.name == "-":
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(raw)))
    else:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(raw)
    given = "-" if path.name == "-" else path.parent if path.parent.name == "d" else path
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            corpus = read_corpus(given, **options)
    except OutgroupError:
        return
    n = len(corpus)
    assert n == len(set(corpus.ids)) == len(corpus.texts) == len(corpus.titles) == len(corpus.rows)
    assert sorted([*corpus.rows, *(skip.row for skip in corpus.skipped if skip.row is not None)]) == list(
        range(corpus.n_input)
    )
    assert all(text.strip() for text in corpus.texts)
    assert all(len(values) == n for values in corpus.columns.values())
    said = [*corpus.ids, *corpus.texts, *corpus.titles, *corpus.columns, *(skip.where for skip in corpus.skipped)]
    "".join(said + [value for values in corpus.columns.values() for value in values]).encode()
    for values in corpus.columns.values():
        holds_dates(values)


@pytest.mark.parametrize("name", SOUND)
@given(edits=EDITS)
@quick
def test_sound_files_with_wrong_bytes(tmp_path, monkeypatch, name, edits):
    raw = edited(sound(name), edits)
    check(tmp_path / name, raw, monkeypatch, strip=["headers", "quotes", "signatures"])


@given(st.sampled_from(sorted(SOUND)), st.binary(max_size=400))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_in_any_file(tmp_path, monkeypatch, name, raw):
    check(tmp_path / name, raw, monkeypatch)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
RECORD = st.dictionaries(
    st.sampled_from(["id", "text", "title", "label", "when", "x,y", "x"]) | st.text(max_size=3), JSON
)


@given(st.lists(RECORD, max_size=5), st.sampled_from(["text", "title", "x,y", "text,x"]), st.booleans())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_any_records(tmp_path, monkeypatch, rows, text, array):
    raw = json.dumps(rows) if array else "".join(json.dumps(row) + "\n" for row in rows)
    check(tmp_path / ("a.json" if array else "a.jsonl"), raw.encode(), monkeypatch, text=text)


@given(st.lists(RECORD | st.text(max_size=9) | st.none(), max_size=5), st.sampled_from(["error", "skip"]))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_any_records_in_memory(rows, missing):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            corpus = texts_of(rows, missing=missing)
    except OutgroupError:
        return
    assert len(corpus.texts) == len(rows)
    assert corpus.rows == list(range(len(rows)))
