"""What is kept of each block of documents beside its counts: its ids and titles, its words, and texts to show."""

from __future__ import annotations

import json
import os
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import InputError
from ...text.reading.blocks import Block
from ...types import Array

SAMPLED = 20_000  # documents that a report shows

Words = tuple[list[str], list[int], list[int], list[str], list[int]]
"""Terms, in how many documents each is and how often, word forms, and how often each is."""


@dataclass(frozen=True)
class Kept:
    """A block's documents: `labels` is None where it has none; `skipped` are (where, reason, place among all or None).

    `shown` are the documents of the sample so far: (number in the block, priority, text).
    """

    ids: list[str]
    titles: list[str]
    labels: list[str | None] | None
    skipped: list[tuple[str, str, int | None]]
    n_items: int
    html: int
    shown: list[tuple[int, float, str]]

    @classmethod
    def of(cls, block: Block, shown: list[tuple[int, float, str]]) -> Kept:
        """Return what to keep of a block."""
        documents = block.documents
        labels = [document.label for document in documents]
        skipped = [(skip.where, skip.reason, skip.row) for skip in block.skipped]
        return cls(
            [document.id for document in documents],
            [document.title for document in documents],
            None if all(label is None for label in labels) else labels,
            skipped,
            block.n_items,
            sum(document.html for document in documents),
            shown,
        )


class KeptBlocks:
    """A folder with two files a block: its documents, and its words."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(exist_ok=True)

    def write(self, number: int, kept: Kept, words: Words) -> None:
        """Write a block's files; OSError where that cannot be done."""
        self._write(f"{number:06d}.words", words)
        self._write(f"{number:06d}.documents", vars(kept))

    def __len__(self) -> int:
        return len(list(self._folder.glob("*.documents")))

    def documents(self, number: int) -> Kept:
        """Return what is kept of a block's documents; raises InputError where it is damaged."""
        found = self._read(f"{number:06d}.documents")
        found["skipped"] = [tuple(each) for each in found["skipped"]]
        found["shown"] = [tuple(each) for each in found["shown"]]
        return Kept(**found)

    def words(self, number: int) -> Words:
        """Return a block's words; raises InputError where they are damaged."""
        first, *others = self._read(f"{number:06d}.words")
        return (first, *others)

    def forget(self, number: int) -> None:
        """Remove a block and all behind it."""
        for path in self._folder.iterdir():
            if int(path.name[:6]) >= number:
                path.unlink()

    def _write(self, name: str, content: Any) -> None:
        beside = self._folder / f"{name}.new"
        beside.write_bytes(zlib.compress(json.dumps(content).encode(), 1))
        os.replace(beside, self._folder / name)

    def _read(self, name: str) -> Any:
        try:
            return json.loads(zlib.decompress((self._folder / name).read_bytes()))
        except (OSError, ValueError, zlib.error) as error:
            raise InputError(f"{self._folder / name} is damaged: {error}; begin anew without --resume") from error


class Sampler:
    """Chooses the documents that are shown, each as likely as another, before anybody knows how many there are.

    Every document has a random priority, by its block's number and `seed`; the sample are the lowest ones.
    """

    def __init__(self, seed: int, most: int = SAMPLED) -> None:
        self._seed, self._most, self._lowest = seed, most, np.empty(0)

    def choose(self, number: int, n: int) -> list[tuple[int, float]]:
        """Return which of the `n` documents of a block may be in the sample, with their priorities."""
        drawn = np.random.default_rng((self._seed, number)).random(n)
        limit = self._lowest[-1] if len(self._lowest) == self._most else np.inf
        rows = np.flatnonzero(drawn < limit)
        self.take_in(drawn[rows])
        return [(int(row), float(drawn[row])) for row in rows]

    def take_in(self, priorities: Array) -> None:
        """Hear of documents that were chosen before."""
        self._lowest = np.sort(np.concatenate([self._lowest, priorities]))[: self._most]
