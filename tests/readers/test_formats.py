"""Each format of records by hand: JSON arrays, separators, spreadsheets, what is piped in, what is compressed."""

import datetime
import io
import json
import sys
import warnings
import zipfile
from types import SimpleNamespace
from unittest import mock

import pytest
from factories import workbook, write, zipped

from outgroup.errors import CorpusError, MissingExtraError, OutgroupWarning
from outgroup.readers.corpus import read_corpus
from outgroup.readers.documents import LIMITS
from outgroup.readers.tables import texts_of

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
        "".join(json.dumps(row) + "\n" for row in ROWS),
    ],
)
def test_json_in_every_shape(tmp_path, content):
    corpus = read_corpus(write(tmp_path / "a.json", content))
    assert (corpus.ids, corpus.texts, corpus.columns) == (["a", "b"], TEXTS, {"when": ["2024-05-01", ""]})


def test_an_array_of_texts(tmp_path):
    corpus = read_corpus(write(tmp_path / "a.json", json.dumps(TEXTS)))
    assert (corpus.ids, corpus.texts) == (["1", "2"], TEXTS)


def test_items_longer_than_what_is_read_at_once(tmp_path):
    rows = [{"id": str(i), "text": "tea " * size} for i, size in enumerate([40_000, 1, 16_384, 100_000, 2])]
    for indent in (None, 1):
        corpus = read_corpus(write(tmp_path / "a.json", json.dumps(rows, indent=indent)))
        assert corpus.texts == [row["text"] for row in rows]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('[{"text": "Tea"}, {"text": "Mi', "item 2: invalid JSON"),
        ('[{"text": "Tea"} {"text": "Milk"}]', "item 2: invalid JSON: ',' is missing"),
        ('[{"text": "Tea"}', "item 2: invalid JSON: ',' is missing"),
        ('[{"text": "Tea"}, 3]', "item 2: expected an object"),
        ("[" * 100_000, "item 1: unreadable JSON"),
        ('{"a": [], "b": []}', "an object with 2 lists"),
        ('{"a": 1', "invalid JSON at"),
        ("3", "expected an object"),
        ("[]", "contains no documents"),
        ("", "contains no documents"),
        ('[{"body": "Tea"}]', "no field 'text' for the text; the fields are 'body'; .* --text body, or in"),
        ('[{"a b": "1", "Full Text": "Tea", "c": 1}]', "--text 'Full Text', or in Python text='Full Text'"),
        ('[{"a": "1", "c": "Tea"}]', "--text NAME, or in Python text='NAME'"),
    ],
)
def test_wrong_json_says_where(tmp_path, content, said):
    with pytest.raises(CorpusError, match=said):
        read_corpus(write(tmp_path / "a.json", content))


# Tables


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
def test_whatever_separates_cells_is_found(tmp_path, name, separator):
    corpus = read_corpus(write(tmp_path / name, table(separator)))
    assert (corpus.ids, corpus.texts, corpus.columns) == (["a", "b"], TEXTS, {"when": ["2024-05-01", ""]})


@pytest.mark.parametrize("asked", [{}, {"text": "text"}, {"text": "TEXT", "id": "Id"}])
@pytest.mark.parametrize(
    "content", ["ID;Text;Title;When\na;Milk;Tea;1\n", '[{"ID": "a", "Text": "Milk", "Title": "Tea", "When": 1}]']
)
def test_names_in_other_capitals_are_the_fields_that_are_meant(tmp_path, monkeypatch, content, asked):
    path = write(tmp_path / ("a.json" if content.startswith("[") else "a.csv"), content)
    for corpus in (read_corpus(path, **asked), piped(monkeypatch, content.encode())):
        assert (corpus.ids, corpus.titles, corpus.texts) == (["a"], ["Tea"], ["Tea\n\nMilk"])
        assert corpus.columns == {"When": ["1"]}


def test_names_in_other_capitals_give_way_to_the_very_name_and_are_not_guessed_among(tmp_path):
    corpus = read_corpus(write(tmp_path / "a.csv", "ID,Id,Text,text,Body\n7,8,Milk,Tea,Bread\n"))
    assert (corpus.ids, corpus.texts) == (["2"], ["Tea"])
    assert corpus.columns == {"ID": ["7"], "Id": ["8"], "Text": ["Milk"], "Body": ["Bread"]}
    assert read_corpus(tmp_path / "a.csv", text="body,text").texts == ["Bread\n\nTea"]
    with pytest.raises(CorpusError, match="field 'text'"):
        read_corpus(write(tmp_path / "b.csv", "Text,TEXT\nTea,Milk\n"))


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


def test_fields_within_fields_of_a_column(tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.Table.from_pylist([{"doc": {"text": "Tea"}, "x": 1}]), tmp_path / "a.parquet")
    assert read_corpus(tmp_path / "a.parquet", text="doc.text").texts == ["Tea"]
    assert texts_of([{"doc": {"text": "Tea"}}, {"doc": None}], text="doc.text", missing="skip").texts == ["Tea", ""]


def test_a_doubled_column_is_named(tmp_path):
    with pytest.raises(CorpusError, match="columns are named 'text'"):
        read_corpus(write(tmp_path / "a.csv", "id,text,text\n1,Tea,Milk\n"))
    corpus = read_corpus(write(tmp_path / "a.csv", "text,x,x,x (2),x\nTea,1,2,3,4\n"))
    assert corpus.columns == {"x": ["1"], "x (3)": ["2"], "x (2)": ["3"], "x (4)": ["4"]}


# Spreadsheets


@pytest.mark.parametrize("suffix", [".xlsx", ".ods"])
def test_spreadsheets(tmp_path, suffix):
    day = datetime.date(2024, 5, 1)
    rows = [[], ["id", "text", "when"], [1, "Tea\nand milk", day], [None, None, None], [2, "Tent", None, "note"]]
    corpus = read_corpus(write(tmp_path / f"a{suffix}", workbook(suffix, A=[row or [None] for row in rows])))
    assert (corpus.ids, corpus.texts[0]) == (["1", "2"], "Tea\nand milk")
    assert corpus.columns == {"when": ["2024-05-01", ""], "column 4": ["", "note"]}


@pytest.mark.parametrize("suffix", [".xlsx", ".xlsm", ".ods"])
def test_a_sheet_is_named_and_then_the_others_are_not_told_of(tmp_path, suffix, recwarn):
    rows = [[["id", "text"], ["q1", "Tea"]], [["id", "text"], ["q2", "Milk"], ["q3", "Jam"]], [["nothing"]]]
    path = write(tmp_path / f"a{suffix}", workbook(suffix, **dict(zip(("Q1", "Q2", "End"), rows, strict=True))))
    assert read_corpus(path, sheet="Q2").texts == read_corpus(path, sheet="q2").texts == ["Milk", "Jam"]
    assert [str(each.message) for each in recwarn] == []
    with pytest.raises(CorpusError, match="sheet 'Q3'"):
        read_corpus(path, sheet="Q3")
    with pytest.raises(CorpusError, match="field 'text'"):
        read_corpus(path, sheet="End")
    with pytest.warns(
        OutgroupWarning, match="2 sheets have the same .*: 'Q1', 'Q2'; other sheets were not read: 'End'; --sheet"
    ):
        assert read_corpus(path).texts == ["Tea", "Milk", "Jam"]


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
    if suffix == ".xlsx":
        assert opened_books(path) == 1


def opened_books(path):
    """Return how often a workbook is opened when it is read: each time its texts are read as a whole."""
    import openpyxl

    with mock.patch("openpyxl.load_workbook", wraps=openpyxl.load_workbook) as load, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        read_corpus(path)
    return load.call_count


@pytest.mark.parametrize("suffix", [".xlsx", ".ods"])
@pytest.mark.filterwarnings("ignore::outgroup.errors.OutgroupWarning")
def test_a_cover_with_a_list_of_keys_is_no_table(tmp_path, suffix):
    cover = [["Key", "Value"], ["text", "what people said"], ["made by", "Jane"], ["pages", "7"]]
    answers = [["id", "text", "stars"], ["a", "Tea", "5"], ["b", "Milk", "4"]]
    path = write(tmp_path / f"a{suffix}", workbook(suffix, Cover=cover, Answers=answers))
    assert read_corpus(path).texts == ["Tea", "Milk"]
    with pytest.raises(CorpusError, match="field 'comment'"):
        read_corpus(path, text="comment")
    two_heads = [["Q1", "Q2"], ["id", "answer"], ["a", "Tea"]]  # of a survey: codes, and below them the questions
    assert read_corpus(write(tmp_path / f"b{suffix}", workbook(suffix, Data=two_heads)), text="answer").texts == ["Tea"]


@pytest.mark.parametrize("suffix", [".xlsx", ".ods"])
def test_a_title_may_stand_above_the_names_of_the_columns(tmp_path, suffix):
    rows = [["Survey, 2024"], [None], ["id", "answer"], [1, "Tea"], *([i, f"cup {i}"] for i in range(2, 40))]
    path = write(tmp_path / f"a{suffix}", workbook(suffix, A=rows))
    with pytest.warns(OutgroupWarning, match="row 3 is the header; the (lines|rows) above it were skipped"):
        corpus = read_corpus(path, text="answer")
    assert (corpus.ids[0], corpus.texts[0], len(corpus)) == ("1", "Tea", 39)
    with pytest.raises(CorpusError, match="--text answer"):
        read_corpus(path)


@pytest.mark.parametrize("suffix", [".xlsx", ".ods"])
def test_what_is_no_spreadsheet_is_named(tmp_path, suffix):
    for raw in (b"", b"PK\x03\x04 and no more", b"no spreadsheet"):
        with pytest.raises(CorpusError, match=r"not a readable spreadsheet: it is damaged.*save it again, or as .csv"):
            read_corpus(write(tmp_path / f"a{suffix}", raw))
    locked = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
    with pytest.raises(CorpusError, match=f"a{suffix}: protected by a password"):
        read_corpus(write(tmp_path / f"a{suffix}", locked))


def without_sheets(path):
    """Write a spreadsheet with a damaged part: its workbook or content names no table that is there."""
    if path.suffix == ".ods":
        return write(path, zipped({"content.xml": "<o/>"}))
    with (
        zipfile.ZipFile(io.BytesIO(workbook(".xlsx", A=[["text"], ["Tea"]]))) as whole,
        zipfile.ZipFile(path, "w") as made,
    ):
        for name in whole.namelist():
            if "worksheets" not in name:
                made.writestr(name, whole.read(name))
    return path


@pytest.mark.parametrize("sheet", ["", "Q1"])
@pytest.mark.parametrize("suffix", [".xlsx", ".ods"])
def test_a_spreadsheet_without_sheets_is_an_error(tmp_path, suffix, sheet):
    with pytest.raises(CorpusError, match=f"a{suffix}: the spreadsheet contains no worksheet"):
        read_corpus(without_sheets(tmp_path / f"a{suffix}"), sheet=sheet)


HEAD = (
    '<o:c xmlns:o="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:t="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:x="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><t:table t:name="A">'
)


def test_repeated_rows_and_cells_of_a_sheet(tmp_path):
    cell = "<t:table-cell{}><x:p>{}</x:p></t:table-cell>"
    many = ' t:number-columns-repeated="16384"'
    rows = (
        "<t:table-row>" + cell.format("", "text") + cell.format("", "n") + "</t:table-row>"
        '<t:table-row t:number-rows-repeated="2">' + cell.format("", "Tea<x:s/>and<x:tab/>milk") + cell.format("", "1")
        + f"<t:table-cell{many}/></t:table-row>"
        + f'<t:table-row t:number-rows-repeated="1048573"><t:table-cell{many}/></t:table-row>'
    )  # fmt: skip
    corpus = read_corpus(write(tmp_path / "a.ods", zipped({"content.xml": HEAD + rows + "</t:table></o:c>"})))
    assert (corpus.ids, corpus.texts) == (["2", "3"], ["Tea and\tmilk"] * 2)
    bomb = rows.replace('repeated="2"', 'repeated="999999999"')
    with pytest.raises(CorpusError, match="more than 200 times"):
        read_corpus(write(tmp_path / "b.ods", zipped({"content.xml": HEAD + bomb + "</t:table></o:c>"})))


def test_entities_that_would_grow_are_refused(tmp_path):
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]><x>&b;</x>'
    with pytest.raises(CorpusError, match="document type"):
        read_corpus(write(tmp_path / "a.ods", zipped({"content.xml": bomb})))


def test_a_sheet_that_unpacks_without_end_is_not_unpacked(tmp_path):
    with pytest.raises(CorpusError, match="more than 150 times"):
        read_corpus(write(tmp_path / "a.ods", zipped({"content.xml": " " * 20_000_000})))


def test_without_the_library_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    for name in ("a.xlsx", "a.jsonl.zst"):
        with pytest.raises(MissingExtraError, match=r"\.\[io\]"):
            read_corpus(write(tmp_path / name, "x"))


# Compressed


def zst(raw):
    return pytest.importorskip("zstandard", reason="needs the extra io").ZstdCompressor().compress(raw)


def test_zst(tmp_path):
    corpus = read_corpus(write(tmp_path / "a.csv.zst", zst(table(";").encode())))
    assert corpus.texts == TEXTS
    whole = zst(table(",").encode() * 5000)
    for raw in (whole[:-20], whole[:40] + b"\0\0\0\0" + whole[44:], b"not compressed"):
        with pytest.raises(
            CorpusError, match=r"damaged or truncated|is the file complete|cells, but the header|write two quotes"
        ):
            read_corpus(write(tmp_path / "b.csv.zst", raw))


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
        lambda: json.dumps(ROWS).encode(),
        lambda: "".join(json.dumps(row) + "\n" for row in ROWS).encode(),
        lambda: table(",").encode(),
        lambda: table(";").encode("utf-8-sig"),
        lambda: table("\t").encode("utf-16"),
        lambda: zst(table("|").encode()),
        lambda: workbook(".xlsx", A=[list(ROWS[0]), *(list(row.values()) for row in ROWS)]),
        lambda: workbook(".ods", A=[list(ROWS[0]), *(list(row.values()) for row in ROWS)]),
    ],
)
def test_what_is_piped_in_is_known_by_its_beginning(monkeypatch, make):
    corpus = piped(monkeypatch, make())
    assert (corpus.ids, corpus.texts) == (["a", "b"], TEXTS)


def test_lines_that_are_piped_in_are_documents(monkeypatch):
    with pytest.warns(OutgroupWarning, match="standard input is read"):
        corpus = piped(monkeypatch, b"tea, milk\n\nbread\n")
    assert (corpus.ids, corpus.texts) == (["1", "3"], ["tea, milk\n", "bread\n"])
    with pytest.raises(CorpusError, match="field 'body'"):
        piped(monkeypatch, b"id,text\n1,Tea\n", text="body")
    with pytest.raises(CorpusError, match="standard input contains"):
        piped(monkeypatch, b"")
    monkeypatch.setattr(sys, "stdin", None)  # as where the caller closed it
    with pytest.raises(CorpusError, match="standard input is closed"):
        read_corpus("-")


def test_an_empty_path_is_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CorpusError, match="path is empty"):
        read_corpus("")


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


def test_a_header_that_is_no_line_is_an_error_of_ours(tmp_path):
    with pytest.raises(CorpusError):
        read_corpus(write(tmp_path / "a.csv", b"\r\x00"))


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
