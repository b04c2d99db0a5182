"""The runner on a paper of its own: what is done stays done, what failed is tried again, what is slow is named."""

import time

import numpy as np
import pytest
from scipy import stats

bench = pytest.importorskip("bench.papers.runner", reason="the measurements are not part of an installed package")

from bench.methods.bundle import Bundle, Method, Start  # noqa: E402
from bench.methods.registry import METHODS  # noqa: E402
from bench.papers import figures as paper_figures  # noqa: E402
from bench.papers import orderings, plan, runner, tasks  # noqa: E402
from bench.papers import tables as paper_tables  # noqa: E402

PAPER = {
    "title": "A paper",
    "starts": 3,
    "limit_s": 30,
    "figures": {
        "1": {
            "title": "Along",
            "tasks": ["pair"],
            "methods": ["split"],
            "along": "at",
            "values": [1, 2],
            "measure": "accuracy",
        }
    },
    "tasks": {"Two": ["pair"], "Lost": ["webkb all"]},
    "methods": {"split": {"grid": [{"at": [1, 2]}]}},
    "tables": {
        "1": {"title": "Accuracy", "measure": "accuracy", "scale": 100.0, "printed": {"split": {"Two": 90.0}}},
    },
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


def test_defaults_come_first_and_then_every_combination(place):
    assert plan.grid([{"a": [1, 2], "b": [3]}, {"c": [4]}]) == ['{"a": 1, "b": 3}', '{"a": 2, "b": 3}', '{"c": 4}']
    assert [s.options for s in plan.settings(PAPER)][:3] == ["{}", '{"at": 1}', '{"at": 2}']
    assert len(tasks.expanded("digits pairs")) == 45


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


def test_the_table_tells_the_two_protocols_apart(place):
    text = paper_tables.rendered(PAPER, "1", run(PAPER))
    two = next(line for line in text.splitlines() if line.startswith("| Two"))
    cells = [cell.strip() for cell in two.split("|")[1:-1]]
    assert cells == ["Two", "split", "90", "100", "2", "3 (± 0)", "3", "100", "75", "10"]
    assert text.endswith("No data: Lost.")
    assert "| Lost" not in text


def test_a_limit_of_time_is_kept_and_a_longer_one_is_another_try(place, monkeypatch):
    monkeypatch.setitem(METHODS, "split", Method(lambda bundle, seed, **options: time.sleep(60)))
    paper = PAPER | {"limit_s": 0.2, "tasks": {"Two": ["pair"]}, "methods": {"split": {}}, "figures": {}}
    assert run(paper)[0]["note"] == "not run: time (more than 0.2 s)"
    monkeypatch.setitem(METHODS, "split", Method(split))
    assert run(paper)[0]["status"] == runner.NOT_RUN
    assert run(paper | {"limit_s": 30})[0]["status"] == runner.DONE


def collapsed(bundle, seed, at=3):
    """Every second start puts all rows in one group, at a loss that the others do not reach."""
    return Start(np.zeros(4, dtype=int), loss=-9.0) if seed % 2 == 0 else split(bundle, seed, at)


def test_starts_with_fewer_groups_come_last_whatever_their_loss(place, monkeypatch):
    monkeypatch.setitem(METHODS, "split", Method(collapsed))
    table = {"title": "J", "kind": "objectives", "method": "split", "oracle": "oracle", "measure": "accuracy"}
    paper = PAPER | {"methods": PAPER["methods"] | {"oracle": PAPER["methods"]["split"]}, "starts": 4}
    paper["tables"] = PAPER["tables"] | {"objective": table | {"scale": 100.0}}
    monkeypatch.setitem(METHODS, "oracle", Method(lambda bundle, seed, at=3: Start(bundle.y, loss=float(at))))
    rows = run(paper)
    defaults = runner.by_setting(rows)["pair", "split", "{}"]
    assert [row["groups"] for row in defaults] == [1, 2, 1, 2]
    assert cells(paper_tables.rendered(paper, "1", rows))[1][3] == "100"
    told = cells(paper_tables.rendered(paper, "objective", rows))
    assert told[1] == ["Two", "at 2", "-3", "100", "2", "2", "100", "2"]


def test_a_figure_goes_along_its_values(place):
    text = paper_figures.rendered(PAPER, "1", run(PAPER))
    assert cells(text)[1] == ["split", "0.75", "1"]


MEANS = {
    "title": "Means",
    "starts": 4,
    "limit_s": 30,
    "tasks": {"Two": ["pair"], "Other": ["drawn"]},
    "methods": {"split": {}, "wavering": {}},
    "tables": {
        "1": {
            "title": "Accuracy",
            "kind": "means",
            "measure": "accuracy",
            "scale": 100.0,
            "digits": 1,
            "lines": {"below 2": {"method": "split", "options": {"at": 2}}, "wavering": {"method": "wavering"}},
            "printed": {"below 2": {"Two": 90.0}, "wavering": {"Two": 95.0}},
        },
        "order": {
            "title": "In order",
            "kind": "orderings",
            "measure": "accuracy",
            "pairs": [["split", "split"], ["split", "wavering"]],
            "at": [{"at": 2}],
            "worse": {"odd": 0},
        },
    },
}


def wavering(bundle, seed, at=2, odd=1):
    """Right at even starts; a row amiss at odd ones, or at all of them without `odd`."""
    return split(bundle, seed, at if odd and seed % 2 == 0 else at + 1)


@pytest.fixture
def means(place, monkeypatch):
    monkeypatch.setitem(tasks._MAKERS, "drawn", lambda: Bundle(np.eye(4), np.array([0, 1, 1, 1])))
    monkeypatch.setitem(METHODS, "wavering", Method(wavering))
    monkeypatch.setitem(METHODS, "split", Method(lambda bundle, seed, odd=1, **options: wavering(bundle, 0, 2, odd)))


def cells(text):
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("| ")]


def test_means_stand_beside_the_printed_values(means):
    lines = cells(paper_tables.rendered(MEANS, "1", run(MEANS)))
    assert lines[1] == ["below 2", "100.0 ± 0.0 (90.0)", "75.0 ± 0.0"]
    assert lines[2] == ["wavering", "87.5 ± 14.4 (95.0)", "62.5 ± 14.4"]


def test_a_table_of_lines_runs_its_own_lines_and_no_grid(means):
    assert {setting.key[1:] for setting in plan.of_table(MEANS, MEANS["tables"]["1"])} == {
        ("split", '{"at": 2}'),
        ("wavering", "{}"),
    }


def test_orderings_count_what_holds_and_compare_it_with_the_printed_values(means):
    lines = cells(paper_tables.rendered(MEANS, "order", run(MEANS)))
    assert lines[1][:2] == ["split", "at 2 > at 2, odd 0"]
    assert lines[1][2] == "+0.250 (p 0)"
    assert lines[2][-2:] == ["2 of 2, 2 significantly", "n/a"]
    assert lines[3][-2] == "4 of 4, 4 significantly"


def test_losses_are_told_from_noise():
    rising = np.arange(5.0)
    assert orderings.won([(rising, rising + 1 + rising / 9)]) == "0 of 1, 0 significantly; 1 significantly not"
    assert orderings.won([(rising, rising)]) == "0 of 1, 0 significantly"
    assert orderings.p_value(rising[:1], rising[:1] + 1) == 1
    assert orderings.p_value(rising**2, rising) == pytest.approx(stats.ttest_rel(rising**2, rising).pvalue)


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
