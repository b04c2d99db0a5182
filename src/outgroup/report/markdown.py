"""Render a `Summary` as Markdown for readers of the groups: definitions, quotes, shares and changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from math import sqrt
from textwrap import shorten

from ..errors import counted, percent
from ..summary.clean import clean
from ..summary.records import Group, Summary
from ..summary.sentences import by_line, chi_square_line, shares_of_halves, with_codes

_QUOTE = 300  # characters
_COLUMNS = 8  # values of a column in the table by group
_MARKUP = re.compile(r"[\\`*_\[\]<>#|~$&]|^[-+=]|^\d+(?=[.)])")


def markdown(summary: Summary, definitions: Mapping[int, str]) -> str:
    r"""Return the groups as Markdown: a table, and for each group its definition, three quotes and its change.

    Parameters
    ----------
    summary : Summary
    definitions : mapping
        A group number -> its definition, one sentence.

    Returns
    -------
    str
        Shares have 95 % intervals (Wilson's), which hold for a random sample of documents; weighted shares have none.
    """
    summary = with_codes(summary)
    groups = sorted(summary.full, key=lambda group: -group.share)
    parts = [
        f"# {_line(str(summary.run.get('title', '')) or 'Groups')}",
        _head(summary, len(groups)),
        "\n".join(_sizes(summary, groups)),
        *(part for group in groups for part in _group(summary, group, definitions.get(group.number, ""))),
        *_by(summary, groups),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _line(text: str) -> str:
    r"""Return document text as one line that no Markdown reader takes for markup.

    >>> print(_line("# 1*2 <b>\n- x"), _line("- x"))
    \# 1\*2 \<b\> - x \- x
    """
    return _MARKUP.sub(lambda found: "\\" + found[0], " ".join(clean(text).split()))


def _head(summary: Summary, k: int) -> str:
    aside = f"; {counted(summary.n_aside, 'document')} set aside as off-topic" if summary.n_aside else ""
    skipped = f"; {len(summary.skipped):,} skipped" if summary.skipped else ""
    return f"{counted(summary.n_documents, 'document')} in {counted(k, 'group')}{aside}{skipped}."


def _sizes(summary: Summary, groups: list[Group]) -> Iterator[str]:
    weighted = any(group.weight is not None for group in groups)
    share = "share by weight" if weighted else "share | 95 % interval"
    yield f"| code | group | documents | {share} | trust |"
    yield f"|---:|---|---:|{'---:' if weighted else '---:|---'}|---|"
    total = max(1, sum(group.size for group in groups))
    for group in groups:
        shares = [percent(group.share)]
        if not weighted:
            low, high = _interval(group.size, total)
            shares.append(f"{percent(low)} to {percent(high)}")
        code = "" if group.code is None else group.code
        cells = (code, _line(group.name), f"{group.size:,}", *shares, _trust(summary, group))
        yield f"| {' | '.join(map(str, cells))} |"


def _trust(summary: Summary, group: Group) -> str:
    """Return the trust of a group; the other group of a mixed one by name, as the table numbers codes, not groups."""
    if group.figures is None or group.figures["word"] != "mixed":
        return group.trust or ""
    return f"mixed with {_line(summary.groups[group.figures['mixed_with']].name)}"


def _interval(count: int, total: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share; `scipy.stats` has it, too, but takes half a second to import."""
    z, share = 1.959964, count / total
    centre, half = share + z * z / (2 * total), z * sqrt(share * (1 - share) / total + (z / (2 * total)) ** 2)
    return (centre - half) / (1 + z * z / total), (centre + half) / (1 + z * z / total)


def _group(summary: Summary, group: Group, definition: str) -> Iterator[str]:
    yield f"## {_line(group.name)}"
    yield _line(definition)
    words = ", ".join(word for word, _ in group.words[:10])
    yield f"Words: {_line(words)}" if words else ""
    quotes = [f"> {_line(shorten(text, _QUOTE, placeholder=' …'))} ({how})" for text, how in _quotes(summary, group)]
    yield "\n>\n".join(quotes)
    yield _change(summary, group)


def _quotes(summary: Summary, group: Group) -> list[tuple[str, str]]:
    """Return a typical, a recent and a borderline text of a group, all different."""
    typical = [(document.id, document.snippet, "typical") for document in group.exemplars]
    border = [(document.id, document.snippet, "at the border") for document in group.borderline]
    quotes = dict[str, tuple[str, str]]()
    for identity, text, how in [*typical[:1], *_recent(summary, group), *border[:1], *typical[1:]]:
        if text.strip() and identity not in quotes and all(text != known for known, _ in quotes.values()):
            quotes[identity] = (text, how)
    return list(quotes.values())[:3]


def _recent(summary: Summary, group: Group) -> list[tuple[str, str, str]]:
    """Return the most typical text of the group in its last period; [] without periods."""
    by, documents = summary.by, summary.documents
    if by is None or not by.unit or by.column not in documents.fields:
        return []
    position, dates = {label: at for at, label in enumerate(by.labels)}, documents.fields[by.column]
    rows = [row for row, number in enumerate(documents.group.tolist()) if number == group.number and dates[row]]
    rows = [row for row in rows if dates[row] in position and documents.texts[row].strip()]
    if not rows:
        return []
    row = max(rows, key=lambda row: (position[dates[row]], documents.typical[row]))
    return [(documents.ids[row], documents.texts[row], f"recent, {_line(dates[row])}")]


def _change(summary: Summary, group: Group) -> str:
    """State the shares of a group in the first and the second half of the time; "" without periods."""
    shares = None if summary.by is None else shares_of_halves(summary.by)
    if shares is None:
        return ""
    before, after = shares[0][group.number], shares[1][group.number]
    return f"Share in the first half of the time {percent(before)}, in the second {percent(after)}."


def _by(summary: Summary, groups: list[Group]) -> Iterator[str]:
    """Yield the shares of the groups by the values of a column, at most the last periods or the largest categories."""
    by = summary.by
    if by is None or not by.labels:
        return
    totals = [sum(column) for column in zip(*by.counts, strict=True)]
    columns = range(len(totals))
    shown = columns[-_COLUMNS:] if by.unit else sorted(sorted(columns, key=lambda at: -totals[at])[:_COLUMNS])
    yield f"## By {_line(by.column)}"
    yield _line(" ".join(line for line in (by_line(summary), chi_square_line(by)) if line))
    rows = [["group", *(_line(by.labels[at]) for at in shown)], ["---", *["---:"] * len(shown)]]
    rows += [
        [_line(group.name), *(percent(by.counts[group.number][at] / totals[at]) if totals[at] else "–" for at in shown)]
        for group in groups
    ]
    rows.append(["all", *(f"{totals[at]:,.6g}" for at in shown)])  # the base of the shares
    yield "\n".join(f"| {' | '.join(row)} |" for row in rows)
