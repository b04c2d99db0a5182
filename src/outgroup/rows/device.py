"""Rows on a graphics card, as PyTorch tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..errors import InputError, required
from ..stopping import stop_if_asked
from ..types import Array
from .base import OneHot, Rule, check_columns, correlated
from .blocks import add_up, checked_directions, checked_subset, inside, join, spans
from .matrix import as_rows, is_rows
from .wrappers import AveragedRows

# --- Rows on a graphics card: products and rules run there, n x k scores never leave it

Task = Callable[[Any, Any, list[Any]], Any]
"""A function of a block, the row numbers in it (None: all), and their state."""

_BLOCK_ROWS = 1 << 16  # rows with scores on the device at a time: 262 MB for 1,000 groups in single precision
_MOST_ENTRIES = (1 << 31) - 1  # of a block: its indices have 32 bits


def device_rows(X: Any, device: str = "cuda", dtype: Any = np.float32) -> DeviceRows:
    """Return the rows of a matrix in memory on a graphics card.

    Parameters
    ----------
    X : array or sparse matrix (n, d), or `Rows` in memory
    device : str, default "cuda"
        A device of PyTorch: "cuda", "cuda:1", or "cpu" for tests.
    dtype : float32 or float64, default float32
        Consumer cards are about 30 times slower in float64.

    Returns
    -------
    DeviceRows

    Raises
    ------
    InputError
        There is no such device, or it has too little memory; or `X` is not in memory.
    MissingExtraError
        PyTorch is not installed.

    Examples
    --------
    >>> device_rows(np.eye(2), "cpu").take(np.array([1])).tolist()  # doctest: +SKIP
    [[0.0, 1.0]]
    """
    torch, matrix = torch_(), as_rows(X).local()
    if matrix is None:
        raise InputError(f"{type(X).__name__} is not in memory: give an array or a sparse matrix")
    return DeviceRows(matrix.astype(dtype, copy=False), _checked_device(torch, device))


class DeviceRows:
    """The rows of a matrix on a device (see `Rows`); `device_rows` makes them.

    The matrix fixes the blocks. It stays in host memory, too, for `take`; `local()` is None, so that a fit starts from
    a sample, as with rows in files, and then runs on the device.
    """

    def __init__(self, matrix: Any, device: Any) -> None:
        self._matrix, self._device = matrix, device
        self.shape: tuple[int, int] = matrix.shape
        self.dtype: np.dtype[Any] = matrix.dtype
        self._float = getattr(torch_(), self.dtype.name)
        with _enough_memory(device):
            self._blocks = [(span, DeviceBlock(matrix[span], self._there)) for span in _spans(matrix)]

    def fold(self, W: Array | None, rule: Rule, *state: Array, on: Array | None = None) -> tuple[Array, Any]:
        total, tallies = None, []

        def summed(block: Any, rows: Any, state: list[Any]) -> tuple[Any, Any]:
            coefficients, tally = rule(_scores(block, directions, rows), *state)
            return block.sums(self._spread(coefficients, rows, block.n)), _host(tally)

        with _enough_memory(self._device):
            directions = self._directions(W)
            for sums, tally in self._pass(summed, state, on):
                total = sums.double() if total is None else total.add_(sums)
                tallies.append(tally)
        return np.ascontiguousarray(_host(total).T), add_up(tallies)

    def map(self, W: Array | None, rule: Rule, *state: Array, on: Array | None = None) -> Any:
        def mapped(block: Any, rows: Any, state: list[Any]) -> Any:
            return _host(rule(_scores(block, directions, rows), *state))

        with _enough_memory(self._device):
            directions = self._directions(W)
            return join(list(self._pass(mapped, state, on)))

    def take(self, index: Array) -> Array:
        rows = self._matrix[index]
        return np.array(rows.toarray() if sp.issparse(rows) else rows)

    def correlate(self, x: Any) -> Array:
        return correlated(self, x)

    def squares(self) -> Array:
        return as_rows(self._matrix).squares()

    def local(self) -> None:
        """Return None: local search uses a sample, and passes run on the device."""

    def _directions(self, W: Array | None) -> Any:
        return None if W is None else self._there(checked_directions(W, self.shape[1]).T, self._float)

    def _pass(self, task: Task, state: tuple[Array, ...], on: Array | None) -> Iterator[Any]:
        """Yield a task's result for each block with rows in `on`; at least for one block."""
        rows = checked_subset(on, self.shape[0])
        blocks = self._blocks
        if rows is not None:
            blocks = [block for block in blocks if len(inside(rows, block[0]))] or blocks[:1]
        for span, block in blocks:
            stop_if_asked()
            place: Any = span if rows is None else inside(rows, span)
            local = None if rows is None else self._there(place - span.start)
            yield task(block, local, [self._there(np.asarray(values)[place]) for values in state])

    def _spread(self, coefficients: Any, rows: Any, n: int) -> Any:
        """Return coefficients as a tensor (n, columns), with zeros for rows of the block that are not in `rows`."""
        values = self._one_hot(coefficients) if isinstance(coefficients, OneHot) else self._there(coefficients)
        values = values.to(self._float)
        if rows is None:
            return values
        spread = values.new_zeros((n, values.shape[1]))
        spread[rows] = values
        return spread

    def _one_hot(self, coefficients: OneHot) -> Any:
        columns = self._there(coefficients.columns).long()
        check_columns(int(columns.max()) if len(columns) else -1, coefficients.n_columns)
        weights = (columns >= 0).to(self._float)
        if coefficients.weights is not None:
            weights = weights * self._there(coefficients.weights).to(self._float)
        empty = weights.new_zeros((len(columns), coefficients.n_columns))
        return empty.scatter_(1, columns.clamp(min=0)[:, None], weights[:, None])

    def _there(self, values: Any, dtype: Any = None) -> Any:
        """Return an array as a tensor on the device; tensors on the device are unchanged."""
        torch = torch_()
        if torch.is_tensor(values):
            return values.to(self._device)
        return torch.tensor(np.ascontiguousarray(values), dtype=dtype, device=self._device)


@contextmanager
def _enough_memory(device: Any) -> Iterator[None]:
    """Raise InputError if a `with` block exceeds the memory of the device."""
    try:
        yield
    except torch_().OutOfMemoryError as error:
        problem = f"{device} has too little memory for the rows, and the directions and scores of so many groups"
        raise InputError(f"{problem}: use another device or none, fewer groups, or fewer words") from error


def _scores(block: Any, directions: Any, rows: Any) -> Any:
    """Return the scores of a block, or of some of its rows; None without directions."""
    if directions is None:
        return None
    scores = block.scores(directions)
    return scores if rows is None else scores[rows]


def _spans(matrix: Any) -> list[slice]:
    """Split the rows into blocks with limited rows and fewer than 2^31 entries."""
    (n, d), edges = matrix.shape, [0]
    while edges[-1] < n:
        first = edges[-1]
        if sp.issparse(matrix):
            most = int(np.searchsorted(matrix.indptr, matrix.indptr[first] + np.int64(_MOST_ENTRIES), "right")) - 1
        else:
            most = first + _MOST_ENTRIES // max(d, 1)
        edges.append(min(n, first + _BLOCK_ROWS, max(most, first + 1)))
    return spans(edges)


def _host(value: Any) -> Any:
    """Return the result of a rule, with its tensors converted to NumPy arrays."""
    if isinstance(value, tuple):
        return tuple(_host(part) for part in value)
    return value.cpu().numpy() if torch_().is_tensor(value) else value


def _checked_device(torch: Any, device: str) -> Any:
    try:
        place = torch.device(device)
    except RuntimeError:
        place = None
    if place is None or place.type not in ("cuda", "cpu"):
        raise InputError(f"{device!r:.40} is not a valid device: give cuda, a card's number such as cuda:1, or cpu")
    if place.type == "cpu":
        return place
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if not count:
        raise InputError(
            f"PyTorch {torch.__version__} finds no graphics card: omit the device to use the processor, or install a "
            "driver and a matching PyTorch (pytorch.org)"
        )
    if place.index is not None and place.index >= count:
        raise InputError(f"there is no {place}: the cards are cuda:0 to cuda:{count - 1}")
    return place


_chosen: ContextVar[str | None] = ContextVar("device", default=None)


@contextmanager
def fits_on(device: str | None) -> Iterator[None]:
    """Move the rows of all fits in a `with` block to a device; None changes nothing.

    Raises the errors of `device_rows` at once.
    """
    if device is not None:
        _checked_device(torch_(), device)
    before = _chosen.set(device)
    try:
        yield
    finally:
        _chosen.reset(before)


def placed(X: Any) -> Any:
    """Move a matrix, or averaged rows, to the device of the current `fits_on` block, if there is one."""
    device = _chosen.get()
    if device is not None and isinstance(X, AveragedRows):
        return AveragedRows(*(placed(rows.local()) for rows in (X.rows, X.original)))
    return X if device is None or is_rows(X) else device_rows(X, device)


# --- A block of rows as tensors of PyTorch: its products with directions, and the sums of its rows
#
# Sparse rows are stored by rows and by terms, so that neither product is transposed: cuSPARSE adds up a transposed
# product in any order, and PyTorch does not fix the order of its sparse product. Here a row of a product is a weighted
# sum of rows of the other operand, `embedding_bag`, in which one thread adds up each number in the order of entries.

_PIECE = 512  # entries added up by one thread, to balance very frequent words


class DeviceBlock:
    """A block of rows on a device."""

    def __init__(self, X: Any, there: Callable[..., Any]) -> None:
        self.n = X.shape[0]
        if sp.issparse(X):
            self._by_row, self._by_term = _Bags(X, there), _Bags(X.T.tocsr(), there)
        else:
            rows = there(X)
            self._by_row, self._by_term = rows, rows.T

    def scores(self, directions: Any) -> Any:
        return self._by_row @ directions

    def sums(self, coefficients: Any) -> Any:
        """Return the sums of the rows (d, columns), weighted by coefficients (n, columns)."""
        return self._by_term @ coefficients


class _Bags:
    """A CSR matrix on a device; each row is a bag of entries, and long rows are split and summed in a second step."""

    def __init__(self, X: Any, there: Callable[..., Any]) -> None:
        counts = np.maximum(1, -(-np.diff(X.indptr) // _PIECE))
        ends = np.concatenate([[0], np.cumsum(counts)])
        place = np.arange(ends[-1]) - np.repeat(ends[:-1], counts)
        edges = np.append(np.repeat(X.indptr[:-1], counts) + _PIECE * place, X.indptr[-1])
        self._columns, self._values = there(X.indices.astype(np.int32)), there(X.data)
        self._edges, split = there(edges.astype(np.int32)), bool((counts > 1).any())
        self._ends = (there(np.arange(ends[-1], dtype=np.int32)), there(ends.astype(np.int32))) if split else None

    def __matmul__(self, dense: Any) -> Any:
        """Return the product with a tensor (columns of the matrix, c)."""
        bag = partial(torch_().nn.functional.embedding_bag, mode="sum", include_last_offset=True)
        product = bag(self._columns, dense, self._edges, per_sample_weights=self._values)
        return product if self._ends is None else bag(self._ends[0], product, self._ends[1])


def torch_() -> Any:
    required("array_api_compat", "gpu", "rows on a device require PyTorch")  # finds the library of scores in rules
    return required("torch", "gpu", "rows on a device require PyTorch")
