"""A matrix as somebody gave it, checked: by scikit-learn's rules, and for texts in the place of rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..errors import InputError
from .sparse_indices import sound


def checked_matrix(X: Any, name: str = "X", *, dtype: Any = (np.float64, np.float32), **rules: Any) -> Any:
    """Return `X`, of floats, as an array or a CSR matrix; `rules` are those of scikit-learn's `check_array`.

    Raises InputError for texts, and for a sparse matrix whose indices do not fit together; ValueError and TypeError in
    scikit-learn's words for NaN, infinity, or anything but two dimensions.

    >>> checked_matrix([[1, 2]]).dtype
    dtype('float64')
    """
    from sklearn.utils import check_array  # late: a worker that only folds need not load it

    given = dtype if isinstance(dtype, np.dtype) else list(dtype)
    with no_texts(name):
        return check_array(sound(X, name), accept_sparse="csr", dtype=given, input_name=name, **rules)


@contextmanager
def no_texts(name: str) -> Iterator[None]:
    """Raise InputError where what the block reads numbers from, called `name`, holds texts.

    NumPy's own error quotes the whole of a text, and says nothing of what to do.

    >>> with no_texts("X"):
    ...     float("bread and butter")
    Traceback (most recent call last):
    outgroup.errors.InputError: X holds texts; give them to outgroup.DocumentClustering, or the rows of a Vectorizer
    """
    try:
        yield
    except ValueError as error:
        if not str(error).startswith("could not convert string to float"):
            raise
        said = "give them to outgroup.DocumentClustering, or the rows of a Vectorizer"
        raise InputError(f"{name} holds texts; {said}") from None
