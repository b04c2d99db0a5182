"""The convergence chart's geometry, and how figures are worded."""

import itertools
import re
from dataclasses import replace

import numpy as np
import pytest

from outgroup.report.html import HEIGHT, WIDTH, _numbers, convergence, pack_lengths, render
from outgroup.summary import sentences


def places(path):
    return [tuple(map(float, pair)) for pair in re.findall(r"([\d.-]+),([\d.-]+)", path)]


def test_a_line_per_restart_with_the_kept_one_last_and_its_bound_below(full):
    chart = convergence(full())
    assert [(line.restart, line.kept) for line in chart.lines] == [(1, False), (0, True)]
    kept = chart.lines[-1]
    objective, bound = places(kept.path), places(kept.bound)
    assert len(objective) == 4
    assert all(y1 <= y2 for (_, y1), (_, y2) in itertools.pairwise(objective))  # down the page: it falls
    assert all(low[1] >= objective[-1][1] for low in bound)
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for line in chart.lines for x, y in places(line.path))
    assert chart.last["step"] == 3


@pytest.mark.parametrize(
    "trace",
    [
        [{"objective": 5.0}],
        [{"objective": 0.0, "lower_bound": None}, {"objective": 0.0}],
        [{"objective": 1e300}, {"objective": -3.0, "lower_bound": -1e300}],
        [{"objective": 1.0 + 1e-13 * i} for i in range(40)],
    ],
)
def test_odd_traces_still_give_finite_places(make, trace):
    chart = convergence(make(9, 3, trace=trace))
    assert all(0 <= y <= HEIGHT for line in chart.lines for _, y in places(line.path))
    assert 1 <= len(chart.x_ticks) <= 14
    assert len(chart.y_ticks) < 12


def test_a_trace_without_objectives_gives_no_chart(make):
    assert convergence(make(9, 3)) is None
    assert convergence(make(9, 3, trace=[{"step": 1, "objective": float("nan")}])) is None


def test_groups_that_were_merged_away_did_not_stay_empty(make):
    made = make(9, 3)
    groups = [replace(each, size=0, gone=True) if each.number == 2 else each for each in made.groups]
    assert "stayed empty" not in render(replace(made, groups=groups))
    groups = [replace(each, gone=False) for each in groups]
    assert "(1 of 3 stayed empty)" in render(replace(made, groups=groups))


def test_near_duplicates_have_one_first_row():
    long = "the parcel left our warehouse this morning and arrives on Monday"
    texts = [long, "Line 1", f"17: {long.upper()}!", "Line 2", "Line 1", "1" * 60, "2" * 60]
    expected = np.array([1, 2, 1, 0, 2, 0, 0], dtype=np.uint32)
    assert pack_lengths(texts, [""] * 7)["same"] == _numbers(expected)


@pytest.mark.parametrize(
    ("value", "digits", "said"),
    [(-0.001, 2, "0.00"), (-0.26, 1, "−0.3"), (1234.5, 1, "1,234.5"), (None, 2, "–"), (float("nan"), 2, "–")],
)
def test_figures(value, digits, said):
    assert sentences.figure(value, digits) == said
