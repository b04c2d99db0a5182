"""`outgroup watch`: alarms of a sequential test over nights, and the file of their counts."""

import json
from pathlib import Path

import numpy as np
import pytest
from commands import outgroup, records
from factories import KITCHEN, TRAINS

from outgroup.cli.watch import Night, alarms

EVERY = 365.0


def nights(count, seed=0, unlike=0.03, documents=200):
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        groups = rng.multinomial(documents, [0.5, 0.3, 0.2])
        found.append(
            Night(documents, int(rng.binomial(documents, unlike)), dict(zip("012", groups.tolist(), strict=True)))
        )
    return found


def test_equal_nights_raise_few_alarms():
    raised = sum(bool(each) for seed in range(10) for each in alarms(nights(120, seed), EVERY))
    assert raised <= 10  # 1,200 nights, one in 365 in the mean


def test_more_unlike_documents_raise_an_alarm_on_that_night():
    usual = nights(40)
    assert alarms([*usual, Night(200, 60, usual[0].groups)], EVERY)[-1] == ["unlike_all"]


def test_a_group_that_grows_raises_an_alarm_within_a_few_nights():
    usual = nights(40)
    more = [Night(200, 6, {"0": 60, "1": 40, "2": 100})] * 3
    raised = {name for each in alarms([*usual, *more], EVERY)[40:] for name in each}
    assert raised == {"2"}


def test_the_first_nights_and_empty_nights_raise_none():
    strange = Night(100, 90, {"0": 10})
    assert alarms([Night(100, 1, {"0": 99}), strange], EVERY) == [[], []]
    assert not any(alarms([*nights(20), Night(0, 0, {})], EVERY)[20:][0])


@pytest.fixture
def result(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    records("docs.jsonl", (KITCHEN + TRAINS) * 8)
    outgroup("cluster", "docs.jsonl", "-k", 2, "--n-init", 1, "--quick", "--out", "groups")
    records("new.jsonl", KITCHEN + TRAINS)


def watched(*more, code=0):
    return outgroup("watch", "groups", "new.jsonl", "--history", "history.jsonl", *more, code=code)


def test_each_night_is_a_line_of_the_history(result):
    first = watched().stdout
    second = json.loads(watched("--json").stdout)
    lines = [json.loads(line) for line in Path("history.jsonl").read_text(encoding="utf-8").splitlines()]
    assert first.startswith("night 1: ")
    assert first.count("\n") == 1
    assert [each["night"] for each in lines] == [1, 2]
    assert lines[1] == second
    assert sum(second["groups"].values()) == second["documents"] == len(KITCHEN + TRAINS)


@pytest.mark.parametrize(
    "line",
    [
        "no json",
        "[1]",
        '{"documents": 3}',
        '{"documents": 3, "unlike": 4, "groups": {}}',
        '{"documents": 3, "unlike": 1, "groups": {"x": 1}}',
        '{"documents": 3, "unlike": 1, "groups": {"0": 1e999}}',
    ],
)
def test_a_file_that_is_no_history_is_refused_and_kept(result, line):
    Path("history.jsonl").write_text(line + "\n", encoding="utf-8")
    assert "history.jsonl" in watched(code=2).stderr
    assert Path("history.jsonl").read_text(encoding="utf-8") == line + "\n"


def test_the_history_is_needed_and_is_not_the_documents(result):
    assert "--history" in outgroup("watch", "groups", "new.jsonl", code=2).stderr
    before = Path("new.jsonl").read_bytes()
    outgroup("watch", "groups", "new.jsonl", "--history", "new.jsonl", code=2)
    assert Path("new.jsonl").read_bytes() == before
