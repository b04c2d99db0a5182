"""What the fields of a saved estimator must be: each is checked before anything is made of a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf, isfinite
from numbers import Integral
from typing import Any

import numpy as np

from ..errors import ModelError

_LARGEST = 1e30  # of a coefficient: rows are about as long as 1, and their scores shall stay finite in single precision

Sizes = Mapping[str, int]
"""The lengths that fields share: k groups, d columns, and k + j rows for groups and kinds of junk."""

Form = Callable[[Any, Sizes], str | None]
"""Returns what a field should be where it is something else."""


def check_fitted(fitted: Any, names: tuple[str, ...], n_clusters: Any) -> None:
    """Raise ModelError, naming the field, unless the fitted attributes of an estimator are all there and fit together.

    `n_clusters` is the parameter; where it is no number, the fitted `n_clusters_` counts.
    """
    missing = [name for name in names if not isinstance(fitted, Mapping) or name not in fitted]
    if missing:
        raise ModelError(f"it has no {missing[0]}")
    k = n_clusters if is_count(n_clusters) else fitted.get("n_clusters_")
    if not is_count(k) or not is_count(fitted.get("n_features_in_")):
        raise ModelError("its numbers of groups and columns are not both whole numbers from 1")
    sizes = {"k": k, "k + j": _rows_of(fitted.get("reject_coef_"), k + 1), "d": fitted["n_features_in_"]}
    for name in names:
        wanted = _FORMS.get(name, _plain)(fitted[name], sizes)
        if wanted is not None:
            raise ModelError(f"{name} is not {wanted}")
    if (fitted.get("reject_coef_") is None) != (fitted.get("reject_intercept_") is None):
        raise ModelError("only one of reject_coef_ and reject_intercept_ is there")
    if fitted.get("reject_coef_") is not None and not fitted["off_topic_"]:
        raise ModelError("off_topic_ is empty beside reject_coef_")


def is_count(value: Any, least: int = 1) -> bool:
    """Return whether a value is a whole number from `least` on, and no bool."""
    return isinstance(value, Integral) and not isinstance(value, bool) and least <= int(value) < 2**63


def is_labels(value: Any, k: int) -> bool:
    """Return whether a value is the groups of documents, (n,): whole numbers from -1 to k - 1."""
    whole = isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind == "i"
    return whole and (not len(value) or (int(value.min()) >= -1 and int(value.max()) < k))


def is_real(value: Any, *shape: int) -> bool:
    """Return whether a value is an array of floats of this shape, finite and not too large to count with."""
    real = isinstance(value, np.ndarray) and value.dtype in (np.float32, np.float64) and value.shape == shape
    return real and bool((np.abs(value) <= _LARGEST).all())


def _real(*lengths: str) -> Form:
    said = f"finite numbers of shape ({', '.join(lengths)})"
    return lambda value, sizes: None if is_real(value, *(sizes[length] for length in lengths)) else said


def _or_none(form: Form) -> Form:
    return lambda value, sizes: None if value is None else form(value, sizes)


def _rows_of(value: Any, least: int) -> int:
    return max(least, len(value)) if isinstance(value, np.ndarray) and value.ndim else least


def _labels(value: Any, sizes: Sizes) -> str | None:
    return None if is_labels(value, sizes["k"]) else f"a list of groups from -1 to {sizes['k'] - 1}"


def _number(value: Any, sizes: Sizes) -> str | None:
    return None if _is_number(value) else "a number"


def _finite(value: Any, sizes: Sizes) -> str | None:
    return None if _is_number(value) and isfinite(value) else "a finite number"


def _count(value: Any, sizes: Sizes) -> str | None:
    return None if is_count(value, 0) else "a whole number"


def _groups(value: Any, sizes: Sizes) -> str | None:
    return None if is_count(value) and value == sizes["k"] else "the number of groups"


def _steps(value: Any, sizes: Sizes) -> str | None:
    rows = value if isinstance(value, list) else [None]
    whole = all(isinstance(row, dict) and all(map(_is_plain, row.values())) for row in rows)
    return None if whole else "a list of steps"


def _descent(value: Any, sizes: Sizes) -> str | None:
    said = _steps(value, sizes)
    known = said is None and all(_finite(row.get("objective"), sizes) is None for row in value)
    return said if said or known else "a list of steps, each with an objective"


def _shares(value: Any, sizes: Sizes) -> str | None:
    return None if isinstance(value, dict) and all(map(_is_number, value.values())) else "a table of numbers"


def _verdict(value: Any, sizes: Sizes) -> str | None:
    """A threshold and the choices that it was taken from, or an empty table."""
    said = "a threshold"
    if not isinstance(value, dict) or (value and not isinstance(value.get("choices"), list)):
        return said
    each = [{name: part for name, part in value.items() if name != "choices"}, *value["choices"]] if value else []
    return None if all(map(_is_threshold, each)) else said


def _is_threshold(value: Any) -> bool:
    if not isinstance(value, dict) or value.keys() != {*_THRESHOLD, "method"} or not isinstance(value["method"], str):
        return False
    if any(value[name] is None for name in ("rate", "value", "flagged")) or not is_count(value["flagged"], 0):
        return False
    return all(value[name] is None or _is_limit(value[name]) for name in _THRESHOLD)


def _is_limit(value: Any) -> bool:
    """Return whether scores can be compared with a value: a number, or infinity, which nothing passes."""
    return _is_number(value) and (abs(value) <= _LARGEST or value == inf)


def _plain(value: Any, sizes: Sizes) -> str | None:
    return None if _is_plain(value) else "a number or a text"


def _is_number(value: Any) -> bool:
    return isinstance(value, float) or is_count(value, -(2**63))


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, str | bool) or _is_number(value)


_EXPECTED = ("share", "precision", "recall")
_THRESHOLD = ("rate", "value", "flagged", *(name + end for name in _EXPECTED for end in ("", "_low", "_high")))
_FORMS: dict[str, Form] = {
    **dict.fromkeys(("coef_", "cluster_centers_", "seed_centers_"), _real("k", "d")),
    **dict.fromkeys(("objective_", "lower_bound_", "C_", "C_universum_"), _finite),
    "unsteered_objective_": _or_none(_finite),
    **dict.fromkeys(("trace_", "restarts_"), _descent),
    "rounds_": _steps,
    "intercept_": _real("k"),
    "reject_coef_": _or_none(_real("k + j", "d")),
    "reject_intercept_": _or_none(_real("k + j")),
    "stability_": _number,  # nan after one start
    "labels_": _labels,
    "n_iter_": _count,
    "n_features_in_": _count,
    "n_clusters_": _groups,
    "weights_": _shares,
    "off_topic_": _verdict,
}
