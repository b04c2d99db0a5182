"""Groups as a small table of HTML, as a notebook shows them; whatever documents say is escaped."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from ..report.clean import clean
from ..report.html.palette import colour

_SHOWN = 50


def groups_html(known: Mapping[int, Mapping[str, Any]], out: int) -> str:
    """Return what is `described` of groups, by their numbers, beside which so many documents are off-topic."""
    full = [number for number, each in known.items() if each["size"]]
    rows = []
    for number in sorted(full, key=lambda number: (-known[number]["size"], number))[:_SHOWN]:
        group = known[number]
        texts = [_said(each) for each in (group.get("trust", ""), ", ".join(group["words"]), group.get("example", ""))]
        spot = f'<span style="color:{colour(number)[0]}">&#9679;</span>'
        cells = (f"{spot} {number}", _said(group["name"]), f"{group['size']:,}", *texts)
        rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    more = f"<p>and {len(full) - _SHOWN} more groups</p>" if len(full) > _SHOWN else ""
    said = f"{sum(each['size'] for each in known.values()) + out:,} documents in {len(full)} groups"
    said += f", {out:,} off-topic" if out else ""
    head = "".join(f"<th>{name}</th>" for name in ("group", "name", "documents", "trust", "words", "example"))
    return f"<p>{said}</p><table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>{more}"


def _said(text: str) -> str:
    return f'<bdi dir="auto">{escape(clean(text))}</bdi>'
