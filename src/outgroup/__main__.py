"""`python -m outgroup`, and the command: everything large is imported where Ctrl-C already ends in one line."""

from __future__ import annotations

import signal
import sys


def main() -> None:
    """Run the command line; SIGTERM, and SIGHUP unless it is ignored, end it as Ctrl-C does."""
    try:
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) == signal.SIG_DFL:
                signal.signal(number, _interrupt)
        from .app.cli import main as run

        run()
    except KeyboardInterrupt as interrupt:
        print("Interrupted; nothing was written.", file=sys.stderr)
        sys.exit(128 + next(iter(interrupt.args), signal.SIGINT))


def _interrupt(number: int, _: object) -> None:
    raise KeyboardInterrupt(number)


if __name__ == "__main__":
    main()
