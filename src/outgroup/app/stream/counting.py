"""Text to counts: one pass over the documents, whose words are counted in processes of their own."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...errors import CorpusError, OutgroupError
from ...rows.shards import ShardWriter
from ...rows.threads import n_threads
from ...stopping import stop_if_asked
from ...text.reading.blocks import Block
from ...text.seen import Seen
from ...text.select import document_frequency, total_frequency
from ...text.vectorize import Vectorizer
from .kept import Kept, KeptBlocks, Sampler

Tally = tuple[list[str], Any, list[str], list[int]]
Blocks = Callable[[int], Iterable[Block]]
"""Yields the blocks of an input from the item of this number on."""

ENTRIES = 1 << 23  # stored entries of a shard: 67 MB, of which a pass holds one or two
_WIDEST = 2**31 - 1  # terms: nobody knows how many there will be


def count_texts(blocks: Blocks, vectorizer: Vectorizer, place: Path, seed: int) -> Seen:
    """Count the words of all documents into `place`, going on behind what is there already.

    Returns how often each word was seen.
    """
    kept, seen, sampler = KeptBlocks(place / "blocks"), Seen(), Sampler(seed)
    if (place / "counts").exists():
        _again(kept, len(kept), seen, sampler)
        return seen
    writer = ShardWriter(place / "counts", _WIDEST, entries=ENTRIES)
    first = _first_missing(kept, writer.n_rows)
    kept.forget(first)
    behind = _again(kept, first, seen, sampler)
    for number, (block, tally) in enumerate(_tallied(blocks(behind), vectorizer), start=first):
        stop_if_asked()
        terms, counts, forms, totals = tally
        numbers = seen.add(terms, counts, forms, totals)
        frequencies = document_frequency(counts).tolist(), total_frequency(counts).tolist()
        documents = block.documents
        shown = [(row, at, documents[row].whole) for row, at in sampler.choose(number, len(documents))]
        kept.write(number, Kept.of(block, shown), (terms, *frequencies, forms, totals))
        columns = numbers[counts.indices] if len(numbers) else counts.indices
        writer.append(sp.csr_matrix((counts.data, columns, counts.indptr), shape=(counts.shape[0], _WIDEST)))
    if not seen.n:
        raise CorpusError(_nothing(kept))
    writer.close()
    return seen


def _first_missing(kept: KeptBlocks, n_rows: int) -> int:
    """Return the number of the first block whose counts are not on the disk."""
    rows = 0
    for number in range(len(kept)):
        if rows == n_rows:
            return number
        rows += len(kept.documents(number).ids)
    return len(kept)


def _again(kept: KeptBlocks, first: int, seen: Seen, sampler: Sampler) -> int:
    """Take in the blocks before `first` as they were, and return how many items they had."""
    items = 0
    for number in range(first):
        block = kept.documents(number)
        seen.add_frequencies(len(block.ids), *kept.words(number))
        sampler.take_in(np.array([priority for _, priority, _ in block.shown]))
        items += block.n_items
    return items


def _nothing(kept: KeptBlocks) -> str:
    skipped = [skip for number in range(len(kept)) for skip in kept.documents(number).skipped[:3]][:3]
    first = "; ".join(f"{where!r}: {reason}" for where, reason, _ in skipped)
    return f"no readable document{f', the first ones skipped {first}' if skipped else ''}"


def _tallied(blocks: Iterable[Block], vectorizer: Vectorizer) -> Iterator[tuple[Block, Tally]]:
    """Yield each block with the counts of its words, in order; the processes change nothing but the time."""
    if n_threads() == 1:
        for block in blocks:
            yield block, vectorizer.count(_texts(block))
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(n_threads(), context, _begin, (vectorizer,)) as pool:
        waiting: deque[tuple[Block, Any]] = deque()
        try:
            for block in blocks:
                waiting.append((block, pool.submit(_count, _texts(block))))
                while len(waiting) > n_threads():
                    first, task = waiting.popleft()
                    yield first, task.result()
            while waiting:
                first, task = waiting.popleft()
                yield first, task.result()
        except BrokenProcessPool as error:
            raise OutgroupError("a process that counts words ended; was it killed, or is memory short?") from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _texts(block: Block) -> list[str]:
    return [document.whole for document in block.documents]


_mine: list[Vectorizer] = []  # of a counting process


def _begin(vectorizer: Vectorizer) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process hears of it and ends this one
    parent = multiprocessing.parent_process()
    if parent is not None:
        Thread(target=_end_with, args=(parent,), daemon=True).start()
    _mine.append(vectorizer)


def _end_with(parent: Any) -> None:
    """End this process when the first one is killed: nobody would, then."""
    parent.join()
    os._exit(1)


def _count(texts: list[str]) -> Tally:
    return _mine[0].count(texts)
