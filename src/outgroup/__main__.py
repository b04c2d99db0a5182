"""Entry point of `python -m outgroup` and `outgroup`; it installs signal handlers before it imports large libraries."""

from __future__ import annotations

import gc
import os
import signal
import sys
from importlib.machinery import PathFinder
from importlib.util import LazyLoader

from .cli import signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def main() -> None:
    """Run the command line; SIGTERM and SIGHUP end it like Ctrl-C."""
    _collect_rarely()
    if "workbench" not in sys.argv[1:2]:  # its threads may use a module for the first time at once
        sys.meta_path.insert(0, _Later())
    os.environ["PYTHONSAFEPATH"] = "1"  # or child processes import a module of the current folder
    try:
        signals.install()
        _repeat_lost_interrupts()
        from .cli.main import main as run

        run()
    except (KeyboardInterrupt, Exception) as error:
        if not isinstance(error, KeyboardInterrupt) and signals.last_received() is None:
            raise
        print("Interrupted; nothing was written.", file=sys.stderr)
        sys.exit(signals.exit_code())
    finally:
        gc.freeze()  # skip the last collection: a tenth of the time of a short command


def _collect_rarely() -> None:
    """Run Python's full garbage collection ten times less often: it took 5 % of the time, mostly on objects of
    libraries.
    """
    young, middle, old = gc.get_threshold()
    gc.set_threshold(young, middle, 10 * old)


class _Later:
    """Run modules at their first use: scikit-learn imports SciPy's statistics, and SciPy a compiler of NumPy, a sixth
    of the time of a short command, and few commands call them.
    """

    def find_spec(self, name: str, path: Any, target: object = None) -> Any:
        spec = PathFinder.find_spec(name, path) if name in ("scipy.stats", "numpy.f2py") else None
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
        return spec


def _repeat_lost_interrupts() -> None:
    """Raise an interrupt again if Python lost it in a callback during an import."""
    if hasattr(signal, "setitimer"):
        sys.unraisablehook = _repeat


def _repeat(unraisable: Any) -> None:
    if not issubclass(unraisable.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
        return
    number = signals.last_received() or signal.SIGINT
    signal.signal(signal.SIGALRM, lambda *_: signals.interrupt(number))
    signal.setitimer(signal.ITIMER_REAL, 0.001)


if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # the current folder: a module in it would be imported
    main()
