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

from outgroup.errors import CorpusError, MissingExtraError, OutgroupWarning
from outgroup.readers.corpus import read_corpus
from outgroup.readers.documents import LIMITS
from outgroup.text.tables import texts_of

ROWS = [{"id": "a", "text": "Tea, and milk", "when": "2024-05-01"}, {"id": "b", "text": "A tent", "when": ""}]
TEXTS = [row["text"] for row in ROWS]


def write(path, content):
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


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
        (
            '[{"body": "Tea"}]',
            "no field 'text' for the text; the fields are 'body'; .* --text body, or in",
        ),
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


def test_a_missing_field_is_told_with_the_columns_that_there_are(tmp_path):
    with pytest.raises(CorpusError, match="field 'body'"):
        read_corpus(write(tmp_path / "a.csv", table(";")), text="body")


@pytest.mark.parametrize("asked", [{}, {"text": "text"}, {"text": "TEXT", "id": "Id"}])
@pytest.mark.parametrize(
    "content",
    ["ID;Text;Title;When\na;Milk;Tea;1\n", '[{"ID": "a", "Text": "Milk", "Title": "Tea", "When": 1}]'],
)
def test_names_in_other_capitals_are_the_fields_that_are_meant(tmp_path, monkeypatch, content, asked):
    path = write(tmp_path / ("a.json" if content.startswith("[") else "a.csv"), content)
    for corpus in (read_corpus(path, **asked), piped(monkeypatch, content.encode())):
        assert (corpus.ids, corpus.titles, corpus.texts) == (["a"], ["Tea"], ["Tea\n\nMilk"])
        assert corpus.columns == {"When": ["1"]}


def test_names_in_other_capitals_in_columns_of_a_file(tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.table({"ID": ["a"], "Text": ["Tea"], "vector": [[0.5, 0.5]]}), tmp_path / "a.parquet")
    for path in (tmp_path / "a.parquet", write(tmp_path / "a.xlsx", excel([["ID", "Text"], ["a", "Tea"]]))):
        assert (read_corpus(path).ids, read_corpus(path).texts) == (["a"], ["Tea"])


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


def test_a_text_within_an_object_is_proposed_where_no_field_is_named(tmp_path):
    rows = [{"user": {"name": "Ann"}, "body": {"size": 3, "text": "tea"}, "notes": [{"by": "me"}]}] * 2
    for name, content in {"a.jsonl": "\n".join(map(json.dumps, rows)), "b.json": json.dumps(rows)}.items():
        path = write(tmp_path / name, content)
        with pytest.raises(CorpusError, match=r"'body', 'body.text', 'notes', 'notes.by'; .*: --text body.text,"):
            read_corpus(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("fields", "'fields' contains an object, not a string; .* such as fields.body$"),
        ("comments", "'T1', '2': the field 'comments' contains a list, not a string; .* such as comments.body$"),
        ("comments.author", "'comments.author' contains an object, not a string; .* such as comments.author.name$"),
        ("fields.summary,key", "'key' contains an object, not a string; .* such as key.id$"),
        ("key.name", "2 skipped, first 'T1', '2': no field 'key.name'"),
        ("keys.id", "no field 'keys.id' for the text; the fields are 'key', 'key.id', 'fields', .*: --text key.id,"),
    ],
)
def test_a_field_that_holds_others_names_one(tmp_path, text, said):
    second = {"key": {"id": "2"}, "fields": {"summary": "", "body": ""}, "comments": NESTED["comments"]}
    path = write(tmp_path / "a.json", json.dumps([NESTED, second]))
    with pytest.raises(CorpusError, match=said):
        read_corpus(path, text=text, id="key.id")


def test_a_doubled_column_is_named(tmp_path):
    with pytest.raises(CorpusError, match="columns are named 'text'"):
        read_corpus(write(tmp_path / "a.csv", "id,text,text\n1,Tea,Milk\n"))
    corpus = read_corpus(write(tmp_path / "a.csv", "text,x,x,x (2),x\nTea,1,2,3,4\n"))
    assert corpus.columns == {"x": ["1"], "x (3)": ["2"], "x (2)": ["3"], "x (4)": ["4"]}


# Spreadsheets


def excel(rows, sheets=("First",)):
    openpyxl = pytest.importorskip("openpyxl", reason="needs the extra io")
    book, raw = openpyxl.Workbook(), io.BytesIO()
    book.active.title = sheets[0]
    for row in rows:
        book.active.append(row)
    for name in sheets[1:]:
        book.create_sheet(name)
    book.save(raw)
    return raw.getvalue()


def calc(rows, sheets=("First",)):
    odf = pytest.importorskip("odf.opendocument", reason="needs odfpy")
    from odf import table as tables
    from odf import text

    book, raw = odf.OpenDocumentSpreadsheet(), io.BytesIO()
    for name in sheets:
        sheet = tables.Table(name=name)
        for row in rows:
            line = tables.TableRow()
            for value in row:
                given = {"valuetype": "date", "datevalue": value} if isinstance(value, datetime.date) else {}
                cell = tables.TableCell(**{key: str(each) for key, each in given.items()})
                for part in [] if value is None else str(value).split("\n"):
                    cell.addElement(text.P(text=part))
                line.addElement(cell)
            sheet.addElement(line)
        book.spreadsheet.addElement(sheet)
    book.save(raw)
    return raw.getvalue()


SHEETS = [pytest.param(excel, ".xlsx", id="xlsx"), pytest.param(calc, ".ods", id="ods")]


@pytest.mark.parametrize(("make", "suffix"), SHEETS)
def test_spreadsheets(tmp_path, make, suffix):
    day = datetime.date(2024, 5, 1)
    rows = [[], ["id", "text", "when"], [1, "Tea\nand milk", day], [None, None, None], [2, "Tent", None, "note"]]
    corpus = read_corpus(write(tmp_path / f"a{suffix}", make([row or [None] for row in rows])))
    assert (corpus.ids, corpus.texts[0]) == (["1", "2"], "Tea\nand milk")
    assert corpus.columns == {"when": ["2024-05-01", ""], "column 4": ["", "note"]}


def test_other_sheets_are_told_of(tmp_path):
    path = write(tmp_path / "a.xlsx", excel([["text"], ["Tea"]], ["First", "Second", "Third"]))
    with pytest.warns(OutgroupWarning, match="first sheet 'First'"):
        assert read_corpus(path).texts == ["Tea"]


@pytest.mark.parametrize("suffix", [".xlsx", ".ods"])
def test_the_sheet_with_the_field_of_the_text_is_read(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    if suffix == ".xlsx":
        book = pytest.importorskip("openpyxl").Workbook()
        book.active.append(["Export of the help desk"])
        tickets = book.create_sheet("Tickets")
        for row in (["Tickets 2024"], ["id", "answer"], [1, "Tea"], [2, "Milk"]):
            tickets.append(row)
        book.create_sheet("Other").append(["answer"])
        book.save(path)
    else:
        path.write_bytes(_two_tables())
    others = "'Sheet', 'Other'" if suffix == ".xlsx" else "'Sheet'"
    with pytest.warns(OutgroupWarning) as told:
        corpus = read_corpus(path, text="answer")
    said = [str(each.message).partition(": ")[2] for each in told]
    read = f"the sheet 'Tickets' was read; other sheets were not read: {others}"
    assert f"{read}; --sheet NAME, or in Python sheet='NAME', reads another sheet" in said
    assert (corpus.ids, corpus.texts) == (["1", "2"], ["Tea", "Milk"])
    with (
        pytest.warns(OutgroupWarning, match="sheet 'Tickets' was read"),
        pytest.raises(CorpusError, match=r"no field 'text' for the text; .*'answer'"),
    ):
        read_corpus(path)


def test_a_sheet_that_is_asked_for_where_there_are_none_is_told(tmp_path):
    table = write(tmp_path / "a.csv", b"id,text\n1,Tea\n2,Milk\n")
    (tmp_path / "notes").mkdir()
    write(tmp_path / "notes" / "a.txt", b"Tea")
    for name in ("one", "two"):
        with zipfile.ZipFile(tmp_path / f"{name}.zip", "w") as archive:
            archive.write(table, "a.csv") if name == "one" else archive.write(tmp_path / "notes" / "a.txt", "a.txt")
    for given in ("a.csv", "notes", "one.zip", "two.zip"):
        with pytest.warns(OutgroupWarning, match=f"{given}.* has no sheets, .*: sheet 'Q2' has no effect"):
            read_corpus(tmp_path / given, sheet="Q2")


def workbook(path, **sheets):
    """Write sheets of rows as .ods or .xlsx; returns where."""
    if path.suffix == ".ods":
        odf = pytest.importorskip("odf.opendocument", reason="needs odfpy")
        from odf import table, text

        made = odf.OpenDocumentSpreadsheet()
        for name, rows in sheets.items():
            made.spreadsheet.addElement(sheet := table.Table(name=name))
            for row in rows:
                sheet.addElement(line := table.TableRow())
                for value in row:
                    line.addElement(cell := table.TableCell())
                    cell.addElement(text.P(text=value))
        made.save(path)
        return path
    made = pytest.importorskip("openpyxl", reason="needs the extra io").Workbook()
    made.remove(made.active)
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
    made.save(path)
    return path


@pytest.mark.parametrize("suffix", [".xlsx", ".xlsm", ".ods"])
def test_a_sheet_is_named_and_then_the_others_are_not_told_of(tmp_path, suffix, recwarn):
    rows = [[["id", "text"], ["q1", "Tea"]], [["id", "text"], ["q2", "Milk"], ["q3", "Jam"]], [["nothing"]]]
    path = workbook(tmp_path / f"a{suffix}", **dict(zip(("Q1", "Q2", "End"), rows, strict=True)))
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
    path = workbook(tmp_path / f"a{suffix}", **months)
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
    path = workbook(tmp_path / f"a{suffix}", Cover=cover, Answers=answers)
    assert read_corpus(path).texts == ["Tea", "Milk"]
    with pytest.raises(CorpusError, match="field 'comment'"):
        read_corpus(path, text="comment")
    two_heads = [["Q1", "Q2"], ["id", "answer"], ["a", "Tea"]]  # of a survey: codes, and below them the questions
    assert read_corpus(workbook(tmp_path / f"b{suffix}", Data=two_heads), text="answer").texts == ["Tea"]


@pytest.mark.parametrize("suffix", [".xlsx", ".ods"])
@pytest.mark.filterwarnings("ignore::outgroup.errors.OutgroupWarning")
def test_a_cover_with_a_cell_that_is_named_like_the_text_is_no_table(tmp_path, suffix):
    cover, answers = [["Survey"], ["Text"]], [["id", "Text"], ["1", "Tea"], ["2", "Milk"]]
    assert read_corpus(workbook(tmp_path / f"a{suffix}", Cover=cover, Answers=answers)).texts == ["Tea", "Milk"]


def _two_tables():
    opendocument, table, text = (pytest.importorskip(f"odf.{name}") for name in ("opendocument", "table", "text"))
    book = opendocument.OpenDocumentSpreadsheet()
    for name, rows in (("Sheet", [["Export"]]), ("Tickets", [["id", "answer"], ["1", "Tea"], ["2", "Milk"]])):
        sheet = table.Table(name=name)
        for row in rows:
            line = table.TableRow()
            for value in row:
                cell = table.TableCell()
                cell.addElement(text.P(text=value))
                line.addElement(cell)
            sheet.addElement(line)
        book.spreadsheet.addElement(sheet)
    raw = io.BytesIO()
    book.save(raw)
    return raw.getvalue()


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"text": "beschreibung"}, "text='Beschreibung \\(long\\)'$"),
        ({"text": "Beschreibng (lang)"}, "text='Beschreibung \\(long\\)'$"),
        ({"text": "Agent", "id": "ticket"}, "no field 'ticket' for the id; .*; did you mean 'Ticket #'?"),
        ({"text": "Agent", "label": "topic"}, "no field 'topic' for the label; .* 'Agent'; '' means no label$"),
    ],
)
def test_a_field_that_is_not_there_names_the_one_that_may_be_meant(tmp_path, asked, said):
    path = write(tmp_path / "a.csv", "Ticket #,Beschreibung (long),Agent\nT1,Tea,Ann\n")
    with pytest.raises(CorpusError, match=said):
        read_corpus(path, **asked)


@pytest.mark.parametrize(("make", "suffix"), SHEETS)
def test_a_title_may_stand_above_the_names_of_the_columns(tmp_path, make, suffix):
    rows = [["Survey, 2024"], [None], ["id", "answer"], [1, "Tea"], *([i, f"cup {i}"] for i in range(2, 40))]
    path = write(tmp_path / f"a{suffix}", make(rows))
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
        return write(path, sheet_of("<o/>"))
    with zipfile.ZipFile(io.BytesIO(excel([["text"], ["Tea"]]))) as whole, zipfile.ZipFile(path, "w") as made:
        for name in whole.namelist():
            if "worksheets" not in name:
                made.writestr(name, whole.read(name))
    return path


@pytest.mark.parametrize("sheet", ["", "Q1"])
@pytest.mark.parametrize("suffix", [".xlsx", ".ods"])
def test_a_spreadsheet_without_sheets_is_an_error(tmp_path, suffix, sheet):
    with pytest.raises(CorpusError, match=f"a{suffix}: the spreadsheet contains no worksheet"):
        read_corpus(without_sheets(tmp_path / f"a{suffix}"), sheet=sheet)


def sheet_of(content):
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr("content.xml", content)
    return raw.getvalue()


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
    corpus = read_corpus(write(tmp_path / "a.ods", sheet_of(HEAD + rows + "</t:table></o:c>")))
    assert (corpus.ids, corpus.texts) == (["2", "3"], ["Tea and\tmilk"] * 2)
    bomb = rows.replace('repeated="2"', 'repeated="999999999"')
    with pytest.raises(CorpusError, match="more than 200 times"):
        read_corpus(write(tmp_path / "b.ods", sheet_of(HEAD + bomb + "</t:table></o:c>")))


def test_entities_that_would_grow_are_refused(tmp_path):
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]><x>&b;</x>'
    with pytest.raises(CorpusError, match="document type"):
        read_corpus(write(tmp_path / "a.ods", sheet_of(bomb)))


def test_a_sheet_that_unpacks_without_end_is_not_unpacked(tmp_path):
    with pytest.raises(CorpusError, match="more than 150 times"):
        read_corpus(write(tmp_path / "a.ods", sheet_of(" " * 20_000_000)))


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
        lambda: excel([list(ROWS[0]), *(list(row.values()) for row in ROWS)]),
        lambda: calc([list(ROWS[0]), *(list(row.values()) for row in ROWS)]),
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


def test_a_log_that_is_piped_in_is_no_json(monkeypatch):
    with pytest.warns(OutgroupWarning, match="standard input is read"):
        corpus = piped(monkeypatch, b"[worker-3] disk full\n[2025-03-01] disk empty\n")
    assert corpus.texts == ["[worker-3] disk full\n", "[2025-03-01] disk empty\n"]


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
    with (
        pytest.warns(OutgroupWarning, match="HTML was found in 1 of 3"),
        pytest.warns(match="decoded in 1 of 3"),
    ):
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
