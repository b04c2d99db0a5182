"""What a report tells, as frozen dataclasses of plain data: the only thing that rendering ever sees."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from ..types import Array
from .receipt_facts import Receipt

Weighted = tuple[str, float]
"""A word and its weight."""


@dataclass(frozen=True)
class ShownDocument:
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
    """One cluster. `number` is its label (from 0), `share` is of the documents in groups (0 to 1), `off_topic` of its
    documents are flagged, word weights are 1 at most.

    `exemplars` are typical, `borderline` nearly elsewhere. `trust` is a word such as "tight" or "leftovers",
    `sentences` say more, and `figures` are the fields of a `GroupTrust`; all three are optional. `gone` says that it
    was merged away: its number is free, which is not the same as a group without documents.
    """

    number: int
    name: str
    size: int
    share: float
    off_topic: int
    words: list[Weighted]
    exemplars: list[ShownDocument]
    borderline: list[ShownDocument]
    trust: str | None = None
    sentences: list[str] = field(default_factory=list)
    figures: dict[str, Any] | None = None
    gone: bool = False


@dataclass(frozen=True)
class Merging:
    """Nodes `a` and `b` of the tree of groups, which are groups or earlier merges (k, k + 1 ...), and what it loses."""

    a: int
    b: int
    loss: float


@dataclass(frozen=True)
class GroupSplit:
    """How a group would split: what that gains, the sizes of the halves, and the words that tell them apart."""

    group: int
    gain: float
    sizes: list[int]
    words: list[list[str]]


@dataclass(frozen=True)
class Tree:
    """The k - 1 merges of the groups, cheapest first, and their splits, best first; shares of the coherence."""

    merges: list[Merging]
    splits: list[GroupSplit]


@dataclass(frozen=True)
class Fixed:
    """What stays where it is from version to version: the documents' places on the map, and those that read most like
    each, see `Documents`; and what was found of the halves of groups, by the content of their rows."""

    place: Array
    near: Array
    halves: dict[bytes, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Documents:
    """All n documents, column by column, in the order of the collection.

    `group` (n,) int32 is -1 for documents set aside as off-topic, `rival` the runner-up (of one set aside the nearest
    group), -1 for none; `flagged` (n,) bool are off-topic wherever they are; `place` (n, 2) float32 is on the map,
    those set aside apart; `why` (n, w) int32 are columns of `words`, or -1, and `pull` (n, w) what each adds to the
    margin; `near` (n, m) int32 are the nearest documents, or -1.
    `fields` are labels, dates and other columns, "" where unknown; `others` are columns that an opened document shows
    and nothing is filtered by.
    """

    ids: list[str]
    titles: list[str]
    texts: list[str]
    group: Array
    rival: Array
    flagged: Array
    margin: Array
    typical: Array
    off_topic_score: Array
    place: Array
    why: Array
    pull: Array
    near: Array
    words: list[str]
    fields: dict[str, list[str]]
    others: dict[str, list[str]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ids)


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
    """A document that looks off-topic; `words` are those that pulled it out of the group it is in, `group`."""

    id: str
    title: str
    snippet: str
    group: int
    score: float | None
    words: list[Weighted]


@dataclass(frozen=True)
class ThresholdFacts:
    """A way to set the off-topic threshold: `flagged` of the documents score above `value` (None: nothing can).

    At most `rate` of the on-topic documents are flagged. `share` is how much of the collection seems to be off-topic,
    `precision` and `recall` are to be expected of the verdicts; where one is None it lies from its `_low` to its
    `_high`, or cannot be told (all None). `used` marks the one in force.
    """

    method: str
    rate: float
    value: float | None
    flagged: int
    share: float | None
    precision: float | None
    recall: float | None
    used: bool
    share_low: float | None = None
    share_high: float | None = None
    precision_low: float | None = None
    precision_high: float | None = None
    recall_low: float | None = None
    recall_high: float | None = None


@dataclass(frozen=True)
class OffTopicFacts:
    """The off-topic documents: how many, the farthest out of them, and the thresholds there were to choose from.

    Where they are set `aside`, they are in no group: `group` of each is only the nearest. `thrown_away` are those
    that a person threw away, `taken_back` others that the threshold in force flags and that a person gave to a group.
    """

    count: int
    documents: list[OffTopicDocument]
    thresholds: list[ThresholdFacts]
    aside: bool = False
    thrown_away: int = 0
    taken_back: int = 0

    @property
    def verdicts(self) -> list[ThresholdFacts]:
        """The thresholds, where at least one of them can flag a document."""
        return self.thresholds if any(each.value is not None for each in self.thresholds) else []

    @property
    def used(self) -> ThresholdFacts | None:
        """The threshold in force, where it is known."""
        return next((each for each in self.thresholds if each.used), None)


@dataclass(frozen=True)
class By:
    """The documents of each group by the values of a column: `counts[g][i]` counts group g's documents of `labels[i]`.

    `unit` is "day", "week", "month", "quarter", "year", "decade" or "century" where the labels are periods, in order
    and without gaps, and "" where they are categories. `unknown` documents have no such value; `wrong` tells of values
    that are no date, "" where there are none.
    """

    column: str
    unit: str
    labels: list[str]
    counts: list[list[int]]
    unknown: int
    wrong: str


@dataclass(frozen=True)
class Summary:
    """All that a report tells. Made by `summarise`, shown by `render` and `terminal`.

    `changes` are heads and sentences on what differs from the result that this one started from. `trust` are the
    fields of a `Trust`, `profile` those of the `Profile` that chose the number of groups; None where nobody asked.
    """

    n_documents: int
    groups: list[Group]
    tree: Tree
    documents: Documents
    agreement: Agreement | None
    off_topic: OffTopicFacts | None
    skipped: list[tuple[str, str]]
    duplicates: list[list[str]]
    trace: list[dict[str, Any]]
    restarts: list[dict[str, Any]]
    stability: float | None
    universum: dict[str, Any] | None
    run: dict[str, Any]
    receipt: Receipt | None = None
    by: By | None = None
    skip_reasons: list[tuple[str, int]] = field(default_factory=list)
    changes: list[tuple[str, str]] = field(default_factory=list)
    trust: dict[str, Any] | None = None
    profile: dict[str, Any] | None = None

    @property
    def n_aside(self) -> int:
        """How many documents are set aside: in no group."""
        return self.n_documents - sum(group.size for group in self.groups)

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as nested dicts and lists, ready for JSON."""
        return plain(asdict(self))

    def for_page(self) -> dict[str, Any]:
        """Return what the page shows beside the documents, as nested dicts and lists, ready for JSON."""
        groups = [{name: getattr(group, name) for name in _OF_GROUP} for group in self.groups]
        by = None if self.by is None else asdict(self.by)
        content = {"groups": plain(groups), "tree": asdict(self.tree), "by": by, "run": plain(self.run)}
        content["skipped"] = {"count": len(self.skipped), "first": [list(each) for each in self.skipped[:_SKIPPED]]}
        return content | {"trust": self.trust and {name: plain(self.trust[name]) for name in _OF_TRUST}}


_SKIPPED = 100  # documents without a place that the page names
_OF_TRUST = ("silhouette", "coherence", "diversity", "fits", "notes")
_OF_GROUP = ("number", "name", "size", "words", "trust", "sentences", "figures", "gone")


def plain(value: Any) -> Any:
    """The same as JSON-able data: NumPy scalars and arrays as Python's, numbers that are not finite as None."""
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(part) for part in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)
