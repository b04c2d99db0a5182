"""Python side of the native kernels: load the compiled library, check arguments and call it."""

from __future__ import annotations

import ctypes
import sys
from enum import IntEnum
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..types import Array, Rng

# --- The compiled libraries, one per instruction set: how to find them, and how to call their functions
#
# They do not depend on Python, so one build serves all its versions (docs/decisions/0008). Arguments must have the
# exact types of the kernel: no argument is converted. A call releases the interpreter lock. Without a built library
# the import of this module raises ImportError.

_VERSION = 5  # of library.cpp: libraries of other versions are ignored
_LINE = 64  # bytes of a cache line: rows of dense numbers are padded to whole lines
_ENDINGS = {"win32": ".dll"}
_MATRICES = {  # the ending of the kernels' names, by the types of a matrix: made once, for some calls take microseconds
    (np.dtype(values), np.dtype(indices)): f"_{values}_{indices}"
    for values in ("float32", "float64")
    for indices in ("int32", "int64")
}


_NAMES = {"BASELINE": "no vector extension assumed", "AVX2": "AVX2", "AVX512": "AVX-512"}


class InstructionSet(IntEnum):
    """Instruction sets of the processor, the narrowest first."""

    BASELINE = 0
    AVX2 = 1
    AVX512 = 2


def _find(level: InstructionSet) -> ctypes.CDLL | None:
    """Load the library for one instruction set; return None if it is not installed."""
    name = f"kernels_{level.name.lower()}{_ENDINGS.get(sys.platform, '.so')}"
    installed = (Path(entry, "outgroup", "_native") for entry in sys.path)
    for folder in (Path(__file__).parent, *installed):
        try:
            library = ctypes.CDLL(str(folder.resolve() / name))
            if library.library_version() == _VERSION:
                return library
        except (OSError, AttributeError):
            continue
    return None


def _load() -> dict[InstructionSet, ctypes.CDLL]:
    baseline = _find(InstructionSet.BASELINE)
    if baseline is None:
        raise ImportError("the native kernels were not built")
    supported = [level for level in InstructionSet if InstructionSet.BASELINE < level <= baseline.processor_level()]
    libraries = {InstructionSet.BASELINE: baseline, **{level: _find(level) for level in supported}}
    return {level: library for level, library in libraries.items() if library is not None}


_libraries = _load()
_level = max(_libraries)


def level() -> InstructionSet:
    """Return the instruction set in use."""
    return _level


def instructions() -> str:
    """Return the name of the instruction set in use."""
    return _NAMES[_level.name]


def use_level(chosen: InstructionSet) -> None:
    """Switch to another instruction set, to test or compare; raise ValueError if it is not available."""
    global _level
    if chosen not in _libraries:
        raise ValueError(f"this processor or this build lacks {chosen.name}")
    _level = chosen


def call(name: str, *arguments: Any, result: Any = ctypes.c_int32, level: InstructionSet | None = None) -> Any:
    """Call a function of the library: `name` and the types of a CSR matrix, if there is one.

    Numbers are 64 bits wide. A slice stands for two numbers, a matrix for its arrays and the number of its entries. An
    array has its type beside it, `(array, dtype)`; other types and orders raise TypeError. None is a null pointer.
    """
    types, given = "", list[Any]()
    for value in arguments:
        if isinstance(value, tuple):
            given.append(address(*value))
        elif isinstance(value, slice):
            given += [ctypes.c_int64(value.start), ctypes.c_int64(value.stop)]
        elif isinstance(value, int | np.integer):
            given.append(ctypes.c_int64(int(value)))
        elif isinstance(value, float):
            given.append(ctypes.c_double(value))
        elif hasattr(value, "indptr"):
            types = _types(value)
            arrays = (value.indptr, value.indices, value.data)
            given += [address(array, array.dtype) for array in arrays]
            given.append(ctypes.c_int64(len(value.data)))
        else:
            given.append(value)
    return _function(name + types, result, _level if level is None else level)(*given)


@cache  # a look-up takes longer than some calls; a type of result has its own function object, also in other threads
def _function(name: str, result: Any, level: InstructionSet) -> Any:
    function = _libraries[level][name]
    function.restype = result
    return function


def _types(X: Any) -> str:
    """Return the ending of the kernels for the types of a CSR matrix."""
    require(len(X.indices) == len(X.data) and X.indptr.dtype == X.indices.dtype, "the arrays of a matrix do not match")
    name = _MATRICES.get((X.data.dtype, X.indices.dtype))
    if name is None:
        raise TypeError(f"the kernels do not take values of {X.data.dtype} with indices of {X.indices.dtype}")
    return name


def address(values: Array, dtype: Any) -> Any:
    if values.dtype != dtype or not values.flags.c_contiguous:
        raise TypeError(f"an array of {np.dtype(dtype)} in C order is needed; this one is of {values.dtype}")
    return ctypes.c_void_p(values.ctypes.data)


def require(holds: bool, problem: str) -> None:
    if not holds:
        raise ValueError(problem)


def require_lines(padded: Array, columns: int) -> None:
    require(padded.shape[1] >= columns, "the padded matrix has the wrong shape")
    require(padded.strides[0] % _LINE == 0, "the rows of the matrix are not padded to whole cache lines")


def require_within(numbers: Array, end: int, problem: str) -> None:
    require(len(numbers) == 0 or (numbers.min() >= 0 and numbers.max() < end), problem)


def require_span(span: slice, end: int) -> None:
    require(0 <= span.start <= span.stop <= end, "the span exceeds the matrix")


def require_memory(allocated: Any) -> None:
    if not allocated:
        raise MemoryError("not enough memory for words, local search or the sums of a block of rows")


# --- The functions of `products`: shapes are checked here, indices are trusted


def empty_rows(n: int, columns: int, dtype: Any) -> Array:
    """Return an uninitialised array (n, columns), aligned to cache lines; rows are padded to whole cache lines."""
    size = np.dtype(dtype).itemsize
    width = -(-columns * size // _LINE) * _LINE
    memory = np.empty(n * width + _LINE, dtype=np.uint8)
    start = -memory.ctypes.data % _LINE
    return memory[start : start + n * width].view(dtype).reshape(n, width // size)


def scores(X: Any, directions: Array, columns: int, span: slice, rows: Array | None) -> Array:
    """Return the scores `X[span] @ directions`, or those of the listed `rows[span]`: (m, columns), in the dtype of
    X.
    """
    require_span(span, len(X.indptr) - 1 if rows is None else len(rows))
    require_lines(directions, columns)
    out = np.empty((span.stop - span.start, columns), dtype=X.dtype)
    row_numbers = None if rows is None else (rows, np.int64)
    padded = (directions, X.dtype), directions.shape[1]
    call("scores", X, *padded, span, row_numbers, (out, X.dtype), columns)
    return out


def add_terms(terms: Any, coefficients: Array, span: slice, total: Array) -> None:
    """Add `(terms[span] @ coefficients).T` to the float64 `total[:, span]`."""
    columns, count = total.shape
    require(count < len(terms.indptr), "no such terms")
    require_span(span, count)
    require_lines(coefficients, columns)
    padded = (coefficients, terms.dtype), coefficients.shape[1]
    require_memory(call("add_terms", terms, *padded, span, (total, np.float64), columns, count))


def add_members(X: Any, edges: Array, members: Array, weights: Array, span: slice, total: Array) -> None:
    """Add the weighted sum of the members of cluster c to the float64 row `total[c]`, for each c in `span`."""
    require_span(span, len(total))
    require(len(edges) == len(total) + 1, "there must be one more edge than columns")
    require(len(members) == len(weights), "members and weights differ in length")
    members_of = (edges, np.int64), (members, np.int64), (weights, np.float64)
    call("add_members", X, *members_of, span, (total, np.float64), total.shape[1])


def correlate(terms: Any, x_terms: Array, x_values: Array, out: Array) -> None:
    """Add the product of every row with a sparse row to `out` (n,)."""
    require(len(x_terms) == len(x_values), "terms and values differ in length")
    call("correlate", terms, (x_terms, np.int64), (x_values, terms.dtype), len(x_terms), (out, terms.dtype))


def lay_out(W: Array, span: slice, out: Array) -> None:
    """Copy `W.T[span]` to `out[span]`, padded with zeros to the columns of `out`."""
    columns, terms = W.shape
    require(terms == len(out), "no such terms")
    require_span(span, terms)
    require_lines(out, columns)
    call(f"lay_out_{W.dtype}_{out.dtype}", (W, W.dtype), columns, terms, span, (out, out.dtype), out.shape[1])


def hinges(scores: Array, own: Array, weights: Array | None) -> Array:
    """Return the coefficients of the hinge losses, (m, c), from scores and the group of each row."""
    (m, columns), dtype = scores.shape, scores.dtype
    scores, own = np.ascontiguousarray(scores), np.ascontiguousarray(own, dtype=np.int32)
    weights = None if weights is None else np.ascontiguousarray(weights, dtype=dtype)
    require(len(own) == m, "the numbers of rows and columns differ")
    require(weights is None or len(weights) == m, "the numbers of rows and weights differ")
    require_within(own, columns, "a column is out of range")
    out = np.empty(scores.shape, dtype=dtype)
    own_weights = None if weights is None else (weights, dtype)
    call(f"hinges_{dtype}", (scores, dtype), (own, np.int32), own_weights, m, columns, (out, dtype))
    return out


def column_sums(values: Array) -> Array:
    """Return the sum of each column, (c,) float64."""
    if values.dtype not in (np.float32, np.float64):
        return np.asarray(values.sum(axis=0, dtype=np.float64))
    values, sums = np.ascontiguousarray(values), np.zeros(values.shape[1])
    call(f"column_sums_{values.dtype}", (values, values.dtype), *values.shape, (sums, np.float64))
    return sums


def highest(values: Array, count: int) -> tuple[Array, Array]:
    """Return the columns of the `count` highest positive values in each row, (m, count) int32, and these values,
    float32.
    """
    values, (m, n) = np.ascontiguousarray(values, dtype=np.float32), values.shape
    require(count > 0 and n < 1 << 31, "the number of columns is invalid")
    index, products = np.empty((m, count), dtype=np.int32), np.empty((m, count), dtype=np.float32)
    call("highest_float32", (values, np.float32), m, n, count, (index, np.int32), (products, np.float32))
    return index, products


def tsne_slope(indptr: Array, indices: Array, places: Array, pull: float) -> Array:
    """Return the gradient of t-SNE, (2, m) float32, at `places` (2, m) whose neighbours attract by `pull`."""
    m = places.shape[1]
    require(places.shape[0] == 2 and len(indptr) == m + 1 and indptr[-1] == len(indices), "the shapes do not match")
    slope = np.zeros((2, m), dtype=np.float32)
    x, y, gx, gy = ((row, np.float32) for row in (*places, *slope))
    call("tsne_slope_float32", (indptr, np.int32), (indices, np.int32), x, y, m, ctypes.c_float(pull), gx, gy)
    return slope


# --- Nearest rows and local search, for which SciPy has no functions of the same form


def take_pairs(X: Any, terms: Any, span: slice, index: Array, products: Array, bound: Array) -> None:
    """Multiply the rows of a span of a CSR matrix X (n, d) with all later rows, and update the nearest neighbours of
    both.

    `index` and the float32 `products` (n, count) hold the nearest rows so far, -1 and 0 for none, and `bound` (n,) the
    lowest product of a row; `terms` is the transpose of X, in the order of its rows.
    """
    (n, d), count, kind = X.shape, products.shape[1], X.indices.dtype
    require(terms.shape == (d, n) and len(terms.data) == len(X.data), "the transpose has the wrong shape")
    require_span(span, n)
    require(n < 1 << 31 and count > 0, "the number of rows is invalid")
    require(index.shape == products.shape == (n, count) and len(bound) == n, "the result has the wrong shape")
    lists = (terms.indptr, kind), (terms.indices, kind), (terms.data, X.dtype)
    result = (index, np.int32), (products, np.float32), (bound, np.float32)
    require_memory(call("take_pairs", X, *lists, n, d, span, count, *result))


Sums = tuple[Array, Array, Array, Array]
"""Of k clusters: the sums (k, d) of their rows, the norms of the sums, and the numbers of rows and of nonzero rows."""


def dense_block(X: Array, products: Array, half: Array, labels: Array, state: Sums, least: float) -> int:
    """Visit the rows of a block in order; move each row to its best cluster if that raises Q by more than `least`.

    `products` (m, k) are those with the sums on entry. Returns the number of moves.
    """
    (m, d), dtype, (sums, norms, count, live) = X.shape, X.dtype, state
    k = len(sums)
    require(products.shape == (m, k) and len(half) == len(labels) == m, "the block has the wrong shape")
    require(sums.shape[1] == d and len(norms) == len(count) == len(live) == k, "the sums have the wrong shape")
    block = (X, dtype), (products, dtype), (half, dtype), (labels, np.int32), m
    groups = (sums, dtype), (norms, np.float64), (count, np.int64), (live, np.int64), d, ctypes.c_int32(k)
    return int(call(f"dense_block_{dtype}", *block, *groups, float(least), result=ctypes.c_int64))


def dense_halve(X: Array, rows: Array, rng: Rng, *, sweeps: int, tol: float, least: float) -> tuple[Array, Array]:
    """Split `rows` (m,) of X in two by at most `sweeps` from random halves; stop if one gains at most `tol` of Q.

    Returns the mask of the second half, (m,), and Q of both halves and of all rows as one cluster, (2,).
    """
    require_within(rows, len(X), "a row is out of range")
    right, q, numbers = np.empty(len(rows), dtype=np.bool_), np.empty(2), rng.bit_generator.ctypes
    matrix = (X, X.dtype), (rows, np.int64), len(rows), X.shape[1]
    limits, result = (ctypes.c_int32(sweeps), tol, least), ((right, np.bool_), (q, np.float64))
    require_memory(call(f"dense_halve_{X.dtype}", *matrix, numbers.state, numbers.next_uint32, *limits, *result))
    return right, q


class LocalSearch:
    """A partition of sparse rows that changes by single moves (see `solve.local_search`)."""

    def __init__(self, X: Any, labels: Array, k: int, most: int) -> None:
        self._n, self._k, self._level = len(labels), k, level()
        require(len(X.indptr) == self._n + 1, "the numbers of labels and rows differ")
        require_within(labels, k, "a label lies outside 0 .. k - 1")
        self._types, self._X = _types(X), X  # the search reads the arrays during its lifetime
        size = self._n, X.shape[1], ctypes.c_int32(k)
        arguments = *size, (labels, np.int32), most
        search = call("search_open", X, *arguments, result=ctypes.c_void_p, level=self._level)
        require_memory(search)
        self._search = ctypes.c_void_p(search)

    def __del__(self) -> None:
        if getattr(self, "_search", None):
            self._call("close")

    @property
    def objective(self) -> float:
        """The objective Q, updated with each move."""
        return float(self._call("objective", result=ctypes.c_double))

    @property
    def labels(self) -> Array:
        """A copy of the labels."""
        labels = self._call("labels", result=ctypes.POINTER(ctypes.c_int32))
        return np.ctypeslib.as_array(labels, (self._n,)).copy()

    def batch(self) -> int:
        """Move every row to its nearest concept vector."""
        moved = ctypes.c_int64()
        require_memory(self._call("batch", ctypes.byref(moved)))
        return moved.value

    def sweep(self, order: Array, least: float) -> int:
        """Visit the rows in `order`; move each row to its best cluster."""
        require_within(order, self._n, "the order contains a row that does not exist")
        moved = ctypes.c_int64()
        rows = (order, np.int32), len(order)
        require_memory(self._call("sweep", *rows, float(least), ctypes.byref(moved)))
        return moved.value

    def chain(self, length: int) -> tuple[Array, int]:
        """Make a chain of the best moves, each row at most once; undo the moves after the best prefix."""
        totals, moves, kept = np.empty(max(0, min(length, self._n))), ctypes.c_int64(), ctypes.c_int64()
        numbers = (totals, np.float64), ctypes.byref(moves), ctypes.byref(kept)
        require_memory(self._call("chain", len(totals), *numbers))
        return totals[: moves.value], kept.value

    def _call(self, verb: str, *arguments: Any, result: Any = ctypes.c_int32) -> Any:
        return call(f"search_{verb}{self._types}", self._search, *arguments, result=result, level=self._level)


# --- Words of texts


class Words:
    """The distinct word forms of texts, and their numbers in the order of appearance.

    `classes` (0x110000,) uint8 are the classes of all code points: sign, letter, mark, digit, white space, line break.
    With `numbers`, digits are letters.
    """

    def __init__(self, classes: Array, numbers: bool) -> None:
        require(classes.shape == (0x110000,), "the classes have the wrong shape")
        self._classes, self._numbers = classes, ctypes.c_int32(numbers)
        self._words = ctypes.c_void_p(call("words_open", result=ctypes.c_void_p))
        require_memory(self._words)

    def __del__(self) -> None:
        if getattr(self, "_words", None):
            call("words_close", self._words)

    def add(self, texts: list[bytes]) -> tuple[Array, Array, Array, Array, Array]:
        """Split texts in UTF-8; return the numbers of the words, int32, the kinds of the gaps before them, uint8, the
        ends of the texts in these, int64, the keys of the lines, and the ends of the texts in the keys, int64.

        A key is 0 for a blank line, 1 for a line of fewer than 10 characters, else a hash. Runs of spaces are one
        space.
        """
        text, n = b"".join(texts), len(texts)
        ends = np.cumsum(np.fromiter(map(len, texts), np.int64, n))
        words, gaps = np.empty(len(text) // 2 + n, dtype=np.int32), np.empty(len(text) // 2 + n, dtype=np.uint8)
        lines = np.empty(len(text) + n, dtype=np.int64)
        word_ends, line_ends = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
        given = ctypes.c_char_p(text), (ends, np.int64), n, (self._classes, np.uint8), self._numbers
        outputs = (words, np.int32), (gaps, np.uint8), (word_ends, np.int64)
        keys = (lines, np.int64), (line_ends, np.int64)
        require_memory(call("words_add", self._words, *given, *outputs, *keys))
        m = int(word_ends[-1]) if n else 0
        lines = lines[: line_ends[-1]] if n else lines
        return words[:m].copy(), gaps[:m].copy(), word_ends, lines.copy(), line_ends

    def forms(self) -> list[str]:
        """Return the word forms by number."""
        size = ctypes.c_int64()
        letters = call("words_letters", self._words, ctypes.byref(size), result=ctypes.c_void_p)
        forms = ctypes.string_at(letters, size.value)[:-1] if size.value else b""
        return forms.decode("utf-8", "surrogatepass").split("\n") if forms else []
