"""A small clustering to report on, with whatever a test wants to be different."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from report_examples import summed

from outgroup.summary.records import Summary

TOPICS = [
    ["garden", "seeds", "soil", "roses", "spade"],
    ["bread", "flour", "oven", "yeast", "crust"],
    ["train", "station", "ticket", "platform", "railway"],
]
SHARED = ["morning", "people", "water"]


def clustering(n: int = 30, k: int = 3, seed: int = 0, **changes: Any) -> dict[str, Any]:
    """The parts of a report: n documents of k topics, words of their topic and shared ones."""
    rng = np.random.default_rng(seed)
    topics = [[f"{word}{i // 3}" if i > 2 else word for word in TOPICS[i % 3]] for i in range(k)]
    names = [word for topic in topics for word in topic] + SHARED
    labels = np.arange(n) % k
    counts = np.zeros((n, len(names)), dtype=np.float32)
    for column in range(3):  # three words of the topic and one shared word each, drawn
        counts[np.arange(n), 5 * labels + (rng.integers(0, 5, n) + column) % 5] += 1.0 + rng.random(n)
    counts[np.arange(n), 5 * k + rng.integers(0, 3, n)] += 1.0
    X = sp.csr_matrix(counts / np.linalg.norm(counts, axis=1, keepdims=True))
    coef = np.zeros((k, len(names)))
    for topic in range(k):
        coef[topic, 5 * topic : 5 * topic + 5] = 1.0
    coef -= coef.mean(axis=0) * (k > 1)
    texts = [" ".join(names[w] for w in X[i].indices) for i in range(n)]
    given = {
        "X": X,
        "labels": labels,
        "scores": X @ coef.T,
        "coef": coef,
        "feature_names": names,
        "ids": [f"id-{i}" for i in range(n)],
        "titles": [f"Note {i}" for i in range(n)],
        "texts": texts,
    }
    return given | changes


def choice(method: str, value: float, **expected: float | None) -> dict[str, Any]:
    """A threshold, as an estimator tells of it."""
    nothing = {"share": None, "precision": None, "recall": None}
    return {"method": method, "rate": 0.05, "value": value, "flagged": 7} | nothing | expected


def rejecting(parts: dict[str, Any]) -> dict[str, Any]:
    """Directions in which "none of these" is for what the groups share, and against their own words."""
    k, words = len(parts["coef"]), parts["feature_names"]
    reject = np.where(np.isin(words, SHARED), 1.0, -0.5)
    return {"reject": (np.vstack([parts["coef"], reject]), np.zeros(k + 1))}


@pytest.fixture
def make() -> Callable[..., Summary]:
    return lambda *args, **changes: summed(**clustering(*args, **changes))


@pytest.fixture
def given() -> Callable[..., dict[str, Any]]:
    return clustering


@pytest.fixture
def full() -> Callable[..., Summary]:
    """A summary with every part present."""

    def build(n: int = 30, k: int = 3, **changes: Any) -> Summary:
        parts = {
            "true_labels": [f"topic {i % k}" for i in range(n)],
            "off_topic": np.arange(n) >= n - 4,
            "off_topic_score": np.arange(n) / n,
            "threshold": choice("conformal", (n - 5) / n, share=0.3, precision=0.9, recall=0.4),
            "skipped": [("notes/empty.txt", "no usable words")],
            "duplicates": [["id-1", "id-2"]],
            "universum": {"count": 12, "source": "off-topic/"},
            "run": {
                "title": "Notes",
                "date": "1 May 2026",
                "command": "outgroup cluster notes -k 3",
                "parameters": {"n_clusters": k, "strip": []},
                "versions": {"outgroup": "0.1.0"},
                "timings": {"reading": 0.2, "fitting": 1.4},
            },
        }
        given = clustering(n, k, **(parts | changes))
        return summed(**rejecting(given) | given)

    return build
