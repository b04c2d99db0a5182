"""Shared types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
"""A NumPy array of any dtype."""

Whole = int | np.integer[Any]
"""A whole number, Python's or NumPy's."""

Rng = np.random.Generator
"""A random number generator."""

Progress = Callable[[str, int, int | None], None]
"""Called with the name of a step, the amount done, and the total (None: unknown)."""

OnProgress = Callable[[int, int | None], None]
"""Called with the amount done of a step, and the total (None: unknown)."""

OnCount = Callable[[int, int], None]
"""Called with the amount done and the total."""

OnStep = Callable[[dict[str, Any]], None]
"""Called with each step's entry of a solver's trace."""


def no_op(*_: object) -> None:
    """Do nothing: the default callback."""
