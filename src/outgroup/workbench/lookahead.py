"""Background steps after a version is shown: next questions, and trust in groups."""

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

# --- Next questions, found in the background; until then, the open questions of the previous version stay

_AHEAD = 60  # proposals per search


@dataclass(frozen=True)
class _Known:
    """Verdicts, first questions (groups by number) and the labelled off-topic share of a version."""

    version: Version
    found: Verdicts
    proposals: list[Proposal]
    junk_seen: float | None


class Lookahead:
    """Questions about the newest version; thread-safe. Groups are numbers, -1 for none."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: _Known | None = None
        self._mixed, self._parts = MixedGroups(), MisplacedParts()

    def look(self, version: Version, decisions: Sequence[Decision], junk: Array) -> None:
        """Find the questions about a version, once; `junk` (n,) are off-topic scores."""
        with self._lock:
            if not self.knows(version):
                found = replace(version.assess(), off_topic_score=np.where(version.rows, junk, np.nan))
                proposal = self._find(version, found, decisions, set(), _AHEAD)
                stop_if_asked()
                self._known = _Known(version, found, proposal, junk_seen(version, junk))

    def knows(self, version: Version) -> bool:
        """Whether the questions about this version are ready."""
        return self._known is not None and self._known.version is version

    @property
    def junk_seen(self) -> float | None:
        """The estimated share of off-topic documents that are labelled, or None."""
        return None if self._known is None else self._known.junk_seen

    def next(
        self, version: Version, decisions: Sequence[Decision], passed: Collection[str], most: int
    ) -> list[Proposal]:
        """Return open questions: neither answered nor in `passed`.

        If this version has none yet, use those of the previous version without its questions about groups.
        """
        left = self._left(version, decisions, passed)
        if (known := self._known) is None or known.version is not version or len(left) >= most:
            return left[:most]
        with self._lock:
            return self._find(version, known.found, decisions, passed, most)

    def worth(self, version: Version, decisions: Sequence[Decision], passed: Collection[str]) -> int:
        """Count the open questions that are not border cases; at 0 the user can stop."""
        return sum(each.kind != "between" for each in self._left(version, decisions, passed))

    def _left(self, version: Version, decisions: Sequence[Decision], passed: Collection[str]) -> list[Proposal]:
        if (known := self._known) is None:
            return []
        closed = {document for each in decisions for document in documents_in(each)}.union(passed)
        left = [each for each in known.proposals if _open(version, each, closed)]
        return left if known.version is version else [each for each in left if each.row >= 0]

    def _find(
        self, version: Version, found: Verdicts, decisions: Sequence[Decision], passed: Collection[str], most: int
    ) -> list[Proposal]:
        merged = {f"{GROUP}{group}" for each in decisions if isinstance(each, Merge) for group in each.groups}
        proposals = ask_next(
            version, found, decisions, merged.union(passed), mixed=self._mixed, parts=self._parts, most=most
        )
        number = {-1: -1, **dict(enumerate(version.numbers))}
        halved = {each.group for each in decisions if isinstance(each, Split)}
        return [
            _not_again(replace(each, group=number[each.group], rival=number[each.rival]), halved) for each in proposals
        ]


def _not_again(proposal: Proposal, halved: set[int | str]) -> Proposal:
    """Remove the offer to merge if a decision split one of the groups."""
    return (
        replace(proposal, rival=-1)
        if proposal.kind == "typical" and halved & {proposal.group, proposal.rival}
        else proposal
    )


def _open(version: Version, proposal: Proposal, passed: Collection[str]) -> bool:
    """Return whether a question is unanswered and not skipped, and its groups exist."""
    if not {proposal.group, proposal.rival} <= {-1, *version.numbers}:
        return False
    if proposal.row >= 0:
        return version.ids[proposal.row] not in passed
    return (f"{GROUP}{proposal.group}" if proposal.group >= 0 else AGAIN) not in passed


# --- Trust in groups, cached by model: a rename or an undo has the same model and labels again

Figures = dict[str, Any]
"""The fields of a `Trust`, as plain data."""


class Trusted:
    """Trust in the groups of each model; one thread computes it, any thread may read it."""

    def __init__(self) -> None:
        self._found: WeakKeyDictionary[Any, tuple[Array, Figures]] = WeakKeyDictionary()

    def look(self, version: Version) -> Figures:
        """Return the trust in a version's groups; raise CancelledError if cancelled."""
        if (known := self.of(version)) is not None:
            return known
        found = trust_of(version.model, by_number(version)).to_dict()
        self._found[version.model.clusterer_] = version.labels, found
        return found

    def of(self, version: Version) -> Figures | None:
        """Return the cached trust of a version, or None."""
        labels, found = self._found.get(version.model.clusterer_, (None, None))
        return found if labels is not None and np.array_equal(labels, version.labels) else None
