"""How short groups make the description of a graph: the planted partition of Zhang and Peixoto (2020).

A graph is written down as: which group each row is in, how many ties lie within groups, which groups these are in, how
many ties each row has, and then which of the graphs that agree with all this it is. Whatever agrees with what was said
before is equally probable, or spread evenly over groups, so that there is nothing to set: groups that keep ties within
make what remains short, and more groups take longer to say. This is the microcanonical, degree-corrected stochastic
block model in which all groups are alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import gammaln

from ...types import Array


def bits_saved(sizes: Array, degrees: Array, within: int) -> float:
    """Return how many bits of each tie are saved against one group; below 0 where groups make it longer.

    Of each group: `sizes` (k,), its rows, and `degrees` (k,), their ties; `within` is how many ties lie within groups.
    Empty groups are none.

    >>> bits_saved(np.array([50, 50]), np.array([1000, 1000]), 1000) > 0.8
    True
    >>> bits_saved(np.array([50, 50]), np.array([1000, 1000]), 500) < 0
    True
    """
    ties = float(degrees.sum()) / 2
    if not ties:
        return 0.0
    whole = _description(sizes.sum(keepdims=True), degrees.sum(keepdims=True), ties)
    return float((whole - _description(sizes[sizes > 0], degrees[sizes > 0], within)) / (ties * np.log(2)))


def _description(sizes: Array, degrees: Array, within: float) -> float:
    """Return the length in nats, without what is the same for all partitions of a graph."""
    groups, between = len(sizes), float(degrees.sum()) / 2 - within
    pairs = groups * (groups - 1) / 2
    length = within * np.log(groups / 2) - _ln_factorial(within) - _ln_factorial(between)
    if groups > 1:
        length += between * np.log(pairs) + np.log(within + between + 1)
    length += np.sum(_ln_factorial(degrees + sizes - 1) - _ln_factorial(sizes - 1))
    return float(length + _partition(sizes))


def _partition(sizes: Array) -> float:
    """Return the length of saying which row is in which group: how many groups, of which sizes, and who."""
    n, groups = float(sizes.sum()), len(sizes)
    ways = _ln_factorial(n - 1) - _ln_factorial(groups - 1) - _ln_factorial(n - groups)
    return float(np.log(n) + ways + _ln_factorial(n) - _ln_factorial(sizes).sum())


def _ln_factorial(number: Any) -> Any:
    return gammaln(np.asarray(number) + 1.0)
