"""The types that all packages share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
"""A NumPy array of any dtype."""

Rng = np.random.Generator
"""Where randomness comes from."""

Progress = Callable[[str, int, int | None], None]
"""Called with a step's name, how much of it is done, and of how much (None: unknown)."""
