"""Output of commands: plain text, and progress as bars, log lines or timings."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import partial
from io import TextIOWrapper
from math import inf
from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO, cast

import typer
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

from ..errors import OutputError
from ..summary.clean import clean

if TYPE_CHECKING:
    from ..types import OnProgress


# --- Text output; control characters of documents never reach a terminal


def say(message: str, *, stderr: bool = False) -> None:
    """Print a message without markup and control characters; an error takes one line."""
    line = " ".join(message.split()) if stderr else message
    Console(stderr=stderr, highlight=False).print(Text(clean(line)), soft_wrap=stderr)


class _CleanStdout:
    """Standard output; on a terminal, control characters are removed; files and pipes receive the raw text."""

    def write(self, text: str) -> int:
        return sys.stdout.write(clean(text))


@contextmanager
def stdout() -> Iterator[TextIO]:
    """Return the output stream for document text; if the reader closes the pipe, the command exits with code 1.

    Files and pipes are UTF-8, whatever the locale. Raises OutputError if the output is closed or full.
    """
    if sys.__stdout__ is None:
        raise OutputError("standard output is closed: write to a file with --out")
    terminal = getattr(sys.stdout, "rich_proxied_file", sys.stdout).isatty()  # below a progress bar
    if not terminal and isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    try:
        yield cast(TextIO, _CleanStdout()) if terminal else sys.stdout
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as `head`, has closed the pipe
        discard_unwritten(sys.stdout, sys.stderr)
        raise typer.Exit(1) from None
    except OSError as error:
        if isinstance(error, OutputError):
            raise
        discard_unwritten(sys.stdout)  # prevent a second attempt and a second error at exit
        raise OutputError(f"cannot write to standard output: {error.strerror}") from error


@contextmanager
def ignore_errors(stream: TextIO) -> Iterator[None]:
    """Ignore write errors of optional output, for example a log on a full disk."""
    try:
        yield
    except OSError:
        discard_unwritten(stream)


def discard_unwritten(*streams: TextIO) -> None:
    """Discard buffered output, so that Python does not fail on it at exit."""
    for stream in streams:
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


# --- Progress of a job: bars on a terminal, lines in a log, timings in the record


class _Log:
    """The log of a run; its lines wait until it has taken 30 seconds."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._start = self._last = perf_counter()
        self._pending: list[str] = []

    def add(self, message: str, pause: float = 0.0) -> None:
        """Add a line if `pause` seconds have passed since the last output."""
        now = perf_counter()
        if now - self._last >= pause:
            self._pending.append(f"{datetime.now():%Y-%m-%d %H:%M:%S} {message}")
        if not self._pending or now - self._start < 30:
            return
        with ignore_errors(cast(TextIO, self._console.file)):
            self._console.print(Text("\n".join(self._pending)), soft_wrap=True)
        self._pending, self._last = [], now

    def end(self) -> None:
        """Log the total time."""
        self.add(f"Done after {perf_counter() - self._start:,.0f} s")


class Steps:
    """Progress display; call it with (step, done, total); total is None if unknown.

    Shows bars on a terminal, and log lines of long runs elsewhere. `timings` maps each step to its seconds.
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
        # FORCE_COLOR makes rich treat any file as a terminal.
        visible = console.is_terminal and console.file.isatty() and not quiet
        # A visible bar redirects standard output to its console; output to a file must not go there.
        redirect = sys.stdout.isatty()
        self._bars = Progress(*columns, console=console, transient=True, disable=not visible, redirect_stdout=redirect)
        self._log = None if visible or quiet else _Log(console)
        self._step, self._bar, self._since = "", TaskID(0), perf_counter()
        self.timings: dict[str, float] = {}

    def __call__(self, step: str, done: int = 0, total: int | None = None) -> None:
        if step != self._step:
            self._end()
            self._step, self._bar = step, self._bars.add_task(step.capitalize(), total=total)
            if self._log is not None:
                self._log.add(step.capitalize())
        self._bars.update(self._bar, completed=done, total=total)
        if self._log is not None:
            of = "" if total is None else f" of {total:,}"
            self._log.add(f"{step.capitalize()}: {done:,}{of}", 60 if done else inf)

    def of(self, step: str) -> OnProgress:
        """Begin a step and return its callback (done, total)."""
        self(step)
        return partial(self, step)

    def share_of(self, step: str) -> Callable[[float | None], None]:
        """Begin a step and return its callback, which takes the share done, or None if unknown."""
        self(step)
        return lambda share: self(step) if share is None else self(step, round(100 * share), 100)

    def of_session(self) -> Callable[[str, int, int | None], None]:
        """Begin the fit and return the callback of a session, which shows all its steps as the fit."""
        self("fitting")
        return lambda _, done, total: self("fitting", done, total)

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
        if not self._bars.disable:  # some versions of rich print an empty line for a hidden bar
            self._bars.stop()
