"""What a pass and a text cost in processor time: the cost model of docs/scale.md."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from time import process_time

import numpy as np

from outgroup import Vectorizer
from outgroup.rows import threads
from outgroup.rows.disk import DiskRows
from outgroup.text.reading.blocks import read_blocks
from outgroup.text.reading.fields import Fields
from outgroup.text.seen import Seen

from ..tables import show
from .passes import one_pass

_FITTED, _CHECKED = (10, 200), (50, 100)


def cost(folders: list[Path], texts: Path | None) -> None:
    """Fit seconds = entries (a k + b) to the first folder at two k, and compare with others and with other folders."""
    constants, table = {}, []
    for folder in folders:
        disk = DiskRows(folder)
        entries = sum(shard["entries"] for shard in disk._shards)
        for name in ("nearest", "sums", "dense"):
            took = {k: _processor(disk, name, k) / entries for k in (*_FITTED, *_CHECKED)}
            low, high = _FITTED
            if name not in constants:
                a = (took[high] - took[low]) / (high - low)
                constants[name] = (a, took[low] - a * low)
            a, b = constants[name]
            off = {k: 100 * ((a * k + b) / took[k] - 1) for k in _CHECKED}
            said = [f"{took[k] * 1e9:.1f}" for k in (*_FITTED, *_CHECKED)]
            table.append(
                [folder.name, name, *said, f"{a * 1e9:.3f}", f"{b * 1e9:.2f}", *(f"{off[k]:+.0f} %" for k in off)]
            )
    head = [f"k = {k}" for k in (*_FITTED, *_CHECKED)]
    show(["rows", "pass", *head, "a", "b", *(f"model at {k}" for k in _CHECKED)], table)
    print("nanoseconds of one thread for an entry")
    if texts is not None:
        _cost_of_texts(texts)


def _cost_of_texts(file: Path) -> None:
    """Print the processor time of reading and of counting the words of a document."""
    vectorizer, seen, begin = Vectorizer(), Seen(), process_time()
    blocks = list(islice(read_blocks(file, Fields()), 5))
    read, n = process_time() - begin, sum(len(block.documents) for block in blocks)
    for block in blocks:
        seen.add(*vectorizer.count([document.whole for document in block.documents]))
    counted = process_time() - begin - read
    print(f"{1e6 * read / n:.0f} microseconds to read a document, {1e6 * counted / n:.0f} to count its words")


def _processor(disk: DiskRows, name: str, k: int) -> float:
    """Return the processor time of a pass on one thread, the least of three: others on the machine only add to it."""
    rng = np.random.default_rng(0)
    W, labels = rng.normal(size=(k, disk.shape[1])), rng.integers(0, k, disk.shape[0]).astype(np.int32)
    found = []
    with threads(1):
        for _ in range(3):
            begin = process_time()
            one_pass(disk, name, W, labels)
            found.append(process_time() - begin)
    return min(found)
