"""Trust in groups: stability on samples, tightness, separation, and coherence of words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..errors import InputError
from ..rows import as_rows, unit_rows
from ..rows.threads import one_blas_thread
from ..solve.ensemble import Ensemble, Stability
from ..solve.silhouettes import Nearness, coherence, diversity, nearness
from ..types import OnCount, Whole, no_op
from .base import checked_groups, checked_words_of


@dataclass(frozen=True)
class _Constants:
    """Constants of trust (docs/decisions/0014)."""

    fits: int = 20
    often: float = 0.75  # of the fits, at least, that find a tight group again
    seldom: float = 0.5  # of the fits, below which a group is mixed or leftovers
    mixed: float = 0.5  # rate of shared clusters of two groups, relative to that within each
    weak: float = 0.5  # of the median score, below which a group is not tight


_TRUST = _Constants()

SAMPLED = "the documents are not in memory: the stability of groups was measured on {:,} of them, drawn at random"


@dataclass(frozen=True)
class GroupTrust:
    """Trust in one group.

    Parameters
    ----------
    number, size : int
    found_again, fits : int
        The number of fits on samples that found the group again: its Jaccard index with a cluster is above 0.5 (Hennig
        2007). A fit on a sample without its documents does not count.
    jaccard : float
        Its mean Jaccard index with the most similar cluster, 0 to 1.
    tightness : float
        Mean cosine of its documents with the centre of the other ones, -1 to 1.
    apart : float
        One minus the cosine of its centre with that of the nearest group, 0 to 2; 1 for a single group.
    nearest : int or None
        The number of the nearest group.
    silhouette : float
        Mean silhouette of its documents by cosines with centres, -1 to 1.
    coherence : float or None
        Mean NPMI of its first words over documents, -1 to 1; None without words.
    score : float
        `jaccard` times `silhouette`, to order groups by.
    word : {"tight", "loose", "leftovers", "mixed"} or None
        None for a single group.
    mixed_with : int or None
        The group that it is mixed with. In a session, a group that a decision separated from that one is "loose".

    Examples
    --------
    >>> GroupTrust(0, 12, 20, 20, 0.9, 0.5, 0.8, 1, 0.4, 0.3, 0.36, "tight", None).word
    'tight'
    """

    number: int
    size: int
    found_again: int
    fits: int
    jaccard: float
    tightness: float
    apart: float
    nearest: int | None
    silhouette: float
    coherence: float | None
    score: float
    word: str | None
    mixed_with: int | None


@dataclass(frozen=True)
class Trust:
    """Trust in all groups.

    Parameters
    ----------
    groups : list of GroupTrust
        Groups with documents, by number.
    silhouette : float
        Mean cosine silhouette over all documents in groups, -1 to 1.
    coherence : float or None
        Mean word coherence of the groups.
    diversity : float or None
        Share of distinct words among the first words of the groups, 0 to 1.
    fits : int
        Number of fits on samples.
    empty : list of int
        Numbers of the groups without documents.
    notes : list of str
        Deviations from the usual procedure.

    Examples
    --------
    >>> trust = group_trust(np.eye(2)[[0, 1] * 10], [0, 1] * 10)
    >>> trust.silhouette, trust.order
    (1.0, [0, 1])
    """

    groups: list[GroupTrust]
    silhouette: float
    coherence: float | None
    diversity: float | None
    fits: int
    empty: list[int]
    notes: list[str]

    @property
    def order(self) -> list[int]:
        """The group numbers, the most reliable first."""
        return [group.number for group in sorted(self.groups, key=lambda group: -group.score)]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain dicts and lists, ready for JSON.

        Returns
        -------
        dict
        """
        return asdict(self)


@one_blas_thread()
def group_trust(
    X: Any,
    labels: Any,
    *,
    n_clusters: Whole | None = None,
    words: Any = None,
    first_words: Sequence[Sequence[int]] | None = None,
    fits: int = _TRUST.fits,
    random_state: int = 0,
    ensemble: Ensemble | None = None,
    progress: OnCount | None = None,
) -> Trust:
    """Measure the trust in the groups of a partition.

    It takes one pass over the rows, and `fits` quick fits on samples: half of the rows, at most 3,000 or 50 a group.

    Parameters
    ----------
    X : array, sparse matrix or `Rows` of shape (n, d)
        Scaled to unit length.
    labels : (n,) whole numbers
        The groups of the rows, -1 for none.
    n_clusters : int, default None
        Number of groups, with empty ones; None: the highest label plus one.
    words : array or sparse matrix of shape (n, V), default None
        Document-word matrix, for the coherence; of a sample if the rows are outside memory.
    first_words : k sequences of int, default None
        The first words of the groups, as columns of `words`.
    fits : int, default 20
    random_state : int, default 0
    ensemble : Ensemble, default None
        Earlier fits on samples of these rows.
    progress : callable, default None
        Called with the number of fits done and of all.

    Returns
    -------
    Trust

    Raises
    ------
    InputError
        The labels or `words` do not match the rows, no row is in a group, `first_words` has another number of groups,
        or `fits` is below 1.
    ValueError
        NaN or infinity in `X`.

    Notes
    -----
    A group is "tight" if at least three of four fits found it again and its score is at least half of the median score.
    If fewer than half of the fits found it again, it is "mixed" if its documents and those of another group shared a
    cluster at least half as often as those of either, else "leftovers" if its score is less than half of the median.
    All others are "loose".

    Examples
    --------
    >>> group_trust(np.eye(3)[[0, 1, 2] * 8], [0, 1, 2] * 8).groups[0].word
    'tight'
    """
    rows = unit_rows(as_rows(X))
    if words is not None:
        words = sp.csc_matrix(words)  # the words of a group are columns
        if rows.local() is not None:
            checked_words_of(words, rows.shape[0])
    labels = checked_groups(labels, rows.shape[0], np.iinfo(np.int32).max, "labels")
    if not (labels >= 0).any():
        raise InputError("labels must put at least one row in a group; groups count from 0, -1 means none")
    k = int(labels.max()) + 1 if n_clusters is None else max(int(n_clusters), int(labels.max()) + 1)
    if fits < 1:
        raise InputError(f"fits is {fits}; give at least 1")
    if first_words and len(first_words) != k:
        raise InputError(f"first_words has {len(first_words)} lists for {k} groups; give a list for each group")
    ensemble = Ensemble.of(rows, labels, ensemble, random_state)
    stability = ensemble.stability(labels, k, fits, progress or no_op)
    word_lists = first_words or [[] for _ in range(k)]
    coherences = [None if words is None else coherence(words, columns) for columns in word_lists]
    groups = _groups(nearness(rows, labels, k), stability, coherences)
    measured = [group.coherence for group in groups if group.coherence is not None]
    return Trust(
        groups=groups,
        silhouette=float(np.average([group.silhouette for group in groups], weights=[group.size for group in groups])),
        coherence=float(np.mean(measured)) if measured else None,
        diversity=diversity([word_lists[group.number] for group in groups]),
        fits=fits,
        empty=sorted(set(range(k)) - {group.number for group in groups}),
        notes=[SAMPLED.format(len(ensemble.inside))] if ensemble.sampled else [],
    )


def _groups(near: Nearness, stability: Stability, coherences: list[float | None]) -> list[GroupTrust]:
    filled, columns = np.flatnonzero(near.sizes), (stability.times, stability.fits, stability.mean, near.cosine)
    scores = np.where(near.silhouettes > 0, stability.mean * near.silhouettes, near.silhouettes)
    middle, alone, found = float(np.median(scores[filled])), len(filled) == 1, list[GroupTrust]()
    for g in filled.tolist():
        word, other = (None, None) if alone else _word(g, stability, float(scores[g]), middle)
        apart, nearest = (1.0, None) if alone else (float(1 - near.nearest[1][g]), int(near.nearest[0][g]))
        times, fits, jaccard, cosine = (column[g].item() for column in columns)
        measures = apart, nearest, float(near.silhouettes[g]), coherences[g], float(scores[g]), word, other
        found.append(GroupTrust(g, int(near.sizes[g]), times, fits, jaccard, cosine, *measures))
    return found


def _word(g: int, stability: Stability, score: float, middle: float) -> tuple[str, int | None]:
    """Return the rating of a group, and the group it is mixed with, if any."""
    times, fits = stability.times[g], max(stability.fits[g], 1)
    weak = score < _TRUST.weak * middle or score < 0
    if times >= _TRUST.seldom * fits:
        return ("tight" if times >= _TRUST.often * fits and not weak else "loose"), None
    other, share = stability.mixed_with
    if share[g] >= _TRUST.mixed:
        return "mixed", int(other[g])
    return ("leftovers" if weak else "loose"), None
