"""`python -m bench steer [COLLECTION ...] [--draws N]`: does steering lift the groups?

A simulated person answers one question at a time, in the order in which the page proposes them (`proposals`: documents,
groups that look like two, and groups about the same), or only about
documents (`documents`), about words of the clouds (`words`), or labels documents drawn at random (`random`) and finds
groups again after ten (`random-again`). NMI with the true classes over the decisions; a question that
came to nothing counts as one. Every draw is another first result.
After each answer the groups follow, as on the page; labels drawn at random and words are taken ten at a time.

`python -m bench steer junk|kills|pages|delay` measure the workbench itself, `people` what labels do,
`answerer` what the checked answers of a model do: see
`bench/studies/steer_*.py`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module

import numpy as np
from scipy import stats
from sklearn.datasets import load_digits

from bench import data
from bench.data import collections, dual_supervision
from bench.studies.person import Person
from outgroup.session import Session, Version

AT_ONCE = 10
SHOWN = (20, 50, 100, 200)
WAYS = ("proposals", "documents", "words", "random", "random-again")
OTHERS = {
    "answerer": "steer_answerer",
    "people": "steer_people",
}


def _read(name: str, classes: str = "", vectors: str = "", titled: bool = False, most: int = 0) -> collections.Case:
    """Return a collection of a file, with vectors if their file is named.

    `classes` chooses classes, `titled` puts titles before the texts, `most` takes the first documents of each class.
    """
    rows = data.records(data.folder() / f"{name}.jsonl.xz")
    kept = [i for i, row in enumerate(rows) if not classes or row["label"] in classes.split()]
    if most:
        of = {label: [i for i in kept if rows[i]["label"] == label][:most] for label in classes.split()}
        kept = sorted(i for each in of.values() for i in each)
    texts = [(f"{rows[i]['title']} " if titled else "") + rows[i]["text"] for i in kept]
    y = np.array([rows[i]["label"] for i in kept])
    embeddings = np.load(data.folder() / f"{vectors}.npy").astype(np.float32)[kept] if vectors else None
    return collections.Case(texts, y, len(np.unique(y)), embeddings=embeddings)


def _subjects() -> collections.Case:
    rows = data.records(data.folder() / "20news-18828.jsonl.xz")
    heads = [next((line for line in row["text"].splitlines() if line.startswith("Subject:")), "") for row in rows]
    return collections.Case([each[8:] for each in heads], np.array([row["label"] for row in rows]), 20)


_SEVEN = " ".join(dual_supervision.SETS["D2"].classes)


def _digits() -> collections.Case:
    """Handwritten digits of 8 x 8 pixels as vectors; their words are the pixels of at least half of full ink."""
    X, y = load_digits(return_X_y=True)
    name = "abcdefgh".__getitem__
    texts = [" ".join(f"x{name(i // 8)}{name(i % 8)}x" for i in np.flatnonzero(row >= 8)) for row in X]
    return collections.Case(texts, y, 10, embeddings=X)


CASES: dict[str, Callable[[], collections.Case]] = {
    "webkb": lambda: _read("webkb-all", "student faculty course project"),
    "rcv1": lambda: _read("rcv1-top"),
    "classic4": lambda: _read("classic4", titled=True),
    "reuters": collections.reuters,
    "banking": lambda: _read("banking77"),
    "banking-vectors": lambda: _read("banking77", vectors="banking77-minilm"),
    "news": collections.news,
    "news-vectors": lambda: _read("20news-18828", vectors="ng20-minilm"),
    "news-7": lambda: _read("20news-18828", _SEVEN, most=100),
    "subjects": _subjects,
    "digits": _digits,
}


@lru_cache(maxsize=1)
def begun(name: str, draw: int, most: int | None = None, k: int | None = None) -> tuple[Session, np.ndarray, Version]:
    """Return a session on at most `most` random documents, their classes, and the first version: by default a group for
    each class.
    """
    case = CASES[name]()
    some = np.sort(np.random.default_rng(0).permutation(len(case.texts))[:most])
    vectors = None if case.embeddings is None else case.embeddings[some]
    session = Session([case.texts[i] for i in some], n_clusters=k or case.k, embeddings=vectors, random_state=draw)
    return session, np.unique(np.asarray(case.y)[some], return_inverse=True)[1], session.fit()


def curve(name: str, way: str, draw: int, most: int) -> list[float]:
    """Return the NMI after each number of decisions in `SHOWN` up to `most`, that of no steering first."""
    person = Person(*begun(name, draw))
    found, rng = [person.quality], np.random.default_rng(draw)
    for count in range(AT_ONCE, most + 1, AT_ONCE):
        if way.startswith("random"):
            person.at_random(AT_ONCE, rng, regroup=way == "random-again")
        elif way == "words":
            person.words(AT_ONCE)
        else:
            person.asked(AT_ONCE, regroup=way == "proposals")
        if count in SHOWN:
            found.append(person.quality)
    return found


def _shown(values: np.ndarray) -> str:
    """Return the mean of each column, with half of its 95 % interval where there are draws to tell it by."""
    mean, n = values.mean(axis=0), len(values)
    half = stats.t.ppf(0.975, max(n - 1, 1)) * values.std(axis=0, ddof=1) / np.sqrt(n) if n > 1 else None
    return "".join(f"{each:9.3f}" + ("" if half is None else f" ±{half[i]:.3f}") for i, each in enumerate(mean))


def main(argv: list[str]) -> None:
    """Print a table for each collection."""
    if argv and argv[0] in OTHERS:
        import_module(f"bench.studies.{OTHERS[argv[0]]}").main(argv[1:])
        return
    parser = argparse.ArgumentParser(prog="python -m bench steer")
    parser.add_argument("cases", nargs="*", default=list(CASES), metavar="|".join(CASES))
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--decisions", type=int, default=200)
    given = parser.parse_args(argv)
    for name in given.cases:
        shown = [0, *(count for count in SHOWN if count <= given.decisions)]
        print(f"\n{name}: NMI after decisions, {given.draws} draws", flush=True)
        print(f"{'':<13}" + "".join(f"{count:>9}" + " " * 6 * (given.draws > 1) for count in shown))
        found = [[curve(name, way, draw, given.decisions) for way in given.ways] for draw in range(given.draws)]
        for way, values in zip(given.ways, np.array(found).swapaxes(0, 1), strict=True):
            print(f"{way:<13}{_shown(values)}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
