"""Fits from files against fits in memory, and directions of which the largest entries alone are kept."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats
from sklearn.metrics import adjusted_rand_score

from bench import data
from bench.tables import show
from outgroup import MaxMarginClustering, SphericalKMeans, Vectorizer
from outgroup.rows import as_rows, cluster_sums, highest
from outgroup.rows.mapped import MappedRows, write_rows

from .documents import texts
from .elsewhere import Passed


def quality(file: Path | None, k: int, draws: int, n: int | None) -> None:
    """Compare fits from files, which start from a sample, with fits in memory, and with such fits in memory."""
    X = Vectorizer().fit_transform(_documents(file, n))
    X = X[np.flatnonzero(np.diff(X.indptr))]
    print(f"{X.shape[0]:,} rows, k = {k}")
    with tempfile.TemporaryDirectory() as folder:
        disk = write_rows(Path(folder, "rows"), (X[part] for part in np.array_split(np.arange(X.shape[0]), 4)))
        found = [_three(make, k, seed, X, disk) for seed in range(draws) for make in MAKERS]
    head = ["fit", "draw", "in memory", "from files", "difference", "ARI", "the same way in memory", "difference"]
    show(head, [each.line() for each in found])
    for name in dict.fromkeys(each.name for each in found):
        _tell_of_draws([each for each in found if each.name == name])


MAKERS: tuple[Any, ...] = (SphericalKMeans, partial(MaxMarginClustering, n_init=1, off_topic_rate=None))


@dataclass(frozen=True)
class Three:
    """Q or J (`comparable`) of three fits of one draw, and how much the groups of the first two agree."""

    name: str
    seed: int
    memory: float
    files: float
    same_way: float
    ari: float

    def line(self) -> list[str]:
        """Return a line of the table."""
        differences = [f"{100 * (self.files / each - 1):+.2f} %" for each in (self.memory, self.same_way)]
        return [
            self.name, str(self.seed), f"{self.memory:.6g}", f"{self.files:.6g}", differences[0], f"{self.ari:.3f}",
            f"{self.same_way:.6g}", differences[1],
        ]  # fmt: skip


def _three(make: Any, k: int, seed: int, X: Any, disk: MappedRows) -> Three:
    """Fit in memory, from files, and in memory as if from files: J of another C is another objective."""
    memory = make(k, random_state=seed).fit(X)
    given = {"C": memory.C_} if hasattr(memory, "C_") else {}
    files, same_way = (make(k, random_state=seed, **given).fit(rows) for rows in (disk, Passed(as_rows(X))))
    agree = adjusted_rand_score(memory.labels_, files.labels_)
    here, there, other = (comparable(fit, X) for fit in (memory, files, same_way))
    return Three(type(memory).__name__, seed, here, there, other, agree)


def comparable(fit: Any, X: Any) -> float:
    """Return Q, or J with all rows alike: balanced weights are those of each start's own groups, and uneven groups have
    the lower balanced J, whatever they are like (docs/decisions/0009)."""
    if not hasattr(fit, "C_"):
        return float(fit.objective_)
    W, b = fit.coef_, fit.intercept_
    n, k = X.shape[0], len(W)
    hinges = sum(_hinges(X[rows] @ W.T + b) for rows in np.array_split(np.arange(n), 1 + (n * k >> 22)))
    return float(np.vdot(W, W)) / 2 + fit.C_ * hinges / (n * k)


def _hinges(scores: Any) -> float:
    """Return how far the margins of each row's best group over the others fall short of 1, added up."""
    short = 1 - scores.max(axis=1, keepdims=True) + scores
    return float(np.maximum(short, 0).sum()) - len(scores)  # each group is a rival of itself, by 1


def _documents(file: Path | None, n: int | None) -> list[str]:
    if file is None:
        return list(data.news().texts[:n])
    return list(islice((text for block in texts(file) for text in block), n))


def _tell_of_draws(found: list[Three]) -> None:
    """Print the mean over draws with its interval: one draw differs from the next by more than files from memory."""
    if len(found) < 2:
        return
    percent = 100 * np.array([each.files / each.memory - 1 for each in found])
    wide = float(stats.t.ppf(0.975, len(found) - 1) * percent.std(ddof=1) / np.sqrt(len(found)))
    spread = [
        100 * np.std(values, ddof=1) / np.mean(values)
        for values in zip(*((e.memory, e.files) for e in found), strict=True)
    ]
    print(
        f"{found[0].name}: from files {percent.mean():+.2f} % in the mean of {len(found)} draws, 95 % interval "
        f"{percent.mean() - wide:+.2f} to {percent.mean() + wide:+.2f}; standard deviation of the draws "
        f"{spread[0]:.2f} % in memory, {spread[1]:.2f} % from files"
    )


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
