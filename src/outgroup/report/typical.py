"""How typical each document is of its group: near the centre, with enough words to say so."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..types import Array


def typicality(X: Any, groups: Array, k: int, inside: Array) -> Array:
    """Return the cosine of each document with its group's sum, less where it has fewer words than most there, (n,).

    `X` is CSR (n, V) with unit rows, `groups` (n,) 0 to k - 1, `inside` (n,) bool those that make the sum. A document
    with half as many words as the group's median counts half: a question of one word lies near a centre for no good
    reason.

    >>> X = sp.csr_matrix([[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.8, 0.6, 0.0]])
    >>> int(typicality(X, np.zeros(3, dtype=int), 1, np.ones(3, dtype=bool)).argmax())
    2
    """
    n = len(groups)
    members = sp.csr_matrix((inside.astype(float), (groups, np.arange(n))), shape=(k, n))
    centres = sp.csr_matrix(members @ X).toarray().astype(np.float32)
    centres /= np.maximum(np.linalg.norm(centres, axis=1, keepdims=True), 1e-12)
    row = np.repeat(np.arange(n), np.diff(X.indptr))
    near = np.bincount(row, X.data * centres[groups[row], X.indices], minlength=n)
    words = np.diff(X.indptr)
    usual = np.array([np.median(words[groups == g]) if (groups == g).any() else 1.0 for g in range(k)])
    return near * np.minimum(1.0, words / np.maximum(usual[groups], 1.0))
