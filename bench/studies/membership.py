"""Probabilities of groups: `python -m bench membership [--draws N] [--only NAME ...]`.

Against fits on other samples than those that set the probabilities: calibration error of the highest probability
(15 bins), log loss, that of the base rates and of smoothed one-hot labels, coverage and mean size of the sets at 80 and
90 %. Beside it, the calibration error against the true classes, each group standing for its most frequent one.
"""

from __future__ import annotations

import argparse
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.preprocessing import normalize

from bench.studies.defaults import COLLECTIONS
from bench.tables import show
from outgroup import MaxMarginClustering
from outgroup.cluster.membership import Membership, seen_by_fits
from outgroup.solve.local_search import searchable

SOME = (
    "banking77", "banking77, MiniLM", "20 Newsgroups", "20 Newsgroups, MiniLM", "Classic4", "Reuters, 10 topics",
    "digits", "Satellite, all",
)  # fmt: skip
_BINS = 15
_SMOOTHED = 0.95  # of a label as a probability
_OTHER = 1_000  # added to a seed, for fits that took no part


def calibration_error(p: np.ndarray, right: np.ndarray) -> float:
    """Return the mean distance of the highest probability from the share that is right, over 15 bins."""
    top = p.max(axis=1)
    bins = np.minimum((top * _BINS).astype(int), _BINS - 1)
    each = [(bins == bin_) for bin_ in range(_BINS)]
    return float(sum(inside.mean() * abs(top[inside].mean() - right[inside].mean()) for inside in each if inside.any()))


def measured(X: Any, y: np.ndarray, seed: int) -> dict[str, float]:
    """Return the figures of one fit."""
    X, k = normalize(X), int(y.max()) + 1
    labels = MaxMarginClustering(k, random_state=seed).fit(X).labels_
    begin = perf_counter()
    found = Membership.of(X, labels, k, random_state=seed)
    seconds = perf_counter() - begin
    p = found.of_new(X)
    row, group = seen_by_fits(searchable(X), labels, k, np.random.default_rng(seed + _OTHER))
    base = np.bincount(group, minlength=k) / len(group)
    one_hot = np.full(p.shape, (1 - _SMOOTHED) / (k - 1))
    one_hot[np.arange(len(labels)), labels] = _SMOOTHED
    crossed = np.zeros((k, k))
    np.add.at(crossed, (labels, y), 1)
    sets = {coverage: found.sets(p, coverage) for coverage in (0.8, 0.9)}
    return {
        "error": calibration_error(p[row], p[row].argmax(axis=1) == group),
        "of classes": calibration_error(p, crossed.argmax(axis=1)[p.argmax(axis=1)] == y),
        "log loss": float(-np.log(p[row, group]).mean()),
        "base rates": float(-np.log(base[group]).mean()),
        "one-hot": float(-np.log(one_hot[row, group]).mean()),
        **{f"in {coverage:.0%}": float(chosen[row, group].mean()) for coverage, chosen in sets.items()},
        **{f"size {coverage:.0%}": float(chosen[row].sum(axis=1).mean()) for coverage, chosen in sets.items()},
        "seconds": seconds,
    }


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench membership", description=__doc__)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=[*COLLECTIONS], default=[*SOME], metavar="NAME")
    options = parser.parse_args(argv)
    table, names = [], list[str]()
    for name in options.only:
        X, y = COLLECTIONS[name]()
        draws = [measured(X, y, seed) for seed in range(options.draws)]
        names = list(draws[0])
        table.append([name, *(f"{np.mean([draw[each] for draw in draws]):.3f}" for each in names)])
    show(["collection", *names], table)
