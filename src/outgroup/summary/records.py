"""The content of a summary as frozen dataclasses: all that the pages, tables and terminals show."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..pipeline import Weighted
from ..types import Array


@dataclass(frozen=True)
class Example:
    """A document, its `margin` over the second best group `rival`, and `words` with their shares of the margin."""

    id: str
    title: str
    snippet: str
    margin: float
    rival: int | None
    words: list[Weighted]


SPECIAL = (98, 99)
"""The codes "no answer" and "other" of coded surveys."""


def own_code(group: int) -> int:
    """Return the code of a group outside of a codebook: its number, moved beyond the special codes.

    >>> own_code(97), own_code(98)
    (97, 100)
    """
    return group + len(SPECIAL) * (group >= SPECIAL[0])


@dataclass(frozen=True)
class Group:
    """A group: `number` counts from 0, `share` is its share of grouped documents, `off_topic` counts flagged documents.

    `exemplars` are typical, `borderline` close to another group. `trust` is a word such as "tight" or "leftovers",
    `sentences` explain it, `figures` are the fields of a `GroupTrust`; all three are optional. `gone` marks a group
    that was merged away: its number is free, unlike that of an empty group. `weight` is the sum of the weights of its
    documents, and `share` is then of the weights; None without weights. `code` is the number of its code; None if it is
    not known, see `own_code`. `description` is its definition, by a codebook or a namer; "" for none.
    """

    number: int
    name: str
    size: int
    share: float
    off_topic: int
    words: list[Weighted]
    exemplars: list[Example]
    borderline: list[Example]
    trust: str | None = None
    sentences: list[str] = field(default_factory=list)
    figures: dict[str, Any] | None = None
    gone: bool = False
    weight: float | None = None
    code: int | None = None
    description: str = ""


@dataclass(frozen=True)
class Merging:
    """A merge of the nodes `a` and `b` with its loss; nodes from k on are earlier merges."""

    a: int
    b: int
    loss: float


@dataclass(frozen=True)
class GroupSplit:
    """The best split of a group: its gain, and the sizes and distinctive words of both halves."""

    group: int
    gain: float
    sizes: list[int]
    words: list[list[str]]


@dataclass(frozen=True)
class Tree:
    """The k - 1 merges, cheapest first, and the split of each group, best first; losses and gains are shares of the
    coherence.

    `parts` are the successive splits that lead from the groups to the finest level: split t makes the number K + t, for
    groups numbered below K. It is empty if the groups are the finest level.
    """

    merges: list[Merging]
    splits: list[GroupSplit]
    parts: list[GroupSplit] = field(default_factory=list)


@dataclass(frozen=True)
class SeveralGroups:
    """The groups of a text with several topics, and their probabilities, the highest first; and its `passages` (end,
    group or -1, probability).
    """

    groups: list[tuple[int, float]]
    passages: list[tuple[int, int, float]]


@dataclass(frozen=True)
class Documents:
    """All n documents as columns, in the order of the collection.

    `group` (n,) int32 is -1 for documents set aside as off-topic; `part` (n,) int32 is the group of the finest level,
    see `Tree.parts`, -1 as in `group`; `rival` is the runner-up (the nearest group of one set aside), or -1; `flagged`
    (n,) bool marks off-topic documents, set aside or not; `place` (n, 2) float32 is the place on the map; `why` (n, w)
    int32 are columns of `words`, or -1, and `pull` (n, w) their part of the margin; `near` (n, m) int32 are the nearest
    documents, or -1. `fields` are labels, dates and other columns, "" if unknown; `others` are columns shown with an
    open document only; `several` are the documents with several groups, by row; `asides` names the fields that list
    perhaps junk and proposed groups.
    """

    ids: list[str]
    titles: list[str]
    texts: list[str]
    group: Array
    part: Array
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
    several: dict[int, SeveralGroups] = field(default_factory=dict)
    asides: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True)
class Agreement:
    """Agreement of groups with true labels: `counts[g][l]` documents of group g have label l, `matched[g]` is the label
    matched to g.
    """

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
    """An off-topic document; `words` explain why it is not in its `group`."""

    id: str
    title: str
    snippet: str
    group: int
    score: float | None
    words: list[Weighted]


@dataclass(frozen=True)
class ThresholdFacts:
    """An off-topic threshold: `flagged` documents score above `value`; None means that no document can.

    At most `rate` of the on-topic documents are flagged. `share` is the estimated share of off-topic documents,
    `precision` and `recall` are the expected ones of the verdicts; None means from `_low` to `_high`, or unknown if
    these are None, too.
    """

    method: str
    rate: float
    value: float | None
    flagged: int
    share: float | None
    precision: float | None
    recall: float | None
    share_low: float | None = None
    share_high: float | None = None
    precision_low: float | None = None
    precision_high: float | None = None
    recall_low: float | None = None
    recall_high: float | None = None


@dataclass(frozen=True)
class OffTopicFacts:
    """The off-topic documents: their number, the most off-topic ones, and the threshold, if any.

    If they are set `aside`, they are in no group and `group` is the nearest one. `discarded` counts decisions for
    junk, `taken_back` flagged documents that a decision put into a group.
    """

    count: int
    documents: list[OffTopicDocument]
    threshold: ThresholdFacts | None
    aside: bool = False
    discarded: int = 0
    taken_back: int = 0

    @property
    def flags(self) -> bool:
        """Whether there is a threshold that a document can exceed."""
        return self.threshold is not None and self.threshold.value is not None


@dataclass(frozen=True)
class ChiSquare:
    """A chi-square test of groups against the values of a column.

    For weighted documents the table is scaled to Kish's effective number of documents, (sum w)^2 / sum w^2. `few` is
    the share of cells with an expected count below 5: above a fifth, p is rough.
    """

    statistic: float
    df: int
    p: float
    few: float


@dataclass(frozen=True)
class By:
    """Counts of documents by group and column value: `counts[g][i]` documents of group g have `labels[i]`.

    `unit` is "day", "week", "month", "quarter", "year", "decade" or "century" where the labels are periods, in order
    and without gaps, and "" for categories. `unknown` documents have no value; `wrong` describes values that are not
    dates, "" for none. `weight` is the column of weights, which are summed in place of counts, "" for none; `test` is
    the chi-square test of the table, None for a table without two rows and two columns.
    """

    column: str
    unit: str
    labels: list[str]
    counts: list[list[float]]
    unknown: int
    wrong: str
    weight: str = ""
    test: ChiSquare | None = None


@dataclass(frozen=True)
class Pocket:
    """A small, tight group of documents far from all others: ids (the most typical first), words and three titles."""

    documents: list[str]
    words: list[str]
    examples: list[str]

    @property
    def called(self) -> str:
        """The first words, as a name."""
        return ", ".join(self.words[:4]) or "no words"


@dataclass(frozen=True)
class Summary:
    """The content of a report; `summarise` makes it, `render` and `terminal` show it.

    `changes` are heads and sentences on the differences from the start result. `trust` has the fields of a `Trust`,
    `profile` those of the `Profile` that chose the number of groups; None if not computed. `levels` are named levels of
    the tree: the name and the groups of each branch. `repeated_lines` are lines with the number of documents with them.
    `near_duplicates` are sets of ids of texts that differ in case, digits and punctuation only. `several` has the
    `least` probability of several groups of a document, and the fields of a `HeldOut` if it was measured.
    `special_codes` are the names of the special codes of a codebook, by number.
    """

    n_documents: int
    groups: list[Group]
    tree: Tree
    documents: Documents
    agreement: Agreement | None
    off_topic: OffTopicFacts | None
    skipped: list[tuple[str, str]] = field(default_factory=list)
    duplicates: list[list[str]] = field(default_factory=list)
    universum: dict[str, Any] | None = None
    run: dict[str, Any] = field(default_factory=dict)
    by: By | None = None
    skip_reasons: list[tuple[str, int]] = field(default_factory=list)
    changes: list[tuple[str, str]] = field(default_factory=list)
    trust: dict[str, Any] | None = None
    profile: dict[str, Any] | None = None
    levels: list[list[tuple[str, list[int]]]] = field(default_factory=list)
    pockets: list[Pocket] = field(default_factory=list)
    repeated_lines: list[tuple[str, int]] = field(default_factory=list)
    near_duplicates: list[list[str]] = field(default_factory=list)
    several: dict[str, Any] | None = None
    special_codes: dict[int, str] = field(default_factory=dict)

    @cached_property
    def codes(self) -> dict[int, int]:
        """The codes of the groups by number, if a codebook gave them; people see these in place of the numbers."""
        found = {group.number: group.code for group in self.groups if group.code is not None}
        return found if any(code != own_code(number) for number, code in found.items()) else {}

    @property
    def full(self) -> list[Group]:
        """The groups that tables show: those with documents, as the only or as a further group."""
        return [group for group in self.groups if group.size or (self.by and any(self.by.counts[group.number]))]

    @property
    def n_aside(self) -> int:
        """The number of documents set aside."""
        return self.n_documents - sum(group.size for group in self.groups)

    def code(self, number: int) -> int:
        """Return the number of a group that people see."""
        return self.codes.get(number, number)

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as nested dicts and lists, ready for JSON."""
        return plain(asdict(self))

    def for_page(self) -> dict[str, Any]:
        """Return the data of the page except the documents, as nested dicts and lists, ready for JSON."""
        groups = [
            {"code": self.code(group.number), "share": None if group.weight is None else group.share}
            | {name: getattr(group, name) for name in _OF_GROUP}
            for group in self.groups
        ]
        content = {"groups": plain(groups), "tree": asdict(self.tree), "run": plain(self.run)}
        content["skipped"] = {"count": len(self.skipped), "first": [list(skip) for skip in self.skipped[:100]]}
        content["levels"] = self.levels
        return content | {"trust": self.trust and {name: plain(self.trust[name]) for name in _OF_TRUST}}


_OF_TRUST = ("silhouette", "coherence", "diversity", "fits", "notes")
_OF_GROUP = ("number", "name", "description", "size", "words", "trust", "sentences", "figures", "gone")


def plain(value: Any) -> Any:
    """Return a value as JSON-compatible data: NumPy values as Python values, NaN and infinity as None."""
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(part) for part in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)
