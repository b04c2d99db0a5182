"""A simulated person, who knows the true classes and answers one question at a time as a reader of the page would."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from outgroup import SphericalKMeans
from outgroup.decisions import Decision, Label, Merge, Regroup, Split, Word
from outgroup.metrics import nmi
from outgroup.session import Session, Version
from outgroup.session.questions import GROUP, Proposal, Questions

_CLEAR = 0.5  # of a word's documents are of one class: then it speaks for that class
_ENOUGH = 10  # labels of a random sample, after which groups are found again
_CLOUD = 30  # words of a group that are read


@dataclass
class Person:
    """Who steers a session by the classes `y` (n,) of its documents; `passed` is what was put off."""

    session: Session
    y: np.ndarray
    version: Version
    log: list[Decision] = field(default_factory=list)
    passed: set[str] = field(default_factory=set)
    questions: Questions = field(default_factory=Questions)

    @property
    def quality(self) -> float:
        inside = self.version.labels >= 0
        return nmi(self.y[inside], self.version.labels[inside])

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

    def belongs(self, row: int, table: np.ndarray, sample: bool = False) -> Decision:
        return Label(self.version.ids[row], self.home(table, int(self.y[row])), sample=sample)

    def at_random(self, count: int, rng: np.random.Generator, *, regroup: bool = False) -> None:
        """Label documents that the page did not propose; with `regroup` find groups again after ten labels."""
        if regroup and self._labels_since() >= _ENOUGH:
            self.follow([Regroup()])
            count -= 1
        table, rows = self.table(), rng.permutation(np.flatnonzero(self.version.rows))
        labelled = {document for each in self.log for document in each.labelled}
        new = [row for row in rows.tolist() if self.version.ids[row] not in labelled][:count]
        self.follow([self.belongs(row, table, sample=True) for row in new])

    def _labels_since(self) -> int:
        """The number of labels since groups were found again."""
        last = max((place for place, each in enumerate(self.log) if isinstance(each, Regroup)), default=-1)
        return sum(isinstance(each, Label) and each.sample for each in self.log[last + 1 :])

    def asked(self, count: int, *, regroup: bool) -> None:
        """Answer so many questions, each the first that the page proposes; the groups follow each answer.

        Without `regroup` only documents are asked about, and only put to groups.
        """
        for _ in range(count):
            found = self.questions.next(self.version, self.version.assess(), self.log, self.passed)
            first = next((each for each in found if regroup or each.row >= 0), None)
            if first is None:
                return  # nothing is left to ask
            decision = self._answer(first, self.table(), regroup)
            self.follow([] if decision is None else [decision])

    def _answer(self, asked: Proposal, table: np.ndarray, regroup: bool) -> Decision | None:
        """What a person decides who is asked; None where a group does not fall into two classes."""
        here = asked.group
        if asked.row < 0:
            self.passed.add(f"{GROUP}{here}")
            return Split(here) if self.looks_like_two(here) else None
        label, here = int(self.y[asked.row]), int(self.version.labels[asked.row])
        if not regroup or here < 0:
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

    def words(self, count: int) -> None:
        """Answer for words of the clouds, group by group: which group do they speak for, if for one?"""
        table, said = self.table(), list[Decision]()
        for word in self._cloud()[:count]:
            self.passed.add(word)
            label = self._speaks_for(word)
            if label is not None:
                said.append(Word(word, self.home(table, label)))
        self.follow(said)

    def _cloud(self) -> list[str]:
        """The words that nobody looked at: the heaviest of each group, largest groups first, then the second, ..."""
        names = self.version.model.representation_.names
        sizes = [int(np.count_nonzero(self.version.labels == number)) for number in self.version.numbers]
        coef = np.asarray(self.version.model.word_coef_)[np.argsort(sizes)[::-1]]
        heaviest = np.argsort(-coef, axis=1)[:, :_CLOUD]
        return [word for word in dict.fromkeys(names[c] for c in heaviest.T.ravel()) if word not in self.passed]

    def _speaks_for(self, word: str) -> int | None:
        """The class of most documents with the word, if it is that of half of them."""
        spaces = self.version.model.spaces_
        columns = self.session.documents.columns(word)
        found = np.flatnonzero(np.asarray(abs(spaces.words[:, columns]).sum(axis=1)).ravel())
        counts = np.bincount(self.y[np.flatnonzero(self.version.rows)[found]])
        return int(counts.argmax()) if len(found) and counts.max() >= _CLEAR * len(found) else None
