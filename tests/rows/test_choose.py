"""as_rows takes what is rows of numbers, and says why it refuses the rest."""

import numpy as np
import pytest
import scipy.sparse as sp

from outgroup.errors import InputError
from outgroup.rows import as_rows, unit_rows


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.coo_matrix])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.uint8, bool])
def test_float32_stays_and_other_numbers_become_float64(kind, dtype):
    rows = as_rows(kind(np.array([[0, 1, 0], [1, 0, 1]], dtype=dtype)))
    assert rows.dtype == (np.float32 if dtype == np.float32 else np.float64)
    assert rows.shape == (2, 3)
    assert rows.take(np.array([1])).tolist() == [[1, 0, 1]]


class HalfRows:
    """Some of the verbs, as somebody who writes a back end may have them at first."""

    shape, dtype = (2, 2), np.dtype(np.float64)

    def fold(self, W, rule, *state, on=None): ...

    def correlate(self, x): ...


def test_what_lacks_a_verb_is_told_which():
    with pytest.raises(InputError, match=r"HalfRows must have fold, .*; missing: map, take, squares, local"):
        as_rows(HalfRows())


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_numbers_without_a_square_are_named_by_their_row(make):
    with pytest.raises(InputError, match="row 1 has numbers"):
        unit_rows(as_rows(make(np.array([[1.0, 0.0], [0.0, 1e200]]))))


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("power", [-100, -30, 100])
def test_rows_of_any_size_get_the_same_direction_to_the_last_digit(make, power):
    X = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
    scaled = unit_rows(as_rows(make(np.ldexp(X, power))))
    assert np.array_equal(scaled.take(np.arange(5)), unit_rows(as_rows(make(X))).take(np.arange(5)))


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_rows_whose_squares_vanish_have_a_direction(make):
    X = np.random.default_rng(0).normal(size=(5, 3))
    mixed = np.vstack([np.ldexp(X, -1000), np.zeros(3)])
    scaled = unit_rows(as_rows(make(mixed))).take(np.arange(6))
    assert np.array_equal(scaled, [*unit_rows(as_rows(make(X))).take(np.arange(5)), np.zeros(3)])


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize(("value", "words"), [(np.nan, "NaN"), (np.inf, "infinity"), (1j, "Complex")])
def test_what_is_no_finite_real_number_is_refused(make, value, words):
    X = make(np.array([[1.0, 0.0], [0.0, value]]))
    with pytest.raises(ValueError, match=words):
        as_rows(X)


@pytest.mark.parametrize("X", [[1.0, 2.0], [[["three"]]], [["a", "b"]], np.zeros((0, 3)), np.zeros((3, 0))])
def test_what_is_no_table_of_numbers_is_refused(X):
    with pytest.raises(ValueError):  # noqa: PT011 - scikit-learn's words
        as_rows(X)
