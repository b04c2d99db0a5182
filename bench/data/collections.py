"""Collections that several studies use: rows with classes, and texts with classes for a simulated person."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

from bench import data
from bench.data import dual_supervision
from bench.papers import tasks

# --- Rows

Task = tuple[Any, np.ndarray]


def _texts(
    name: str,
    text: Callable[[dict[str, Any]], str] = lambda row: row["text"],
    label: Callable[[dict[str, Any]], str] = lambda row: row["label"],
) -> Task:
    rows = [row for row in data.records(data.folder() / f"{name}.jsonl.xz") if label(row) not in ("", tasks.OFF_TOPIC)]
    found = data.Texts([text(row) for row in rows], [label(row) for row in rows], []).rows()
    return found.X, found.y


def _vectors(name: str, vectors: str) -> Task:
    rows = data.records(data.folder() / f"{name}.jsonl.xz")
    X = np.load(data.folder() / f"{vectors}.npy").astype(np.float32)
    return X, np.unique([row["label"] for row in rows], return_inverse=True)[1]


def _numbers(name: str) -> Task:
    with np.load(data.folder() / f"{name}.npz", allow_pickle=False) as arrays:
        return arrays["X"].astype(np.float32), np.unique(arrays["y"], return_inverse=True)[1]


def _task(name: str) -> Task:
    found = tasks.bundle(name)
    return found.X, found.y


COLLECTIONS: dict[str, Callable[[], Task]] = {
    "banking77": lambda: _texts("banking77"),
    "banking77, MiniLM": lambda: _vectors("banking77", "banking77-minilm"),
    "20 Newsgroups": lambda: _texts("20news-18828"),
    "20 Newsgroups, MiniLM": lambda: _vectors("20news-18828", "ng20-minilm"),
    "four classes of news": lambda: _task("news"),
    "Classic4": lambda: _texts("classic4", lambda row: f"{row['title']} {row['text']}"),
    "Reuters, 6 topics": lambda: _task("reuters 1"),
    "Reuters, 10 topics": lambda: _task("reuters 2"),
    "digits": lambda: _task("digits 0 1 2 3 4 5 6 7 8 9"),
    "MNIST, 5,000": lambda: _task("mnist 0 1 2 3 4 5 6 7 8 9 @5000"),
    "Satellite, all": lambda: _numbers("satimage"),
    "Letter, all": lambda: _numbers("letter"),
    "WebKB": lambda: _texts("webkb-all"),
    "RCV1": lambda: _texts("rcv1-top"),
}


def _subject(row: dict[str, Any]) -> str:
    lines = [line for line in row["text"].split("\n")[:4] if line.lower().startswith("subject:")]
    return lines[0][8:] if lines else ""


def _wire(row: dict[str, Any]) -> str:
    labels = row["labels"]
    return labels[0] if len(labels) == 1 and labels[0] in _WIRE else ""


_WIRE = ("acq", "coffee", "crude", "earn", "interest", "money-fx", "money-supply", "ship", "sugar", "trade")


def _some(name: str, groups: int, most: int, seed: int) -> Task:
    """Some groups of a collection, at most so many rows of them."""
    X, y = COLLECTIONS[name]()
    rng = np.random.default_rng(seed)
    rows = rng.permutation(np.flatnonzero(np.isin(y, rng.choice(y.max() + 1, groups, replace=False))))[:most]
    return X[rows], np.unique(y[rows], return_inverse=True)[1]


COLLECTIONS |= {
    "10 newsgroups, 3,000": lambda: _some("20 Newsgroups", 10, 3000, 2),
    "Classic4, titles": lambda: _texts("classic4", lambda row: row["title"]),
    "Reuters, titles": lambda: _texts("reuters21578", lambda row: row["title"] or "", _wire),
    "20 Newsgroups, subjects": lambda: _texts("20news-18828", _subject),
}

# --- Texts, for a simulated person


@dataclass(frozen=True)
class Case:
    """A collection: its texts, their classes, the number of groups, and vectors, if there are."""

    texts: list[str]
    y: np.ndarray
    k: int
    embeddings: np.ndarray | None = None


def _case(name: str, classes: str = "", vectors: str = "", titled: bool = False, most: int = 0) -> Case:
    """Return a collection of a file, with vectors if their file is named.

    `classes` chooses classes, `titled` puts titles before the texts, `most` takes the first documents of each class.
    """
    rows = data.records(data.folder() / f"{name}.jsonl.xz")
    kept = [i for i, row in enumerate(rows) if not classes or row["label"] in classes.split()]
    if most:
        of = {label: [i for i in kept if rows[i]["label"] == label][:most] for label in classes.split()}
        kept = sorted(i for each in of.values() for i in each)
    texts = [(f"{rows[i]['title']} " if titled else "") + rows[i]["text"] for i in kept]
    y = np.array([rows[i]["label"] for i in kept])
    embeddings = np.load(data.folder() / f"{vectors}.npy").astype(np.float32)[kept] if vectors else None
    return Case(texts, y, len(np.unique(y)), embeddings=embeddings)


def _subjects() -> Case:
    rows = data.records(data.folder() / "20news-18828.jsonl.xz")
    heads = [next((line for line in row["text"].splitlines() if line.startswith("Subject:")), "") for row in rows]
    return Case([each[8:] for each in heads], np.array([row["label"] for row in rows]), 20)


def _reuters() -> Case:
    rows = data.records(data.folder() / "reuters21578.jsonl.xz")
    wanted = set(dual_supervision.SETS["D6"].classes)
    some = [row for row in rows if len(row["labels"]) == 1 and row["labels"][0] in wanted]
    return Case([row["text"] for row in some], np.array([row["labels"][0] for row in some]), 10)


def _digits() -> Case:
    """Handwritten digits of 8 x 8 pixels as vectors; their words are the pixels of at least half of full ink."""
    X, y = load_digits(return_X_y=True)
    name = "abcdefgh".__getitem__
    texts = [" ".join(f"x{name(i // 8)}{name(i % 8)}x" for i in np.flatnonzero(row >= 8)) for row in X]
    return Case(texts, y, 10, embeddings=X)


CASES: dict[str, Callable[[], Case]] = {
    "webkb": lambda: _case("webkb-all", "student faculty course project"),
    "rcv1": lambda: _case("rcv1-top"),
    "classic4": lambda: _case("classic4", titled=True),
    "reuters": _reuters,
    "banking": lambda: _case("banking77"),
    "banking-vectors": lambda: _case("banking77", vectors="banking77-minilm"),
    "news": lambda: _case("20news-18828"),
    "news-vectors": lambda: _case("20news-18828", vectors="ng20-minilm"),
    "news-7": lambda: _case("20news-18828", " ".join(dual_supervision.SETS["D2"].classes), most=100),
    "subjects": _subjects,
    "digits": _digits,
}
