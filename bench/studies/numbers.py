"""How many groups: `python -m bench numbers [NAMES] [--draws N] [--whole]`.

Rows of classes drawn at random from a collection, from 3 to 50 of them, evenly by the logarithm, are asked how many
groups there are; with `--whole` each collection as it is. A candidate is right within a fifth of the number of classes.
Beside: how often one of three numbers about ten (7, 10, 15), which know nothing of the rows, is right.
"""

from __future__ import annotations

import argparse
from time import process_time
from typing import Any
from zlib import crc32

import numpy as np

from bench.studies import defaults
from bench.tables import show
from outgroup import NeighbourAverage, k_profile

_FIFTH = 0.2
_BLIND = (7, 10, 15)
_MANY_CLASSES = 13  # from which decision 0021 counts a collection as one of many
_FEWEST, _MOST, _ROWS = 3, 50, (800, 2000)
_MANY = [
    "banking77", "banking77, MiniLM", "20 Newsgroups", "20 Newsgroups, MiniLM", "Reuters, 10 topics", "digits",
    "MNIST, 5,000", "Satellite, all", "Letter, all",
]  # fmt: skip
_PAIRS = ("digits 38", "Letter A B", "Satellite")
HEADER = ["collection", "classes", "candidates", "chosen", "right", "blind", "averaged", "seconds"]


def main(argv: list[str]) -> None:
    """Print what was proposed for each draw, and how often that was right."""
    parser = argparse.ArgumentParser(prog="python -m bench numbers", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of: {'; '.join(defaults.COLLECTIONS)}")
    parser.add_argument("--draws", type=int, default=3, help="of each collection; default 3")
    parser.add_argument("--whole", action="store_true", help="all classes and rows")
    given = parser.parse_args(argv)
    usual = [name for name in defaults.COLLECTIONS if name not in _PAIRS] if given.whole else _MANY
    rows = []
    for name in given.names or usual:
        X, y = defaults.COLLECTIONS[name]()
        for draw in range(1 if given.whole else given.draws):
            rows.append([name, *_asked(*((X, y) if given.whole else drawn(X, y, [draw, crc32(name.encode())])))])
            print(rows[-1], flush=True)
    show(HEADER, rows, "Numbers of groups")
    right, blind, averaged = ([row[place] for row in rows] for place in (4, 5, 6))
    print(f"right: {sum(right)} of {len(rows)}; blind {sum(blind)}; rows averaged with neighbours {sum(averaged)}")
    many = [row[4] for row in rows if row[1] >= _MANY_CLASSES]
    print(f"of {_MANY_CLASSES} classes and more: {sum(many)} of {len(many)}")


def drawn(X: Any, y: np.ndarray, draw: list[int]) -> tuple[Any, np.ndarray]:
    """Return the rows of some classes, all of them or some."""
    rng, classes = np.random.default_rng(draw), int(y.max()) + 1
    low, high = np.log(_FEWEST), np.log(min(classes, _MOST))
    chosen = rng.permutation(classes)[: round(float(np.exp(rng.uniform(low, high))))]
    rows = np.flatnonzero(np.isin(y, chosen))
    rows = np.sort(rng.permutation(rows)[: rng.integers(*_ROWS)])
    return X[rows], np.unique(y[rows], return_inverse=True)[1]


def _asked(X: Any, y: np.ndarray) -> list[Any]:
    k, begin = int(y.max()) + 1, process_time()
    found = k_profile(X)
    seconds = process_time() - begin
    averaged = k_profile(NeighbourAverage().fit_transform(X)).candidates
    told = ", ".join(map(str, found.candidates))
    return [k, told, found.chosen, *(right(each, k) for each in (found.candidates, _BLIND, averaged)), seconds]


def right(candidates: Any, k: int) -> bool:
    """Return whether one of the candidates lies within a fifth of `k`."""
    return any(abs(each - k) <= _FIFTH * k for each in candidates)
