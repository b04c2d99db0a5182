"""The same job on a cluster: parts of the collection are read, counted, weighed and folded by workers."""

from __future__ import annotations

import hashlib
import shutil
import warnings
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import get_ident
from typing import Any
from uuid import uuid4

import numpy as np

from ..cli.output import Steps
from ..cli.settings import LargeSettings
from ..errors import CorpusError, InputError, OutgroupError, OutgroupWarning
from ..places import Place
from ..readers import folder
from ..readers.corpus import Block, none_read, read_blocks
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
)
from ..rows.disk import kept_terms
from ..rows.shards import ShardWriter, map_shard, read_manifest
from ..rows.sparse import SparseRows
from ..rows.threads import one_thread
from ..stopping import stop_if_asked
from ..storage import state
from ..text.counts import Analyser
from ..text.vectorizer import Vectorizer
from ..text.vocabulary import Seen
from ..types import Array
from .counting import (
    SAMPLED,
    KeptBlock,
    KeptBlocks,
    Names,
    Packed,
    fields_of,
    names_of,
    packed,
    skips_of,
    strip_of,
    unpacked,
)
from .results import Judge, Written
from .weighing import StreamMaterial, found_in

# --- The same job on a cluster: its workers read their parts from the source, count, weigh and fold them
#
# Nothing that a worker holds is needed again: a part is read anew where it was lost. The words that were learned
# travel as the result of a task, as directions do, and the workers of a machine keep the rows of their parts in files
# there.

_ELSEWHERE = packed(None)  # the names of a part stay where it was read, and its words are added up there
_SPARE = 4  # times its share of the report's documents that a part offers, since parts differ in size


class Weighed:
    """Reads a part's rows: a task's result that all passes name; two of the same run and words are the same."""

    def __init__(self, run: str, parts: PartReader, words: dict[str, Any], key: str) -> None:
        self.run, self.parts, self.words, self.key = run, parts, words, key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Weighed) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __call__(self, part: Part) -> Any:
        """Return the rows of a part's documents that have a known word."""
        folder, manifest = self._kept(part)
        shard, width = manifest["shards"][0], manifest["features"]
        X = map_shard(folder, shard, width, np.dtype(manifest["dtype"]), check=False)
        return SparseRows(X, partial(kept_terms, folder, shard, width, looked_at(folder)))

    def names(self, part: Part) -> tuple[Names, list[Skip]]:
        """Return the ids and titles of a part, and what was skipped of it."""
        names, skipped = unpacked(self._kept(part)[0].parent / "names")
        return names, [Skip(*each) for each in skipped]

    def has_row(self, part: Part) -> Array:
        """Return which documents of a part have a known word, (n,) bool."""
        about = self._kept(part)[1]["about"]
        return np.unpackbits(np.array(about["has_row"], dtype=np.uint8))[: about["n"]] > 0

    def _kept(self, part: Part) -> tuple[Path, dict[str, Any]]:
        """Return the folder with the rows that this machine keeps, made first where it has none, and what it says."""
        folder = machine_folder(self.run) / hashlib.sha256(f"{self.key} {part}".encode()).hexdigest()[:24]
        if not folder.exists():
            self._make(part, folder)
        return folder / "rows", read_manifest(folder / "rows")

    def _make(self, part: Part, folder: Path) -> None:
        beside = own_folder("outgroup-rows") / f"{folder.name}-{get_ident()}"
        shutil.rmtree(beside, ignore_errors=True)
        beside.mkdir()
        self._write(part, beside)
        try:
            beside.rename(folder)
        except OSError:
            if not folder.exists():  # else another worker of this machine was first
                raise
            shutil.rmtree(beside)

    def _write(self, part: Part, folder: Path) -> None:
        vectorizer = Vectorizer.from_state(self.words)
        with collected_notes():  # what there is to tell was told when words were counted
            block = self.parts.block(part)[0]
        X = vectorizer.transform([document.whole for document in block.documents])
        has_row = np.diff(X.indptr) > 0
        about = {"n": len(has_row), "has_row": np.packbits(has_row).tolist()}
        writer = ShardWriter(folder / "rows", len(self.words["stems"]), entries=1 << 62, about=about)
        writer.append(X[np.flatnonzero(has_row)])
        (folder / "names").write_bytes(packed((names_of(block), skips_of(block))))
        writer.close()


@dataclass(frozen=True)
class OnWorkers(StreamMaterial):
    """The documents of a stream whose names and rows stay with the workers that read them."""

    client: Any
    load: Any
    parts: Sequence[Part]

    def find(self, wanted: set[str]) -> Iterator[tuple[str, int]]:
        """Yield the ids that are wanted, each with the number of its document."""
        asked = [(self.load, part, wanted) for part in self.parts]
        for (first, _), found in zip(self.kept(), from_workers(self.client, _found, asked), strict=True):
            yield from ((identity, first + number) for identity, number in found)

    def judged(self, judge: Judge, labels: Array) -> Iterator[Written]:
        """Yield what is written of each part, by the groups of all rows (n,); its worker judges it."""
        model = self.client.submit(_the_same, judge, pure=False)
        asked = [
            (self.load, model, self.parts[each.number], sent(each.labels), each.number == 0)
            for each in self.asked(labels)
        ]
        yield from from_workers(self.client, _judged, asked)


@contextmanager
def forgetting(client: Any, work: Path) -> Iterator[None]:
    """Have the workers forget what they keep of a run, unless it ends so that it may be gone on with."""
    run = _run_of(work)
    try:
        yield
    except InputError:
        _forget(client, run)
        raise
    _forget(client, run)


def _forget(client: Any, run: str) -> None:
    with suppress(Exception):  # a cluster fails in many ways, and what is left is removed by a later run
        client.run(forget_machine_folder, run)


def _run_of(work: Path) -> str:
    """Return the name of a run, the same where it is gone on with; what others wrote of other texts has another."""
    name = work / "run"
    if not (name.exists() and name.read_text()):
        name.write_text(uuid4().hex)
    return name.read_text()


def read(settings: LargeSettings, vectorizer: Vectorizer, work: Path, client: Any, steps: Steps) -> OnWorkers:
    """Return what is kept of the parts, the words, the rows on the workers, and which documents have one.

    Counts are added up a tree that the parts' numbers fix. What was learned is written to the work folder, for a run
    that goes on.
    """
    paths = parts_of(settings.docs)
    offered = -(-_SPARE * SAMPLED // len(paths))
    parts = PartReader(fields_of(settings), tuple(strip_of(settings)), settings.seed, offered)
    kept = KeptBlocks(work / "blocks")
    if not (work / "vectorizer").exists():
        steps("counting words", 0, len(paths))
        seen = _count_parts(client, vectorizer.analyser, parts, paths, kept, steps)
        if not seen.n:
            raise none_read(settings.docs, kept.skipped())
        vectorizer.fit_seen(seen)
        _write(vectorizer, work)
    return _weighed(kept, parts, paths, work, client, steps)


def _weighed(
    kept: KeptBlocks, parts: PartReader, paths: Sequence[Part], work: Path, client: Any, steps: Steps
) -> OnWorkers:  # fmt: skip
    """Weigh the words of all parts on the workers, by the vectorizer of the work folder."""
    words, run = state.read(work / "vectorizer"), _run_of(work)
    key = hashlib.sha256("\n".join([run, repr(parts), *words["stems"]]).encode() + words["idf"].tobytes()).hexdigest()
    load = client.submit(Weighed, run, parts, words, key, pure=False)
    steps("weighing words", 0, len(paths))
    has_row = gathered(client, [client.submit(_has_row, load, path, pure=False) for path in paths])
    counts = [int(np.count_nonzero(each)) for each in has_row]
    if not any(counts):
        raise InputError("no document has a word that became a column; look at --min-df and --max-df")
    inside = [number for number, count in enumerate(counts) if count]
    rows = DaskRows(
        client, load, [paths[number] for number in inside], [counts[number] for number in inside], len(words["stems"])
    )
    return OnWorkers(kept, Vectorizer.from_state(words), rows, np.concatenate(has_row), client, load, paths)


def _count_parts(
    client: Any, analyser: Analyser, parts: PartReader, paths: Sequence[Part], kept: KeptBlocks, steps: Steps
) -> Seen:
    """Count the words of every part, so that a part that cannot be read is told before anything is fitted."""
    counted = [client.submit(_count, parts, path, number, analyser, pure=False) for number, path in enumerate(paths)]
    seen = add_in_pairs(client, [client.submit(_first, each, pure=False) for each in counted], _plus)
    lacking, notes = [], {}
    for number, each in enumerate(counted):
        stop_if_asked()
        said = f"the part {paths[number]}"
        documents, lacks, notes[paths[number]] = gathered(client, [client.submit(_second, each, pure=False)], said)[0]
        kept.write(number, Packed(documents, _ELSEWHERE, _ELSEWHERE))
        lacking.append(lacks)
        steps("counting words", number + 1, len(paths))
    require_any(lacking, parts.fields, paths[0])
    warn_of_notes(notes)
    total: Seen = gathered(client, [seen])[0]
    return total


def _write(vectorizer: Vectorizer, work: Path) -> None:
    beside = work / "vectorizer.new"
    beside.mkdir(exist_ok=True)
    state.write(beside, vectorizer.to_state())
    beside.rename(work / "vectorizer")


@one_thread()
def _count(
    parts: PartReader, part: Part, number: int, analyser: Analyser
) -> tuple[Seen, tuple[bytes, list[str] | None, list[str]]]:
    """Count the words of one part, and say what to keep of its documents, and what is to be told of it."""
    with naming(part), collected_notes() as notes:
        block, lacking = parts.block(part)
    seen, texts = Seen(), [document.whole for document in block.documents]
    seen.add(*analyser.count(texts))
    drawn = np.random.default_rng((parts.seed, number)).random(len(texts))
    shown = np.sort(np.argsort(drawn, kind="stable")[: parts.offered])
    return seen, (packed(KeptBlock.of(block, [(int(row), float(drawn[row])) for row in shown])), lacking, notes)


def _plus(pair: list[Seen]) -> Seen:
    """Add up two counts; a task's result must not change, so that it is a third that grows."""
    return Seen().plus(pair[0]).plus(pair[1])


def _first(pair: tuple[Any, Any]) -> Any:
    return pair[0]


def _second(pair: tuple[Any, Any]) -> Any:
    return pair[1]


def _found(load: Weighed, part: Part, wanted: set[str]) -> list[tuple[str, int]]:
    return found_in(load.names(part)[0][0], wanted, 0)


def _the_same(value: Any) -> Any:
    """Hold a value: as a task's result it can be made again."""
    return value


@one_thread()
def _judged(load: Weighed, judge: Judge, part: Part, labels: Sent, header: bool) -> Written:
    names, skipped = load.names(part)
    return judge(names, skipped, rows_of(load, part).local(), load.has_row(part), received(labels), header=header)


@one_thread()
def _has_row(load: Weighed, part: Part) -> Array:
    return load.has_row(part)


# --- The parts of a collection that workers read: files of a folder, or ranges of one file

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
    strange = [file for file in files if kind_of(file.name)[0] not in folder.RECORD_KINDS]
    if strange or not files:
        what = f"{strange[0].name} is none" if strange else "there is no file"
        raise InputError(f"--cluster takes a folder of files of records, such as .jsonl or .parquet, and {what}")
    return [part for file in files for part in _parts_of_file(file.resolve())]


def _parts_of_file(file: Place) -> Sequence[Part]:
    """Return a file of Parquet in ranges, where it has several: its end says where they are; others are one part."""
    ranges = cut(file, RANGE) if kind_of(file.name) == (".parquet", "") else None
    return ranges if ranges and len(ranges) > 1 else [file]
