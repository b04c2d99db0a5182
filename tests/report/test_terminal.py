"""The terminal's tables: figures are there, and documents' text is only text."""

import io

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
