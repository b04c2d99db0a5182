"""Each format of records by hand: JSON arrays, separators, spreadsheets, what is piped in, what is compressed."""

import datetime
import io
import json
import sys
from types import SimpleNamespace

import pytest
from factories import workbook, write, zipped

from outgroup.errors import CorpusError, OutgroupWarning
from outgroup.readers.corpus import read_corpus
from outgroup.readers.documents import LIMITS

ROWS = [{"id": "a", "text": "Tea, and milk", "when": "2024-05-01"}, {"id": "b", "text": "A tent", "when": ""}]
TEXTS = [row["text"] for row in ROWS]


def table(separator):
    lines = [list(ROWS[0]), *(row.values() for row in ROWS)]
    return "".join(separator.join(f'"{cell}"' if "," in cell else cell for cell in line) + "\n" for line in lines)


# JSON


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(ROWS),
        json.dumps(ROWS, indent=2),
        "\ufeff \n" + json.dumps(ROWS),
        json.dumps({"count": 2, "data": ROWS}),
        json.dumps({"count": 2, "data": ROWS}, indent=1),
        json.dumps({"text": "about these", "data": ROWS}, indent=1),
        "".join(json.dumps(row) + "\n" for row in ROWS),
        json.dumps(ROWS).replace("]", ",\n]"),
    ],
)
def test_json_in_every_shape(tmp_path, content):
    corpus = read_corpus(write(tmp_path / "a.json", content))
    assert (corpus.ids, corpus.texts, corpus.columns) == (["a", "b"], TEXTS, {"when": ["2024-05-01", ""]})


def test_one_object_holds_texts_by_their_ids(tmp_path):
    texts = {f"d{at}": f"Tea {at}" for at in range(20)}
    with pytest.warns(OutgroupWarning, match="names as ids"):
        corpus = read_corpus(write(tmp_path / "a.json", json.dumps(texts | {"d20": None})))
    assert dict(zip(corpus.ids, corpus.texts, strict=True)) == texts
    assert [(skip.where, skip.row) for skip in corpus.skipped] == [("d20", 20)]
    with pytest.raises(CorpusError, match="no field 'said'"):
        read_corpus(tmp_path / "a.json", text="said")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('[{"text": "Tea"}, {"text": "Mi', "item 2: invalid JSON"),
        ('[{"text": "Tea"} {"text": "Milk"}]', "item 2: invalid JSON: ',' is missing"),
        ('[{"text": "Tea"}, 3]', "item 2: expected an object"),
        ("[" * 100_000, "item 1: unreadable JSON"),
        ('{"a": [], "b": []}', "the fields are 'a', 'b'"),
        ('{"a": "Tea", "b": null}', "expected an array .* JSON Lines"),
        ("", "contains no documents"),
        ('[{"body": "Tea"}]', "no field 'text' for the text; the fields are 'body'; .* --text body, or in"),
        ('[{"a": "1", "c": "Tea"}]', "--text NAME, or in Python text='NAME'"),
    ],
)
def test_wrong_json_says_where(tmp_path, content, said):
    with pytest.raises(CorpusError, match=said):
        read_corpus(write(tmp_path / "a.json", content))


@pytest.mark.parametrize(
    "content",
    [
        json.dumps([list(ROWS[0]), *(list(row.values()) for row in ROWS)]),
        json.dumps({"columns": list(ROWS[0]), "index": [0, 1], "data": [list(row.values()) for row in ROWS]}),
        json.dumps({name: {str(at): row[name] for at, row in enumerate(ROWS)} for name in ROWS[0]}),
        json.dumps({row["id"]: {name: row[name] for name in row if name != "id"} for row in ROWS}),
        json.dumps({"about": "x", "chats": {"n": 2, "list": [{"messages": [row]} for row in ROWS]}}),
        "".join(json.dumps({"page": [1], "messages": [row]}) for row in ROWS),
        json.dumps({"messages": ROWS[:1]}) + "\n" + json.dumps(ROWS[1:]),
    ],
)
@pytest.mark.filterwarnings("ignore:.*2 lists of records")
def test_tables_and_nested_lists_in_json(tmp_path, content):
    corpus = read_corpus(write(tmp_path / "a.json", content))
    assert (corpus.ids, corpus.texts, corpus.columns) == (["a", "b"], TEXTS, {"when": ["2024-05-01", ""]})


@pytest.mark.parametrize(("name", "sign"), [("a.json", ", "), ("a.jsonl", "\n")])
def test_texts_alone_are_documents_and_a_missing_one_is_skipped(tmp_path, name, sign):
    content = sign.join(['"tea"', "null", '"milk"'])
    corpus = read_corpus(write(tmp_path / name, f"[{content}]" if name == "a.json" else content))
    assert (corpus.texts, corpus.rows) == (["tea", "milk"], [0, 2])


def test_long_objects_after_one_another_are_records(tmp_path):
    rows = [{"text": name * 50_000, "n": 1} for name in ("tea ", "milk ")]
    path = write(tmp_path / "a.json", "\n".join(json.dumps(row, indent=1) for row in rows))
    assert read_corpus(path).texts == [row["text"] for row in rows]


def test_rows_of_unequal_length_in_json_are_named(tmp_path):
    with pytest.raises(CorpusError, match="item 3: 1 values, but the first list, the header, has 2"):
        read_corpus(write(tmp_path / "a.json", '[["id", "text"], [1, "tea"], [2]]'))
    with pytest.raises(CorpusError, match="the fields are '1', 'Tea'"):
        read_corpus(write(tmp_path / "a.json", '[[1, "Tea"], [2, "Milk"]]'))


# Tables


def test_cells_without_a_name_and_spaces_behind_separators(tmp_path):
    path = write(tmp_path / "a.csv", 'id, text, , label\n1, "Tea, milk", x, a\n2, Bread, y, b\n')
    corpus = read_corpus(path)
    assert (corpus.texts, corpus.labels) == (["Tea, milk", "Bread"], ["a", "b"])
    assert corpus.columns["column 3"] == ["x", "y"]
    inside = read_corpus(write(tmp_path / "b.csv", "id,text, label\n1, tea,a\n"))
    assert inside.texts == [" tea"]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
def test_whatever_separates_cells_is_found(tmp_path, name, separator):
    corpus = read_corpus(write(tmp_path / name, table(separator)))
    assert (corpus.ids, corpus.texts, corpus.columns) == (["a", "b"], TEXTS, {"when": ["2024-05-01", ""]})


NESTED = {
    "key": {"id": "T1"},
    "fields": {"summary": "Tea", "body": "<p>is cold</p>", "a.b": "!"},
    "comments": [{"author": {"name": "Ann"}, "body": "Warm it."}, {"author": {"name": "Ben"}}, {"body": "Milk?"}],
}


def test_fields_within_fields_are_named_by_their_way(tmp_path):
    path = write(tmp_path / "a.json", json.dumps({"issues": [NESTED], "next": None}))
    asked = {"id": "key.id", "title": "Fields.summary"}
    with pytest.warns(OutgroupWarning, match="1 of 1"):
        corpus = read_corpus(path, text="fields.body,comments.body,fields.a.b,comments.author.name", **asked)
    assert (corpus.ids, corpus.titles) == (["T1"], ["Tea"])
    assert corpus.texts == ["Tea\n\nis cold\n\nWarm it.\n\nMilk?\n\n!\n\nAnn\n\nBen"]
    lines = write(tmp_path / "b.json", json.dumps(NESTED) + "\n" + json.dumps({"fields": {}}))
    assert read_corpus(lines, text="comments.body").skipped[0].reason == "no field 'comments.body'"


# Spreadsheets


@pytest.mark.parametrize("suffix", [".xlsx", ".ods"])
def test_spreadsheets(tmp_path, suffix):
    day = datetime.date(2024, 5, 1)
    rows = [[], ["id", "text", "when"], [1, "Tea\nand milk", day], [None, None, None], [2, "Tent", None, "note"]]
    corpus = read_corpus(write(tmp_path / f"a{suffix}", workbook(suffix, A=[row or [None] for row in rows])))
    assert (corpus.ids, corpus.texts[0]) == (["1", "2"], "Tea\nand milk")
    assert corpus.columns == {"when": ["2024-05-01", ""], "column 4": ["", "note"]}


@pytest.mark.filterwarnings("ignore:.*row 2 is the header")
@pytest.mark.parametrize("suffix", [".xlsx", ".ods"])
def test_sheets_of_one_header_are_one_table_with_a_column_that_tells_them_apart(tmp_path, suffix):
    months = {
        "Jan": [["Answers of January"], ["Text", "Stars"], ["Tea", "5"], ["", "1"]],
        "Feb": [["Text", "Stars"], ["Milk", "4"], ["Jam", "3"]],
        "March 24": [["Text", "Stars"], ["Rye", "2"]],
        "April": [["Text", "Stars"]],
        "Staff": [["Text", "Name"], ["Bread", "Jane"]],
    }
    path = write(tmp_path / f"a{suffix}", workbook(suffix, **months))
    with pytest.warns(
        OutgroupWarning, match="3 sheets .*'Jan', 'Feb', 'March 24'; other sheets were not read: 'April', 'Staff'"
    ):
        corpus = read_corpus(path)
    assert corpus.ids == ["Jan!3", "Feb!2", "Feb!3", "March 24!2"]
    assert corpus.columns == {"Stars": ["5", "4", "3", "2"], "sheet": ["Jan", "Feb", "Feb", "March 24"]}
    assert [(skip.where, skip.reason) for skip in corpus.skipped] == [("row Jan!4", "no text")]
    assert corpus.by_place
    assert read_corpus(path, sheet="jan").ids == ["3"]
    with pytest.warns(OutgroupWarning):
        assert read_corpus(path, label="sheet").labels == ["Jan", "Feb", "Feb", "March 24"]


@pytest.mark.parametrize("suffix", [".xlsx", ".ods"])
def test_what_is_no_spreadsheet_is_named(tmp_path, suffix):
    for raw in (b"", b"PK\x03\x04 and no more", b"no spreadsheet"):
        with pytest.raises(CorpusError, match=r"it is damaged, or has another format.*save it again"):
            read_corpus(write(tmp_path / f"a{suffix}", raw))
    with pytest.raises(CorpusError, match="contains no sheet"):
        read_corpus(write(tmp_path / "b.ods", zipped({"content.xml": "<o/>"})))
    locked = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
    with pytest.raises(CorpusError, match=f"a{suffix}: protected by a password"):
        read_corpus(write(tmp_path / f"a{suffix}", locked))


# Compressed


def zst(raw):
    return pytest.importorskip("zstandard", reason="needs the extra io").ZstdCompressor().compress(raw)


@pytest.mark.parametrize("pack", ["gz", "xz", "zst"])
def test_what_unpacks_to_far_more_than_text_does_is_refused(tmp_path, monkeypatch, pack):
    import gzip
    import lzma

    monkeypatch.setitem(vars(LIMITS), "unpacked", 1_000_000)
    bomb = {"gz": gzip.compress, "xz": lzma.compress, "zst": zst}[pack](b" " * 10_000_000)
    with pytest.raises(CorpusError, match="more than 200 times"):
        read_corpus(write(tmp_path / f"a.jsonl.{pack}", bomb))


# The standard input


def piped(monkeypatch, raw, **options):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(raw)))
    return read_corpus("-", **options)


@pytest.mark.parametrize(
    "make",
    [
        lambda: "".join(json.dumps(row) + "\n" for row in ROWS).encode(),
        lambda: table(";").encode("utf-8-sig"),
        lambda: zst(table("|").encode()),
        lambda: workbook(".xlsx", A=[list(ROWS[0]), *(list(row.values()) for row in ROWS)]),
        lambda: workbook(".ods", A=[list(ROWS[0]), *(list(row.values()) for row in ROWS)]),
    ],
)
def test_what_is_piped_in_is_known_by_its_beginning(monkeypatch, make):
    corpus = piped(monkeypatch, make())
    assert (corpus.ids, corpus.texts) == (["a", "b"], TEXTS)


# HTML in fields


def test_html_in_fields_is_found_said_and_taken_out(tmp_path):
    rows = [
        {"title": "Tea &amp; milk", "text": "<p>Boil <b>water</b>.</p><p>Wait.</p>"},
        {"title": "", "text": "Tom &amp; Jerry\nagain"},
        {"title": "", "text": "a < b and c > d & e"},
    ]
    path = write(tmp_path / "a.json", json.dumps(rows))
    with pytest.warns(OutgroupWarning, match="HTML was found in 1 of 3"), pytest.warns(match="decoded in 1 of 3"):
        corpus = read_corpus(path)
    assert corpus.texts == ["Tea & milk\n\nBoil water.\nWait.", "Tom & Jerry\nagain", "a < b and c > d & e"]
    assert corpus.titles[0] == "Tea & milk"
    assert read_corpus(path, html="keep", join_title=False).texts == [row["text"] for row in rows]
    with pytest.raises(ValueError, match="'text'"):
        read_corpus(path, html="drop")


def test_a_damaged_schema_of_a_parquet_file_never_aborts_the_process(tmp_path):
    pa, files = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    files.write_table(pa.table({"id": ["a", "b"], "text": TEXTS}), tmp_path / "a.parquet")
    raw, refused = (tmp_path / "a.parquet").read_bytes(), 0
    footer = len(raw) - 8 - int.from_bytes(raw[-8:-4], "little")
    for at in range(footer, footer + 100):  # a column that is required no longer has the levels that are counted
        try:
            read_corpus(write(tmp_path / "b.parquet", raw[:at] + b"\0" + raw[at + 1 :]))
        except CorpusError:
            refused += 1
    assert refused > 50
