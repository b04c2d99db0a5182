"""`python -m outgroup`, and the command: everything large is imported where Ctrl-C already ends in one line."""

from __future__ import annotations

import gc
import signal
import sys

from .cli import signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def main() -> None:
    """Run the command line; SIGTERM, and SIGHUP unless it is ignored, end it as Ctrl-C does."""
    _look_rarely()
    try:
        signals.hear()
        _hear_of_the_lost()
        from .cli.main import main as run

        run()
    except (KeyboardInterrupt, Exception) as error:
        if not isinstance(error, KeyboardInterrupt) and signals.last_heard() is None:
            raise
        print("Interrupted; nothing was written.", file=sys.stderr)
        sys.exit(signals.exit_code())
    finally:
        gc.freeze()  # or Python would look through all that libraries hold before it ends: a tenth of a short command


def _look_rarely() -> None:
    """Look for garbage in what is long there a tenth as often: libraries hold most of that, and it took a twentieth."""
    young, middle, old = gc.get_threshold()
    gc.set_threshold(young, middle, 10 * old)


def _hear_of_the_lost() -> None:
    """Let an interrupt come again that Python drops with a traceback: one that fell into a callback of an import's."""
    if hasattr(signal, "setitimer"):
        sys.unraisablehook = _again


def _again(unraisable: Any) -> None:
    if not issubclass(unraisable.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
        return
    number = signals.last_heard() or signal.SIGINT
    signal.signal(signal.SIGALRM, lambda *_: signals.interrupt(number))
    signal.setitimer(signal.ITIMER_REAL, 0.001)


if __name__ == "__main__":
    main()
