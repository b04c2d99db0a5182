"""The steps of a job as they go by: bars for people, seconds for the record."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, Self

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

if TYPE_CHECKING:
    from ..session.progress import Progress as Heard
    from ..types import OnProgress


class Steps:
    """Call it with a step's name, how much is done, and of how much (None: unknown); bars appear on a terminal only."""

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
        self._step, self._bar, self._since = "", TaskID(0), perf_counter()
        self.timings: dict[str, float] = {}

    def __call__(self, step: str, done: int = 0, total: int | None = None) -> None:
        if step != self._step:
            self._end()
            self._step, self._bar = step, self._bars.add_task(step.capitalize(), total=total)
        self._bars.update(self._bar, completed=done, total=total)

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
        if not self._bars.disable:  # some versions of rich end a bar that was never shown with an empty line
            self._bars.stop()
