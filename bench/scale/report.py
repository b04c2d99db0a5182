"""What a report of thousands of groups takes, piece by piece."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from bench.tables import show
from outgroup import Vectorizer
from outgroup.report.html import render
from outgroup.rows import as_rows, cluster_sums, highest
from outgroup.summary.map import layout
from outgroup.summary.partition import Partition, nearest
from outgroup.summary.summarise import summarise
from outgroup.summary.tree import merges, splits
from outgroup.summary.words import Grouped, distinctive

from .documents import texts as blocks


def report(file: Path, k: int, n: int, max_features: int) -> None:
    """Print the processor time of a summary's pieces, of all of it and of its page: n documents about k drawn ones."""
    texts = list(islice((text for block in blocks(file) for text in block), n))
    words = Vectorizer(max_features=max_features)
    X, names = words.fit_transform(texts), words.get_feature_names_out().tolist()
    centres, groups = _groups(X, k)
    scores = X @ centres.T
    ids, none = [f"d{i}" for i in range(n)], np.zeros(n, dtype=bool)
    given = Partition(X, groups, scores, centres, names, ids, [""] * n, texts)
    found: dict[str, Any] = {
        "merges": lambda: merges(Grouped(X, groups, k)),
        "splits": lambda: splits(Grouped(X, groups, k), names),
        "words": lambda: distinctive(Grouped(X, groups, k), centres, names, 36),
        "nearest documents": partial(nearest, X, groups),
        "map": partial(layout, X, scores, groups, none),
        "summary, with all of these": partial(summarise, given),
    }
    table = [[name, f"{_took(act)[0]:.1f}"] for name, act in found.items()]
    seconds, page = _took(partial(render, summarise(given)))
    show(["piece", "seconds of processor time"], [*table, ["page", f"{seconds:.1f}"]])
    there = len(np.unique(groups))
    print(f"{n:,} documents, {there:,} groups, {X.shape[1]:,} words; the page has {len(page) / 1e6:.1f} MB")


def _groups(X: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return directions and groups: k drawn documents, and three batch steps from these."""
    drawn = np.random.default_rng(0).choice(X.shape[0], k, replace=False)
    rows, centres = as_rows(X), X[np.sort(drawn)].toarray()
    for _ in range(3):
        sums = cluster_sums(rows, highest(rows, centres), k)
        centres = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-30)
    return centres, highest(rows, centres)


def _took(act: Callable[[], Any]) -> tuple[float, Any]:
    begin = process_time()
    found = act()
    return process_time() - begin, found
