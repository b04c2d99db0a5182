"""The steps of a job as they go by: bars for people, lines for a log, seconds for the record."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import datetime
from functools import partial
from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO, cast

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from .output import at_best

if TYPE_CHECKING:
    from ..session.progress import Progress as Heard
    from ..types import OnProgress

_LONG = 30.0  # seconds that a run takes before a log hears of it
_AGAIN = 60.0  # seconds without a line after which a step says how far it is


class _Log:
    """Lines of a long run: the time at which each step began, and now and then how far it is."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._begun = self._last = perf_counter()
        self._held: list[str] = []

    def begin(self, step: str) -> None:
        self._held.append(_timed(step.capitalize()))
        self._write()

    def go_on(self, step: str, done: int, total: int | None) -> None:
        if done and perf_counter() - self._last >= _AGAIN:
            of = "" if total is None else f" of {total:,}"
            self._held.append(_timed(f"{step.capitalize()}: {done:,}{of}"))
        self._write()

    def end(self) -> None:
        """Say how long all took, where anything was said."""
        if self._is_long():
            self._held.append(_timed(f"Done after {perf_counter() - self._begun:,.0f} s"))
        self._write()

    def _is_long(self) -> bool:
        return perf_counter() - self._begun >= _LONG

    def _write(self) -> None:
        if not self._held or not self._is_long():
            return
        with at_best(cast(TextIO, self._console.file)):
            self._console.print(Text("\n".join(self._held)), soft_wrap=True)
        self._held, self._last = [], perf_counter()


def _timed(said: str) -> str:
    return f"{datetime.now():%Y-%m-%d %H:%M:%S} {said}"


class Steps:
    """Call it with a step's name, how much is done, and of how much (None: unknown).

    Bars appear on a terminal only; elsewhere a run that takes a while says when each step began.
    """

    def __init__(self, console: Console, *, quiet: bool = False) -> None:
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(elapsed_when_finished=False),
            TextColumn("left", style="dim"),
        )
        shown = console.is_terminal and console.file.isatty() and not quiet  # FORCE_COLOR calls any file a terminal
        # A bar that is shown takes the standard output to its own console; what is sent to a file must not go there.
        both = sys.stdout.isatty()
        self._bars = Progress(*columns, console=console, transient=True, disable=not shown, redirect_stdout=both)
        self._log = None if shown or quiet else _Log(console)
        self._step, self._bar, self._since = "", TaskID(0), perf_counter()
        self.timings: dict[str, float] = {}

    def __call__(self, step: str, done: int = 0, total: int | None = None) -> None:
        if step != self._step:
            self._end()
            self._step, self._bar = step, self._bars.add_task(step.capitalize(), total=total)
            if self._log is not None:
                self._log.begin(step)
        self._bars.update(self._bar, completed=done, total=total)
        if self._log is not None:
            self._log.go_on(step, done, total)

    def of(self, step: str) -> OnProgress:
        """Begin a step and return what to call with (done, total)."""
        self(step)
        return partial(self, step)

    def share_of(self, step: str) -> Callable[[float | None], None]:
        """Begin a step and return what to call with the share of it that is done, None where nobody knows."""
        self(step)
        return lambda share: self(step) if share is None else self(step, round(100 * share), 100)

    def follow(self, heard: Heard) -> None:
        """Tell of a session's step by its own name."""
        self(heard.step, heard.done, heard.total)

    def heard(self, step: str) -> Callable[[Heard], None]:
        """Begin a step and return what a session calls with its progress."""
        self(step)
        return lambda heard: self(step, heard.done, heard.total)

    def _end(self) -> None:
        now = perf_counter()
        if self._step:
            self.timings[self._step] = round(self.timings.get(self._step, 0.0) + now - self._since, 3)
            self._bars.stop_task(self._bar)
        self._since = now

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._end()
        self._step = ""
        if self._log is not None and error is None:
            self._log.end()
        if not self._bars.disable:  # some versions of rich end a bar that was never shown with an empty line
            self._bars.stop()
