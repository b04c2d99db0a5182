"""The exceptions and warnings of Outgroup, one small tree.

OutgroupError
├── CancelledError                   the caller asked to stop
├── ClusterError (RuntimeError)      workers or their scheduler were lost, or ran out of memory
├── InputError (ValueError)          something given cannot be used: an option, an array, a file
│   ├── CorpusError                  documents cannot be read
│   ├── ModelError                   a saved model cannot be read
│   └── NoDocumentsError (AttributeError)  a model that was loaded is asked for its documents
├── MissingExtraError (ImportError)  an optional dependency is not installed
├── OutputError (OSError)            a result cannot be written
└── SolverError (RuntimeError)       a solver failed where it should not
OutgroupWarning (UserWarning)        the result stands, but the user should know
"""


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


class MissingExtraError(OutgroupError, ImportError):
    """An optional dependency is not installed; the message names the extra that brings it."""


class OutputError(OutgroupError, OSError):
    """A result cannot be written."""


class SolverError(OutgroupError, RuntimeError):
    """A solver failed where it should not."""


class OutgroupWarning(UserWarning):
    """The result stands, but the user should know something about it."""


def in_words(error: Exception) -> str:
    """Return what an error of a parser says, and of one that gave up what it gave up at.

    >>> in_words(RecursionError("maximum recursion depth exceeded"))
    'it is nested too deep'
    """
    return "it is nested too deep" if isinstance(error, RecursionError) else str(error)
