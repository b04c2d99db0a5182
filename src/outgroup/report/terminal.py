"""Show a `Summary` in a terminal; document text is printed without markup and control codes."""

from __future__ import annotations

from collections.abc import Iterator

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from ..errors import counted, percent
from ..summary import sentences
from ..summary.clean import clean
from ..summary.records import Group, OffTopicFacts, Summary

_SHOWN = 20  # the largest
_FEW = 3  # off-topic documents
_WIDE = 100  # columns of a terminal with room for examples

_LEFT_OUT = {"Silhouette", "Coherence", "Diversity"}  # heads of lines that only the report has


def terminal(summary: Summary, console: Console) -> None:
    """Print one line for each group, the trust, and the figures to act on, so that 8 groups fit on a screen."""
    summary = sentences.with_codes(summary)
    if few := sentences.nearly_empty(summary):
        console.print(Text(few, style="bold"))
    console.print(_groups(summary, examples=console.width >= _WIDE))
    console.print(_lines(summary))
    if summary.off_topic and summary.off_topic.documents:
        console.print()
        console.print(_off_topic(summary.off_topic))


def _groups(summary: Summary, examples: bool) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", expand=True)
    table.add_column("Group", justify="right", no_wrap=True)
    table.add_column("Documents", justify="right", no_wrap=True)
    if summary.trust:
        table.add_column("Trust", no_wrap=True)
    table.add_column("Words", ratio=3, overflow="ellipsis", no_wrap=True)
    if examples:
        table.add_column("Best example", ratio=2, overflow="ellipsis", no_wrap=True)
    for *cells, example in _group_rows(summary):
        table.add_row(*cells, *([example] if examples else []))
    return table


def _group_rows(summary: Summary) -> Iterator[list[RenderableType]]:
    """Yield the cells of each shown group and of documents set aside; the last cell is an example."""
    groups = sorted(summary.full, key=lambda group: -group.size)[:_SHOWN]
    groups.sort(key=lambda group: summary.code(group.number))
    for group in groups:
        number, size, *rest = _row(group, summary.code(group.number))
        yield [number, size, *([_trust_cell(group)] if summary.trust else []), *rest]
    if summary.n_aside:
        yield ["–", f"{summary.n_aside:,}", *([""] if summary.trust else []), *_aside_cells(summary)]


def _off_topic(off_topic: OffTopicFacts) -> Table:
    """Return the table of the most off-topic documents."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", expand=True, show_edge=False)
    table.add_column("Score", justify="right", no_wrap=True, width=6)
    for head in ("Most off-topic", "Off-topic words"):
        table.add_column(head, ratio=1, overflow="ellipsis", no_wrap=True)
    documents = off_topic.documents[:_FEW]
    digits = sentences.digits(document.score for document in documents)
    for document in documents:
        words = ", ".join(word for word, _ in document.words) or "no single word"
        table.add_row(sentences.figure(document.score, digits), _line(document.title), _line(words))
    return table


def _line(text: str) -> Text:
    """Return a document's text as one line."""
    return Text(" ".join(clean(text).split()))


def _row(group: Group, number: int) -> tuple[RenderableType, ...]:
    first = [word for word, _ in group.words[:6]]
    has_name = group.name != ", ".join(first[:3])  # unnamed groups are called by these words
    if has_name:
        first = [word for word in first if word not in group.name]
    name = clean(group.name) + (": " if first else "") if has_name else ""
    description = f"({_line(group.description)}) " if group.description else ""
    title = group.exemplars[0].title if group.exemplars else "–"
    return (
        Text(str(number)),
        Text(f"{group.size:,}" if group.weight is None else f"{group.size:,}, {percent(group.share)}"),
        Text.assemble((name, "bold"), description, clean(", ".join(first))),
        _line(title),
    )


def _trust_cell(group: Group) -> Text:
    """Return a group's trust, and the number of fits that found the group again."""
    if group.figures is None or group.trust is None:  # a single group has no trust
        return Text("–")
    word = group.trust.replace("with group", "with")
    return Text.assemble(word, (f" {group.figures['found_again']}/{group.figures['fits']}", "dim"))


def _skipped(summary: Summary) -> str:
    """Return a sentence with the skipped documents, the reasons with counts, and the first one."""
    where, reason = summary.skipped[0]
    count = counted(len(summary.skipped), "document")
    if len(summary.skip_reasons) < 2:
        return f"{count}: {clean(reason)}; the first is {clean(where)}"
    reasons = [clean(reason) for reason, _ in summary.skip_reasons[:4]]
    rest = len(summary.skip_reasons) - len(reasons)
    return "; ".join([count, *reasons, *([f"{rest} more reasons"] if rest else [])])


def _aside_cells(summary: Summary) -> tuple[Text, Text]:
    """Return the cells of documents set aside that replace words and example."""
    farthest = summary.off_topic.documents[:1] if summary.off_topic else []
    return Text("off-topic: set aside", style="dim"), _line(farthest[0].title) if farthest else Text("–")


def _lines(summary: Summary) -> Table:
    lines = Table.grid(padding=(0, 1, 0, 0))
    lines.add_column(no_wrap=True, style="bold")
    lines.add_column()
    for head, body in (
        *_of_groups(summary),
        *_of_input(summary),
        *([("Junk?", clean(line))] if (line := sentences.pocket_line(summary)) else []),
        *_of_documents(summary),
    ):
        if head not in _LEFT_OUT:
            lines.add_row(head, Text(body))
    return lines


def _of_groups(summary: Summary) -> Iterator[tuple[str, str]]:
    """Yield lines about the number of groups and their trust."""
    hidden = len(summary.full) - _SHOWN
    if hidden > 0:
        yield "Groups", f"the {_SHOWN} largest, and {hidden} more in report.html"
    if summary.profile is not None:
        yield "Number", sentences.profile_line(summary.profile)
        yield from ((f"  {k} groups", line) for k, line in sentences.candidate_lines(summary.profile))
    yield from sentences.trust_lines(summary)


def _of_input(summary: Summary) -> Iterator[tuple[str, str]]:
    """Yield lines about labels, decisions and off-topic examples."""
    agreement = summary.agreement
    if agreement is not None:
        figures = [("accuracy", agreement.accuracy), ("NMI", agreement.nmi), ("ARI", agreement.adjusted_rand)]
        yield "Labels", ", ".join(f"{name} {sentences.figure(value)}" for name, value in figures)
    if summary.off_topic is not None:
        yield "Off-topic", " ".join(filter(None, [sentences.found(summary), sentences.advice(summary)]))
        if promised := sentences.promise(summary.off_topic.threshold):
            yield "Promise", promised
        if sentences.taking_back(summary):
            yield "Undo", clean(sentences.taking_back(summary))


def _of_documents(summary: Summary) -> Iterator[tuple[str, str]]:
    if summary.by is not None:
        yield "Over time" if summary.by.unit else "By column", clean(sentences.by_line(summary))
    if summary.several is not None:
        yield "Several", sentences.several_line(summary)
    if summary.skipped:
        yield "Skipped", _skipped(summary)
    if summary.repeated_lines:
        yield "Lines", clean(sentences.repeated(summary))
    if summary.duplicates or summary.near_duplicates:
        yield "Same text", sentences.same_text(summary)
    if summary.by is not None and sentences.differs(summary.by) and (line := sentences.chi_square_line(summary.by)):
        yield "Test", clean(line)
