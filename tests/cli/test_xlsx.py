"""The table of documents as a workbook: texts stay texts, scores are numbers, and what does not fit is said."""

import io
import os
import sys
import tempfile
import zipfile
from collections import Counter
from pathlib import Path

import openpyxl
import pytest
from commands import loaded, outgroup

from outgroup.cli import xlsx
from outgroup.cli.assignments import COLUMNS, CsvTable
from outgroup.errors import InputError
from outgroup.storage.folders import PARTS

TEXTS = ["bread and butter", "butter on warm bread", "warm bread again", "the train to town", "a town with a train"]


@pytest.fixture(autouse=True)
def made(here):
    rows = [f'00{number},"{text}",0{number}' for number, text in enumerate(TEXTS)]
    Path("a.csv").write_text("\n".join(["id,text,zip", *rows, "005,,05", '006,"=bread and butter",-6', ""]))


def cells(path):
    book = openpyxl.load_workbook(path)
    return [[cell.value for cell in row] for row in book.active.iter_rows()], book.active


def row(identity, title="", group="0", name="", other=()):
    return (identity, title, group, "7", name, "1", "0.5", "-1e-05", "no", "", "", *other)


def written(*rows, header=COLUMNS):
    file = io.BytesIO()
    groups = xlsx.write(CsvTable(header, iter(rows)), file, Path())
    assert not [name for name in os.listdir() if name.startswith(PARTS)]
    return cells(file)[0], groups, file


def test_a_result_has_a_workbook_where_that_is_asked_for_and_later_runs_keep_it():
    outgroup("cluster", "a.csv", "-k", 2, "--table", "xlsx", "--with-text", "--out", "a")
    assert sorted(os.listdir("a"))[0] == "assignments.xlsx"
    found, sheet = cells("a/assignments.xlsx")
    assert found[0] == [*COLUMNS, "snippet", "zip", "text"]
    assert [row[0] for row in found[1:]] == [f"00{number}" for number in range(7)]
    assert [row[-2] for row in found[1:]] == ["00", "01", "02", "03", "04", "05", "-6"]
    assert [row[-1] for row in found[1:]] == [*TEXTS, None, "=bread and butter"]
    assert all(isinstance(row[2], int) and isinstance(row[6], float) for row in (found[1], found[7]))
    assert (found[6][2], found[6][10]) == (None, "no text")
    assert all(cell.data_type != "f" for each in sheet.iter_rows() for cell in each)
    assert (sheet.freeze_panes, sheet.auto_filter.ref) == ("A2", "A1:N8")
    sheet = openpyxl.load_workbook("a/assignments.xlsx")["groups"]
    header, *rows = sheet.iter_rows(values_only=True)
    assert header == ("cluster", "code", "name", "description", "documents", "trust", "words", "typical documents")
    groups = loaded("a/clusters.json")
    assert [list(row[:5]) for row in rows] == [
        [each.get(name) for name in ("cluster", "code", "name", "description", "size")] for each in groups
    ]
    outgroup("cluster", "a.csv", "--from", "a", "--out", "b")
    assert "assignments.xlsx" in os.listdir("b")
    outgroup("cluster", "a.csv", "-k", 2, "--table", "xlsx", "--with-text", "--out", "b", "--force")
    assert Path("a/assignments.xlsx").read_bytes() == Path("b/assignments.xlsx").read_bytes()
    outgroup("cluster", "a.csv", "-k", 2, "--quick", "--out", "b", "--force")
    assert "assignments.xlsx" not in os.listdir("b")


def test_new_documents_go_into_a_workbook_by_its_name_and_only_such_a_one_is_replaced():
    outgroup("cluster", "a.csv", "-k", 2, "--quick", "--table", "xlsx", "--out", "a")
    said = outgroup("assign", "a", "a.csv", "--out", "new.xlsx").stdout
    assert "6 documents in 2" in said
    assert [row[:-1] for row in cells("new.xlsx")[0]] == [row[:11] + row[12:] for row in cells("a/assignments.xlsx")[0]]
    outgroup("assign", "a", "a.csv", "--out", "new.xlsx", "--force")
    openpyxl.load_workbook("new.xlsx").save("new.xlsx")
    said = outgroup("assign", "a", "a.csv", "--out", "new.xlsx", "--force", code=2).stderr
    assert "made by outgroup" in said
    with zipfile.ZipFile("like.xlsx", "w") as other:
        with zipfile.ZipFile("a/assignments.xlsx") as ours:
            about = ours.read("docProps/core.xml")
        other.writestr("docProps/core.xml", about.replace(b"Outgroup", b"Somebody"))
    assert not xlsx.written_here(Path("like.xlsx"))
    Path("no.xlsx").write_text("id\n")
    assert "was not made by" in outgroup("assign", "a", "a.csv", "--out", "no.xlsx", "--force", code=2).stderr


def test_cells_hold_what_was_said_and_no_signs_that_a_workbook_cannot_have():
    hostile = ["=1+1", "+1", "-1", "@x", "a<&>\"'", "a\x00\x0b\ud800b", "  two  ", "two\nlines", "\uff1d1"]
    found, groups, _ = written(
        *(row("0", title, "off-topic", other=("5",)) for title in hostile), header=(*COLUMNS, "n")
    )
    clean = [title.replace("\x00", "�").replace("\x0b", "�").replace("\ud800", "�") for title in hostile]
    assert [each[1] for each in found[1:]] == clean
    assert {tuple(each[2:4] + each[5:9] + each[11:]) for each in found[1:]} == {
        ("off-topic", 7, 1, 0.5, -1e-05, "no", "5")
    }
    assert groups == Counter({"off-topic": len(hostile)})


def test_more_documents_than_a_sheet_has_rows_are_refused_before_the_work(monkeypatch):
    xlsx.check_rows(1_048_575)
    with pytest.raises(InputError, match=r"1,048,576 documents exceed the 1,048,575 rows .* --table csv"):
        xlsx.check_rows(1_048_576)
    outgroup("cluster", "a.csv", "-k", 2, "--out", "a")
    monkeypatch.setattr(xlsx, "MOST_ROWS", 6)
    monkeypatch.setattr("outgroup.cli.documents.new_session", None)
    monkeypatch.setattr("outgroup.cli.assign.judge_new", None)
    said = outgroup("cluster", "a.csv", "-k", 2, "--table", "xlsx", "--out", "b", code=2).stderr
    assert "7 documents exceed" in said
    assert "7 documents exceed" in outgroup("assign", "a", "a.csv", "--out", "b.xlsx", code=2).stderr
    assert sorted(os.listdir()) == ["a", "a.csv"]


def test_without_the_extra_that_is_said_before_the_work(monkeypatch):
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    said = outgroup("cluster", "a.csv", "-k", 2, "--table", "xlsx", "--out", "b", code=2).stderr
    assert "pip install '.[io]'" in said
    assert sorted(os.listdir()) == ["a.csv"]


class Failing:
    """Rows of which the second one fails, after somebody looked where the first one is."""

    def __init__(self, error):
        self.error, self.seen = error, []

    def __iter__(self):
        yield row("0", "bread")
        self.seen += os.listdir()
        raise self.error


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_no_text_lies_elsewhere_than_beside_the_workbook_and_none_is_left_after_a_failure(monkeypatch, tmp_path, error):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(elsewhere))
    rows = Failing(error)
    with pytest.raises(type(error)):
        xlsx.write(CsvTable(COLUMNS, rows), io.BytesIO(), Path())
    assert any(name.startswith(PARTS) for name in rows.seen)
    assert not any(name.startswith(PARTS) for name in os.listdir())
    assert not os.listdir(elsewhere)
    assert written(row("0", "bread"))[0][1][1] == "bread"
