"""Fits from shards against fits in memory, and directions of which the largest entries alone are kept."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

from outgroup import MaxMarginClustering, SphericalKMeans, Vectorizer
from outgroup.rows import as_rows, cluster_sums, highest
from outgroup.rows.disk import DiskRows
from outgroup.rows.shards import ShardWriter

from .. import data
from ..tables import show
from .documents import texts


def quality(file: Path | None, k: int, draws: int) -> None:
    """Compare fits from shards, which start from a sample, with fits in memory."""
    documents = data.news().texts if file is None else [text for block in texts(file) for text in block]
    X = Vectorizer().fit_transform(documents)
    X = X[np.flatnonzero(np.diff(X.indptr))]
    with tempfile.TemporaryDirectory() as folder:
        writer = ShardWriter(Path(folder, "rows"), X.shape[1])
        writer.append(X)
        disk, table, found = DiskRows(writer.close()), [], []
        for seed in range(draws):
            for make in (SphericalKMeans, partial(MaxMarginClustering, n_init=1, off_topic_rate=None)):
                memory, other = make(k, random_state=seed).fit(X), make(k, random_state=seed)
                if hasattr(memory, "C_"):  # J of another C is another objective
                    other.set_params(C=memory.C_)
                shards = other.fit(disk)
                table.append(_compared(memory, shards, seed))
                found.append((type(memory).__name__, memory.objective_, shards.objective_))
    show(["fit", "draw", "in memory", "from shards", "difference", "ARI"], table)
    if draws > 1:
        for name in dict.fromkeys(name for name, *_ in found):
            _tell_of_draws(name, np.array([values for each, *values in found if each == name]))


def _tell_of_draws(name: str, found: np.ndarray) -> None:
    """Print the means over draws, since one draw differs from the next by more than shards from memory."""
    (memory, shards), apart = found.mean(axis=0), found.std(axis=0, ddof=1)
    error = 100 * float(np.sqrt((apart**2).sum() / len(found))) / memory
    spread = ", ".join(f"{100 * each / mean:.2f} %" for each, mean in zip(apart, (memory, shards), strict=True))
    print(
        f"{name}: from shards {100 * (shards / memory - 1):+.2f} % in the mean of {len(found)} draws, with a standard "
        f"error of {error:.2f}; the draws' standard deviation is {spread}"
    )


def _compared(memory: Any, shards: Any, seed: int) -> list[str]:
    ratio = 100 * (shards.objective_ / memory.objective_ - 1)
    return [
        type(memory).__name__, str(seed), f"{memory.objective_:.5g}", f"{shards.objective_:.5g}", f"{ratio:+.2f} %",
        f"{adjusted_rand_score(memory.labels_, shards.labels_):.3f}",
    ]  # fmt: skip


def pruned(k: int) -> None:
    """Take batch steps from a fit with directions cut to their largest entries, and compare Q."""
    X = Vectorizer().fit_transform(data.news().texts[:5000])
    rows = as_rows(X[np.flatnonzero(np.diff(X.indptr))])
    whole, table = SphericalKMeans(k, random_state=0).fit(rows.local()), []
    for most in (1024, 256, 64):
        labels = whole.labels_
        for _ in range(5):
            sums = cluster_sums(rows, labels, k)
            least = np.partition(sums, -most, axis=1)[:, -most, None]
            directions = np.where(sums >= least, sums, 0.0)
            labels = highest(rows, directions / np.maximum(np.linalg.norm(directions, axis=1, keepdims=True), 1e-30))
        Q = float(np.linalg.norm(cluster_sums(rows, labels, k), axis=1).sum())
        same = adjusted_rand_score(whole.labels_, labels)
        table.append(
            [str(most), f"{100 * (Q / whole.objective_ - 1):+.2f} %", f"{same:.3f}", f"{12 * most * k / 1e6:.2f}"]
        )
    table.append(["all", "", "", f"{8 * rows.shape[1] * k / 1e6:.2f}"])
    show(["entries kept", "Q", "ARI", "MB of directions"], table)
