"""Collections that several studies use: rows with classes, and texts with classes for a simulated person."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench import data
from bench.papers import tasks
from outgroup.demo import documents_path, off_topic_path

# --- Rows

Task = tuple[Any, np.ndarray]


def _texts(name: str, text: Callable[[dict[str, Any]], str]) -> Task:
    rows = data.records(data.folder() / f"{name}.jsonl.xz")
    found = data.Texts([text(row) for row in rows], [row["label"] for row in rows], []).rows()
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
    "banking77": lambda: _texts("banking77", lambda row: row["text"]),
    "banking77, MiniLM": lambda: _vectors("banking77", "banking77-minilm"),
    "20 Newsgroups": lambda: _texts("20news-18828", lambda row: row["text"]),
    "20 Newsgroups, MiniLM": lambda: _vectors("20news-18828", "ng20-minilm"),
    "four classes of news": lambda: _task("news"),
    "Classic4": lambda: _texts("classic4", lambda row: f"{row['title']} {row['text']}"),
    "Reuters, 6 topics": lambda: _task("reuters 1"),
    "Reuters, 10 topics": lambda: _task("reuters 2"),
    "digits": lambda: _task("digits 0 1 2 3 4 5 6 7 8 9"),
    "digits 1279": lambda: _task("digits 1 2 7 9"),
    "digits 0689": lambda: _task("digits 0 6 8 9"),
    "digits 38": lambda: _task("digits 3 8"),
    "MNIST, 5,000": lambda: _task("mnist 0 1 2 3 4 5 6 7 8 9 @5000"),
    "Satellite": lambda: _task("satellite"),
    "Satellite, all": lambda: _numbers("satimage"),
    "Letter A B": lambda: _task("letter"),
    "Letter, all": lambda: _numbers("letter"),
}


def _titles(name: str, text: Callable[[dict[str, Any]], str], label: Callable[[dict[str, Any]], str]) -> Task:
    rows = [row for row in data.records(data.folder() / f"{name}.jsonl.xz") if label(row)]
    found = data.Texts([text(row) for row in rows], [label(row) for row in rows], []).rows()
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
    X, y = COLLECTIONS[name]()
    rng = np.random.default_rng(seed)
    rows = rng.permutation(np.flatnonzero(np.isin(y, rng.choice(y.max() + 1, groups, replace=False))))[:most]
    return X[rows], np.unique(y[rows], return_inverse=True)[1]


COLLECTIONS |= {
    "10 newsgroups, 3,000": lambda: _some("20 Newsgroups", 10, 3000, 2),
    "Classic4, titles": lambda: _titles("classic4", lambda row: row["title"], lambda row: row["label"]),
    "Reuters, titles": lambda: _titles("reuters21578", lambda row: row["title"] or "", _wire),
    "20 Newsgroups, subjects": lambda: _titles("20news-18828", _subject, lambda row: row["label"]),
}

# --- Texts, for a simulated person

_TOPICS = "acq coffee crude earn gold interest money-fx ship sugar trade"


@dataclass(frozen=True)
class Case:
    """A collection: its texts, their classes, the number of groups, off-topic examples, and vectors, if there are."""

    texts: list[str]
    y: np.ndarray
    k: int
    universum: list[str] | None = None
    embeddings: np.ndarray | None = None


def demo() -> Case:
    rows, off = data.records(documents_path()), data.records(off_topic_path())
    return Case(
        [row["text"] for row in rows], np.array([row["label"] for row in rows]), 5, [row["text"] for row in off]
    )


def news() -> Case:
    rows = data.records(data.folder() / "20news-18828.jsonl.xz")
    return Case([row["text"] for row in rows], np.array([row["label"] for row in rows]), 20)


def reuters() -> Case:
    rows = data.records(data.folder() / "reuters21578.jsonl.xz")
    wanted = set(_TOPICS.split())
    some = [row for row in rows if len(row["labels"]) == 1 and row["labels"][0] in wanted]
    return Case([row["text"] for row in some], np.array([row["labels"][0] for row in some]), 10)


CASES: dict[str, Callable[[], Case]] = {"demo": demo, "news": news, "reuters": reuters}
