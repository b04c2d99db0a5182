"""`python -m bench steer answerer [--collections NAME ...] [--groups K] [--accuracy A ...] [--abstains A ...]`: what
the answers of a model bring if a person checks a tenth of them.

A simulated model answers the questions about a first version: it abstains at a rate, else it is right with a given
accuracy, or gives another answer at random. A simulated person, who knows the classes, answers the questions to check.
Each line is a mean of draws: NMI, the NMI gained by the person's answers alone, and with the answers of the kinds that
pass; how many documents these put right and put wrong beside the person's; how many questions the person answers; and
how many kinds of three pass. All are of the documents that no question is about.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from itertools import product

import numpy as np

from bench.data.collections import CASES
from bench.studies.person import Person
from bench.studies.steer import begun
from bench.studies.steer_people import Effect, effect, numbered
from bench.tables import begin, line
from outgroup.answering import CANNOT_TELL, ONE, TWO, Question, decisions_of, probation, questions_of, to_check
from outgroup.metrics import nmi
from outgroup.session import Session, Version

KINDS = ("typical", "mixed", "document")


def right_answer(question: Question, person: Person, table: np.ndarray) -> str:
    """Return the answer by the classes."""
    if question.kind == "typical":
        return ONE if len({int(table[group].argmax()) for group in question.groups}) == 1 else TWO
    if question.kind == "mixed":
        return TWO if person.looks_like_two(question.groups[0]) else ONE
    label = int(person.y[person.session.documents.row_of[question.document]])
    own = [group for group in question.groups if table[group].argmax() == label]
    if question.now in map(str, own) or not own:
        return question.now if own else CANNOT_TELL
    return str(max(own, key=lambda group: table[group, label]))


def simulated(question: Question, right: str, accuracy: float, abstains: float, rng: np.random.Generator) -> str:
    """Return the answer of a model."""
    others = [each for each in question.answers if each not in (right, CANNOT_TELL, "off-topic")]
    if rng.random() < abstains:
        return CANNOT_TELL
    return right if rng.random() < accuracy or not others else str(rng.choice(others))


@dataclass
class Trial:
    """A first version, its questions, and a person who knows the classes `y` (n,) and answers some of them."""

    session: Session
    y: np.ndarray
    first: Version
    most: int

    def __post_init__(self) -> None:
        person = Person(self.session, self.y, self.first)
        table, self.questions = person.table(), questions_of(self.session, self.first, self.most)
        self.right = {each.key: right_answer(each, person, table) for each in self.questions}

    def gained(self, answers: list[tuple[Question, str, str]]) -> Effect:
        """Return the effect of some answers on the documents that no question is about."""
        log = decisions_of(answers)
        last = self.session.fit(log, start=self.first) if log else self.first
        rows = [self.session.documents.row_of[each.document] for each in self.questions if each.document]
        return effect(self.y, rows, (self.first, numbered(self.y, self.first)), (last, numbered(self.y, last)))

    def line(self, accuracy: float, abstains: float, draw: int) -> list[float]:
        """Return the figures for a model."""
        rng = np.random.default_rng(draw)
        model = {each.key: simulated(each, self.right[each.key], accuracy, abstains, rng) for each in self.questions}
        checks = {each.key: self.right[each.key] for each in to_check(self.questions, model)}
        own = [(each, checks[each.key], "person") for each in self.questions if each.key in checks]
        of = {kind: [each for each in self.questions if each.kind == kind] for kind in KINDS}
        passed = [kind for kind in KINDS if probation(of[kind], model, checks).passed]
        others = [each for kind in passed for each in of[kind] if each.key not in checks]
        alone = self.gained(own)
        both = self.gained([*own, *((each, model[each.key], "model") for each in others)]) if others else alone
        inside = self.first.labels >= 0
        before = nmi(self.y[inside], self.first.labels[inside])
        return [before, alone[0], both[0], both[1] - alone[1], both[2] - alone[2], len(checks), len(passed)]


def main(argv: list[str]) -> None:
    """Print a line for each collection and accuracy, as it is known."""
    parser = argparse.ArgumentParser(prog="python -m bench steer answerer", description=__doc__)
    parser.add_argument("--collections", nargs="+", choices=CASES, default=["reuters", "webkb", "banking"])
    parser.add_argument("--accuracy", type=float, nargs="+", default=[0.5, 0.7, 0.8, 0.9, 0.99])
    parser.add_argument("--abstains", type=float, nargs="+", default=[0.1, 0.27])
    parser.add_argument("--draws", type=int, default=3, help="default 3")
    parser.add_argument("--questions", type=int, default=200, help="default 200")
    parser.add_argument("--most", type=int, metavar="N", help="at most N random documents of a collection")
    parser.add_argument("--groups", type=int, metavar="K", help="default: as many as classes")
    given = parser.parse_args(argv)
    begin(["collection", "accuracy", "abstains", "NMI", "person", "with model", "right", "wrong", "checks", "kinds"])
    for name in given.collections:
        lines: dict[tuple[float, float], list[list[float]]] = {}
        for draw in range(given.draws):
            trial = Trial(*begun(name, draw, given.most, given.groups), given.questions)
            for rates in product(given.accuracy, given.abstains):
                lines.setdefault(rates, []).append(trial.line(*rates, draw))
        for (accuracy, abstains), found in lines.items():
            before, alone, both, right, wrong, checks, kinds = np.mean(found, axis=0)
            gains, counts = (f"{before:.3f}", f"{alone:+.3f}", f"{both:+.3f}"), (f"{right:+.0f}", f"{wrong:+.0f}")
            line([name, accuracy, abstains, *gains, *counts, f"{checks:.0f}", f"{kinds:.1f}"])
