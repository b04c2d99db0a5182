"""What every `Rows` promises, whoever does its products: each case against plain NumPy on the dense array."""

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from shutil import rmtree
from tempfile import mkdtemp
from weakref import finalize

import numpy as np
import pytest
import scipy.sparse as sp
from factories import CARD
from hypothesis import given, settings
from hypothesis import strategies as st
from rows_examples import small_pieces, sqlite_rows

from outgroup._native import by_scipy, products
from outgroup.errors import InputError
from outgroup.rows import CentredRows, OneHot, PartRows, UnitRows, as_rows, threads
from outgroup.rows.arrays import namespace
from outgroup.rows.device import device_rows
from outgroup.rows.mapped import write_rows

KERNELS = products.kernels()
few = settings(max_examples=12, deadline=None)


@dataclass(frozen=True)
class BackEnd:
    """One way of doing the products: rows of `kind` and `dtype`, under an instruction set where the kernels do them."""

    kind: str
    dtype: type = np.float64
    index: type = np.int32
    level: str | None = None

    def __str__(self):
        dense = self.kind.endswith("dense")
        words = [self.kind, self.level, np.dtype(self.dtype).name, not dense and np.dtype(self.index).name]
        return "-".join(word for word in words if word)

    def rows(self, D):
        if self.kind == "sqlite":
            return sqlite_rows(D)
        if self.kind == "files":
            return rows_in_files(csr(D, self.dtype, self.index))
        if self.kind.startswith("device"):
            dense = self.kind.endswith("dense")
            return device_rows(D if dense else csr(D, self.dtype, self.index), CARD, self.dtype)
        return as_rows(np.ascontiguousarray(D, self.dtype) if self.kind == "dense" else csr(D, self.dtype, self.index))

    @contextmanager
    def at_work(self):
        with ExitStack() as stack:
            if self.kind == "scipy":
                stack.enter_context(products.using(by_scipy))
            if self.level:
                stack.callback(KERNELS.use_level, KERNELS.level())
                KERNELS.use_level(getattr(KERNELS.InstructionSet, self.level))
            yield


def rows_in_files(X):
    folder = mkdtemp()
    rows = write_rows(f"{folder}/rows", (X[part] for part in np.array_split(np.arange(X.shape[0]), 3)))
    finalize(rows, rmtree, folder, ignore_errors=True)
    return rows


def csr(D, dtype, index):
    X = sp.csr_matrix(np.asarray(D, dtype))
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    return X


def back_ends():
    found = [BackEnd("dense", dtype) for dtype in (np.float32, np.float64)]
    levels = [level.name for level in KERNELS.InstructionSet if level <= KERNELS.level()] if KERNELS else []
    for dtype, index in ((np.float32, np.int32), (np.float64, np.int64)):
        found.append(BackEnd("scipy", dtype, index))
        found += [BackEnd("native", dtype, index, level) for level in levels]
    return [*found, BackEnd("files", np.float32), BackEnd("files"), BackEnd("sqlite")]


def devices():
    skipped = pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed: extra gpu")
    found = [BackEnd("device dense", dtype) for dtype in (np.float32, np.float64)]
    found += [BackEnd("device", np.float32), BackEnd("device", np.float64, np.int64)]
    return [pytest.param(each, marks=skipped) for each in found]


every_back_end = pytest.mark.parametrize("back_end", [*back_ends(), *devices()], ids=str)


@dataclass(frozen=True)
class Case:
    """Rows half of whose entries, and some of which altogether, are zero; directions, state and labels for them."""

    D: np.ndarray
    W: np.ndarray
    state: np.ndarray
    labels: np.ndarray
    n_labels: int

    def on(self):
        return np.flatnonzero(self.state > 0.3)


@st.composite
def cases(draw, most_columns=40):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d, c = draw(st.integers(1, 40)), draw(st.integers(1, 30)), draw(st.integers(1, most_columns))
    D = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.5) * (rng.random((n, 1)) < 0.8)
    k = draw(st.integers(1, 6))
    return Case(D, rng.normal(size=(c, d)), rng.random(n), rng.integers(-1, k, n).astype(np.int32), k)


def close(back_end, found, expected):
    tolerance = 2e-4 if back_end.dtype == np.float32 else 1e-11
    assert np.shape(found) == np.shape(expected)
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * (1 + np.abs(expected).max(initial=0)))


def one_hot(labels, k, weights=None):
    dense = (labels[:, None] == np.arange(k)).astype(float)
    return dense if weights is None else dense * weights[:, None]


def weigh(scores, state):
    xp = namespace(scores)
    sums = xp.sum(scores, axis=0, dtype=xp.float64)
    return scores * state[:, None], (float(state.sum()), (sums, len(state)))


@every_back_end
@few
@given(case=cases())
def test_the_number_of_threads_changes_no_byte(back_end, case):
    def everything(rows, count):
        with threads(count):
            total, tally = rows.fold(case.W, weigh, case.state)
            sums, _ = rows.fold(None, lambda _, y: (OneHot(y, case.n_labels), 0), case.labels)
            scores = rows.map(case.W, lambda scores: scores)
            found = (total, tally[0], tally[1][0], sums, scores, rows.correlate(case.D[0]))
            return [np.asarray(array).tobytes() for array in found]

    with back_end.at_work(), small_pieces():
        rows = back_end.rows(case.D)
        alone = everything(rows, 1)
        assert everything(rows, 2) == alone
        assert everything(rows, 3) == alone


def plain(case):
    return lambda rows: rows, case.D


def unit(case):
    squares = (case.D**2).sum(axis=1, keepdims=True)
    return UnitRows, case.D / np.sqrt(np.where(squares > 0, squares, 1))


def part(case):
    return lambda rows: PartRows(rows, case.on()), case.D[case.on()]


def centred(case):
    mean = case.D.mean(axis=0)
    return lambda rows: CentredRows(rows, mean), case.D - mean


@every_back_end
@pytest.mark.parametrize("wrapper", [plain, unit, part, centred])
@few
@given(case=cases(most_columns=150), pieces=st.booleans())
def test_rows_and_wrapped_rows_are_the_dense_formula(back_end, wrapper, case, pieces):
    wrap, E = wrapper(case)
    n, x, k = len(E), case.D[-1], case.n_labels
    state, labels, on, some = case.state[:n], case.labels[:n], np.arange(0, n, 2), np.arange(n)[::-1][:2]
    with back_end.at_work(), small_pieces() if pieces else ExitStack():
        rows = wrap(back_end.rows(case.D))
        total, (weight, (columns, count)) = rows.fold(case.W, weigh, state)
        half, _ = rows.fold(case.W, weigh, state, on=on)
        weighted, _ = rows.fold(None, lambda _, y, w: (OneHot(y, k, w), 0), labels, state)
        some_sums, _ = rows.fold(None, lambda _, y: (OneHot(y, k), 0), labels, on=on)
        scores, among = rows.map(case.W, lambda scores: scores), rows.map(case.W, lambda scores: scores, on=on)
        products = [rows.correlate(each) for each in (x, sp.csr_matrix(x), sp.csr_array(x[None]))]
        taken, several = rows.take(some), [rows.correlate(each) for each in (case.D, sp.csr_matrix(case.D))]
        squares, local, none = rows.squares(), rows.local(), on[:0]
        first, number = rows.map(case.W, lambda scores, i: (scores[:, 0], i), np.arange(n))
        alone = rows.map(None, lambda scores, i: i if scores is None else None, np.arange(n))
        nothing, (_, (_, visited)) = rows.fold(case.W, weigh, state, on=none)
        no_sums, _ = rows.fold(None, lambda _, y: (OneHot(y, k), 0), labels, on=none)
        assert rows.map(case.W, lambda scores: scores, on=none).shape == (0, len(case.W))
    S = E @ case.W.T
    assert rows.shape == E.shape
    assert count == n
    assert scores.dtype == products[0].dtype == back_end.dtype
    assert total.dtype == squares.dtype == np.float64
    assert number.tolist() == alone.tolist() == list(range(n))
    assert (visited, nothing.any(), no_sums.any()) == (0, False, False)
    assert (nothing.shape, no_sums.shape) == (total.shape, (k, E.shape[1]))
    close(back_end, scores, S)
    close(back_end, first, S[:, 0])
    close(back_end, among, S[on])
    close(back_end, total, (S * state[:, None]).T @ E)
    close(back_end, weight, state.sum())
    close(back_end, columns, S.sum(axis=0))
    close(back_end, half, (S[on] * state[on, None]).T @ E[on])
    close(back_end, weighted, one_hot(labels, k, state).T @ E)
    close(back_end, some_sums, one_hot(labels[on], k).T @ E[on])
    close(back_end, taken, E[some])
    for product in products:
        close(back_end, product, E @ x)
    for product in several:
        close(back_end, product, np.squeeze(E @ case.D.T, axis=1) if len(case.D) == 1 else E @ case.D.T)
    close(back_end, squares, (E**2).sum(axis=1))
    if local is not None:
        close(back_end, local.toarray() if sp.issparse(local) else local, E)


@every_back_end
def test_what_does_not_fit_is_named(back_end):
    with back_end.at_work():
        rows = back_end.rows(np.eye(3))
        with pytest.raises(InputError, match=r"\(2, 4\) do not match rows with 3 features"):
            rows.map(np.ones((2, 4)), lambda scores: scores)
        for x in (np.ones(4), np.ones((2, 2)), sp.csr_matrix(np.ones((1, 4)))):
            with pytest.raises(InputError, match="rows with 3 features"):
                rows.correlate(x)
        with pytest.raises(InputError, match="ascending row indices"):
            rows.map(np.ones((2, 3)), lambda scores: scores, on=np.array([1, 0]))
        with pytest.raises(InputError, match="ascending row indices"):
            rows.map(np.ones((2, 3)), lambda scores: scores, on=np.array([0, 3]))
        with pytest.raises(InputError, match="column 2, but columns range from 0 to 1"):
            rows.fold(None, lambda _, y: (OneHot(y, 2), 0), np.arange(3))


@every_back_end
def test_unsorted_and_doubled_entries_are_the_same_rows(back_end):
    if back_end.kind in ("dense", "sqlite"):
        pytest.skip("as_rows takes no such rows from a sparse matrix")
    X = sp.csr_matrix(np.array([[1.0, 2.0, 0.0], [0.0, 4.0, 0.0]]), dtype=back_end.dtype)
    messy = sp.csr_matrix((2, 3), dtype=back_end.dtype)
    messy.data = np.array([2, 1, 3, 1], dtype=back_end.dtype)
    messy.indices, messy.indptr = (np.array(a, dtype=back_end.index) for a in ([1, 0, 1, 1], [0, 2, 4]))
    D, W = X.toarray(), np.arange(6.0).reshape(2, 3)
    with back_end.at_work():
        rows = as_rows(messy)
        close(back_end, rows.map(W, lambda scores: scores), D @ W.T)
        close(back_end, rows.fold(W, lambda scores: (scores, 0))[0], (D @ W.T).T @ D)
        close(back_end, rows.correlate(D[0]), D @ D[0])
        close(back_end, rows.take(np.array([0, 1])), D)
