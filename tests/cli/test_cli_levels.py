"""`--levels`, `--probabilities` and `--namer`: further columns of the table, and names by a chat model."""

import csv
from collections import defaultdict
from pathlib import Path

import pytest
from commands import outgroup, records, table
from endpoints import NOT_ANSWERS, answering, said, serving
from factories import TOPICS

JUNK = [f"{a} invoice payment {b}" for a in "pqrs" for b in "cdefi"]


@pytest.fixture(autouse=True)
def documents(here):
    records("docs.jsonl", [*TOPICS, "..."], level_1=lambda i: f"{i % 2} own")
    records("junk.jsonl", JUNK)


def cluster(*words, out="out", code=0):
    return outgroup("cluster", "docs.jsonl", "-k", 3, "--quick", "--out", out, *words, code=code)


def rows(folder="out"):
    return table(f"{folder}/assignments.csv")


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


def test_groups_with_a_share_are_columns():
    records("docs.jsonl", [*TOPICS, "bread oven bread oven. train rail train rail.", "..."])
    cluster("--multi", "0.3")
    *table, both, nothing = rows()
    numbers = {row["cluster"] for row in table}
    for row in [*table, both]:
        held = row["groups"].split("; ")
        assert row["cluster"] in held
        assert {number for number in numbers if row[f"group_{number}"] == "1"} == set(held)
        assert {row[f"group_{number}"] for number in numbers} <= {"0", "1"}
    assert nothing["groups"] == nothing["shares"] == nothing["group_0"] == ""
    assert {share.split(": ")[0] for share in both["shares"].split("; ")} <= numbers


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
    with Path("out/naming.csv").open(newline="") as file:
        audit = list(csv.DictReader(file))
    sent = {body["messages"][0]["content"] for _, body in endpoint.requests}
    assert {row["prompt"].removeprefix("'") for row in audit} == sent
    assert [row["cluster"] for row in audit] == ["0", "1", "2"]
    assert all(row["answer"].startswith("'=") for row in audit)


def test_a_namer_that_answers_anything_leaves_a_whole_result():
    with answering(NOT_ANSWERS["another protocol"]) as url:
        told = cluster("--namer", f"{url}#m", "--yes").output
    assert "0 of 3" in told
    assert {row["name"] for row in rows()} - {""}
    assert Path("out/report.html").exists()


def test_nothing_is_sent_without_agreement(endpoint):
    told = " ".join(cluster("--namer", address(endpoint), code=2).output.split())
    assert "127.0.0.1" in told
    assert "--yes" in told
    assert not endpoint.requests
    assert not Path("out").exists()
