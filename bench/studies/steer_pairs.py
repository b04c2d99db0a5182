"""`python -m bench steer pairs [--collections NAME ...] [--most N] [--draws N]`: what answers about pairs bring.

A simulated person, who knows the classes, is asked whether two documents belong together: one of the least sure
documents, and a random one of its own group or, in every other question, of its second group. PCKMeans gets the same
answers as must-links and cannot-links, the same rows, and the groups of the first version as its start. Each cell is
the mean NMI of the documents that no question is about, which are other ones for each number of answers.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np

from bench.baselines.constrained import Links, by_links
from bench.data.collections import CASES
from bench.studies.steer import begun
from bench.tables import begin, line
from outgroup.decisions import Pair
from outgroup.metrics import nmi
from outgroup.session import Version

ANSWERS = [0, 10, 30, 100]
Asked = list[tuple[int, int]]


def asked(version: Version, most: int, rng: np.random.Generator) -> Iterator[tuple[int, int]]:
    """Yield pairs of documents of a version, the least sure first."""
    scores = version.assess().scores
    best = np.sort(scores, axis=1)[:, -2:]
    known = np.flatnonzero(np.isfinite(best).all(axis=1) & (version.labels >= 0))
    for i, row in enumerate(known[np.argsort(np.diff(best[known]).ravel(), kind="stable")][:most].tolist()):
        own = version.labels[row]
        second = next(g for each in np.argsort(-scores[row]) if (g := version.numbers[each]) != own)
        others = np.flatnonzero(version.labels == (second if i % 2 else own))
        yield row, int(rng.choice(others[others != row]))


def by_pairs(name: str, draw: int, most: int | None, counts: list[int]) -> np.ndarray:
    """Return the NMI of our groups and of PCKMeans, (2, counts), by the number of answers."""
    session, y, first = begun(name, draw, most)
    pairs = list(asked(first, max(counts), np.random.default_rng(draw)))
    inside = np.flatnonzero(first.rows & (first.labels >= 0))
    X = first.model.spaces_.space[np.flatnonzero(first.rows).searchsorted(inside)]
    start = np.searchsorted(first.numbers, first.labels[inside])
    found = np.zeros((2, len(counts)))
    for column, count in enumerate(counts):
        some = pairs[:count]
        left = np.isin(inside, np.unique(some), invert=True)
        log = [Pair((first.ids[a], first.ids[b]), bool(y[a] == y[b])) for a, b in some]
        ours = (session.fit(log, start=first) if log else first).labels[inside]
        theirs = by_links(X, start.copy(), len(first.numbers), links(some, y, inside), draw)
        found[:, column] = [nmi(y[inside][left], groups[left]) for groups in (ours, theirs)]
    return found


def links(pairs: Asked, y: np.ndarray, inside: np.ndarray) -> Links:
    """Return the answers as links between places in `inside`."""
    rows = np.unique(np.array(pairs, dtype=int))
    must, cannot = np.zeros((2, len(rows), len(rows)), dtype=bool)
    for a, b in pairs:
        one, other = rows.searchsorted([a, b])
        mask = must if y[a] == y[b] else cannot
        mask[one, other] = mask[other, one] = True
    return Links(inside.searchsorted(rows), must, cannot)


def main(argv: list[str]) -> None:
    """Print two lines for each collection, as they are known."""
    parser = argparse.ArgumentParser(prog="python -m bench steer pairs", description=__doc__)
    parser.add_argument("--collections", nargs="+", choices=CASES, default=["rcv1", "reuters", "webkb", "classic4"])
    parser.add_argument("--draws", type=int, default=3, help="default 3")
    parser.add_argument("--answers", type=int, nargs="+", default=ANSWERS)
    parser.add_argument("--most", type=int, metavar="N", help="at most N random documents of a collection")
    given = parser.parse_args(argv)
    begin(["collection", "method", *given.answers])
    for name in given.collections:
        found = np.mean([by_pairs(name, draw, given.most, given.answers) for draw in range(given.draws)], axis=0)
        for method, values in zip(("Pair", "PCKMeans"), found, strict=True):
            line([name, method, *(f"{each:.3f}" for each in values)])
