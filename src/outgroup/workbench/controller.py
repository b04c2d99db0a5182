"""The controller of a workbench: log of decisions, versions, worker thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from threading import Condition, Event, RLock, Thread
from time import perf_counter
from typing import Any

from ..decisions import Decision, undo
from ..decisions.log import name_of_version
from ..errors import InputError
from ..session import Session, Version
from ..session.version import without_models
from ..stopping import stop_if_asked, stoppable

# --- Desk: log, versions, listeners

DeskEvent = dict[str, Any]
Keep = Callable[[Sequence[Decision]], None]
"""Saves the log before listeners are notified; a return means that it is saved."""


class Desk:
    """Takes decisions and produces versions: it saves a decision, notifies listeners, and refits in the background.

    Parameters
    ----------
    session : Session
    log : sequence of Decision, default none
        Earlier decisions.
    before : sequence of Version, default none
        Earlier versions; the last one has a model to start from. By default, fit first.
    on_version : callable, default none
        Called with a new version in the worker thread, before listeners.
    on_idle : callable, default none
        Called with a version when the worker is idle, in the worker thread.
    sketch : callable, default none
        Makes a preview until the first groups are ready; it accepts no decisions.
    keep : callable, default none
        Saves the log; its errors are raised to the caller of `decide`.

    Examples
    --------
    >>> from outgroup.decisions import Rename
    >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's rails", "rails and rye"]
    >>> with Desk(Session(texts, n_clusters=2)) as desk:
    ...     desk.wait()
    ...     desk.decide([Rename(0, "first")])
    ...     desk.wait()
    ...     desk.version.names
    True
    True
    {0: 'first'}
    """

    def __init__(
        self,
        session: Session,
        log: Sequence[Decision] = (),
        *,
        before: Sequence[Version] = (),
        sketch: Callable[[], Version] | None = None,
        keep: Keep | None = None,
        on_version: Callable[[Version], None] | None = None,
        on_idle: Callable[[Version], None] | None = None,
    ) -> None:
        self.session, self._keep = session, keep or (lambda log: None)
        self._on_version, self._on_idle = on_version or (lambda version: None), on_idle or (lambda version: None)
        self._lock = RLock()
        self.log: tuple[Decision, ...] = tuple(log)
        self._undone: list[tuple[Decision, ...]] = []  # the log before each undo since the last decision
        self._names = session.version_names
        self.versions: list[Version] = list(before)
        self.version: Version | None = before[-1] if before else None
        self._start: Version | None = self.version
        self._fresh: Version | None = None  # new, before `on_idle` was called
        self.sketch: Version | None = None
        self.progress: dict[str, Any] | None = None  # the step of the fit, and the estimated seconds to its end
        self._since = 0.0  # the start of the fit
        self.error = ""
        self._listeners: list[Callable[[DeskEvent], None]] = []
        self._worker = Worker(self._made, self._failed, self._rest)
        if self.version is None or self.version.decisions != self.log:
            self._ask(sketch if self.version is None else None)

    def decide(self, decisions: Sequence[Decision]) -> None:
        """Add decisions to the log and refit."""
        with self._lock:
            self._set_log((*self.log, *decisions))
            self._undone = []
        self._follow()

    def undo(self, number: int = -1, expected: Decision | None = None, *, source: str | None = None) -> None:
        """Undo the decision at a place of the log, by default the last, or all decisions of a `source`.

        Raises InputError if there is none, or another than the `expected` one: another page may have changed the log.
        """
        with self._lock:
            if not self.log:
                raise InputError("there is nothing to undo")
            before = self.log
            if expected is not None and [expected] != [*before[number : number + 1]]:
                raise InputError("the decisions changed in the meantime: look at the list again")
            self._set_log(undo(before, number) if source is None else undo(before, source=source))
            self._undone.append(before)
        self._follow()

    def redo(self) -> None:
        """Redo the last undone decision; raise InputError if there is none, or if another decision followed it."""
        with self._lock:
            if not self._undone:
                raise InputError("there is nothing to redo")
            self._set_log(self._undone[-1])
            self._undone.pop()
        self._follow()

    def go_to(self, number: int) -> None:
        """Go to a version: its decisions become the log; later versions stay stored.

        Raises InputError for an unknown number.
        """
        with self._lock:
            version = self.at(number)
            log, count = self.log, len(version.decisions)
            self._set_log(version.decisions)
            lengths = range(len(log), count, -1) if log[:count] == version.decisions else ()
            self._undone, self._start = [log[:length] for length in lengths], version
        self._follow()

    def at(self, number: int) -> Version:
        """Return a version by number; raise InputError if the number is unknown."""
        with self._lock:
            if not 1 <= number <= len(self.versions):
                raise InputError(f"there is no version {number}; there are {len(self.versions)} versions")
            return self.versions[number - 1]

    def name(self, number: int, name: Any) -> None:
        """Name a version; "" removes the name. Raises InputError if the number is unknown."""
        with self._lock:
            version, text = self.at(number), name_of_version(number, name)
            self._check_ready()
            if self.session.project is not None:
                self.session.name_version(version.number, text)
            self._names = {**self._names, version.number: text}
        self.notify({"kind": "named"})

    def name_of(self, number: int) -> str:
        """Return the name of a version, "" if it has none; raise InputError if the number is unknown."""
        return self._names.get(self.at(number).number, "")

    @property
    def decided(self) -> frozenset[str]:
        """The documents with a decision."""
        return frozenset(document for decision in self.log for document in decision.labelled)

    @property
    def can_redo(self) -> bool:
        """Whether the last step was an undo that can be redone."""
        return bool(self._undone)

    @property
    def busy(self) -> bool:
        """Whether the current version lacks decisions of the log."""
        with self._lock:
            follows = self.version is not None and self.sketch is None and self.version.decisions == self.log
        return self._worker.busy and not follows

    def wait(self, timeout: float | None = None, *, after: bool = False) -> bool:
        """Wait until all decisions are applied and, with `after`, background steps are done; return False on a
        timeout.
        """
        return self._worker.wait(timeout, after=after)

    def rest(self) -> None:
        """Send the events "answered", "rested" and "idle" again, for listeners that were added after them."""
        if self.version is not None and self.sketch is None:
            self._worker.rest()

    def listen(self, listener: Callable[[DeskEvent], None]) -> Callable[[], None]:
        """Call `listener` with each event, from any thread; return a function that unsubscribes."""
        with self._lock:
            self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def end(self) -> None:
        """Notify listeners that the session ends."""
        self.notify({"kind": "end"})

    def close(self) -> None:
        """Stop the worker thread; decisions stay saved."""
        self._worker.close()

    def __enter__(self) -> Desk:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _set_log(self, log: tuple[Decision, ...]) -> None:
        self._check_ready()
        self._keep(log)
        self.log = log

    def _check_ready(self) -> None:
        if self.sketch is not None:
            raise InputError("decisions are not possible yet: wait for the first groups")

    def _follow(self) -> None:
        self.notify({"kind": "decided"})
        self._ask()

    def _ask(self, sketch: Callable[[], Version] | None = None) -> None:
        with self._lock:
            log, start = self.log, self._start

        def job(cancelled: Callable[[], bool]) -> Version:
            self._since = perf_counter()
            if sketch is not None:
                self._show_sketch(sketch())
            return self.session.fit(log, start=start, progress=self._step, cancel=cancelled)

        self._worker.ask(job)

    def _show_sketch(self, version: Version) -> None:
        """Show provisional groups during the first fit."""
        with self._lock:
            self.sketch, self.version, self.versions = version, version, [version]
        self.notify({"kind": "version", "number": 1})

    def _step(self, step: str, done: int, total: int | None) -> None:
        spent, last, left = perf_counter() - self._since, self._start, None
        if total and done:
            left = spent * (total - done) / done
        elif last is not None and last.parent is not None:  # a fit from another version, as this one
            left = max(0.0, last.seconds - spent)
        self.progress = {"step": step, "left": left}
        self.notify({"kind": "progress", **self.progress})

    def _made(self, version: Version) -> None:
        before = [] if self.sketch is not None else self.versions
        number = before[-1].number + 1 if before else 1  # going back also adds a version
        version = replace(version, number=number).lighter()
        self._on_version(version)
        lighter_versions = {other.number: other for other in version.chain}
        with self._lock:
            self.sketch = None
            self.versions = [*(lighter_versions.get(other.number, without_models(other)) for other in before), version]
            self.version, self._start, self.error, self.progress = version, version, "", None
            self._fresh = version
        self.notify({"kind": "version", "number": len(self.versions)})

    def _rest(self) -> None:
        """Run background steps; the next decision cancels them."""
        self.notify({"kind": "answered"})
        stop_if_asked()
        if self._fresh is not None:
            self._on_idle(self._fresh)
            self._fresh = None
        stop_if_asked()
        self.notify({"kind": "rested"})
        stop_if_asked()
        self.notify({"kind": "idle"})

    def _failed(self, error: Exception) -> None:
        self.error, self.progress = str(error) or type(error).__name__, None
        self.notify({"kind": "error", "sentence": self.error})

    def notify(self, event: DeskEvent) -> None:
        """Notify all listeners, including those added during the call."""
        notified: list[Callable[[DeskEvent], None]] = []
        while listeners := [listener for listener in self._listeners if listener not in notified]:
            listeners[0](event)
            notified.append(listeners[0])


# --- Worker thread: the newest job wins, an outdated fit is cancelled

Job = Callable[[Callable[[], bool]], Any]
"""A job takes a function that returns whether to stop; it then raises `Cancelled` or returns None."""


class Worker:
    """A thread that runs one job at a time; a new job replaces the waiting or running job.

    Parameters
    ----------
    done : callable
        Called in the worker thread with the result of a job, unless cancelled.
    failed : callable
        Called in the worker thread with the exception of a failed job.
    after : callable, default none
        Called in the worker thread after each job; a new job stops it at `stop_if_asked`. `wait` ignores it.

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
        self._stop: Event | None = None  # set while a job runs
        self._requested = False  # whether a requested job waits or runs, not only `after`
        self._closed = False
        self._thread = Thread(target=self._run, name="outgroup-fit", daemon=True)
        self._thread.start()

    def ask(self, job: Job) -> None:
        """Run this job next; earlier jobs are dropped."""
        with self._change:
            self._requested = True
            self._replace(job)

    def rest(self) -> None:
        """Run `after` again; if a job waits or runs, it runs `after` anyway."""
        with self._change:
            if not self._requested:
                self._replace(_empty_job)

    @property
    def busy(self) -> bool:
        """Whether a job or `after` waits or runs."""
        with self._change:
            return self._next is not None or self._stop is not None

    def wait(self, timeout: float | None = None, *, after: bool = False) -> bool:
        """Wait until no job (with `after`, no background step) waits or runs; return False on a timeout."""
        with self._change:
            return self._change.wait_for(lambda: not (self.busy if after else self._requested), timeout)

    def close(self) -> None:
        """Cancel the running job and stop the thread."""
        with self._change:
            self._closed, self._requested = True, False
            self._replace(None)
        self._thread.join()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _replace(self, job: Job | None) -> None:
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
        with self._reporting(stop):
            result = job(stop.is_set)
            if not stop.is_set() and job is not _empty_job:
                self._done(result)
        self._release(stop)
        with self._reporting(stop), stoppable(stop.is_set):
            stop_if_asked()
            self._after()

    @contextmanager
    def _reporting(self, stop: Event) -> Iterator[None]:
        """Report any error of a job that was not cancelled; the thread continues."""
        try:
            yield
        except Exception as error:
            if not stop.is_set():
                self._failed(error)

    def _release(self, stop: Event) -> None:
        """Release waiting callers, unless a new job replaced this job."""
        with self._change:
            if not stop.is_set():
                self._requested = False
                self._change.notify_all()


def _empty_job(cancelled: Callable[[], bool]) -> None:
    """An empty job: only `after` runs."""
