"""The terminal's tables: figures are there, and documents' text is only text."""

import io

import pytest
from rich.console import Console

from outgroup.report.terminal import terminal


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


@pytest.mark.parametrize(("n", "k", "width"), [(1, 1, 80), (2, 2, 40), (100, 50, 60)])
def test_odd_sizes_fit_the_width(full, n, k, width):
    assert max(len(line) for line in printed(full(n, k), width).splitlines()) <= width


def test_bars_are_drawn_in_ascii_where_the_output_has_no_other_letters(full):
    """They were rows of question marks in a log of the locale C."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="replace")
    terminal(full(), Console(file=out, width=120, force_terminal=False))
    out.flush()
    text = out.buffer.getvalue().decode("ascii")
    assert "############" in text
    assert "??" not in text
    assert "████████████" in printed(full(), width=120)
