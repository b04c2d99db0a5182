"""A first look at a collection: groups found in a moment from a part of the documents, until those of a fit stand."""

from __future__ import annotations

import numpy as np

from ...cluster.quiet import fitted
from ...cluster.spherical import SphericalKMeans
from ...text.collection import Arranged, Collection
from ..state import State
from ..version import Version
from .fitter import Fitter

_SAMPLE = 4_096  # documents, evenly drawn in the order of the texts, among which groups are found

NOTE = "a first look, from a part of the documents"


def sketch(documents: Collection, k: int, random_state: int) -> Version:
    """Return `k` groups of unit rows by spherical k-means on a sample; every document goes to the nearest of them.

    No version goes on from it: there are no off-topic documents, no neighbours and no certificate in it.
    """
    arranged = Arranged.of(documents, frozenset())
    order = arranged.order()
    X = arranged.spaces.space[order]
    some = np.linspace(0, len(order) - 1, min(len(order), max(_SAMPLE, 20 * k))).astype(int)
    found = fitted(SphericalKMeans(k, n_init=1, local_search=None, random_state=random_state), X[some])
    found.labels_ = np.asarray(found.predict(X), dtype=np.int32)
    numbers = tuple(range(k))
    labels = np.full(len(documents), -1, dtype=np.int32)
    labels[np.flatnonzero(arranged.inside)[order]] = found.labels_
    state = State(labels, numbers, np.zeros(len(documents), dtype=bool))
    fitter = Fitter(documents, found, random_state)
    return fitter.version(found, arranged, order, numbers, state, (), (NOTE,), labels)
