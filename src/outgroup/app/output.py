"""What commands print: plain words, and documents' text in a way that no terminal obeys it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from typing import TextIO, cast

import typer
from rich.console import Console
from rich.text import Text

from ..errors import OutputError
from ..report.clean import clean


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
