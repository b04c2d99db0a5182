"""Text to term counts: one pass over the documents in several processes, with stored blocks and a sample."""

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
from typing import Any, NamedTuple, TypeVar

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

# --- Term counts

Tally = tuple[list[str], Any, list[str], list[int]]

ENTRIES = 1 << 23  # stored entries of a shard: 67 MB; a pass holds one or two shards
PART = 1 << 23  # bytes of a file per task
_LARGEST = 1 << 26  # bytes of a row group in memory at most
_WIDEST = 2**31 - 1  # upper bound of the number of terms


@dataclass(frozen=True)
class Counted:
    """The files of a block, the priorities of its sample, its term frequencies and its counts."""

    files: Packed
    priorities: list[float]
    frequencies: tuple[list[str], list[int], list[int], list[str], list[int]]
    counts: Any
    lacking: list[str] | None

    @classmethod
    def of(cls, block: Block, tally: Tally, draw: Draw, lacking: list[str] | None = None) -> Counted:
        """Pack a block and its counts."""
        terms, counts, forms, totals = tally
        found = terms, document_frequency(counts).tolist(), total_frequency(counts).tolist(), forms, totals
        kept = KeptBlock.of(block, draw.of(len(block.documents)), lacking)
        files = Packed(packed(kept), packed(names_of(block)), packed(found))
        return cls(files, [each.priority for each in kept.shown], found, counts, lacking)


@dataclass(frozen=True)
class Blocks:
    """Documents that this process reads; other processes count their terms."""

    read: Callable[..., Iterable[Block]]
    """Yields the blocks of an input, `behind` a number of items."""

    def counted(self, first: int, behind: int, analyser: Analyser, sampler: Sampler) -> Iterator[Counted]:
        """Yield the blocks from number `first`; `behind` items precede it."""
        tasks = ((block, _texts(block)) for block in self.read(behind=behind))
        for number, (block, tally) in enumerate(in_order(analyser.count, tasks), start=first):
            yield Counted.of(block, tally, sampler.draw(number))


@dataclass(frozen=True)
class Ranges:
    """Documents of one file that several processes read in parts."""

    parts: list[Range]
    fields: Fields
    strip: list[str]
    on_share: Callable[[float | None], None]

    def counted(self, first: int, behind: int, analyser: Analyser, sampler: Sampler) -> Iterator[Counted]:
        """Yield the blocks from number `first`."""
        numbers = range(first, len(self.parts))
        tasks = ((number, (self.parts[number], sampler.draw(number))) for number in numbers)
        for number, counted in in_order(partial(_read, analyser, self.fields, self.strip), tasks):
            yield counted
            self.on_share((number + 1) / len(self.parts))


def ranges_of(docs: Place) -> list[Range] | None:
    """Split a file into independently readable parts; None for any other input."""
    return cut(docs, PART, _LARGEST) if docs.is_file() else None


def _read(analyser: Analyser, fields: Fields, strip: list[str], task: tuple[Range, Draw]) -> Counted:
    part, draw = task
    block, lacking = read_range(part, fields, strip)
    return Counted.of(block, analyser.count(_texts(block)), draw, lacking)


def count_texts(docs: Place, documents: Blocks | Ranges, analyser: Analyser, place: Path, seed: int) -> Seen:
    """Count the terms of the documents of `docs` into the folder `place`, after the blocks already stored there.

    Returns the term frequencies.
    """
    kept, seen, sampler = KeptBlocks(place / "blocks"), Seen(), Sampler(seed)
    if (place / "counts").exists():
        _restore(kept, len(kept), seen, sampler)
        return seen
    writer = ShardWriter(place / "counts", _WIDEST, entries=ENTRIES)
    first = _first_missing(kept, writer.n_rows)
    kept.forget(first)
    behind, lacking = _restore(kept, first, seen, sampler)
    for number, block in enumerate(documents.counted(first, behind, analyser, sampler), start=first):
        stop_if_asked()
        numbers = seen.add_frequencies(block.counts.shape[0], *block.frequencies)
        sampler.take_in(np.array(block.priorities))
        lacking.append(block.lacking)
        kept.write(number, block.files)
        writer.append(_numbered(block.counts, numbers))
    if isinstance(documents, Ranges):  # in other inputs, reading checks the fields
        require_any(lacking, documents.fields, documents.parts[0])
    if not seen.n:
        raise none_read(docs, kept.skipped())
    writer.close()
    return seen


def _numbered(counts: Any, numbers: Array) -> Any:
    """Map the columns of a block, (n, v), to the global term `numbers`, (v,)."""
    columns = numbers[counts.indices] if len(numbers) else counts.indices
    return sp.csr_matrix((counts.data, columns, counts.indptr), shape=(counts.shape[0], _WIDEST))


def _first_missing(kept: KeptBlocks, n_rows: int) -> int:
    """Return the number of the first block without counts on disk."""
    rows = 0
    for number in range(len(kept)):
        if rows == n_rows:
            return number
        rows += kept.kept(number).n
    return len(kept)


def _restore(kept: KeptBlocks, first: int, seen: Seen, sampler: Sampler) -> tuple[int, list[list[str] | None]]:
    """Restore the state from the blocks before `first`; return the number of items and the missing fields."""
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


# --- Worker processes; they affect only the time

Key = TypeVar("Key")

_QUEUED = 2  # tasks of each process: one running, one waiting


def in_order(task: Callable[[Any], Any], tasks: Iterable[tuple[Key, Any]]) -> Iterator[tuple[Key, Any]]:
    """Apply a task to the value of each (key, value) pair and yield (key, result) in order.

    The task is sent once to each process. A single value is processed here, since processes take a second to start.
    """
    tasks = iter(tasks)
    first = [] if n_threads() == 1 else list(islice(tasks, 2))
    if len(first) == 2:
        yield from _in_processes(task, chain(first, tasks))
    else:
        yield from ((key, task(value)) for key, value in chain(first, tasks))


def _in_processes(task: Callable[[Any], Any], tasks: Iterable[tuple[Key, Any]]) -> Iterator[tuple[Key, Any]]:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(n_threads(), context, _begin, (task,)) as pool:
        waiting: deque[tuple[Key, Any]] = deque()
        try:
            for key, value in tasks:
                waiting.append((key, pool.submit(_do, value)))
                while len(waiting) >= _QUEUED * n_threads():
                    first, future = waiting.popleft()
                    yield first, future.result()
            while waiting:
                first, future = waiting.popleft()
                yield first, future.result()
        except BrokenProcessPool as error:
            raise OutgroupError(
                "a worker process ended: it was killed, or memory is short; run again with --resume or fewer --threads"
            ) from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


_tasks: list[Callable[[Any], Any]] = []  # the task of a worker process


def _begin(task: Callable[[Any], Any]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the main process handles it and ends this one
    parent = multiprocessing.parent_process()
    if parent is not None:
        Thread(target=_end_with, args=(parent,), daemon=True).start()
    _tasks.append(task)


def _end_with(parent: Any) -> None:
    """End this process when the main process dies."""
    parent.join()
    os._exit(1)


def _do(value: Any) -> Any:
    return _tasks[0](value)


# --- Stored blocks: ids and titles, term frequencies, and sampled texts

SAMPLED = 20_000  # documents in the report

Words = tuple[list[str], list[int], list[int], list[str], list[int]]
"""Terms, their document and total frequencies, word forms, and their frequencies."""


Names = tuple[list[str], list[str]]
"""The ids and titles of documents."""


class SampledDocument(NamedTuple):
    """A document of the sample, with its row in the block and its priority."""

    row: int
    priority: float
    text: str
    id: str
    title: str
    label: str | None


@dataclass(frozen=True)
class KeptBlock:
    """Size, skipped items and sampled documents of a block.

    `skipped` holds (where, reason, row or None). `lacking` lists the existing fields if a requested one is missing in a
    part of a file, else None.
    """

    n: int
    skipped: list[tuple[str, str, int | None]]
    n_items: int
    shown: list[SampledDocument]
    lacking: list[str] | None = None

    @classmethod
    def of(cls, block: Block, drawn: list[tuple[int, float]], lacking: list[str] | None = None) -> KeptBlock:
        """Return the stored part of a block; `drawn` holds the sampled rows and their priorities."""
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
    """Return the skipped items of a block as plain values."""
    return [(skip.where, skip.reason, skip.row) for skip in block.skipped]


def packed(content: Any) -> bytes:
    """Serialise plain values or a stored block."""
    plain = vars(content) if isinstance(content, KeptBlock) else content
    return zlib.compress(json.dumps(plain).encode(), 1)


def unpacked(path: Path) -> Any:
    """Read the plain values of a file; raises InputError for a missing or damaged file."""
    try:
        return parse_json(zlib.decompress(path.read_bytes()))
    except (OSError, ValueError, zlib.error) as error:
        raise InputError(f"{path} is damaged: {error}; run again without --resume") from error


@dataclass(frozen=True)
class Packed:
    """The serialised files of a block: stored part, names, and terms."""

    kept: bytes
    names: bytes
    words: bytes


class KeptBlocks:
    """A folder with three files per block."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(exist_ok=True)

    def write(self, number: int, files: Packed) -> None:
        """Write the files of a block; `kept` is last and marks the block as complete. Raises OSError."""
        for kind in ("words", "names", "kept"):
            new = self._folder / f"{number:06d}.{kind}.new"
            new.write_bytes(getattr(files, kind))
            os.replace(new, new.with_suffix(""))

    def __len__(self) -> int:
        return len(list(self._folder.glob("*.kept")))

    def kept(self, number: int) -> KeptBlock:
        """Read the stored part of a block; raises InputError if it is damaged."""
        found = self._read(number, "kept")
        found["skipped"] = [tuple(each) for each in found["skipped"]]
        found["shown"] = [SampledDocument(*each) for each in found["shown"]]
        return KeptBlock(**found)

    def skipped(self) -> list[Skip]:
        """Return the skipped items of all blocks."""
        return [Skip(*each) for number in range(len(self)) for each in self.kept(number).skipped]

    def names(self, number: int) -> Names:
        """Read the ids and titles of a block; raises InputError if they are damaged."""
        ids, titles = self._read(number, "names")
        return ids, titles

    def words(self, number: int) -> Words:
        """Read the terms of a block; raises InputError if they are damaged."""
        first, *others = self._read(number, "words")
        return (first, *others)

    def forget(self, number: int) -> None:
        """Remove a block and all later ones."""
        for path in self._folder.iterdir():
            if int(path.name[:6]) >= number:
                path.unlink()

    def _read(self, number: int, kind: str) -> Any:
        return unpacked(self._folder / f"{number:06d}.{kind}")


@dataclass(frozen=True)
class Draw:
    """Draws sample candidates from a block; small enough to send to another process."""

    seed: int
    number: int
    limit: float

    def of(self, n: int) -> list[tuple[int, float]]:
        """Return (row, priority) of the candidates among `n` documents."""
        drawn = np.random.default_rng((self.seed, self.number)).random(n)
        return [(int(row), float(drawn[row])) for row in np.flatnonzero(drawn < self.limit)]


class Sampler:
    """Draws a uniform sample from a stream of unknown length.

    `seed` and the number of the block give each document a random priority; the sample holds the lowest priorities.
    """

    def __init__(self, seed: int, most: int = SAMPLED) -> None:
        self._seed, self._most, self._lowest = seed, most, np.empty(0)

    @property
    def limit(self) -> float:
        """The upper bound of priorities in the current sample."""
        return float(self._lowest[-1]) if len(self._lowest) == self._most else np.inf

    def draw(self, number: int) -> Draw:
        """Return the draw for a block."""
        return Draw(self._seed, number, self.limit)

    def take_in(self, priorities: Array) -> None:
        """Add the priorities of drawn documents."""
        self._lowest = np.sort(np.concatenate([self._lowest, priorities]))[: self._most]


# --- Reading options, and the fingerprint of an input


def fields_of(settings: Any) -> Fields:
    """Return the fields of a record by role."""
    label = getattr(settings, "label", "label")
    join_title, keep_html = settings.no_title is not True, settings.html == "keep"
    roles = settings.text, settings.id, settings.title, label
    return Fields(*roles, join_title, keep_html, settings.encoding, settings.sheet)


def identity(docs: Place) -> list[int]:
    """Return the fingerprint of an input: number of files, total size and modification times; [] for a pipe."""
    if str(docs) == "-":
        return []
    found = []
    for path in every_file(docs):
        try:
            found.append(path.stat())
        except OSError:
            continue  # reading raises the error
    return [len(found), sum(each.st_size for each in found), sum(each.st_mtime_ns for each in found)]
