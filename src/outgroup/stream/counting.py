"""Count terms in one pass over the documents, in several processes; store the blocks and draw a sample."""

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
from itertools import accumulate, chain, islice
from operator import methodcaller
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..cli.settings import LargeSettings
from ..errors import InputError, OutgroupError
from ..places import Place, every_file
from ..readers.corpus import Block, mail_parts, none_read, read_blocks
from ..readers.documents import Skip
from ..readers.fields import Fields
from ..readers.ranges import Range, cut, read_range, require_any
from ..rows.shards import ShardWriter
from ..rows.threads import n_threads
from ..stopping import stop_if_asked
from ..storage.hidden import write_file
from ..storage.json_values import parse_json
from ..text.counts import Analyser
from ..text.vocabulary import Seen, document_frequency, total_frequency
from ..types import Array

# --- Term counts

ENTRIES = 1 << 23  # stored entries of a shard: 67 MB; a pass holds one or two shards
PART = 1 << 23  # bytes of a file per task
_LARGEST = 1 << 26  # bytes of a row group in memory at most
_WIDEST = 2**31 - 1  # upper bound of the number of terms


@dataclass(frozen=True)
class Counted:
    """The files of a counted block by kind, the priorities of its sample, its term frequencies and its counts."""

    files: dict[str, bytes]
    priorities: list[float]
    frequencies: tuple[list[str], list[int], list[int], list[str], list[int]]
    counts: Any
    lacking: list[str] | None


def ranges_of(docs: Place) -> list[Range] | None:
    """Split a file into parts that can be read separately; None for other inputs."""
    return cut(docs, PART, _LARGEST) if docs.is_file() else None


def _count(analyser: Analyser, fields: Fields, strip: list[str], task: tuple[Block | Range, Draw]) -> Counted:
    item, draw = task
    block, lacking = read_range(item, fields, strip) if isinstance(item, Range) else (item, None)
    terms, counts, forms, totals = analyser.count([document.whole for document in block.documents])
    found = terms, document_frequency(counts).tolist(), total_frequency(counts).tolist(), forms, totals
    kept = KeptBlock.of(block, drawn(len(block.documents), *draw), lacking)
    files = {"kept": packed(kept), "names": packed(names_of(block)), "words": packed(found)}
    return Counted(files, [each.priority for each in kept.shown], found, counts, lacking)


def count_texts(
    settings: LargeSettings, analyser: Analyser, place: Path, on_share: Callable[[float | None], None]
) -> Seen:
    """Count the terms of the documents in several processes; return the term frequencies.

    Blocks are stored in the folder `place`, after those already there. The processes read the parts of a file; other
    inputs are read here.
    """
    kept, seen, sampler = KeptBlocks(place / "blocks"), Seen(), Sampler(settings.seed)
    if (place / "counts").exists():
        _restore(kept, len(kept), seen, sampler)
        return seen
    writer = ShardWriter(place / "counts", _WIDEST, entries=ENTRIES)
    first = _first_missing(kept, writer.n_rows)
    kept.forget(first)
    behind, lacking = _restore(kept, first, seen, sampler)
    docs, fields, strip = settings.docs, fields_of(settings), mail_parts(settings.strip)
    parts = ranges_of(docs)
    items = parts[first:] if parts else read_blocks(docs, fields, strip=strip, on_share=on_share, behind=behind)
    tasks = ((item, sampler.draw(number)) for number, item in enumerate(items, start=first))
    for number, block in enumerate(in_order(partial(_count, analyser, fields, strip), tasks), start=first):
        stop_if_asked()
        numbers = seen.add_frequencies(block.counts.shape[0], *block.frequencies)
        sampler.take_in(block.priorities)
        lacking.append(block.lacking)
        kept.write(number, block.files)
        writer.append(_numbered(block.counts, numbers))
        if parts:
            on_share((number + 1) / len(parts))
    if parts:  # in other inputs, reading checks the fields
        require_any(lacking, fields, parts[0])
    if not seen.n:
        raise none_read(docs, kept.skipped())
    writer.close()
    return seen


def _numbered(counts: Any, numbers: Array) -> Any:
    """Map the columns of a block, (n, v), to the global term indices `numbers`, (v,)."""
    columns = numbers[counts.indices] if len(numbers) else counts.indices
    return sp.csr_matrix((counts.data, columns, counts.indptr), shape=(counts.shape[0], _WIDEST))


def _first_missing(kept: KeptBlocks, n_rows: int) -> int:
    """Return the number of the first block that the stored `n_rows` rows of counts do not include."""
    rows = accumulate((kept.kept(number).n for number in range(len(kept))), initial=0)
    return next((number for number, before in enumerate(rows) if before == n_rows), len(kept))


def _restore(kept: KeptBlocks, first: int, seen: Seen, sampler: Sampler) -> tuple[int, list[list[str] | None]]:
    """Restore the counts of blocks before `first`; return the number of items and the missing fields."""
    items, lacking = 0, []
    for number in range(first):
        block = kept.kept(number)
        seen.add_frequencies(block.n, *kept.read(number, "words"))
        sampler.take_in([each.priority for each in block.shown])
        items += block.n_items
        lacking.append(block.lacking)
    return items, lacking


# --- Worker processes; they affect only the time

_QUEUED = 2  # tasks of each process: one running, one waiting


def in_order(task: Callable[[Any], Any], values: Iterable[Any]) -> Iterator[Any]:
    """Apply a task to each value; yield the results in order.

    The task is sent once to each process. A single value is processed here, since processes take a second to start.
    """
    values = iter(values)
    first = [] if n_threads() == 1 else list(islice(values, 2))
    yield from (_in_processes if len(first) == 2 else map)(task, chain(first, values))


def started_ahead(futures: Iterable[Any], most: int) -> Iterator[Any]:
    """Yield futures in order; at most `most` are started ahead."""
    waiting = deque[Any]()
    for future in futures:
        waiting.append(future)
        if len(waiting) >= most:
            yield waiting.popleft()
    yield from waiting


def _in_processes(task: Callable[[Any], Any], values: Iterable[Any]) -> Iterator[Any]:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(n_threads(), context, _begin, (task,)) as pool:
        try:
            futures = (pool.submit(_do, value) for value in values)
            yield from (future.result() for future in started_ahead(futures, _QUEUED * n_threads()))
        except BrokenProcessPool as error:
            raise OutgroupError(
                "a worker process was killed, perhaps because memory ran out: run again with --resume, or with fewer "
                "--threads"
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
    """The size, skipped items and sampled documents of a block.

    `lacking` lists the existing fields if a requested one is missing in a
    part of a file, else None.
    """

    n: int
    skipped: list[Skip]
    n_items: int
    shown: list[SampledDocument]
    lacking: list[str] | None = None

    @classmethod
    def of(cls, block: Block, drawn: list[tuple[int, float]], lacking: list[str] | None = None) -> KeptBlock:
        """Return the stored part of a block; `drawn` has the sampled rows and their priorities."""
        shown = [
            SampledDocument(row, priority, (each := block.documents[row]).whole, each.id, each.title, each.label)
            for row, priority in drawn
        ]
        return cls(len(block.documents), block.skipped, block.n_items, shown, lacking)


def names_of(block: Block) -> Names:
    """Return the ids and titles of a block."""
    return [document.id for document in block.documents], [document.title for document in block.documents]


def packed(content: Any) -> bytes:
    """Serialise plain values or a stored block; skipped items become place, reason and row."""

    def plain(value: KeptBlock | Skip) -> Any:
        return [value.where, value.reason, value.row] if isinstance(value, Skip) else vars(value)

    return zlib.compress(json.dumps(content, default=plain).encode(), 1)


def unpacked(path: Path) -> Any:
    """Read the plain values of a file; raise InputError if it is missing or damaged."""
    try:
        return parse_json(zlib.decompress(path.read_bytes()))
    except (OSError, ValueError, zlib.error) as error:
        raise InputError(f"{path} is damaged: {error}; run again without --resume") from error


class KeptBlocks:
    """A folder with three files per block."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(exist_ok=True)

    def write(self, number: int, files: dict[str, bytes]) -> None:
        """Write the files of a block by kind; `kept` comes last and marks the block as complete. Raises OSError."""
        for kind in ("words", "names", "kept"):
            write_file(self._folder / f"{number:06d}.{kind}", methodcaller("write", files[kind]))

    def __len__(self) -> int:
        return len(list(self._folder.glob("*.kept")))

    def kept(self, number: int) -> KeptBlock:
        """Read the stored part of a block; raises InputError if it is damaged."""
        found = self.read(number, "kept")
        found["skipped"] = [Skip(*each) for each in found["skipped"]]
        found["shown"] = [SampledDocument(*each) for each in found["shown"]]
        return KeptBlock(**found)

    def skipped(self) -> list[Skip]:
        """Return the skipped items of all blocks."""
        return [skip for number in range(len(self)) for skip in self.kept(number).skipped]

    def forget(self, number: int) -> None:
        """Remove a block and all later ones."""
        for path in self._folder.iterdir():
            if int(path.name[:6]) >= number:
                path.unlink()

    def read(self, number: int, kind: str) -> Any:
        """Return the values in a file of a block; raise InputError if it is damaged."""
        return unpacked(self._folder / f"{number:06d}.{kind}")


Draw = tuple[int, int, float]
"""Draws sample candidates from a block: the seed, the number of the block, and the upper bound of priorities."""


def drawn(n: int, seed: int, number: int, limit: float = np.inf) -> list[tuple[int, float]]:
    """Return (row, priority) of the candidates among `n` documents."""
    found = np.random.default_rng((seed, number)).random(n)
    return [(int(row), float(found[row])) for row in np.flatnonzero(found < limit)]


class Sampler:
    """Draws a uniform sample from a stream of unknown length.

    `seed` and the number of the block give each document a random priority; the sample holds the lowest priorities.
    """

    def __init__(self, seed: int, most: int = SAMPLED) -> None:
        self._seed, self._most, self._lowest = seed, most, np.empty(0)

    def draw(self, number: int) -> Draw:
        """Return a `Draw` for a block, bounded by the highest priority in the current sample."""
        full = len(self._lowest) == self._most
        return self._seed, number, float(self._lowest[-1]) if full else np.inf

    def take_in(self, priorities: list[float]) -> None:
        """Add the priorities of drawn documents."""
        self._lowest = np.sort(np.concatenate([self._lowest, priorities]))[: self._most]


# --- Reading options, and the fingerprint of an input


def fields_of(settings: Any) -> Fields:
    """Return the fields of a record by role."""
    label = getattr(settings, "label", "label")
    roles = settings.text, settings.id, settings.title, label
    return Fields(*roles, encoding=settings.encoding, sheet=settings.sheet)


def identity(docs: Place) -> list[int]:
    """Return a fingerprint of an input: number of files, total size and modification times; [] for a pipe."""
    if str(docs) == "-":
        return []
    found = []
    for path in every_file(docs):
        try:
            found.append(path.stat())
        except OSError:
            continue  # reading raises the error
    return [len(found), sum(each.st_size for each in found), sum(each.st_mtime_ns for each in found)]
