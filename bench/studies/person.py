"""A simulated person, who knows the true classes and answers one question at a time as a reader of the page would."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from outgroup import SphericalKMeans
from outgroup.decisions import Decision, Label, Merge, Split
from outgroup.session import Session, Version
from outgroup.session.questions import GROUP, Proposal, Questions


@dataclass
class Person:
    """Who steers a session by the classes `y` (n,) of its documents; `passed` is what was put off."""

    session: Session
    y: np.ndarray
    version: Version
    log: list[Decision] = field(default_factory=list)
    passed: set[str] = field(default_factory=set)
    questions: Questions = field(default_factory=Questions)

    def follow(self, decisions: list[Decision]) -> None:
        """Decide, and wait for the groups."""
        if decisions:
            self.log += decisions
            found = self.session.fit(self.log, start=self.version)
            self.version = replace(found, parent=None, effects=())  # what is not gone back to need not be kept

    def table(self) -> np.ndarray:
        """Documents of each group (by number) and class."""
        inside = self.version.labels >= 0
        table = np.zeros((max(self.version.numbers) + 1, int(self.y.max()) + 1), dtype=int)
        np.add.at(table, (self.version.labels[inside], self.y[inside]), 1)
        return table

    def home(self, table: np.ndarray, label: int) -> int:
        """The group that a class belongs to: of those that it is the largest class of, or else of all, the one with
        most of its documents."""
        own = [g for g in self.version.numbers if table[g].any() and table[g].argmax() == label]
        return int(max(own or self.version.numbers, key=lambda g: table[g, label]))

    def belongs(self, row: int, table: np.ndarray) -> Decision:
        return Label(self.version.ids[row], self.home(table, int(self.y[row])))

    def asked(self, count: int) -> None:
        """Answer at most `count` questions, always the first that the page proposes; the groups follow the answer."""
        for _ in range(count):
            found = self.questions.next(self.version, self.version.assess(), self.log, self.passed)
            if not found:
                return
            decision = self._answer(found[0], self.table())
            self.follow([] if decision is None else [decision])

    def _answer(self, asked: Proposal, table: np.ndarray) -> Decision | None:
        """Return the decision of a person; None where a group does not fall into two classes."""
        here = asked.group
        if asked.row < 0:
            self.passed.add(f"{GROUP}{here}")
            return Split(here) if self.looks_like_two(here) else None
        label, here = int(self.y[asked.row]), int(self.version.labels[asked.row])
        if here < 0:
            return self.belongs(asked.row, table)
        homes = [g for g in self.version.numbers if g != here and table[g].any() and table[g].argmax() == label]
        if table[here].argmax() == label:
            return Merge((min(here, homes[0]), max(here, homes[0]))) if homes else self.belongs(asked.row, table)
        if not homes and self.looks_like_two(here):
            return Split(here)  # what it is about has no group of its own
        return self.belongs(asked.row, table)

    def looks_like_two(self, group: int) -> bool:
        """Whether the halves of a group are mostly of different classes."""
        version = self.version
        members = np.flatnonzero(version.rows & (version.labels == group))
        rows = version.model.spaces_.space[np.flatnonzero(version.rows).searchsorted(members)]
        halves = np.asarray(SphericalKMeans(2, random_state=0).fit(rows).labels_) if len(members) > 2 else members * 0
        largest = [int(np.bincount(self.y[members[halves == half]]).argmax()) for half in set(halves.tolist())]
        return len(set(largest)) == 2
