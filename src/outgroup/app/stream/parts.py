"""The parts of a collection that workers read: files of a folder, or ranges of one file."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ...errors import CorpusError, InputError, OutgroupError, OutgroupWarning
from ...places import Place
from ...rows.dask import gathered
from ...stopping import stop_if_asked
from ...text.reading import records
from ...text.reading.blocks import Block, read_blocks
from ...text.reading.documents import Skip
from ...text.reading.fields import Fields
from ...text.reading.folder import list_files
from ...text.reading.inputs import mode_of
from ...text.reading.ranges import Range, cut, read_range
from ...text.reading.source import kind_of

Part = Place | Range
"""A file, or some lines of one."""

RANGE = 1 << 25  # bytes of a part of a single file
_TOLD = 3  # parts of which a user hears what reading has to tell
_AHEAD = 2  # parts of which each thread may have the result ready before it is asked for


@dataclass(frozen=True)
class PartReader:
    """How the files of a folder become texts: small, and sent with every task that reads one."""

    fields: Fields
    strip: tuple[str, ...]
    seed: int
    offered: int

    def block(self, part: Part) -> tuple[Block, list[str] | None]:
        """Return the documents of a part, and the fields of a range where one that was asked for is missing."""
        documents, skipped, before = list[Any](), list[Skip](), 0
        blocks, lacking = blocks_of(part, self.fields, self.strip)
        for block in blocks:
            documents += block.documents
            moved = (None if skip.row is None else skip.row + before for skip in block.skipped)
            skipped += [Skip(skip.where, skip.reason, row) for skip, row in zip(block.skipped, moved, strict=True)]
            before += block.n_items
        return Block(documents, skipped, before), lacking

    def texts(self, part: Part) -> Iterator[list[str]]:
        """Yield the texts of a part, a block of them at a time."""
        for block in blocks_of(part, self.fields, self.strip)[0]:
            yield [document.whole for document in block.documents]


def blocks_of(part: Part, fields: Fields, strip: Collection[str]) -> tuple[Iterable[Block], list[str] | None]:
    """Return the documents of a part in blocks, and the fields of a range where one that was asked for is missing."""
    if isinstance(part, Range):
        block, lacking = read_range(part, fields, strip)
        return [block], lacking
    return read_blocks(part, fields, strip=strip), None


@contextmanager
def naming(part: Part) -> Iterator[None]:
    """Name the part where it cannot be read."""
    try:
        yield
    except OutgroupError as error:
        raise CorpusError(f"the part {part} cannot be read: {error}") from error
    except OSError as error:
        raise CorpusError(f"the part {part} cannot be read: {error.strerror or error}") from error


@contextmanager
def collected_notes() -> Iterator[list[str]]:
    """Collect what reading has to tell of a part: a worker has nobody to tell it to."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", OutgroupWarning)
        yield notes
    notes += [str(each.message) for each in caught if issubclass(each.category, OutgroupWarning)]


def warn_of_notes(notes: dict[Part, list[str]]) -> None:
    """Warn of what was noted of the parts: all of the first three with notes, and how many more have some."""
    spoken = {part: said for part, said in notes.items() if said}
    for part in list(spoken)[:_TOLD]:
        for said in spoken[part]:
            warnings.warn(f"the part {part}: {said}", OutgroupWarning, stacklevel=3)
    if len(spoken) > _TOLD:
        warnings.warn(f"and {len(spoken) - _TOLD:,} more parts have the like to tell", OutgroupWarning, stacklevel=3)


def from_workers(client: Any, task: Callable[..., Any], every: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
    """Yield what a task gives for each of some arguments; the workers are a few ahead."""
    waiting: deque[Any] = deque()
    for number, given in enumerate(every, start=1):
        waiting.append(client.submit(task, *given, pure=False))
        while waiting and (number == len(every) or len(waiting) > _AHEAD * sum(client.nthreads().values())):
            stop_if_asked()
            yield gathered(client, [waiting.popleft()])[0]


def parts_of(docs: Place) -> Sequence[Part]:
    """Return the files of a folder of records, in the order of their names, or the ranges of one file.

    Files of Parquet are cut between row groups. Raises InputError for anything else.
    """
    if str(docs) != "-":
        mode_of(docs)  # says what is wrong with it
    if not docs.is_dir():
        ranges = cut(docs.resolve(), RANGE) if docs.is_file() else None
        if ranges:
            return ranges
        raise InputError(
            f"{docs} is no folder; --cluster takes a folder of files of records, each of which is a part, or a file of "
            "JSON lines (.jsonl, not compressed) or Parquet, which is read in parts"
        )
    files = [file for file in list_files(docs) if not isinstance(file, Skip)]
    strange = [file for file in files if kind_of(file.name)[0] not in records.KINDS]
    if strange or not files:
        what = f"{strange[0].name} is none" if strange else "there is no file"
        raise InputError(f"--cluster takes a folder of files of records, such as .jsonl or .parquet, and {what}")
    return [part for file in files for part in _parts_of_file(file.resolve())]


def _parts_of_file(file: Place) -> Sequence[Part]:
    """Return a file of Parquet in ranges, where it has several: its end says where they are; others are one part."""
    ranges = cut(file, RANGE) if kind_of(file.name) == (".parquet", "") else None
    return ranges if ranges and len(ranges) > 1 else [file]
