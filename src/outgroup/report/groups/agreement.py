"""Groups against true labels: the counts, the matching and the figures of agreement."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.optimize import linear_sum_assignment

from ...errors import InputError
from ...metrics import accuracy, adjusted_rand, nmi, rand
from ...types import Array
from ..facts import Agreement


def agreement(true_labels: Sequence[str | None], labels: Array, k: int) -> Agreement | None:
    """Compare k groups with labels (None or "" where unknown); None where fewer than two are there to tell apart."""
    if len(true_labels) != len(labels):
        raise InputError(
            f"{len(true_labels)} true labels for {len(labels)} documents: give one for each, None where unknown"
        )
    if len({label for label in true_labels if label}) < 2:
        return None
    known = np.array([bool(label) for label in true_labels])
    classes, found = np.array([str(label) for label in true_labels if label]), labels[known]
    kinds, codes = np.unique(classes, return_inverse=True)
    counts = np.bincount(found * len(kinds) + codes, minlength=k * len(kinds)).reshape(k, len(kinds))
    return Agreement(
        accuracy=_figure(accuracy(codes, found)),
        nmi=_figure(nmi(codes, found)),
        rand=_figure(rand(codes, found)),
        adjusted_rand=_figure(adjusted_rand(codes, found)),
        n_labelled=len(found),
        labels=[str(kind) for kind in kinds],
        counts=counts.tolist(),
        matched=_matched(counts),
    )


def _matched(counts: Array) -> list[int | None]:
    """Return the label of each group by the one-to-one matching that most documents agree with; None without one."""
    rows, columns = linear_sum_assignment(counts, maximize=True)
    label_of = dict(zip(rows.tolist(), columns.tolist(), strict=True))
    return [label_of.get(group) for group in range(len(counts))]


def _figure(value: float) -> float:
    return round(float(value), 6) if math.isfinite(value) else 0.0
