"""What is kept of each block of documents beside its counts: its ids and titles, its words, and texts to show."""

from __future__ import annotations

import json
import os
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...errors import InputError
from ...storage.json_values import parse_json
from ...text.reading.blocks import Block
from ...text.reading.documents import Skip
from ...types import Array

SAMPLED = 20_000  # documents that a report shows

Words = tuple[list[str], list[int], list[int], list[str], list[int]]
"""Terms, in how many documents each is and how often, word forms, and how often each is."""


Names = tuple[list[str], list[str]]
"""The ids and titles of documents."""


class SampledDocument(NamedTuple):
    """A document of the sample so far: its number in its block, its priority, and itself."""

    row: int
    priority: float
    text: str
    id: str
    title: str
    label: str | None


@dataclass(frozen=True)
class KeptBlock:
    """What a block has beside its documents' names: how many they are, what was skipped, and some to show.

    `skipped` are (where, reason, place among all or None); `lacking` are the fields that there are, where one that was
    asked for is missing in a part of a file; None: all are there.
    """

    n: int
    skipped: list[tuple[str, str, int | None]]
    n_items: int
    shown: list[SampledDocument]
    lacking: list[str] | None = None

    @classmethod
    def of(cls, block: Block, drawn: list[tuple[int, float]], lacking: list[str] | None = None) -> KeptBlock:
        """Return what to keep of a block, of which some documents were drawn with their priorities."""
        documents = block.documents
        shown = [
            SampledDocument(row, priority, each.whole, each.id, each.title, each.label)
            for (row, priority), each in zip(drawn, (documents[row] for row, _ in drawn), strict=True)
        ]
        return cls(len(documents), skips_of(block), block.n_items, shown, lacking)


def names_of(block: Block) -> Names:
    """Return the ids and titles of a block."""
    return [document.id for document in block.documents], [document.title for document in block.documents]


def skips_of(block: Block) -> list[tuple[str, str, int | None]]:
    """Return what was skipped of a block, as plain values."""
    return [(skip.where, skip.reason, skip.row) for skip in block.skipped]


def packed(content: Any) -> bytes:
    """Return plain values, or what is kept of a block, as its file has them."""
    plain = vars(content) if isinstance(content, KeptBlock) else content
    return zlib.compress(json.dumps(plain).encode(), 1)


def unpacked(path: Path) -> Any:
    """Return the plain values of a file; raises InputError where it is missing or damaged."""
    try:
        return parse_json(zlib.decompress(path.read_bytes()))
    except (OSError, ValueError, zlib.error) as error:
        raise InputError(f"{path} is damaged: {error}; begin anew without --resume") from error


@dataclass(frozen=True)
class Packed:
    """The files of a block, as they are written: what is kept, its names where they are kept here, and its words."""

    kept: bytes
    names: bytes
    words: bytes


class KeptBlocks:
    """A folder with three files a block."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(exist_ok=True)

    def write(self, number: int, files: Packed) -> None:
        """Write a block's files, the one that says that all are there last; OSError where that cannot be done."""
        for kind in ("words", "names", "kept"):
            beside = self._folder / f"{number:06d}.{kind}.new"
            beside.write_bytes(getattr(files, kind))
            os.replace(beside, beside.with_suffix(""))

    def __len__(self) -> int:
        return len(list(self._folder.glob("*.kept")))

    def kept(self, number: int) -> KeptBlock:
        """Return what is kept of a block; raises InputError where it is damaged."""
        found = self._read(number, "kept")
        found["skipped"] = [tuple(each) for each in found["skipped"]]
        found["shown"] = [SampledDocument(*each) for each in found["shown"]]
        return KeptBlock(**found)

    def skipped(self) -> list[Skip]:
        """Return what was skipped of all blocks."""
        return [Skip(*each) for number in range(len(self)) for each in self.kept(number).skipped]

    def names(self, number: int) -> Names:
        """Return a block's ids and titles; raises InputError where they are damaged."""
        ids, titles = self._read(number, "names")
        return ids, titles

    def words(self, number: int) -> Words:
        """Return a block's words; raises InputError where they are damaged."""
        first, *others = self._read(number, "words")
        return (first, *others)

    def forget(self, number: int) -> None:
        """Remove a block and all behind it."""
        for path in self._folder.iterdir():
            if int(path.name[:6]) >= number:
                path.unlink()

    def _read(self, number: int, kind: str) -> Any:
        return unpacked(self._folder / f"{number:06d}.{kind}")


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
