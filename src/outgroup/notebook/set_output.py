"""Scores as the table that scikit-learn's output settings ask for."""

from __future__ import annotations

from typing import Any

from sklearn.utils._set_output import ADAPTERS_MANAGER, _get_output_config

from ..types import Array


def as_container(scores: Array, estimator: Any, given: Any, columns: list[str]) -> Any:
    """Return scores (n, k) as an array, or as a DataFrame with these columns and the index that `given` has, if any.

    scikit-learn's own mixin would take the first argument by its place alone, not as `texts=` or `documents=`.

    >>> import numpy as np
    >>> as_container(np.eye(2), object(), ["a", "b"], ["0", "1"]).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    wanted = _get_output_config("transform", estimator)["dense"]
    if wanted == "default":
        return scores
    return ADAPTERS_MANAGER.adapters[wanted].create_container(scores, given, columns=columns)
