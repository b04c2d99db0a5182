"""Collections larger than memory: made on the fly, streamed into shards, and passed over.

make N FILE     JSON lines of N documents of 30 words from a topic model of 20 Newsgroups (100 topics), seeded
rows FILE DIR   text to shards on the disk, in two passes: seconds and peak memory of each
passes DIR      a pass over the shards in the page cache, against the same rows in memory
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from outgroup import SphericalKMeans, Vectorizer
from outgroup.rows import OneHot, as_rows
from outgroup.rows.disk import DiskRows
from outgroup.rows.shards import ShardWriter

from . import data
from .tables import show
from .timing import interleaved, once, own_peak

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


def make(n: int, path: Path) -> None:
    model = topic_model()
    with path.open("w", encoding="utf-8") as file:
        for number, (topic, text) in enumerate(model.documents(n)):
            file.write(f'{{"id": "d{number}", "label": "{topic}", "text": "{text}"}}\n')
    print(f"{n:,} documents, {path.stat().st_size / 1e6:,.0f} MB")


def texts(path: Path) -> Iterator[list[str]]:
    """Yield the texts in blocks."""
    with path.open(encoding="utf-8") as file:
        while lines := list(islice(file, BLOCK)):
            yield [json.loads(line)["text"] for line in lines]


def rows(path: Path, folder: Path) -> None:
    vectorizer = Vectorizer()
    table = [["vocabulary", once(lambda: vectorizer.fit_blocks(texts(path))), own_peak()]]

    def write() -> None:
        writer = ShardWriter(folder, len(vectorizer.vocabulary_))
        for block in texts(path):
            X = vectorizer.transform(block)
            writer.append(X[np.diff(X.indptr) > 0])
        writer.close()

    table.append(["shards", once(write), own_peak()])
    size = sum(file.stat().st_size for file in folder.iterdir()) / 1e6
    show(["pass", "seconds", "peak MB"], [[name, f"{s:.1f}", f"{mb:.0f}"] for name, s, mb in table])
    print(f"{DiskRows(folder).shape[0]:,} rows, {size:,.0f} MB")


def passes(folder: Path, k: int) -> None:
    disk = DiskRows(folder)
    memory = as_rows(disk.sample(np.arange(disk.shape[0])))
    rng = np.random.default_rng(0)
    W, labels = rng.normal(size=(k, disk.shape[1])), rng.integers(0, k, disk.shape[0]).astype(np.int32)
    for name in ("nearest", "sums"):
        every = {"disk": partial(_pass, disk, name, W, labels), "memory": partial(_pass, memory, name, W, labels)}
        seconds = interleaved(every)
        print(f"{name}: {seconds['disk']:.2f} s from shards, {seconds['disk'] / seconds['memory']:.2f} times memory")


def _pass(on: Any, name: str, W: np.ndarray, labels: np.ndarray) -> Any:
    k = len(W)
    if name == "sums":
        return on.fold(None, lambda _, y: (OneHot(y, k), 0.0), labels)
    return on.fold(W, lambda scores: (OneHot(scores.argmax(axis=1).astype(np.int32), k), 0.0))


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench scale", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    what = parser.add_subparsers(dest="what", required=True)
    made = what.add_parser("make")
    made.add_argument("n", type=int)
    made.add_argument("file", type=Path)
    read = what.add_parser("rows")
    read.add_argument("file", type=Path)
    read.add_argument("folder", type=Path)
    passed = what.add_parser("passes")
    passed.add_argument("folder", type=Path)
    passed.add_argument("-k", type=int, default=100)
    given = parser.parse_args(argv)
    if given.what == "make":
        make(given.n, given.file)
    elif given.what == "rows":
        rows(given.file, given.folder)
    else:
        passes(given.folder, given.k)
