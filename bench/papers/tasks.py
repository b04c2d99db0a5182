"""The papers' data sets by name, as bundles: `bundle("digits 3 8")`. Definitions that lack their files say so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

from bench import data
from bench.data import dual_supervision as dual_sets
from bench.data import first_variation as search_sets
from bench.methods.bundle import Bundle
from outgroup import Vectorizer

NOT_OURS = {"webkb", "cora", "rcv1"}
OFF_TOPIC = "off-topic"
_REC = ("rec.autos", "rec.motorcycles", "rec.sport.baseball", "rec.sport.hockey")


class MissingDataError(Exception):
    """The data set is not among the collections."""


def expanded(name: str) -> list[str]:
    """Return the tasks that a name stands for: 45 of them for "digits pairs"."""
    head, _, tail = name.partition(" ")
    return [f"{head} {a} {b}" for a, b in combinations(range(10), 2)] if tail == "pairs" else [name]


@lru_cache(maxsize=2)
def bundle(name: str) -> Bundle:
    """Return the task of that name, or of "name @500" 500 of its rows; raises MissingDataError without its files."""
    whole, _, rows = name.partition(" @")
    if rows:
        return _sampled(bundle(whole), int(rows))
    head, *words = name.split(" ")
    try:
        return _given(head, *words) if head in NOT_OURS else _MAKERS[head](*words)
    except FileNotFoundError as error:
        raise MissingDataError(f"no data: {Path(error.filename).name} is not among the collections") from error


def as_bundle(task: data.Texts) -> Bundle:
    """Return a task's rows with their counts in the same words."""
    vectorizer = Vectorizer(language="porter")
    rows = task.rows(vectorizer)
    tallied = data.counts(vectorizer, task.texts)
    return Bundle(rows.X, rows.y, rows.universum, tallied[np.diff(tallied.indptr) > 0])


def _given(*words: str) -> Bundle:
    """A collection that the project does not have, where somebody has put it beside the others.

    "webkb CL" is webkb-cl.jsonl.xz: records of text and label, the label `off-topic` for the Universum.
    """
    rows = data.records(data.folder() / f"{'-'.join(words).lower()}.jsonl.xz")
    inside = [row for row in rows if row["label"] != OFF_TOPIC]
    off_topic = [row["text"] for row in rows if row["label"] == OFF_TOPIC]
    return as_bundle(data.Texts([row["text"] for row in inside], [row["label"] for row in inside], off_topic))


def _sampled(whole: Bundle, rows: int) -> Bundle:
    chosen = np.random.default_rng(rows).permutation(len(whole.y))[:rows]
    return Bundle(whole.X[chosen], whole.y[chosen])


def _digits(*classes: str) -> Bundle:
    X, y = load_digits(return_X_y=True)
    return _of_classes(X / 16, y, [int(c) for c in classes])


def _mnist(*classes: str) -> Bundle:
    X, y = _arrays("mnist")
    return _of_classes(X.astype(np.float32) / 255, y.astype(int), [int(c) for c in classes])


def _letter() -> Bundle:
    X, y = _arrays("letter")
    return _of_classes(_unit_range(X), y, np.unique(y)[:2])


def _satellite() -> Bundle:
    """UCI's classes 1 and 2. Grey values as they are: with them k-means has the paper's accuracy, 95.93."""
    X, y = _arrays("satimage")
    return _of_classes(X / 255, y, ["red soil", "cotton crop"])


@lru_cache(maxsize=1)
def _arrays(name: str) -> tuple[np.ndarray, np.ndarray]:
    with np.load(data.folder() / f"{name}.npz", allow_pickle=False) as file:
        return file["X"], file["y"]


def _unit_range(X: np.ndarray) -> np.ndarray:
    X = X.astype(np.float64)
    return (X - X.min(axis=0)) / np.ptp(X, axis=0)


def _of_classes(X: np.ndarray, y: np.ndarray, classes: Any) -> Bundle:
    chosen = np.isin(y, classes)
    return Bundle(X[chosen], np.unique(y[chosen], return_inverse=True)[1])


def _rec(*groups: str) -> Bundle:
    """The groups of rec.* whose last names are given, or all four."""
    kept = [group for group in _REC if not groups or group.rpartition(".")[2] in groups]
    rows = [row for row in data.records(data.folder() / "20news-18828.jsonl.xz") if row["label"] in kept]
    return as_bundle(data.Texts([row["text"] for row in rows], [row["label"] for row in rows], []))


def _news() -> Bundle:
    return as_bundle(data.news())


def _reuters(part: str) -> Bundle:
    """Reuters-21578-1: the six commonest topics; -2: the next ten. Documents of exactly one of these topics."""
    rows = [row for row in data.records(data.folder() / "reuters21578.jsonl.xz") if _usable(row)]
    commonest = [topic for topic, _ in Counter(topic for row in rows for topic in row["labels"]).most_common(16)]
    topics = set(commonest[:6] if part == "1" else commonest[6:])
    inside = [(row["text"], *(set(row["labels"]) & topics)) for row in rows if len(set(row["labels"]) & topics) == 1]
    rest = [row["text"] for row in rows if row["labels"] and not set(row["labels"]) & set(commonest)]
    return as_bundle(data.Texts([pair[0] for pair in inside], [pair[1] for pair in inside], rest))


def _usable(row: dict[str, Any]) -> bool:
    return bool(row["text"]) and row.get("text_type", "NORM") == "NORM"


_MAKERS: dict[str, Callable[..., Bundle]] = {
    "digits": _digits,
    "mnist": _mnist,
    "letter": _letter,
    "satellite": _satellite,
    "rec": _rec,
    "news": _news,
    "reuters": _reuters,
    "dual": dual_sets.bundle,
    "example-3.1": search_sets.three_vectors,
    "example-3.2": search_sets.five_classes,
    "five-classes": search_sets.five_classes,
    "classic3": search_sets.classic3,
    "newsgroups": search_sets.newsgroups,
}
