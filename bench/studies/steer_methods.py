"""Any method under the people of `python -m bench steer people`, from the same documents with the same labels.

A method is `method(task, labels, start) -> groups`: `task` has `texts`, `rows` (n, d) of unit length, `k`, `drawn`
(whether labels are of documents drawn at random) and `seed`; `labels` (n,) are numbers of groups, -1 without one;
`start` (n,) are the groups so far, None at first. The groups (n,) keep their numbers, -1 for none. A person labels by
the classes, matched with the first groups by Hungarian matching, ten documents at a time: those that the method asks
about (`answers`), those in a wrong group (`corrects`), or some drawn at random (`samples`). A method asks by
`method.questions(task, labels) -> rows`; one without it asks about the documents nearest to the border of two of its
groups. Each cell is the NMI of the documents without a label.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from itertools import product
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment

from bench import data
from bench.data.collections import Case
from bench.tables import begin, line
from outgroup import Vectorizer
from outgroup.decisions import Decision, Label, Regroup
from outgroup.metrics import nmi
from outgroup.session import Session, Version
from outgroup.session.questions import Questions

AT_ONCE = 10


@dataclass(frozen=True, eq=False)
class Task:
    """What a method gets, the same in every call of a curve."""

    texts: list[str]
    rows: Any
    k: int
    drawn: bool
    seed: int


Method = Callable[[Task, np.ndarray, np.ndarray | None], np.ndarray]


def named(name: str) -> Method:
    """Return the method that "package.module:object" names."""
    module, _, thing = name.partition(":")
    found: Method = getattr(import_module(module), thing)
    return found


class Steered:
    """A session as a method: labels are corrections, or a sample and a request to find groups again."""

    def __call__(self, task: Task, labels: np.ndarray, start: np.ndarray | None) -> np.ndarray:
        session, first = _begun(task)
        log: list[Decision] = [
            Label(first.ids[row], int(labels[row]), sample=task.drawn) for row in np.flatnonzero(labels >= 0)
        ]
        if task.drawn and log:
            log.append(Regroup())
        self.version = session.fit(log, start=first) if log else first
        return np.asarray(self.version.labels)

    def questions(self, task: Task, labels: np.ndarray) -> np.ndarray:
        """Return the documents of the questions that the page would show."""
        version = self.version
        found = Questions().next(version, version.assess(), version.decisions, most=2 * AT_ONCE)
        return np.array([each.row for each in found if each.row >= 0], dtype=int)


outgroup = Steered()


@lru_cache(maxsize=1)
def _begun(task: Task) -> tuple[Session, Version]:
    vectors = None if hasattr(task.rows, "indptr") else task.rows
    session = Session(task.texts, n_clusters=task.k, embeddings=vectors, encoder=None, random_state=task.seed)
    return session, session.fit()


def border(task: Task, groups: np.ndarray) -> np.ndarray:
    """Return the documents by their margins: the cosine with the nearest centre less that with the next one."""
    inside = np.flatnonzero(groups >= 0)
    members = sp.csr_matrix((np.ones(len(inside)), (groups[inside], inside)), shape=(task.k, len(groups)))
    cosines = task.rows @ data.unit(members @ task.rows).T
    cosines = np.sort(cosines.toarray() if sp.issparse(cosines) else cosines)
    return np.argsort(cosines[:, -1] - cosines[:, -2], kind="stable")


def asked(method: Method, task: Task, labels: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Return the documents that the method asks about and that have no label, the first question first."""
    own = getattr(method, "questions", None)
    rows = border(task, groups) if own is None else own(task, labels)
    return np.asarray(rows[labels[rows] < 0])


def rows_of(case: Case) -> Any:
    """Return a collection's vectors, or else its TF-IDF rows, each of unit length."""
    return data.unit(Vectorizer().fit_transform(case.texts) if case.embeddings is None else case.embeddings)


def curve(method: Method, person: str, task: Task, y: np.ndarray, counts: Sequence[int]) -> list[float]:
    """Return the NMI of the documents without a label after each number of labels of the classes `y` (n,)."""
    rng, labels = np.random.default_rng(task.seed), np.full(len(y), -1)
    groups, found = method(task, labels, None), list[float]()
    inside = groups >= 0
    table = np.zeros((int(y.max()) + 1, task.k))
    np.add.at(table, (y[inside], groups[inside]), 1)
    home = linear_sum_assignment(table, maximize=True)[1][y]
    for count in counts:
        while (given := np.count_nonzero(labels >= 0)) < count:
            if person == "answers":
                free = asked(method, task, labels, groups)
            else:
                wrong = (groups >= 0) & (groups != home)
                free = rng.permutation(np.flatnonzero((labels < 0) & (task.drawn | wrong)))
            some = free[: min(AT_ONCE, count - given)]
            if not len(some):
                break
            labels[some] = home[some]
            groups = method(task, labels, groups)
        left = (labels < 0) & (groups >= 0)
        found.append(nmi(y[left], groups[left]))
    return found


PEOPLE = ("answers", "corrects", "samples")


def compare(
    names: Sequence[str], people: Sequence[str], cases: dict[str, Callable[[], Case]], draws: int, counts: Sequence[int]
) -> None:
    """Print a line for each collection, person of `PEOPLE` and method, as it is known."""
    print(f"NMI of documents without a label, by the number of labels; mean of {draws} draws")
    begin(["collection", "person", "method", *counts])
    for name, read in cases.items():
        case = read()
        rows, y = rows_of(case), np.unique(case.y, return_inverse=True)[1]
        for person, method in product([each for each in people if each in PEOPLE], names):
            tasks = [Task(case.texts, rows, case.k, person == "samples", draw) for draw in range(draws)]
            found = [curve(named(method), person, task, y, counts) for task in tasks]
            line([name, person, method.rpartition(":")[2], *(f"{each:.3f}" for each in np.mean(found, axis=0))])
