"""A version's arrays with a column for each number, as those want them who show groups by number.

Merging leaves numbers without a group. They get the place of a group that nothing is in: its score is below all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...text.representation import Spaces
from ...types import Array
from ..state import Pair
from ..verdicts import Verdicts, judge
from ..version import Version

_NEVER = -1e9  # an intercept that no document makes up for


@dataclass(frozen=True)
class ByNumber:
    """Of n documents, of which m are `rows` (n,) bool, and K numbers: `labels` (m,), `verdicts` on all n, `coef` (K, V)
    by words, `reject` as `DocumentClustering.word_reject_` with K rows or more, `names`, None where nobody gave one.
    `numbers` are those of groups that there are, None for all. `spaces` holds the m documents; those that are `pinned`
    (m,) bool a person gave to their groups, None for none, and `apart` are the pairs of groups that a person parted."""

    rows: Array
    spaces: Spaces
    labels: Array
    verdicts: Verdicts
    coef: Array
    reject: tuple[Array, Array] | None
    names: list[str | None] | None
    numbers: tuple[int, ...] | None = None
    pinned: Array | None = None
    apart: frozenset[Pair] = frozenset()


def by_number(version: Version, verdicts: Verdicts | None = None) -> ByNumber:
    """Return what a version says, in order of the groups' numbers; `verdicts` where they are known already.

    >>> from outgroup.session import Session
    >>> from outgroup.decisions import Merge
    >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's rails", "rails and rye"]
    >>> session = Session(texts, n_clusters=3)
    >>> shown = by_number(session.fit([Merge((2, 0))], start=session.fit()))
    >>> shown.coef.shape[0], set(shown.labels.tolist())
    (3, {1, 2})
    """
    numbers, (rows, spaces) = np.array(version.numbers), version.shown
    K = int(numbers.max()) + 1
    names = [version.names.get(number) for number in range(K)]
    return ByNumber(
        rows,
        spaces,
        version.labels[rows],
        at_numbers(_judged(version, rows, spaces) if verdicts is None else verdicts, version.numbers),
        _rows(np.asarray(version.model.word_coef_), numbers, K),
        _reject(version, numbers, K),
        names if any(names) else None,
        version.numbers,
        np.isin(np.flatnonzero(rows), list(version.state.pins)),
        version.state.apart,
    )


def _judged(version: Version, rows: Array, spaces: Spaces) -> Verdicts:
    """Return what a version says of the documents that have rows; who was thrown away is off-topic in any case."""
    found = judge(version.model, spaces, rows, version.labels)
    away = rows & np.isin(np.arange(len(rows)), list(version.state.away))
    if not away.any():
        return found
    return replace(found, away=away, off_topic=None if found.off_topic is None else found.off_topic | away)


def at_numbers(verdicts: Verdicts, numbers: Sequence[int] | None) -> Verdicts:
    """Return the verdicts with a column of scores for each number, of groups that have these; None: they are those."""
    if numbers is None or list(numbers) == list(range(verdicts.scores.shape[1])):
        return verdicts
    return replace(verdicts, scores=_columns(verdicts.scores, np.array(numbers), max(numbers) + 1))


def _columns(scores: Array, numbers: Array, K: int) -> Array:
    if scores.shape[1] < len(numbers):  # nothing has a row
        return scores
    lowest = float(np.nanmin(scores)) - 1 if np.isfinite(scores).any() else 0.0
    found = np.full((len(scores), K), lowest)
    found[np.isnan(scores).any(axis=1)] = np.nan
    found[:, numbers] = scores
    return found


def _rows(coef: Array, numbers: Array, K: int) -> Array:
    found = np.zeros((K, coef.shape[1]), dtype=coef.dtype)
    found[numbers] = coef
    return found


def _reject(version: Version, numbers: Array, K: int) -> tuple[Array, Array] | None:
    said = version.model.word_reject_
    if said is None:
        return None
    count = K + len(said[1]) - len(numbers)
    places = np.append(numbers, np.arange(K, count))
    intercept = np.full(count, _NEVER)
    intercept[places] = said[1]
    return _rows(said[0], places, count), intercept
