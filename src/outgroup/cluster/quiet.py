"""Fits that are a step of something else: who asked for no such number of groups is not warned that it is too high."""

from __future__ import annotations

from typing import Any, TypeVar

from .seeded import SeededKMeans
from .spherical import SphericalKMeans

Means = TypeVar("Means", SphericalKMeans, SeededKMeans)


def fitted(clusterer: Means, X: Any, **given: Any) -> Means:
    """Return the clusterer fitted on `X` as by `fit`, which is `given` the rest, without a warning.

    >>> import numpy as np
    >>> len(fitted(SphericalKMeans(2, random_state=0), np.ones((3, 2))).cluster_centers_)
    2
    """
    clusterer._found(X, **given)
    return clusterer
