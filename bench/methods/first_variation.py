"""The local searches of the first-variation paper, all from one partition: the paper's where it prints one, or random.

Their loss is -Q. The option `k` is the number of clusters, that of the classes unless told.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bench.methods.bundle import Bundle, Method, Start
from outgroup.solve.local_search import Schedule, refine

SEARCHES = {
    "batch steps": None,
    "first variation": "first-variation",
    "chains": "chains",
    "sweeps and chains": "ping-pong",
}


def partition(bundle: Bundle, seed: int, k: int) -> np.ndarray:
    """Return the bundle's own start, or a random partition into clusters of one size."""
    if bundle.start is not None:
        return bundle.start
    return np.random.default_rng(seed).permutation(np.arange(len(bundle.y)) % k)


def _from_the_partition(local_search: str | None) -> Callable[..., Start]:
    def start(bundle: Bundle, seed: int, k: int | None = None, **options: Any) -> Start:
        k = k or bundle.k
        rng = np.random.default_rng(seed)
        found = refine(bundle.X, partition(bundle, seed, k), k, Schedule(local_search, **options), rng)
        return Start(found[0], -found[1])

    return start


METHODS = {name: Method(_from_the_partition(how)) for name, how in SEARCHES.items()}
