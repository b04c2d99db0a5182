"""Assignments: a row for each document, cells that no spreadsheet runs, and a file that is known again."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outgroup.cli.assignments import assignments, write, written_here
from outgroup.readers.documents import Corpus, Skip
from outgroup.session.version import Verdicts
from outgroup.summary.clean import harmless

SCORES = np.array([[2.0, 0.5, 1.0], [0.0, 1.25, -3.0], [np.nan] * 3, [-1.0, -2.0, -0.5]])


def corpus(ids=("a", "b", "c", "d"), **more):
    return Corpus(list(ids), ["text"] * len(ids), ["T"] * len(ids), **more)


def verdicts(scores=SCORES, off_topic=(False, True, False, True), aside=False):
    said = None if off_topic is None else np.array(off_topic)
    score = np.array([-1.5, 0.25, np.nan, 3.0])[: len(scores)]
    out = said if aside is True else np.array(aside) if aside else None
    return Verdicts(scores, score, said, ["", "spam", "", "more spam"][: len(scores)], out)


def rows(*given, **more):
    table = assignments(*given, **more)
    return [dict(zip(table.header, row, strict=True)) for row in table.rows]


def test_what_was_skipped_stands_in_its_place_and_what_was_no_document_last():
    skipped = [Skip("line 2", "no text", 1, {"year": "9"}), Skip("closed", "permission denied", None)]
    columns = {"year": list("1234"), "id": list("wxyz")}
    found = rows(corpus(rows=[0, 2, 3, 4], skipped=skipped, columns=columns), verdicts(), "no word")
    assert [row["id"] for row in found] == ["a", "line 2", "b", "c", "d", "closed"]
    assert [row["skipped"] for row in found] == ["", "no text", "", "no word", "", "permission denied"]
    assert [row["year"] for row in found] == ["1", "9", "2", "3", "4", ""]
    assert [row["id (input)"] for row in found] == ["w", "", "x", "y", "z", ""]


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"])
def test_no_cell_of_a_shielded_table_begins_as_a_formula(sign):
    assert harmless(sign + "1+1") == "'" + sign + "1+1"
    assert harmless("1" + sign) == "1" + sign
    columns = {sign + "col": ["-5.3", "-5,3 %", sign + "x", "1e9"]}
    found = corpus([sign + "cmd", "b", "c", "d"], columns=columns)
    file, plain = io.StringIO(), io.StringIO()
    write(assignments(found, verdicts(), "w"), file, shield=True)
    write(assignments(found, verdicts(), "w"), plain)
    cells = list(csv.reader(io.StringIO(plain.getvalue(), newline="")))
    assert (cells[0][-1], cells[1][0], cells[3][-1]) == (sign + "col", sign + "cmd", sign + "x")
    assert f"'{sign}cmd" in file.getvalue()
    assert f"'{sign}col" in file.getvalue()
    assert f"'{sign}x" in file.getvalue()
    assert ",-5.3\n" in file.getvalue()
    assert ",1e9\n" in file.getvalue()
    assert ',"\'-5,3 %"\n' in file.getvalue()


TEXT = st.text(st.characters(codec="utf-8"), max_size=6)


FOUR = st.lists(TEXT, min_size=4, max_size=4, unique=True)


@given(ids=FOUR, column=FOUR, name=TEXT, aside=st.booleans())
def test_what_was_written_is_known_again_and_nothing_else(tmp_path_factory, ids, column, name, aside):
    path = tmp_path_factory.getbasetemp() / "assigned.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        write(assignments(corpus(ids, columns={name: column}), verdicts(aside=aside), "no word"), file)
    assert written_here(path)
    whole = path.read_bytes()
    for wrong in (b"", b"\xff", b"\xef\xbb\xbf" + whole, whole + b"\n", whole + b"a note\n", whole[:-3], whole[3:]):
        path.write_bytes(wrong)
        assert not written_here(path)
    path.write_bytes(whole.replace(b"\n", b"\r\n"))
    assert not written_here(path)
