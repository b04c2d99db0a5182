"""Every start of a maximum-margin fit, not only the one that is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from bench.data import Rows
from outgroup import MaxMarginClustering, metrics
from outgroup.rows import as_rows
from outgroup.rows.threads import one_blas_thread
from outgroup.solve.margin import Problem
from outgroup.solve.result import Fit

MEASURES = ("accuracy", "NMI", "Rand")
_OF_THE_PROBLEM = ("center", "balance", "epsilon", "C", "C_universum", "tol", "gap", "max_iter")


@dataclass(frozen=True)
class Starts:
    """The partitions that a fit starts from, and the fit that each led to."""

    initial: list[np.ndarray]
    fits: list[Fit]

    @property
    def kept(self) -> int:
        return int(np.argmin([fit.objective for fit in self.fits]))


def every_start(data: Rows, n_init: int, seed: int, *, universum: bool, **changed: Any) -> Starts:
    """Solve from each start of `MaxMarginClustering(k, n_init=n_init, random_state=seed, **changed)`; keep all.

    The starts depend on the targets and the seed alone: with and without the Universum they are the same.
    """
    given = MaxMarginClustering(data.k, **changed).get_params()
    options = {name: given[name] for name in _OF_THE_PROBLEM}
    U = as_rows(data.universum) if universum else None
    rng = np.random.default_rng(check_random_state(seed).randint(2**31))
    with one_blas_thread():
        problem = Problem(as_rows(data.X), U, data.k, **options)
        initial = [problem.start(child, number) for number, child in enumerate(rng.spawn(n_init))]
        problem.resolve(initial[0])
        return Starts(initial, [problem.solve(labels) for labels in initial])


def agreement(y: np.ndarray, labels: np.ndarray) -> tuple[float, float, float]:
    """Return accuracy (Hungarian matching), NMI (geometric mean) and Rand index."""
    return metrics.accuracy(y, labels), metrics.nmi(y, labels), metrics.rand(y, labels)
