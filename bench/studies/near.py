"""Neighbours of very many rows: `python -m bench near [--rows N ...]`.

Of the shared vectors, what is found in groups of the exact neighbours, and what that does to the groups of rows that
are averaged. Of so many rows (vectors between near ones of the shared vectors, and sentences of 20 Newsgroups):
processor seconds, of the exact way by those of 2,000 rows.
"""

from __future__ import annotations

import argparse
import random
import re
from time import process_time
from typing import Any

import numpy as np
from sklearn.preprocessing import normalize

from bench import data
from bench.studies import defaults
from bench.tables import show
from outgroup import SphericalKMeans, Vectorizer, metrics
from outgroup.cluster.neighbour_average import n_nearest, passed, weighted
from outgroup.rows import Neighbours, nearest
from outgroup.solve.neighbour_graph import nearest_in_groups

SHARED = ("banking77, MiniLM", "20 Newsgroups, MiniLM")
_SOME = 2000
_WORDS = range(6, 41)  # of a sentence


def _vectors(name: str) -> tuple[np.ndarray, np.ndarray]:
    X, y = defaults.COLLECTIONS[name]()
    return normalize(np.asarray(X, dtype=np.float32)), y


def grown(X: np.ndarray, n: int) -> np.ndarray:
    """Return rows between rows of `X` and two of their neighbours, a third of each noise, as many as are asked for."""
    rng, graph = np.random.default_rng(0), nearest(X)
    own, draw = rng.integers(0, len(X), n), rng.integers(0, graph.index.shape[1], (2, n))
    shares = rng.dirichlet([2, 1, 1], n).astype(np.float32)
    parts = [X[own], X[graph.index[own, draw[0]]], X[graph.index[own, draw[1]]]]
    made = normalize(sum(shares[:, [i]] * part for i, part in enumerate(parts)))
    noise = rng.normal(size=made.shape).astype(np.float32) / np.float32(np.sqrt(X.shape[1]))
    return np.asarray(normalize(made + np.float32(0.35) * noise), dtype=np.float32)


def sentences(n: int) -> Any:
    """Return the TF-IDF rows of so many sentences of 20 Newsgroups."""
    found: set[str] = set()
    for row in data.records(data.folder() / "20news-18828.jsonl.xz"):
        parts = (part.split() for part in re.split(r"(?<=[.!?])\s+|\n\s*\n", row["text"]))
        found |= {" ".join(part) for part in parts if len(part) in _WORDS}
    return normalize(Vectorizer().fit_transform(random.Random(0).sample(sorted(found), n)))


def recall(found: np.ndarray, exact: np.ndarray) -> float:
    """Return the mean share of the exact neighbours that were found."""
    shares = [np.isin(e[e >= 0], f).mean() for f, e in zip(found, exact, strict=True) if (e >= 0).any()]
    return float(np.mean(shares))


def _quality(X: np.ndarray, y: np.ndarray, graph: Neighbours) -> str:
    A = passed(X, weighted(graph, X), 5)[-1]
    fits = [SphericalKMeans(int(y.max()) + 1, random_state=seed).fit(A).labels_ for seed in (0, 1)]
    nmi, ari = (np.mean([of(y, labels) for labels in fits]) for of in (metrics.nmi, metrics.adjusted_rand))
    return f"{nmi:.3f}/{ari:.3f}"


def _shared(name: str) -> list[Any]:
    X, y = _vectors(name)
    since = process_time()
    exact = nearest(X, count=n_nearest(X))
    middle = process_time()
    found = nearest_in_groups(X, count=n_nearest(X))
    seconds = [round(middle - since, 1), round(process_time() - middle, 1)]
    return [
        name,
        len(X),
        *seconds,
        round(recall(found.index, exact.index), 3),
        _quality(X, y, exact),
        _quality(X, y, found),
    ]


def _many(n: int) -> list[list[Any]]:
    some = np.sort(np.random.default_rng(1).choice(n, _SOME, replace=False))
    X = grown(np.vstack([_vectors(name)[0] for name in SHARED]), n)
    since = process_time()
    exact = nearest(X[some], X, count=16).index
    middle = process_time()
    found = nearest_in_groups(X).index[some]
    dense = [round((middle - since) * n / _SOME), round(process_time() - middle)]
    others = np.array([row[row != own][:15] for row, own in zip(exact, some, strict=True)])
    texts = sentences(n)
    since = process_time()
    nearest(texts[some], texts)
    sparse = round((process_time() - since) * n / _SOME)
    return [["vectors", n, *dense, round(recall(found, others), 3), "", ""], ["sentences", n, sparse, "", "", "", ""]]


def main(argv: list[str]) -> None:
    """Print a row for each collection and number of rows."""
    parser = argparse.ArgumentParser(prog="python -m bench near")
    parser.add_argument("--rows", type=int, nargs="*", default=[100_000, 200_000])
    given = parser.parse_args(argv)
    rows = [_shared(name) for name in SHARED] + [row for n in given.rows for row in _many(n)]
    header = ["rows", "n", "exact, s", "in groups, s", "found", "NMI/ARI, exact", "in groups"]
    show(header, rows, "processor seconds; in both, rows averaged five times")
