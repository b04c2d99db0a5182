"""The native kernels as Python functions: the compiled library is loaded, and arguments are checked."""

from __future__ import annotations

import ctypes
import sys
from enum import IntEnum
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..types import Array

# --- The compiled libraries, one for each instruction set: how they are found, and how their functions are called
#
# They know no Python, so one build serves every version of it, and need none of its headers (docs/decisions/0008).
# What is passed on must have the very types that a kernel has: nothing is converted. A call releases the interpreter
# lock. Importing this fails with ImportError where no library has been built.

_VERSION = 1  # of library.cpp: a library that was built from other sources is not used
_NEWEST = "take_pairs_float64_int64"  # a library without it was built from older ones
_LINE = 64  # bytes of a cache line
_ENDINGS = {"win32": ".dll"}
_MATRICES = {  # the ending of the kernels' names, by the types of a matrix: made once, for some calls take microseconds
    (np.dtype(values), np.dtype(indices)): f"{values}_{indices}"
    for values in ("float32", "float64")
    for indices in ("int32", "int64")
}


class Level(IntEnum):
    """Instruction sets, the narrowest first."""

    BASELINE = 0
    AVX2 = 1
    AVX512 = 2


def _find(level: Level) -> ctypes.CDLL | None:
    """Load the library for one instruction set; in an editable install it lies in site-packages."""
    name = f"kernels_{level.name.lower()}{_ENDINGS.get(sys.platform, '.so')}"
    installed = (Path(entry, "outgroup", "_native") for entry in sys.path)
    for folder in (Path(__file__).parent, *installed):
        try:
            library = ctypes.CDLL(str(folder.resolve() / name))
            if library.library_version() == _VERSION and hasattr(library, _NEWEST):
                return library
        except (OSError, AttributeError):
            continue
    return None


def _load() -> dict[Level, ctypes.CDLL]:
    baseline = _find(Level.BASELINE)
    if baseline is None:
        raise ImportError("the native kernels were not built")
    able = [level for level in Level if Level.BASELINE < level <= baseline.processor_level()]
    found = {Level.BASELINE: baseline, **{level: _find(level) for level in able}}
    return {level: library for level, library in found.items() if library is not None}


_libraries = _load()
_level = max(_libraries)


def best_level() -> Level:
    """Return the widest instruction set that this processor and this build have."""
    return max(_libraries)


def level() -> Level:
    """Return the instruction set in use."""
    return _level


def use_level(chosen: Level) -> None:
    """Use another instruction set, to test or to compare; raise ValueError if it is not available."""
    global _level
    if chosen not in _libraries:
        raise ValueError(f"this processor or this build lacks {chosen.name}")
    _level = chosen


def call(name: str, *arguments: Any, result: Any = ctypes.c_int32, level: Level | None = None) -> Any:
    """Call a function of the library; every argument is a ctypes value, so that none is cut to 32 bits."""
    return _function(name, result, _level if level is None else level)(*arguments)


@cache  # to look one up takes longer than some calls; each has the type of one result, whatever other threads ask for
def _function(name: str, result: Any, level: Level) -> Any:
    function = _libraries[level][name]
    function.restype = result
    return function


def number(value: int) -> Any:
    return ctypes.c_int64(value)


def matrix(indptr: Array, indices: Array, data: Array) -> tuple[str, tuple[Any, ...]]:
    """Return the ending of the kernels' names for a matrix's types, and the arguments that pass it on."""
    require(len(indices) == len(data), "indices and data differ in length")
    arrays = (address(indptr, indices.dtype), address(indices, indices.dtype), address(data, data.dtype))
    name = _MATRICES.get((data.dtype, indices.dtype))
    if name is None:
        raise TypeError(f"there are no kernels for values of {data.dtype} and indices of {indices.dtype}")
    return name, (*arrays, number(len(data)))


def address(values: Array, dtype: Any) -> Any:
    if values.dtype != dtype or not values.flags.c_contiguous:
        raise TypeError(f"an array of {np.dtype(dtype)} in C order is needed; this one is of {values.dtype}")
    return ctypes.c_void_p(values.ctypes.data)


def require(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(what)


def require_lines(padded: Array) -> None:
    require(padded.strides[0] % _LINE == 0, "the rows of the matrix are not padded to whole cache lines")


def require_within(numbers: Array, end: int, what: str) -> None:
    require(len(numbers) == 0 or (numbers.min() >= 0 and numbers.max() < end), what)


def enough(done: Any) -> None:
    if not done:
        raise MemoryError("there is no memory left for local search or the sums of a block of rows")


# --- The kernels as Python functions, and what checks their arguments: shapes are checked here, indices are trusted
#
# See `loading` for what an array must be like, and `products` for what each function does.


def scores(
    indptr: Array, indices: Array, data: Array, directions: Array, start: int, stop: int, rows: Array | None, out: Array
) -> None:
    """Set `out = X[start:stop] @ directions`, or of the listed `rows[start:stop]`; directions are padded to cells."""
    most = len(indptr) - 1 if rows is None else len(rows)
    require(0 <= start <= stop <= most, "the span lies outside the rows")
    require(len(out) == stop - start and directions.shape[1] >= out.shape[1], "the result has another shape")
    require_lines(directions)
    name, x = matrix(indptr, indices, data)
    listed = None if rows is None else address(rows, np.int64)
    directed = (address(directions, data.dtype), number(directions.shape[1]))
    columns = number(out.shape[1])
    call(f"scores_{name}", *x, *directed, number(start), number(stop), listed, address(out, data.dtype), columns)


def add_terms(
    indptr: Array, indices: Array, data: Array, coefficients: Array, start: int, stop: int, total: Array
) -> None:
    """Add `(X[start:stop] @ coefficients).T` to `total[:, start:stop]`, where the rows of X are terms."""
    columns, terms = total.shape
    require(0 <= start <= stop <= terms < len(indptr), "no such terms")
    require(coefficients.shape[1] >= columns, "the coefficients have too few columns")
    require_lines(coefficients)
    name, x = matrix(indptr, indices, data)
    padded = (address(coefficients, data.dtype), number(coefficients.shape[1]))
    sums = (address(total, np.float64), number(columns), number(terms))
    enough(call(f"add_terms_{name}", *x, *padded, number(start), number(stop), *sums))


def add_members(
    indptr: Array,
    indices: Array,
    data: Array,
    edges: Array,
    members: Array,
    weights: Array,
    start: int,
    stop: int,
    total: Array,
) -> None:
    """Add `weights[m] * X[members[m]]` to `total[c]` for m in edges[c] .. edges[c + 1] and c in start .. stop."""
    require(0 <= start <= stop <= len(total), "no such columns")
    require(len(edges) == len(total) + 1, "one edge more than columns is needed")
    require(len(members) == len(weights), "members and weights differ in length")
    name, x = matrix(indptr, indices, data)
    listed = (address(edges, np.int64), address(members, np.int64), address(weights, np.float64))
    sums = (address(total, np.float64), number(total.shape[1]))
    call(f"add_members_{name}", *x, *listed, number(start), number(stop), *sums)


def correlate(indptr: Array, indices: Array, data: Array, terms: Array, values: Array, out: Array) -> None:
    """Add to `out` the products of all columns of X with one sparse row, by the lists of its terms."""
    require(len(terms) == len(values), "terms and values differ in length")
    name, x = matrix(indptr, indices, data)
    row = (address(terms, np.int64), address(values, data.dtype), number(len(terms)))
    call(f"correlate_{name}", *x, *row, address(out, data.dtype))


def lay_out(W: Array, start: int, stop: int, out: Array) -> None:
    """Set `out[start:stop] = W.T[start:stop]`, zeros beyond the columns that W has."""
    columns, terms = W.shape
    require(0 <= start <= stop <= terms == len(out), "no such terms")
    require(out.shape[1] >= columns, "the directions do not fit into the place for them")
    require_lines(out)
    given = (address(W, W.dtype), number(columns), number(terms), number(start), number(stop))
    call(f"lay_out_{W.dtype}_{out.dtype}", *given, address(out, out.dtype), number(out.shape[1]))


def hinges(scores: Array, own: Array, weights: Array | None, out: Array) -> None:
    """Set `out` (m, c) to the coefficients of the margin's rule (see `products`)."""
    m, columns = scores.shape
    require(len(own) == m, "rows and their columns differ in number")
    require(weights is None or len(weights) == m, "rows and weights differ in number")
    require(out.shape == scores.shape, "the result has another shape")
    require_within(own, columns, "there is no such column")
    weighed = None if weights is None else address(weights, scores.dtype)
    given = (address(scores, scores.dtype), address(own, np.int32), weighed, number(m), number(columns))
    call(f"hinges_{scores.dtype}", *given, address(out, scores.dtype))


def column_sums(values: Array, sums: Array) -> None:
    """Add each column of `values` (m, c) to the float64 `sums` (c,)."""
    m, columns = values.shape
    require(len(sums) == columns, "the sums have another shape")
    given = (address(values, values.dtype), number(m), number(columns))
    call(f"column_sums_{values.dtype}", *given, address(sums, np.float64))


def highest(values: Array, index: Array, found: Array) -> None:
    """Set `index` and `found` (m, count) to the highest entries of each row of float32 `values` (see `products`)."""
    m, n = values.shape
    require(index.shape == found.shape == (m, found.shape[1]), "the result has another shape")
    require(found.shape[1] > 0 and n < 1 << 31, "no number of columns that can be listed")
    given = (address(values, np.float32), number(m), number(n), number(found.shape[1]))
    call("highest_float32", *given, address(index, np.int32), address(found, np.float32))


def take_pairs(X: Any, terms: Any, start: int, stop: int, index: Array, found: Array, bound: Array) -> None:
    """Multiply rows `start` to `stop` of a CSR matrix X (n, d) with all later rows; update the nearest of both rows.

    `index` and the float32 `found` (n, count) hold the rows nearest to each so far, -1 and 0 for none, and `bound` (n,)
    the lowest product of each; `terms` is the transpose of X, in the order of its rows.
    """
    (n, d), count = X.shape, found.shape[1]
    require(terms.shape == (d, n) and len(terms.data) == len(X.data), "the transpose has another shape")
    require(0 <= start <= stop <= n < 1 << 31 and count > 0, "the span lies outside the rows")
    require(index.shape == found.shape == (n, count) and len(bound) == n, "the result has another shape")
    name, x = matrix(X.indptr, X.indices, X.data)
    kind = X.indices.dtype
    lists = (address(terms.indptr, kind), address(terms.indices, kind), address(terms.data, X.dtype))
    numbers = (number(each) for each in (n, d, start, stop, count))
    result = (address(index, np.int32), address(found, np.float32), address(bound, np.float32))
    enough(call(f"take_pairs_{name}", *x, *lists, *numbers, *result))


def dense_block(
    X: Array,
    products: Array,
    half: Array,
    labels: Array,
    sums: Array,
    norms: Array,
    count: Array,
    live: Array,
    least: float,
) -> int:
    """Move the rows of a block, one after another, to where Q gains most, if above `least`; return the moves.

    `products` (m, k) are those with the sums as they come in. Sums (k, d), their norms, and the numbers of rows and of
    rows that are not zero follow.
    """
    m, d = X.shape
    require(products.shape == (m, len(sums)) and len(half) == len(labels) == m, "the block has another shape")
    block = (address(X, X.dtype), address(products, X.dtype), address(half, X.dtype), address(labels, np.int32))
    state = (*_sums(sums, norms, count, live, d, X.dtype), ctypes.c_double(least))
    return int(call(f"dense_block_{X.dtype}", *block, number(m), *state, result=ctypes.c_int64))


def dense_move(x: Array, half: float, own: int, to: int, sums: Array, norms: Array, count: Array, live: Array) -> float:
    """Move one dense row from cluster `own` to another; return the change of Q."""
    state = _sums(sums, norms, count, live, len(x), x.dtype)
    move = (address(x, x.dtype), ctypes.c_double(half), ctypes.c_int32(own), ctypes.c_int32(to))
    return float(call(f"dense_move_{x.dtype}", *move, *state, result=ctypes.c_double))


def _sums(sums: Array, norms: Array, count: Array, live: Array, d: int, dtype: Any) -> tuple[Any, ...]:
    k = len(sums)
    require(sums.shape[1] == d and len(norms) == len(count) == len(live) == k, "the sums have another shape")
    numbers = (address(norms, np.float64), address(count, np.int64), address(live, np.int64))
    return (address(sums, dtype), *numbers, number(d), ctypes.c_int32(k))


class DenseSweep:
    """Sweeps over dense rows for few clusters, with no products at hand: moves as those of `dense_block`.

    `rows` (m,) are the rows of X that take part; `half` and `labels` are theirs. What stays the same from sweep to
    sweep is checked once, and the arrays are held: many sweeps are over few rows.
    """

    def __init__(
        self, X: Array, rows: Array, half: Array, labels: Array, sums: Array, norms: Array, count: Array, live: Array
    ) -> None:
        require(len(rows) == len(half) == len(labels), "rows, halves and labels differ in number")
        require_within(rows, len(X), "there is no such row")
        products = np.empty(len(sums), dtype=X.dtype)
        self._held = (X, rows, half, labels, products, sums, norms, count, live)
        self._name, self._m = f"dense_sweep_{X.dtype}", len(rows)
        self._rows = (address(X, X.dtype), address(rows, np.int64))
        self._state = (
            address(half, X.dtype),
            address(labels, np.int32),
            address(products, X.dtype),
            *_sums(sums, norms, count, live, X.shape[1], X.dtype),
        )

    def __call__(self, order: Array, least: float) -> int:
        """Visit rows in `order`, by their places among those that take part; return the moves."""
        require_within(order, self._m, "the order names a row that does not exist")
        visited = (address(order, np.int32), number(len(order)))
        given = (*self._rows, *visited, *self._state, ctypes.c_double(least))
        return int(call(self._name, *given, result=ctypes.c_int64))


class LocalSearch:
    """A partition of compressed rows that changes by single moves (see `solve.local_search`)."""

    def __init__(self, indptr: Array, indices: Array, data: Array, d: int, k: int, labels: Array, most: int) -> None:
        self._n, self._k, self._level = len(labels), k, level()
        require(len(indptr) == self._n + 1, "labels and rows differ in number")
        require_within(labels, k, "a label lies outside 0 .. k - 1")
        self._name, x = matrix(indptr, indices, data)
        self._kept = (indptr, indices, data)  # the search reads them as long as it lives
        size = (number(self._n), number(d), ctypes.c_int32(k))
        self._search = self._do("open", *x, *size, address(labels, np.int32), number(most), result=ctypes.c_void_p)
        enough(self._search)

    def __del__(self) -> None:
        if getattr(self, "_search", None):
            self._do("close", self._search)

    @property
    def objective(self) -> float:
        """Q, followed from move to move."""
        return float(self._do("objective", self._search, result=ctypes.c_double))

    @property
    def labels(self) -> Array:
        """A copy of the labels."""
        labels = self._do("labels", self._search, result=ctypes.POINTER(ctypes.c_int32))
        return np.ctypeslib.as_array(labels, (self._n,)).copy()

    def batch(self) -> int:
        """Move every row to its nearest concept vector."""
        moved = ctypes.c_int64()
        enough(self._do("batch", self._search, ctypes.byref(moved)))
        return moved.value

    def sweep(self, order: Array, least: float) -> int:
        """Visit rows in `order`, each moving at once to where it gains most."""
        require_within(order, self._n, "the order names a row that does not exist")
        moved, rows = ctypes.c_int64(), (address(order, np.int32), number(len(order)))
        enough(self._do("sweep", self._search, *rows, ctypes.c_double(least), ctypes.byref(moved)))
        return moved.value

    def chain(self, length: int) -> tuple[Array, int]:
        """Take steepest moves, each row once; undo all but the best prefix."""
        totals, moves, kept = np.empty(max(0, min(length, self._n))), ctypes.c_int64(), ctypes.c_int64()
        numbers = (address(totals, np.float64), ctypes.byref(moves), ctypes.byref(kept))
        enough(self._do("chain", self._search, number(len(totals)), *numbers))
        return totals[: moves.value], kept.value

    def gains(self, row: int) -> Array:
        """Return the change of Q for moving one row to each cluster."""
        require(0 <= row < self._n, "there is no such row")
        result = np.empty(self._k)
        self._do("gains", self._search, number(row), address(result, np.float64))
        return result

    def _do(self, verb: str, *arguments: Any, result: Any = ctypes.c_int32) -> Any:
        found = call(f"search_{verb}_{self._name}", *arguments, result=result, level=self._level)
        return ctypes.c_void_p(found) if result is ctypes.c_void_p else found


local_search = LocalSearch
