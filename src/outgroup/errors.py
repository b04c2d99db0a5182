"""The exceptions and warnings of Outgroup, one small tree.

OutgroupError
├── CancelledError                   the caller asked to stop
├── ClusterError (RuntimeError)      workers or their scheduler were lost, or ran out of memory
├── InputError (ValueError)          something given cannot be used: an option, an array, a file
│   ├── CorpusError                  documents cannot be read
│   ├── ModelError                   a saved model cannot be read
│   ├── NoDocumentsError (AttributeError)  a model that was loaded is asked for its documents
│   └── NoWordError                  the texts hold no word that may count
├── MissingExtraError (ImportError)  an optional dependency is not installed
├── OutputError (OSError)            a result cannot be written
└── SolverError (RuntimeError)       a solver failed where it should not
OutgroupWarning (UserWarning)        the result stands, but the user should know
"""

from __future__ import annotations

import re
from collections.abc import Callable


class OutgroupError(Exception):
    """Base of every error that Outgroup raises on purpose."""


class CancelledError(OutgroupError):
    """The caller asked to stop, and what was begun has no result."""


class ClusterError(OutgroupError, RuntimeError):
    """Workers or their scheduler were lost, or ran out of memory."""


class InputError(OutgroupError, ValueError):
    """Something the caller gave cannot be used."""


class CorpusError(InputError):
    """Documents cannot be read."""


class ModelError(InputError):
    """A saved model cannot be read."""


class NoDocumentsError(InputError, AttributeError):
    """A model that was loaded is asked for its documents."""


class NoWordError(InputError):
    """The texts hold no word that may count; `why` has the names of the parameters that rule it in braces."""

    def __init__(self, why: str) -> None:
        super().__init__(why.replace("{", "").replace("}", ""))
        self._why = why

    def naming(self, name: Callable[[str], str]) -> str:
        """Return the message with other names of the parameters.

        >>> NoWordError("no word left; change {min_df}").naming(str.upper)
        'no word left; change MIN_DF'
        """
        return re.sub(r"{(\w+)}", lambda found: name(found[1]), self._why)


class MissingExtraError(OutgroupError, ImportError):
    """An optional dependency is not installed; the message names the extra that brings it."""


class OutputError(OutgroupError, OSError):
    """A result cannot be written."""


class SolverError(OutgroupError, RuntimeError):
    """A solver failed where it should not."""


DAMAGE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What code raises that meets other values than it wrote: a file that was read is damaged or forged."""


class FilesNote(str):
    """What became of the files, as a note of an interrupt: libraries and Python itself add other notes."""


class OutgroupWarning(UserWarning):
    """The result stands, but the user should know something about it."""


def in_words(error: Exception) -> str:
    """Return what an error of a parser says, and of one that gave up what it gave up at.

    >>> in_words(RecursionError("maximum recursion depth exceeded"))
    'it is nested too deep'
    """
    return "it is nested too deep" if isinstance(error, RecursionError) else str(error)
