"""The research collections as tasks: documents or rows, their classes, and what belongs to none.

They are not part of the project: OUTGROUP_DATA names their folder, else it is `shared/data` beside the checkout.
"""

from __future__ import annotations

import json
import lzma
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from outgroup import Vectorizer
from outgroup.text.counts import in_columns

NEWS_TARGETS = ("comp", "rec", "sci", "talk")


@dataclass(frozen=True)
class Rows:
    """A matrix, its classes as numbers, and the rows of its Universum (None without)."""

    X: Any
    y: np.ndarray
    universum: Any = None

    @property
    def k(self) -> int:
        return int(self.y.max()) + 1


@dataclass(frozen=True)
class Texts:
    """Documents, their classes, and the documents that belong to none of them."""

    texts: list[str]
    y: list[str]
    universum: list[str]

    def rows(self, vectorizer: Any = None) -> Rows:
        """Return the rows, with words learned from the targets alone; documents without a word are left out."""
        vectorizer = Vectorizer(language="porter") if vectorizer is None else vectorizer
        X = vectorizer.fit_transform(self.texts)
        y = np.unique(self.y, return_inverse=True)[1]
        U = _with_words(vectorizer.transform(self.universum)) if self.universum else None
        kept = np.diff(X.indptr) > 0
        return Rows(X[kept], y[kept], U if U is not None and U.shape[0] else None)


def _with_words(X: Any) -> Any:
    return X[np.diff(X.indptr) > 0]


def counts(vectorizer: Vectorizer, texts: list[str]) -> Any:
    """Return how often each of a default vectorizer's words occurs in each text: CSR of float64."""
    tally = vectorizer.analyser.tally(texts)
    return in_columns(tally.counts, tally.terms, vectorizer.vocabulary_).astype(np.float64)


def unit(X: Any) -> Any:
    """Return sparse rows scaled to unit length; rows of zeros stay."""
    return normalize(X)


def folder() -> Path:
    """Return the folder of the collections; exits with a plain line when it is missing."""
    path = Path(os.environ.get("OUTGROUP_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
    if not path.is_dir():
        raise SystemExit(f"no collections in {path}: set OUTGROUP_DATA to the folder that holds them")
    return path


def records(path: Path) -> list[dict[str, Any]]:
    """Read JSON lines, plain or xz."""
    return [json.loads(line) for line in lines(path)]


def lines(path: Path) -> list[str]:
    """Read the lines of a text file, plain or xz."""
    opened = lzma.open if path.suffix == ".xz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        return list(file)


@cache
def news() -> Texts:
    """20 Newsgroups 18828 as in M2DCU: comp, rec, sci, talk against the four remaining groups."""
    rows = [(row["text"], row["label"].split(".")[0]) for row in records(folder() / "20news-18828.jsonl.xz")]
    targets = [(text, group) for text, group in rows if group in NEWS_TARGETS]
    rest = [text for text, group in rows if group not in NEWS_TARGETS]
    return Texts([text for text, _ in targets], [group for _, group in targets], rest)


def fixed_matrix() -> Rows:
    """The matrix that speed is measured on: 18,828 x 57,285 unit rows, float32, 20 classes."""
    with np.load(folder() / "ng20-tfidf.npz") as file:
        X = sp.csr_matrix((file["data"], file["indices"], file["indptr"]), shape=tuple(file["shape"]))
        return Rows(X, np.unique(file["y"], return_inverse=True)[1])
