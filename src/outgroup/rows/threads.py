"""How many threads a pass uses; the number changes the time and nothing else."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from threadpoolctl import ThreadpoolController

Item = TypeVar("Item")
Result = TypeVar("Result")

_chosen: int | None = None


def n_threads() -> int:
    """Return the number of threads: that of `threads(n)`, else OUTGROUP_THREADS, else the cores this process may use."""
    if _chosen is not None:
        return _chosen
    given = os.environ.get("OUTGROUP_THREADS", "")
    if given.isdigit() and int(given) > 0:
        return int(given)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def threads(n: int) -> Iterator[None]:
    """Use `n` threads within the block."""
    global _chosen
    before, _chosen = _chosen, n
    try:
        yield
    finally:
        _chosen = before


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep the linear algebra library on one thread: its own would change the order of sums, and so the last digits."""
    with ThreadpoolController().limit(limits=1, user_api="blas"):
        yield


def ordered_map(task: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """Apply `task` to every item on the chosen number of threads; results come in the items' order."""
    items = list(items)
    workers = min(n_threads(), len(items))
    if workers < 2:
        yield from map(task, items)
        return
    with ThreadPoolExecutor(workers) as pool:
        yield from pool.map(task, items)
