"""Outliers without examples: `python -m bench outliers [--draws N] [--only NAME ...]`.

Strangers among the documents of a collection: scattered ones of another, and classes of which few documents are there.
Area under the curve, share of ordinary documents above the promised threshold (5 % at most), share of strangers above
it, false positives where 95 % of the strangers are found; and the area under the curve of other methods on the same
rows (sparse rows in 100 latent dimensions).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import HDBSCAN
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score, roc_curve
from sklearn.neighbors import LocalOutlierFactor, NearestNeighbors
from sklearn.preprocessing import normalize

from bench import data
from bench.tables import show
from outgroup import SphericalKMeans, Vectorizer
from outgroup.cluster.strangeness import Strangeness


class Setting(NamedTuple):
    """Rows (n, d), the mask of strangers (n,), and the number of groups."""

    X: Any
    strange: np.ndarray
    k: int


def _read(name: str) -> list[dict[str, Any]]:
    return data.records(data.folder() / f"{name}.jsonl.xz")


def _vectors(name: str) -> np.ndarray:
    return normalize(np.load(data.folder() / f"{name}-minilm.npy").astype(np.float32))


def _texts(name: str) -> list[str]:
    return [f"{row.get('title') or ''} {row['text']}" for row in _read(name)]


def _few(values: Any, count: int, rng: Any) -> Any:
    rows = rng.choice(len(values), min(count, len(values)), replace=False)
    return [values[row] for row in rows] if isinstance(values, list) else values[rows]


def _mixed(own: str, other: str, k: int, n: int, share: float) -> Callable[[Any], Setting]:
    """Return a setting of texts of one collection, and a share of texts of another."""

    def made(rng: Any) -> Setting:
        ordinary = _few(_texts(own), n, rng)
        strangers = _few(_texts(other), int(share * len(ordinary)), rng)
        X = Vectorizer().fit_transform(ordinary + strangers)
        return Setting(X, np.arange(X.shape[0]) >= len(ordinary), k)

    return made


def _mixed_vectors(own: str, other: str, k: int, share: float) -> Callable[[Any], Setting]:
    def made(rng: Any) -> Setting:
        ordinary = _vectors(own)
        strangers = _few(_vectors(other), int(share * len(ordinary)), rng)
        return Setting(np.vstack([ordinary, strangers]), np.arange(len(ordinary) + len(strangers)) >= len(ordinary), k)

    return made


def _held_out(name: str, vectors: str | None, classes: int, each: int) -> Callable[[Any], Setting]:
    """Return a setting of a collection in which few documents of some classes are there."""

    def made(rng: Any) -> Setting:
        rows = _read(name)
        labels = np.array([row["label"] for row in rows])
        strange = np.isin(labels, rng.choice(np.unique(labels), classes, replace=False))
        away = [
            rng.choice(np.flatnonzero(labels == each_), each, replace=False) for each_ in np.unique(labels[strange])
        ]
        chosen = np.concatenate([np.flatnonzero(~strange), *away])
        k = len(np.unique(labels[~strange]))
        if vectors is not None:
            return Setting(_vectors(vectors)[chosen], strange[chosen], k)
        return Setting(Vectorizer().fit_transform([rows[row]["text"] for row in chosen]), strange[chosen], k)

    return made


SETTINGS: dict[str, Callable[[Any], Setting]] = {
    "banking77 + abstracts, 5 %": _mixed("banking77", "classic4", 77, 8_000, 0.05),
    "banking77 + news, 1 %": _mixed("banking77", "20news-18828", 77, 8_000, 0.01),
    "abstracts + news, 5 %": _mixed("classic4", "20news-18828", 4, 8_000, 0.05),
    "Reuters + news, 10 %": _mixed("reuters21578", "20news-18828", 10, 6_000, 0.10),
    "pages + Reuters, 5 %": _mixed("webkb-all", "reuters21578", 5, 6_000, 0.05),
    "news + banking77, 20 %": _mixed("20news-18828", "banking77", 20, 6_000, 0.20),
    "banking77 + news, vectors, 5 %": _mixed_vectors("banking77", "ng20", 77, 0.05),
    "news + banking77, vectors, 2 %": _mixed_vectors("ng20", "banking77", 20, 0.02),
    "banking77, 20 classes of 6, vectors": _held_out("banking77", "banking77", 20, 6),
    "banking77, 20 classes of 6": _held_out("banking77", None, 20, 6),
    "news, 3 classes of 40, vectors": _held_out("20news-18828", "ng20", 3, 40),
    "news, 3 classes of 40": _held_out("20news-18828", None, 3, 40),
}


def others(X: Any, seed: int) -> dict[str, np.ndarray]:
    """Return the scores of other methods, higher is stranger."""
    Z = normalize(TruncatedSVD(100, random_state=seed).fit_transform(X)) if sp.issparse(X) else X
    labels = HDBSCAN(min_cluster_size=15, copy=True).fit_predict(Z) if len(Z) <= 10_000 else None
    return {
        "isolation forest": -IsolationForest(random_state=seed).fit(Z).score_samples(Z),
        "LOF": -LocalOutlierFactor(20).fit(Z).negative_outlier_factor_,
        "kNN distance": NearestNeighbors(n_neighbors=10).fit(Z).kneighbors()[0][:, -1],
        "HDBSCAN": np.full(len(Z), np.nan) if labels is None else (labels < 0).astype(float),
    }


def measured(setting: Setting, seed: int) -> dict[str, float]:
    """Return the figures of one draw."""
    X, strange = normalize(setting.X), setting.strange
    found = Strangeness.outliers(X)
    by_centre = -SphericalKMeans(setting.k, random_state=seed).fit(X).decision_function(X).max(axis=1)
    above, curve = found.own > found.threshold, roc_curve(strange, found.own)
    area = {name: roc_auc_score(strange, score) if np.isfinite(score).all() else np.nan
            for name, score in others(X, seed).items()}  # fmt: skip
    return {
        "area": roc_auc_score(strange, found.own),
        "ordinary out": above[~strange].mean(),
        "strange out": above[strange].mean(),
        "false at 95 %": curve[0][np.searchsorted(curve[1], 0.95)],
        "nearest centre": roc_auc_score(strange, by_centre),
        **area,
    }


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench outliers", description=__doc__)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=[*SETTINGS], default=[*SETTINGS], metavar="NAME")
    options = parser.parse_args(argv)
    table, names = [], list[str]()
    for name in options.only:
        draws = [measured(SETTINGS[name](np.random.default_rng(seed)), seed) for seed in range(options.draws)]
        names = list(draws[0])
        table.append([name, *(float(np.mean([draw[each] for draw in draws])) for each in names)])
    means = [float(np.nanmean(column)) for column in list(zip(*table, strict=True))[1:]]
    table.append(["mean", *means])
    show(["setting", *names], [[row[0], *(f"{value:.3f}" for value in row[1:])] for row in table])
