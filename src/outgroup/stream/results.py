"""Assignments of a stream, judged and written a block at a time, with a check for repeated ids."""

from __future__ import annotations

import warnings
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from io import StringIO
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from ..cli import assignments
from ..cli.assignments import TABLES
from ..cli.settings import LargeSettings
from ..document_clustering import DocumentClustering, spread
from ..errors import MissingExtraError, OutgroupWarning
from ..readers.documents import Corpus, Skip
from ..session.version import Verdicts, judge
from ..text.representation import NO_WORD, Spaces
from ..types import Array
from .counting import Names

# --- Which document went where, written a block at a time: Parquet by row groups, or CSV


@dataclass(frozen=True)
class JudgedBlock:
    """A block of documents, what was said of each, and the skipped ones, whose `row` is their place in the block."""

    ids: list[str]
    titles: list[str]
    skipped: list[Skip]
    verdicts: Verdicts

    @property
    def corpus(self) -> Corpus:
        """The documents without their texts, at their places in the block."""
        taken = {skip.row for skip in self.skipped}
        n = len(self.ids) + sum(row is not None for row in taken)
        rows = [row for row in range(n) if row not in taken]
        return Corpus(self.ids, [""] * len(self.ids), self.titles, None, self.skipped, rows)


def table_of(settings: LargeSettings) -> str:
    """Return the kind of table that a stream writes."""
    return settings.table or "parquet"


def check(kind: str) -> None:
    """Raise MissingExtraError where this kind of table cannot be written."""
    if kind == "parquet":
        _arrow()


def write(kind: str, folder: Path, contents: Iterable[Any]) -> None:
    """Write what was `made` of each block as one table into a folder."""
    path = folder / TABLES[kind]
    if kind == "csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            file.writelines(contents)
    else:
        _, parquet = _arrow()
        with parquet.ParquetWriter(path, _schema()) as writer:
            for each in contents:
                writer.write_table(each)


def made(kind: str, block: JudgedBlock, names: list[str], *, header: bool) -> Any:
    """Return what is written of a block: lines, or a row group; a document that is in no group has null for one."""
    if kind == "csv":
        file = StringIO(newline="")
        write_csv(file, [block], names, header=header)
        return file.getvalue()
    (pa, _), schema, columns = _arrow(), _schema(), _columns(block, names)
    arrays = [pa.array(columns[each.name], each.type, from_pandas=True) for each in schema]
    return pa.Table.from_arrays(arrays, schema=schema)


def write_csv(
    file: TextIO, blocks: Iterable[JudgedBlock], names: list[str], *, header: bool = True
) -> Counter[str]:  # fmt: skip
    """Write the blocks as lines below one header, or below none; returns how often each group stands in them."""
    groups = Counter[str]()
    for block in blocks:
        table = assignments.assignments(block.corpus, block.verdicts, NO_WORD, names)
        groups += assignments.write(table, file, header=header)
        header = False
    if header:
        assignments.write(assignments.NOTHING, file)
    return groups


def _schema() -> Any:
    pa, _ = _arrow()
    return pa.schema(
        {
            **{"id": pa.string(), "title": pa.string(), "cluster": pa.int32(), "name": pa.string()},
            **{"second": pa.int32(), "margin": pa.float32(), "off_topic_score": pa.float32()},
            **{"off_topic": pa.bool_(), "off_topic_words": pa.string(), "skipped": pa.string()},
        }
    )


def _columns(block: JudgedBlock, names: list[str]) -> dict[str, Any]:
    """Return the columns of a block: its documents and then those that were skipped, in the order of the input."""
    verdicts, n = block.verdicts, len(block.ids)
    best, second, margin = assignments.places(verdicts.scores)
    known = ~np.isnan(margin)
    out = np.zeros(n, dtype=bool) if verdicts.off_topic is None or not verdicts.aside else verdicts.off_topic
    inside, nearest = known & ~out, np.where(out, best, second)
    called = np.array([*names, None], dtype=object)
    unsaid = np.full(n, None, dtype=object)
    columns = {
        "id": block.ids,
        "title": block.titles,
        "cluster": np.where(inside, best, unsaid),
        "name": called[np.where(inside & (best < len(names)), best, len(names))],
        "second": np.where(known & (nearest >= 0), nearest, unsaid),
        "margin": np.where(inside, margin, np.nan),
        "off_topic_score": verdicts.off_topic_score,
        "off_topic": unsaid if verdicts.off_topic is None else np.where(known, verdicts.off_topic, unsaid),
        "off_topic_words": list(verdicts.words),
        "skipped": np.where(known, "", NO_WORD),
    }
    return columns if not block.skipped else _with_skipped(columns, block)


def _with_skipped(columns: dict[str, Any], block: JudgedBlock) -> dict[str, Any]:
    skipped, corpus = block.skipped, block.corpus
    places = [*corpus.rows, *(len(block.ids) + len(skipped) if skip.row is None else skip.row for skip in skipped)]
    order = np.argsort(places, kind="stable")
    own: dict[str, list[Any]] = {"id": [s.where for s in skipped], "skipped": [s.reason for s in skipped]}
    nothing = {"title": "", "off_topic_words": ""}
    return {
        name: np.array([*values, *own.get(name, [nothing.get(name)] * len(skipped))], dtype=object)[order]
        for name, values in columns.items()
    }


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        said = 'writing Parquet files needs pyarrow: pip install "outgroup[io]", or ask for --table csv'
        raise MissingExtraError(said) from error
    return pyarrow, pyarrow.parquet


# --- What a model says of a block of documents, as it is written: here, in a process beside, or on a worker


@dataclass(frozen=True)
class Written:
    """The digests of a block's ids, how many documents of each group are off-topic (k,), how many each off-topic
    threshold flags, and what is written of it."""

    ids: Array
    flagged: Array
    over: Array
    content: Any


@dataclass(frozen=True)
class Judge:
    """A model without its documents, the kind of table that is written, and the groups' names."""

    model: DocumentClustering
    kind: str
    names: list[str]

    def __call__(
        self, named: Names, skipped: list[Skip], X: Any, has_row: Array, labels: Array, *, header: bool
    ) -> Written:
        """Return what is written of documents, of which those that have a row are `X` (m, V), in groups (m,)."""
        every = spread(labels, has_row, -1, np.int32)
        verdicts = judge(self.model, Spaces([""] * X.shape[0], X, X), has_row, every)
        judged = JudgedBlock(*named, skipped, verdicts)
        content = made(self.kind, judged, self.names, header=header)
        return Written(digests(named[0]), self._flagged(verdicts), self._over(verdicts), content)

    def _over(self, verdicts: Verdicts) -> Array:
        """Return how many documents score above each threshold that there was to choose from."""
        choices = (getattr(self.model.clusterer_, "off_topic_", None) or {}).get("choices", [])
        over = [np.count_nonzero(verdicts.off_topic_score > choice["value"]) for choice in choices]
        return np.array(over, dtype=np.int64)

    def _flagged(self, verdicts: Verdicts) -> Array:
        if verdicts.off_topic is None or verdicts.aside:
            return np.zeros(len(self.names), dtype=np.int64)
        over = np.flatnonzero(verdicts.off_topic)
        return np.bincount(verdicts.scores[over].argmax(axis=1), minlength=len(self.names))


# --- Ids that occur more than once: what is sent and held of an id are eight bytes

_BYTES = 8


def digests(ids: list[str]) -> Array:
    """Return eight bytes of each id, (n,) int64, which are the same in every process."""
    short = (blake2b(each.encode("utf-8", "surrogatepass"), digest_size=_BYTES).digest() for each in ids)
    return np.frombuffer(b"".join(short), dtype=np.int64)


class Doubles:
    """Counts ids that occur more than once: they are written as they are."""

    def __init__(self) -> None:
        self._seen = array("q")  # grows where it lies

    def see(self, ids: Array) -> None:
        """Hear of the digests of some documents' ids."""
        self._seen.frombytes(ids.tobytes())

    def warn(self) -> None:
        """Warn, where there were any."""
        found = np.frombuffer(self._seen, dtype=np.int64)
        found.sort()
        again = int(np.count_nonzero(found[1:] == found[:-1]))
        if again:
            said = f"{again} documents have an id that occurred before; a stream leaves ids as they are"
            warnings.warn(said, OutgroupWarning, stacklevel=2)


def warning_of_doubles(blocks: Iterable[JudgedBlock]) -> Iterator[JudgedBlock]:
    """Yield the blocks, and warn in the end of ids that occurred more than once."""
    doubles = Doubles()
    for block in blocks:
        doubles.see(digests(block.ids))
        yield block
    doubles.warn()
