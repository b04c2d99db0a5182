"""`outgroup watch`: alarms of a sequential test over nights, and the file of their counts."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from commands import outgroup, records
from factories import KITCHEN, TRAINS

from outgroup.cli.watch import Night, watched

EVERY = 365.0


def alarms(nights, every):
    found = []
    for night in nights:
        found.append(watched(found[-60:], night, every))
    return [night.alarms for night in found]


def nights(count, seed=0, unlike=0.03, documents=200):
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        groups = rng.multinomial(documents, [0.5, 0.3, 0.2])
        strange = [int(rng.binomial(documents, unlike)), *rng.binomial(groups, 0.2).tolist()]
        by_group = dict(zip("012", groups.tolist(), strict=True))
        found.append(Night(documents, strange[0], by_group, dict(zip("012", strange[1:], strict=True))))
    return found


def test_equal_nights_raise_few_alarms():
    raised = sum(bool(each) for seed in range(3) for each in alarms(nights(120, seed), EVERY))
    assert raised <= 4  # 360 nights, one in 365 in the mean


@pytest.mark.parametrize(
    ("changed", "raised"),
    [
        ([replace(nights(1)[0], unlike=60)], "unlike_all"),
        ([Night(200, 6, {"0": 60, "1": 40, "2": 100}, {})] * 3, "2"),
        ([replace(each, wordless=each.wordless | {"1": each.groups["1"] // 2}) for each in nights(3, 1)], "words:1"),
    ],
)
def test_a_change_raises_its_alarm_within_a_few_nights(changed, raised):
    assert {name for each in alarms([*nights(40), *changed], EVERY)[40:] for name in each} == {raised}


@pytest.fixture
def result(here):
    records("docs.jsonl", (KITCHEN + TRAINS) * 8)
    outgroup("cluster", "docs.jsonl", "-k", 2, "--quick", "--out", "groups")
    records("new.jsonl", KITCHEN + TRAINS)


def watch(*more, code=0):
    return outgroup("watch", "groups", "new.jsonl", "--history", "history.jsonl", *more, code=code)


def test_each_night_is_a_line_of_the_history(result):
    first = watch().stdout
    second = json.loads(watch("--json").stdout)
    assert "those of night 2" in watch("--out", "table.csv").stderr
    lines = [json.loads(line) for line in Path("history.jsonl").read_text(encoding="utf-8").splitlines()]
    assert first.startswith("night 1: ")
    assert first.count("\n") == 1
    assert [each["night"] for each in lines] == [1, 2, 3]
    assert lines[1] == second
    assert sum(second["groups"].values()) == second["documents"] == len(KITCHEN + TRAINS)


def test_an_empty_night_is_noted_and_raises_no_level(result):
    past = nights(20)
    levels = watched(past, past[0], EVERY).levels
    past[-1] = replace(past[-1], levels=levels)
    assert watched(past, Night(0, 0, {}, {}), EVERY).levels == levels
    Path("new.jsonl").write_text("")
    done = watch("--json")
    assert json.loads(done.stdout)["documents"] == 0
    assert "no documents" in done.stderr


NIGHT = {"night": 1, "documents": 3, "unlike": 1, "groups": {"0": 3}, "wordless": {"0": 0}, "alarms": [], "levels": {}}
NIGHT |= {"result": "x"}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("no json", "not a night"),
        ("{}", "'night'"),
        (NIGHT | {"night": 0}, "'night'"),
        (NIGHT | {"groups": {"0": 1e999}}, "'groups.0'"),
        (NIGHT | {"levels": {"0": float("nan")}}, "'levels.0'"),
        (NIGHT | {"alarms": [3]}, "'alarms.0'"),
    ],
)
def test_a_file_that_is_no_history_is_refused_and_kept(line, words):
    content = line if isinstance(line, str) else json.dumps(line)
    Path("history.jsonl").write_text(f"{json.dumps(NIGHT)}\n{content}\n", encoding="utf-8")
    error = " ".join(watch(code=2).stderr.split())
    assert "line 2 of the history history.jsonl" in error
    assert words in error
    assert Path("history.jsonl").read_text(encoding="utf-8") == f"{json.dumps(NIGHT)}\n{content}\n"


def test_the_history_of_another_result_is_refused_and_kept(result):
    watch()
    before = Path("history.jsonl").read_bytes()
    outgroup("cluster", "docs.jsonl", "-k", 3, "--quick", "--out", "groups", "--force")
    assert "another result" in watch(code=2).stderr
    assert Path("history.jsonl").read_bytes() == before
