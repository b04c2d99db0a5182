"""The streaming job on a cluster: workers read, count, weight and fold parts of the collection."""

from __future__ import annotations

import hashlib
import shutil
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from heapq import nsmallest
from operator import itemgetter
from pathlib import Path
from threading import get_ident
from typing import Any
from uuid import uuid4

import numpy as np

from ..cli.output import Steps
from ..cli.settings import LargeSettings
from ..errors import CorpusError, InputError, OutgroupError, OutgroupWarning, warn
from ..places import Place
from ..readers import folder
from ..readers.corpus import Block, mail_parts, none_read, read_blocks
from ..readers.documents import Skip
from ..readers.fields import Fields
from ..readers.folder import list_files
from ..readers.inputs import mode_of
from ..readers.ranges import Range, cut, read_range, require_any
from ..readers.source import kind_of
from ..rows.dask import (
    DaskRows,
    Sent,
    add_in_pairs,
    forget_machine_folder,
    gathered,
    looked_at,
    machine_folder,
    own_folder,
    received,
    rows_of,
    sent,
    unchanged,
)
from ..rows.disk import kept_terms
from ..rows.shards import ShardWriter, map_shard, read_manifest
from ..rows.sparse import SparseRows
from ..rows.threads import one_thread
from ..rows.wrappers import part_of, sampled
from ..stopping import stop_if_asked
from ..storage import state
from ..text.counts import Analyser
from ..text.representation import Spaces
from ..text.vectorizer import Vectorizer
from ..text.vocabulary import Seen
from ..types import Array
from .counting import SAMPLED, KeptBlock, KeptBlocks, Names, drawn, fields_of, names_of, packed, started_ahead, unpacked
from .results import Judge, Written
from .tfidf import WHOLE, BlockToJudge, StreamMaterial, fit_words

# --- The streaming job on a cluster
#
# Workers hold no irreplaceable state: a lost part is read again. The vocabulary travels as the result of a task. The
# workers of a machine share the rows of their parts in local files.

_ELSEWHERE = packed(None)  # names and term counts of a part stay on its worker
_SPARE = 4  # oversampling factor of a part, since parts differ in size


@dataclass(frozen=True)
class Weighed:
    """Loads the rows of a part on a worker; instances with equal `key` (run and vocabulary) are equal.

    With `every`, load all rows, for documents with embeddings.
    """

    run: str = field(compare=False)
    parts: PartReader = field(compare=False)
    words: dict[str, Any] = field(compare=False)
    key: str
    every: bool = False

    def __call__(self, part: Part) -> Any:
        """Return the rows of documents with a known word."""
        folder, manifest = self._kept(part)
        shard, width = manifest["shards"][0], manifest["features"]
        X = map_shard(folder, shard, width, np.dtype(manifest["dtype"]), check=False)
        return SparseRows(X, partial(kept_terms, folder, shard, width, looked_at(folder)))

    def of_ids(self, part: Part, task: Callable[[list[str]], Any]) -> Any:
        """Return the result of a task for the ids of a part."""
        return task(self.names(part)[0][0])

    def names(self, part: Part) -> tuple[Names, list[Skip]]:
        """Return the ids, titles and skipped items of a part."""
        names, skipped = unpacked(self._kept(part)[0].parent / "names")
        return names, [Skip(*each) for each in skipped]

    @one_thread()
    def has_row(self, part: Part) -> Array:
        """Return the mask of documents with a known word, (n,) bool."""
        about = self._kept(part)[1]["about"]
        return np.unpackbits(np.array(about["has_row"], dtype=np.uint8))[: about["n"]] > 0

    def _kept(self, part: Part) -> tuple[Path, dict[str, Any]]:
        """Return the local folder of rows and its manifest; create them if they are missing."""
        folder = machine_folder(self.run) / hashlib.sha256(f"{self.key} {part}".encode()).hexdigest()[:24]
        if not folder.exists():
            new = own_folder("outgroup-rows") / f"{folder.name}-{get_ident()}"
            shutil.rmtree(new, ignore_errors=True)
            new.mkdir()
            self._write(part, new)
            try:
                new.rename(folder)
            except OSError:
                if not folder.exists():  # another worker of this machine was first
                    raise
                shutil.rmtree(new)
        return folder / "rows", read_manifest(folder / "rows")

    def _write(self, part: Part, folder: Path) -> None:
        vectorizer = Vectorizer.from_state(self.words)
        with collected_notes():  # counting has already reported the notes
            block = self.parts.block(part)[0]
        X = vectorizer.transform([document.whole for document in block.documents])
        X.eliminate_zeros()
        has_row = (np.diff(X.indptr) > 0) | self.every
        about = {"n": len(has_row), "has_row": np.packbits(has_row).tolist()}
        writer = ShardWriter(folder / "rows", len(self.words["stems"]), entries=WHOLE, about=about)
        writer.append(X[np.flatnonzero(has_row)])
        (folder / "names").write_bytes(packed((names_of(block), block.skipped)))
        writer.close()


@dataclass(frozen=True, kw_only=True)
class OnWorkers(StreamMaterial):
    """The material of a stream; names and rows stay on the workers."""

    client: Any
    load: Any
    parts: Sequence[Part]

    def each_ids(self, task: Callable[[list[str]], Any]) -> Iterator[tuple[int, Any]]:
        sent_once = self.client.submit(unchanged, task, pure=False)
        asked = [(self.load, part, sent_once) for part in self.parts]
        for (first, _), found in zip(self.kept(), from_workers(self.client, Weighed.of_ids, asked), strict=True):
            yield first, found

    def judged(self, judge: Judge, labels: Array) -> Iterator[Written]:
        """Yield the output of each part for the labels of all rows, (n,); its worker computes it."""
        model = self.client.submit(unchanged, judge, pure=False)
        asked = (
            (self.load, model, self.parts[each.number], sent(each.labels), each.number == 0, self._vectors_of(each))
            for each in self.asked(labels)
        )
        yield from from_workers(self.client, _judged, asked)

    def _vectors_of(self, block: BlockToJudge) -> tuple[Array, Any] | None:
        """Return the mask of documents of a part with a vector, and their vectors; a worker reads them."""
        if self.vectors is None:
            return None
        index = np.arange(block.first, block.first + len(block.labels))
        return block.has_row, part_of(self.vectors, index)


@contextmanager
def temporary_rows(client: Any, work: Path) -> Iterator[None]:
    """Delete the rows of a run on the workers when the block ends, unless the run can be resumed."""
    run = _run_of(work)
    try:
        yield
    except InputError:
        _forget(client, run)
        raise
    _forget(client, run)


def _forget(client: Any, run: str) -> None:
    with suppress(Exception):  # a later run removes leftovers
        client.run(forget_machine_folder, run)


def _run_of(work: Path) -> str:
    """Return the name of a run; a resumed run keeps its name."""
    name = work / "run"
    if not (name.exists() and name.read_text()):
        name.write_text(uuid4().hex)
    return name.read_text()


def read(settings: LargeSettings, vectorizer: Vectorizer, work: Path, client: Any, steps: Steps) -> OnWorkers:
    """Read the parts on the workers; return the material of the stream.

    A fixed tree over the numbers of the parts sums the counts. The work folder stores the vocabulary for --resume.
    """
    # 1. The parts, and the counts of their terms.
    paths = parts_of(settings.docs)
    offered = -(-_SPARE * SAMPLED // len(paths))
    parts = PartReader(fields_of(settings), tuple(mail_parts(settings.strip)), settings.seed, offered)
    kept = KeptBlocks(work / "blocks")
    if not (work / "vectorizer").exists():
        steps("counting words", 0, len(paths))
        seen = _count_parts(client, vectorizer.analyser, parts, paths, kept, steps)
        if not seen.n:
            raise none_read(settings.docs, kept.skipped())
        fit_words(vectorizer, seen, work)
    # 2. The vocabulary and the weights of its words.
    words, run = state.read(work / "vectorizer"), _run_of(work)
    key = hashlib.sha256("\n".join([run, repr(parts), *words["stems"]]).encode() + words["idf"].tobytes()).hexdigest()
    weighed = Weighed(run, parts, words, key, every=settings.embeddings is not None)
    # 3. The rows of all parts, which stay on the workers.
    steps("weighing words", 0, len(paths))
    load = client.submit(unchanged, weighed, pure=False)
    has_row = gathered(client, [client.submit(Weighed.has_row, load, path, pure=False) for path in paths])
    counts = {path: int(np.count_nonzero(each)) for path, each in zip(paths, has_row, strict=True) if each.any()}
    if not counts:
        raise InputError("no document contains a word of the vocabulary: check the text column (--text)")
    rows = DaskRows(client, load, [*counts], [*counts.values()], len(words["stems"]))
    known = Vectorizer.from_state(words)
    return OnWorkers(kept, known, rows, np.concatenate(has_row), client=client, load=load, parts=paths)


def _count_parts(
    client: Any, analyser: Analyser, parts: PartReader, paths: Sequence[Part], kept: KeptBlocks, steps: Steps
) -> Seen:
    """Count the terms of every part; an unreadable part raises an error before the fit."""
    counted = [client.submit(_count, parts, path, number, analyser, pure=False) for number, path in enumerate(paths)]
    seen = add_in_pairs(client, [client.submit(itemgetter(0), each, pure=False) for each in counted], _plus)
    lacking, notes = [], {}
    for number, (path, each) in enumerate(zip(paths, counted, strict=True)):
        stop_if_asked()
        rest = client.submit(itemgetter(1), each, pure=False)
        documents, lacks, notes[path] = gathered(client, [rest], f"the part {path}")[0]
        kept.write(number, {"kept": documents, "names": _ELSEWHERE, "words": _ELSEWHERE})
        lacking.append(lacks)
        steps("counting words", number + 1, len(paths))
    require_any(lacking, parts.fields, paths[0])
    warn_of_notes(notes)
    total: Seen = gathered(client, [seen])[0]
    return total


@one_thread()
def _count(
    parts: PartReader, part: Part, number: int, analyser: Analyser
) -> tuple[Seen, tuple[bytes, list[str] | None, list[str]]]:
    """Count the terms of a part; return frequencies, the stored block, missing fields and notes."""
    with naming(part), collected_notes() as notes:
        block, lacking = parts.block(part)
    seen = Seen()
    seen.add(*analyser.count([document.whole for document in block.documents]))
    shown = sorted(nsmallest(parts.offered, drawn(len(block.documents), parts.seed, number), key=itemgetter(1)))
    return seen, (packed(KeptBlock.of(block, shown)), lacking, notes)


def _plus(pair: list[Seen]) -> Seen:
    """Add two counts into a third; the results of tasks must not change."""
    return Seen().plus(pair[0]).plus(pair[1])


@one_thread()
def _judged(
    load: Weighed, judge: Judge, part: Part, labels: Sent, header: bool, vectors: tuple[Array, Any] | None
) -> Written:
    names, skipped = load.names(part)
    words, has_row = rows_of(load, part).local(), load.has_row(part)
    X = words
    if vectors is not None:
        has_row, some = vectors
        X, words = sampled(some, np.arange(some.shape[0])), words[has_row]
    spaces = Spaces([""] * X.shape[0], X, words)
    return judge(names, skipped, spaces, has_row, received(labels), header=header)


# --- Parts of a collection: files of a folder, or ranges of one file

Part = Place | Range
"""A file, or some lines of one."""

RANGE = 1 << 25  # bytes of a part of a single file
_WITH_NOTES = 3  # parts with notes in the warnings
_QUEUED = 2  # results per thread that are computed in advance


@dataclass(frozen=True)
class PartReader:
    """Reading options; small enough to send with every task."""

    fields: Fields
    strip: tuple[str, ...]
    seed: int
    offered: int

    def block(self, part: Part) -> tuple[Block, list[str] | None]:
        """Return the documents of a part, and the existing fields if a requested field is missing."""
        documents, skipped, before = list[Any](), list[Skip](), 0
        blocks, lacking = blocks_of(part, self.fields, self.strip)
        for block in blocks:
            documents += block.documents
            moved = (None if skip.row is None else skip.row + before for skip in block.skipped)
            skipped += [Skip(skip.where, skip.reason, row) for skip, row in zip(block.skipped, moved, strict=True)]
            before += block.n_items
        return Block(documents, skipped, before), lacking


def blocks_of(part: Part, fields: Fields, strip: Collection[str]) -> tuple[Iterable[Block], list[str] | None]:
    """Return the blocks of a part, and the existing fields if a requested field is missing."""
    if isinstance(part, Range):
        block, lacking = read_range(part, fields, strip)
        return [block], lacking
    return read_blocks(part, fields, strip=strip), None


@contextmanager
def naming(part: Part) -> Iterator[None]:
    """Add the name of the part to read errors."""
    try:
        yield
    except (OutgroupError, OSError) as error:
        raise CorpusError(f"the part {part} cannot be read: {getattr(error, 'strerror', None) or error}") from error


@contextmanager
def collected_notes() -> Iterator[list[str]]:
    """Collect the warnings while a part is read, because a worker cannot print them."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", OutgroupWarning)
        yield notes
    notes += [str(each.message) for each in caught if issubclass(each.category, OutgroupWarning)]


def warn_of_notes(notes: dict[Part, list[str]]) -> None:
    """Warn with the notes of the first three parts, and count further parts with notes."""
    noted = {part: messages for part, messages in notes.items() if messages}
    for part in list(noted)[:_WITH_NOTES]:
        for message in noted[part]:
            warn(f"the part {part}: {message}")
    if len(noted) > _WITH_NOTES:
        warn(f"{len(noted) - _WITH_NOTES:,} more parts have notes")


def from_workers(client: Any, task: Callable[..., Any], every: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
    """Yield a task's result for each tuple of arguments; a few are computed ahead."""
    futures = (client.submit(task, *given, pure=False) for given in every)
    for future in started_ahead(futures, _QUEUED * sum(client.nthreads().values())):
        stop_if_asked()
        yield gathered(client, [future])[0]


def parts_of(docs: Place) -> Sequence[Part]:
    """Return the record files of a folder, sorted by name, or the ranges of one file.

    Parquet files are split between row groups. Raises InputError for other inputs.
    """
    if str(docs) != "-":
        mode_of(docs)  # raises for an invalid input
    if not docs.is_dir():
        ranges = cut(docs.resolve(), RANGE) if docs.is_file() else None
        if ranges:
            return ranges
        raise InputError(
            f"{docs} is not valid for --cluster: give a folder of record files, or a JSON Lines (.jsonl, not "
            "compressed) or Parquet file"
        )
    files = [file for file in list_files(docs) if not isinstance(file, Skip)]
    strange = [file for file in files if kind_of(file.name)[0] not in folder.RECORD_KINDS]
    if strange or not files:
        fault = f"{strange[0].name} is not a record file" if strange else f"{docs} has no files"
        raise InputError(f"{fault}: --cluster needs a folder of record files, such as .jsonl or .parquet")
    return [part for file in files for part in _parts_of_file(file.resolve())]


def _parts_of_file(file: Place) -> Sequence[Part]:
    """Return the ranges of a Parquet file if there are several; another file is a single part."""
    ranges = cut(file, RANGE) if kind_of(file.name) == (".parquet", "") else None
    return ranges if ranges and len(ranges) > 1 else [file]
