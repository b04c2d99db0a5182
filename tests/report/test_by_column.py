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


def test_the_line_names_what_a_category_is_of(make):
    summary = make(n=60, k=3)
    labels = np.repeat([0, 1, 2], 20)
    country = [0] * 20 + [1] * 40
    told = by_line(replace(summary, by=by_column("country", "", ["DE", "FR"], country, labels, 3)))
    assert told == f"By country: 2 values. Stands out: {summary.groups[0].name} is 100 % of DE (33 % of all)."


def test_few_documents_tell_nothing(make):
    summary = make(n=6, k=3)
    labels = np.arange(6) % 3
    one = by_column("when", "day", ["a", "b"], [0, 0, 0, 1, 1, 1], labels, 3)
    assert by_line(replace(summary, by=one)) == "By day of when, a to b."
    assert by_line(replace(summary, by=replace(one, unit=""))) == "By when: 2 values."
    assert by_line(summary) == ""


def test_a_column_of_one_document_is_not_the_darkest(make):
    labels, years = np.array([0] * 12 + [1] * 8 + [2]), [0] * 20 + [1]
    found = by_column("when", "year", ["2023", "2024"], years, labels, 3)
    table = by_table(replace(make(n=21, k=3), by=found))
    assert [[share for _, share in cells] for _, cells in table["rows"]] == [[0.6, 0], [0.4, 0], [0, 0.1]]
    assert table["shade"] == (
        "The shade of a cell is the group's share of the column, or of 10 documents if the column has fewer."
    )
    many = by_column("when", "year", ["2023"], [0] * 21, labels, 3)
    assert (
        by_table(replace(make(n=21, k=3), by=many))["shade"]
        == "The shade of a cell is the group's share of the column."
    )


def test_the_page_shows_the_counts_and_escapes_names(make):
    summary = make(n=30, k=3)
    by = by_column("<b>x", "", ["<script>a", "c"], [i % 2 for i in range(30)], np.arange(30) % 3, 3)
    page = render(replace(summary, by=by, skipped=[("a", "b")], skip_reasons=[("1: <i>", 1), ("2: y", 2)]))
    assert "By &lt;b&gt;x" in page
    assert "&lt;script&gt;a" in page
    assert "1: &lt;i&gt;; 2: y." in page
    assert 'id="by"' not in render(summary)
    assert by_table(replace(summary, by=by_column("x", "day", [], [None] * 30, np.arange(30) % 3, 3))) is None
