"""Kernel matrices of the methods for two groups."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics.pairwise import pairwise_kernels

KERNELS = {"linear", "rbf"}


def width(X: Any, gamma: float | str) -> float:
    """Return gamma, or for "scale" 1 / (d Var(X)), as scikit-learn's support vector machines have it."""
    if gamma != "scale":
        return float(gamma)
    mean = X.mean()
    square = X.multiply(X).mean() if hasattr(X, "multiply") else np.mean(np.square(X))
    variance = float(square - mean**2)
    return 1 / (X.shape[1] * variance) if variance > 0 else 1.0


def kernel_matrix(X: Any, kernel: str, gamma: float | str) -> np.ndarray[Any, Any]:
    """Return the kernel matrix (n, n) of the rows, float64."""
    options = {} if kernel == "linear" else {"gamma": width(X, gamma)}
    return np.asarray(pairwise_kernels(X, metric=kernel, **options), dtype=np.float64)
