"""Rows on a graphics card: a pass as a share of what the memory can bring, and whole fits against the processor's.

python -m bench scale device [--device cuda] [--share 1]    `--share .02` makes smaller collections, for trying out
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

import numpy as np
import scipy.sparse as sp

from bench import data
from bench.tables import show
from bench.timing import once
from outgroup import MaxMarginClustering, SphericalKMeans, Vectorizer
from outgroup.metrics import adjusted_rand
from outgroup.rows import as_rows, threads
from outgroup.rows.arrays import argmax
from outgroup.rows.base import Members
from outgroup.rows.device import device_rows

_COPIED = 1 << 28  # bytes: more than any cache holds
_ROUNDS = 7
_LONG = 10  # seconds
_MOST_HERE = 1e12  # products of a pass, beyond which two threads take minutes for it, and hours for a fit


@dataclass(frozen=True)
class Collection:
    """Rows, and a number of groups to look for in them."""

    name: str
    X: Any
    k: int

    @property
    def products(self) -> float:
        """Products of a pass."""
        return float(self.k) * (self.X.nnz if sp.issparse(self.X) else self.X.size)

    @property
    def once(self) -> int:
        """Bytes of the rows as they lie on the device once, in single precision."""
        return 8 * self.X.nnz if sp.issparse(self.X) else 4 * self.X.size


class Passed:
    """Rows in memory whose matrix is withheld, so that a fit goes the way of rows in files."""

    def __init__(self, rows: Any) -> None:
        self._rows = rows

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rows, name)

    def local(self) -> None:
        """Return None."""


def collections(share: float) -> list[Collection]:
    X = Vectorizer().fit_transform(data.news().texts)
    rng = np.random.default_rng(0)
    n, m = round(800_000 * share), round(10_000_000 * share)
    return [
        Collection("20 Newsgroups", X[np.flatnonzero(np.diff(X.indptr))].astype(np.float32), 20),
        Collection(f"{n:,} x 47,000, 76 entries a row", _sparse(n, rng), max(10, round(50 * share))),
        Collection(
            f"{m:,} x 384, dense", rng.standard_normal((m, 384), dtype=np.float32), max(10, round(1_000 * share))
        ),
    ]


def _sparse(n: int, rng: np.random.Generator) -> Any:
    """Return unit rows of 76 entries, in columns as uneven as words are."""
    columns = np.minimum(47_000 * rng.random((n, 76)) ** 3, 46_999).astype(np.int32)
    X = sp.csr_matrix((np.ones(76 * n, np.float32), columns.ravel(), np.arange(0, 76 * n + 1, 76)), (n, 47_000))
    X.sum_duplicates()
    X.data /= np.repeat(np.sqrt(np.diff(X.indptr)), np.diff(X.indptr)).astype(np.float32)
    return X


def bandwidth(device: str) -> float:
    """Return the bytes a second that a copy reads and writes there."""
    import torch

    source = torch.ones(_COPIED // 4, dtype=torch.float32, device=device)
    target = torch.empty_like(source)
    seconds = [once(lambda: (target.copy_(source), float(target[0]))) for _ in range(_ROUNDS)]
    return 2 * _COPIED / min(seconds)


def passes(each: Collection, device: str, most: float) -> list[list[str]]:
    """Return a line for each kind of pass: on the device, on two threads here, and the share of the bandwidth."""
    rng = np.random.default_rng(1)
    n, d = each.X.shape
    W, labels = rng.normal(size=(each.k, d)), rng.integers(0, each.k, n).astype(np.int32)
    there, here = device_rows(each.X, device), as_rows(each.X)
    kinds: dict[str, tuple[Callable[[Any], Any], int]] = {
        "nearest": (lambda rows: rows.map(W, argmax), 1),
        "sums": (lambda rows: rows.fold(None, Members(each.k), labels), 1),
        "dense": (lambda rows: rows.fold(W, _dense), 2),
    }
    found = []
    for kind, (act, reads) in kinds.items():
        fast = _seconds(partial(act, there))
        slow = "not run" if each.products > _MOST_HERE else f"{1e3 * _seconds(partial(act, here)):,.1f}"
        share = reads * each.once / fast / most
        found.append([each.name, kind, f"{1e3 * fast:,.1f}", slow, f"{100 * share:.0f} %"])
    return found


def _dense(scores: Any) -> tuple[Any, float]:
    return scores, 0.0


def _seconds(act: Callable[[], Any]) -> float:
    """Return the median of some rounds, after one; that stands alone where it takes long, as on two threads it may."""
    with threads(2):
        first = once(act)
        return first if first > _LONG else median(once(act) for _ in range(_ROUNDS))


def fits(each: Collection, device: str) -> list[list[str]]:
    """Return a line for each method: seconds there and here, how many labels are the same, and whether bits are."""
    found = []
    for make in (SphericalKMeans, partial(MaxMarginClustering, n_init=1, off_topic_rate=None)):
        (there, fast), (again, _) = (_fitted(make(each.k, random_state=0), each.X, device) for _ in range(2))
        bits = all(np.array_equal(getattr(there, name), getattr(again, name)) for name in ("labels_", "objective_"))
        beside = ["not run"] * 3 if each.products > _MOST_HERE else _beside(make(each.k, random_state=0), there, each.X)
        found.append([each.name, type(there).__name__, f"{fast:.1f}", *beside, "yes" if bits else "no"])
    return found


def _beside(estimator: Any, there: Any, X: Any) -> list[str]:
    """Return the seconds of a fit here, how many labels are those of the one there, and how much the groups agree."""
    here, slow = _fitted(estimator, X, None)
    same = float(np.mean(there.labels_ == here.labels_))
    return [f"{slow:.1f}", f"{100 * same:.2f} %", f"{adjusted_rand(there.labels_, here.labels_):.3f}"]


def _fitted(estimator: Any, X: Any, device: str | None) -> tuple[Any, float]:
    """Fit on a device, or here on two threads; return the seconds that it took, too."""
    with threads(2):
        return estimator, once(lambda: estimator.fit(device_rows(X, device) if device else Passed(as_rows(X))))


def device(device: str, share: float) -> None:
    """Print passes and whole fits on a device of PyTorch."""
    most = bandwidth(device)
    print(f"{device}: a copy moves {most / 1e9:,.0f} GB a second")
    every = collections(share)
    table = [line for each in every for line in passes(each, device, most)]
    show(["rows", "pass", f"ms on {device}", "ms here, two threads", "of the bandwidth"], table)
    table = [line for each in every for line in fits(each, device)]
    show(["rows", "fit", f"s on {device}", "s here", "same labels", "ARI", "same bits twice"], table)
