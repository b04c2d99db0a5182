"""Cancel a fit, from another thread or after a time limit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from .errors import CancelledError

_cancel: ContextVar[Callable[[], bool] | None] = ContextVar("cancel", default=None)


@contextmanager
def stoppable(cancel: Callable[[], bool] | None) -> Iterator[None]:
    """Make a fit cancellable inside a `with` block: each pass calls `cancel()`, and raises CancelledError if it returns
    true.

    Parameters
    ----------
    cancel : callable without arguments, or None
        All worker threads call it, so it must be fast, such as `threading.Event().is_set`. None keeps the callback of
        the outer block.

    Returns
    -------
    context manager

    Examples
    --------
    >>> with stoppable(lambda: True):
    ...     stop_if_asked()
    Traceback (most recent call last):
    outgroup.errors.CancelledError: cancelled
    """
    if cancel is None:
        yield
        return
    before = _cancel.set(cancel)
    try:
        yield
    finally:
        _cancel.reset(before)


def stop_if_asked() -> None:
    """Raise CancelledError if the enclosing `stoppable` block was cancelled."""
    cancel = _cancel.get()
    if cancel is not None and cancel():
        raise CancelledError("cancelled")
