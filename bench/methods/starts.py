"""Every start of a maximum-margin fit, not only the one that is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from bench.data import Rows
from bench.methods.objectives import margin_objective
from outgroup import metrics
from outgroup.rows.threads import one_blas_thread
from outgroup.solve.restarts import best_of, partition_of, spherical_start
from outgroup.solve.solution import Fit

MEASURES = ("accuracy", "NMI", "Rand")


@dataclass(frozen=True)
class Starts:
    """The partitions that a fit starts from, and the fit that each led to."""

    initial: list[np.ndarray]
    fits: list[Fit]

    @property
    def kept(self) -> int:
        """The start of lowest J."""
        return min(range(len(self.fits)), key=lambda i: self.fits[i].preference)


def every_start(data: Rows, n_init: int, seed: int, *, universum: bool, **changed: Any) -> Starts:
    """Solve from each of `n_init` starts as `MaxMarginClustering` makes them, with its parameters `changed`; keep all.

    The starts depend on the targets and the seed alone: with and without the Universum they are the same.
    """
    rng = np.random.default_rng(check_random_state(seed).randint(2**31))
    with one_blas_thread():
        objective = margin_objective(data.X, data.universum if universum else None, data.k, **changed)
        start = spherical_start(objective.data, data.k)
        initial = [partition_of(start, child) for child in rng.spawn(n_init)]
        objective = objective.with_scale(initial[0])
        return Starts(initial, [best_of(objective, [labels], rng).fit for labels in initial])


def agreement(y: np.ndarray, labels: np.ndarray) -> tuple[float, float, float]:
    """Return accuracy (Hungarian matching), NMI (geometric mean) and Rand index."""
    return metrics.accuracy(y, labels), metrics.nmi(y, labels), metrics.rand(y, labels)
