"""Render a `Summary` as a self-contained HTML file, and the page of the workbench."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import counted, percent
from ..rows.threads import ordered_map
from ..summary import sentences
from ..summary.clean import clean
from ..summary.duplicates import near_duplicates_key
from ..summary.partition import HEAD, shown_cell
from ..summary.records import Documents, Summary
from ..summary.words import marked
from ..types import Array
from .palette import colours

# --- Parts of a page: JSON and numeric columns, deflated, in base64
#
# The page has the title and the first 400 characters of each document; the rest of the texts follows within a budget
# of bytes, the shortest first.

REPORT_SIZE = 5.0
"""Budget of the page, in megabytes, for further columns and for the full texts beyond their first characters."""

_BETWEEN = "\x1e"  # clean texts do not contain it


def pack(summary: Summary, size: float = REPORT_SIZE) -> dict[str, str]:
    """Return the parts of a page by name; `size` is the budget in megabytes for text beyond the first characters."""
    # 1. Further columns, as far as a quarter of the budget allows.
    documents = summary.documents
    others = _affordable(documents.others, 0.25 * size * 1e6)
    cells = {f"other-{i}": part for i, part in enumerate(others.values())}
    ranges = numeric({name: documents.others[name] for name in others if name not in documents.fields})
    # 2. Titles and first characters of all texts, and the rest of those that fit.
    texts = [clean(text).strip() for text in documents.texts]
    head = min(HEAD, max(80, 40_000_000 // max(len(texts), 1)))  # fewer beyond 100,000 documents
    full = _stored_in_full(texts, head, size * 1e6 - sum(map(len, others.values())))
    titles = [" ".join(clean(title).split()) for title in documents.titles]
    tails = [text[head:] if is_full else "" for text, is_full in zip(texts, full, strict=True)]
    pieces = {"tails": tails, "heads": [text[:head] for text in texts], "titles": titles}
    parts = dict(zip(pieces, ordered_map(_deflated, map(_BETWEEN.join, pieces.values())), strict=True))
    # 3. What belongs to documents and words, and the numbers.
    several = {row: asdict(groups) for row, groups in documents.several.items() if full[row]}
    parts |= {"ids": _json(documents.ids), "words": _json(documents.words), "several": _json(several)}
    parts |= pack_lengths(texts, documents.titles) | pack_fields(documents.fields) | cells
    cut = int(len(texts) - full.sum())
    amount = sentences.amount(summary, head, cut, [name for name in documents.others if name not in others])
    return pack_numbers(summary, amount, list(others), ranges) | parts


def _affordable(others: Mapping[str, Sequence[str]], budget: float) -> dict[str, str]:
    """Return the columns that are not filters, smallest first, as far as a budget of bytes allows."""
    packed = {name: pack_cells(values) for name, values in others.items()}
    sizes = np.cumsum(sorted(map(len, packed.values())))
    most = len(sizes) and int(np.count_nonzero(sizes <= budget))
    smallest = sorted(packed, key=lambda name: len(packed[name]))[:most]
    return {name: part for name, part in packed.items() if name in smallest}


def pack_cells(values: Sequence[str]) -> str:
    """Return a column as a part of the page; it has no list of values to filter by."""
    return _deflated(_BETWEEN.join(map(shown_cell, values)))


_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)


def numeric(columns: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the names of the columns whose values are numbers or empty, at least two of them different numbers.

    >>> numeric({"price": ["1.5", "", "20"], "code": ["1", "A"], "year": ["2024", "2024"]})
    ['price']
    """

    def ranged(values: Sequence[str]) -> bool:
        known = {value.strip() for value in values} - {""}
        return len(known) > 1 and all(map(_NUMBER.fullmatch, known))

    return [name for name, values in columns.items() if ranged(values)]


def pack_numbers(
    summary: Summary, amount: str, others: Sequence[str] = (), ranges: Sequence[str] = ()
) -> dict[str, str]:
    """Return the parts of the page without text: the groups, and the numeric columns of the documents.

    `amount` states which texts the page has; `others` names the further columns, `ranges` those of numbers among them.
    """
    documents = summary.documents
    columns = _numeric_columns(documents)
    about = {
        "columns": {name: [column.dtype.name, (column.ndim > 1 and column.shape[1]) or 1] for name, column in columns},
        "colours": colours(max(_numbers_shown(summary), 20)),  # also for the values of a column
        "fields": list(documents.fields),
        "asides": documents.asides,
        "others": list(others),
        "ranges": list(ranges),
        "amount": amount,
        "n": len(documents.ids),
    }
    numbers = {name: _numbers(column) for name, column in columns}
    return {"about": _json(about), "summary": pack_summary(summary), **numbers}


def pack_places(place: Array) -> str:
    """Return the map positions `place` (n, 2) as a part of the page."""
    return _numbers(_on_grid(place))


def _on_grid(place: Array) -> Array:
    return np.round(8_000 * place).astype(np.int16)


def pack_summary(summary: Summary) -> str:
    """Return the summary as a part of the page; `pulled` has the words of the most off-topic documents, by id."""
    summary, off_topic = sentences.with_codes(summary), None
    if summary.off_topic is not None:
        words = [[document.id, [word for word, _ in document.words]] for document in summary.off_topic.documents]
        off_topic = {"sure": sentences.advice(summary), "pulled": words}
    suggested = sentences.candidate_lines(summary.profile) if summary.profile else []
    more = {"off_topic": off_topic, "glossary": sentences.GLOSSARY, "suggested": suggested}
    return _json(summary.for_page() | more)


def _numbers_shown(summary: Summary) -> int:
    """Return the count of group numbers, including those of the finest level."""
    return len(summary.groups) + len(summary.tree.parts)


def pack_fields(fields: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return further columns as parts of the page: distinct values, and the value index of each document."""
    parts = {}
    for i, values in enumerate(fields.values()):
        shown = {value: clean(value) for value in {*values}}
        kinds = sorted({*shown.values()})
        code_of = {kind: code for code, kind in enumerate(kinds)}
        parts[f"field-{i}"] = _json({"values": kinds, "codes": [code_of[shown[value]] for value in values]})
    return parts


def pack_lengths(texts: Sequence[str], titles: Sequence[str]) -> dict[str, str]:
    """Return text lengths as a part of the page and, for duplicates and near-duplicates, the first such row plus 1."""
    keys = [near_duplicates_key(f"{title}\n{text}") for title, text in zip(titles, texts, strict=True)]
    first, counts = dict[str, int](), Counter(keys)
    same = [first.setdefault(key, row) + 1 if counts[key] > 1 else 0 for row, key in enumerate(keys)]
    lengths = [len(text) for text in texts]
    return {name: _numbers(np.array(values, dtype=np.uint32)) for name, values in (("length", lengths), ("same", same))}


def _stored_in_full(texts: Sequence[str], head: int, budget: float) -> Array:
    """Return which texts are stored in full, (n,) bool: those that fit the first characters, and the shortest
    others.
    """
    rest = np.array([len(text) - head for text in texts])
    long = np.flatnonzero(rest > 0)
    full = rest <= 0
    if len(long):
        sample = "".join(texts[i][head:] for i in long[:: max(1, len(long) // 200)])
        order = long[np.argsort(rest[long], kind="stable")]
        full[order[np.cumsum(rest[order]) * (len(_deflated(sample)) / len(sample)) <= budget]] = True
    return full


def _numeric_columns(documents: Documents) -> list[tuple[str, Array]]:
    """Return the numeric columns in their smallest types."""
    columns: list[tuple[str, Array]] = [
        ("group", documents.group.astype(np.int16)),
        ("part", documents.part.astype(np.int16)),
        ("rival", documents.rival.astype(np.int16)),
        ("flagged", documents.flagged.astype(np.uint8)),
        ("margin", documents.margin),
        ("typical", np.round(65_535 * np.clip(documents.typical, 0.0, 1.0)).astype(np.uint16)),
        ("score", documents.off_topic_score),
        ("place", _on_grid(documents.place)),
    ]
    if not documents.why.shape[1]:  # no reasons and neighbours
        return columns
    words = np.uint16 if len(documents.words) < 65_535 else np.uint32
    most = documents.pull.max(axis=1, initial=0.0)
    share = documents.pull / np.maximum(most, 1e-30)[:, None]
    return [
        *columns,
        ("why", (documents.why + 1).astype(words)),
        ("share", np.round(255 * share).astype(np.uint8)),
        ("most", most.astype(np.float32)),
        ("near", (documents.near + 1).astype(np.uint32)),
    ]


def _json(content: Any) -> str:
    return _deflated(json.dumps(content, ensure_ascii=True, allow_nan=False, separators=(",", ":")))


def _numbers(column: Array) -> str:
    """Return little-endian bytes, grouped by significance, which compresses better."""
    raw = np.ascontiguousarray(column.astype(column.dtype.newbyteorder("<"))).view(np.uint8)
    return _packed(raw.reshape(-1, column.dtype.itemsize).T.tobytes())


def _deflated(text: str) -> str:
    return _packed(text.encode("utf-8"))


def _packed(raw: bytes) -> str:
    # Level 4 takes less than half of the time of level 6, for 4 % more bytes of news.
    return base64.b64encode(zlib.compress(raw, 4)).decode("ascii")


# --- The report as one HTML file

_EMPTY_RUN = dict.fromkeys(("title", "source", "date", "command", "next", "parameters", "versions", "timings"))
_FIRST = {"about", "summary", "place", "group", "part", "rival", "margin"}  # parts needed for the first view
_LABELS = 40  # columns of the heat table


def render(summary: Summary, size: float = REPORT_SIZE) -> str:
    """Render the report as one HTML file that contains styles, script and documents, and loads nothing.

    Texts beyond their first 400 characters may take `size` megabytes. Every string of the summary is escaped or
    deflated; none is part of the script. The content security policy allows that script only, by its hash.
    """
    parts, summary = pack(summary, size), sentences.with_codes(summary)
    groups, off_topic, by, profile = summary.groups, summary.off_topic, summary.by, summary.profile
    by_lines = [sentences.by_line(summary), sentences.chi_square_line(by), sentences.SHADE] if by else []
    code, many = bundle(), len(groups) > 24  # short cards in print
    content = {
        "s": summary,
        "run": _EMPTY_RUN | summary.run,
        "parts": parts,
        "first": _FIRST,
        "style": style(),
        "script": code,
        "script_hash": base64.b64encode(hashlib.sha256(code.encode()).digest()).decode(),
        "colours": colours(_numbers_shown(summary)),
        "words_shown": 10 if many else 16,
        "examples_shown": 1 if many else 2,
        "full": len(summary.full),
        "there": sum(not group.gone for group in groups),
        "tight": sum(group.trust == "tight" for group in groups),
        "few": sentences.nearly_empty(summary),
        "trust_lines": sentences.trust_lines(summary),
        "glossary": sentences.GLOSSARY,
        "heat": _heat(summary),
        "by_rows": sentences.by_rows(summary),
        "by_line": " ".join(filter(None, by_lines)),
        "profile": profile
        and {
            "line": sentences.profile_line(profile),
            "candidates": sentences.candidate_lines(profile),
            "heads": sentences.FIGURES,
            "rows": sentences.profile_rows(profile),
        },
        "score_digits": sentences.digits(d.score for d in off_topic.documents) if off_topic else 2,
        "same_text": sentences.same_text(summary),
        "several": sentences.several_line(summary),
        "repeated": sentences.repeated(summary),
        "off_topic": {
            "found": sentences.found(summary),
            "advice": sentences.advice(summary),
        },
    }
    return environment().get_template("page.html.j2").render(content)


@lru_cache
def environment() -> Any:
    """Return the environment of the templates of Jinja, whose import takes a while."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(PAGE),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: clean(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        figure=sentences.figure,
        percent=percent,
        counted=counted,
        expected=sentences.expected,
        promise=sentences.promise,
        marked=marked,
        in_words=_parameter,
        when=sentences.when,
        digits=lambda words: sentences.digits(value for _, value in words),
    )
    return environment


def _parameter(value: Any) -> str:
    """Format the value of a parameter."""
    if isinstance(value, dict):
        return ", ".join(f"{name}: {_parameter(part)}" for name, part in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(map(_parameter, value)) or "none"
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _heat(summary: Summary) -> dict[str, Any] | None:
    """Return the heat table of groups and labels; rare labels are pooled, documents set aside are the last row.

    A cell has its count, its share of the row, and whether it is the matched label.
    """
    agreement = summary.agreement
    if agreement is None or len(agreement.labels) < 2:
        return None
    # 1. The counts; those of documents set aside are unknown for a sample.
    aside: Counter[str] = Counter()
    if len(summary.documents) == summary.n_documents:
        labelled = zip(summary.documents.fields.get("label", []), summary.documents.group, strict=False)
        aside = Counter(label for label, group in labelled if label and group < 0)
    labels = agreement.labels + sorted(aside.keys() - set(agreement.labels))
    counts = np.pad(agreement.counts, ((0, bool(aside)), (0, len(labels) - len(agreement.labels))))
    if aside:
        counts[-1] = [aside[label] for label in labels]
    # 2. The columns: matched labels first, then the most frequent ones.
    first = [label for label in agreement.matched if label is not None]
    rest = sorted({*range(len(labels))} - {*first}, key=lambda label: -counts[:, label].sum())
    columns, hidden = (first + rest)[:_LABELS], (first + rest)[_LABELS:]
    pooled = [counts[:, hidden].sum(axis=1)] * bool(hidden)
    table = np.column_stack([counts[:, columns], *pooled])
    shares = table / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    # 3. The cells of each group, and of those set aside.
    matches = np.array([[label == match for label in columns] for match in [*agreement.matched, *[None] * bool(aside)]])
    matches = np.pad(matches, ((0, 0), (0, len(pooled)))) & (table > 0)
    cells = [[*zip(*row, strict=True)] for row in zip(table.tolist(), shares.tolist(), matches.tolist(), strict=True)]
    return {
        "columns": [labels[label] for label in columns] + [f"{len(hidden)} others"] * bool(hidden),
        "rows": [(group, cells[group.number]) for group in summary.full] + [(None, cells[-1])] * bool(aside),
    }


# --- Bundle of ES modules: a module becomes a function that returns its exports, in order of imports

PAGE = Path(__file__).parent / "page"

_IMPORT = re.compile(r'^import (\w+|\{[^}]*\}) from "\./([\w/]+)\.m?js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:const|let|function|class)\b)", re.MULTILINE)
_NAME = re.compile(r"^export (?:async )?(?:const|let|function|class)\*? ?(\w+)", re.MULTILINE)
_RELEASED = re.compile(r"export(?:\{([^}]*)\};| default )")
_COMMENT = re.compile(r"^ *(?://.*|/\*\*(?:[^*]|\*(?!/))*\*/)\n", re.MULTILINE)  # of whole lines


@lru_cache
def bundle(start: str = "report") -> str:
    """Join the module `page/{start}.js` and its imports to one script.

    Supports `import { a, b } from "./name.js";` and exports in front of declarations only, and of the libraries in
    `vendor/` a default export or one list of exports at the end.
    """
    sources, needs = dict[str, str](), dict[str, list[str]]()
    waiting = [start]
    while waiting:
        name = waiting.pop()
        if name not in sources:
            suffix = ".mjs" if name.startswith("vendor/") else ".js"
            sources[name] = _COMMENT.sub("", (PAGE / f"{name}{suffix}").read_text(encoding="utf-8"))
            needs[name] = [target for _, target in _IMPORT.findall(sources[name])]
            waiting += needs[name]
    modules = "".join(_wrapped(name, sources[name]) for name in TopologicalSorter(needs).static_order())
    return f'(() => {{\n"use strict";\n{modules}}})();\n'


def _wrapped(name: str, source: str) -> str:
    if name.startswith("vendor/"):
        body = _RELEASED.sub(lambda match: f"return {_listed(match[1])}" if match[1] else "return ", source)
    else:
        exports = ", ".join(_NAME.findall(source))
        body = f"{_EXPORT.sub('', _IMPORT.sub(_constant, source))}return {{ {exports} }};\n"
    return f"const {_variable(name)} = (() => {{\n{body}}})();\n"


def _constant(match: re.Match[str]) -> str:
    return f"const {match[1].replace(' as ', ': ')} = {_variable(match[2])};\n"


def _listed(names: str) -> str:
    """Return the exports `a as b, c` as an object."""
    pairs = [name.split(" as ") for name in names.split(",")]
    return "{" + ", ".join(f"{pair[-1]}: {pair[0]}" for pair in pairs) + "}"


def _variable(name: str) -> str:
    return name.replace("/", "_") + "_js"


# --- The page of the workbench


def shell(title: str) -> str:
    """Return the HTML frame of the workbench; its script adds the content."""
    return environment().get_template("workbench.html.j2").render(title=title)


@lru_cache
def style() -> str:
    """Return the styles of the page."""
    return (PAGE / "page.css").read_text(encoding="utf-8")
