"""`python -m bench steer people [--collections NAME ...] [--people NAME ...] [--draws N] [--labels N ...]`.

What labels do to documents that have none, by three people who know the classes:

- `answers` takes the questions about documents in the order in which they are proposed, ten at a time;
- `corrects` labels documents that are in a wrong group, at random, and `corrects a pair` only those of the two classes
  that are confused most;
- `samples` labels documents drawn at random, and regroups after every ten.

Groups are numbered by the classes, matched by Hungarian matching before the first label. Each cell is the mean
difference of NMI from the groups without labels, and how many documents were put right and put wrong, all on documents
without a label, in the mean of the draws; "-" where a person has nothing more to label.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.optimize import linear_sum_assignment

from bench import data
from bench.studies import corrections
from outgroup.decisions import Belongs, Decision, Regroup
from outgroup.metrics import nmi
from outgroup.session import Session, Version
from outgroup.session.questions import MisplacedParts, MixedGroups, ask_next

AT_ONCE = 10
LABELS = [1, 2, 5, 10, 20, 50, 100, 200]


def _read(name: str, classes: str = "", vectors: str = "", titled: bool = False) -> corrections.Case:
    """Return a collection of a file, of some classes if they are named, with vectors if their file is."""
    rows = data.records(data.folder() / f"{name}.jsonl.xz")
    kept = [i for i, row in enumerate(rows) if not classes or row["label"] in classes.split()]
    texts = [(f"{rows[i]['title']} " if titled else "") + rows[i]["text"] for i in kept]
    y = np.array([rows[i]["label"] for i in kept])
    embeddings = np.load(data.folder() / f"{vectors}.npy").astype(np.float32)[kept] if vectors else None
    return corrections.Case(texts, y, len(np.unique(y)), embeddings=embeddings)


CASES: dict[str, Callable[[], corrections.Case]] = {
    "webkb": lambda: _read("webkb-all", "student faculty course project"),
    "rcv1": lambda: _read("rcv1-top"),
    "classic4": lambda: _read("classic4", titled=True),
    "reuters": corrections.reuters,
    "banking": lambda: _read("banking77"),
    "banking-vectors": lambda: _read("banking77", vectors="banking77-minilm"),
    "news": corrections.news,
    "news-vectors": lambda: _read("20news-18828", vectors="ng20-minilm"),
}


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
    mixed: MixedGroups = field(default_factory=MixedGroups)
    parts: MisplacedParts = field(default_factory=MisplacedParts)

    def __post_init__(self) -> None:
        self.version = self.first

    def label(self, rows: list[int], source: str = "correction") -> None:
        self.labelled += rows
        said = [Belongs(self.first.ids[row], int(self.y[row]), source=source) for row in rows]
        self._follow(said)

    def _follow(self, said: Sequence[Decision]) -> None:
        if said:
            self.log += said
            self.version = replace(self.session.fit(self.log, start=self.version), parent=None, effects=())

    def free(self, rows: np.ndarray) -> np.ndarray:
        """Return which of some rows, a mask (n,), have no label, in a random order."""
        return self.rng.permutation(np.setdiff1d(np.flatnonzero(rows & self.first.rows), self.labelled))

    def wrong(self) -> np.ndarray:
        return (self.version.labels >= 0) & (self.version.labels != self.y)

    def answers(self, count: int) -> None:
        asked = ask_next(
            self.version, self.version.assess(), self.log, mixed=self.mixed, parts=self.parts, most=2 * AT_ONCE + count
        )  # fmt: skip
        about = [each for each in asked if each.row >= 0][:count]
        drawn = [each.row for each in about if each.kind == "drawn"]
        self.label(drawn, "sample")
        self.label([each.row for each in about if each.row not in drawn])

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

    def samples(self, count: int) -> None:
        self.label(self.free(np.ones(len(self.y), dtype=bool))[:count].tolist(), "sample")
        if len(self.labelled) % AT_ONCE == 0:
            self._follow([Regroup()])

    def effect(self) -> tuple[float, int, int]:
        """Return the difference of NMI, and the counts of unlabelled documents put right and put wrong."""
        before, after = self.first.labels, self.version.labels
        left = (before >= 0) & (after >= 0)
        left[self.labelled] = False
        was, now = before[left] == self.y[left], after[left] == self.y[left]
        gain = nmi(self.y[left], after[left]) - nmi(self.y[left], before[left])
        return gain, int(np.count_nonzero(now & ~was)), int(np.count_nonzero(was & ~now))


PEOPLE: dict[str, Callable[[Labeller, int], None]] = {
    "answers": Labeller.answers,
    "corrects": Labeller.corrects,
    "corrects a pair": Labeller.corrects_a_pair,
    "samples": Labeller.samples,
}


def numbered(y: np.ndarray, version: Version) -> np.ndarray:
    """Return the right group of each document, (n,): each class is one group, matched by most documents."""
    inside = version.labels >= 0
    table = np.zeros((int(y.max()) + 1, max(version.numbers) + 1))
    np.add.at(table, (y[inside], version.labels[inside]), 1)
    classes, groups = linear_sum_assignment(table, maximize=True)
    group_of = dict(zip(classes.tolist(), groups.tolist(), strict=True))
    return np.array([group_of[each] for each in y.tolist()])


def effects(person: str, labeller: Labeller, counts: list[int]) -> list[tuple[float, int, int] | None]:
    """Return the effect of each number of labels; None where fewer were given."""
    found: list[tuple[float, int, int] | None] = []
    for count in counts:
        while (given := len(labeller.labelled)) < count:
            PEOPLE[person](labeller, min(AT_ONCE - given % AT_ONCE, count - given))
            if len(labeller.labelled) == given:
                break
        found.append(labeller.effect() if len(labeller.labelled) >= count else None)
    return found


def _cell(values: list[tuple[float, int, int] | None]) -> str:
    known = [each for each in values if each is not None]
    if not known:
        return "-"
    gain, right, wrong = np.mean(known, axis=0)
    return f"{gain:+.3f} {right:.0f}/{wrong:.0f}"


def main(argv: list[str]) -> None:
    """Print a line for each collection and person, as it is known."""
    parser = argparse.ArgumentParser(prog="python -m bench steer people", description=__doc__)
    parser.add_argument("--collections", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--people", nargs="+", choices=PEOPLE, default=list(PEOPLE))
    parser.add_argument("--draws", type=int, default=5, help="default 5")
    parser.add_argument("--labels", type=int, nargs="+", default=LABELS)
    given = parser.parse_args(argv)
    print(f"NMI gained, documents put right/wrong, without labelled ones; mean of {given.draws} draws")
    print("| collection | NMI | person | " + " | ".join(map(str, given.labels)) + " |")
    print("|---" * (3 + len(given.labels)) + "|")
    for name in given.collections:
        case = CASES[name]()
        classes = np.unique(case.y, return_inverse=True)[1]
        found: dict[str, list[list[tuple[float, int, int] | None]]] = {person: [] for person in given.people}
        without = []
        for draw in range(given.draws):
            session = Session(case.texts, n_clusters=case.k, embeddings=case.embeddings, random_state=draw)
            first = session.fit()
            y = numbered(classes, first)
            without.append(nmi(y[first.labels >= 0], first.labels[first.labels >= 0]))
            for person, lines in found.items():
                labeller = Labeller(session, first, y, np.random.default_rng(draw))
                lines.append(effects(person, labeller, given.labels))
        for person, lines in found.items():
            cells = [_cell(list(each)) for each in zip(*lines, strict=True)]
            print(f"| {name} | {np.mean(without):.3f} | {person} | " + " | ".join(cells) + " |", flush=True)
