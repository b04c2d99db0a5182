"""The number of threads in a pass; it does not affect results."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ContextDecorator, contextmanager
from contextvars import copy_context
from functools import cache, partial
from threading import Event, Lock, local
from typing import Any, TypeVar

from joblib import cpu_count
from threadpoolctl import ThreadpoolController

from ..errors import InputError
from ..stopping import stop_if_asked

Item = TypeVar("Item")
Result = TypeVar("Result")

_chosen: int | None = None


def n_threads() -> int:
    """Return the number of threads: as set by `threads(n)`, by OUTGROUP_THREADS, or the available cores.

    It is 1 in a task of a cluster worker, which runs several tasks in parallel.

    Raises InputError unless OUTGROUP_THREADS is an integer from 1.

    Returns
    -------
    int
    """
    if getattr(_here, "alone", 0):
        return 1
    if _chosen is not None:
        return _chosen
    setting = os.environ.get("OUTGROUP_THREADS", "").strip()
    if setting and not (setting.isascii() and setting.isdigit() and int(setting[:9]) > 0):
        raise InputError(f"OUTGROUP_THREADS is {setting!r:.60}; set it to a positive integer, or unset it")
    return int(setting[:9]) if setting else _cores()


@contextmanager
def threads(n: int) -> Iterator[None]:
    """Use `n` threads inside a `with` block.

    Parameters
    ----------
    n : int
        At least 1; it changes only the time.

    Returns
    -------
    context manager
    """
    global _chosen
    before, _chosen = _chosen, n
    try:
        yield
    finally:
        _chosen = before


def ordered_map(task: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """Apply `task` to every item in parallel, also on this thread; return the results in order.

    BLAS uses one thread meanwhile. After an error no new item starts. A nested call uses idle threads only; an
    interrupt of this thread ends the tasks of others at their next nested call. Every call checks for a stop
    (`outgroup.stopping`).
    """
    stop_if_asked()
    with one_blas_thread():
        return _ordered_map(task, list(items))


def _ordered_map(task: Callable[[Item], Result], items: list[Item]) -> list[Result]:
    if getattr(_here, "interrupted", None) is not None:
        return [_unless(_here.interrupted, task, item) for item in items]
    if min(n_threads(), len(items)) <= 1:  # usual for small collections
        return [task(item) for item in items]
    results: list[Any] = [None] * len(items)
    waiting, interrupted = deque(enumerate(items)), Event()
    work = partial(_work, task, waiting, results, interrupted if len(items) >= n_threads() else None)
    helpers = [_pool().submit(copy_context().run, work) for _ in range(min(n_threads(), len(items)) - 1)]
    try:
        work()
    except BaseException:
        interrupted.set()
        raise
    finally:
        waiting.clear()
        errors = [helper.exception() for helper in helpers if not helper.cancel()]
    for error in filter(None, errors):
        raise error
    return results


class _InterruptedError(Exception):
    """Ends a task after an interrupt, when its result is no longer needed."""


def _unless(interrupted: Event, task: Callable[[Any], Any], item: Any) -> Any:
    if interrupted.is_set():
        raise _InterruptedError
    return task(item)


def _work(
    task: Callable[[Any], Any], waiting: deque[tuple[int, Any]], results: list[Any], interrupted: Event | None
) -> None:
    _here.interrupted = interrupted  # None if threads are idle, for nested calls
    try:
        while True:
            try:
                i, item = waiting.popleft()
            except IndexError:
                return
            results[i] = task(item)
    except BaseException:
        waiting.clear()
        raise
    finally:
        _here.interrupted = None


_here = local()  # state of the current thread


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_cores(), thread_name_prefix="outgroup")


@cache
def _cores() -> int:
    return int(cpu_count())  # respects affinity and container limits


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a fork inherits the pool, but not its threads


class one_thread(ContextDecorator):  # noqa: N801
    """Run a block or function on this thread alone, because other threads run in parallel."""

    def __enter__(self) -> None:
        _here.alone = getattr(_here, "alone", 0) + 1

    def __exit__(self, *_: object) -> None:
        _here.alone -= 1


class _OneBlasThread(ContextDecorator):
    """A limit of one BLAS thread for the whole process: the first entry sets it, the last exit removes it."""

    def __init__(self) -> None:
        self._lock, self._holders = Lock(), 0
        self._before: list[tuple[Any, int]] = []

    def __enter__(self) -> None:
        with self._lock:
            if self._holders == 0:
                # by hand: threadpoolctl would set and restore the limit at each pass
                self._before = [(lib, n) for lib in _libraries() if (n := lib.get_num_threads()) not in (None, 1)]
                for library, _ in self._before:
                    library.set_num_threads(1)
            self._holders += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._holders -= 1
            if self._holders == 0:
                for library, number in self._before:
                    library.set_num_threads(number)


@cache
def _libraries() -> list[Any]:
    import scipy.linalg  # noqa: F401  has a library of its own, and only those that are loaded are found

    return list(ThreadpoolController().select(user_api="blas").lib_controllers)


_limit = _OneBlasThread()


def one_blas_thread() -> _OneBlasThread:
    """Limit BLAS to one thread, because more threads change the order of sums and so the last digits.

    Passes hold it (`ordered_map`); decorate solvers that multiply between passes. A nested hold is free.
    """
    return _limit
