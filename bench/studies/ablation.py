"""What each part of a default fit brings: `python -m bench ablation [PARTS] [--on COLLECTION] [--draws N]`.

A draw is 4,000 random rows of a collection, fitted as `DocumentClustering` fits them; a part is taken out, or another
put in its place, and NMI and ARI are compared with those of the default fit of the same draw. A part stays if it brings
.003 in the mean of the collections and .01 on two of them, or prevents a defect that a test shows
(docs/decisions/0031). Rows and neighbours are kept in a folder of temporary files between runs.
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any
from unittest.mock import patch

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from bench import data
from bench.studies import defaults, neighbours
from bench.tables import show
from outgroup import MaxMarginClustering, NeighbourAverage, SphericalKMeans, metrics
from outgroup.errors import OutgroupWarning

MOST = 4000  # rows of a draw
KEPT = Path(tempfile.gettempdir()) / "outgroup-ablation"


@dataclass(frozen=True)
class Draw:
    """Rows (n, d), the words of the same documents where the rows are vectors of texts, and their classes (n,)."""

    X: Any
    words: Any
    y: np.ndarray

    @property
    def k(self) -> int:
        return int(self.y.max()) + 1


def _labelled(name: str) -> defaults.Task:
    rows = [row for row in data.records(data.folder() / f"{name}.jsonl.xz") if row["label"] != "off-topic"]
    found = data.Texts([row["text"] for row in rows], [row["label"] for row in rows], []).rows()
    return found.X, found.y


LONG = {
    "20 Newsgroups": neighbours.TASKS["20 Newsgroups"],
    "four classes of news": neighbours.TASKS["four classes of news"],
    "10 newsgroups": neighbours.TASKS["10 newsgroups, 3,000"],
    "Classic4": neighbours.TASKS["Classic4"],
    "Reuters, 6 topics": neighbours.TASKS["Reuters, 6 topics"],
    "Reuters, 10 topics": neighbours.TASKS["Reuters, 10 topics"],
    "WebKB": partial(_labelled, "webkb-all"),
    "RCV1": partial(_labelled, "rcv1-top"),
}
SHORT = {
    "banking77": neighbours.TASKS["banking77"],
    "Classic4, titles": neighbours.TASKS["Classic4, titles"],
    "Reuters, titles": neighbours.TASKS["Reuters, titles"],
    "20 Newsgroups, subjects": neighbours.TASKS["20 Newsgroups, subjects"],
}
VECTORS = {
    "banking77, MiniLM": neighbours.TASKS["banking77, MiniLM"],
    "20 Newsgroups, MiniLM": neighbours.TASKS["20 Newsgroups, MiniLM"],
}
MEASURED = {
    "digits": neighbours.TASKS["digits"],
    "MNIST": neighbours.TASKS["MNIST, 5,000"],
    "Satellite, all": neighbours.TASKS["Satellite, all"],
    "Letter, all": defaults.COLLECTIONS["Letter, all"],
}
COLLECTIONS = LONG | SHORT | VECTORS | MEASURED


def drawn(name: str, number: int) -> Draw:
    """Return a draw of a collection, as it was kept, or made and kept."""
    X, y = _whole(name)
    words = _whole(name.removesuffix(", MiniLM"))[0] if name in VECTORS else None
    rows = np.sort(np.random.default_rng(number).permutation(len(y))[:MOST])
    return Draw(X[rows], None if words is None else words[rows], np.unique(y[rows], return_inverse=True)[1])


def _whole(name: str) -> defaults.Task:
    KEPT.mkdir(exist_ok=True)
    place = KEPT / f"{name.replace(' ', '-').replace(',', '')}.npz"
    if not place.exists():
        X, y = _aligned(name) if name in ("banking77", "20 Newsgroups") else COLLECTIONS[name]()
        parts = {"data": X.data, "indices": X.indices, "indptr": X.indptr} if sp.issparse(X) else {"X": X}
        np.savez(place, y=y, shape=X.shape, **parts)
    with np.load(place) as file:
        if "X" in file:
            return file["X"], file["y"]
        return sp.csr_matrix((file["data"], file["indices"], file["indptr"]), tuple(file["shape"])), file["y"]


def _aligned(name: str) -> defaults.Task:
    """A collection that has vectors, with the rows that have no word."""
    rows = data.records(data.folder() / neighbours_file(name))
    from outgroup import Vectorizer

    X = Vectorizer().fit_transform([row["text"] for row in rows])
    return X, np.unique([row["label"] for row in rows], return_inverse=True)[1]


def neighbours_file(name: str) -> str:
    return {"banking77": "banking77.jsonl.xz", "20 Newsgroups": "20news-18828.jsonl.xz"}[name]
