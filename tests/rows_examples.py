"""Rows that tests share: many small blocks, a class that somebody else wrote, and the one of docs/add_a_backend.md."""

import re
import sqlite3
import tempfile
from contextlib import ExitStack, contextmanager
from functools import cache, reduce
from pathlib import Path
from unittest import mock

import numpy as np

from outgroup.rows import OneHot, device, matrix, sparse
from outgroup.rows import device as tensors


@contextmanager
def small_pieces(rows=3, entries=4):
    """Cut even small matrices into many blocks and chunks."""
    with ExitStack() as stack:
        patched = mock.patch.multiple
        stack.enter_context(patched(sparse, _BLOCK_ROWS=rows, _ENTRIES_A_TERM=0.01, _CHUNK=entries))
        stack.enter_context(patched(matrix, _BLOCK=entries * 8, _LEAST_ROWS=1))
        stack.enter_context(patched(device, _BLOCK_ROWS=rows))
        stack.enter_context(patched(tensors, _PIECE=entries))
        yield


@cache
def page():
    """The names that the code of docs/add_a_backend.md defines."""
    text = (Path(__file__).parents[1] / "docs" / "add_a_backend.md").read_text(encoding="utf-8")
    names = {}
    exec(re.search(r"```python\n(.*?)```", text, re.DOTALL)[1], names)
    return names


@cache
def _folder():
    return tempfile.TemporaryDirectory()  # emptied when the tests end


def sqlite_rows(D, block_rows=5):
    """The page's rows over the entries of a dense array that are not zero."""
    D = np.asarray(D, dtype=float)
    path = tempfile.mktemp(dir=_folder().name)
    with sqlite3.connect(path, isolation_level=None) as base:
        base.executescript("pragma journal_mode=off; pragma synchronous=off; begin")
        base.execute("create table rows (number integer primary key, columns blob, entries blob)")
        stored = [np.flatnonzero(row) for row in D]
        table = [(i, s.astype(np.int64).tobytes(), D[i, s].tobytes()) for i, s in enumerate(stored)]
        base.executemany("insert into rows values (?, ?, ?)", table)
        base.execute("commit")
    base.close()
    return page()["SqliteRows"](path, D.shape[1], block_rows)


class ListedRows:
    """Rows in a list of arrays, on the words of docs/add_a_backend.md alone."""

    def __init__(self, D, length=7, dtype=np.float64):
        self.parts = [np.asarray(D[i : i + length], dtype=dtype) for i in range(0, len(D), length)]
        self.edges = np.cumsum([0, *map(len, self.parts)])
        self.shape, self.dtype = np.shape(D), np.dtype(dtype)

    def _results(self, W, rule, state, on):
        mask = np.zeros(self.shape[0], dtype=bool)
        mask[slice(None) if on is None else on] = True
        for start, stop, part in zip(self.edges[:-1], self.edges[1:], self.parts, strict=True):
            which = mask[start:stop]
            block = part[which]
            scores = None if W is None else (block @ np.asarray(W).T).astype(self.dtype)
            yield block, rule(scores, *(values[start:stop][which] for values in state))

    def fold(self, W, rule, *state, on=None):
        found = [(self._sum(coef, block), tally) for block, (coef, tally) in self._results(W, rule, state, on)]
        return reduce(self._plus, found)

    def map(self, W, rule, *state, on=None):
        found = [result for _, result in self._results(W, rule, state, on)]
        if isinstance(found[0], tuple):
            return tuple(np.concatenate(column) for column in zip(*found, strict=True))
        return np.concatenate(found)

    def take(self, index):
        return np.concatenate(self.parts)[index]

    def correlate(self, x):
        x = np.atleast_2d(x.toarray() if hasattr(x, "toarray") else x)
        found = np.concatenate([(part @ x.T).astype(self.dtype) for part in self.parts])
        return found[:, 0] if len(x) == 1 else found

    def squares(self):
        return np.concatenate([(part.astype(float) ** 2).sum(axis=1) for part in self.parts])

    def local(self):
        return None

    @staticmethod
    def _sum(coef, block):
        if isinstance(coef, OneHot):
            weights = np.ones(len(block)) if coef.weights is None else coef.weights
            coef = (coef.columns[:, None] == np.arange(coef.n_columns)) * weights[:, None]
        return np.asarray(coef, dtype=float).T @ block

    def _plus(self, a, b):
        return tuple(self._plus(x, y) for x, y in zip(a, b, strict=True)) if isinstance(a, tuple) else a + b
