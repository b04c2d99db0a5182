"""Whether rows are all the same, whatever their number."""

import numpy as np
import pytest
import scipy.sparse as sp

from outgroup import CPM3C, MaxMarginClustering
from outgroup.errors import InputError
from outgroup.rows import as_rows
from outgroup.solve.data import all_equal

ROW = np.array([[0.6, 0.0, 0.48, 0.64]], dtype=np.float32)


@pytest.mark.parametrize("n", [1, 20, 1000, 100_000])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_equal_rows_are_equal_whatever_their_number(n, form):
    rows = np.repeat(ROW, n, axis=0)
    assert all_equal(as_rows(form(rows)))
    if n > 1:
        rows[n - 1, 1] = 0.1
        assert not all_equal(as_rows(form(rows)))


@pytest.mark.parametrize("estimator", [MaxMarginClustering, CPM3C])
@pytest.mark.parametrize("n", [20, 100_000])
def test_equal_rows_are_refused_alike_whatever_their_number(estimator, n):
    with pytest.raises(InputError, match="all rows are equal"):
        estimator(3, n_init=1, random_state=0).fit(sp.csr_matrix(np.repeat(ROW, n, axis=0)))
