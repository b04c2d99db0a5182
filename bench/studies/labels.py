"""What a few labelled documents give: `python -m bench labels [NAMES] [--draws N] [--labels 1 2 5 10] [--half]`.

NMI and ARI on the documents that are *not* labelled, against the same fit, of the same random state, without labels,
paired by draw, on rows averaged as `neighbours="auto"` says; how many labels are honoured in `labels_`, and how many by
`predict`, which knows no labels; and in how many draws the labels changed the groups, with the share of labels that was
right before and, each left out, after (`regrouped_`).
With `--half` only half of the groups, drawn at random, have labels.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from scipy import stats

from bench.studies import defaults
from bench.tables import show
from outgroup import MaxMarginClustering, NeighbourAverage, SeededKMeans, metrics

NAMES = [name for name in defaults.COLLECTIONS if not name.startswith(("digits ", "Letter"))]
HEADER = [
    "collection", "labels a group", "no labels", "SeededKMeans", "max-margin", "NMI gained (95 %)", "ARI gained (95 %)",
    "honoured", "and by predict", "changed", "right before", "and after",
]  # fmt: skip


def drawn(y: np.ndarray, count: int, half: bool, draw: int) -> np.ndarray:
    """Return the group of `count` documents a group, all or half of the groups; -1 for the others."""
    rng, k = np.random.default_rng(draw), int(y.max()) + 1
    seeds = np.full(len(y), -1, dtype=np.int32)
    for group in rng.permutation(k)[: k // 2] if half else range(k):
        rows = np.flatnonzero(y == group)
        seeds[rng.permutation(rows)[: min(count, len(rows) // 2)]] = group
    return seeds


def _scores(y: np.ndarray, labels: np.ndarray) -> tuple[float, float]:
    return metrics.nmi(y, labels), metrics.adjusted_rand(y, labels)


def rows_of(name: str, draws: int, counts: list[int], half: bool) -> list[list[Any]]:
    """Return the lines of one collection, one a number of labels."""
    X, y = defaults.COLLECTIONS[name]()
    k = int(y.max()) + 1
    average = NeighbourAverage(n_groups=k)
    X = average.fit_transform(X)
    asked = None if average.passes_ else average.graph_  # as in `pipeline`
    bases = [_fit(k, draw).fit(X, graph=asked).labels_ for draw in range(draws)]
    found = []
    for count in counts:
        found.append([name, count, *_compared(X, y, asked, bases, count, half)])
        print(found[-1], flush=True)
    return found


def _fit(k: int, draw: int) -> MaxMarginClustering:
    return MaxMarginClustering(k, off_topic_rate=None, random_state=draw)


def _compared(X: Any, y: np.ndarray, asked: Any, bases: list[np.ndarray], count: int, half: bool) -> list[Any]:
    k = int(y.max()) + 1
    free, grown, ours, honoured, predicted = [], [], [], [], []
    pools: list[Any] = []
    for draw, base in enumerate(bases):
        seeds = drawn(y, count, half, draw)
        left = seeds < 0
        free.append(_scores(y[left], base[left]))
        grown.append(_scores(y[left], SeededKMeans(k, random_state=draw).fit(X, seeds=seeds).labels_[left]))
        fit = _fit(k, draw).fit(X, seeds=seeds, graph=asked)
        ours.append(_scores(y[left], fit.labels_[left]))
        honoured.append(np.mean(fit.labels_[~left] == seeds[~left]))
        predicted.append(np.mean(fit.predict(X)[~left] == seeds[~left]))
        pools.append(fit.regrouped_)
    means = [f"{nmi:.3f}/{ari:.3f}" for nmi, ari in (np.mean(each, axis=0) for each in (free, grown, ours))]
    gains = np.array(ours) - np.array(free)
    right = [f"{np.mean([getattr(pool, name) for pool in pools]):.3f}" for name in ("right_before", "right_after")]
    honours = [f"{np.mean(each):.3f}" for each in (honoured, predicted)]
    return [*means, interval(gains[:, 0]), interval(gains[:, 1]), *honours, sum(pool.changed for pool in pools), *right]


def interval(gains: np.ndarray) -> str:
    """Return a mean with half of its 95 % interval."""
    if len(gains) < 2:
        return f"{gains.mean():+.3f}"
    width = float(stats.t.ppf(0.975, len(gains) - 1) * gains.std(ddof=1) / np.sqrt(len(gains)))
    return f"{gains.mean():+.3f} ± {width:.3f}"


def main(argv: list[str]) -> None:
    """Print the table, each line as it is known."""
    parser = argparse.ArgumentParser(prog="python -m bench labels", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of: {'; '.join(defaults.COLLECTIONS)}")
    parser.add_argument("--draws", type=int, default=20, help="default 20")
    parser.add_argument("--labels", type=int, nargs="+", default=[1, 2, 5, 10], help="a group; default 1 2 5 10")
    parser.add_argument("--half", action="store_true", help="label half of the groups alone")
    options = parser.parse_args(argv)
    unknown = set(options.names) - set(defaults.COLLECTIONS)
    if unknown:
        parser.error(f"unknown collections: {', '.join(sorted(unknown))}")
    rows = []
    for name in options.names or NAMES:
        rows += rows_of(name, options.draws, options.labels, options.half)
    groups = "half of the groups" if options.half else "every group"
    show(HEADER, rows, f"NMI/ARI on the unlabelled documents, labels in {groups}, mean of {options.draws} draws")
