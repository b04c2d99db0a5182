"""The terminal's tables: figures are there, and documents' text is only text."""

import io
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from outgroup.report.terminal import terminal
from outgroup.summary.records import Pocket


def printed(summary, width=120, **options):
    out = io.StringIO()
    terminal(summary, Console(file=out, width=width, force_terminal=False), **options)
    return out.getvalue()


def test_groups_and_figures_are_shown(full):
    text = printed(full())
    for said in (
        "garden",
        "accuracy 1.00",
        "agree at 0.80",
        "4 of 30 documents (13 %) were flagged",
        "no usable words; the first is notes/empty.txt",
    ):
        assert said in text
    assert "share 1 text" in text


def test_a_name_that_a_person_gave_is_shown_also_where_it_is_one_of_the_words(full):
    (word, _), *_ = full().groups[0].words
    names = [word, *(group.name for group in full().groups[1:])]
    text = printed(full(names=names), width=200)
    assert f"{word}: " in text
    assert f"{names[1]}: " not in text


def test_markup_and_control_codes_are_not_obeyed(full):
    nasty = "[red]x[/red][/]\x1b[31m"
    text = printed(full(titles=[nasty] * 30, skipped=[(nasty, nasty)], names=[nasty] * 3), width=200)
    assert "[red]x[/red][/]" in text
    assert "\x1b" not in text


def test_off_topic_documents_are_shown_with_the_promise(full):
    text = printed(full(), width=80)
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert any(line.startswith("0.97 Note 29") for line in lines)
    assert "Promise At most 5 % of the on-topic documents are flagged by mistake" in " ".join(lines)


def test_equal_examples_of_a_pocket_are_shown_once(full):
    pocket = Pocket(["a", "b", "c"], ["office"], ["out of  office", "out of office", "closed"])
    text = " ".join(printed(replace(full(), pockets=[pocket]), width=80).split())
    assert "3 documents far from all others: office; such as “out of office”, “closed”" in text


def test_words_take_the_room_of_the_examples_in_a_narrow_terminal(full):
    wide, narrow = printed(full(), width=100), printed(full(), width=99)
    assert "Best example" in wide
    assert "Best example" not in narrow
    assert "off-topic" in narrow
    assert "garden" in narrow


@pytest.mark.parametrize(("n", "k", "width"), [(1, 1, 80), (2, 2, 40), (100, 50, 60)])
def test_odd_sizes_fit_the_width(full, n, k, width):
    assert max(len(line) for line in printed(full(n, k), width).splitlines()) <= width


def test_an_empty_group_has_a_row(given):
    from report_examples import summed

    parts = given(6, 3)
    parts["labels"] = np.zeros(6, dtype=int)
    assert "–" in printed(summed(**parts))


def test_the_twenty_largest_groups_are_shown_and_how_many_more_there_are(full):
    text = printed(full(300, 50))
    assert "the 20 largest, and 30 more in report.html" in text
    assert "more in report.html" not in printed(full(60, 20))


def test_bars_are_drawn_in_ascii_where_the_output_has_no_other_letters(full):
    """They were rows of question marks in a log of the locale C."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="replace")
    terminal(full(), Console(file=out, width=120, force_terminal=False))
    out.flush()
    text = out.buffer.getvalue().decode("ascii")
    assert "############" in text
    assert "??" not in text
    assert "████████████" in printed(full(), width=120)


def test_where_no_single_word_pulled_a_document_out_that_is_said(full):
    text = printed(full(reject=None), width=100)
    assert text.count("no single word") == min(3, len(full().off_topic.documents))
    assert "no single word" not in printed(full(), width=100)


@pytest.mark.parametrize("width", [80, 120])
def test_eight_groups_fit_on_a_screen(full, width):
    summary = full(200, 8)
    brief = printed(summary, width)
    assert len(brief.splitlines()) <= 36
    assert all(any(line.split()[:1] == [str(group.number)] for line in brief.splitlines()) for group in summary.groups)
    assert "accuracy 1.00" in brief
