"""`-k auto`, ranges, and `--quick`: what is chosen, what is written of it, and what cannot be."""

import json

import pytest
from commands import outgroup
from factories import TOPICS

from outgroup.cli import memory
from outgroup.readers.inputs import Extent


@pytest.fixture(autouse=True)
def docs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [json.dumps({"id": f"d{i}", "text": text}) + "\n" for i, text in enumerate(TOPICS)]
    (tmp_path / "docs.jsonl").write_text("".join(rows))


def cluster(*words, code=0):
    return outgroup("cluster", "docs.jsonl", *words, code=code).output


def run():
    with open("docs-clusters/run.json", encoding="utf-8") as file:
        return json.load(file)


def test_a_range_chooses_a_number_which_the_record_says():
    said = cluster("-k", "2-5")
    found = run()
    assert found["parameters"]["k"] == found["profile"]["chosen"]
    assert f"-k {found['profile']['chosen']}" in found["command"]
    assert "3 groups were chosen" in " ".join(said.split())
    assert "of the documents are distinct" in " ".join(said.split())  # by their known words
    assert {each["word"] for each in found["trust"]["groups"]} <= {"tight", "loose", "mixed", "leftovers"}


def test_a_file_may_ask_for_it_and_quick_leaves_trust_out(tmp_path):
    (tmp_path / "job.toml").write_text('k = "auto"\nquick = true\n')
    said = cluster("--config", "job.toml")
    assert (run()["trust"], run()["profile"]["chosen"] >= 2) == (None, True)
    assert "Starts" in said


@pytest.mark.parametrize("wrong", ["5-2", "0", "many", "2-500"])
def test_what_cannot_be_is_said_and_nothing_is_written(tmp_path, wrong):
    said = " ".join(cluster("-k", wrong, code=2).split())
    assert "Traceback" not in said
    assert not (tmp_path / "docs-clusters").exists()


def test_a_number_is_chosen_in_files_as_in_memory(tmp_path, monkeypatch):
    said = {"memory": cluster("-k", "2-4", "--memory", "2G")}
    found = {"memory": run()}
    monkeypatch.setattr(memory, "_at_once", lambda settings: None)
    said["files"] = cluster("-k", "2-4", "--memory", "2G", "--table", "csv", "--force")
    found["files"] = run()
    assert "files" in found["files"]
    for name in ("chosen", "candidates", "rows"):  # halves are drawn from rows in another order
        assert found["files"]["profile"][name] == found["memory"]["profile"][name]
    assert found["files"]["parameters"]["k"] == found["files"]["profile"]["chosen"]
    assert "groups were chosen" in " ".join(said["files"].split())


def test_memory_must_hold_the_most_groups_that_are_tried(monkeypatch):
    monkeypatch.setattr(memory, "extent", lambda *_: Extent(10**6, 10**9))
    said = " ".join(cluster("-k", "auto", "--memory", "1G", code=2).split())
    assert "these documents need 1.66G" in said
    said = " ".join(cluster("-k", "2-100", "--memory", "1G", code=2).split())
    assert "these documents need 1.34G" in said
