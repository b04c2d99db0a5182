"""t-SNE by openTSNE, where it is installed (extra `map`): it lays out three times as many landmarks as ours does."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np

from ...types import Array

LANDMARKS = 3_000
_EARLY, _STEPS = 70, 180
_COARSE = 0.8  # the larger, the sooner cells of the plane are taken as one: the default of .5 keeps no neighbour more


def available() -> bool:
    """Return whether openTSNE is installed."""
    return find_spec("openTSNE") is not None


def opentsne(features: Array, start: Array, perplexity: float) -> Array:
    """Return places (m, 2) for m points, from the places `start` (m, 2) on: as `tsne`, and as repeatable.

    Neighbours are exact and one thread does all, so that nothing is left to chance.
    """
    from openTSNE import TSNE  # half a second: only where it is used
    from openTSNE.affinity import MultiscaleMixture
    from openTSNE.nearest_neighbors import Sklearn

    # The search for neighbours is named: left to itself, openTSNE first loads each that is installed, a second long.
    near = Sklearn(features, k=min(len(features) - 1, int(3 * perplexity)), metric="euclidean")
    likeness = MultiscaleMixture(None, perplexity, knn_index=near)
    fit = TSNE(
        initialization=start, negative_gradient_method="bh", early_exaggeration_iter=_EARLY, n_iter=_STEPS, n_jobs=1,
        theta=_COARSE, random_state=0,
    )  # fmt: skip
    return np.asarray(fit.fit(affinities=likeness), dtype=float)
