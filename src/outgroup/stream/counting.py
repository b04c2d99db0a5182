"""Text to counts: one pass over the documents, in several processes, and what is kept of each block."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import scipy.sparse as sp

from ..errors import InputError, OutgroupError
from ..places import Place, every_file
from ..readers.corpus import Block, none_read
from ..readers.documents import Skip
from ..readers.fields import Fields
from ..readers.ranges import Range, cut, read_range, require_any
from ..rows.shards import ShardWriter
from ..rows.threads import n_threads
from ..stopping import stop_if_asked
from ..storage.json_values import parse_json
from ..text.counts import Analyser
from ..text.vocabulary import Seen, document_frequency, total_frequency
from ..types import Array

# --- Text to counts: one pass over the documents, whose words are counted in processes of their own

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


# --- Processes that count words while this one reads and writes; they change nothing but the time

Beside = TypeVar("Beside")

_AHEAD = 2  # tasks of each process: one at work, and one that waits


def in_order(task: Callable[[Any], Any], asked: Iterable[tuple[Beside, Any]]) -> Iterator[tuple[Beside, Any]]:
    """Yield what stands beside each of some values, with what the task, which is sent once, makes of this.

    A single value is no work for processes, which take a second to begin.
    """
    asked = iter(asked)
    ahead = [] if n_threads() == 1 else list(islice(asked, 2))
    if len(ahead) == 2:
        yield from _elsewhere(task, chain(ahead, asked))
    else:
        yield from ((beside, task(value)) for beside, value in chain(ahead, asked))


def _elsewhere(task: Callable[[Any], Any], asked: Iterable[tuple[Beside, Any]]) -> Iterator[tuple[Beside, Any]]:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(n_threads(), context, _begin, (task,)) as pool:
        waiting: deque[tuple[Beside, Any]] = deque()
        try:
            for beside, value in asked:
                waiting.append((beside, pool.submit(_do, value)))
                while len(waiting) >= _AHEAD * n_threads():
                    first, future = waiting.popleft()
                    yield first, future.result()
            while waiting:
                first, future = waiting.popleft()
                yield first, future.result()
        except BrokenProcessPool as error:
            raise OutgroupError("a process that counts words ended; was it killed, or is memory short?") from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


_mine: list[Callable[[Any], Any]] = []  # of such a process


def _begin(task: Callable[[Any], Any]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process hears of it and ends this one
    parent = multiprocessing.parent_process()
    if parent is not None:
        Thread(target=_end_with, args=(parent,), daemon=True).start()
    _mine.append(task)


def _end_with(parent: Any) -> None:
    """End this process when the first one is killed: nobody would, then."""
    parent.join()
    os._exit(1)


def _do(value: Any) -> Any:
    return _mine[0](value)


# --- What is kept of each block of documents beside its counts: its ids and titles, its words, and texts to show

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


# --- How a stream reads: the settings as fields, and what tells one input from another


def fields_of(settings: Any) -> Fields:
    """Return which field of a record is what."""
    label = getattr(settings, "label", "label")
    join_title, keep_html = settings.no_title is not True, settings.html == "keep"
    roles = settings.text, settings.id, settings.title, label
    return Fields(*roles, join_title, keep_html, settings.encoding, settings.sheet)


def strip_of(settings: Any) -> list[str]:
    """Return the parts of mails to leave out."""
    return [part.strip() for part in (settings.strip or "").split(",") if part.strip()]


def identity(docs: Place) -> list[int]:
    """Return what changes with an input: how many files it has, their bytes, and when they changed; [] for a pipe."""
    if str(docs) == "-":
        return []
    found = []
    for path in every_file(docs):
        try:
            found.append(path.stat())
        except OSError:
            continue  # reading it says why
    return [len(found), sum(each.st_size for each in found), sum(each.st_mtime_ns for each in found)]
