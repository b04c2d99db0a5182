"""What goes wrong is said in one plain line and an exit code: to a person, a log, or a program."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from ..errors import FilesNote, NoWordError, OutgroupError, OutgroupWarning
from ..storage.atomic import standing
from . import signals
from .output import at_best, leave_unsaid, say
from .settings.options import option

_MORE_MEMORY = "give the run more, or fewer documents, or read them in a stream (--memory 1G of cluster and assign)"
_UsageError: Any = typer.BadParameter.__base__  # typer has a copy of click in some versions, and names but this one


@contextmanager
def plainly() -> Iterator[None]:
    """Turn what goes wrong into one plain message and an exit code, and warnings into notes."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", OutgroupWarning)
        warnings.showwarning = lambda message, *_: _note(message)
        try:
            yield
        except OutgroupError as error:
            say_error(error.naming(option) if isinstance(error, NoWordError) else str(error), error)
            raise typer.Exit(2) from error
        except MemoryError as error:
            say_error(f"there is not enough memory{f' ({error})' if str(error) else ''}; {_MORE_MEMORY}", error)
            raise typer.Exit(2) from error
        except KeyboardInterrupt as interrupt:
            notes = reversed(getattr(interrupt, "__notes__", []))
            said = next((note for note in notes if isinstance(note, FilesNote)), "nothing was written")
            say(f"Interrupted; {said}.", stderr=True)
            raise typer.Exit(signals.exit_code()) from None


def _note(message: Warning | str) -> None:
    with at_best(sys.stderr):
        say(f"Note: {message}", stderr=True)


def say_error(message: str, error: Exception) -> None:
    """Say what went wrong, and what its notes add."""
    say("; ".join([f"Error: {message}", *getattr(error, "__notes__", [])]), stderr=True)


@contextmanager
def heard_of(result: Path) -> Iterator[None]:
    """Print within what a result holds: where that cannot be written, the error tells that the result was."""
    with standing(result):
        try:
            yield
            sys.stdout.flush()
        except OSError:
            leave_unsaid(sys.stdout)  # else it would be tried once more at the end, by what knows of no result
            raise


@contextmanager
def in_a_line(words: Sequence[str]) -> Iterator[None]:
    """Say what is wrong with the words of a command in one line, where a program or a log reads it: without a frame."""
    try:
        yield
    except _UsageError as error:
        if "extra argument" in error.message and _takes_documents(error.ctx):  # *.csv gives a file each
            error.message = f"{error.message.rstrip('.')}: DOCS is one file or folder; put several files into a folder."
        if _is_seen() and "--json" not in words:
            raise
        where = "" if error.ctx is None else f" See {error.ctx.command_path} -h."
        say(f"Error: {error.format_message().rstrip('.')}.{where}", stderr=True)
        raise typer.Exit(2) from error


def _takes_documents(context: Any) -> bool:
    return any(each.metavar == "DOCS" for each in context.command.params)


def _is_seen() -> bool:
    return sys.stdout.isatty() and sys.stderr.isatty()
