"""The tree of exceptions and warnings.

OutgroupError
├── CancelledError                   the caller cancelled the work
├── ClusterError (RuntimeError)      workers or their scheduler are lost, or out of memory
├── InputError (ValueError)          an option, an array or a file is not valid
│   ├── CorpusError                  documents cannot be read
│   ├── ModelError                   a saved model cannot be read
│   ├── NoDocumentsError (AttributeError)  a loaded model has no documents
│   └── NoWordError                  the texts hold no usable word
├── MissingExtraError (ImportError)  an optional dependency is not installed
├── OutputError (OSError)            a result cannot be written
└── SolverError (RuntimeError)       a solver failed unexpectedly
OutgroupWarning (UserWarning)        the result is valid, but needs attention
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import Any


class OutgroupError(Exception):
    """Base of all errors of Outgroup."""


class CancelledError(OutgroupError):
    """The caller cancelled the work; there is no result."""


class ClusterError(OutgroupError, RuntimeError):
    """Workers or their scheduler are lost, or out of memory."""


class InputError(OutgroupError, ValueError):
    """An option, an array or a file is invalid."""


class CorpusError(InputError):
    """Documents cannot be read."""


class ModelError(InputError):
    """A saved model cannot be read."""


class NoDocumentsError(InputError, AttributeError):
    """The operation needs documents, but a loaded model has none."""


class NoWordError(InputError):
    """The texts contain no usable word."""


class MissingExtraError(OutgroupError, ImportError):
    """An optional dependency is not installed; the message names its extra."""


class OutputError(OutgroupError, OSError):
    """A result cannot be written."""


class SolverError(OutgroupError, RuntimeError):
    """A solver failed unexpectedly."""


DAMAGE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""Exceptions that damaged or forged files raise while they are parsed."""


class FilesNote(str):
    """A note about output files on an interrupt; the type separates it from other notes."""


class OutgroupWarning(UserWarning):
    """The result is valid, but it needs attention."""


def installing(extra: str) -> str:
    """Return how to install an optional dependency.

    >>> installing("io")
    "pip install '.[io]' in a copy of the repository"
    """
    return f"pip install '.[{extra}]' in a copy of the repository"


def required(module: str, extra: str, purpose: str) -> Any:
    """Import a module of an extra; raise MissingExtraError, with purpose and extra, if it is missing.

    >>> required("json", "io", "reading tables needs a parser").__name__
    'json'
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(f"{purpose}: {installing(extra)}") from error


_INTERNAL = {__package__, "sklearn", "contextlib"}


def warn(message: str, category: type[Warning] = OutgroupWarning) -> None:
    """Warn at the nearest line outside this package, scikit-learn and their decorators."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in _INTERNAL:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


# --- Parts of messages


def counted(n: int, one: str) -> str:
    """Count things in words.

    >>> counted(1, "group"), counted(1200, "document")
    ('1 group', '1,200 documents')
    """
    return f"{n:,} {one}{'' if n == 1 else 's'}"


def percent(share: float) -> str:
    """
    >>> percent(0.256), percent(0.004), percent(0.0)
    ('26 %', '0.4 %', '0 %')
    """
    return f"{100 * share:.1f} %" if 0 < share < 0.01 else f"{100 * share:.0f} %"


def listed(parts: Sequence[Any]) -> str:
    """List values in words.

    >>> listed([1, 2, 5]), listed(["one"])
    ('1, 2 and 5', 'one')
    """
    words = [str(part) for part in parts]
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def quoted(values: Iterable[object], most: int = 3) -> str:
    """Return the first `most` values in quotes, for a message.

    >>> quoted(["a", "b", "c"], 2), quoted(["a", "b"])
    ("'a', 'b' ...", "'a', 'b'")
    """
    every = list(values)
    return ", ".join(map(repr, every[:most])) + (" ..." if len(every) > most else "")


def suggestion(given: object, known: Iterable[str], otherwise: str) -> str:
    """Return the nearest known name as a suggestion for an unknown one; else the text `otherwise`.

    >>> suggestion("wrods", ["words", "documents"], "choose one"), suggestion("x", ["words"], "choose one")
    ("did you mean 'words'?", 'choose one')
    """
    near = get_close_matches(given, list(known), 1) if isinstance(given, str) else []
    return f"did you mean {near[0]!r}?" if near else otherwise


def check_keys(given: Iterable[object], known: Collection[str], where: str, kind: str = "key") -> None:
    """Raise InputError if a key is unknown.

    >>> check_keys(["wrods"], ["words"], "seeds.toml")
    Traceback (most recent call last):
    outgroup.errors.InputError: seeds.toml: unknown key 'wrods'; did you mean 'words'?
    """
    for key in given:
        if key not in known:
            advice = suggestion(key, known, f"it may have {', '.join(known)}")
            raise InputError(f"{where}: unknown {kind} {key!r:.60}; {advice}")


def in_words(error: Exception) -> str:
    """Return the message of a parser's error; a recursion error means that nesting is too deep.

    >>> in_words(RecursionError("maximum recursion depth exceeded"))
    'it is nested too deeply'
    """
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
