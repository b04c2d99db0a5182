"""`python -m bench steer junk [reuters news] [--draws N]`: the off-topic desk, and its estimate of what is left.

Junk is hidden in a collection, and some more of it given as examples. A person looks at the documents in the order of
the desk, 25 at a time, says of each that it is junk or keeps it, and the groups follow. Beside it a logistic regression
that is trained on all documents, anew each time, ranks them by the same examples and the same answers: what nobody has
looked at counts as on-topic for it. Share of the junk that was found after looking at so many documents, as
a multiple of how much junk there is, and what the workbench estimates to have been seen.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from bench import data
from bench.tables import show
from outgroup.decisions import Belongs, Decision, OffTopic
from outgroup.session import Session, Version
from outgroup.session.questions import junk_scores, junk_seen
from outgroup.session.version import judge

AT_ONCE = 25
SHOWN = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5)
_TOPICS = "acq coffee crude earn gold interest money-fx ship sugar trade"
_REST = ("alt.atheism", "misc.forsale", "soc.religion.christian")


@dataclass(frozen=True)
class Case:
    """Documents with `junk` (n,) bool among them, examples of it, and the number of classes of the others."""

    texts: list[str]
    junk: np.ndarray
    y: np.ndarray
    examples: list[str]
    k: int


def _drawn(texts: list[str], y: np.ndarray, junk: np.ndarray, hidden: int, examples: int, seed: int) -> Case:
    rng = np.random.default_rng(seed)
    gone = rng.permutation(np.flatnonzero(junk))
    rows = np.sort(np.r_[np.flatnonzero(~junk), gone[examples : examples + hidden]])
    given = [texts[row] for row in gone[:examples].tolist()]
    return Case([texts[row] for row in rows], junk[rows], y[rows], given, len(np.unique(y[~junk])))


def reuters(seed: int) -> Case:
    """Ten topics, of which acquisitions are junk."""
    wanted, rows = set(_TOPICS.split()), data.records(data.folder() / "reuters21578.jsonl.xz")
    some = [row for row in rows if row["text"] and len(row["labels"]) == 1 and row["labels"][0] in wanted]
    y = np.array([row["labels"][0] for row in some])
    return _drawn([row["text"] for row in some], y, y == "acq", 1000, 100, seed)


def news(seed: int) -> Case:
    """Four main classes of 20 Newsgroups; religion and sales are junk."""
    rows = data.records(data.folder() / "20news-18828.jsonl.xz")
    y = np.array([row["label"] for row in rows])
    main = np.array([label.split(".")[0] for label in y])
    return _drawn([row["text"] for row in rows], main, np.isin(y, _REST), 1384, 200, seed)


CASES: dict[str, Callable[[int], Case]] = {"reuters": reuters, "news": news}


def desk(case: Case, seed: int) -> Iterator[tuple[int, float, float | None]]:
    """Yield how many were looked at, the share of the junk found, and the estimate of it."""
    session = Session(case.texts, n_clusters=case.k, universum=case.examples, random_state=seed)
    version, log, order = session.fit(), list[Decision](), list[int]()
    score = _scores(session, version)
    while len(order) < max(SHOWN) * case.junk.sum():
        order += _next(score, order)
        log += [_said(case, version, row) for row in order[-AT_ONCE:]]
        seen = np.array(order)
        version = session.fit(log, start=version)
        score = _scores(session, version)
        yield len(order), float(case.junk[seen].sum() / case.junk.sum()), junk_seen(version, score)


def _scores(session: Session, version: Version) -> np.ndarray:
    return junk_scores(version, judge(version.model, session.documents.spaces, session.documents.kept).off_topic_score)


def _next(score: np.ndarray, seen: list[int]) -> list[int]:
    """The documents of the highest scores that were not seen."""
    left = np.where(np.isfinite(score), score, -np.inf)
    left[seen] = -np.inf
    return np.argsort(-left, kind="stable")[:AT_ONCE].tolist()


def _said(case: Case, version: object, row: int) -> Decision:
    """Junk, or the group that has most of the document's class."""
    labels, ids = version.labels, version.ids  # type: ignore[attr-defined]
    if case.junk[row]:
        return OffTopic(ids[row])
    own = labels[(case.y == case.y[row]) & (labels >= 0)]
    return Belongs(ids[row], int(np.bincount(own).argmax()))


def regression(case: Case) -> Iterator[tuple[int, float]]:
    """Yield the same of a logistic regression that is trained anew after each 25 documents."""
    session = Session([*case.texts, *case.examples], n_clusters=case.k)
    X, n, order = sp.csr_matrix(session.documents.spaces.words), len(case.texts), list[int]()
    rows = np.flatnonzero(session.documents.kept)
    answers = np.r_[np.zeros(n, bool), np.ones(len(case.examples), bool)]
    while len(order) < max(SHOWN) * case.junk.sum():
        model = LogisticRegression(C=10.0, class_weight="balanced", solver="liblinear").fit(X, answers[rows])
        score = np.full(len(answers), -np.inf)
        score[rows] = model.decision_function(X)
        order += _next(score[:n], order)
        answers[order] = case.junk[order]
        yield len(order), float(case.junk[order].sum() / case.junk.sum())


def _at_shown(found: list[tuple[int, float]], junk: int) -> list[float]:
    counts, shares = np.array([count for count, _ in found]), np.array([share for _, share in found])
    return [float(shares[counts <= most * junk][-1]) for most in SHOWN]


def main(argv: list[str]) -> None:
    """Print a table for each collection."""
    parser = argparse.ArgumentParser(prog="python -m bench steer junk")
    parser.add_argument("cases", nargs="*", default=list(CASES), metavar="|".join(CASES))
    parser.add_argument("--draws", type=int, default=3)
    given = parser.parse_args(argv)
    for name in given.cases:
        shares, others, told, stops = [], [], [], []
        for seed in range(given.draws):
            case = CASES[name](seed)
            looked, junk = list(desk(case, seed)), int(case.junk.sum())
            shares.append(_at_shown([(count, share) for count, share, _ in looked], junk))
            told.append(_at_shown([(count, estimate or 0.0) for count, _, estimate in looked], junk))
            others.append(_at_shown(list(regression(case)), junk))
            stop = [(count / junk, share) for count, share, estimate in looked if (estimate or 0.0) >= 0.95]
            stops.append(stop[0] if stop else (np.nan, np.nan))
        table = {"junk found": shares, "by logistic regression": others, "estimated to be seen": told}
        rows = [[what, *np.mean(values, axis=0).tolist()] for what, values in table.items()]
        show(["looked at, of the junk", *map(str, SHOWN)], rows, f"{name}, {given.draws} draws")
        said = ", ".join(f"{share:.3f} after {count:.2f}" for count, share in stops)
        print(f"seen when it first says 95 %: {said}", flush=True)
