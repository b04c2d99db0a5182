"""What to ask next about a version: looked for once it is shown, so that nobody waits for it to see the groups."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

from ..session import Version
from ..session.ask import AGAIN, GROUP, ask_next
from ..session.assess import Verdicts
from ..session.mixed import Mixed
from ..session.parts import Parts
from ..session.propose import Proposal
from ..steering.decisions import Belongs, Decision, OffTopic

_AHEAD = 60  # proposals that are looked for at once


class Ahead:
    """The proposals of one version after the other; any thread may ask."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._version: Version | None = None
        self._found: Verdicts | None = None
        self._proposals: list[Proposal] = []
        self._mixed, self._parts = Mixed(), Parts()

    def look(self, version: Version, decisions: Sequence[Decision]) -> None:
        """Look for proposals, unless those of this version are there."""
        with self._lock:
            if version is not self._version:
                self._found = version.assess()
                self._proposals = self._asked(version, decisions, set(), _AHEAD)
                self._version = version

    def next(self, version: Version, decisions: Sequence[Decision], passed: set[str], most: int) -> list[Proposal]:
        """Return what to look at next that is neither decided nor was `passed` over."""
        self.look(version, decisions)
        decided = {each.document for each in decisions if isinstance(each, Belongs | OffTopic)}
        with self._lock:
            found = [each for each in self._proposals if _open(version, each, passed | decided)][:most]
            return found if len(found) == most else self._asked(version, decisions, passed, most)

    def _asked(
        self, version: Version, decisions: Sequence[Decision], passed: set[str], most: int
    ) -> list[Proposal]:  # fmt: skip
        assert self._found is not None
        return ask_next(version, self._found, decisions, passed, mixed=self._mixed, parts=self._parts, most=most)


def _open(version: Version, asked: Proposal, passed: set[str]) -> bool:
    """Whether a proposal was neither answered nor put off."""
    if asked.row >= 0:
        return version.ids[asked.row] not in passed
    return (f"{GROUP}{version.numbers[asked.group]}" if asked.group >= 0 else AGAIN) not in passed
