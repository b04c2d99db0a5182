"""What commands print: plain text, and the progress of a job as bars, lines or seconds."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import partial
from io import TextIOWrapper
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
from ..report.clean import clean

if TYPE_CHECKING:
    from ..session.refit import Progress as Heard
    from ..types import OnProgress


# --- What commands print: plain words, and documents' text in a way that no terminal obeys it


def say(message: str, *, stderr: bool = False) -> None:
    """Print words as they are: no markup, no control codes; errors on one line, however long."""
    shown = " ".join(message.split()) if stderr else message
    Console(stderr=stderr, highlight=False).print(Text(clean(shown)), soft_wrap=stderr)


class _Shown:
    """A terminal: documents' text is cleaned for it, while files and pipes get ids as they are."""

    def write(self, text: str) -> int:
        return sys.stdout.write(clean(text))


@contextmanager
def stdout() -> Iterator[TextIO]:
    """Give what documents' text is written to; a reader that has gone ends the command quietly.

    It is UTF-8 where no terminal shows it: a table has letters that the system's language may lack.

    Raises OutputError where that is closed, or full: who asked for the text does not get it.
    """
    if sys.__stdout__ is None:
        raise OutputError("the standard output is closed: there is nowhere to write to")
    terminal = getattr(sys.stdout, "rich_proxied_file", sys.stdout).isatty()  # beneath a bar that is shown
    if not terminal and isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    try:
        yield cast(TextIO, _Shown()) if terminal else sys.stdout
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        leave_unsaid(sys.stdout, sys.stderr)
        raise typer.Exit(1) from None
    except OSError as error:
        if isinstance(error, OutputError):
            raise
        leave_unsaid(sys.stdout)  # else it would be tried, and told, once more at the end
        raise OutputError(f"cannot write to the standard output: {error.strerror}") from error


@contextmanager
def at_best(stream: TextIO) -> Iterator[None]:
    """Write what a run can do without: a log on a full disk ends none."""
    try:
        yield
    except OSError:
        leave_unsaid(stream)


def leave_unsaid(*streams: TextIO) -> None:
    """Let nobody wait for what could not be written, nor Python complain of it when it ends."""
    for each in streams:
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), each.fileno())


# --- The steps of a job as they go by: bars for people, lines for a log, seconds for the record

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
