"""The same job on a cluster: its workers read their parts from the source, count, weigh and fold them.

Nothing that a worker holds is needed again: a part is read anew where it was lost. The words that were learned travel
as the result of a task, as directions do, and each worker keeps the rows of its parts in files of its own.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import CorpusError, InputError, OutgroupError
from ...rows.dask import DaskRows, add_in_pairs, gathered
from ...rows.shards import ShardWriter, map_shard, read_manifest
from ...rows.sparse import SparseRows
from ...rows.terms import kept_terms
from ...stopping import stop_if_asked
from ...storage import state
from ...text.reading import records
from ...text.reading.blocks import Block, read_blocks
from ...text.reading.documents import Skip
from ...text.reading.fields import Fields
from ...text.reading.folder import list_files
from ...text.reading.ranges import Range, cut, read_range, require_any
from ...text.reading.source import kind_of
from ...text.seen import Seen
from ...text.vectorize import Vectorizer
from ...types import Array
from ..progress import Steps
from ..settings import LargeSettings
from .kept import SAMPLED, Kept, KeptBlocks, packed
from .reading import fields_of, strip_of

Part = str | Range
"""A file, or some lines of one."""

RANGE = 1 << 25  # bytes of a part of a single file
_AHEAD = 2  # parts of which each thread may have the result ready before it is asked for
_NO_WORDS: tuple[list[str], ...] = ([], [], [], [], [])  # of a part whose words were counted and added up there
_SPARE = 4  # times its share of the report's documents that a part offers, since parts differ in size


@dataclass(frozen=True)
class Parts:
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


class Weighed:
    """Reads a part's rows: a task's result that all passes name; two of the same words are the same."""

    def __init__(self, parts: Parts, words: dict[str, Any], key: str) -> None:
        self.parts, self.words, self.key = parts, words, key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Weighed) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __call__(self, part: Part) -> Any:
        """Return the rows of a part's documents that have a known word."""
        folder, manifest = self._kept(part)
        shard, width = manifest["shards"][0], manifest["features"]
        X = map_shard(folder, shard, width, np.dtype(manifest["dtype"]), check=False)
        return SparseRows(X, partial(kept_terms, folder, shard, width, set()))

    def has_row(self, part: Part) -> Array:
        """Return which documents of a part have a known word, (n,) bool."""
        about = self._kept(part)[1]["about"]
        return np.unpackbits(np.array(about["has_row"], dtype=np.uint8))[: about["n"]] > 0

    def _kept(self, part: Part) -> tuple[Path, dict[str, Any]]:
        """Return the folder with the rows that this worker keeps, made first where it has none, and what it says."""
        folder = _own_folder() / hashlib.sha256(f"{self.key} {part}".encode()).hexdigest()[:24]
        if not folder.exists():
            self._make(part, folder)
        return folder, read_manifest(folder)

    def _make(self, part: Part, folder: Path) -> None:
        vectorizer = Vectorizer.from_state(self.words)
        rows = [vectorizer.transform(texts) for texts in self.parts.texts(part)] or [vectorizer.transform([])]
        has_row = np.concatenate([np.diff(X.indptr) > 0 for X in rows])
        about = {"n": len(has_row), "has_row": np.packbits(has_row).tolist()}
        writer = ShardWriter(folder, len(self.words["stems"]), entries=1 << 62, about=about)
        for X in rows:
            writer.append(X[np.flatnonzero(np.diff(X.indptr))])
        try:
            writer.close()
        except OutgroupError:
            if not folder.exists():  # else another task of this worker was first
                raise


def read(
    settings: LargeSettings, vectorizer: Vectorizer, work: Path, client: Any, steps: Steps
) -> tuple[KeptBlocks, Vectorizer, DaskRows, Array]:
    """Return what is kept of the parts, the words, the rows on the workers, and which documents have one, (n,) bool.

    Counts are added up a tree that the parts' numbers fix. What was learned is written to the work folder, for a run
    that goes on.
    """
    paths = parts_of(settings.docs)
    offered = -(-_SPARE * SAMPLED // len(paths))
    parts = Parts(fields_of(settings), tuple(strip_of(settings)), settings.seed, offered)
    kept = KeptBlocks(work / "blocks")
    if not (work / "vectorizer").exists():
        steps("counting words", 0, len(paths))
        _learn(client, vectorizer, parts, paths, kept, work, steps)
    words = state.read(work / "vectorizer")
    key = hashlib.sha256("\n".join([repr(parts), *words["stems"]]).encode() + words["idf"].tobytes()).hexdigest()
    load = client.submit(Weighed, parts, words, key, pure=False)
    steps("weighing words", 0, len(paths))
    has_row = gathered(client, [client.submit(_has_row, load, path, pure=False) for path in paths])
    counts = [int(np.count_nonzero(each)) for each in has_row]
    if not any(counts):
        raise InputError("no document has a word that became a column; look at --min-df and --max-df")
    inside = [number for number, count in enumerate(counts) if count]
    rows = DaskRows(
        client, load, [paths[number] for number in inside], [counts[number] for number in inside], len(words["stems"])
    )
    return kept, Vectorizer.from_state(words), rows, np.concatenate(has_row)


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


def in_order(client: Any, task: Callable[..., Any], every: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
    """Yield what a task gives for each of some arguments; the workers are a few ahead."""
    waiting: deque[Any] = deque()
    ahead = _AHEAD * sum(client.nthreads().values())
    for number, given in enumerate(every, start=1):
        waiting.append(client.submit(task, *given, pure=False))
        while waiting and (len(waiting) > ahead or number == len(every)):
            stop_if_asked()
            yield gathered(client, [waiting.popleft()])[0]


def parts_of(docs: Path) -> Sequence[Part]:
    """Return the files of a folder of records, in the order of their names, or the ranges of a file of JSON lines.

    Raises InputError for anything else.
    """
    if not docs.is_dir():
        ranges = cut(docs.resolve(), RANGE) if docs.is_file() else None
        if ranges:
            return ranges
        raise InputError(
            f"{docs} is no folder; --cluster takes a folder of files of records, each of which is a part, or a file of "
            "JSON lines (.jsonl, not compressed), which is read in parts"
        )
    files = [file for file in list_files(docs) if isinstance(file, Path)]
    strange = [file for file in files if kind_of(file.name)[0] not in records.KINDS]
    if strange or not files:
        what = f"{strange[0].name} is none" if strange else "there is no file"
        raise InputError(f"--cluster takes a folder of files of records, such as .jsonl or .parquet, and {what}")
    return [str(file.resolve()) for file in files]


def _learn(
    client: Any, vectorizer: Vectorizer, parts: Parts, paths: Sequence[Part], kept: KeptBlocks, work: Path, steps: Steps
) -> None:
    """Count the words of every part, so that a part that cannot be read is told before anything is fitted."""
    counted = [client.submit(_count, parts, path, number, vectorizer, pure=False) for number, path in enumerate(paths)]
    seen = add_in_pairs(client, [client.submit(_first, each, pure=False) for each in counted], _plus)
    lacking = []
    for number, each in enumerate(counted):
        stop_if_asked()
        documents, lacks = gathered(client, [client.submit(_second, each, pure=False)])[0]
        kept.write(number, documents, packed(_NO_WORDS))
        lacking.append(lacks)
        steps("counting words", number + 1, len(paths))
    require_any(lacking, parts.fields, paths[0])
    vectorizer.fit_seen(gathered(client, [seen])[0])
    beside = work / "vectorizer.new"
    beside.mkdir(exist_ok=True)
    state.write(beside, vectorizer.to_state())
    beside.rename(work / "vectorizer")


def _count(
    parts: Parts, part: Part, number: int, vectorizer: Vectorizer
) -> tuple[Seen, tuple[bytes, list[str] | None]]:
    """Count the words of one part, and say what to keep of its documents."""
    with naming(part):
        block, lacking = parts.block(part)
    seen, texts = Seen(), [document.whole for document in block.documents]
    seen.add(*vectorizer.count(texts))
    drawn = np.random.default_rng((parts.seed, number)).random(len(texts))
    shown = np.sort(np.argsort(drawn, kind="stable")[: parts.offered])
    return seen, (packed(Kept.of(block, [(int(row), float(drawn[row])) for row in shown])), lacking)


def _plus(pair: list[Seen]) -> Seen:
    """Add up two counts; a task's result must not change, so that it is a third that grows."""
    return Seen().plus(pair[0]).plus(pair[1])


def _first(pair: tuple[Any, Any]) -> Any:
    return pair[0]


def _second(pair: tuple[Any, Any]) -> Any:
    return pair[1]


def _has_row(load: Weighed, part: Part) -> Array:
    return load.has_row(part)


def _own_folder() -> Path:
    from distributed import get_worker

    folder = Path(get_worker().local_directory) / "outgroup-rows"
    folder.mkdir(exist_ok=True)
    return folder
