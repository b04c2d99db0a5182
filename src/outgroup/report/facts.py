"""The facts of a report as frozen dataclasses of plain data: what it takes, and all that rendering sees."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from ..errors import InputError
from ..types import Array

# --- What a report tells, as frozen dataclasses of plain data: the only thing that rendering ever sees

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


# --- What a report is given: a clustering, what was found off-topic in it, and what is told of the run that made it

Reject = tuple[Array, Array]
"""Directions (k + j, V) and intercepts (k + j,): the groups, then the kinds of "none of these"."""


@dataclass(frozen=True)
class Clustering:
    """n documents, V words and k groups.

    Parameters
    ----------
    X : CSR of shape (n, V), the documents' tf-idf rows.
    labels : int array (n,), 0 to k - 1; -1 for a document that is set aside as off-topic: it is in no group, and sizes,
        words, examples and agreement are of the others.
    scores : float array (n, k). A margin is the own group's score minus the runner-up's (the score if k = 1).
    coef : float array (k, V), the groups' directions.
    feature_names : V words as people should read them.
    ids, titles, texts : n strings each.
    numbers : the groups that there are; the others were merged away. Default None: all k.
    """

    X: Any
    labels: Array
    scores: Array
    coef: Array
    feature_names: Sequence[str]
    ids: Sequence[str]
    titles: Sequence[str]
    texts: Sequence[str]
    numbers: Sequence[int] | None = None

    def check(self) -> None:
        """Raise InputError unless the lengths fit each other, a document is in a group, and labels are -1 to k - 1."""
        n, k = self.scores.shape
        if n == 0:
            raise InputError("a report needs at least one document, but none was given")
        X, coef, words = self.X.shape, self.coef.shape, len(self.feature_names)
        lengths = {X[0], *map(len, (self.labels, self.ids, self.titles, self.texts))}
        if lengths != {n} or coef != (k, X[1]) or words != X[1]:
            raise InputError(
                f"the parts of a report do not fit: X {X}, scores {self.scores.shape}, coef {coef}, {words} feature "
                f"names, labels, ids, titles and texts {sorted(lengths)}; give all of them for the same documents, "
                "words and groups"
            )
        least, most = self.labels.min(), self.labels.max()
        if least < -1 or most >= k:
            raise InputError(f"labels must be 0 to {k - 1}, or -1, but they go from {least} to {most}")
        if most < 0:
            raise InputError("every document is set aside; a report needs at least one in a group")


@dataclass(frozen=True)
class Judged:
    """What was found off-topic; each part is None where nobody looked for it.

    Parameters
    ----------
    off_topic : bool array (n,), the documents found to be off-topic.
    off_topic_score : float array (n,), higher is more off-topic.
    reject : directions (k + j, V) and intercepts (k + j,) of the groups, when "none of these", last, is j of them:
        they tell which words pulled a document out.
    threshold : {"choices": list of dicts with method, rate, value, flagged, share, precision, recall; "method": the
        one in force}.
    away : bool array (n,), those of the off-topic documents that a person threw away: no threshold did.
    pinned : bool array (n,), those that a person gave to a group, whatever a threshold says.
    """

    off_topic: Array | None = None
    off_topic_score: Array | None = None
    reject: Reject | None = None
    threshold: dict[str, Any] | None = None
    away: Array | None = None
    pinned: Array | None = None

    def check(self, n: int, coef: Array) -> None:
        """Raise InputError unless the parts are of n documents, and fit the groups' directions `coef` (k, V)."""
        for name in ("off_topic", "off_topic_score", "away", "pinned"):
            part = getattr(self, name)
            if part is not None and len(part) != n:
                raise InputError(f"{name} has {len(part)} values for {n} documents: give one for each")
        k, V = coef.shape
        shapes = None if self.reject is None else tuple(np.shape(part) for part in self.reject)
        count = k + 1 if self.reject is None else max(k + 1, len(self.reject[0]))
        if shapes not in (None, ((count, V), (count,))):
            raise InputError(f"reject {shapes} does not fit {k} groups and {V} words: give {((count, V), (count,))}")


@dataclass(frozen=True)
class RunFacts:
    """What a report cannot find in the rows.

    Parameters
    ----------
    skipped : (where, reason) of each document that could not be used.
    duplicates : lists of ids of documents with the same text.
    trace : the fit's steps, dicts with `restart`, `step`, `objective`, `lower_bound`, `gap`, `cuts`, `moved`.
    restarts : dicts with `restart`, `objective`, `agreement` (with the best, at most 1) and `kept`.
    stability : mean agreement of the restarts, at most 1, or None.
    universum : {"count": int, "source": str}, or None.
    trust : the fields of a `Trust` of these groups, or None.
    run : all optional: `title`, `source`, `date`, `command`, `next` (strings), `parameters`, `versions`, `timings`
        (dicts; timings in seconds).
    """

    skipped: Sequence[tuple[str, str]] = ()
    duplicates: Sequence[Sequence[str]] = ()
    trace: Sequence[dict[str, Any]] = ()
    restarts: Sequence[dict[str, Any]] = ()
    stability: float | None = None
    universum: dict[str, Any] | None = None
    trust: dict[str, Any] | None = None
    run: dict[str, Any] | None = None

    def plainly(self) -> dict[str, Any]:
        """Return the fields of a `Summary` that they are, as plain data."""
        as_it_is = ("trace", "restarts", "stability", "universum", "trust")
        return {name: plain(getattr(self, name)) for name in as_it_is} | {
            "skipped": [(str(where), str(reason)) for where, reason in self.skipped],
            "duplicates": [[str(i) for i in same] for same in self.duplicates],
            "run": plain(self.run or {}),
        }


# --- What became of the seeds, as frozen dataclasses of plain data


@dataclass(frozen=True)
class SeedDocument:
    """A labelled document: the group it was labelled for, and the one where it `ended`."""

    id: str
    group: int
    ended: int


@dataclass(frozen=True)
class SeedWord:
    """A labelled word: its `weight` in its group's direction, as a share of the largest there, its place among that
    group's words (1 is first), in how many documents it occurs, and how many of those ended in the group."""

    word: str
    group: int
    weight: float
    place: int
    documents: int
    ended: int


@dataclass(frozen=True)
class Receipt:
    """What became of the seeds. Made by `receipt`, told by `receipt_lines`.

    `changed` of `n_documents` documents are in another group than without seeds, with groups matched one to one; None
    where there was no such run. `objective` and `objective_without` are in the terms of the method without seeds.
    """

    names: list[str]
    documents: list[SeedDocument]
    words: list[SeedWord]
    contradictions: list[str]
    n_documents: int
    changed: int | None
    objective: float | None
    objective_without: float | None

    @property
    def honoured(self) -> int:
        """How many labelled documents ended in their group."""
        return sum(each.ended == each.group for each in self.documents)

    def to_dict(self) -> dict[str, Any]:
        """Return the receipt as nested dicts and lists, ready for JSON."""
        return {"honoured": self.honoured, **asdict(self)}
