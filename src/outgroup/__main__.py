"""`python -m outgroup`, and the command: everything large is imported where Ctrl-C already ends in one line."""

from __future__ import annotations

import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def main() -> None:
    """Run the command line; SIGTERM, and SIGHUP unless it is ignored, end it as Ctrl-C does."""
    try:
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) == signal.SIG_DFL:
                signal.signal(number, _interrupt)
        _hear_of_the_lost()
        from .app.cli import main as run

        run()
    except KeyboardInterrupt as interrupt:
        print("Interrupted; nothing was written.", file=sys.stderr)
        sys.exit(128 + next(iter(interrupt.args), signal.SIGINT))


def _interrupt(number: int, _: object) -> None:
    raise KeyboardInterrupt(number)


def _hear_of_the_lost() -> None:
    """Let an interrupt come again that Python drops with a traceback: one that fell into a callback of an import's."""
    if hasattr(signal, "setitimer"):
        sys.unraisablehook = _again


def _again(unraisable: Any) -> None:
    if not issubclass(unraisable.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
        return
    number = next(iter(unraisable.exc_value.args), signal.SIGINT)
    signal.signal(signal.SIGALRM, lambda *_: _interrupt(number, None))
    signal.setitimer(signal.ITIMER_REAL, 0.001)


if __name__ == "__main__":
    main()
