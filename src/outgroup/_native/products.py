"""The choice of the sparse products: native kernels if a compiler built them, else SciPy.

Both are modules with the same functions, over a span of rows, terms or columns, on one thread:

    empty_rows(n, columns, dtype)                     an uninitialised place for n rows of dense numbers
    lay_out(W, span, out)                            out[span] = W.T[span]
    scores(X, directions, columns, span, rows)       X[span] @ directions
    add_terms(terms, coefficients, span, total)      total[:, span] += (terms[span] @ coefficients).T
    add_members(X, edges, members, weights, span, total)
                                                     total[c] += weights[m] * X[members[m]], m in edges[c : c + 2]
    correlate(terms, x_terms, x_values, out)         out += terms[x_terms].T @ x_values
    hinges(scores, own, weights)                     -weights[i] for rivals of own[i] that score within 1 of it, 0 for
                                                     others, and at own[i] the weight times their number; None: 1
    column_sums(values)                              values.sum(axis=0)
    highest(values, count)                           each row's highest numbers above zero: the columns, highest first,
                                                     the lower of equal ones, and the numbers; -1 and 0 beyond them
    tsne_slope(indptr, indices, places, pull)        4 (pull sum_j q_ij d_ij over the listed j - sum_j q_ij^2 d_ij / Z)
                                                     with d_ij = y_i - y_j, q_ij = 1 / (1 + d_ij^2), Z = sum of all q_ij

`terms` is a CSR matrix whose rows are terms: the transpose of a block of rows. Sums are float64. Indices are trusted:
`as_rows` has checked them.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from . import by_scipy

try:
    from . import by_kernels
except ImportError:  # installed without a compiler
    by_kernels = None  # type: ignore[assignment]

_wanted = os.environ.get("OUTGROUP_NATIVE", "") != "0"
_current: ModuleType = by_kernels if by_kernels is not None and _wanted else by_scipy

if by_kernels is None:
    logging.getLogger("outgroup").warning(
        "installed without compiled kernels: SciPy is used instead, which is up to twenty times slower"
    )


def current() -> ModuleType:
    """Return the module of products in use."""
    return _current


def kernels() -> Any:
    """Return the module of native kernels; None if it is missing or disabled."""
    return None if _current is by_scipy else _current


@contextmanager
def using(module: ModuleType) -> Iterator[None]:
    """Use the products of `module` inside a `with` block, for tests and comparisons."""
    global _current
    before, _current = _current, module
    try:
        yield
    finally:
        _current = before


def describe() -> str:
    """Describe the products in use, for `outgroup --version` and the record of a run.

    >>> describe().split()[0] in ("native", "SciPy")
    True
    """
    if _current is not by_scipy:
        return f"native kernels ({_current.instructions()})"
    why = "installed without kernels: up to twenty times slower" if by_kernels is None else "OUTGROUP_NATIVE=0"
    return f"SciPy ({why})"
