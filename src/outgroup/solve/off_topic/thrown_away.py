"""What a person threw away, when a threshold is placed: documents of the collection, though they are examples by now.

People throw away what lies farthest out, so that it stands for no other junk. Taken for examples drawn at random it
would say that junk scores higher than it does, and the more of it there is, the more would go back into groups.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...types import Array
from .mixture import Mixture

Beside = tuple[Array, Array] | None
"""How near other examples are to documents (n, p) and to examples (N, p), where that is known."""


def as_documents(scores: Array, examples: Array, beside: Beside, thrown: Array) -> tuple[Array, Array, Beside]:
    """Return held-out `scores` (n,) with those of the examples that were `thrown` (N,) away after them, and the rest.

    >>> as_documents(np.zeros(2), np.array([3.0, 4, 5]), None, np.array([False, True, False]))
    (array([0., 0., 4.]), array([3., 5.]), None)
    """
    if beside is not None:
        beside = np.vstack([beside[0], beside[1][thrown]]), beside[1][~thrown]
    return np.r_[scores, examples[thrown]], examples[~thrown], beside


def above_each(threshold: dict[str, Any], scores: Array, mixture: Mixture | None, part: Any) -> dict[str, int]:
    """Return how many documents of a `part` are above the threshold and each of its choices, by method.

    Held-out `scores` (n,) are those of the documents that are left, which come first in the `mixture`.
    """
    judged = {"conformal": scores, "mixture": scores if mixture is None else mixture.evidence[0][: len(scores)]}
    return {each["method"]: int((judged[each["method"]] > each["value"])[part].sum()) for each in threshold["choices"]}


def flagged_among(threshold: dict[str, Any], scores: Array, mixture: Mixture | None) -> dict[str, Any]:
    """Return the threshold, with its choices, and how many of the documents that are left are above each."""
    counts = above_each(threshold, scores, mixture, slice(None))
    choices = [each | {"flagged": counts[each["method"]]} for each in threshold["choices"]]
    return threshold | {"flagged": counts[threshold["method"]], "choices": choices}
