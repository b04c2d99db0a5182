"""The steering receipt of a fitted model: it is fitted once more, without the seeds, to say what they changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from ...model import DocumentClustering
from ...model.fitting import call, examples_for, rows_and_examples
from ...report.groups.seed_receipt import receipt
from ...report.receipt_facts import Receipt
from ...types import OnProgress


def steering_receipt(model: DocumentClustering, ids: Sequence[str], progress: OnProgress) -> Receipt | None:
    """Return what became of the seeds of a model fitted on the texts `ids`; None where it had none.

    The same clusterer with the same random state is fitted without the seeds, on the same rows and Universum. Raises
    AttributeError for a model that was loaded: it has no rows.
    """
    placed, groups = model.placed_, model.clusterer_
    if placed is None:
        return None
    X, examples = rows_and_examples(model.spaces_, model.examples_, groups, model.order_)
    free = call(clone(groups).fit, X, progress=progress, **examples_for(groups, examples, model.thrown_))
    return receipt(
        X=model.spaces_.words,
        labels=model.labels_[model.kept_],
        coef=model.word_coef_,
        feature_names=model.representation_.names,
        ids=[ids[row] for row in np.flatnonzero(model.kept_).tolist()],
        seeds=placed.seeds,
        word_seeds=placed.word_seeds,
        names=placed.names,
        labels_without=free.labels_[np.argsort(model.order_)],
        objective=_objective(groups),
        objective_without=_objective(free),
    )


def _objective(groups: Any) -> float:
    """Return the objective in the terms of a fit without seeds."""
    return float(getattr(groups, "unsteered_objective_", groups.objective_))
