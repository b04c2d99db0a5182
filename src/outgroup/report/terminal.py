"""A `Summary` in a terminal. Documents' text is shown as it is: never as markup, never as control codes."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from . import wording
from .facts import Group, Summary
from .wording import clean, counted

_BAR = 12  # cells of the longest size bar
_EIGHTHS = " ▏▎▍▌▋▊▉█"


def terminal(summary: Summary, console: Console) -> None:
    """Print the groups, how stable they are, how they agree with labels, and what was off-topic, skipped or doubled."""
    console.print(_groups(summary))
    for line in _lines(summary):
        console.print(line)


def _groups(summary: Summary) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", expand=True)
    table.add_column("Group", justify="right", no_wrap=True)
    table.add_column("Documents", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True, min_width=_BAR)
    table.add_column("Words", ratio=3)
    table.add_column("Best example", ratio=2, overflow="ellipsis", no_wrap=True)
    largest = max(group.size for group in summary.groups)
    for group in summary.groups:
        table.add_row(*_row(group, group.size / largest))
    return table


def _row(group: Group, length: float) -> tuple[Text, ...]:
    words = Text(clean(", ".join(word for word, _ in group.words[:6])))
    name = "" if group.name in words.plain else clean(group.name) + ": "
    title = clean(group.exemplars[0].title) if group.exemplars else "–"
    return (
        Text(str(group.number)),
        Text(f"{group.size:,}"),
        Text(_bar(length), style="cyan"),
        Text.assemble((name, "bold"), words),
        Text(" ".join(title.split())),
    )


def _bar(length: float) -> str:
    full, part = divmod(round(8 * _BAR * length), 8)
    return (_EIGHTHS[8] * full + _EIGHTHS[part].strip()) or _EIGHTHS[1]


def _lines(summary: Summary) -> list[Text]:
    said = [("Stability", wording.stability(summary))]
    found = summary.agreement
    if found is not None:
        figures = [("accuracy", found.accuracy), ("NMI", found.nmi), ("Rand", found.rand), ("ARI", found.adjusted_rand)]
        said.append(("Labels", ", ".join(f"{name} {wording.figure(value)}" for name, value in figures)))
    if summary.off_topic is not None:
        said.append(("Off-topic", counted(summary.off_topic.count, "document") + " found"))
    if summary.skipped:
        where, reason = summary.skipped[0]
        count = counted(len(summary.skipped), "document")
        said.append(("Skipped", f"{count}; the first: {clean(where)} ({clean(reason)})"))
    if summary.duplicates:
        said.append(("Same text", counted(len(summary.duplicates), "set") + " of documents"))
    return [Text.assemble((f"{head:<10}", "bold"), body) for head, body in said]
