"""`-k` of a range, `--levels`, `--multi` and `--namer`: columns of the table, and names by a chat model."""

import csv
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from commands import loaded, outgroup, printed, records, table
from endpoints import said, serving
from factories import TOPICS

from outgroup.decisions import Label, to_toml

BOUGHT = ("milk", "ham", "jam", "pie", "nut")


@pytest.fixture(autouse=True)
def documents(here):
    records("docs.jsonl", [*TOPICS, "..."], level_1=lambda i: f"{i % 2} own")


def cluster(*words, k=3, code=0):
    return outgroup("cluster", "docs.jsonl", "-k", k, "--quick", "--out", "out", *words, code=code)


def rows():
    return table("out/assignments.csv")


@pytest.fixture
def endpoint():
    with serving((200, said("=Fine\nname"))) as server:
        yield server


def address(server):
    return f"http://127.0.0.1:{server.server_port}/v1#small"


def test_levels_are_nested_and_named():
    cluster("--levels", "3,2,1")
    table = [row for row in rows() if row["cluster"]]
    assert all(row["level_1"] == row["cluster"] and row["level_1_name"] == row["name"] for row in table)
    parents = defaultdict(set)
    for row in table:
        parents[row["level_2"], row["level_2_name"]].add(row["cluster"])
    assert sorted(map(len, parents.values())) == [1, 2]
    assert all(name for _, name in parents)
    single = next(pair for pair, groups in parents.items() if len(groups) == 1)
    assert single[1] == next(row["name"] for row in table if row["cluster"] == single[0])
    assert {row["level_3"] for row in table} == {"0"}


def test_all_groups_of_a_document_are_columns():
    records("docs.jsonl", [*TOPICS, "bread oven bread oven. train rail train rail.", "..."])
    cluster("--multi", "0.3")
    *table, both, nothing = rows()
    numbers = {row["cluster"] for row in table}
    for row in [*table, both]:
        held = row["groups"].split("; ")
        assert row["cluster"] in held
        assert {number for number in numbers if row[f"group_{number}"] == "1"} == set(held)
        assert {row[f"group_{number}"] for number in numbers} <= {"0", "1"}
    assert len(both["groups"].split("; ")) == 2
    assert nothing["groups"] == nothing["probabilities"] == nothing["group_0"] == ""
    assert {each.split(": ")[0] for each in both["probabilities"].split("; ")} <= numbers


def test_documents_with_several_labels_count_in_each_group_and_measure_further_groups():
    tea, train = (
        [f"{a} {b} {noun}" for a in ("red", "new", "old", "hot") for b in BOUGHT] for noun in ("tea", "train")
    )
    both = [f"{a} {b}" for a, b in zip(tea, reversed(train), strict=True)]
    records("both.jsonl", [*tea, *train, *both], wave=lambda i: "ab"[i % 2], w=lambda _: 2)
    labels = [(["d0"], ["tea"]), (["d20"], ["train"]), ([f"d{i}" for i in range(40, 60)], ["tea", "train"])]
    Path("labels.toml").write_text(to_toml(Label(ids, groups) for ids, groups in labels))
    options = ("--steer", "labels.toml", "--by", "wave", "--weight", "w", "--multi", "0.5", "--encoder", "none")
    told = printed("cluster", "both.jsonl", "-k", 2, "--quick", "--out", "out", *options)
    table, record = rows(), loaded("out/run.json")
    assert {tuple(sorted(row["groups"].split("; "))) for row in table[40:]} == {("0", "1")}
    assert table[0]["groups"] != table[20]["groups"]
    held = sum(len(row["groups"].split("; ")) for row in table)
    assert np.sum(record["by"]["counts"]) == 2 * held > 2 * len(table)
    assert all(group["weight"] == 2 * group["size"] for group in loaded("out/clusters.json"))
    found = record["several"]
    assert (found["least"], found["documents"]) == (0.5, 20)
    assert 0.5 < found["recall"] <= 1
    assert f"{100 * found['recall']:.0f} % are found" in told


@pytest.mark.parametrize(
    ("option", "given"), [("--multi", "1"), ("--multi", "much"), ("--levels", "0"), ("--levels", "5 4")]
)
def test_invalid_shares_and_levels_are_refused(option, given):
    assert option in cluster(option, given, code=2).output


def test_a_namer_names_the_groups_and_the_audit_lists_all_of_it(endpoint):
    cluster("--namer", address(endpoint), "--yes")
    names = {row["name"] for row in rows() if row["cluster"]}
    assert len(names) == 3
    assert all("=Fine name" in name for name in names)
    with Path("out/naming.csv").open(encoding="utf-8-sig", newline="") as file:
        audit = list(csv.DictReader(file))
    sent = {body["messages"][0]["content"] for _, body in endpoint.requests}
    assert {row["prompt"].removeprefix("'") for row in audit} == sent
    assert [row["cluster"] for row in audit] == ["0", "1", "2"]
    assert all(row["answer"].startswith("'=") for row in audit)


def test_a_range_chooses_a_number_and_the_other_candidates_are_levels():
    said = printed("cluster", "docs.jsonl", "-k", "2-5", "--out", "out")
    found, rows = loaded("out/run.json"), table("out/assignments.csv")
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
    cluster("--levels", "2", "--force", k="2-5")
    assert not {"level_2", "level_3"} <= table("out/assignments.csv")[0].keys()


@pytest.mark.parametrize("wrong", ["5-2", "0", "many", "2-500"])
def test_a_number_that_cannot_be_is_refused_and_nothing_is_written(wrong):
    cluster(k=wrong, code=2)
    assert not Path("out").exists()
