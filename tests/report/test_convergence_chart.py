"""The convergence chart's geometry, and how figures are worded."""

import itertools
import re

import pytest

from outgroup.report.html import HEIGHT, WIDTH, convergence


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
