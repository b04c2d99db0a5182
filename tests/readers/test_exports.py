"""Exports of survey, chat and office programs: tables in text files, further header rows, texts in pieces."""

import json
from datetime import date

import pytest
from factories import ods, write

from outgroup.errors import CorpusError, OutgroupWarning
from outgroup.readers.corpus import read_corpus
from outgroup.readers.dates import dates
from outgroup.readers.fields import unfit

TABLE = "No\tSaid\n1\tTea is hot\n2\tMilk is cold\n"


def test_a_table_in_a_text_file_is_a_table(tmp_path):
    path = write(tmp_path / "saved.txt", TABLE)
    corpus = read_corpus(path, text="Said", id="No")
    assert (corpus.ids, corpus.texts) == (["1", "2"], ["Tea is hot", "Milk is cold"])
    for asked in ({}, {"text": "Asked"}):
        with pytest.raises(CorpusError, match="'No', 'Said'"):
            read_corpus(path, **asked)
    titled = write(tmp_path / "titled.txt", "Answers of May\n\nno;said\n1;tea\n")
    with pytest.warns(OutgroupWarning, match="header"):
        assert read_corpus(titled, text="said").texts == ["tea"]
    assert read_corpus(write(tmp_path / "a.log", '{"text": "tea", "id": "x"}\n')).ids == ["x"]


@pytest.mark.parametrize(
    "first",
    ['["a" is quoted', '{"a": 1} is what the log says', "@bob{ hi", "Tea\nTY - thank you all", "<html> tag breaks <b>"],
)
def test_lines_that_begin_as_another_format_are_lines(tmp_path, first):
    raw = f"{first}\nMilk\n"
    with pytest.warns(OutgroupWarning, match="each line"):
        assert read_corpus(write(tmp_path / "a.txt", raw)).texts == raw.splitlines(keepends=True)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_records_in_a_text_file_are_known_by_their_beginning(tmp_path, end):
    rows = [{"text": f"tea \u00e9{number}", "n": [-1.5e10, True, None]} for number in range(3_000)]
    for raw in (end.join(map(json.dumps, rows)), json.dumps(rows, indent=1).replace("\n", end)):
        assert len(read_corpus(write(tmp_path / "a.txt", raw))) == len(rows)


@pytest.mark.parametrize("asked", [{"text": "Said"}, {"id": "No"}, {"title": "No"}])
def test_names_of_fields_for_lines_are_an_error(tmp_path, asked):
    path = write(tmp_path / "lines.txt", "{tea} and milk; a text\nFrom here to there\tit is far\n")
    with pytest.raises(CorpusError, match=f"leave out --{next(iter(asked))}"):
        read_corpus(path, **asked)
    with pytest.warns(OutgroupWarning, match="each line"):
        assert len(read_corpus(path)) == 2


@pytest.mark.parametrize("kind", [".csv", ".xlsx"])
@pytest.mark.parametrize(
    "above",
    [
        [["The id", "What?"], ['{"ImportId":"_id"}', '{"ImportId":"Q1"}']],
        [["The id", "What?"], ["{'ImportId': '_id'}", "{'ImportId': 'Q1'}"]],
        [["", "Open-Ended Response"]],
    ],
)
def test_rows_that_describe_the_questions_are_skipped(tmp_path, kind, above):
    ids = ["1180000001", "1180000002"]
    rows = [["id", "text"], *above, [ids[0], "tea"], [ids[1], "milk"]]
    path = tmp_path / f"survey{kind}"
    if kind == ".csv":
        cells = ('"' + cell.replace('"', '""') + '"' for row in rows for cell in row)
        write(path, "".join(f"{one},{next(cells)}\n" for one in cells))
    else:
        _workbook(path, rows)
    with pytest.warns(OutgroupWarning, match=f"{len(above)} row"):
        assert read_corpus(path).ids == ids


def test_a_first_answer_without_an_id_stays(tmp_path):
    path = write(tmp_path / "a.csv", "id,text\n,tea\n20240531,milk\n")
    assert read_corpus(path).texts == ["tea", "milk"]


@pytest.mark.parametrize("form", ["{}, {} - {}", "[{}, {}] {}", "\u200e[{}, {}] {}"])
@pytest.mark.parametrize(
    ("day", "time"), [("31/05/2024", "21:05"), ("5/31/24", "9:05 PM"), ("31.05.24", "21:05:07"), ("31/05/24", "21:05")]
)
def test_a_chat_in_a_text_file_has_a_document_a_message(tmp_path, form, day, time):
    said = ["Messages are encrypted", "Ann: Tea: hot\nor cold", "Bo: Milk", "Bo: <Media omitted>"]
    corpus = read_corpus(write(tmp_path / "chat.txt", "\n".join(form.format(day, time, each) for each in said)))
    assert [text.strip() for text in corpus.texts] == ["Tea: hot\nor cold", "Milk"]
    assert (corpus.ids, corpus.columns["from"]) == (["2", "4"], ["Ann", "Bo"])
    assert dates(corpus.columns["date"], years=True) == [date(2024, 5, 31)] * 2
    assert [skip.where for skip in corpus.skipped] == ["line 1", "line 5"]


@pytest.mark.parametrize(
    "stamp", ["[2024/03/01 9:05:12] ", "2024/03/01 09:05 - ", "[01/03/2024 09:05:12] ", "[1/3/24, 9:05:12 a. m.] "]
)
def test_chats_of_other_countries_are_read(tmp_path, stamp):
    path = write(tmp_path / "a.txt", f"{stamp}Messages are encrypted\n{stamp}Ann: tea\n{stamp}BO: milk\n")
    assert read_corpus(path).columns["from"] == ["Ann", "BO"]


@pytest.mark.filterwarnings("ignore:each line")
@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("a.txt", "[2024/03/01 09:05:12] ERROR: disk full"),
        ("a.txt", "[2024/03/01 09:05:12] app - WARNING - retry: disk full"),
        ("a.txt", "12/12/2010 11:46:36 - app - INFO - ok"),
        ("a.txt", "12/12/2010 11:46:36 - worker: disk full"),
        ("a.txt", "[01/03/2024 09:05:12] started\n[01/03/2024 09:05:12] up\n[01/03/2024 09:05:12] mode: fast"),
        ("a.log", "[01/03/2024, 09:05:12] worker: disk full"),
    ],
)
def test_a_log_is_no_chat(tmp_path, name, line):
    lines = [*line.splitlines()] * 3
    corpus = read_corpus(write(tmp_path / name, "\n".join(lines)))
    assert [text.strip() for text in corpus.texts] == lines


def test_a_column_of_json_is_named_by_its_fields(tmp_path):
    path = write(tmp_path / "a.csv", 'id,said\na,"{""body"": ""tea"", ""n"": 1}"\nb,{milk}\n')
    corpus = read_corpus(path, text="said")
    assert (corpus.texts, corpus.skipped[0].reason) == (["{milk}"], unfit("said", {"body": "tea"}))
    assert read_corpus(path, text="said.body").texts == ["tea"]


def test_a_text_in_pieces_is_one_text(tmp_path):
    texts = [["tea ", {"type": "bold", "text": "is"}, " hot"], ["Tea.", "It is hot."], [{"text": "tea"}], []]
    path = write(tmp_path / "a.json", json.dumps([{"text": text} for text in texts]))
    corpus = read_corpus(path)
    assert corpus.texts == ["tea is hot", "Tea.\nIt is hot.", "tea"]
    assert [skip.reason for skip in corpus.skipped] == ["no text"]


@pytest.mark.filterwarnings("ignore:.*other sheets")
def test_hidden_rows_of_a_spreadsheet_are_read_with_a_note(tmp_path):
    _workbook(tmp_path / "a.xlsx", [["text"], ["tea"], ["milk"], ["#REF!"]], hidden=(3, 9))
    with pytest.warns(OutgroupWarning, match=": 1 hidden row "):
        corpus = read_corpus(tmp_path / "a.xlsx")
    assert (corpus.texts, corpus.skipped[0].where) == (["tea", "milk"], "row 4")


@pytest.mark.filterwarnings("ignore:.*other sheets")
def test_hidden_rows_are_counted_as_they_are_read(tmp_path):
    row = "<t:table-row{}><t:table-cell><x:p>{}</x:p></t:table-cell></t:table-row>"
    hidden = ' t:visibility="filter" t:number-rows-repeated="2"'
    empty = f"<t:table-row{hidden}><t:table-cell/></t:table-row>"
    other = f'</t:table><t:table t:name="B">{row.format(hidden, "milk")}'
    path = write(tmp_path / "a.ods", ods(row.format("", "text") + row.format(hidden, "tea") + empty + other))
    with pytest.warns(OutgroupWarning, match=": 2 hidden rows "):
        assert read_corpus(path).texts == ["tea", "tea"]


def test_a_hidden_sheet_is_read_with_a_note(tmp_path):
    book = pytest.importorskip("openpyxl").Workbook()
    for sheet, text in ((book.active, "tea"), (book.create_sheet("old"), "milk")):
        sheet.append(["text"])
        sheet.append([text])
    book["old"].sheet_state = "veryHidden"
    book.save(tmp_path / "a.xlsx")
    style = '<s:style s:name="no"><s:table-properties t:display="false"/></s:style>'
    row = "<t:table-row><t:table-cell><x:p>{}</x:p></t:table-cell></t:table-row>"
    rows = row.format("text") + row.format("{}")
    content = f'{rows.format("tea")}</t:table>{style}<t:table t:name="old" t:style-name="no">{rows.format("milk")}'
    write(tmp_path / "b.ods", ods(content))
    for name in ("a.xlsx", "b.ods"):
        with pytest.warns(OutgroupWarning) as notes:
            assert read_corpus(tmp_path / name).texts == ["tea", "milk"]
        assert any(": 2 hidden rows " in str(note.message) for note in notes)


def _workbook(path, rows, hidden=()):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for number in hidden:
        book.active.row_dimensions[number].hidden = True
    book.save(path)
