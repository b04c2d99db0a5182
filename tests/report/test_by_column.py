"""Groups over time and by category: the counts, and the line that tells what stands out."""

from dataclasses import replace

import numpy as np

from outgroup.report.html import render
from outgroup.summary.sentences import by_rows
from outgroup.summary.summarise import by_column


def test_the_page_shows_the_counts_and_escapes_names(make):
    summary = make(n=30, k=3)
    by = by_column("<b>x", "", ["<script>a", "c"], [i % 2 for i in range(30)], np.arange(30), np.arange(30) % 3, 3)
    page = render(replace(summary, by=by, skipped=[("a", "b")], skip_reasons=[("1: <i>", 1), ("2: y", 2)]))
    assert "By &lt;b&gt;x" in page
    assert "&lt;script&gt;a" in page
    assert "1: &lt;i&gt;; 2: y." in page
    assert 'id="by"' not in render(summary)
    none = by_column("x", "day", [], [None] * 30, np.arange(30), np.arange(30) % 3, 3)
    assert by_rows(replace(summary, by=none)) == []
    assert [[count for count, _ in cells] for _, cells in by_rows(replace(summary, by=by))] == [[5, 5]] * 3
