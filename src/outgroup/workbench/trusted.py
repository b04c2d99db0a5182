"""How far the groups of a version can be trusted: found once they are shown and nothing else is left to do.

It is kept with the model that found the groups: who gives a group a name, or goes back a few decisions, has the same
model again, and the same documents in its groups.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ..session import Version
from ..session.reporting.arrays_by_number import by_number
from ..session.reporting.trust import trust_of
from ..types import Array

Figures = dict[str, Any]
"""The fields of a `Trust`, as plain data."""


class Trusted:
    """What was found of one version after the other; any thread may ask what is known, one alone looks for more."""

    def __init__(self) -> None:
        self._found: WeakKeyDictionary[Any, tuple[Array, Figures]] = WeakKeyDictionary()

    def look(self, version: Version) -> Figures:
        """Return how far the groups of a version can be trusted; raises CancelledError where it was asked to stop."""
        if (known := self.of(version)) is not None:
            return known
        found = trust_of(version.model, by_number(version)).to_dict()
        self._found[version.model.clusterer_] = version.labels, found
        return found

    def of(self, version: Version) -> Figures | None:
        """Return what is known of a version, None where nobody has looked."""
        labels, found = self._found.get(version.model.clusterer_, (None, None))
        return found if labels is not None and np.array_equal(labels, version.labels) else None
