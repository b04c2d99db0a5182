"""Stopping a fit before its end, from another thread or after a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from .errors import CancelledError

_cancel: ContextVar[Callable[[], bool] | None] = ContextVar("cancel", default=None)


@contextmanager
def stoppable(cancel: Callable[[], bool] | None) -> Iterator[None]:
    """Within the block, long work asks `cancel()` between its passes, and raises CancelledError once it says yes.

    Parameters
    ----------
    cancel : callable without arguments, or None
        It is asked from every thread that works, so it should be quick: `threading.Event().is_set`, say. None asks
        nobody new.

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
    """Raise CancelledError where the block around has been asked to stop."""
    cancel = _cancel.get()
    if cancel is not None and cancel():
        raise CancelledError("cancelled")
