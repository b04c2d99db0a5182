"""Whether rows are all the same, whatever their number."""

import numpy as np
import pytest
import scipy.sparse as sp

from outgroup import CPM3C, MaxMarginClustering
from outgroup.errors import InputError
from outgroup.rows import as_rows
from outgroup.solve.max_margin import Data, all_equal, c_scale

ROW = np.array([[0.6, 0.0, 0.48, 0.64]], dtype=np.float32)


@pytest.mark.parametrize("n", [1, 20, 1000, 100_000])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_equal_rows_are_equal_whatever_their_number(n, form):
    rows = np.repeat(ROW, n, axis=0)
    assert all_equal(as_rows(form(rows)))
    if n > 1:
        rows[n - 1, 1] = 0.1
        assert not all_equal(as_rows(form(rows)))


@pytest.mark.parametrize("length", [1e-4, 1.0, 1e4])
def test_rounding_is_in_proportion_to_the_length_of_rows(length):
    rows = length * np.repeat(ROW.astype(np.float64), 40, axis=0)
    assert all_equal(as_rows(rows))
    rows[-1] *= 1 + 1e-9  # its square is below the rounding of the distances
    assert all_equal(as_rows(rows))
    rows[-1] *= 1.01
    assert not all_equal(as_rows(rows))


@pytest.mark.parametrize("estimator", [MaxMarginClustering, CPM3C])
@pytest.mark.parametrize("n", [20, 100_000])
def test_equal_rows_are_refused_alike_whatever_their_number(estimator, n):
    with pytest.raises(InputError, match="all rows are equal"):
        estimator(3, n_init=1, random_state=0).fit(sp.csr_matrix(np.repeat(ROW, n, axis=0)))


@pytest.mark.parametrize("estimator", [MaxMarginClustering, CPM3C])
def test_rows_of_zeros_are_said_to_be_equal(estimator):
    """Rows without a column were refused in words on the number of features."""
    with pytest.raises(InputError, match="all rows are equal"):
        estimator(2, random_state=0).fit(sp.csr_matrix((20, 5)))


@pytest.mark.parametrize("length", [1e-3, 1.0, 1e3])
def test_groups_that_differ_by_rounding_alone_have_no_scale(length):
    X, labels = length * np.eye(2)[[0, 0, 1, 1]], np.array([0, 0, 1, 1])
    assert c_scale(as_rows(X), labels, 2) == pytest.approx(2 / length**2)  # G is (1/4, -1/4), (-1/4, 1/4)
    near = c_scale(as_rows(X), labels, 2, size=length * 0.3 / (4 * np.finfo(float).eps))
    assert near == pytest.approx(2 / length**2)  # ||G|| is half a length
    with pytest.raises(InputError, match="rows are equal up"):
        c_scale(as_rows(X), labels, 2, size=length * 0.7 / (4 * np.finfo(float).eps))


def test_lengths_are_told_where_rows_have_several():
    lengths = np.array([4.0, 1.0, 0.0, 1e-9])  # what is next to nothing counts as the usual row
    np.testing.assert_allclose(Data(as_rows(lengths[:, None] * ROW)).lengths, [1, 0.25, 0.625, 0.625])
    assert Data(as_rows(np.repeat(ROW, 3, axis=0) * [[1], [1.0001], [0]])).lengths is None
    assert Data(as_rows(0 * ROW)).lengths is None
