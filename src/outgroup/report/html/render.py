"""From a `Summary` to one HTML file that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import jinja2

from ..clean import clean
from ..facts import Group, Summary
from ..passages import marked
from ..sentences import advice, wording
from ..sentences.by_column import by_table
from ..sentences.profile import FIGURES, candidate_lines, profile_line, profile_rows
from ..sentences.receipt import receipt_lines
from ..sentences.trust import GLOSSARY, nearly_empty, trust_lines
from .bundle import PAGE, bundle
from .convergence_chart import convergence
from .pack import REPORT_SIZE, pack
from .palette import colours
from .profile_chart import picture

_NOTHING_SAID = dict.fromkeys(("title", "source", "date", "command", "next", "parameters", "versions", "timings"))
_MANY = 24  # groups: beyond, each has a short card in print
_FIRST = {"about", "summary", "place", "group", "rival", "margin"}  # parts without which the page shows nothing
_LABELS = 40  # columns of the heat table


def render(summary: Summary, size: float = REPORT_SIZE) -> str:
    """Return the report as one HTML file: styles, script and documents inside, nothing loaded from elsewhere.

    The rest of the documents' texts, beyond the first 400 characters of each, may take `size` megabytes. Every string
    of the summary is escaped or deflated; none of them is put into the script, whose hash is the only one that the
    page's content security policy lets run.
    """
    page = {"s": summary, "run": _NOTHING_SAID | summary.run, "parts": pack(summary, size), "first": _FIRST}
    found = page | _looks(summary) | _about_groups(summary) | _in_figures(summary) | _in_words(summary)
    return environment().get_template("page.html.j2").render(found)


def _looks(summary: Summary) -> dict[str, Any]:
    """Styles and script, and how much of each group is printed."""
    script, many = bundle(), len(summary.groups) > _MANY
    return {
        "style": (PAGE / "page.css").read_text(encoding="utf-8"),
        "script": script,
        "script_hash": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        "colours": colours(len(summary.groups)),
        "words_shown": 10 if many else 16,
        "examples_shown": 1 if many else 2,
    }


def _about_groups(summary: Summary) -> dict[str, Any]:
    return {
        "full": sum(group.size > 0 for group in summary.groups),
        "there": sum(not group.gone for group in summary.groups),
        "tight": sum(group.trust == "tight" for group in summary.groups),
        "few": nearly_empty([(group.number, group.size) for group in summary.groups if not group.gone]),
        "trust_lines": trust_lines(summary.trust) if summary.trust else [],
        "glossary": GLOSSARY,
        "stability": wording.stability(summary),
    }


def _in_figures(summary: Summary) -> dict[str, Any]:
    """The tables and pictures."""
    chart, off_topic = convergence(summary), summary.off_topic
    return {
        "chart": chart,
        "certificate": wording.certificate(chart.last) if chart else "",
        "heat": _heat(summary),
        "by": by_table(summary),
        "profile": _profile(summary),
        "score_digits": wording.digits(d.score for d in off_topic.documents) if off_topic else 2,
    }


def _in_words(summary: Summary) -> dict[str, Any]:
    """What is said of off-topic documents and of decisions."""
    return {
        "meanings": wording.MEANINGS,
        "universum": wording.universum(summary),
        "same_text": wording.same_text(summary),
        "receipt_lines": receipt_lines(summary.receipt) if summary.receipt else [],
        "off_topic": {
            "found": advice.found(summary),
            "advice": advice.advice(summary),
        },
    }


@lru_cache
def environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(PAGE),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: clean(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        figure=wording.figure,
        percent=wording.percent,
        counted=wording.counted,
        expected=wording.expected,
        promise=advice.promise,
        marked=marked,
        in_words=_parameter,
        when=wording.when,
        digits=lambda words: wording.digits(value for _, value in words),
    )
    return environment


def _parameter(value: Any) -> str:
    """A parameter's value for people."""
    if isinstance(value, dict):
        return ", ".join(f"{name}: {_parameter(each)}" for name, each in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(map(_parameter, value)) or "none"
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _profile(summary: Summary) -> dict[str, Any] | None:
    """What chose the number of groups: a sentence, the candidates, the picture and the table."""
    if summary.profile is None:
        return None
    return {
        "line": profile_line(summary.profile),
        "candidates": candidate_lines(summary.profile, summary.tree, len(summary.groups)),
        "picture": picture(summary.profile),
        "heads": FIGURES,
        "rows": profile_rows(summary.profile),
    }


def _heat(summary: Summary) -> dict[str, Any] | None:
    """The heat table: labels in the order of the groups that they match, the rarest taken together; of documents that
    were set aside the last row, without a group."""
    found = summary.agreement
    if found is None or len(found.labels) < 2:
        return None
    aside = _labels_aside(summary)
    labels = found.labels + sorted(aside.keys() - set(found.labels))
    rows = [[*counts, *[0] * (len(labels) - len(counts))] for counts in found.counts]
    rows += [[aside[label] for label in labels]] * bool(aside)
    shown, hidden = _columns(found.matched, rows)
    groups: list[Group | None] = [*summary.groups, *[None] * bool(aside)]
    matches = [*found.matched, *[None] * bool(aside)]
    return {
        "columns": [labels[label] for label in shown] + [f"{len(hidden)} others"] * bool(hidden),
        "rows": [
            (group, _cells(counts, match, shown, hidden))
            for group, counts, match in zip(groups, rows, matches, strict=True)
        ],
    }


def _columns(matched: Sequence[int | None], rows: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """Return the labels that are columns of the heat table, those that groups match first, and the rarest, which are
    not."""
    totals = [sum(column) for column in zip(*rows, strict=True)]
    first = [label for label in matched if label is not None]
    rest = sorted(set(range(len(totals))) - set(first), key=lambda label: -totals[label])
    return (first + rest)[:_LABELS], (first + rest)[_LABELS:]


def _labels_aside(summary: Summary) -> Counter[str]:
    """How many documents of each label were set aside; of a sample nothing, since the groups' counts are of all."""
    documents = summary.documents
    if len(documents) < summary.n_documents:
        return Counter()
    labels = documents.fields.get("label", [])
    return Counter(label for label, group in zip(labels, documents.group, strict=False) if label and group < 0)


def _cells(counts: list[int], match: int | None, shown: list[int], hidden: list[int]) -> list[tuple[int, float, bool]]:
    """The counts of a row with their shares of it, and which is that of the matched label."""
    size, other = max(1, sum(counts)), sum(counts[label] for label in hidden)
    cells = [(counts[label], counts[label] / size, label == match and counts[label] > 0) for label in shown]
    return cells + [(other, other / size, False)] * bool(hidden)
