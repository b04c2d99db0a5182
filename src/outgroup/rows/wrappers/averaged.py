"""Rows averaged with their neighbours, beside the same rows as they came."""

from __future__ import annotations

from typing import Any

from ...errors import InputError
from ...types import Array
from ..seam import Rows, Rule


class AveragedRows:
    """Rows averaged with their neighbours that know the `original` ones (see `Rows`).

    Each verb passes over the averaged rows: groups are found among these. What is off-topic is told from the originals,
    into which nothing is mixed that lies beside them (docs/decisions/0010-set-aside-then-fit-again.md).

    Parameters
    ----------
    rows : Rows
        The averaged ones.
    original : Rows
        The same rows as they came.

    Raises
    ------
    InputError
        The two have other shapes.

    Examples
    --------
    >>> import numpy as np
    >>> from outgroup.rows import as_rows
    >>> rows = AveragedRows(as_rows([[0.8, 0.6], [0.6, 0.8]]), as_rows(np.eye(2)))
    >>> rows.take(np.array([0])).tolist(), rows.original.take(np.array([0])).tolist()
    ([[0.8, 0.6]], [[1.0, 0.0]])
    """

    def __init__(self, rows: Rows, original: Rows) -> None:
        if rows.shape != original.shape:
            raise InputError(f"averaged rows have shape {rows.shape}, and as they came {original.shape}; give the same")
        self.rows = rows
        self.original = original
        self.shape = rows.shape
        self.dtype = rows.dtype

    def fold(self, W: Array | None, rule: Rule, *each: Array, on: Array | None = None) -> tuple[Array, Any]:
        return self.rows.fold(W, rule, *each, on=on)

    def map(self, W: Array | None, rule: Rule, *each: Array, on: Array | None = None) -> Any:
        return self.rows.map(W, rule, *each, on=on)

    def take(self, index: Array) -> Array:
        return self.rows.take(index)

    def correlate(self, x: Any) -> Array:
        return self.rows.correlate(x)

    def squares(self) -> Array:
        return self.rows.squares()

    def local(self) -> Any:
        return self.rows.local()


def original_of(rows: Rows) -> Rows:
    """Return rows as they came: of averaged ones the originals, of others themselves.

    Parameters
    ----------
    rows : Rows

    Returns
    -------
    Rows

    Examples
    --------
    >>> from outgroup.rows import as_rows
    >>> rows = as_rows([[1.0, 0.0]])
    >>> original_of(AveragedRows(rows, rows)) is rows and original_of(rows) is rows
    True
    """
    return rows.original if isinstance(rows, AveragedRows) else rows
