"""Whether a theme of its own among new documents is told: `python -m bench emerging [NAMES] [--draws N] [--new N]`.

A class, drawn at random, is among the new documents alone, as a share of them; the earlier ones are of the others. How
often words are named, and how many of these are of that class: most new documents that hold them are. With a share of 0
nothing differs, and every word is wrong.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

import bench.data as data
from bench.tables import show
from outgroup import Vectorizer
from outgroup.text.vectorizer import EmergingWord, emerging_words

HEADER = ["collection", "share of the new", "words named in", "words", "of the class"]
SHARES = (0.0, 0.02, 0.05, 0.1, 0.2)

Labelled = tuple[list[str], np.ndarray]


def _labelled(name: str) -> Labelled:
    rows = data.records(data.folder() / f"{name}.jsonl.xz")
    return [row["text"] for row in rows], np.array([str(row["label"]) for row in rows])


def _reuters() -> Labelled:
    rows = [row for row in data.records(data.folder() / "reuters21578.jsonl.xz") if row["text"]]
    alone = [row for row in rows if len(row["labels"]) == 1]
    topics = {topic for topic, _ in Counter(row["labels"][0] for row in alone).most_common(10)}
    kept = [row for row in alone if row["labels"][0] in topics]
    return [row["text"] for row in kept], np.array([row["labels"][0] for row in kept])


COLLECTIONS: dict[str, Callable[[], Labelled]] = {
    "20 Newsgroups": lambda: _labelled("20news-18828"),
    "banking77": lambda: _labelled("banking77"),
    "Classic4": lambda: _labelled("classic4"),
    "Reuters, 10 topics": _reuters,
}


def named(
    texts: list[str], y: np.ndarray, share: float, count: int, draw: int
) -> tuple[list[EmergingWord], np.ndarray]:
    """Return the words that are named among `count` new documents, and which of these are of the new class."""
    rng = np.random.default_rng(draw)
    theme = y == rng.choice(np.unique(y))
    fresh = rng.permutation(np.flatnonzero(theme))[: round(share * count)]
    others = rng.permutation(np.flatnonzero(~theme))
    new = np.concatenate([fresh, others[: count - len(fresh)]])
    rows = np.concatenate([others[count - len(fresh) :], new])
    found = [texts[row] for row in rows]
    vectorizer = Vectorizer().fit(found[: -len(new)])
    words = emerging_words(found, np.arange(len(rows)) >= len(rows) - len(new), vectorizer)
    return words, theme[rows]


def rows_of(name: str, draws: int, count: int) -> list[list[Any]]:
    """Return the lines of one collection, one a share."""
    texts, y = COLLECTIONS[name]()
    found = []
    for share in SHARES:
        told, right, times = 0, 0, 0
        for draw in range(draws):
            words, theme = named(texts, y, share, count, draw)
            times += bool(words)
            told += len(words)
            right += sum(bool(theme[word.rows].mean() > 0.5) for word in words)
        found.append([name, share, f"{times} of {draws}", told, right])
        print(found[-1], flush=True)
    return found


def main(argv: list[str]) -> None:
    """Print the table, each line as it is known."""
    parser = argparse.ArgumentParser(prog="python -m bench emerging", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of: {'; '.join(COLLECTIONS)}")
    parser.add_argument("--draws", type=int, default=10, help="default 10")
    parser.add_argument("--new", type=int, default=500, help="new documents, default 500")
    options = parser.parse_args(argv)
    unknown = set(options.names) - set(COLLECTIONS)
    if unknown:
        parser.error(f"unknown collections: {', '.join(sorted(unknown))}")
    rows = [row for name in options.names or COLLECTIONS for row in rows_of(name, options.draws, options.new)]
    show(HEADER, rows, f"Words of a theme of its own among {options.new} new documents, {options.draws} draws")
