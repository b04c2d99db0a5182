"""What is kept of groups when their documents are gone: names, sizes and first words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..model import DocumentClustering
from ..report.grouped import Grouped
from ..report.summary import described
from ..report.words import distinctive, group_name
from .tables import Form, table

_WORDS = 36  # of which a name takes the first


def description_of(model: DocumentClustering) -> list[dict[str, Any]]:
    """Return the names, sizes and first words of the groups of a model that has its documents."""
    labels, coef = model.labels_[model.kept_], model.word_coef_
    inside = labels >= 0
    grouped = Grouped.of(sp.csr_matrix(model.spaces_.words), labels, len(coef), inside)
    words = distinctive(grouped, coef, list(model.get_feature_names_out()), _WORDS)
    names = [group_name(given, own, c) for c, (given, own) in enumerate(zip(_given(model), words, strict=True))]
    return described(names, np.bincount(labels[inside], minlength=len(coef)).tolist(), words)


def _given(model: DocumentClustering) -> list[str | None]:
    return [None] * len(model.word_coef_) if model.names_ is None else list(model.names_)


def described_topics(description: list[dict[str, Any]], numbers: Sequence[int]) -> Any:
    """Return groups, which have these `numbers`, as a table, the largest first, of what is kept of them."""
    order = sorted(range(len(description)), key=lambda group: (-description[group]["size"], group))
    whole = sum(each["size"] for each in description)
    full = [(group, description[group]) for group in order]
    return table(
        {
            "group": [numbers[group] for group, _ in full],
            "name": [each["name"] for _, each in full],
            "size": [each["size"] for _, each in full],
            "share": [round(each["size"] / max(whole, 1), 6) for _, each in full],
            "words": [", ".join(each["words"]) for _, each in full],
        },
        Form(),
    )
