"""What averaging rows with their neighbours gives, without a label: `python -m bench neighbours [NAMES] [--seeds N]`.

For each collection NMI and ARI of `SphericalKMeans` on rows averaged so many times (short texts at most twice, longer
ones once: rows fill up), how many passes "auto" makes, and seconds for the graph. Beside the shared collections: titles
alone, and some newsgroups, as short and as small ones.
`--cut` prints what one pass gives on texts of which the first words are left: from which length on it harms.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from bench import data
from bench.studies import defaults
from bench.tables import show
from outgroup import NeighbourAverage, SphericalKMeans, Vectorizer, metrics
from outgroup.rows import averaged, nearest

Task = tuple[Any, np.ndarray]
PASSES = (1, 2, 5, 10)
_SHORT = 30  # words of a text, up to which rows are averaged twice: then they fill up
HEADER = ["collection", "rows", "k", "words", "auto", "0 passes", *map(str, PASSES), "graph, s"]


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
    k, sparse = int(y.max()) + 1, sp.issparse(X)
    begin = perf_counter()
    nearest(normalize(X))
    seconds, auto = perf_counter() - begin, NeighbourAverage(n_groups=k).fit(X).passes_
    words, scores = float(X.nnz / X.shape[0]) if sparse else None, [_scores(normalize(X), y, k, seeds)]
    for passes in PASSES:
        few = words is None or passes == 1 or (passes == 2 and words < _SHORT)
        scores.append(_scores(NeighbourAverage(passes).fit_transform(X), y, k, seeds) if few else "")
    return [name, X.shape[0], k, words, auto, *scores, seconds]


def _scores(X: Any, y: np.ndarray, k: int, seeds: int) -> str:
    labels = [SphericalKMeans(k, random_state=seed).fit(X).labels_ for seed in range(seeds)]
    nmi, ari = (float(np.mean([of(y, found) for found in labels])) for of in (metrics.nmi, metrics.adjusted_rand))
    return f"{nmi:.3f}/{ari:.3f}"


def _cut(name: str, groups: int, most: int) -> tuple[list[str], np.ndarray]:
    """Return texts of some groups of a collection, at most so many, without a mail's headers, and their groups."""
    of, label, _ = CUT[name]
    rows = [row for row in data.records(data.folder() / f"{of}.jsonl.xz") if label(row)]
    rng = np.random.default_rng(0)
    names = sorted({label(row) for row in rows})
    chosen = set(names if groups > len(names) else rng.choice(names, groups, replace=False).tolist())
    rows = [row for row in rows if label(row) in chosen]
    some = [rows[i] for i in sorted(rng.permutation(len(rows))[:most])]
    texts = [row["text"].split("\n\n", 1)[-1] if name == "20 Newsgroups" else row["text"] for row in some]
    return texts, np.unique([label(row) for row in some], return_inverse=True)[1]


CUT: dict[str, tuple[str, Callable[[dict[str, Any]], str], list[tuple[int, int]]]] = {
    "20 Newsgroups": ("20news-18828", lambda row: row["label"], [(99, 6000), (10, 3000), (6, 1000)]),
    "Classic4": ("classic4", lambda row: row["label"], [(99, 6000), (4, 1000)]),
    "Reuters": ("reuters21578", _wire, [(99, 6000), (5, 1500)]),
}
"""The file, the label of a record, and how many groups (99 for all) and rows at most."""
_LENGTHS = (5, 8, 10, 12, 15, 20, 30, 50, 80, 150)


def _cut_rows(seeds: int) -> Iterator[list[Any]]:
    """Yield a line for each collection, size and length of its texts, in words."""
    for name in CUT:
        for groups, most in CUT[name][2]:
            texts, y = _cut(name, groups, most)
            for length in _LENGTHS:
                X = Vectorizer().fit_transform([" ".join(text.split()[:length]) for text in texts])
                kept = np.flatnonzero(np.diff(X.indptr))
                k, A = int(y.max()) + 1, normalize(X[kept])
                B = averaged(A, nearest(A).shares)
                told = [_scores(A, y[kept], k, seeds), _scores(B, y[kept], k, seeds)]
                yield [name, len(kept), k, length, A.nnz / len(kept), *told]


def main(argv: list[str]) -> None:
    """Print the table, each line as it is known."""
    parser = argparse.ArgumentParser(prog="python -m bench neighbours", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of: {'; '.join(TASKS)}")
    parser.add_argument("--seeds", type=int, default=3, help="default 3")
    parser.add_argument("--cut", action="store_true", help="the first words of texts instead")
    options = parser.parse_args(argv)
    if options.cut:
        header = ["collection", "rows", "k", "words of a text", "entries of a row", "0 passes", "1"]
        show(header, list(_cut_rows(options.seeds)), "NMI/ARI of SphericalKMeans on the first words of texts")
        return
    unknown = set(options.names) - set(TASKS)
    if unknown:
        parser.error(f"unknown collections: {', '.join(sorted(unknown))}")
    rows = []
    for name in options.names or TASKS:
        rows.append(row(name, options.seeds))
        print(rows[-1], flush=True)
    show(HEADER, rows, f"NMI/ARI of SphericalKMeans on averaged rows, mean of {options.seeds} seeds")
