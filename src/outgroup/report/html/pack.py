"""A summary as the parts of a page: JSON and columns of numbers, each deflated and in base64.

Every document has its title and the first 400 characters of its text in the page; the rest of the texts is taken along,
the shortest first, as far as a budget of bytes goes.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...types import Array
from ..clean import clean
from ..documents import cells
from ..facts import Documents, Summary
from ..sentences.advice import advice
from ..sentences.trust import GLOSSARY
from .palette import colours

REPORT_SIZE = 5.0
"""Megabytes of the file that the rest of the texts may take, beyond the first characters of each, and what stands in
columns beside them."""

_HEAD = 400  # characters of a text that are always there
_HEADS = 40_000_000  # of all documents: beyond 100,000 documents, each has fewer
_BESIDE = 0.25  # of these bytes that columns may take
_SAMPLE = 200  # texts that tell how far texts deflate
_KINDS = 20  # values of a column that have a colour each, whatever the number of groups
_BETWEEN = "\x1e"  # no text holds it once it is clean


@dataclass(frozen=True)
class PackedTexts:
    """What versions of the same documents share: the `parts` of their texts, of each of which `head` characters are
    there, and of `left_out` no more."""

    parts: dict[str, str]
    head: int
    left_out: int


def pack_texts(documents: Documents, size: float) -> PackedTexts:
    """Return the documents' texts as parts; `size` is the budget for the rest of them, in megabytes."""
    texts = [clean(text).strip() for text in documents.texts]
    head = min(_HEAD, max(80, _HEADS // max(len(texts), 1)))
    whole = _whole(texts, head, size * 1e6)
    parts = {
        "ids": _json(documents.ids),
        "words": _json(documents.words),
        "titles": _deflated(_BETWEEN.join(" ".join(clean(title).split()) for title in documents.titles)),
        "heads": _deflated(_BETWEEN.join(text[:head] for text in texts)),
        "tails": _deflated(
            _BETWEEN.join(text[head:] if there else "" for text, there in zip(texts, whole, strict=True))
        ),
        "length": pack_lengths(texts),
    }
    return PackedTexts(parts, head, int(len(texts) - whole.sum()))


def pack(summary: Summary, size: float = REPORT_SIZE) -> dict[str, str]:
    """Return the parts by name; `size` is as for `pack_texts`."""
    documents = summary.documents
    others = _affordable(documents.others, _BESIDE * size * 1e6)
    packed = pack_texts(documents, size - sum(map(len, others.values())) / 1e6)
    numbers = pack_numbers(summary, packed.head, packed.left_out, list(others))
    cells = {f"other-{i}": part for i, part in enumerate(others.values())}
    return numbers | pack_fields(documents.fields) | packed.parts | cells


def _affordable(others: Mapping[str, Sequence[str]], budget: float) -> dict[str, str]:
    """Return the columns that nothing is filtered by as parts, by name: the smallest, as far as so many bytes go."""
    packed = {name: _deflated(_BETWEEN.join(map(cells.shown, values))) for name, values in others.items()}
    sizes = np.cumsum(sorted(map(len, packed.values())))
    most = len(sizes) and int(np.count_nonzero(sizes <= budget))
    taken = sorted(packed, key=lambda name: len(packed[name]))[:most]
    return {name: part for name, part in packed.items() if name in taken}


def pack_numbers(summary: Summary, head: int = 0, left_out: int = 0, others: Sequence[str] = ()) -> dict[str, str]:
    """Return the parts that hold no text: what is told of the groups, and a number or more of each document.

    Of each text `head` characters are there, and of so many that are `left_out` no more; `others` are the names of the
    columns that are there to be shown.
    """
    documents = summary.documents
    columns = _columns(documents)
    about = {
        "columns": {name: [column.dtype.name, (column.ndim > 1 and column.shape[1]) or 1] for name, column in columns},
        "colours": colours(max(len(summary.groups), _KINDS)),
        "fields": list(documents.fields),
        "others": list(others),
        "others_left_out": [name for name in documents.others if name not in others],
        "head": head,
        "left_out": left_out,
        "n": len(documents.ids),
    }
    numbers = {name: _numbers(column) for name, column in columns}
    return {
        "about": _json(about),
        "summary": pack_summary(summary),
        **numbers,
    }


def pack_summary(summary: Summary) -> str:
    """Return the part that tells of the groups."""
    return _json(summary.for_page() | {"off_topic": _off_topic(summary), "glossary": GLOSSARY})


def _off_topic(summary: Summary) -> dict[str, Any] | None:
    """Return how sure the verdicts are, in sentences, and the words that pulled out each of the farthest, by its id."""
    if summary.off_topic is None:
        return None
    pulled = [[each.id, [word for word, _ in each.words]] for each in summary.off_topic.documents]
    return {"sure": advice(summary), "pulled": pulled}


def pack_fields(fields: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return a part for each further column: its values, and which of them each document has."""
    return {f"field-{i}": _json(_codes(values)) for i, values in enumerate(fields.values())}


def pack_lengths(texts: Sequence[str]) -> str:
    """Return the part with the lengths of the texts."""
    return _numbers(np.array([len(text) for text in texts], dtype=np.uint32))


def _whole(texts: Sequence[str], head: int, budget: float) -> Array:
    """Which texts fit in whole, (n,) bool: all that are no longer than a head, and the shortest of the others."""
    rest = np.array([len(text) - head for text in texts])
    long = np.flatnonzero(rest > 0)
    whole = rest <= 0
    if len(long):
        sample = "".join(texts[i][head:] for i in long[:: max(1, len(long) // _SAMPLE)])
        order = long[np.argsort(rest[long], kind="stable")]
        whole[order[np.cumsum(rest[order]) * (len(_deflated(sample)) / len(sample)) <= budget]] = True
    return whole


def _columns(documents: Documents) -> list[tuple[str, Array]]:
    """The numbers of the documents in as few bytes as tell them apart."""
    found: list[tuple[str, Array]] = [
        ("group", documents.group.astype(np.int16)),
        ("rival", documents.rival.astype(np.int16)),
        ("flagged", documents.flagged.astype(np.uint8)),
        ("margin", documents.margin),
        ("typical", np.round(65_535 * np.clip(documents.typical, 0.0, 1.0)).astype(np.uint16)),
        ("score", documents.off_topic_score),
        ("place", np.round(8_000 * documents.place).astype(np.int16)),
    ]
    return found + _each(documents) if documents.why.shape[1] else found


def _each(documents: Documents) -> list[tuple[str, Array]]:
    """What is told of each document by itself: the words behind its place, and its neighbours."""
    words = np.uint16 if len(documents.words) < 65_535 else np.uint32
    most = documents.pull.max(axis=1, initial=0.0)
    share = documents.pull / np.maximum(most, 1e-30)[:, None]
    return [
        ("why", (documents.why + 1).astype(words)),
        ("share", np.round(255 * share).astype(np.uint8)),
        ("most", most.astype(np.float32)),
        ("near", (documents.near + 1).astype(np.uint32)),
    ]


def _codes(values: Sequence[str]) -> dict[str, Any]:
    """A column of texts: its different values, and the number of each document's."""
    kinds, codes = np.unique(np.array([clean(value) for value in values], dtype=object), return_inverse=True)
    return {"values": kinds.tolist(), "codes": codes.tolist()}


def _json(content: Any) -> str:
    return _deflated(json.dumps(content, ensure_ascii=True, allow_nan=False, separators=(",", ":")))


def _numbers(column: Array) -> str:
    """Little-endian bytes, all first bytes of the numbers, then all second ones ...: they deflate better so."""
    raw = np.ascontiguousarray(column.astype(column.dtype.newbyteorder("<"))).view(np.uint8)
    return _packed(raw.reshape(-1, column.dtype.itemsize).T.tobytes())


def _deflated(text: str) -> str:
    return _packed(text.encode("utf-8"))


def _packed(raw: bytes) -> str:
    return base64.b64encode(zlib.compress(raw, 6)).decode("ascii")
