"""What each part of a default fit brings: `python -m bench ablation [PARTS] [--on COLLECTION] [--draws N]`.

A draw is 4,000 random rows of a collection, fitted as `DocumentClustering` fits them; a part is taken out, or another
put in its place, and NMI and ARI are compared with those of the default fit of the same draw. A part stays if it brings
.003 in the mean of the collections and .01 on two of them, or prevents a defect that a test shows
(docs/decisions/0031).
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import lru_cache
from time import process_time
from typing import Any
from unittest.mock import patch

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from bench import data
from bench.data.collections import COLLECTIONS, Task
from bench.tables import show
from outgroup import DocumentClustering, MaxMarginClustering, NeighbourAverage, Vectorizer, metrics
from outgroup.cluster.neighbour_average import AVERAGE
from outgroup.errors import OutgroupWarning
from outgroup.solve.max_margin import MAX_MARGIN
from outgroup.solve.solution import vanished

MOST = 4000  # rows of a draw


@dataclass(frozen=True)
class Draw:
    """Rows (n, d), the words of the same documents where the rows are vectors of texts, and their classes (n,)."""

    X: Any
    words: Any
    y: np.ndarray

    @property
    def k(self) -> int:
        return int(self.y.max()) + 1


NAMES = (
    *("20 Newsgroups", "four classes of news", "10 newsgroups, 3,000", "Classic4", "Reuters, 6 topics"),
    *("Reuters, 10 topics", "WebKB", "RCV1", "banking77", "Classic4, titles", "Reuters, titles"),
    *("20 Newsgroups, subjects", "banking77, MiniLM", "20 Newsgroups, MiniLM", "digits", "MNIST, 5,000"),
    *("Satellite, all", "Letter, all"),
)
WITH_VECTORS = {"banking77": "banking77.jsonl.xz", "20 Newsgroups": "20news-18828.jsonl.xz"}


def drawn(name: str, number: int) -> Draw:
    X, y = _whole(name)
    words = _whole(name.removesuffix(", MiniLM"))[0] if name.endswith(", MiniLM") else None
    rows = np.sort(np.random.default_rng(number).permutation(len(y))[:MOST])
    return Draw(X[rows], None if words is None else words[rows], np.unique(y[rows], return_inverse=True)[1])


@lru_cache(maxsize=2)
def _whole(name: str) -> Task:
    """A collection; one that has vectors with the documents that have no word."""
    if name not in WITH_VECTORS:
        return COLLECTIONS[name]()
    rows = data.records(data.folder() / WITH_VECTORS[name])
    X = Vectorizer().fit_transform([row["text"] for row in rows])
    return X, np.unique([row["label"] for row in rows], return_inverse=True)[1]


@dataclass(frozen=True)
class Part:
    """What is changed of a fit: whether neighbours are found by words, too, and asked, the parameters, and patches."""

    words: bool = True
    asked: bool = True
    parameters: dict[str, Any] = field(default_factory=dict)
    patches: dict[str, Any] = field(default_factory=dict)


def _passes(sparse: int, dense: int) -> dict[str, Any]:
    return {
        "outgroup.cluster.neighbour_average.passes_for": lambda X, groups, by_words=False: (
            sparse if sp.issparse(X) else dense
        )
    }


def _without(*names: str, put: Any) -> Part:
    return Part(patches=dict.fromkeys(names, put))


_AVERAGE, _MARGIN = "outgroup.cluster.neighbour_average.AVERAGE", "outgroup.solve.max_margin."
_MULTIPLES = f"{_MARGIN}MarginObjective.multiples"
_EVEN = {f"{_MARGIN}spread_margins": lambda rows, labels, k, sample=None: np.ones(len(labels))}
_UNGUARDED = {
    f"{_MARGIN}MarginObjective._keeps_groups": False,
    f"{_MARGIN}MarginObjective.as_partition": lambda self, labels: None,
    _MULTIPLES: (5.0,),
}
DEFAULT = "the default"
PARTS = {
    DEFAULT: Part(),
    "no averaging": Part(patches=_passes(0, 0)),
    "2 passes always, 3 of vectors": Part(patches=_passes(2, 3)),
    "1 pass always, 3 of vectors": Part(patches=_passes(1, 3)),
    "3 passes of vectors": _without(_AVERAGE, put=replace(AVERAGE, dense_passes=3)),
    "a row weighs a half in every pass": _without(_AVERAGE, put=replace(AVERAGE, itself=0.5)),
    "neighbours by cosines of 15": _without(
        "outgroup.cluster.neighbour_average.weighted", put=lambda found, rows: found.first(15)
    ),
    "no neighbours by words": Part(words=False),
    "no vote of neighbours": Part(asked=False),
    "one start": Part(parameters={"n_init": 1}),
    "20 / k starts": _without(
        "outgroup.cluster.max_margin.MAX_MARGIN", put=replace(MAX_MARGIN, starts_times_groups=20)
    ),
    "no group weights": Part(parameters={"class_weight": None}),
    "margins alike": Part(patches=_EVEN),
    "margins alike whatever the length": _without("outgroup.solve.max_margin.Data.lengths", put=None),
    "margins of 1": Part(patches=_EVEN | {"outgroup.solve.max_margin.Data.lengths": None}),
    "plain mean": _without("outgroup.solve.max_margin.Data.weighted", put=lambda self, weights: self),
    "C 3 times the scale": _without(_MULTIPLES, put=(3.0, 10.0, 100.0)),
    "C 10 times the scale": _without(_MULTIPLES, put=(10.0, 10.0, 100.0)),
    "no larger C": _without(_MULTIPLES, put=(5.0,)),
    "groups may lose their rows": _without("outgroup.solve.max_margin.lost_groups", put=vanished),
    "no rule against empty groups": Part(patches=_UNGUARDED),
}


def fitted(draw: Draw, part: Part, seed: int) -> tuple[float, float, float]:
    """Return NMI, ARI and seconds of processor time of the default fit of a draw, but for one part."""
    with ExitStack() as changed:
        for name, value in part.patches.items():
            changed.enter_context(patch(name, value))
        begin = process_time()
        average = NeighbourAverage(n_groups=draw.k)
        A = average.fit_transform(draw.X, words=draw.words if part.words else None)
        near = average.graph_ if part.asked and not average.passes_ else None
        groups = MaxMarginClustering(draw.k, random_state=seed, off_topic_rate=None, **part.parameters)
        labels = groups.fit(A, graph=near).labels_
        seconds = process_time() - begin
    return metrics.nmi(draw.y, labels), metrics.adjusted_rand(draw.y, labels), seconds


def compared(names: list[str], parts: list[str], draws: int) -> Iterator[list[Any]]:
    """Yield a line for each collection and part: NMI and ARI less those of the default, and times its seconds."""
    for name in names:
        first = None
        for part in parts:
            found = np.array([fitted(drawn(name, i), PARTS[part], i) for i in range(draws)])
            first = found if first is None else first
            gain = (found - first).mean(axis=0)
            yield [name, part, *found.mean(axis=0)[:2], *gain[:2], found[:, 2].sum() / first[:, 2].sum()]


def summary(lines: list[list[Any]], parts: list[str]) -> list[list[Any]]:
    """Return for each part what the default gains over it: mean, how many collections by .01, the least, the time."""
    told = []
    for part in parts:
        own = [line for line in lines if line[1] == part]
        gains = -np.array([line[4:6] for line in own])
        times = float(np.median([line[6] for line in own]))
        told.append([part, *gains.mean(axis=0), int((gains[:, 0] >= 0.01).sum()), float(gains[:, 0].min()), times])
    return told


def headline(seeds: int) -> None:
    """Print the four classes of news as `DocumentClustering` finds them, with and without the Universum."""
    task, lines = data.news(), []
    y = np.unique(task.y, return_inverse=True)[1]
    for universum in (None, task.universum):
        found = []
        for seed in range(seeds):
            labels = DocumentClustering(4, encoder=None, random_state=seed).fit(task.texts, universum=universum).labels_
            kept = labels >= 0
            measures = (metrics.accuracy, metrics.nmi, metrics.adjusted_rand, metrics.rand)
            found.append([*(of(y[kept], labels[kept]) for of in measures), 1 - kept.mean()])
            print(universum is not None, seed, np.round(found[-1], 3).tolist(), flush=True)
        told = [f"{mean:.3f} ({least:.3f})" for mean, least in zip(np.mean(found, 0), np.min(found, 0), strict=True)]
        lines.append(["without" if universum is None else "with", *told])
    header = ["Universum", "accuracy", "NMI", "ARI", "Rand", "set aside"]
    show(header, lines, f"Four classes of news, {len(y):,} documents, {seeds} seeds: mean (least)")


def main(argv: list[str]) -> None:
    """Print a line for each collection and part as it is known, and the summary over the collections."""
    parser = argparse.ArgumentParser(prog="python -m bench ablation", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of: {'; '.join(PARTS)}")
    parser.add_argument("--on", choices=NAMES, default=NAMES, help="all by default", nargs="+")
    parser.add_argument("--draws", type=int, default=3, help="default 3")
    parser.add_argument("--headline", type=int, metavar="SEEDS", help="the four classes of news instead, whole")
    options = parser.parse_args(argv)
    if options.headline:
        return headline(options.headline)
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"unknown parts: {', '.join(sorted(unknown))}")
    parts = [DEFAULT, *(options.parts or [*PARTS][1:])]
    lines = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", OutgroupWarning)
        for line in compared(options.on, parts, options.draws):
            lines.append(line)
            print("  ".join(each if isinstance(each, str) else f"{each:+.4f}" for each in line), flush=True)
    show(
        ["part", "NMI gained by the default", "ARI", "collections with .01 NMI", "least", "seconds, of the default's"],
        summary(lines, parts[1:]), f"{len(options.on)} collections, {options.draws} draws of at most {MOST:,} rows",
    )  # fmt: skip
