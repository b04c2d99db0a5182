"""The parts of a collection: one task reads, counts and weighs a part, here or on a worker of a cluster."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import signal
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from itertools import chain, islice
from operator import call
from pathlib import Path
from threading import Thread, get_ident
from typing import Any, NamedTuple

import numpy as np

from ..errors import CorpusError, InputError, OutgroupError, OutgroupWarning, OutputError
from ..places import Place
from ..readers import folder
from ..readers.corpus import Block, read_blocks
from ..readers.documents import Corpus, Skip
from ..readers.fields import Fields
from ..readers.folder import list_files
from ..readers.inputs import mode_of
from ..readers.ranges import Range, cut, read_range
from ..readers.source import kind_of
from ..rows.mapped import map_matrix, mapped_rows, read_about, why_not, write_matrix
from ..rows.sparse import SparseRows
from ..rows.threads import n_threads, one_thread
from ..stopping import stop_if_asked
from ..storage.folders import write_file
from ..text.counts import Analyser, in_columns
from ..types import Array

# --- Parts of an input: files, ranges of a file, or blocks of a stream

Part = Place | Range | Block | None
"""The source of a part; None for a stored block of a stream."""

_SIZE = 1 << 24  # bytes of a range: some 60,000 short texts
_LARGEST = 1 << 26  # bytes of a row group in memory at most


def parts_of(docs: Place, *, shared: bool) -> Sequence[Place | Range] | None:
    """Return the ranges of a file, or the record files of a folder that workers `shared`; None if only this process
    can read the input, block by block.

    Parquet files are split between row groups. Raises InputError for an input that workers cannot read.
    """
    if str(docs) != "-":
        mode_of(docs)  # raises for an invalid input
    if not docs.is_dir():
        ranges = cut(docs.resolve(), _SIZE, None if shared else _LARGEST) if docs.is_file() else None
        if ranges or not shared:
            return ranges
        raise InputError(
            f"{docs} is not valid for --cluster: give a folder of record files, or a JSON Lines (.jsonl, not "
            "compressed) or Parquet file"
        )
    if not shared:
        return None
    files = [file for file in list_files(docs) if not isinstance(file, Skip)]
    strange = [file for file in files if kind_of(file.name)[0] not in folder.RECORD_KINDS]
    if strange or not files:
        fault = f"{strange[0].name} is not a record file" if strange else f"{docs} has no files"
        raise InputError(f"{fault}: --cluster needs a folder of record files, such as .jsonl or .parquet")
    return [part for file in files for part in _ranges_of(file.resolve())]


def _ranges_of(file: Place) -> Sequence[Place | Range]:
    """Return the ranges of a Parquet file if there are several; another file is a single part."""
    ranges = cut(file, _SIZE) if kind_of(file.name) == (".parquet", "") else None
    return ranges if ranges and len(ranges) > 1 else [file]


def block_of(part: Part, fields: Fields) -> tuple[Block, list[str] | None]:
    """Return the documents of a part, and the existing fields if a requested field is missing."""
    if isinstance(part, Range):
        return read_range(part, fields)
    if isinstance(part, Block):
        return part, None
    assert part is not None
    documents, skipped, before = list[Any](), list[Skip](), 0
    for block in read_blocks(part, fields):
        documents += block.documents
        skipped += [replace(skip, row=None if skip.row is None else skip.row + before) for skip in block.skipped]
        before += block.n_items
    return Block(documents, skipped, before), None


@contextmanager
def named_part(part: Part) -> Iterator[list[str]]:
    """Add the name of a part to read errors, and collect the warnings, which another process cannot print.

    A block has no name, and the main process has read it.
    """
    notes: list[str] = []
    if part is None or isinstance(part, Block):
        yield notes
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", OutgroupWarning)
        try:
            yield notes
        except (OutgroupError, OSError) as error:
            reason = getattr(error, "strerror", None) or error
            raise CorpusError(f"the part {part} cannot be read: {reason}") from error
    notes += [str(item.message) for item in caught if issubclass(item.category, OutgroupWarning)]


# --- The folder of a part: its documents, its counts, and its rows
#
# A folder appears with all its documents, so that a run with --resume reads only the other parts. The parts of a lost
# machine are read again.

NumberedPart = tuple[int, Part]
"""A part, and its number."""


class PartFacts(NamedTuple):
    """Facts about a part: the numbers of documents and of items, whether it has labels, the other fields, the reasons
    of skips, the first three skips, the existing fields if a requested one is missing, and notes.
    """

    n: int
    n_items: int
    labelled: bool
    columns: list[str]
    reasons: dict[str, int]
    first: list[Any]
    lacking: list[str] | None
    notes: list[str]


Frequencies = tuple[int, list[str], list[int], list[str], list[int]]
"""The number of documents of a part, the terms, their document frequencies, the word forms, and their counts."""


@dataclass(frozen=True)
class Store:
    """The folders of the parts: in `place`, or without one in a folder of the worker's machine, named by `run`.

    `words` is the state of the fitted vectorizer, and `key` its digest. With `every`, documents without a known word
    have a row, too, as documents with embeddings do.
    """

    run: str
    key: str
    place: Path | None = field(compare=False)
    fields: Fields = field(compare=False)
    analyser: Analyser = field(compare=False)
    every: bool = field(default=False, compare=False)
    words: dict[str, Any] | None = field(default=None, compare=False)

    def folder(self, number: int) -> Path:
        """Return the folder of a part, which may not exist."""
        return self._base / f"{number:06d}"

    @property
    def _base(self) -> Path:
        if self.place is None:
            from ..rows.dask import machine_folder

            return machine_folder(self.run)
        self.place.mkdir(exist_ok=True)
        return self.place

    def documents(self, numbered: NumberedPart) -> StoredDocuments:
        """Return the documents of a part; read it if it is not stored."""
        if not self.folder(numbered[0]).exists():
            self.read(numbered)
        return StoredDocuments(self.folder(numbered[0]))

    @one_thread()
    def read(self, numbered: NumberedPart) -> tuple[PartFacts, Frequencies]:
        """Return the facts and frequencies of a part; read it and count its terms if they are not stored."""
        number, part = numbered
        place = self.folder(number)
        if not place.exists():
            with named_part(part) as notes:
                block, lacking = block_of(part, self.fields)
            stage = place.with_name(f"new-{place.name}-{os.getpid()}-{get_ident()}")
            shutil.rmtree(stage, ignore_errors=True)
            try:
                stage.mkdir()
                tally = self.analyser.tally([document.whole for document in block.documents])
                write_matrix(stage / "counts", tally.counts)
                write_documents(stage, block, tally.frequencies, lacking, notes)
                stage.rename(place)
            except OSError as error:
                shutil.rmtree(stage, ignore_errors=True)
                if not place.exists():  # no other worker of this machine was first
                    raise OutputError(f"cannot write the documents to {place}: {why_not(error)}") from error
        stored = StoredDocuments(place)
        return stored.facts, stored.frequencies

    @one_thread()
    def weigh(self, numbered: NumberedPart) -> Array:
        """Return the mask of documents with a row, (n,); make the rows of the part if they are not stored."""
        place = self.folder(numbered[0])
        # Another run of this task may finish meanwhile: it writes the mask, then removes the counts. If it finishes
        # between the two tests below and the reading of the counts, this run ends in an error.
        if not ((place / "counts").exists() or (place / "has_row.npy").exists()):
            shutil.rmtree(place, ignore_errors=True)
            self.read(numbered)
        if not (place / "has_row.npy").exists():
            vectorizer, counts = _vectorizer(self), place / "counts"
            terms, vocabulary = StoredDocuments(place).frequencies[1], vectorizer.vocabulary_
            X = map_matrix(counts, read_about(counts), check=True)
            rows = vectorizer.weigh(in_columns(X, terms, vocabulary))
            rows.eliminate_zeros()  # of words that an earlier result ignores
            has_row = (np.diff(rows.indptr) > 0) | self.every
            write_matrix(place / "rows", rows[np.flatnonzero(has_row)])
            try:
                write_file(place / "has_row.npy", partial(np.save, arr=has_row, allow_pickle=False))
            except OSError as error:
                raise OutputError(f"cannot write rows to {place}: {why_not(error)}") from error
            shutil.rmtree(counts, ignore_errors=True)
        mask: Array = np.load(place / "has_row.npy", allow_pickle=False)
        return mask

    def __call__(self, numbered: NumberedPart) -> SparseRows:
        """Return the rows of a part."""
        self.weigh(numbered)
        return mapped_rows(self.folder(numbered[0]) / "rows")

    def kept(self) -> int:
        """Return the number of stored parts, from the first on."""
        number = 0
        while self.folder(number).exists():
            number += 1
        return number


@lru_cache(maxsize=1)
def _vectorizer(store: Store) -> Any:
    from ..text.vectorizer import Vectorizer  # late: a process that only counts words need not load scikit-learn

    assert store.words is not None
    return Vectorizer.from_state(store.words)


# --- Where tasks run: in processes of this machine, or on the workers of a cluster. They affect only the time

Task = Callable[[Any], Any]
_QUEUED = 2  # tasks per process or thread: one running, one waiting


def mapped(client: Any, task: Task, values: Iterable[Any]) -> Iterator[Any]:
    """Apply a task to all values, on the workers of a Dask `client` or in processes; yield the results in order.

    A single value is processed here, since processes take a second to start.
    """
    if client is not None:
        yield from _on_workers(client, task, values)
        return
    values = iter(values)
    first = [] if n_threads() == 1 else list(islice(values, 2))
    yield from (_in_processes if len(first) == 2 else map)(task, chain(first, values))


def _on_workers(client: Any, task: Task, values: Iterable[Any]) -> Iterator[Any]:
    """Apply a task on workers; the tasks of a lost worker run again."""
    from ..rows.dask import gathered, unchanged

    shared = client.submit(unchanged, task, pure=False)
    futures = ((value, client.submit(call, shared, value, pure=False)) for value in values)
    for value, future in _ahead(futures, _QUEUED * sum(client.nthreads().values())):
        stop_if_asked()
        yield gathered(client, [future], f"the part {_part_in(value)}")[0]


def _part_in(value: Any) -> Any:
    while isinstance(value, tuple):
        value = value[1] if len(value) == 2 and isinstance(value[0], int) else value[0]
    return value


def _ahead(futures: Iterable[Any], most: int) -> Iterator[Any]:
    """Yield futures in order; at most `most` are started ahead."""
    waiting = deque[Any]()
    for future in futures:
        waiting.append(future)
        if len(waiting) >= most:
            yield waiting.popleft()
    yield from waiting


def _in_processes(task: Task, values: Iterable[Any]) -> Iterator[Any]:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(n_threads(), context, _begin) as pool:
        try:
            futures = (pool.submit(task, value) for value in values)
            yield from (future.result() for future in _ahead(futures, _QUEUED * n_threads()))
        except BrokenProcessPool as error:
            raise OutgroupError(
                "a worker process was killed, perhaps because memory ran out: run again with --resume, or with fewer "
                "threads (the environment variable OUTGROUP_THREADS)"
            ) from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the main process handles it and ends this one
    parent = multiprocessing.parent_process()
    if parent is not None:
        Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Any) -> None:
    """End this process when the main process dies."""
    parent.join()
    os._exit(1)


# --- The documents of a part in a file of JSON lines: facts, frequencies, skipped items, then a line for each column

_DOCUMENTS = "documents.jsonl"
_ROLES = ("id", "whole", "title", "label")  # the first columns
_SURROGATES = "utf-8", "surrogatepass"


def write_documents(folder: Path, block: Block, frequencies: Any, lacking: list[str] | None, notes: list[str]) -> None:
    """Write the documents of a block with all fields, the skipped items, and the counts; raises OSError."""
    documents = block.documents
    others = list(dict.fromkeys(name for document in documents for name in document.columns))
    skipped = [[skip.where, skip.reason, skip.row, dict(skip.columns)] for skip in block.skipped]
    labelled = any(document.label for document in documents)
    reasons = dict(Counter(skip.reason for skip in block.skipped))
    facts = PartFacts(len(documents), block.n_items, labelled, others, reasons, skipped[:3], lacking, notes)
    own = ([getattr(document, role) or "" for document in documents] for role in _ROLES)
    further = ([document.columns.get(name, "") for document in documents] for name in others)
    with (folder / _DOCUMENTS).open("wb") as file:
        for line in chain([facts, frequencies, skipped], own, further):
            file.write(json.dumps(line, ensure_ascii=False).encode(*_SURROGATES) + b"\n")


class StoredDocuments:
    """The documents that `write_documents` wrote; raises InputError for missing or damaged files."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / _DOCUMENTS
        self.facts = self._line(0, lambda facts: PartFacts(*facts))

    @contextmanager
    def _damage(self) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise InputError(f"{self._path} is damaged: {error}; run again without --resume") from error

    def _lines(self, start: int, stop: int) -> list[Any]:
        with self._path.open("rb") as file:
            found = [json.loads(line.decode(*_SURROGATES)) for line in islice(file, start, stop)]
        if len(found) < stop - start:
            raise ValueError("it was cut short")
        return found

    def _line(self, number: int, made: Callable[[Any], Any]) -> Any:
        with self._damage():
            return made(self._lines(number, number + 1)[0])

    @property
    def frequencies(self) -> Frequencies:
        """The frequencies of the words."""
        return self._line(1, tuple)

    @cached_property
    def skipped(self) -> list[Skip]:
        """The skipped items."""
        return self._line(2, lambda skipped: [Skip(*skip) for skip in skipped])

    @cached_property
    def ids(self) -> list[str]:
        """The ids of the documents."""
        return self._line(3, list)

    @cached_property
    def texts(self) -> list[str]:
        """The texts of the documents, with their titles."""
        return self._line(4, list)

    @property
    def rows(self) -> Array:
        """The positions of the documents among the documents and skipped documents of the part, (n,)."""
        out = [skip.row for skip in self.skipped if skip.row is not None]
        return np.delete(np.arange(self.facts.n + len(out)), out)

    def corpus(self, rows: Array | None = None) -> Corpus:
        """Return the documents, or those at the positions `rows` without the skipped ones."""
        with self._damage():
            cells = self._lines(3, 3 + len(_ROLES) + len(self.facts.columns))
            if rows is not None:
                cells = [[column[row] for row in rows.tolist()] for column in cells]
        ids, texts, titles, labels, *others = cells
        columns = dict(zip(self.facts.columns, others, strict=True))
        skipped, places = (self.skipped, self.rows.tolist()) if rows is None else ([], [])
        return Corpus(ids, texts, titles, labels if self.facts.labelled else None, skipped, places, columns)


def joined(parts: Sequence[Corpus]) -> Corpus:
    """Return the documents of several corpora, without their skipped items, as one corpus."""
    names = list(dict.fromkeys(name for part in parts for name in part.columns))
    columns = {name: [v for part in parts for v in part.columns.get(name, [""] * len(part))] for name in names}
    labels = [v for part in parts for v in part.labels or [""] * len(part)]
    ids, texts, titles = ([v for part in parts for v in getattr(part, name)] for name in ("ids", "texts", "titles"))
    return Corpus(ids, texts, titles, labels if any(labels) else None, columns=columns)
