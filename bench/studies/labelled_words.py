"""What a few labelled words give: `python -m bench words [NAMES] [--draws N] [--groups 1 5]`.

Some groups are named by three words each, those that tell their class best; the others by nothing. NMI with the classes
of all documents, and how well the named groups are their classes (F1), against the same fit without words, under the
numbers that the words give it; paired by draw. All groups are named, too, at the end.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import scipy.sparse as sp

from bench.studies import defaults
from bench.studies.labels import interval
from bench.tables import show
from outgroup import MaxMarginClustering, SeededKMeans, metrics
from outgroup.cluster.base import groups_by_words, numbers_by

NAMES = ["20 Newsgroups", "banking77", "Classic4", "Reuters, 10 topics"]
HEADER = [
    "collection", "groups with words", "no words", "SeededKMeans", "max-margin", "NMI gained (95 %)",
    "F1 of the named: no words", "SeededKMeans", "max-margin",
]  # fmt: skip


def telling(X: sp.csr_matrix, y: np.ndarray, count: int = 3) -> np.ndarray:
    """Return the words that tell each class best, (k, d) bool: those of the largest share times log ratio."""
    k, there = int(y.max()) + 1, (X != 0).astype(float)
    words = np.zeros((k, X.shape[1]), dtype=bool)
    for group in range(k):
        inside, outside = (np.asarray(there[rows].mean(axis=0)).ravel() for rows in (y == group, y != group))
        words[group, np.argsort(-inside * np.log((inside + 1e-3) / (outside + 1e-3)))[:count]] = True
    return words


def f1(y: np.ndarray, labels: np.ndarray, named: np.ndarray) -> float:
    """Return the mean F1 of the named groups, each against the class of its number."""
    pairs = [(y == group, labels == group) for group in named]
    return float(np.mean([2 * (a & b).sum() / (a.sum() + b.sum()) for a, b in pairs]))


def rows_of(name: str, draws: int, counts: list[int]) -> list[list[Any]]:
    """Return the lines of one collection, one a number of named groups."""
    X, y = defaults.COLLECTIONS[name]()
    k, words = int(y.max()) + 1, telling(X, y)
    bases = [_fit(k, draw).fit(X).labels_ for draw in range(draws)]
    found = []
    for count in [*(each for each in counts if each < k), k]:
        found.append([name, count, *_compared(X, y, words, bases, count)])
        print(found[-1], flush=True)
    return found


def _fit(k: int, draw: int) -> MaxMarginClustering:
    return MaxMarginClustering(k, off_topic_rate=None, random_state=draw)


def _compared(X: Any, y: np.ndarray, words: np.ndarray, bases: list[np.ndarray], count: int) -> list[Any]:
    k, nobody = len(words), np.full(len(y), -1)
    figures = []
    for draw, base in enumerate(bases):
        named = np.random.default_rng(draw).permutation(k)[:count]
        some = words & np.isin(np.arange(k), named)[:, None]
        free = numbers_by(base, groups_by_words(X, some, nobody), k)[base]
        grown = SeededKMeans(k, random_state=draw).fit(X, word_seeds=some).labels_
        ours = _fit(k, draw).fit(X, word_seeds=some).labels_
        figures.append([(metrics.nmi(y, each), f1(y, each, named)) for each in (free, grown, ours)])
    nmi, named_well = np.moveaxis(np.array(figures), 2, 0)
    means = [[f"{value:.3f}" for value in each.mean(axis=0)] for each in (nmi, named_well)]
    return [*means[0], interval(nmi[:, 2] - nmi[:, 0]), *means[1]]


def main(argv: list[str]) -> None:
    """Print the table, each line as it is known."""
    parser = argparse.ArgumentParser(prog="python -m bench words", description=__doc__)
    parser.add_argument("names", nargs="*", default=NAMES, metavar="NAME", help=f"of: {'; '.join(NAMES)}")
    parser.add_argument("--draws", type=int, default=10, help="default 10")
    parser.add_argument("--groups", type=int, nargs="+", default=[1, 5], help="that are named; default 1 5, and all")
    options = parser.parse_args(argv)
    unknown = set(options.names) - set(NAMES)
    if unknown:
        parser.error(f"unknown collections: {', '.join(sorted(unknown))}")
    rows = [row for name in options.names for row in rows_of(name, options.draws, options.groups)]
    show(HEADER, rows, f"three words a group for some of the groups, mean of {options.draws} draws")
