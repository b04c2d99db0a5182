"""Text to counts: one pass over the documents, whose words are counted in processes of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from ...places import Place
from ...rows.shards import ShardWriter
from ...stopping import stop_if_asked
from ...text.reading.blocks import Block
from ...text.reading.corpus import none_read
from ...text.reading.fields import Fields
from ...text.reading.ranges import Range, cut, read_range, require_any
from ...text.words.analyser import Analyser
from ...text.words.select import document_frequency, total_frequency
from ...text.words.stream_counts import Seen
from ...types import Array
from .kept import Draw, KeptBlock, KeptBlocks, Packed, Sampler, names_of, packed
from .processes import in_order

Tally = tuple[list[str], Any, list[str], list[int]]

ENTRIES = 1 << 23  # stored entries of a shard: 67 MB, of which a pass holds one or two
PART = 1 << 23  # bytes of a file that a process reads at once
_LARGEST = 1 << 26  # bytes of a row group that a process may hold
_WIDEST = 2**31 - 1  # terms: nobody knows how many there will be


@dataclass(frozen=True)
class Counted:
    """What is kept of a block, as its files have it, beside the counts of its words."""

    files: Packed
    priorities: list[float]
    frequencies: tuple[list[str], list[int], list[int], list[str], list[int]]
    counts: Any
    lacking: list[str] | None

    @classmethod
    def of(cls, block: Block, tally: Tally, draw: Draw, lacking: list[str] | None = None) -> Counted:
        """Return what is kept of a block."""
        terms, counts, forms, totals = tally
        found = terms, document_frequency(counts).tolist(), total_frequency(counts).tolist(), forms, totals
        kept = KeptBlock.of(block, draw.of(len(block.documents)), lacking)
        files = Packed(packed(kept), packed(names_of(block)), packed(found))
        return cls(files, [each.priority for each in kept.shown], found, counts, lacking)


class Input(Protocol):
    """Where documents come from."""

    def counted(self, first: int, behind: int, analyser: Analyser, sampler: Sampler) -> Iterator[Counted]:
        """Yield the blocks from that number on, before which there are `behind` items."""

    def check(self, lacking: list[list[str] | None]) -> None:
        """Raise CorpusError where no block has a field that was asked for; they said what they have instead."""


@dataclass(frozen=True)
class Blocks:
    """Documents that this process reads; their words are counted in others."""

    read: Callable[[int], Iterable[Block]]
    """Yields the blocks of an input from the item of this number on."""

    def counted(self, first: int, behind: int, analyser: Analyser, sampler: Sampler) -> Iterator[Counted]:
        asked = ((block, _texts(block)) for block in self.read(behind))
        for number, (block, tally) in enumerate(in_order(analyser.count, asked), start=first):
            yield Counted.of(block, tally, sampler.draw(number))

    def check(self, lacking: list[list[str] | None]) -> None:
        """Do nothing: who reads a whole file knows its fields."""


@dataclass(frozen=True)
class Ranges:
    """Documents of a file that is read in parts, each in a process of its own."""

    parts: list[Range]
    fields: Fields
    strip: list[str]
    on_share: Callable[[float | None], None]

    def counted(self, first: int, behind: int, analyser: Analyser, sampler: Sampler) -> Iterator[Counted]:
        numbers = range(first, len(self.parts))
        asked = ((number, (self.parts[number], sampler.draw(number))) for number in numbers)
        for number, counted in in_order(partial(_read, analyser, self.fields, self.strip), asked):
            yield counted
            self.on_share((number + 1) / len(self.parts))

    def check(self, lacking: list[list[str] | None]) -> None:
        """Raise CorpusError where no part has a field that was asked for."""
        require_any(lacking, self.fields, self.parts[0])


def ranges_of(docs: Place) -> list[Range] | None:
    """Return the parts of a file that can be read by themselves, None for any other input."""
    return cut(docs, PART, _LARGEST) if docs.is_file() else None


def _read(analyser: Analyser, fields: Fields, strip: list[str], asked: tuple[Range, Draw]) -> Counted:
    part, draw = asked
    block, lacking = read_range(part, fields, strip)
    return Counted.of(block, analyser.count(_texts(block)), draw, lacking)


def count_texts(docs: Place, documents: Input, analyser: Analyser, place: Path, seed: int) -> Seen:
    """Count the words of all documents, those of `docs`, into `place`, going on behind what is there already.

    Returns how often each word was seen.
    """
    kept, seen, sampler = KeptBlocks(place / "blocks"), Seen(), Sampler(seed)
    if (place / "counts").exists():
        _again(kept, len(kept), seen, sampler)
        return seen
    writer = ShardWriter(place / "counts", _WIDEST, entries=ENTRIES)
    first = _first_missing(kept, writer.n_rows)
    kept.forget(first)
    behind, lacking = _again(kept, first, seen, sampler)
    for number, block in enumerate(documents.counted(first, behind, analyser, sampler), start=first):
        stop_if_asked()
        numbers = seen.add_frequencies(block.counts.shape[0], *block.frequencies)
        sampler.take_in(np.array(block.priorities))
        lacking.append(block.lacking)
        kept.write(number, block.files)
        writer.append(_numbered(block.counts, numbers))
    documents.check(lacking)
    if not seen.n:
        raise none_read(docs, kept.skipped())
    writer.close()
    return seen


def _numbered(counts: Any, numbers: Array) -> Any:
    """Return the counts of a block with a column for each word that was ever seen, of which its own have `numbers`."""
    columns = numbers[counts.indices] if len(numbers) else counts.indices
    return sp.csr_matrix((counts.data, columns, counts.indptr), shape=(counts.shape[0], _WIDEST))


def _first_missing(kept: KeptBlocks, n_rows: int) -> int:
    """Return the number of the first block whose counts are not on the disk."""
    rows = 0
    for number in range(len(kept)):
        if rows == n_rows:
            return number
        rows += kept.kept(number).n
    return len(kept)


def _again(kept: KeptBlocks, first: int, seen: Seen, sampler: Sampler) -> tuple[int, list[list[str] | None]]:
    """Take in the blocks before `first` as they were; return how many items they had, and what fields they lacked."""
    items, lacking = 0, []
    for number in range(first):
        block = kept.kept(number)
        seen.add_frequencies(block.n, *kept.words(number))
        sampler.take_in(np.array([each.priority for each in block.shown]))
        items += block.n_items
        lacking.append(block.lacking)
    return items, lacking


def _texts(block: Block) -> list[str]:
    return [document.whole for document in block.documents]
