"""How typical each document is of its group: near the centre, with enough words to say so."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...types import Array


def typicality(X: Any, groups: Array, sums: Any) -> Array:
    """Return the cosine of each document with its group's sum, less where it has fewer words than most there, (n,).

    `X` is CSR (n, V) with unit rows, `groups` (n,) 0 to k - 1, `sums` CSR (k, V) of those that are inside. A document
    with half as many words as the group's median counts half: a question of one word lies near a centre for no good
    reason.

    >>> import scipy.sparse as sp
    >>> X = sp.csr_matrix([[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.8, 0.6, 0.0]])
    >>> int(typicality(X, np.zeros(3, dtype=int), sp.csr_matrix(X.sum(axis=0))).argmax())
    2
    """
    n, k = len(groups), sums.shape[0]
    centres = sums.toarray().astype(np.float32)
    centres /= np.maximum(np.linalg.norm(centres, axis=1, keepdims=True), 1e-12)
    row = np.repeat(np.arange(n), np.diff(X.indptr))
    near = np.bincount(row, X.data * centres[groups[row], X.indices], minlength=n)
    words = np.diff(X.indptr)
    usual = np.array([np.median(words[groups == g]) if (groups == g).any() else 1.0 for g in range(k)])
    return near * np.minimum(1.0, words / np.maximum(usual[groups], 1.0))
