"""One thread that fits: the newest request wins, and a fit that nobody waits for any more is cancelled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition, Event, Thread
from typing import Any

from ..stopping import stop_if_asked, stoppable

Job = Callable[[Callable[[], bool]], Any]
"""What to do; it is given a function that says whether it should stop, and raises `Cancelled` or returns None then."""


class Worker:
    """Does jobs one at a time, in a thread of its own; a new job takes the place of the one that waits or runs.

    Parameters
    ----------
    done : callable
        Called in the worker's thread with what a job returned, unless it was cancelled.
    failed : callable
        Called in the worker's thread with the exception of a job that failed.
    after : callable, default none
        Called in the worker's thread once that is done, or told; a new job ends it where it asks `stop_if_asked`, and
        nobody who waits for a job waits for it.

    Examples
    --------
    >>> found = []
    >>> with Worker(found.append, found.append) as worker:
    ...     worker.ask(lambda cancelled: 3)
    ...     worker.wait()
    True
    >>> found
    [3]
    """

    def __init__(
        self, done: Callable[[Any], None], failed: Callable[[Exception], None], after: Callable[[], None] = lambda: None
    ) -> None:
        self._done, self._failed, self._after = done, failed, after
        self._change = Condition()
        self._next: Job | None = None
        self._stop: Event | None = None  # there while something runs
        self._asked = False  # whether what waits or runs was asked for, and does not only come after it
        self._closed = False
        self._thread = Thread(target=self._run, name="outgroup-fit", daemon=True)
        self._thread.start()

    def ask(self, job: Job) -> None:
        """Do this next, and nothing that was asked before."""
        with self._change:
            self._asked = True
            self._put(job)

    def rest(self) -> None:
        """Do what comes after a job once more, from its beginning; where a job waits or runs, it comes after that."""
        with self._change:
            if not self._asked:
                self._put(_nothing)

    @property
    def busy(self) -> bool:
        """Whether a job waits or runs, or what comes after it."""
        with self._change:
            return self._next is not None or self._stop is not None

    def wait(self, timeout: float | None = None, *, after: bool = False) -> bool:
        """Wait until no job waits or runs, nor what comes `after` it, if asked; return whether that is so."""
        with self._change:
            return self._change.wait_for(lambda: not (self.busy if after else self._asked), timeout)

    def close(self) -> None:
        """Cancel what runs and end the thread."""
        with self._change:
            self._closed, self._asked = True, False
            self._put(None)
        self._thread.join()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _put(self, job: Job | None) -> None:
        self._next = job
        if self._stop is not None:
            self._stop.set()
        self._change.notify_all()

    def _run(self) -> None:
        while True:
            with self._change:
                self._change.wait_for(lambda: self._next is not None or self._closed)
                if self._next is None:
                    return
                job, self._next, self._stop = self._next, None, Event()
            self._do(job, self._stop)
            with self._change:
                self._stop = None
                self._change.notify_all()

    def _do(self, job: Job, stop: Event) -> None:
        with self._telling(stop):
            found = job(stop.is_set)
            if not stop.is_set() and job is not _nothing:
                self._done(found)
        self._answered(stop)
        with self._telling(stop), stoppable(stop.is_set):
            stop_if_asked()
            self._after()

    @contextmanager
    def _telling(self, stop: Event) -> Iterator[None]:
        """Tell of an error, whatever it is, unless something else was asked for: the thread lives on."""
        try:
            yield
        except Exception as error:
            if not stop.is_set():
                self._failed(error)

    def _answered(self, stop: Event) -> None:
        """Let go who waits for the job, unless another has taken its place."""
        with self._change:
            if not stop.is_set():
                self._asked = False
                self._change.notify_all()


def _nothing(cancelled: Callable[[], bool]) -> None:
    """The job of who wants what comes after it alone."""
