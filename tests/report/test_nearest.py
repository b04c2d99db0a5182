"""The documents like each document: of its own group alone, whole or in parts, and one by one as all at once."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from outgroup.summary import partition as module
from outgroup.summary.partition import nearest, nearest_of


@pytest.fixture
def unit():
    rng = np.random.default_rng(0)
    return normalize(sp.csr_matrix(rng.random((90, 30)) * (rng.random((90, 30)) < 0.2)))


@pytest.mark.parametrize("compared", [5_000, 12])
def test_one_by_one_as_all_at_once(unit, compared, monkeypatch):
    monkeypatch.setattr(module, "_COMPARED", compared)
    groups = np.where(np.arange(90) < 4, 7, np.arange(90) % 3 - 1)
    groups[0] = 5  # a group of one
    found = nearest(unit, groups)
    assert [nearest_of(unit, groups, row) for row in range(90)] == [
        [near for near in row if near >= 0] for row in found.tolist()
    ]
    assert (found[0] == -1).all()
    assert all(groups[near] == groups[row] and near != row for row in range(90) for near in found[row] if near >= 0)
