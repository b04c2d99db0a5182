"""The data sets of the dual-supervision paper that can be had: draws of 100 documents a class, as its rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from bench import data
from bench.methods.bundle import Bundle
from outgroup.readers.corpus import read_corpus
from outgroup.text.vectorizer import Vectorizer


@dataclass(frozen=True)
class Set:
    """A data set of the paper: its name there, where it comes from, and its classes."""

    name: str
    file: str
    classes: tuple[str, ...]
    label: str = "label"


DRAWS = 20
NEWS, REUTERS = "20news-18828.jsonl.xz", "reuters21578.jsonl.xz"
_THREE = "comp.graphics comp.os.ms-windows.misc comp.windows.x"
_SEVEN = (
    "alt.atheism comp.sys.mac.hardware misc.forsale rec.sport.hockey sci.crypt talk.politics.guns "
    "soc.religion.christian"
)
_TEN = (
    "alt.atheism comp.sys.mac.hardware misc.forsale rec.autos rec.sport.hockey sci.crypt sci.med sci.electronics "
    "sci.space talk.politics.guns"
)
_TOPICS = "acq coffee crude earn gold interest money-fx ship sugar trade"
SETS = {
    "D1": Set("news-similar-3-100", NEWS, tuple(_THREE.split())),
    "D2": Set("news-multi-7-100", NEWS, tuple(_SEVEN.split())),
    "D3": Set("news-multi-10-100", NEWS, tuple(_TEN.split())),
    "D6": Set("reuters-multi-10-100", REUTERS, tuple(_TOPICS.split()), "labels"),
}


def bundle(number: str) -> Bundle:
    """Return all draws of a set as one task."""
    draws = [draw(number, seed) for seed in range(DRAWS)]
    return Bundle(draws[0].X, draws[0].y, draws=draws)


@cache
def draw(number: str, seed: int) -> data.Rows:
    """Return one draw of a set: 100 documents of each class (90 of gold), as the paper makes its rows.

    Alphabetic words without stop words, Porter stems, the 2,000 of highest mutual information with the documents,
    TF-IDF, unit length.
    """
    rng, texts, y = np.random.default_rng([seed, 1]), [], []
    for label, members in enumerate(_by_class(number)):
        size = 90 if SETS[number].classes[label] == "gold" else 100
        chosen = rng.choice(len(members), size, replace=False)
        texts += [members[i] for i in chosen]
        y += [label] * size
    measure = "mutual_information"
    vectorizer = Vectorizer(
        language="porter", min_df=1, max_df=1.0, max_features=2_000, selection=measure, sublinear_tf=False
    )
    X, labels = vectorizer.fit_transform(texts), np.array(y)
    kept = np.diff(X.indptr) > 0
    return data.Rows(X[kept], labels[kept])


def _by_class(number: str) -> list[list[str]]:
    """Return the texts of each class; a document of several topics has another label and is in none."""
    wanted = SETS[number]
    texts = _corpus(wanted.file, wanted.label)
    return [[text for text, label in texts if label == each] for each in wanted.classes]


@cache
def _corpus(file: str, label: str) -> list[tuple[str, str]]:
    corpus = read_corpus(data.folder() / file, label=label, join_title=False, html="keep")
    labels: Any = corpus.labels
    texts = [f"{title}\n{text}" for title, text in zip(corpus.titles, corpus.texts, strict=True)]
    return list(zip(texts, labels, strict=True))
