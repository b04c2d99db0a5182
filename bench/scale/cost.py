"""What a pass and a text cost in processor time: the cost model of bench/reports/scale.md."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from scipy.optimize import least_squares

from bench.tables import show
from outgroup import Vectorizer
from outgroup.readers.corpus import read_blocks
from outgroup.readers.fields import Fields
from outgroup.rows import threads
from outgroup.rows.mapped import MappedRows, read_rows
from outgroup.text.counts import Frequencies

from .passes import one_pass

_FITTED, _CHECKED = (10, 50, 200), (20, 100)
_ROUNDS, _WIDTH = 6, 20_000
_GROWS: dict[str, Callable[[float], Any]] = {"nearest": float, "sums": np.log2, "dense": float}
"""How a pass grows with the groups. Sums alone visit each group's sum once a block, and the fewer of its rows they add
there, the more of their words are the first of their kind: that grows with the logarithm, since words are Zipf's."""


@dataclass(frozen=True)
class Points:
    """Seconds of a pass for an entry by groups, of the rows of a folder with V words."""

    folder: str
    V: int
    took: dict[int, float]


@dataclass(frozen=True)
class Cost:
    """Seconds of a pass for an entry: a (V / 20,000)^e k + b, or with the logarithm of k."""

    name: str
    a: float
    b: float
    e: float

    def __call__(self, k: int, V: int) -> float:
        return self.a * (V / _WIDTH) ** self.e * float(_GROWS[self.name](k)) + self.b

    @classmethod
    def fitted(cls, name: str, points: list[Points]) -> Cost:
        """Fit the three constants to some numbers of groups, so that relative errors are least squares."""

        def off(constants: np.ndarray) -> list[float]:
            model = cls(name, *constants)
            return [model(k, each.V) / (1e9 * each.took[k]) - 1 for each in points for k in _FITTED]

        a, b, e = least_squares(off, [0.2, 5.0, 0.2]).x
        return cls(name, a / 1e9, b / 1e9, e)


def cost(folders: list[Path], texts: Path | None) -> None:
    """Fit `Cost` to the first two folders, of different V, at some k, and see how far it is off elsewhere."""
    disks = [read_rows(folder) for folder in folders]
    table = []
    for name in _GROWS:
        found = [
            Points(folder.name, disk.shape[1], took)
            for folder, disk, took in zip(folders, disks, _measured(disks, name), strict=True)
        ]
        model = Cost.fitted(name, found[:2])
        table += [_line(name, model, each, i < 2) for i, each in enumerate(found)]
        print(f"{name}: a {model.a * 1e9:.3f}, b {model.b * 1e9:.2f}, e {model.e:.2f}", flush=True)
    show(["pass", "rows", "V", *(f"k = {k}" for k in sorted((*_FITTED, *_CHECKED)))], table)
    print("nanoseconds of one thread for an entry, and how far the model is off; * is what it was fitted to")
    if texts is not None:
        _cost_of_texts(texts)


def _line(name: str, model: Cost, points: Points, fitted: bool) -> list[str]:
    off = {k: 100 * (model(k, points.V) / took - 1) for k, took in points.took.items()}
    said = [
        f"{1e9 * points.took[k]:.1f} ({off[k]:+.0f} %{'*' if fitted and k in _FITTED else ''})" for k in sorted(off)
    ]
    return [name, points.folder, str(points.V), *said]


def _cost_of_texts(file: Path) -> None:
    """Print the processor time of reading and of counting the words of a document."""
    vectorizer, seen, begin = Vectorizer(), Frequencies(), process_time()
    blocks = list(islice(read_blocks(file, Fields()), 5))
    read, n = process_time() - begin, sum(len(block.documents) for block in blocks)
    for block in blocks:
        seen.add(*vectorizer.analyser.tally([document.whole for document in block.documents]).frequencies)
    counted = process_time() - begin - read
    print(f"{1e6 * read / n:.0f} microseconds to read a document, {1e6 * counted / n:.0f} to count its words")


def _measured(disks: list[MappedRows], name: str) -> list[dict[int, float]]:
    """Return the processor time of a pass on one thread for an entry, of each rows by groups: the least of rounds.

    Others on the machine only add to it, and every round has all of them, so that drift meets all.
    """
    rng = np.random.default_rng(0)
    W = rng.normal(size=(max(_FITTED), max(disk.shape[1] for disk in disks)))
    found = [dict.fromkeys(sorted((*_FITTED, *_CHECKED)), np.inf) for _ in disks]
    with threads(1):
        for _ in range(_ROUNDS):
            for disk, least in zip(disks, found, strict=True):
                entries = sum(part.local().nnz for part, _, _ in disk._pass(None, first=False))
                for k, before in least.items():
                    labels = rng.integers(0, k, disk.shape[0]).astype(np.int32)
                    begin = process_time()
                    one_pass(disk, name, W[:k, : disk.shape[1]], labels)
                    least[k] = min(before, (process_time() - begin) / entries)
    return found
