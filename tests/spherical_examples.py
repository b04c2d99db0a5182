"""Small data that several tests of local search share."""

import numpy as np
import scipy.sparse as sp


def unit_rows(n, d, seed, density=0.3, signed=False):
    rng = np.random.default_rng(seed)
    X = rng.random((n, d)) * (rng.random((n, d)) < density)
    if signed:
        X *= rng.choice([-1.0, 1.0], X.shape)
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(norms > 0, norms, 1.0)


def coherence(X, labels, k):
    return sum(np.linalg.norm(X[labels == j].sum(axis=0)) for j in range(k))


def example_3_2(k):
    """The paper's k^2 vectors, one a row and of unit length: k classes, orthogonal to each other."""
    classes = np.repeat(np.arange(k), k)
    X = np.hstack([np.eye(k)[classes] / k, np.eye(k * k)])
    return sp.csr_matrix(X / np.linalg.norm(X, axis=1, keepdims=True))


def printed_start(k):
    """One vector of each class in each cluster."""
    return np.tile(np.arange(k, dtype=np.int32), k)
