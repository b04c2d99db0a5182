"""Groups as a small table of HTML, as a notebook shows them; whatever documents say is escaped."""

from __future__ import annotations

from html import escape
from typing import Any

from ..report.clean import clean
from ..report.facts import Summary
from ..report.palette import colours

_SHOWN, _WORDS = 50, 8


def groups_html(summary: Summary) -> str:
    """Return the groups with their sizes, words and an example each."""
    shades = [light for light, _ in colours(len(summary.groups))]
    full = [group for group in summary.groups if group.size]
    rows = []
    for group in sorted(full, key=lambda each: (-each.size, each.number))[:_SHOWN]:
        example = group.exemplars[0].title if group.exemplars else ""
        words = ", ".join(word for word, _ in group.words[:_WORDS])
        spot = f'<span style="color:{shades[group.number]}">&#9679;</span>'
        cells = (_said(group.name), f"{group.size:,}", group.trust or "", _said(words), _said(example))
        rows.append(f"<tr><td>{spot} {group.number}</td>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    more = f"<p>and {len(full) - _SHOWN} more groups</p>" if len(full) > _SHOWN else ""
    out = summary.documents.group < 0
    said = f"{summary.n_documents:,} documents in {len(full)} groups"
    said += f", {int(out.sum()):,} off-topic" if out.any() else ""
    head = "".join(f"<th>{name}</th>" for name in ("group", "name", "documents", "trust", "words", "example"))
    return f"<p>{said}</p><table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>{more}"


def table_html(table: Any) -> str:
    """Return a table of any library as HTML."""
    return str(table._repr_html_()) if hasattr(table, "_repr_html_") else f"<pre>{escape(repr(table))}</pre>"


def _said(text: str) -> str:
    return f'<bdi dir="auto">{escape(clean(text))}</bdi>'
