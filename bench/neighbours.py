"""What averaging rows with their neighbours gives, without a label: `python -m bench neighbours [NAMES] [--seeds N]`.

For each collection NMI and ARI of `SphericalKMeans` on rows averaged 0 to 3 times, how many passes "auto" makes, and
seconds for the graph. Beside the shared collections: titles alone, and some newsgroups, as short and as small ones.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.preprocessing import normalize

from bench import data, defaults
from bench.tables import show
from outgroup import NeighbourAverage, SphericalKMeans, Vectorizer, metrics
from outgroup.rows import averaged, nearest

Task = tuple[Any, np.ndarray]
HEADER = ["collection", "rows", "k", "words", "auto", "0 passes", "1", "2", "3", "graph, s"]


def _titles(name: str, text: Callable[[dict[str, Any]], str], label: Callable[[dict[str, Any]], str]) -> Task:
    rows = [row for row in data.records(data.folder() / f"{name}.jsonl.xz") if label(row)]
    found = data.Texts([text(row) for row in rows], [label(row) for row in rows], []).rows(Vectorizer())
    return found.X, found.y


def _subject(row: dict[str, Any]) -> str:
    lines = [line for line in row["text"].split("\n")[:4] if line.lower().startswith("subject:")]
    return lines[0][8:] if lines else ""


def _wire(row: dict[str, Any]) -> str:
    labels = row["labels"]
    return labels[0] if len(labels) == 1 and labels[0] in _WIRE else ""


_WIRE = ("acq", "coffee", "crude", "earn", "interest", "money-fx", "money-supply", "ship", "sugar", "trade")


def _some(name: str, groups: int, most: int, seed: int) -> Task:
    """Some groups of a collection, at most so many rows of them."""
    X, y = defaults.COLLECTIONS[name]()
    rng = np.random.default_rng(seed)
    rows = rng.permutation(np.flatnonzero(np.isin(y, rng.choice(y.max() + 1, groups, replace=False))))[:most]
    return X[rows], np.unique(y[rows], return_inverse=True)[1]


TASKS: dict[str, Callable[[], Task]] = {
    name: make for name, make in defaults.COLLECTIONS.items() if not name.startswith(("digits ", "Letter"))
} | {
    "Classic4, titles": lambda: _titles("classic4", lambda row: row["title"], lambda row: row["label"]),
    "Reuters, titles": lambda: _titles("reuters21578", lambda row: row["title"] or "", _wire),
    "20 Newsgroups, subjects": lambda: _titles("20news-18828", _subject, lambda row: row["label"]),
    "6 newsgroups, 1,000": lambda: _some("20 Newsgroups", 6, 1000, 1),
    "10 newsgroups, 3,000": lambda: _some("20 Newsgroups", 10, 3000, 2),
    "20 Newsgroups, MiniLM, 2,000": lambda: _some("20 Newsgroups, MiniLM", 20, 2000, 0),
    "20 Newsgroups, MiniLM, 500": lambda: _some("20 Newsgroups, MiniLM", 20, 500, 0),
    "banking77, 2,000": lambda: _some("banking77", 77, 2000, 0),
    "banking77, MiniLM, 2,000": lambda: _some("banking77, MiniLM", 77, 2000, 0),
    "banking77, MiniLM, 500": lambda: _some("banking77, MiniLM", 77, 500, 0),
}


def row(name: str, seeds: int) -> list[Any]:
    """Return the line of one collection."""
    X, y = TASKS[name]()
    k, auto = int(y.max()) + 1, NeighbourAverage(n_groups=int(y.max()) + 1).fit(X).passes_
    A, scores, seconds = normalize(X), [_scores(X, y, k, seeds)], 0.0
    for _ in range(3):
        begin = perf_counter()
        graph = nearest(A)
        seconds = seconds or perf_counter() - begin
        A = averaged(A, graph.shares)
        scores.append(_scores(A, y, k, seeds))
    words = float(X.nnz / X.shape[0]) if hasattr(X, "nnz") else None
    return [name, X.shape[0], k, words, auto, *scores, seconds]


def _scores(X: Any, y: np.ndarray, k: int, seeds: int) -> str:
    labels = [SphericalKMeans(k, random_state=seed).fit(X).labels_ for seed in range(seeds)]
    nmi, ari = (float(np.mean([of(y, found) for found in labels])) for of in (metrics.nmi, metrics.adjusted_rand))
    return f"{nmi:.3f}/{ari:.3f}"


def main(argv: list[str]) -> None:
    """Print the table, each line as it is known."""
    parser = argparse.ArgumentParser(prog="python -m bench neighbours", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of: {'; '.join(TASKS)}")
    parser.add_argument("--seeds", type=int, default=3, help="default 3")
    options = parser.parse_args(argv)
    unknown = set(options.names) - set(TASKS)
    if unknown:
        parser.error(f"unknown collections: {', '.join(sorted(unknown))}")
    rows = []
    for name in options.names or TASKS:
        rows.append(row(name, options.seeds))
        print(rows[-1], flush=True)
    show(HEADER, rows, f"NMI/ARI of SphericalKMeans on averaged rows, mean of {options.seeds} seeds")
