"""Documents in groups, and the sums of each group's rows: made once, for all that a report tells of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...types import Array


@dataclass(frozen=True, eq=False)
class Grouped:
    """Rows `X`, CSR (n, V), and the group of each, `groups` (n,) 0 to k - 1.

    >>> Grouped(sp.csr_matrix([[1.0, 0.0], [2.0, 3.0]]), np.zeros(2, dtype=int), 1).sums.toarray()
    array([[3., 3.]])
    """

    X: Any
    groups: Array
    k: int

    @classmethod
    def of(cls, X: Any, groups: Array, k: int, inside: Array) -> Grouped:
        """Return those documents of `X` that are `inside`, (n,) bool."""
        return cls(X, groups, k) if inside.all() else cls(X[np.flatnonzero(inside)], groups[inside], k)

    @cached_property
    def sums(self) -> Any:
        """The sum of the rows of each group, CSR (k, V)."""
        n = len(self.groups)
        members = sp.csr_matrix((np.ones(n), (self.groups, np.arange(n))), shape=(self.k, n))
        return sp.csr_matrix(members @ self.X)
