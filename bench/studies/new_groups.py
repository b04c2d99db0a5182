"""What joins a group that documents begin: `python -m bench new-groups [NAMES] [--draws N]`.

Groups are found, fewer than there are classes. Of a class that most documents of no group are of, one document or some,
drawn at random, begin a group of their own. Told are how many documents are in it, how many of them are of the class,
how much of the class that is, what is gained in NMI, how many of the other documents changed their group, and how long
it took.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from bench.studies.emerging import COLLECTIONS
from bench.tables import show
from outgroup.decisions import NewGroup
from outgroup.metrics import nmi
from outgroup.session import Session, Version

HEADER = ["collection", "groups", "begun by", "draws", "in it", "of the class", "of its", "NMI", "others moved", "s"]
BEGUN_BY = (1, 3, 10)
_FEWER = 0.8  # groups, as a share of the classes


def classes_without_group(y: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return the classes that no group is mostly of."""
    kinds, own = np.unique(y, return_inverse=True)
    table = np.zeros((labels.max() + 1, len(kinds)))
    np.add.at(table, (labels[labels >= 0], own[labels >= 0]), 1)
    return np.delete(kinds, np.unique(table.argmax(axis=1)))


def begun(session: Session, first: Version, y: np.ndarray, kind: str, count: int, draw: int) -> list[float]:
    """Return what became of a group that `count` documents of a class began."""
    rows = np.random.default_rng(draw).choice(np.flatnonzero((y == kind) & (first.labels >= 0)), count, replace=False)
    start = time.perf_counter()
    second = session.fit([NewGroup(tuple(first.ids[row] for row in rows))], start=first)
    seconds = time.perf_counter() - start
    number = next(iter(set(second.numbers) - set(first.numbers)))
    inside, own = second.labels == number, y == kind
    moved = np.mean((second.labels != first.labels)[~inside])
    gained = nmi(y, second.labels) - nmi(y, first.labels)
    return [inside.sum(), own[inside].mean(), inside[own].mean(), gained, moved, seconds]


def main(argv: list[str]) -> None:
    """Print the table, a row as soon as it is measured."""
    parser = argparse.ArgumentParser(prog="python -m bench new-groups", description=__doc__)
    parser.add_argument("names", nargs="*", default=list(COLLECTIONS), metavar="NAME", help=", ".join(COLLECTIONS))
    parser.add_argument("--draws", type=int, default=10)
    given = parser.parse_args(argv)
    rows = []
    for name in given.names:
        texts, y = COLLECTIONS[name]()
        k = max(2, round(_FEWER * len(np.unique(y))))
        session = Session(texts, n_clusters=k, random_state=0)
        first = session.fit()
        kinds = classes_without_group(y, first.labels)
        for count in BEGUN_BY:
            drawn = np.random.default_rng(count).choice(kinds, given.draws)
            found = np.mean([begun(session, first, y, kind, count, draw) for draw, kind in enumerate(drawn)], axis=0)
            rows.append([name, k, count, given.draws, *map(float, found)])
            print(rows[-1], flush=True)
    show(HEADER, rows, "new groups")
