"""Texts from a topic model of the shared text: as many as are asked for, seeded, made on the fly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from bench import data
from outgroup import SphericalKMeans, Vectorizer

TOPICS, LENGTH, BLOCK = 100, 30, 50_000


@dataclass(frozen=True)
class TopicModel:
    """Words, and for each topic the cumulated chances of its words and, last, those of any text."""

    words: list[str]
    cumulated: np.ndarray

    def documents(self, n: int, seed: int = 0) -> Iterator[tuple[int, str]]:
        """Yield the topic and the text of each of n documents; two words of three are the topic's."""
        for start in range(0, n, BLOCK):
            rng = np.random.default_rng((seed, start))
            yield from self._block(min(BLOCK, n - start), rng)

    def _block(self, n: int, rng: np.random.Generator) -> Iterator[tuple[int, str]]:
        topic = rng.integers(TOPICS, size=n)
        source = np.where(rng.random((n, LENGTH)) < 2 / 3, topic[:, None], TOPICS)
        draw, chosen = rng.random((n, LENGTH)), np.empty((n, LENGTH), dtype=np.int64)
        for each in range(TOPICS + 1):
            mine = source == each
            chosen[mine] = np.searchsorted(self.cumulated[each], draw[mine])
        word = self.words.__getitem__
        for number, row in zip(topic.tolist(), chosen.tolist(), strict=True):
            yield number, " ".join(map(word, row))


def topic_model() -> TopicModel:
    """Learn the topics from the shared text, seeded."""
    texts = data.news().texts
    vectorizer = Vectorizer(max_features=None)
    X = vectorizer.fit_transform(texts)
    labels = SphericalKMeans(TOPICS, random_state=0).fit(X[np.diff(X.indptr) > 0]).labels_
    kept = X[np.diff(X.indptr) > 0]
    member = sp.csr_matrix((np.ones(len(labels)), (labels, np.arange(len(labels)))), shape=(TOPICS, len(labels)))
    weight = np.vstack([(member @ kept).toarray(), np.asarray(kept.sum(axis=0))])
    cumulated = np.cumsum(weight, axis=1)
    return TopicModel(vectorizer.get_feature_names_out().tolist(), cumulated / cumulated[:, -1:] * (1 - 1e-12))


def make(n: int, file: Path) -> None:
    model = topic_model()
    with file.open("w", encoding="utf-8") as stream:
        for number, (topic, text) in enumerate(model.documents(n)):
            stream.write(f'{{"id": "d{number}", "label": "{topic}", "text": "{text}"}}\n')
    print(f"{n:,} documents, {file.stat().st_size / 1e6:,.0f} MB")


def texts(path: Path) -> Iterator[list[str]]:
    """Yield the texts in blocks."""
    with path.open(encoding="utf-8") as file:
        while lines := list(islice(file, BLOCK)):
            yield [json.loads(line)["text"] for line in lines]
