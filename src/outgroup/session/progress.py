"""What whoever waits for a fit hears of its steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

from ..types import OnProgress


@dataclass(frozen=True)
class Progress:
    """How far a fit is.

    Parameters
    ----------
    step : str
    done : int
        How much of the step is through.
    total : int or None
        Of how much; None: unknown.
    seconds : float
        Since the fit began.
    left : float or None
        The seconds that are left by an estimate; None: there is none yet.

    Examples
    --------
    >>> Progress("fitting", 3, 10, seconds=1.5, left=3.5).step
    'fitting'
    """

    step: str
    done: int
    total: int | None
    seconds: float
    left: float | None


OnStep = Callable[[Progress], None]


class Reporter:
    """Hears of each step of a fit, and tells of it with an estimate of the time that is left.

    `usual` are the seconds that such a fit took before, None where it is the first.
    """

    def __init__(self, on_step: OnStep | None, usual: float | None = None) -> None:
        self._on_step, self._usual, self._since = on_step, usual, perf_counter()

    @property
    def seconds(self) -> float:
        """The seconds since the fit began."""
        return perf_counter() - self._since

    def __call__(self, step: str, done: int = 0, total: int | None = None) -> None:
        """Say that `done` of `total` are through."""
        if self._on_step is not None:
            seconds = self.seconds
            self._on_step(Progress(step, done, total, seconds, self._left(seconds, done, total)))

    def of(self, step: str) -> OnProgress:
        """Return what a part calls with (done, total) during a step."""
        return lambda done, total: self(step, done, total)

    def _left(self, seconds: float, done: int, total: int | None) -> float | None:
        if total and done:
            return seconds * (total - done) / done
        return None if self._usual is None else max(0.0, self._usual - seconds)
