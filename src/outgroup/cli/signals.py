"""Signal handlers: SIGINT, SIGTERM and SIGHUP interrupt a run and set its exit code.

The module stores the signal number, since the interrupted code may replace the exception.
"""

from __future__ import annotations

import signal

_received: list[int] = []


def install() -> None:
    """Install a handler that raises KeyboardInterrupt, for each signal with its default handler."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, interrupt)


def interrupt(number: int, _: object = None) -> None:
    """Store the signal number and raise KeyboardInterrupt."""
    _received.append(number)
    raise KeyboardInterrupt


def last_received() -> int | None:
    """Return the number of the last signal, or None."""
    return _received[-1] if _received else None


def exit_code() -> int:
    """Return the exit code 128 + the number of the last signal (SIGINT if there was none)."""
    return 128 + (last_received() or signal.SIGINT)
