"""The runner on a paper of its own: what is done stays done, what failed is tried again, what is slow is named."""

import numpy as np
import pytest

bench = pytest.importorskip("bench.papers.runner", reason="the measurements are not part of an installed package")

from bench.methods.bundle import Bundle, Method, Start  # noqa: E402
from bench.methods.registry import METHODS  # noqa: E402
from bench.papers import orderings, plan, runner, tasks  # noqa: E402

CURVE = {"tasks": ["pair"], "methods": ["split"]}
PAPER = {
    "title": "A paper",
    "starts": 3,
    "limit_s": 30,
    "figures": {"1": {"title": "Along", "along": "at", "values": [1, 2], "measure": "accuracy"} | CURVE},
    "tasks": {"Two": ["pair"], "Lost": ["webkb all"]},
    "methods": {"split": {"grid": [{"at": [1, 2]}]}},
    "tables": {"1": {"title": "Accuracy", "measure": "accuracy", "scale": 100.0, "printed": {"split": {"Two": 90.0}}}},
}


def split(bundle, seed, at=3):
    """Rows below `at` against the others; the later the start, the lower its loss."""
    return Start((np.arange(len(bundle.y)) >= at).astype(int), loss=-float(seed))


def run(paper, name="paper"):
    return runner.run(plan.settings(paper), name, paper["limit_s"])


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "RESULTS", tmp_path)
    monkeypatch.setattr(tasks.data, "folder", lambda: tmp_path)  # no collection is there
    monkeypatch.setitem(tasks._MAKERS, "pair", lambda: Bundle(np.eye(4), np.array([0, 0, 1, 1])))
    monkeypatch.setitem(METHODS, "split", Method(split))
    tasks.bundle.cache_clear()
    yield tmp_path
    tasks.bundle.cache_clear()


def test_every_start_is_a_row_and_nothing_runs_twice(place, monkeypatch):
    rows = run(PAPER)
    done = [row for row in rows if row["status"] == runner.DONE]
    assert len(done) == 3 * 3
    assert {row["note"] for row in rows if row["status"] == runner.NOT_RUN} == {
        "no data: webkb-all.jsonl.xz is not among the collections"
    }
    monkeypatch.setattr(runner, "_work", None)  # a second run must not get here
    again = [row for row in run(PAPER) if row["status"] == runner.DONE]
    assert again == [row for row in runner.read(place / "paper.parquet") if row["status"] == runner.DONE]


def test_orderings_count_what_holds_and_what_is_significant():
    low, high = np.array([0.5, 0.5, 0.5, 0.5]), np.array([0.7, 0.8, 0.7, 0.8])
    assert [orderings.p_value(high, low) < 0.01, orderings.p_value(low, low)] == [True, 1]
    unsure = np.array([0.9, 0.2, 0.9, 0.2])
    assert orderings.won([(high, low), (unsure, low), (low, high)]) == "2 of 3, 1 significantly; 1 significantly not"
    assert orderings.difference(low + 0.25, low) == "+0.250 (p 0)"


KNOWN = {"on", "rows", "defaults", "grid", "grid_on"}


@pytest.mark.parametrize("name", plan.names())
def test_the_papers_are_well_formed(name):
    paper = plan.definition(name)
    assert all(set(method) <= KNOWN for method in paper["methods"].values())
    assert all(label in paper["tasks"] for method in paper["methods"].values() for label in method.get("on", []))
    assert all(setting.method in METHODS for setting in plan.settings(paper))
    for table in paper["tables"].values():
        assert table["measure"] in runner._NUMBERS
        printed = table.get("printed", {})
        assert set(printed) <= set(table.get("lines", paper["methods"]))
        assert all(set(values) <= set(paper["tasks"]) for values in printed.values())
        assert set(table.get("on", [])) <= set(paper["tasks"])
        assert {setting.method for setting in plan.of_table(paper, table)} <= set(paper["methods"])
    heads = {setting.task.split(" ")[0] for setting in plan.settings(paper)}
    assert heads <= set(tasks._MAKERS) | tasks.NOT_OURS
