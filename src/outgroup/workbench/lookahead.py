"""What is computed in the background once a version is shown: next questions, and trust in groups."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ..decisions import Decision, Merge, Split, documents_in
from ..session import Version
from ..session.questions import AGAIN, GROUP, MisplacedParts, MixedGroups, Proposal, ask_next, junk_seen
from ..session.reporting import by_number, trust_of
from ..session.version import Verdicts
from ..stopping import stop_if_asked
from ..types import Array

# --- What to ask next about a version: looked for once it is shown, so that nobody waits for it to see the groups
#
# Nor does anybody wait for it to have something to look at: until it is there, what is left of the version before
# stands.

_AHEAD = 60  # proposals that are looked for at once


@dataclass(frozen=True)
class _Known:
    """What a version says of each document, its first proposals, their groups by number, and how much junk was seen."""

    version: Version
    found: Verdicts
    proposals: list[Proposal]
    junk_seen: float | None


class Ahead:
    """The proposals of one version after the other; any thread may ask. Their groups are numbers, -1 for none."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: _Known | None = None
        self._mixed, self._parts = MixedGroups(), MisplacedParts()

    def look(self, version: Version, decisions: Sequence[Decision], junk: Array) -> None:
        """Look for proposals, unless those of this version are there; `junk` (n,) is how much each looks like it."""
        with self._lock:
            if not self.knows(version):
                found = replace(version.assess(), off_topic_score=np.where(version.rows, junk, np.nan))
                asked = self._asked(version, found, decisions, set(), _AHEAD)
                stop_if_asked()
                self._known = _Known(version, found, asked, junk_seen(version, junk))

    def knows(self, version: Version) -> bool:
        """Whether the proposals of this version are there."""
        return self._known is not None and self._known.version is version

    @property
    def junk_seen(self) -> float | None:
        """The share of the junk that was seen, by an estimate, until the version that was looked at last."""
        return None if self._known is None else self._known.junk_seen

    def next(
        self, version: Version, decisions: Sequence[Decision], passed: Collection[str], most: int
    ) -> list[Proposal]:
        """Return what to look at next that is neither decided nor was `passed` over.

        Of a version that nobody has looked for proposals of it is what is left of those of the one before, without its
        questions about groups.
        """
        left = self._left(version, decisions, passed)
        if (known := self._known) is None or known.version is not version or len(left) >= most:
            return left[:most]
        with self._lock:
            return self._asked(version, known.found, decisions, passed, most)

    def worth(self, version: Version, decisions: Sequence[Decision], passed: Collection[str]) -> int:
        """Return how many of the questions that are left are more than a border case: with none, one can stop."""
        return sum(each.kind != "between" for each in self._left(version, decisions, passed))

    def _left(self, version: Version, decisions: Sequence[Decision], passed: Collection[str]) -> list[Proposal]:
        if (known := self._known) is None:
            return []
        closed = {document for each in decisions for document in documents_in(each)}.union(passed)
        left = [each for each in known.proposals if _open(version, each, closed)]
        return left if known.version is version else [each for each in left if each.row >= 0]

    def _asked(
        self, version: Version, found: Verdicts, decisions: Sequence[Decision], passed: Collection[str], most: int
    ) -> list[Proposal]:  # fmt: skip
        merged = {f"{GROUP}{group}" for each in decisions if isinstance(each, Merge) for group in each.groups}
        asked = ask_next(
            version, found, decisions, merged.union(passed), mixed=self._mixed, parts=self._parts, most=most
        )
        number = {-1: -1, **dict(enumerate(version.numbers))}
        halved = {each.group for each in decisions if isinstance(each, Split)}
        return [_not_again(replace(each, group=number[each.group], rival=number[each.rival]), halved) for each in asked]


def _not_again(asked: Proposal, halved: set[int | str]) -> Proposal:
    """Return a question that does not offer to merge groups of which one was split on purpose."""
    return replace(asked, rival=-1) if asked.kind == "typical" and halved & {asked.group, asked.rival} else asked


def _open(version: Version, asked: Proposal, passed: Collection[str]) -> bool:
    """Whether a proposal was neither answered nor put off, and its groups are there."""
    if not {asked.group, asked.rival} <= {-1, *version.numbers}:
        return False
    if asked.row >= 0:
        return version.ids[asked.row] not in passed
    return (f"{GROUP}{asked.group}" if asked.group >= 0 else AGAIN) not in passed


# --- How far the groups of a version can be trusted: found once they are shown and nothing else is left to do
#
# It is kept with the model that found the groups: who gives a group a name, or goes back a few decisions, has the same
# model again, and the same documents in its groups.

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
