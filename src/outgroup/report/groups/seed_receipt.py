"""The steering receipt: what became of every seed, and what steering changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment

from ...errors import InputError
from ...types import Array
from ..receipt_facts import Receipt, SeedDocument, SeedWord


def receipt(
    *,
    X: Any,
    labels: Array,
    coef: Array,
    feature_names: Sequence[str],
    ids: Sequence[str],
    seeds: Array | None = None,
    word_seeds: Any = None,
    names: Sequence[str | None] | None = None,
    labels_without: Array | None = None,
    objective: float | None = None,
    objective_without: float | None = None,
) -> Receipt:
    """Say what became of the seeds of a clustering of n documents, V words and k groups.

    Parameters
    ----------
    X : CSR of shape (n, V), the documents' rows.
    labels : int array (n,), 0 to k - 1; -1 for a document that is set aside.
    coef : float array (k, V), the groups' directions.
    feature_names, ids : V words and n ids.
    seeds : int array (n,), the group each document was labelled for, -1 for none. Default None: no document.
    word_seeds : bool array or sparse matrix (k, V), which word was labelled for which group. Default None: no word.
    names : k names of groups, None where nobody gave one. Default None: no names.
    labels_without : int array (n,), the groups of the same run without seeds.
    objective, objective_without : the method's own objective of both.

    Raises
    ------
    InputError : the lengths do not fit each other.

    Examples
    --------
    >>> X = sp.csr_matrix([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])
    >>> r = receipt(X=X, labels=np.array([0, 1, 1]), coef=np.eye(2), feature_names=["tea", "car"], ids=["a", "b", "c"],
    ...             seeds=np.array([0, 0, -1]), word_seeds=np.eye(2, dtype=bool), labels_without=np.array([1, 1, 0]))
    >>> r.honoured, r.changed, r.documents[1]
    (1, 1, SeedDocument(id='b', group=0, ended=1))
    >>> r.words[0]
    SeedWord(word='tea', group=0, weight=1.0, place=1, documents=2, ended=1)
    """
    X, coef, labels = sp.csr_matrix(X), np.asarray(coef, dtype=float), np.asarray(labels)
    n, k = len(labels), len(coef)
    seeds = np.full(n, -1) if seeds is None else np.asarray(seeds)
    words = np.zeros(coef.shape, dtype=bool) if word_seeds is None else _dense(word_seeds)
    shapes = (X.shape, coef.shape[1], seeds.shape, words.shape, len(ids), len(feature_names))
    if shapes != ((n, len(feature_names)), X.shape[1], (n,), coef.shape, n, X.shape[1]):
        raise InputError("the parts of a receipt do not fit; give all for the same documents, words and groups")
    called = [str(name) if name is not None else f"group {g}" for g, name in enumerate(names or [None] * k)]
    changed = None if labels_without is None else n_changed(labels, labels_without)
    documents = [SeedDocument(str(ids[i]), int(seeds[i]), int(labels[i])) for i in np.flatnonzero(seeds >= 0).tolist()]
    return Receipt(
        called,
        documents,
        _words(X, labels, coef, words, feature_names),
        _contradictions(X, seeds, words, feature_names, ids, called),
        n,
        changed,
        None if objective is None else float(objective),
        None if objective_without is None else float(objective_without),
    )


def n_changed(labels: Array, before: Array) -> int:
    """Return how many documents are in another group than before, with groups matched so that the fewest are.

    What is set aside (-1) is no group: it is matched with itself.

    >>> n_changed(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 1]))
    1
    >>> n_changed(np.array([0, 0, 1, -1]), np.array([1, 1, -1, -1]))
    1
    """
    inside = (labels >= 0) & (before >= 0)
    table = np.zeros((int(labels.max()) + 1, int(before.max()) + 1), dtype=int)
    np.add.at(table, (labels[inside], before[inside]), 1)
    stayed = int(table[linear_sum_assignment(table, maximize=True)].sum())
    return len(labels) - stayed - int(np.count_nonzero((labels < 0) & (before < 0)))


def _words(X: Any, labels: Array, coef: Array, words: Array, names: Sequence[str]) -> list[SeedWord]:
    groups, columns = np.nonzero(words)
    if len(groups) == 0:
        return []
    present = sp.csc_matrix(X != 0)
    largest = np.abs(coef).max(axis=1)
    found = []
    for group, column in zip(groups.tolist(), columns.tolist(), strict=True):
        rows = present.indices[present.indptr[column] : present.indptr[column + 1]]
        weight = float(coef[group, column])
        share = round(weight / float(largest[group]), 6) if largest[group] else 0.0
        place = 1 + int(np.count_nonzero(coef[group] > weight))
        ended = int(np.count_nonzero(labels[rows] == group))
        found.append(SeedWord(str(names[column]), group, share, place, len(rows), ended))
    return found


def _contradictions(
    X: Any, seeds: Array, words: Array, names: Sequence[str], ids: Sequence[str], called: list[str]
) -> list[str]:
    """Seeds that pull against each other: words of several groups, documents whose words speak for another group, and
    documents of the same words with different labels."""
    return [
        *(
            _shared(names[column], words[:, column], called)
            for column in np.flatnonzero(words.sum(axis=0) > 1).tolist()
        ),
        *_outvoted(X, seeds, words, ids, called),
        *_twins(X, seeds, ids, called),
    ]


def _shared(word: str, groups: Array, called: list[str]) -> str:
    return f"word {word} is labelled for {' and '.join(called[group] for group in np.flatnonzero(groups))}"


def _outvoted(X: Any, seeds: Array, words: Array, ids: Sequence[str], called: list[str]) -> list[str]:
    labelled = np.flatnonzero(seeds >= 0)
    votes = (X[labelled] != 0).astype(int) @ words.T.astype(int)
    found = []
    for row, vote in zip(labelled.tolist(), votes, strict=True):
        own, best = vote[seeds[row]], int(vote.argmax())
        if vote[best] > own:
            found.append(
                f"document {ids[row]} is labelled {called[seeds[row]]}, and {vote[best]} of its labelled words speak "
                f"for {called[best]}, {own} for {called[seeds[row]]}"
            )
    return found


def _twins(X: Any, seeds: Array, ids: Sequence[str], called: list[str]) -> list[str]:
    alike = defaultdict(list)
    for row in np.flatnonzero(seeds >= 0).tolist():
        alike[X[row].indices.tobytes(), X[row].data.tobytes()].append(row)
    return [
        f"documents {ids[rows[0]]} and {ids[row]} have the same words, and are labelled {called[seeds[rows[0]]]} and "
        f"{called[seeds[row]]}"
        for rows in alike.values()
        for row in rows[1:]
        if seeds[row] != seeds[rows[0]]
    ]


def _dense(words: Any) -> Array:
    return np.asarray(words.toarray() if sp.issparse(words) else words, dtype=bool)
