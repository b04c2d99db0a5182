"""The data of the first-variation paper: its examples with the starts it prints, samples of CLASSIC3, 20 Newsgroups."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from bench import data
from bench.methods.bundle import Bundle
from outgroup import Vectorizer

TABLE_1 = [[2, 0, 0, 0, 3], [0, 2, 0, 1, 2], [0, 2, 1, 1, 1], [0, 0, 0, 4, 1], [1, 1, 0, 1, 2]]  # a class a row


def three_vectors(angle: str) -> Bundle:
    """Example 3.1: unit vectors at 0, `angle` (in radians) and 90 degrees, from {x1, x2}, {x3}."""
    turned = float(angle)
    X = sp.csr_matrix(np.array([[1.0, 0.0], [np.cos(turned), np.sin(turned)], [0.0, 1.0]]))
    return Bundle(X, np.array([0, 1, 1]), start=np.array([0, 0, 1]))


def five_classes(start: str = "random") -> Bundle:
    """Example 3.2: five classes of five unit vectors that share one direction a class."""
    y = np.repeat(np.arange(5), 5)
    X = np.hstack([np.eye(5)[y] / 5, np.eye(25)])
    starts = {"printed": np.tile(np.arange(5), 5), "table-1": np.repeat(np.tile(np.arange(5), 5), np.ravel(TABLE_1))}
    return Bundle(sp.csr_matrix(X / np.linalg.norm(X, axis=1, keepdims=True)), y, start=starts.get(start))


def abstracts(each: int, seed: int, *, idf: bool = True) -> data.Rows:
    """Draw `each` abstracts of MEDLINE, CISI and CRANFIELD; rows without stop words, TF-IDF or TF, unit length."""
    rng = np.random.default_rng(seed)
    records = data.records(data.folder() / "classic4.jsonl.xz")
    chosen = []
    for label in ("MED", "CISI", "CRAN"):
        members = [r for r in records if r["label"] == label and len(r["text"].split()) > 5]
        chosen += [members[i] for i in rng.choice(len(members), each, replace=False)]
    vectorizer = Vectorizer(language="porter", min_df=1, max_df=1.0, max_features=None, sublinear_tf=idf)
    task = data.Texts([r["text"] for r in chosen], [r["label"] for r in chosen], []).rows(vectorizer)
    return task if idf else data.Rows(normalize(task.X @ sp.diags(1 / vectorizer.idf_)).tocsr(), task.y)


def classic3(count: str) -> Bundle:
    """Return a sample of so many abstracts."""
    return _of(abstracts(int(count) // 3, seed=0))


def newsgroups() -> Bundle:
    """Return all of 20 Newsgroups."""
    return _of(data.fixed_matrix())


def _of(task: data.Rows) -> Bundle:
    return Bundle(task.X, task.y)
