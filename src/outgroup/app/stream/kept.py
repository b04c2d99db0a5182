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

    `shown` are the documents of the sample so far: (number in the block, priority, text). `lacking` are the fields that
    there are, where one that was asked for is missing in a part of a file; None: all are there.
    """

    ids: list[str]
    titles: list[str]
    labels: list[str | None] | None
    skipped: list[tuple[str, str, int | None]]
    n_items: int
    html: int
    shown: list[tuple[int, float, str]]
    lacking: list[str] | None = None

    @classmethod
    def of(cls, block: Block, drawn: list[tuple[int, float]], lacking: list[str] | None = None) -> Kept:
        """Return what to keep of a block, of which some documents were drawn with their priorities."""
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
            [(row, priority, documents[row].whole) for row, priority in drawn],
            lacking,
        )


def packed(content: Any) -> bytes:
    """Return plain values, or what is kept of a block, as its file has them."""
    plain = vars(content) if isinstance(content, Kept) else content
    return zlib.compress(json.dumps(plain).encode(), 1)


class KeptBlocks:
    """A folder with two files a block: its documents, and its words."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(exist_ok=True)

    def write(self, number: int, documents: bytes, words: bytes) -> None:
        """Write a block's files, which are `packed`; OSError where that cannot be done."""
        self._write(f"{number:06d}.words", words)
        self._write(f"{number:06d}.documents", documents)

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

    def _write(self, name: str, content: bytes) -> None:
        beside = self._folder / f"{name}.new"
        beside.write_bytes(content)
        os.replace(beside, self._folder / name)

    def _read(self, name: str) -> Any:
        try:
            return json.loads(zlib.decompress((self._folder / name).read_bytes()))
        except (OSError, ValueError, zlib.error) as error:
            raise InputError(f"{self._folder / name} is damaged: {error}; begin anew without --resume") from error


@dataclass(frozen=True)
class Draw:
    """Chooses which documents of a block may be in the sample: a few numbers, which may be sent to another process."""

    seed: int
    number: int
    limit: float

    def of(self, n: int) -> list[tuple[int, float]]:
        """Return the numbers of the chosen ones of `n` documents, with their priorities."""
        drawn = np.random.default_rng((self.seed, self.number)).random(n)
        return [(int(row), float(drawn[row])) for row in np.flatnonzero(drawn < self.limit)]


class Sampler:
    """Chooses the documents that are shown, each as likely as another, before anybody knows how many there are.

    Every document has a random priority, by its block's number and `seed`; the sample are the lowest ones.
    """

    def __init__(self, seed: int, most: int = SAMPLED) -> None:
        self._seed, self._most, self._lowest = seed, most, np.empty(0)

    @property
    def limit(self) -> float:
        """The priority that a document must be below to be in the sample so far."""
        return float(self._lowest[-1]) if len(self._lowest) == self._most else np.inf

    def draw(self, number: int) -> Draw:
        """Return what chooses the documents of a block."""
        return Draw(self._seed, number, self.limit)

    def take_in(self, priorities: Array) -> None:
        """Hear of documents that were chosen before."""
        self._lowest = np.sort(np.concatenate([self._lowest, priorities]))[: self._most]
