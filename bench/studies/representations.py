"""`python -m bench representations [COLLECTION ...]`: words or vectors, on the same documents.

`SphericalKMeans` defaults on TF-IDF rows and on all-MiniLM-L6-v2 vectors that were made elsewhere, each as they are and
averaged with their nearest rows, words once and vectors as "auto" does, by vectors alone and by words, too; NMI and ARI
are means over three seeds, those of `MaxMarginClustering` beside them; seconds are of the processor, one thread.
`rows s` is what makes the rows (of vectors: reading them from a file), `MB` what the plain rows take, `known` the share
of documents that have a row.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from bench import data
from bench.tables import show
from outgroup import MaxMarginClustering, SphericalKMeans, Vectorizer
from outgroup.cluster.neighbour_average import NeighbourAverage
from outgroup.metrics import adjusted_rand, nmi

NEWS = ("20news-18828.jsonl.xz", "ng20-minilm.npy")
CASES = {
    "banking77": ("banking77.jsonl.xz", "banking77-minilm.npy", "", None),
    "20 Newsgroups": (*NEWS, "", None),
    **{f"{kind}, {count}": (*NEWS, kind, count) for kind in ("comp", "rec", "sci", "talk") for count in (300, 900)},
}
"""Documents and vectors by file, the prefix of the classes, and how many of the documents, evenly spaced."""
SEEDS = 3


def main(arguments: list[str]) -> None:
    """Print a row for each representation of the collections named, or of all."""
    rows = []
    for case in arguments or CASES:
        documents, vectors, prefix, count = CASES[case]
        records = data.records(data.folder() / documents)
        of_kind = [i for i, each in enumerate(records) if each["label"].startswith(prefix)]
        kept = np.array(of_kind)[np.linspace(0, len(of_kind) - 1, count or len(of_kind)).astype(int)]
        y = np.unique([records[i]["label"] for i in kept], return_inverse=True)[1]
        texts = [records[i]["text"] for i in kept]
        rows += measured(case, "TF-IDF", partial(_words, texts), y)
        rows += measured(case, "MiniLM", partial(_vectors, vectors, kept), y, beside=_words(texts))
    show([*rows[0]], [list(row.values()) for row in rows])


def measured(case: str, name: str, make: Callable[[], Any], y: Any, beside: Any = None) -> list[dict[str, Any]]:
    """Return the rows of the table for one representation: plain, averaged with neighbours, and with those by words
    `beside` it, too."""
    with threadpool_limits(1):
        X, seconds = _timed(make)
        known = np.asarray(abs(X).sum(axis=1)).ravel() > 0
        size = (X.data.nbytes + X.indices.nbytes + X.indptr.nbytes) if sp.issparse(X) else X.nbytes
        average = NeighbourAverage(1 if sp.issparse(X) else 5).fit_transform
        ways = {name: lambda: X[known], f"{name}, neighbours": lambda: average(X[known])}
        if beside is not None:
            ways[f"{name}, neighbours by words, too"] = lambda: average(X[known], words=beside[known])
        told, found = {"collection": case, "known": f"{known.mean():.1%}", "MB": round(size / 1e6, 1)}, []
        for way, rows in ways.items():
            A, more = _timed(rows)
            found.append(told | {"rows": way, "rows s": round(seconds + more, 1)} | _groups(A, y[known]))
            print(found[-1], flush=True)
        return found


def _groups(X: Any, y: Any) -> dict[str, Any]:
    """NMI and ARI over seeds, and the seconds of a fit, of both methods."""
    told: dict[str, Any] = {}
    for name, method in {"": SphericalKMeans, "margins: ": MaxMarginClustering}.items():
        found = []
        for seed in range(SEEDS):
            labels, seconds = _timed(partial(method(int(y.max()) + 1, random_state=seed).fit_predict, X))
            found.append((nmi(y, labels), adjusted_rand(y, labels), seconds))
        mean = np.mean(found, axis=0)
        told |= {f"{name}NMI": round(float(mean[0]), 3), f"{name}ARI": round(float(mean[1]), 3)}
        told[f"{name}fit s"] = round(float(mean[2]), 1)
    return told


def _timed(run: Callable[[], Any]) -> tuple[Any, float]:
    began = time.process_time()
    found = run()
    return found, time.process_time() - began


def _words(texts: list[str]) -> Any:
    return Vectorizer().fit_transform(texts)


def _vectors(name: str, kept: np.ndarray) -> Any:
    X = np.load(data.folder() / name)[kept].astype(np.float32)
    return X / np.linalg.norm(X, axis=1, keepdims=True)
