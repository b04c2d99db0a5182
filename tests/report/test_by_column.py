"""Groups over time and by category: the counts, and the line that tells what stands out."""

from dataclasses import replace

import numpy as np

from outgroup.report.html import render
from outgroup.summary.sentences import by_line, by_table
from outgroup.summary.summarise import by_column


def test_counts_leave_the_unknown_out():
    found = by_column("when", "year", ["2023", "2024"], [0, 1, None, 1], np.array([0, 0, 1, 1]), 2)
    assert (found.counts, found.unknown) == ([[1, 1], [0, 1]], 1)


def test_what_was_set_aside_counts_in_no_group():
    found = by_column("when", "year", ["2023", "2024"], [0, 1, 1], np.array([0, -1, 1]), 2)
    assert found.counts == [[1, 0], [0, 1]]


def test_the_line_names_the_group_that_grew(make):
    summary = make(n=60, k=3)
    labels = np.repeat([0, 1, 2], 20)
    months = [0] * 20 + [0] * 5 + [2] * 15 + [1] * 10 + [2] * 10
    by = replace(by_column("when", "month", ["a", "b", "c"], months, labels, 3), wrong="2 are not dates.")
    told = by_line(replace(summary, by=by))
    assert told.startswith("By month of when, a to c. Grew most: ")
    assert summary.groups[1].name in told
    assert "14 % of the first half" in told or "of the first half, 60 %" in told
    assert told.endswith("2 are not dates.")


def test_the_page_shows_the_counts_and_escapes_names(make):
    summary = make(n=30, k=3)
    by = by_column("<b>x", "", ["<script>a", "c"], [i % 2 for i in range(30)], np.arange(30) % 3, 3)
    page = render(replace(summary, by=by, skipped=[("a", "b")], skip_reasons=[("1: <i>", 1), ("2: y", 2)]))
    assert "By &lt;b&gt;x" in page
    assert "&lt;script&gt;a" in page
    assert "1: &lt;i&gt;; 2: y." in page
    assert 'id="by"' not in render(summary)
    assert by_table(replace(summary, by=by_column("x", "day", [], [None] * 30, np.arange(30) % 3, 3))) is None
