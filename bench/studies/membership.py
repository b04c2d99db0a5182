"""Probabilities of groups: `python -m bench membership [--none] [--draws N] [--only NAME ...]`.

Against fits on other samples than those that set the probabilities: calibration error of the highest probability
(15 bins), log loss, that of the base rates and of smoothed one-hot labels, coverage and mean size of the sets at 80 and
90 %. Beside it, the calibration error against the true classes, each group standing for its most frequent one.

`--none`: of the probability of no group, where a quarter of the classes is off-topic, in part hidden in the collection:
calibration error and log loss against the hidden documents, with the slope of the fit and with a fixed one.
"""

from __future__ import annotations

import argparse
import warnings
from time import perf_counter
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.preprocessing import normalize

from bench import data
from bench.studies.defaults import COLLECTIONS
from bench.tables import show
from outgroup import MaxMarginClustering, Vectorizer
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


TEXTS = {
    "banking77": "banking77.jsonl.xz",
    "20 Newsgroups": "20news-18828.jsonl.xz",
    "Classic4": "classic4.jsonl.xz",
    "Reuters": "reuters21578.jsonl.xz",
    "WebKB": "webkb-all.jsonl.xz",
}
"""The texts of the collections of `--none`."""

_CLASSES, _ON_TOPIC, _EXAMPLES = 16, 1_200, 150  # most frequent classes; documents
_HIDDEN = (0.05, 0.1, 0.2)  # of the on-topic documents
_FIXED = 6.0  # slope


def measured_none(rows: list[dict[str, Any]], seed: int) -> dict[str, float]:
    """Return the figures of the probability of no group of one draw of records with one label each."""
    rng, labels = np.random.default_rng(seed), np.array([row["label"] for row in rows])
    classes, counts = np.unique(labels, return_counts=True)
    large = classes[np.argsort(-counts)][:_CLASSES]
    away = rng.choice(large, max(1, len(large) // 4), replace=False)
    kept = np.setdiff1d(large, away)
    inside = rng.permutation(np.flatnonzero(np.isin(labels, kept)))[:_ON_TOPIC]
    junk = rng.permutation(np.flatnonzero(np.isin(labels, away)))
    hidden = min(int(_ON_TOPIC * rng.choice(_HIDDEN)), len(junk) // 2)
    vectorizer = Vectorizer()
    X = vectorizer.fit_transform([rows[row]["text"] for row in [*inside, *junk[:hidden]]])
    examples = vectorizer.transform([rows[row]["text"] for row in junk[hidden : hidden + _EXAMPLES]])
    groups = MaxMarginClustering(len(kept), n_init=1, random_state=seed).fit(X, universum=examples)
    behind, y = groups.off_topic_score(X) - groups.off_topic_["value"], np.arange(X.shape[0]) >= len(inside)
    found, fixed = expit(groups.off_topic_["slope"] * behind), expit(_FIXED * behind)
    return {
        "error": none_error(found, y),
        "error, slope 6": none_error(fixed, y),
        "log loss": log_loss(found, y),
        "log loss, slope 6": log_loss(fixed, y),
        "base rate": log_loss(np.full(len(y), y.mean()), y),
        "slope": groups.off_topic_["slope"],
    }


def none_error(p: np.ndarray, y: np.ndarray) -> float:
    """Return the calibration error of probabilities (n,) against booleans, over 15 bins.

    >>> none_error(np.array([0.5, 0.5]), np.array([True, False]))
    0.0
    """
    return calibration_error(p[:, None], y)


def log_loss(p: np.ndarray, y: np.ndarray) -> float:
    """Return the mean negative logarithm of the probability of what is so."""
    return float(-np.log(np.clip(np.where(y, p, 1 - p), 1e-6, 1.0)).mean())


def of_none(draws: int, names: list[str]) -> None:
    """Print the table of the probability of no group."""
    table, columns = [], list[str]()
    for name in names:
        rows = data.records(data.folder() / TEXTS[name])
        one = [row | {"label": (row.get("labels") or [row.get("label")])[0]} for row in rows if row["text"].strip()]
        one = [row for row in one if row["label"] and len(row.get("labels", [0])) == 1]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = [measured_none(one, seed) for seed in range(draws)]
        columns = list(found[0])
        table.append([name, *(f"{np.mean([draw[each] for draw in found]):.3f}" for each in columns)])
    show(["collection", *columns], table)


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench membership", description=__doc__)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=[*COLLECTIONS, *TEXTS], metavar="NAME")
    parser.add_argument("--none", action="store_true")
    options = parser.parse_args(argv)
    if options.none:
        return of_none(options.draws, options.only or [*TEXTS])
    options.only = options.only or [*SOME]
    table, names = [], list[str]()
    for name in options.only:
        X, y = COLLECTIONS[name]()
        draws = [measured(X, y, seed) for seed in range(options.draws)]
        names = list(draws[0])
        table.append([name, *(f"{np.mean([draw[each] for draw in draws]):.3f}" for each in names)])
    show(["collection", *names], table)
