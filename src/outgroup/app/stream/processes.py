"""Processes that count words while this one reads and writes; they change nothing but the time."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, islice
from threading import Thread
from typing import Any, TypeVar

from ...errors import OutgroupError
from ...rows.threads import n_threads

Beside = TypeVar("Beside")

_AHEAD = 2  # tasks of each process: one at work, and one that waits


def in_order(task: Callable[[Any], Any], asked: Iterable[tuple[Beside, Any]]) -> Iterator[tuple[Beside, Any]]:
    """Yield what stands beside each of some values, with what the task, which is sent once, makes of this.

    A single value is no work for processes, which take a second to begin.
    """
    asked = iter(asked)
    ahead = [] if n_threads() == 1 else list(islice(asked, 2))
    if len(ahead) == 2:
        yield from _elsewhere(task, chain(ahead, asked))
    else:
        yield from ((beside, task(value)) for beside, value in chain(ahead, asked))


def _elsewhere(task: Callable[[Any], Any], asked: Iterable[tuple[Beside, Any]]) -> Iterator[tuple[Beside, Any]]:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(n_threads(), context, _begin, (task,)) as pool:
        waiting: deque[tuple[Beside, Any]] = deque()
        try:
            for beside, value in asked:
                waiting.append((beside, pool.submit(_do, value)))
                while len(waiting) >= _AHEAD * n_threads():
                    first, future = waiting.popleft()
                    yield first, future.result()
            while waiting:
                first, future = waiting.popleft()
                yield first, future.result()
        except BrokenProcessPool as error:
            raise OutgroupError("a process that counts words ended; was it killed, or is memory short?") from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


_mine: list[Callable[[Any], Any]] = []  # of such a process


def _begin(task: Callable[[Any], Any]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process hears of it and ends this one
    parent = multiprocessing.parent_process()
    if parent is not None:
        Thread(target=_end_with, args=(parent,), daemon=True).start()
    _mine.append(task)


def _end_with(parent: Any) -> None:
    """End this process when the first one is killed: nobody would, then."""
    parent.join()
    os._exit(1)


def _do(value: Any) -> Any:
    return _mine[0](value)
