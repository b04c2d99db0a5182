"""One thread that fits: the newest request wins, and a fit that nobody waits for any more is cancelled."""

from __future__ import annotations

from collections.abc import Callable
from threading import Condition, Event, Thread
from typing import Any

from ..stopping import stoppable

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
        Called in the worker's thread once that is done; a new job ends it where it asks `stop_if_asked`.

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
        self._stop: Event | None = None
        self._closed = False
        self._thread = Thread(target=self._run, name="outgroup-fit", daemon=True)
        self._thread.start()

    def ask(self, job: Job) -> None:
        """Do this next, and nothing that was asked before."""
        with self._change:
            self._next = job
            if self._stop is not None:
                self._stop.set()
            self._change.notify_all()

    @property
    def busy(self) -> bool:
        """Whether a job waits or runs."""
        with self._change:
            return self._next is not None or self._stop is not None

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until nothing waits or runs; return whether that is so."""
        with self._change:
            return self._change.wait_for(lambda: self._next is None and self._stop is None, timeout)

    def close(self) -> None:
        """Cancel what runs and end the thread."""
        with self._change:
            self._next, self._closed = None, True
            if self._stop is not None:
                self._stop.set()
            self._change.notify_all()
        self._thread.join()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

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
        try:
            found = job(stop.is_set)
            if not stop.is_set():
                self._done(found)
                with stoppable(stop.is_set):
                    self._after()
        except Exception as error:  # whatever it is, the thread lives on
            if not stop.is_set():
                self._failed(error)
