"""Collections with junk hidden in them, and other junk as examples: the settings of `aside`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from bench import data
from outgroup import NeighbourAverage, Vectorizer
from outgroup.rows import AveragedRows, as_rows
from outgroup.text.encoder import MeaningEncoder


@dataclass(frozen=True)
class Source:
    """Documents in two spaces, the one in which groups are found and that of words, and their classes."""

    space: Any
    words: Any
    y: np.ndarray
    texts: list[str]


@dataclass(frozen=True)
class Hidden:
    """Documents of k classes `y` with `junk` (n,) among them, and the rows of `examples`."""

    X: Any
    words: Any
    y: np.ndarray
    junk: np.ndarray
    examples: Any
    example_words: Any
    k: int
    before: Hidden | None = None

    @property
    def rows(self) -> Any:
        """The documents as a clusterer takes them: averaged ones know the original ones."""
        return self.X if self.before is None else _beside(self.X, self.before.X)

    @property
    def universum(self) -> Any:
        """The examples likewise."""
        return self.examples if self.before is None else _beside(self.examples, self.before.examples)

    def averaged(self) -> Hidden:
        """Return the same with what `neighbours="auto"` does: rows averaged with their neighbours, of vectors also with
        those by words."""
        average, apart = NeighbourAverage(n_groups=self.k), not sp.issparse(self.X)

        def beside(words: Any) -> Any:
            return {"words": words} if apart else {}

        X = average.fit_transform(self.X, **beside(self.words))
        examples = average.transform(self.examples, **beside(self.example_words))
        return replace(self, X=X, examples=examples, before=self)


@dataclass(frozen=True)
class Setting:
    """Which classes are junk (names, or a number at random), and the numbers of hidden documents and examples."""

    source: str
    junk: tuple[str, ...] | int
    hidden: int
    examples: int
    main: bool = False

    def draw(self, seed: int) -> Hidden:
        """Return one draw."""
        rng, found = np.random.default_rng(seed), source(self.source)
        names = np.unique(found.y)
        junk = rng.choice(names, self.junk, replace=False) if isinstance(self.junk, int) else np.array(self.junk)
        known = _not_zero(found.space) & _not_zero(found.words)
        own = np.flatnonzero(known & ~np.isin(found.y, junk))
        rest = rng.permutation(np.flatnonzero(known & np.isin(found.y, junk)))
        examples, hidden = rest[: self.examples], rest[self.examples : self.examples + self.hidden]
        rows = np.sort(np.r_[own, hidden])
        y = np.array([label.split(".")[0] for label in found.y[rows]]) if self.main else found.y[rows]
        off = np.isin(rows, hidden)
        return Hidden(
            found.space[rows], found.words[rows], y, off, found.space[examples], found.words[examples],
            len(np.unique(y[~off])),
        )  # fmt: skip


def _beside(averaged: Any, original: Any) -> Any:
    return AveragedRows(as_rows(averaged), as_rows(original))


def _not_zero(X: Any) -> Any:
    return np.asarray(abs(X).sum(axis=1)).ravel() > 0


def _texts(name: str) -> Source:
    rows = data.records(data.folder() / name)
    texts = [row["text"] for row in rows]
    X = Vectorizer().fit_transform(texts)
    return Source(X, X, np.array([row["label"] for row in rows]), texts)


def _embedded(name: str, source: Source) -> Source:
    return Source(normalize(np.load(data.folder() / name).astype(np.float32)), source.words, source.y, source.texts)


def _by_meaning(source: Source) -> Source:
    """Return the same documents in the vectors of the encoder, of at most 300 characters."""
    return Source(normalize(MeaningEncoder(300).encode(source.texts)), source.words, source.y, source.texts)


def _reuters() -> Source:
    """Reuters-21578, the ten largest topics, documents of one topic."""
    rows = [row for row in data.records(data.folder() / "reuters21578.jsonl.xz") if len(row["labels"]) == 1]
    topics = {topic for topic, _ in Counter(row["labels"][0] for row in rows if row["text"]).most_common(10)}
    kept = [row for row in rows if row["text"] and row["labels"][0] in topics]
    texts = [row["text"] for row in kept]
    X = Vectorizer().fit_transform(texts)
    return Source(X, X, np.array([row["labels"][0] for row in kept]), texts)


@cache
def source(name: str) -> Source:
    """Return a collection of `SOURCES`."""
    return SOURCES[name]()


SOURCES: dict[str, Callable[[], Source]] = {
    "news": lambda: _texts("20news-18828.jsonl.xz"),
    "banking": lambda: _texts("banking77.jsonl.xz"),
    "banking-vectors": lambda: _embedded("banking77-minilm.npy", source("banking")),
    "banking-meaning": lambda: _by_meaning(source("banking")),
    "reuters": _reuters,
    "reuters-meaning": lambda: _by_meaning(source("reuters")),
}


_REST = ("alt.atheism", "misc.forsale", "soc.religion.christian")

ASIDE = {
    "news-4": Setting("news", _REST, 1384, 200, main=True),
    "news-14": Setting("news", 6, 2000, 200),
    "reuters": Setting("reuters", ("acq",), 1000, 100),
    "reuters-meaning": Setting("reuters-meaning", ("acq",), 1000, 100),
    "banking": Setting("banking", 10, 550, 200),
    "banking-meaning": Setting("banking-meaning", 10, 550, 200),
    "banking-vectors": Setting("banking-vectors", 10, 550, 200),
}
