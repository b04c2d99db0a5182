"""Whether rows are all the same, whatever their number."""

import numpy as np
import pytest
import scipy.sparse as sp

from outgroup import CPM3C, MaxMarginClustering
from outgroup.errors import InputError
from outgroup.rows import as_rows
from outgroup.solve.max_margin import all_equal, c_scale

ROW = np.array([[0.6, 0.0, 0.48, 0.64]], dtype=np.float32)


@pytest.mark.parametrize("length", [1e-4, 1.0, 1e4])
def test_rounding_is_in_proportion_to_the_length_of_rows(length):
    rows = length * np.repeat(ROW.astype(np.float64), 40, axis=0)
    assert all_equal(as_rows(rows))
    rows[-1] *= 1 + 1e-9  # its square is below the rounding of the distances
    assert all_equal(as_rows(rows))
    rows[-1] *= 1.01
    assert not all_equal(as_rows(rows))


@pytest.mark.parametrize("estimator", [MaxMarginClustering, CPM3C])
@pytest.mark.parametrize("n", [20, 1000])
def test_equal_rows_are_refused_alike_whatever_their_number(estimator, n):
    with pytest.raises(InputError, match="all rows are equal"):
        estimator(3, n_init=1, random_state=0).fit(sp.csr_matrix(np.repeat(ROW, n, axis=0)))


@pytest.mark.parametrize("length", [1e-3, 1.0, 1e3])
def test_groups_that_differ_by_rounding_alone_have_no_scale(length):
    X, labels = length * np.eye(2)[[0, 0, 1, 1]], np.array([0, 0, 1, 1])
    assert c_scale(as_rows(X), labels, 2) == pytest.approx(2 / length**2)  # G is (1/4, -1/4), (-1/4, 1/4)
    near = c_scale(as_rows(X), labels, 2, size=length * 0.3 / (4 * np.finfo(float).eps))
    assert near == pytest.approx(2 / length**2)  # ||G|| is half a length
    with pytest.raises(InputError, match="rows are equal up"):
        c_scale(as_rows(X), labels, 2, size=length * 0.7 / (4 * np.finfo(float).eps))
