"""Ten corrections of each kind on a session: do the groups that nobody named stay, how long does it take, is it done?

`python -m bench corrections [demo news reuters] [--draws N]`. A person is played by the true classes: a document or a
word goes to the group that has most of its class. Every correction starts from the same first version.
"""

from __future__ import annotations

import argparse
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from bench import data
from outgroup.decisions import Belongs, Decision, IgnoreWord, Merge, OffTopic, Split, WordBelongs
from outgroup.demo import documents_path, off_topic_path
from outgroup.errors import CancelledError
from outgroup.session import Session, Version

_TOPICS = "acq coffee crude earn gold interest money-fx ship sugar trade"


@dataclass(frozen=True)
class Case:
    """A collection: its texts, their classes, the number of groups, off-topic examples, and vectors, if there are."""

    texts: list[str]
    y: np.ndarray
    k: int
    universum: list[str] | None = None
    embeddings: np.ndarray | None = None


def demo() -> Case:
    rows, off = data.records(documents_path()), data.records(off_topic_path())
    return Case(
        [row["text"] for row in rows], np.array([row["label"] for row in rows]), 5, [row["text"] for row in off]
    )


def news() -> Case:
    rows = data.records(data.folder() / "20news-18828.jsonl.xz")
    return Case([row["text"] for row in rows], np.array([row["label"] for row in rows]), 20)


def reuters() -> Case:
    rows = data.records(data.folder() / "reuters21578.jsonl.xz")
    wanted = set(_TOPICS.split())
    some = [row for row in rows if len(row["labels"]) == 1 and row["labels"][0] in wanted]
    return Case([row["text"] for row in some], np.array([row["labels"][0] for row in some]), 10)


CASES: dict[str, Callable[[], Case]] = {"demo": demo, "news": news, "reuters": reuters}


@dataclass(frozen=True, eq=False)
class Person:
    """Who corrects a first version by the true classes."""

    case: Case
    session: Session
    first: Version

    @cache  # noqa: B019  one person a collection
    def home(self) -> dict[str, int]:
        """The group that has most documents of each class; -1 for a class that is set aside altogether."""
        return {each: self._most(self.case.y == each) for each in np.unique(self.case.y).tolist()}

    def _most(self, rows: np.ndarray) -> int:
        labels = self.first.labels[rows & (self.first.labels >= 0)]
        return int(np.bincount(labels).argmax()) if len(labels) else -1

    def corrections(self, kind: str, rng: np.random.Generator) -> tuple[list[Decision], set[int]]:
        """Return decisions of one kind, and the groups that they name."""
        return getattr(self, f"_{kind}")(rng)

    def _label(self, rng: np.random.Generator) -> tuple[list[Decision], set[int]]:
        homes = np.array([self.home()[each] for each in self.case.y.tolist()])
        wrong = np.flatnonzero((homes != self.first.labels) & (self.first.labels >= 0) & (homes >= 0))
        group = int(homes[rng.choice(wrong)])
        chosen = rng.permutation(wrong[homes[wrong] == group])[:3]
        return [Belongs(self.first.ids[row], group) for row in chosen], {group, *self.first.labels[chosen].tolist()}

    def _junk(self, rng: np.random.Generator) -> tuple[list[Decision], set[int]]:
        row = int(rng.choice(np.flatnonzero(self.first.labels >= 0)))
        return [OffTopic(self.first.ids[row])], {int(self.first.labels[row])}

    def _word(self, rng: np.random.Generator) -> tuple[list[Decision], set[int]]:
        word, group = self._some_word(rng)
        return [WordBelongs(word, group)], {group}

    def _noise(self, rng: np.random.Generator) -> tuple[list[Decision], set[int]]:
        word, _ = self._some_word(rng)
        return [IgnoreWord(word)], set()

    def _some_word(self, rng: np.random.Generator) -> tuple[str, int]:
        """Return a word of 20 documents or more, and the home of the class that most of these have."""
        words = self.first.model.spaces_.words
        frequent = np.flatnonzero(np.diff(words.tocsc().indptr) >= min(20, words.shape[0] // 20))
        column = int(rng.choice(frequent))
        rows = np.flatnonzero(self.first.rows)[words[:, [column]].nonzero()[0]]
        rows = rows[[self.home()[each] >= 0 for each in self.case.y[rows].tolist()]]
        names, counts = np.unique(self.case.y[rows], return_counts=True)
        return self.first.model.representation_.names[column], self.home()[str(names[counts.argmax()])]

    def _merge(self, rng: np.random.Generator) -> tuple[list[Decision], set[int]]:
        one, other = rng.choice(self.first.numbers, 2, replace=False).tolist()
        return [Merge((one, other))], {one, other}

    def _split(self, rng: np.random.Generator) -> tuple[list[Decision], set[int]]:
        group = int(rng.choice(self.first.numbers))
        return [Split(group)], {group}


KINDS = ("label", "junk", "word", "noise", "merge", "split")


def measured(person: Person, kind: str, draws: int) -> Iterator[tuple[float, float, int, float, float]]:
    """Yield for each draw: the share of documents of unnamed groups that stay, of the named ones that stay in these,
    how many moved, the processor seconds, and the share of decisions honoured."""
    first = person.first
    for draw in range(draws):
        log, named = person.corrections(kind, np.random.default_rng([draw, KINDS.index(kind)]))
        since = time.process_time()
        version = person.session.fit(log, start=first)
        seconds = time.process_time() - since
        others = ~np.isin(first.labels, list(named)) & (first.labels >= 0)
        own = np.isin(first.labels, list(named))
        there = [*named, *set(version.numbers) - set(first.numbers)]
        stay = float(np.mean(version.labels[others] == first.labels[others]))
        inside = float(np.mean(np.isin(version.labels[own], there))) if own.any() else 1.0
        receipts = [version.receipt(decision) for decision in log]
        honoured = float(np.mean([bool(receipt.honoured) for receipt in receipts]))
        yield stay, inside, len(version.compare(first).moved), seconds, honoured


def _seconds(session: Session) -> float:
    """Return the processor seconds of a fit from nothing, its rows laid out already, as for those that go on."""
    since = time.process_time()
    session.fit()
    return time.process_time() - since


def cancelled(person: Person, count: int = 20) -> list[float]:
    """Return the seconds from asking a fit to end to its end, asked at moments spread over a cold and a warm fit."""
    waited = []
    spans = (person.first.seconds, 1.0)
    for number in range(count):
        asked = threading.Event()
        delay = spans[number % 2] * (number + 0.5) / count
        at: list[float] = []

        def ask(asked: threading.Event = asked, at: list[float] = at) -> None:
            at.append(time.perf_counter())
            asked.set()

        timer = threading.Timer(delay, ask)
        timer.start()
        try:
            if number % 2:
                person.session.fit([Merge((0, 1))], start=person.first, cancel=asked)
            else:
                person.session.fit(cancel=asked)
        except CancelledError:
            waited.append(time.perf_counter() - at[0])
        timer.cancel()
    return waited


def main(argv: list[str]) -> None:
    """Print a table for each collection."""
    parser = argparse.ArgumentParser(prog="python -m bench corrections")
    parser.add_argument("cases", nargs="*", default=list(CASES), metavar="|".join(CASES))
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--cancel", action="store_true", help="measure how soon a fit ends when asked to, instead")
    given = parser.parse_args(argv)
    for name in given.cases:
        case = CASES[name]()
        session = Session(case.texts, n_clusters=case.k, universum=case.universum)
        first = session.fit()
        cold = float(np.median([_seconds(session) for _ in range(3)]))
        person = Person(case, session, first)
        print(f"\n{name}: {len(case.texts):,} documents, k = {case.k}; a cold fit takes {cold:.2f} s of processor time")
        if given.cancel:
            waited = cancelled(person)
            print(json.dumps({"cancelled": len(waited), "median": np.median(waited), "longest": max(waited)}))
            continue
        print(f"{'kind':<8}{'others stay':>12}{'(worst)':>9}{'own stay':>10}{'moved':>8}{'of cold':>9}{'honoured':>10}")
        for kind in KINDS:
            stay, own, moved, seconds, honoured = np.array(list(measured(person, kind, given.draws))).T
            print(
                f"{kind:<8}{stay.mean():>12.2%}{stay.min():>9.2%}{own.mean():>10.2%}{moved.mean():>8.1f}"
                f"{np.median(seconds) / cold:>9.2f}{honoured.mean():>10.0%}",
                flush=True,
            )
