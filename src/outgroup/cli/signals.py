"""Ctrl-C, SIGTERM and SIGHUP end a run alike, with the exit code of the one that came.

Which came is kept here: what it falls into may lose the number, or make another error of the exception.
"""

from __future__ import annotations

import signal

_heard: list[int] = []


def hear() -> None:
    """Let each end the run as a KeyboardInterrupt, unless it is ignored, or somebody else listens to it."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, interrupt)


def interrupt(number: int, _: object = None) -> None:
    """Raise a KeyboardInterrupt, and keep the signal's number."""
    _heard.append(number)
    raise KeyboardInterrupt


def last_heard() -> int | None:
    """Return the number of the last signal that came, None where none did."""
    return _heard[-1] if _heard else None


def exit_code() -> int:
    """Return how a shell names the end by the last signal; that of Ctrl-C, where nobody listened."""
    return 128 + (last_heard() or signal.SIGINT)
