"""A part of the rows as a matrix in memory, for what is no sequence of folds."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np
import scipy.sparse as sp

from ..types import Array, Rng
from .blocks import even_spans
from .seam import Rows

MOST_SAMPLED = 1 << 14  # rows of a sample: a few seconds of local search, and the groups' centres hardly move with more
_AT_ONCE = 1 << 22  # numbers taken at a time, which come dense


@runtime_checkable
class Sampled(Protocol):
    """Rows of which some can be had as a CSR matrix at once: `take` gives dense ones, most of which are zeros."""

    def sample(self, index: Array) -> Any:
        """Return rows (m, d) in the order of `index`."""


def sample(rows: Rows, rng: Rng, most: int = MOST_SAMPLED) -> tuple[Array, Any]:
    """Return the numbers of `most` rows drawn at random, or of all if there are fewer, ascending, and them as CSR.

    >>> from outgroup.rows import as_rows
    >>> index, X = sample(as_rows(np.eye(3)), np.random.default_rng(0))
    >>> index.tolist(), X.shape
    ([0, 1, 2], (3, 3))
    """
    n, d = rows.shape
    index = np.arange(n) if n <= most else np.sort(rng.choice(n, most, replace=False))
    if isinstance(rows, Sampled):
        return index, rows.sample(index)
    parts = even_spans(0, len(index), -(-len(index) * d // _AT_ONCE))
    return index, sp.vstack([sp.csr_matrix(rows.take(index[part])) for part in parts], format="csr")
