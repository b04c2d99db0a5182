"""`-k auto`, ranges, and `--quick`: what is chosen, what is written of it, and what cannot be."""

import json
from pathlib import Path

import pytest
from commands import outgroup, table
from factories import TOPICS


@pytest.fixture(autouse=True)
def docs(here):
    rows = [json.dumps({"id": f"d{i}", "text": text}) + "\n" for i, text in enumerate(TOPICS)]
    Path("docs.jsonl").write_text("".join(rows))


def cluster(*words, code=0):
    return outgroup("cluster", "docs.jsonl", *words, code=code).output


def run():
    with open("docs-clusters/run.json", encoding="utf-8") as file:
        return json.load(file)


def test_a_range_chooses_a_number_and_the_other_candidates_are_levels():
    said = " ".join(cluster("-k", "2-5").split())
    found, rows = run(), table("docs-clusters/assignments.csv")
    profile = found["profile"]
    assert found["parameters"]["k"] == profile["chosen"]
    assert f"-k {profile['chosen']}" in found["command"]
    assert "3 groups were chosen" in said
    assert "of the documents are distinct" in said  # by their known words
    assert {each["word"] for each in found["trust"]["groups"]} <= {"tight", "loose", "mixed", "leftovers"}
    assert all(f"{k} groups" in said for k in profile["candidates"])
    others = [k for k in profile["candidates"] if k != profile["chosen"]]
    for place, k in enumerate(others, start=1):
        levels = {(row["cluster"], row[f"level_{place}"]) for row in rows if row["cluster"]}
        assert len({level for _, level in levels}) == k
        assert len(levels) == max(k, profile["chosen"])  # nested
    cluster("-k", "2-5", "--levels", "2", "--quick", "--force")
    assert "level_2" not in table("docs-clusters/assignments.csv")[0]


@pytest.mark.parametrize("wrong", ["5-2", "0", "many", "2-500"])
def test_what_cannot_be_is_said_and_nothing_is_written(wrong):
    said = " ".join(cluster("-k", wrong, code=2).split())
    assert "Traceback" not in said
    assert not Path("docs-clusters").exists()
