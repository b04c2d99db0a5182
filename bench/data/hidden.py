"""Collections with junk hidden in them, and other junk as examples: the settings of `aside` and `estimates`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_digits
from sklearn.preprocessing import normalize

from bench import data
from outgroup import NeighbourAverage, Vectorizer
from outgroup.rows import AveragedRows, as_rows


@dataclass(frozen=True)
class Source:
    """Documents in two spaces, the one in which groups are found and that of words, and their classes."""

    space: Any
    words: Any
    y: np.ndarray


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
    new: Any = None
    new_words: Any = None
    new_junk: np.ndarray | None = None
    before: Hidden | None = None

    @property
    def rows(self) -> Any:
        """The documents as a clusterer takes them: averaged ones know the original ones."""
        return self.X if self.before is None else _beside(self.X, self.before.X)

    @property
    def universum(self) -> Any:
        """The examples likewise."""
        return self.examples if self.before is None else _beside(self.examples, self.before.examples)

    @property
    def later(self) -> Any:
        """The new documents likewise."""
        return self.new if self.before is None else _beside(self.new, self.before.new)

    def averaged(self) -> Hidden:
        """Return the same with what `neighbours="auto"` does: rows averaged with their neighbours, of vectors also with
        those by words."""
        average, apart = NeighbourAverage(n_groups=self.k), not sp.issparse(self.X)

        def beside(words: Any) -> Any:
            return {"words": words} if apart else {}

        X = average.fit_transform(self.X, **beside(self.words))
        new = None if self.new is None else average.transform(self.new, **beside(self.new_words))
        examples = average.transform(self.examples, **beside(self.example_words))
        return replace(self, X=X, examples=examples, new=new, before=self)

    def held_back(self, share: float = 0.2) -> Hidden:
        """Return the same with a share of the documents, drawn at random, as `new` ones, and which of them are junk."""
        new = np.random.default_rng(99).random(len(self.y)) < share
        return replace(
            self, X=self.X[~new], words=self.words[~new], y=self.y[~new], junk=self.junk[~new],
            new=self.X[new], new_words=self.words[new], new_junk=self.junk[new],
        )  # fmt: skip


@dataclass(frozen=True)
class Setting:
    """Which classes are junk (names, or how many of them at random), how much is hidden, how many examples there are.

    `unlike` gives examples of other junk classes than the hidden ones; `most` is how many on-topic documents there are.
    """

    source: str
    junk: tuple[str, ...] | int
    hidden: int
    examples: int
    unlike: bool = False
    main: bool = False
    most: int | None = None

    def draw(self, seed: int) -> Hidden:
        """Return one draw."""
        rng, source = np.random.default_rng(seed), SOURCES[self.source]()
        names = np.unique(source.y)
        junk = rng.choice(names, self.junk, replace=False) if isinstance(self.junk, int) else np.array(self.junk)
        known = _not_zero(source.space) & _not_zero(source.words)
        own = np.flatnonzero(known & ~np.isin(source.y, junk))
        own = own if self.most is None else np.sort(rng.permutation(own)[: self.most])
        examples, hidden = self._parted(rng, source.y, known, junk)
        rows = np.sort(np.r_[own, hidden])
        y = np.array([label.split(".")[0] for label in source.y[rows]]) if self.main else source.y[rows]
        off = np.isin(rows, hidden)
        return Hidden(
            source.space[rows], source.words[rows], y, off, source.space[examples], source.words[examples],
            len(np.unique(y[~off])),
        )  # fmt: skip

    def _parted(self, rng: Any, y: Any, known: Any, junk: Any) -> tuple[Any, Any]:
        if not self.unlike:
            rest = rng.permutation(np.flatnonzero(known & np.isin(y, junk)))
            return rest[: self.examples], rest[self.examples : self.examples + self.hidden]
        first, second = junk[: len(junk) // 2], junk[len(junk) // 2 :]
        parts = [rng.permutation(np.flatnonzero(known & np.isin(y, part))) for part in (first, second)]
        return parts[0][: self.examples], parts[1][: self.hidden]


def _beside(averaged: Any, original: Any) -> Any:
    return AveragedRows(as_rows(averaged), as_rows(original))


def _not_zero(X: Any) -> Any:
    return np.asarray(abs(X).sum(axis=1)).ravel() > 0


def _texts(name: str, label: Callable[[dict[str, Any]], str]) -> Source:
    rows = data.records(data.folder() / name)
    X = Vectorizer().fit_transform([row["text"] for row in rows])
    return Source(X, X, np.array([label(row) for row in rows]))


def _embedded(name: str, source: Source) -> Source:
    return Source(normalize(np.load(data.folder() / name).astype(np.float32)), source.words, source.y)


@lru_cache(maxsize=1)
def news() -> Source:
    """20 Newsgroups, TF-IDF."""
    return _texts("20news-18828.jsonl.xz", lambda row: str(row["label"]))


@lru_cache(maxsize=1)
def news_vectors() -> Source:
    """20 Newsgroups, MiniLM."""
    return _embedded("ng20-minilm.npy", news())


@lru_cache(maxsize=1)
def banking() -> Source:
    """banking77, TF-IDF."""
    return _texts("banking77.jsonl.xz", lambda row: str(row["label"]))


@lru_cache(maxsize=1)
def banking_vectors() -> Source:
    """banking77, MiniLM."""
    return _embedded("banking77-minilm.npy", banking())


@lru_cache(maxsize=1)
def reuters() -> Source:
    """Reuters-21578, the ten largest topics, documents of one topic."""
    rows = [row for row in data.records(data.folder() / "reuters21578.jsonl.xz") if len(row["labels"]) == 1]
    topics = {topic for topic, _ in Counter(row["labels"][0] for row in rows if row["text"]).most_common(10)}
    kept = [row for row in rows if row["text"] and row["labels"][0] in topics]
    X = Vectorizer().fit_transform([row["text"] for row in kept])
    return Source(X, X, np.array([row["labels"][0] for row in kept]))


@lru_cache(maxsize=1)
def abstracts() -> Source:
    """MED, CISI, CRAN, CACM."""
    return _texts("classic4.jsonl.xz", lambda row: str(row["label"]))


@lru_cache(maxsize=1)
def clouds() -> Source:
    """Five round clouds in 20 columns, four of 175 rows and one of 700, six spreads from where they are centred."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(5), (175, 175, 175, 175, 700))
    X = (6 * normalize(rng.normal(size=(5, 20)))[y] + rng.normal(size=(len(y), 20))).astype(np.float32)
    return Source(X, X, y.astype(str))


@lru_cache(maxsize=1)
def pages() -> Source:
    """University pages."""
    return _texts("webkb-all.jsonl.xz", lambda row: str(row["label"]))


@lru_cache(maxsize=1)
def wire() -> Source:
    """Three topics of RCV1 and others, bags of words."""
    return _texts("rcv1-three.jsonl.xz", lambda row: str(row["label"]))


@lru_cache(maxsize=1)
def digits() -> Source:
    """Handwritten digits of 8 x 8 pixels."""
    X, y = load_digits(return_X_y=True)
    return _alone(X, y)


@lru_cache(maxsize=1)
def satellite() -> Source:
    """Satellite images, seen from their mean."""
    with np.load(data.folder() / "satimage.npz") as stored:
        X = stored["X"].astype(np.float32)
        return _alone(X - X.mean(axis=0), stored["y"])


def _alone(X: Any, y: Any) -> Source:
    X = normalize(X.astype(np.float32))
    return Source(X, X, y.astype(str))


SOURCES: dict[str, Callable[[], Source]] = {
    "news": news,
    "news-vectors": news_vectors,
    "banking": banking,
    "banking-vectors": banking_vectors,
    "reuters": reuters,
    "abstracts": abstracts,
    "clouds": clouds,
    "pages": pages,
    "wire": wire,
    "digits": digits,
    "satellite": satellite,
}

_REST = ("alt.atheism", "misc.forsale", "soc.religion.christian")

ASIDE = {
    "news-4": Setting("news", _REST, 1384, 200, main=True),
    "news-14": Setting("news", 6, 2000, 200),
    "reuters": Setting("reuters", ("acq",), 1000, 100),
    "banking": Setting("banking", 10, 550, 200),
    "banking-vectors": Setting("banking-vectors", 10, 550, 200),
}

ESTIMATES = {
    "long, TF-IDF, 8 % junk, 200 examples": Setting("news", _REST, 400, 200, main=True, most=4600),
    "long, TF-IDF, 8 %, 1,000": Setting("news", _REST, 400, 1000, main=True, most=4600),
    "long, TF-IDF, 1 %, 100": Setting("news", _REST, 50, 100, main=True, most=4950),
    "long, TF-IDF, six topics, 13 %, 200": Setting("news", 6, 650, 200, most=4350),
    "long, TF-IDF, six topics, 30 %, 200": Setting("news", 6, 1500, 200, most=3500),
    "long, TF-IDF, 10 %, 20": Setting("news", _REST, 500, 20, main=True, most=4500),
    "long, TF-IDF, unlike, 10 %, 200": Setting("news", 6, 500, 200, unlike=True, most=4500),
    "long, vectors, six topics, 13 %, 200": Setting("news-vectors", 6, 650, 200, most=4350),
    "abstracts, TF-IDF, 13 %, 100": Setting("abstracts", 1, 500, 100, most=3400),
    "news wire, TF-IDF, 14 %, 100": Setting("reuters", ("acq",), 700, 100, most=4300),
    "short, TF-IDF, 4 %, 200": Setting("banking", 10, 200, 200, most=4800),
    "short, TF-IDF, 10 %, 200": Setting("banking", 10, 500, 200, most=4500),
    "short, vectors, 4 %, 200": Setting("banking-vectors", 10, 200, 200, most=4800),
    "short, vectors, 10 %, 1,000": Setting("banking-vectors", 10, 500, 1000, most=4500),
    "short, vectors, unlike, 10 %, 200": Setting("banking-vectors", 10, 500, 200, unlike=True, most=4500),
    "clouds, 30 %, 100": Setting("clouds", ("4",), 300, 100),
    "clouds, 46 %, 60": Setting("clouds", ("4",), 600, 60),
    "confirm: university pages, 10 %, 200": Setting("pages", ("off-topic",), 500, 200, most=4381),
    "confirm: RCV1, 10 %, 200": Setting("wire", ("off-topic",), 100, 200),
    "confirm: digits, 3 classes, 60": Setting("digits", 3, 150, 60),
    "confirm: satellite images, 1 class, 100": Setting("satellite", 1, 300, 100, most=4000),
}
