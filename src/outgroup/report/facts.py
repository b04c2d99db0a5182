"""What a report tells, as frozen dataclasses of plain data: the only thing that rendering ever sees."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

Weighted = tuple[str, float]
"""A word and its weight."""


@dataclass(frozen=True)
class Document:
    """A document that is shown: `margin` is its score minus the runner-up's, `rival` the runner-up's number,
    `words` those that put it here rather than there, with their share of the margin."""

    id: str
    title: str
    snippet: str
    margin: float
    rival: int | None
    words: list[Weighted]


@dataclass(frozen=True)
class Group:
    """One cluster. `number` is its label (from 0), `share` is of all documents (0 to 1), word weights are 1 at most."""

    number: int
    name: str
    size: int
    share: float
    off_topic: int
    words: list[Weighted]
    exemplars: list[Document]
    borderline: list[Document]


@dataclass(frozen=True)
class MapPoint:
    """One document on the map, in the map's units; `sureness` is 0 (borderline) to 3 (surely here)."""

    x: float
    y: float
    title: str
    sureness: int
    off_topic: bool


@dataclass(frozen=True)
class MapGroup:
    """A group's disc on the map: its centre, its radius and its documents."""

    number: int
    x: float
    y: float
    radius: float
    points: list[MapPoint]


@dataclass(frozen=True)
class Map:
    """A map of the documents, `width` by `height` units, with dots of radius `dot`; `shown` of all documents."""

    width: float
    height: float
    dot: float
    shown: int
    groups: list[MapGroup]


@dataclass(frozen=True)
class Agreement:
    """Groups against true labels. `counts[g][l]` counts group g's documents of `labels[l]`; `matched[g]` is the column
    that the Hungarian matching gives to group g. `n_labelled` documents have a label."""

    accuracy: float
    nmi: float
    rand: float
    adjusted_rand: float
    n_labelled: int
    labels: list[str]
    counts: list[list[int]]
    matched: list[int | None]


@dataclass(frozen=True)
class OffTopicDocument:
    """A document that belongs to no group; `words` are those that pulled it out of its nearest one, `group`."""

    id: str
    title: str
    snippet: str
    group: int
    score: float | None
    words: list[Weighted]


@dataclass(frozen=True)
class OffTopic:
    """The off-topic documents: how many, and the farthest out of them."""

    count: int
    documents: list[OffTopicDocument]


@dataclass(frozen=True)
class Summary:
    """All that a report tells. Made by `summarise`, shown by `render` and `terminal`."""

    n_documents: int
    groups: list[Group]
    map: Map
    agreement: Agreement | None
    off_topic: OffTopic | None
    skipped: list[tuple[str, str]]
    duplicates: list[list[str]]
    trace: list[dict[str, Any]]
    restarts: list[dict[str, Any]]
    stability: float | None
    universum: dict[str, Any] | None
    run: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as nested dicts and lists, ready for JSON."""
        return asdict(self)
