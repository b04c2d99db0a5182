"""Columns that one row alone has: fewer of them, and the same products."""

import numpy as np
import pytest
import scipy.sparse as sp

from outgroup import MaxMarginClustering
from outgroup.metrics import adjusted_rand
from outgroup.rows.sparse import narrow


def wide(n=60, d=4000, k=3, dtype=np.float64, seed=0):
    """Rows of groups with shared words in the first columns, and many words of their own."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    shared = (rng.random((n, 30)) < np.where(np.arange(30) % k == y[:, None], 0.7, 0.05)) * rng.random((n, 30))
    own = sp.random(n, d - 30, 0.0005, format="csr", random_state=seed)
    X = sp.hstack([sp.csr_matrix(shared), own], format="csr", dtype=dtype)
    X.sum_duplicates()
    return X, y


def test_rows_whose_columns_are_shared_stay_as_they_are():
    assert narrow(sp.csr_matrix(np.ones((5, 8)))) is None
    assert narrow(sp.csr_matrix(np.eye(8))) is None  # as many rows as columns of one row


@pytest.mark.parametrize("weight", ["balanced", None])
def test_a_fit_of_wide_rows_is_the_fit_of_all_their_columns(weight, monkeypatch):
    X, y = wide()
    U, settings = X[:9], {"n_init": 2, "class_weight": weight, "random_state": 0, "gap": 1e-6}
    found = MaxMarginClustering(3, **settings).fit(X, universum=U)
    monkeypatch.setattr("outgroup.solve.max_margin.narrow", lambda *matrices: None)
    whole = MaxMarginClustering(3, **settings).fit(X, universum=U)
    assert found.coef_.shape == whole.coef_.shape == (3, X.shape[1])
    np.testing.assert_array_equal(found.labels_, whole.labels_)
    assert found.objective_ == pytest.approx(whole.objective_, rel=1e-4)
    np.testing.assert_allclose(found.decision_function(X), whole.decision_function(X), atol=0.02)
    assert adjusted_rand(y, found.predict(X, off_topic=False)) > 0.5
