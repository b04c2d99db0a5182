"""Normalised cut and CLGR against their objectives written out, and where theory says that they must win."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs

from bench.baselines import CLGR, NormalisedCut
from bench.baselines.graph import nearest, neighbour_affinity, self_tuning_affinity


def affinity_by_definition(X, nth):
    n = len(X)
    d = np.array([[np.linalg.norm(a - b) for b in X] for a in X])
    scale = [np.sort(row)[nth] for row in d]
    return np.array([[np.exp(-(d[i, j] ** 2) / (scale[i] * scale[j])) * (i != j) for j in range(n)] for i in range(n)])


def cut_over_volume(A, labels):
    groups = [labels == c for c in np.unique(labels)]
    return sum(A[g][:, ~g].sum() / A[g].sum() for g in groups)


def test_the_affinity_is_the_papers():
    X = np.random.default_rng(0).standard_normal((25, 3))
    np.testing.assert_allclose(self_tuning_affinity(X, 7), affinity_by_definition(X, 7), atol=1e-9)
    distances, neighbours = nearest(X, 7)
    A = neighbour_affinity(distances, neighbours).toarray()
    np.testing.assert_allclose(A[A > 0], affinity_by_definition(X, 7)[A > 0], atol=1e-9)


def test_no_other_partition_of_a_few_rows_has_a_smaller_normalised_cut():
    X, _ = make_blobs(12, centers=[[0, 0], [4, 3]], random_state=1)
    A = affinity_by_definition(X, 3)
    found = cut_over_volume(A, NormalisedCut(2, n_neighbors=3, random_state=0).fit_predict(X))
    others = [np.array([(number >> i) & 1 for i in range(12)]) for number in range(1, 2**11)]
    assert found <= min(cut_over_volume(A, labels) for labels in others) + 1e-9


def clgr_matrix_by_definition(X, m, ridge, weight):
    n = len(X)
    A, near = np.zeros((n, n)), np.zeros((n, n), dtype=bool)
    for i in range(n):
        order = [j for j in np.argsort(np.linalg.norm(X - X[i], axis=1), kind="stable") if j != i][:m]
        N = X[order].T
        A[i, order] = X[i] @ N @ np.linalg.inv(N.T @ N + ridge * m * np.eye(m))
        near[i, order] = True
    W = affinity_by_definition(X, m) * (near | near.T)
    return (A - np.eye(n)).T @ (A - np.eye(n)) + weight * (np.diag(W.sum(axis=1)) - W)


@pytest.mark.parametrize("as_rows", [np.asarray, sp.csr_matrix])
def test_clgr_reaches_the_minimum_of_its_objective(as_rows):
    X = np.random.default_rng(0).standard_normal((40, 3))
    groups = CLGR(3, n_neighbors=6, ridge=0.2, weight=0.7, random_state=0).fit(as_rows(X))
    M = clgr_matrix_by_definition(X, 6, 0.2, 0.7)
    assert groups.objective_ == pytest.approx(np.linalg.eigvalsh(M)[:3].sum(), rel=1e-6)
