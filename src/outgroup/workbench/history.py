"""What the page says of each version: its figures, what it came from, and what differs between two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..metrics import adjusted_rand, nmi
from ..session import Assignment, Changes
from ..types import Array

Data = dict[str, Any]

_WAYS, _SUCH = 40, 3  # of a comparison, that are listed: pairs of groups, and documents of each


class Labels:
    """The true classes of the documents, where they came with labels; "" is an unknown one."""

    def __init__(self, labels: Sequence[str] | None) -> None:
        self._known = labels is not None
        self._classes = np.unique([str(label or "") for label in labels or ()], return_inverse=True)[1].ravel()
        self._classes[[not label for label in labels or ()]] = -1

    def quality(self, version: Assignment) -> Data:
        """Return how far the groups of a version agree with the classes; nothing where no class is known."""
        if not self._known:
            return {}
        known = np.flatnonzero((self._classes >= 0) & (version.labels >= 0))
        if not len(known):
            return {"quality": {}}
        classes, labels = self._classes[known], version.labels[known]
        return {"quality": {"nmi": nmi(classes, labels), "ari": adjusted_rand(classes, labels)}}


def line(versions: Sequence[Assignment], place: int, labels: Labels) -> Data:
    """Return what the history says of the version at a place, from 0, beside its name.

    `moved` counts the documents that are elsewhere than in the one above it, which going back has passed over; `origin`
    is the version that it goes on from, and `again` says that it is that one once more.
    """
    version, above = versions[place], versions[place - 1] if place else None
    origin = version.origin
    place_of = {each.number: i for i, each in enumerate(versions[: place + 1], 1)}
    return {
        "groups": len(version.numbers), "decisions": len(version.lasting), "away": _away(version.labels),
        "moved": None if above is None else int(np.count_nonzero(version.labels != above.labels)),
        "origin": None if origin is None else place_of.get(origin.number),
        "again": origin is not None and origin.lasting == version.lasting,
        "last": version.lasting[-1].to_dict() if version.lasting else None,
        "seconds": round(version.seconds, 3), "notes": list(version.notes),
        "made": None if version.made is None else version.made.isoformat(), **labels.quality(version),
    }  # fmt: skip


def differences(found: Changes, names: tuple[Mapping[int, str], Mapping[int, str]]) -> Data:
    """Return what differs between two versions: the groups, with what they are called in each, and from which to which
    of them documents moved, with the first of these."""
    ways: dict[tuple[int, int], list[str]] = {}
    for each in found.moved:
        ways.setdefault((each.before, each.after), []).append(each.id)
    most = sorted(ways.items(), key=lambda way: -len(way[1]))[:_WAYS]
    listed = [
        {"before": before, "after": after, "count": len(ids), "such": ids[:_SUCH]} for (before, after), ids in most
    ]
    groups = [
        {
            "number": each.number, "names": [name.get(each.number) for name in names],
            "sizes": [each.before, each.after], "joined": each.joined, "left": each.left,
        }
        for each in found.groups
    ]  # fmt: skip
    return {
        "said": str(found), "n_moved": len(found.moved), "groups": groups, "ways": listed, "n_ways": len(ways)
    }  # fmt: skip


def moved_between(found: Changes, before: int, after: int, most: int) -> list[str]:
    """Return the ids of the first documents that moved from one group to another."""
    return [each.id for each in found.moved if (each.before, each.after) == (before, after)][:most]


def _away(labels: Array) -> int:
    return int(np.count_nonzero(labels < 0))
