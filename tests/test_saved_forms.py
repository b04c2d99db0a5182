"""Files that version 0.1 wrote are read by today's code: `tests/fixtures/forms-0.1` stays as it is.

A new saved form gets a folder of its own beside it, written by the version that introduces it.
"""

import csv
import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from commands import outgroup

from outgroup import DocumentClustering
from outgroup.codebook import Codebook
from outgroup.decisions import Label, Rename, read_decisions
from outgroup.session import Session

FORMS = Path(__file__).parent / "fixtures" / "forms-0.1"
GROUPS = [2] * 4 + [1] * 4 + [0] * 4  # bread, trains, roses


@pytest.fixture
def forms(tmp_path, monkeypatch):
    """A copy of the files, as the folder where one stands."""
    shutil.copytree(FORMS, tmp_path / "forms")
    monkeypatch.chdir(tmp_path / "forms")


def texts():
    return [json.loads(line)["text"] for line in (FORMS / "documents.jsonl").read_text(encoding="utf-8").splitlines()]


def assigned(path):
    with open(path, encoding="utf-8") as file:
        return [int(row["cluster"]) for row in csv.DictReader(file)]


def test_a_model_assigns_the_same_groups():
    model = DocumentClustering.load(FORMS / "result" / "model")
    assert model.predict(texts()).tolist() == GROUPS
    assert model.explain("rye bread").group == 2


def test_a_result_assigns_and_continues(forms):
    outgroup("assign", "result", "documents.jsonl", "--out", "assigned.csv")
    assert assigned("assigned.csv") == GROUPS
    outgroup("cluster", "documents.jsonl", "--from", "result", "--out", "next")
    assert assigned("next/assignments.csv") == GROUPS


def test_a_history_of_nights_goes_on(forms):
    outgroup("watch", "result", "documents.jsonl", "--history", "history.jsonl")
    nights = [json.loads(line) for line in Path("history.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(each["night"], each["documents"]) for each in nights] == [(1, 6), (2, 12)]


def test_a_codebook_keeps_its_codes():
    codes = Codebook.read(FORMS / "result" / "codebook.csv").codes
    assert [(code.number, code.name) for code in codes] == [
        (0, "hedge, roses, spade"),
        (1, "station, tickets, town"),
        (2, "bread, oven, flour"),
    ]


def test_a_file_of_decisions_keeps_every_kind():
    kinds = [type(each).__name__ for each in read_decisions(FORMS / "steering.toml")]
    assert kinds == [
        *("Label", "Label", "Label", "Word", "Word", "Rename", "Merge", "Split", "NewGroup", "NotAGroup", "Lock"),
        *("Regroup", "Undo"),
    ]


def test_a_project_opens_with_its_decisions(tmp_path):
    with closing(sqlite3.connect(tmp_path / "work.outgroup")) as connection:
        connection.executescript((FORMS / "project.sql").read_text(encoding="utf-8"))
    with Session.open(tmp_path / "work.outgroup") as session:
        assert session.version.labels.tolist() == [*GROUPS[:-1], -1]
        assert session.version.names[2] == "bakery"
        assert list(session.version.decisions) == [Rename(2, "bakery"), Label("roses-3", ())]
