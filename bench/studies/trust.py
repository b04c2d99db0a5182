"""How far trust can be trusted: `python -m bench trust [--seeds N] [--on NAME] [--k]`.

Groups of the default fit: whether their order by trust is that by purity (Spearman), beside what each part of it says
alone; the mean purity of the groups that got each word; and the word of the group of least purity. Where there are
fewer than ten classes there are ten groups: an order of four says little.
With --k: which numbers of groups the profile proposes, beside the number of classes.
"""

from __future__ import annotations

import argparse
import warnings
from time import perf_counter
from typing import Any

import numpy as np
from scipy.stats import spearmanr
from sklearn.exceptions import ConvergenceWarning

from bench.studies.defaults import COLLECTIONS
from bench.tables import show
from outgroup import MaxMarginClustering, group_trust, k_profile
from outgroup.cluster.trust import Trust

_FEWEST = 10
_WORDS = ("tight", "loose", "mixed", "leftovers")
_LEFT_OUT = {"four classes of news", "digits 1279", "digits 0689", "digits 38", "Letter A B", "Satellite"}
_PAIRS = {"digits 38", "Letter A B", "Satellite"}  # two classes, which is hardly a question of how many
_FIFTH = 0.2
_SHOWN = [name for name in COLLECTIONS if name not in _LEFT_OUT]


def main(argv: list[str]) -> None:
    """Print the table of trust."""
    parser = argparse.ArgumentParser(prog="python -m bench trust", description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--on", action="append", choices=[*COLLECTIONS])
    parser.add_argument("--k", action="store_true", help="the candidates for the number of groups")
    given = parser.parse_args(argv)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        if given.k:
            _numbers(given.on or [name for name in COLLECTIONS if name not in _PAIRS])
        else:
            _trust(given.on or _SHOWN, given.seeds)


def _trust(names: list[str], seeds: int) -> None:
    rows = []
    for name in names:
        X, y = COLLECTIONS[name]()
        found = [_measured(X, y, max(_FEWEST, int(y.max()) + 1), seed) for seed in range(seeds)]
        rows.append([name, *(_mean(each) for each in zip(*found, strict=True))])
        print(rows[-1], flush=True)
    orders = np.array([row[1:4] for row in rows], dtype=float)
    rows.append(["mean", *orders.mean(axis=0), *[None] * (len(rows[0]) - 4)])
    header = ["collection", "score", "Jaccard alone", "silhouette alone", *_WORDS, "least pure", "times the fit"]
    show(header, rows, f"Spearman with purity, mean purity of each word's groups (how many), {seeds} seeds")


def _numbers(names: list[str]) -> None:
    rows = []
    for name in names:
        X, y = COLLECTIONS[name]()
        k, begin = int(y.max()) + 1, perf_counter()
        found = k_profile(X)
        seconds, near = perf_counter() - begin, [each for each in found.candidates if abs(each - k) <= _FIFTH * k]
        rows.append([name, k, ", ".join(map(str, found.candidates)), found.chosen, near[0] if near else None, seconds])
        print(rows[-1], flush=True)
    show(["collection", "classes", "candidates", "chosen", "within a fifth", "seconds"], rows, "Numbers of groups")
    print(f"{sum(row[4] is not None for row in rows)} of {len(rows)} have a candidate within a fifth")


def _mean(values: tuple[Any, ...]) -> Any:
    if isinstance(values[0], str):
        return ", ".join(values)
    if isinstance(values[0], tuple):  # purities of the groups of one word
        every = [purity for each in values for purity in each]
        return f"{np.mean(every):.2f} ({len(every)})" if every else "–"
    return float(np.mean(values))


def _measured(X: Any, y: np.ndarray, k: int, seed: int) -> list[Any]:
    begin = perf_counter()
    labels = MaxMarginClustering(k, random_state=seed, off_topic_rate=None).fit(X).labels_
    between = perf_counter()
    trust = group_trust(X, labels, random_state=seed)
    after = perf_counter()
    purity = np.array([np.bincount(y[labels == each.number]).max() / each.size for each in trust.groups])
    least = trust.groups[int(purity.argmin())]
    return [*_orders(trust, purity), *_purities(trust, purity), str(least.word), (after - between) / (between - begin)]


def _orders(trust: Trust, purity: np.ndarray) -> list[float]:
    parts = [[getattr(each, name) for each in trust.groups] for name in ("score", "jaccard", "silhouette")]
    return [float(spearmanr(part, purity).statistic) for part in parts]


def _purities(trust: Trust, purity: np.ndarray) -> list[tuple[float, ...]]:
    words = np.array([each.word for each in trust.groups])
    return [tuple(purity[words == word].tolist()) for word in _WORDS]
