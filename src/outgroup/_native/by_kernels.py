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
    (np.dtype(values), np.dtype(indices)): f"{values}_{indices}"
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
    """Call a function of the library; pass arguments as ctypes values, because ctypes cuts plain integers to 32
    bits.
    """
    return _function(name, result, _level if level is None else level)(*arguments)


@cache  # a look-up takes longer than some calls; a type of result has its own function object, also in other threads
def _function(name: str, result: Any, level: InstructionSet) -> Any:
    function = _libraries[level][name]
    function.restype = result
    return function


number = ctypes.c_int64


def matrix(X: Any) -> tuple[str, tuple[Any, ...]]:
    """Return the suffix of the kernels for the dtypes of a CSR matrix, and its arrays as kernel arguments."""
    indptr, indices, data = X.indptr, X.indices, X.data
    require(len(indices) == len(data), "indices and data differ in length")
    arrays = (address(indptr, indices.dtype), address(indices, indices.dtype), address(data, data.dtype))
    name = _MATRICES.get((data.dtype, indices.dtype))
    if name is None:
        raise TypeError(f"the kernels do not take values of {data.dtype} with indices of {indices.dtype}")
    return name, (*arrays, number(len(data)))


def address(values: Array, dtype: Any) -> Any:
    if values.dtype != dtype or not values.flags.c_contiguous:
        raise TypeError(f"an array of {np.dtype(dtype)} in C order is needed; this one is of {values.dtype}")
    return ctypes.c_void_p(values.ctypes.data)


def require(holds: bool, problem: str) -> None:
    if not holds:
        raise ValueError(problem)


def require_lines(padded: Array) -> None:
    require(padded.strides[0] % _LINE == 0, "the rows of the matrix are not padded to whole cache lines")


def require_within(numbers: Array, end: int, problem: str) -> None:
    require(len(numbers) == 0 or (numbers.min() >= 0 and numbers.max() < end), problem)


def span_in(span: slice, end: int, problem: str) -> tuple[Any, Any]:
    """Return both ends of a span as arguments; raise ValueError unless it lies within 0 to `end`."""
    require(0 <= span.start <= span.stop <= end, problem)
    return number(span.start), number(span.stop)


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
    ends = span_in(span, len(X.indptr) - 1 if rows is None else len(rows), "the span exceeds the rows")
    require(directions.shape[1] >= columns, "the directions have the wrong shape")
    require_lines(directions)
    name, x = matrix(X)
    out = np.empty((span.stop - span.start, columns), dtype=X.dtype)
    row_numbers = None if rows is None else address(rows, np.int64)
    padded = (address(directions, X.dtype), number(directions.shape[1]))
    call(f"scores_{name}", *x, *padded, *ends, row_numbers, address(out, X.dtype), number(columns))
    return out


def add_terms(terms: Any, coefficients: Array, span: slice, total: Array) -> None:
    """Add `(terms[span] @ coefficients).T` to the float64 `total[:, span]`."""
    columns, count = total.shape
    require(count < len(terms.indptr), "no such terms")
    ends = span_in(span, count, "no such terms")
    require(coefficients.shape[1] >= columns, "there are fewer columns of coefficients than needed")
    require_lines(coefficients)
    name, x = matrix(terms)
    padded = (address(coefficients, terms.dtype), number(coefficients.shape[1]))
    sums = (address(total, np.float64), number(columns), number(count))
    require_memory(call(f"add_terms_{name}", *x, *padded, *ends, *sums))


def add_members(X: Any, edges: Array, members: Array, weights: Array, span: slice, total: Array) -> None:
    """Add the weighted sum of the members of cluster c to the float64 row `total[c]`, for each c in `span`."""
    ends = span_in(span, len(total), "no such columns")
    require(len(edges) == len(total) + 1, "there must be one more edge than columns")
    require(len(members) == len(weights), "members and weights differ in length")
    name, x = matrix(X)
    members_of = (address(edges, np.int64), address(members, np.int64), address(weights, np.float64))
    call(f"add_members_{name}", *x, *members_of, *ends, address(total, np.float64), number(total.shape[1]))


def correlate(terms: Any, x_terms: Array, x_values: Array, out: Array) -> None:
    """Add the product of every row with a sparse row to `out` (n,)."""
    require(len(x_terms) == len(x_values), "terms and values differ in length")
    name, x = matrix(terms)
    row = (address(x_terms, np.int64), address(x_values, terms.dtype), number(len(x_terms)))
    call(f"correlate_{name}", *x, *row, address(out, terms.dtype))


def lay_out(W: Array, span: slice, out: Array) -> None:
    """Copy `W.T[span]` to `out[span]`, padded with zeros to the columns of `out`."""
    columns, terms = W.shape
    require(terms == len(out), "no such terms")
    ends = span_in(span, terms, "no such terms")
    require(out.shape[1] >= columns, "the output is too small for the directions")
    require_lines(out)
    directions = (address(W, W.dtype), number(columns), number(terms), *ends)
    call(f"lay_out_{W.dtype}_{out.dtype}", *directions, address(out, out.dtype), number(out.shape[1]))


def hinges(scores: Array, own: Array, weights: Array | None) -> Array:
    """Return the coefficients of the hinge losses, (m, c), from scores and the group of each row."""
    (m, columns), dtype = scores.shape, scores.dtype
    scores, own = np.ascontiguousarray(scores), np.ascontiguousarray(own, dtype=np.int32)
    weights = None if weights is None else np.ascontiguousarray(weights, dtype=dtype)
    require(len(own) == m, "the numbers of rows and columns differ")
    require(weights is None or len(weights) == m, "the numbers of rows and weights differ")
    require_within(own, columns, "a column is out of range")
    out = np.empty(scores.shape, dtype=dtype)
    weights_address = None if weights is None else address(weights, dtype)
    arguments = (address(scores, dtype), address(own, np.int32), weights_address, number(m), number(columns))
    call(f"hinges_{dtype}", *arguments, address(out, dtype))
    return out


def column_sums(values: Array) -> Array:
    """Return the sum of each column, (c,) float64."""
    if values.dtype not in (np.float32, np.float64):
        return np.asarray(values.sum(axis=0, dtype=np.float64))
    values, (m, columns) = np.ascontiguousarray(values), values.shape
    sums = np.zeros(columns)
    arguments = (address(values, values.dtype), number(m), number(columns))
    call(f"column_sums_{values.dtype}", *arguments, address(sums, np.float64))
    return sums


def highest(values: Array, count: int) -> tuple[Array, Array]:
    """Return the columns of the `count` highest positive values in each row, (m, count) int32, and these values,
    float32.
    """
    values, (m, n) = np.ascontiguousarray(values, dtype=np.float32), values.shape
    require(count > 0 and n < 1 << 31, "the number of columns is invalid")
    index, products = np.empty((m, count), dtype=np.int32), np.empty((m, count), dtype=np.float32)
    arguments = (address(values, np.float32), number(m), number(n), number(count))
    call("highest_float32", *arguments, address(index, np.int32), address(products, np.float32))
    return index, products


def tsne_slope(indptr: Array, indices: Array, places: Array, pull: float) -> Array:
    """Return the gradient of t-SNE, (2, m) float32, at `places` (2, m) whose neighbours attract by `pull`."""
    m = places.shape[1]
    require(places.shape[0] == 2 and len(indptr) == m + 1 and indptr[-1] == len(indices), "the shapes do not match")
    slope = np.zeros((2, m), dtype=np.float32)
    graph = (address(indptr, np.int32), address(indices, np.int32))
    x, y, gx, gy = (address(row, np.float32) for row in (*places, *slope))
    call("tsne_slope_float32", *graph, x, y, number(m), ctypes.c_float(pull), gx, gy)
    return slope


# --- Nearest rows and local search, for which SciPy has no functions of the same form


def take_pairs(X: Any, terms: Any, span: slice, index: Array, products: Array, bound: Array) -> None:
    """Multiply the rows of a span of a CSR matrix X (n, d) with all later rows, and update the nearest neighbours of
    both.

    `index` and the float32 `products` (n, count) hold the nearest rows so far, -1 and 0 for none, and `bound` (n,) the
    lowest product of a row; `terms` is the transpose of X, in the order of its rows.
    """
    (n, d), count = X.shape, products.shape[1]
    require(terms.shape == (d, n) and len(terms.data) == len(X.data), "the transpose has the wrong shape")
    ends = span_in(span, n, "the span exceeds the rows")
    require(n < 1 << 31 and count > 0, "the span exceeds the rows")
    require(index.shape == products.shape == (n, count) and len(bound) == n, "the result has the wrong shape")
    name, x = matrix(X)
    kind = X.indices.dtype
    lists = (address(terms.indptr, kind), address(terms.indices, kind), address(terms.data, X.dtype))
    numbers = (number(n), number(d), *ends, number(count))
    result = (address(index, np.int32), address(products, np.float32), address(bound, np.float32))
    require_memory(call(f"take_pairs_{name}", *x, *lists, *numbers, *result))


Sums = tuple[Array, Array, Array, Array]
"""Of k clusters: the sums (k, d) of their rows, the norms of the sums, and the numbers of rows and of nonzero rows."""


def dense_block(X: Array, products: Array, half: Array, labels: Array, state: Sums, least: float) -> int:
    """Visit the rows of a block in order; move each row to its best cluster if that raises Q by more than `least`.

    `products` (m, k) are those with the sums on entry. Returns the number of moves.
    """
    m, d = X.shape
    require(products.shape == (m, len(state[0])) and len(half) == len(labels) == m, "the block has the wrong shape")
    block = (address(X, X.dtype), address(products, X.dtype), address(half, X.dtype), address(labels, np.int32))
    arguments = (*block, number(m), *_sums(state, d, X.dtype), ctypes.c_double(least))
    return int(call(f"dense_block_{X.dtype}", *arguments, result=ctypes.c_int64))


def _sums(state: Sums, d: int, dtype: Any) -> tuple[Any, ...]:
    sums, norms, count, live = state
    k = len(sums)
    require(sums.shape[1] == d and len(norms) == len(count) == len(live) == k, "the sums have the wrong shape")
    numbers = (address(norms, np.float64), address(count, np.int64), address(live, np.int64))
    return (address(sums, dtype), *numbers, number(d), ctypes.c_int32(k))


def dense_halve(X: Array, rows: Array, rng: Rng, *, sweeps: int, tol: float, least: float) -> tuple[Array, Array]:
    """Split `rows` (m,) of X in two by at most `sweeps` from random halves; stop if one gains at most `tol` of Q.

    Returns the mask of the second half, (m,), and Q of both halves and of all rows as one cluster, (2,).
    """
    require_within(rows, len(X), "a row is out of range")
    right, q, numbers = np.empty(len(rows), dtype=np.bool_), np.empty(2), rng.bit_generator.ctypes
    matrix = (address(X, X.dtype), address(rows, np.int64), number(len(rows)), number(X.shape[1]))
    limits = (ctypes.c_int32(sweeps), ctypes.c_double(tol), ctypes.c_double(least))
    result = (address(right, np.bool_), address(q, np.float64))
    require_memory(call(f"dense_halve_{X.dtype}", *matrix, numbers.state, numbers.next_uint32, *limits, *result))
    return right, q


class LocalSearch:
    """A partition of sparse rows that changes by single moves (see `solve.local_search`)."""

    def __init__(self, X: Any, labels: Array, k: int, most: int) -> None:
        self._n, self._k, self._level = len(labels), k, level()
        require(len(X.indptr) == self._n + 1, "the numbers of labels and rows differ")
        require_within(labels, k, "a label lies outside 0 .. k - 1")
        self._name, x = matrix(X)
        self._arrays = (X.indptr, X.indices, X.data)  # the search reads them during its lifetime
        size = (number(self._n), number(X.shape[1]), ctypes.c_int32(k))
        self._search = self._call("open", *x, *size, address(labels, np.int32), number(most), result=ctypes.c_void_p)
        require_memory(self._search)

    def __del__(self) -> None:
        if getattr(self, "_search", None):
            self._call("close", self._search)

    @property
    def objective(self) -> float:
        """The objective Q, updated with each move."""
        return float(self._call("objective", self._search, result=ctypes.c_double))

    @property
    def labels(self) -> Array:
        """A copy of the labels."""
        labels = self._call("labels", self._search, result=ctypes.POINTER(ctypes.c_int32))
        return np.ctypeslib.as_array(labels, (self._n,)).copy()

    def batch(self) -> int:
        """Move every row to its nearest concept vector."""
        moved = ctypes.c_int64()
        require_memory(self._call("batch", self._search, ctypes.byref(moved)))
        return moved.value

    def sweep(self, order: Array, least: float) -> int:
        """Visit the rows in `order`; move each row to its best cluster."""
        require_within(order, self._n, "the order contains a row that does not exist")
        moved, rows = ctypes.c_int64(), (address(order, np.int32), number(len(order)))
        require_memory(self._call("sweep", self._search, *rows, ctypes.c_double(least), ctypes.byref(moved)))
        return moved.value

    def chain(self, length: int) -> tuple[Array, int]:
        """Make a chain of the best moves, each row at most once; undo the moves after the best prefix."""
        totals, moves, kept = np.empty(max(0, min(length, self._n))), ctypes.c_int64(), ctypes.c_int64()
        numbers = (address(totals, np.float64), ctypes.byref(moves), ctypes.byref(kept))
        require_memory(self._call("chain", self._search, number(len(totals)), *numbers))
        return totals[: moves.value], kept.value

    def gains(self, row: int) -> Array:
        """Return the change of Q for a move of the row to each cluster, (k,)."""
        require(0 <= row < self._n, "a row is out of range")
        result = np.empty(self._k)
        self._call("gains", self._search, number(row), address(result, np.float64))
        return result

    def _call(self, verb: str, *arguments: Any, result: Any = ctypes.c_int32) -> Any:
        value = call(f"search_{verb}_{self._name}", *arguments, result=result, level=self._level)
        return ctypes.c_void_p(value) if result is ctypes.c_void_p else value


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
        arguments = (ctypes.c_char_p(text), address(ends, np.int64), number(n), address(self._classes, np.uint8))
        outputs = (address(words, np.int32), address(gaps, np.uint8), address(word_ends, np.int64))
        keys = (address(lines, np.int64), address(line_ends, np.int64))
        require_memory(call("words_add", self._words, *arguments, self._numbers, *outputs, *keys))
        m = int(word_ends[-1]) if n else 0
        lines = lines[: line_ends[-1]] if n else lines
        return words[:m].copy(), gaps[:m].copy(), word_ends, lines.copy(), line_ends

    def forms(self) -> list[str]:
        """Return the word forms by number."""
        size = ctypes.c_int64()
        letters = call("words_letters", self._words, ctypes.byref(size), result=ctypes.c_void_p)
        forms = ctypes.string_at(letters, size.value)[:-1] if size.value else b""
        return forms.decode("utf-8", "surrogatepass").split("\n") if forms else []
