"""`--json` of each command has the fields and types of docs/json.md, no more and no fewer."""

import json
import re
from pathlib import Path

import pytest
from commands import outgroup, records
from factories import KITCHEN, TRAINS

PAGE = Path(__file__).parents[2] / "docs/json.md"
TYPES = {"string": str, "integer": int, "number": (int, float), "object": dict, "array": list, "null": type(None)}
TEXTS = (KITCHEN + TRAINS) * 5


def documented(command):
    """The fields of a command and their types, as the page says."""
    section = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    (own,) = [part for part in section if part.startswith(f"outgroup {command}\n")]
    return {name: kinds.split(" or ") for name, kinds in re.findall(r"^\| `(\w+)` \| ([a-z ]+) \|", own, re.MULTILINE)}


def check(command, *words):
    """Run a command with --json, compare its output with the page, and return the names of null fields."""
    found = json.loads(outgroup(command, *words, "--json").stdout)
    fields = documented(command)
    assert found.keys() == fields.keys()
    for name, value in found.items():
        assert not isinstance(value, bool)
        assert any(isinstance(value, TYPES[kind]) for kind in fields[name]), name
    return {name for name, value in found.items() if value is None}


@pytest.fixture(autouse=True)
def documents(here):
    records("docs.jsonl", TEXTS, label=lambda i: "a" if i % 20 < 10 else "b", when=lambda i: f"202{i % 4}")
    records("off-topic.jsonl", [f"bread in rain, wind and storm {i}" for i in range(60)])
    Path("merge.toml").write_text('[[decision]]\nkind = "rename"\ngroup = 0\nname = "Trains"\n')


def test_cluster():
    few = check("cluster", "docs.jsonl", "-k", 2, "--quick", "--out", "few")
    more = ("--universum", "off-topic.jsonl", "--by", "when", "--outliers", "flag", "--out", "many")
    many = check("cluster", "docs.jsonl", "-k", "2-3", *more)
    again = check("cluster", "docs.jsonl", "--from", "few", "--steer", "merge.toml", "--out", "again")
    nulls = {name for name, kinds in documented("cluster").items() if "null" in kinds}
    assert few <= nulls
    assert few & many & again <= {"encoder", "several"}  # all others had a value


def test_watch():
    outgroup("cluster", "docs.jsonl", "-k", 2, "--quick")
    assert not check("watch", "docs-clusters", "docs.jsonl", "--history", "history.jsonl")


def test_agree():
    for name, codes in ("one", "1121"), ("two", "1122"):
        Path(f"{name}.csv").write_text("id,code\n" + "".join(f"{i},{code}\n" for i, code in enumerate(codes)))
    assert not check("agree", "one.csv", "two.csv")
