"""`python -m bench steer people [--collections NAME ...] [--people NAME ...] [--draws N] [--labels N ...] [--most N]`.

What labels do to documents that have none, by four people who know the classes:

- `answers` takes the questions in the order in which they are proposed: merges, splits, labels, regroupings;
- `corrects` labels documents that are in a wrong group, at random, and `corrects a pair` only those of the two classes
  that are confused most;
- `uncertain` labels the documents with the least margin of two scores;
- `samples` labels documents drawn at random, and regroups after every ten.

Groups are numbered by the classes, matched by Hungarian matching before the first label; for `answers`, whose numbers
change, before and after. Each cell is the mean difference of NMI from the groups without labels, and how many
documents were put right and put wrong, all on documents without a label, in the mean of the draws; "-" where a person
has nothing more to label.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.optimize import linear_sum_assignment

from bench.data.collections import CASES
from bench.studies.person import Person
from bench.studies.steer import begun
from bench.tables import begin, line
from outgroup.decisions import Decision, Label, Regroup
from outgroup.metrics import nmi
from outgroup.session import Session, Version

ANSWERS = "answers"
AT_ONCE = 10
NOWHERE = -2  # the group of a class that has none
LABELS = [1, 2, 5, 10, 20, 50, 100, 200]


@dataclass
class Labeller:
    """A simulated person who labels documents of a session by their right groups `y` (n,)."""

    session: Session
    first: Version
    y: np.ndarray
    rng: np.random.Generator
    version: Version = field(init=False)
    log: list[Decision] = field(default_factory=list)
    labelled: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.version = self.first

    def label(self, rows: list[int], sample: bool = False) -> None:
        self.labelled += rows
        self._follow([Label(self.first.ids[row], int(self.y[row]), sample=sample) for row in rows])

    def _follow(self, said: Sequence[Decision]) -> None:
        if said:
            self.log += said
            self.version = replace(self.session.fit(self.log, start=self.version), parent=None, effects=())

    def free(self, rows: np.ndarray) -> np.ndarray:
        """Return which of some rows, a mask (n,), have no label, in a random order."""
        return self.rng.permutation(np.setdiff1d(np.flatnonzero(rows & self.first.rows), self.labelled))

    def wrong(self) -> np.ndarray:
        return (self.version.labels >= 0) & (self.version.labels != self.y)

    def corrects(self, count: int) -> None:
        self.label(self.free(self.wrong())[:count].tolist())

    def corrects_a_pair(self, count: int) -> None:
        table = np.zeros((int(self.y.max()) + 1,) * 2)
        inside = self.first.labels >= 0
        np.add.at(table, (self.y[inside], self.first.labels[inside]), 1)
        both = np.triu(table + table.T, 1)
        pair = np.unravel_index(both.argmax(), both.shape)
        of_pair = np.isin(self.y, pair) & np.isin(self.version.labels, pair)
        self.label(self.free(self.wrong() & of_pair)[:count].tolist())

    def uncertain(self, count: int) -> None:
        best = np.sort(self.version.assess().scores, axis=1)[:, -2:]
        free = self.free(np.isfinite(best).all(axis=1))
        self.label(free[np.argsort(np.diff(best[free]).ravel(), kind="stable")[:count]].tolist())

    def samples(self, count: int) -> None:
        self.label(self.free(np.ones(len(self.y), dtype=bool))[:count].tolist(), sample=True)
        if len(self.labelled) % AT_ONCE == 0:
            self._follow([Regroup()])


Effect = tuple[float, int, int]
"""The difference of NMI, and the counts of unlabelled documents put right and put wrong."""
PEOPLE: dict[str, Callable[[Labeller, int], None]] = {
    "corrects": Labeller.corrects,
    "corrects a pair": Labeller.corrects_a_pair,
    "uncertain": Labeller.uncertain,
    "samples": Labeller.samples,
}
EVERYONE = [ANSWERS, *PEOPLE]


def effect(
    y: np.ndarray, labelled: Sequence[int], before: tuple[Version, np.ndarray], after: tuple[Version, np.ndarray]
) -> Effect:
    """Return what changed for the documents without a label; each version comes with the right groups (n,)."""
    (first, home), (last, new_home) = before, after
    left = (first.labels >= 0) & (last.labels >= 0)
    left[list(labelled)] = False
    was, now = first.labels[left] == home[left], last.labels[left] == new_home[left]
    gain = nmi(y[left], last.labels[left]) - nmi(y[left], first.labels[left])
    return gain, int(np.count_nonzero(now & ~was)), int(np.count_nonzero(was & ~now))


def numbered(y: np.ndarray, version: Version) -> np.ndarray:
    """Return the right group of each document, (n,): each class is one group, matched by most documents."""
    inside = version.labels >= 0
    table = np.zeros((int(y.max()) + 1, max(version.numbers) + 1))
    np.add.at(table, (y[inside], version.labels[inside]), 1)
    classes, groups = linear_sum_assignment(table, maximize=True)
    group_of = dict(zip(classes.tolist(), groups.tolist(), strict=True))
    return np.array([group_of.get(each, NOWHERE) for each in y.tolist()])


def by_labels(
    person: str, begun: tuple[Session, Version], y: np.ndarray, draw: int, counts: list[int]
) -> list[Effect | None]:
    """Return the effect of each number of labels; None where fewer were given."""
    session, first = begun
    labeller = Labeller(session, first, home := numbered(y, first), np.random.default_rng(draw))
    found: list[Effect | None] = []
    for count in counts:
        while (given := len(labeller.labelled)) < count:
            PEOPLE[person](labeller, min(AT_ONCE - given % AT_ONCE, count - given))
            if len(labeller.labelled) == given:
                break
        enough = len(labeller.labelled) >= count
        found.append(effect(y, labeller.labelled, (first, home), (labeller.version, home)) if enough else None)
    return found


def by_answers(begun: tuple[Session, Version], y: np.ndarray, counts: list[int]) -> list[Effect | None]:
    """Return the effect of each number of answered questions."""
    session, first = begun
    person, home, found, given = Person(session, y, first), numbered(y, first), list[Effect | None](), 0
    for count in counts:
        person.asked(count - given)
        given = count
        labelled = [session.documents.row_of[document] for each in person.log for document in each.labelled]
        found.append(effect(y, labelled, (first, home), (person.version, numbered(y, person.version))))
    return found


def _cell(values: Sequence[Effect | None]) -> str:
    known = [each for each in values if each is not None]
    if not known:
        return "-"
    gain, right, wrong = np.mean(known, axis=0)
    return f"{gain:+.3f} {right:.0f}/{wrong:.0f}"


def main(argv: list[str]) -> None:
    """Print a line for each collection and person, as it is known."""
    parser = argparse.ArgumentParser(prog="python -m bench steer people", description=__doc__)
    parser.add_argument("--collections", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--people", nargs="+", choices=EVERYONE, default=EVERYONE)
    parser.add_argument("--draws", type=int, default=5, help="default 5")
    parser.add_argument("--labels", type=int, nargs="+", default=LABELS)
    parser.add_argument("--most", type=int, metavar="N", help="at most N random documents of a collection")
    given = parser.parse_args(argv)
    print(f"NMI gained, documents put right/wrong, without labelled ones; mean of {given.draws} draws")
    begin(["collection", "NMI", "person", *given.labels])
    for name in given.collections:
        found: dict[str, list[list[Effect | None]]] = {person: [] for person in given.people}
        without = []
        for draw in range(given.draws):
            session, y, first = begun(name, draw, given.most)
            without.append(nmi(y[first.labels >= 0], first.labels[first.labels >= 0]))
            for person, lines in found.items():
                if person == ANSWERS:
                    lines.append(by_answers((session, first), y, given.labels))
                else:
                    lines.append(by_labels(person, (session, first), y, draw, given.labels))
        for person, lines in found.items():
            line([name, f"{np.mean(without):.3f}", person, *(_cell(each) for each in zip(*lines, strict=True))])
