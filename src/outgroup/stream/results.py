"""Assignments of a stream, computed and written in blocks, with a check for duplicate ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from io import StringIO
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from ..cli import assignments
from ..cli.assignments import TABLES
from ..errors import MissingExtraError, installing, warn
from ..model import Model
from ..pipeline import spread
from ..readers.documents import Corpus, Skip
from ..session.version import Verdicts, judge
from ..summary.partition import at_numbers
from ..text.collection import LABELLED_AWAY
from ..text.representation import NO_WORD, Spaces
from ..types import Array
from .counting import Names

# --- Tables in blocks: row groups of Parquet, or CSV


@dataclass(frozen=True)
class JudgedBlock:
    """A block of documents with verdicts; the `row` of a skipped item is its position in the block."""

    ids: list[str]
    titles: list[str]
    skipped: list[Skip]
    verdicts: Verdicts
    labels: Array | None = None
    why: str = NO_WORD
    codes: Sequence[int] = ()

    @property
    def corpus(self) -> Corpus:
        """The documents without texts, at their positions in the block."""
        taken = {skip.row for skip in self.skipped}
        n = len(self.ids) + sum(row is not None for row in taken)
        rows = [row for row in range(n) if row not in taken]
        return Corpus(self.ids, [""] * len(self.ids), self.titles, None, self.skipped, rows)


def write(kind: str, folder: Path, contents: Iterable[Any]) -> None:
    """Write the content that `made` returned for each block as one table."""
    path = folder / TABLES[kind]
    if kind == "csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            file.writelines(contents)
    else:
        _, parquet = require_arrow()
        with parquet.ParquetWriter(path, _schema()) as writer:
            for each in contents:
                writer.write_table(each)


def made(kind: str, block: JudgedBlock, names: list[str], *, header: bool) -> Any:
    """Convert a block to CSV lines or a Parquet row group; documents without a group have null."""
    if kind == "csv":
        file = StringIO(newline="")
        write_csv(file, [block], names, header=header)
        return file.getvalue()
    (pa, _), schema, columns = require_arrow(), _schema(), _columns(block, names)
    arrays = [pa.array(columns[each.name], each.type, from_pandas=True) for each in schema]
    return pa.Table.from_arrays(arrays, schema=schema)


def write_csv(file: TextIO, blocks: Iterable[JudgedBlock], names: list[str], *, header: bool = True) -> Counter[str]:
    """Write blocks as CSV, with a header if `header` is set; return the number of rows by group."""
    groups = Counter[str]()
    for block in blocks:
        table = assignments.assignments(
            block.corpus, block.verdicts, block.why, names, labels=block.labels, codes=block.codes
        )
        groups += assignments.write(table, file, header=header)
        header = False
    if header:
        assignments.write(assignments.NOTHING, file)
    return groups


def _schema() -> Any:
    pa, _ = require_arrow()
    return pa.schema(
        {
            **{"id": pa.string(), "title": pa.string(), "cluster": pa.int32(), "code": pa.int32()},
            **{"name": pa.string(), "second": pa.int32(), "margin": pa.float32(), "off_topic_score": pa.float32()},
            **{"off_topic": pa.bool_(), "off_topic_words": pa.string(), "skipped": pa.string()},
        }
    )


def _columns(block: JudgedBlock, names: list[str]) -> dict[str, Any]:
    """Return the columns of a block; documents and skipped items are in input order."""
    verdicts, n = block.verdicts, len(block.ids)
    best, second, margin = assignments.places(verdicts.scores, block.labels)
    known, away = ~np.isnan(margin), np.zeros(n, dtype=bool) if verdicts.away is None else verdicts.away
    out = away if verdicts.aside is None else away | verdicts.aside
    inside, nearest = known & ~out, np.where(out, best, second)
    called = np.array([*names, None, LABELLED_AWAY], dtype=object)
    missing = np.full(n, None, dtype=object)
    columns = {
        "id": block.ids,
        "title": block.titles,
        "cluster": np.where(inside, best, missing),
        "code": np.where(inside, np.array([*block.codes, -1])[np.minimum(best, len(block.codes))], missing),
        "name": called[np.where(inside & (best < len(names)), best, len(names) + away)],
        "second": np.where(known & (nearest >= 0), nearest, missing),
        "margin": np.where(inside, margin, np.nan),
        "off_topic_score": verdicts.off_topic_score,
        "off_topic": missing if verdicts.off_topic is None else np.where(known, verdicts.off_topic, missing),
        "off_topic_words": list(verdicts.words),
        "skipped": np.where(known, "", block.why),
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


def require_arrow() -> tuple[Any, Any]:
    """Return pyarrow's modules for Parquet; raise MissingExtraError if pyarrow is missing."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        message = f"writing Parquet files requires pyarrow: {installing('io')}, or use --table csv"
        raise MissingExtraError(message) from error
    return pyarrow, pyarrow.parquet


# --- Verdicts of a block, computed here, in another process, or on a worker


@dataclass(frozen=True)
class Written:
    """The output of a block: id digests, off-topic documents by group (k,), documents above thresholds (t,),
    content.
    """

    ids: Array
    flagged: Array
    over: Array
    content: Any


AWAY = -2
"""The label of a document with an off-topic label, which is in no group."""


@dataclass(frozen=True)
class Judge:
    """A model without documents, the table format, and the names and codes of the groups."""

    model: Model
    kind: str
    names: list[str]
    codes: list[int]
    ignored: Array

    def __call__(
        self, named: Names, skipped: list[Skip], spaces: Spaces, has_row: Array, labels: Array, *, header: bool
    ) -> Written:
        """Return the output of n documents; the m documents in the mask `has_row` have rows in `spaces` and `labels`
        (m,).
        """
        if len(self.ignored):
            spaces, left = spaces.masked(self.ignored, not spaces.apart)
            has_row, labels = spread(left, has_row, False, bool), labels[left]
        every = spread(np.maximum(labels, -1), has_row, -1, np.int32)
        away = spread(labels == AWAY, has_row, False, bool)
        verdicts = at_numbers(judge(self.model, spaces, has_row, every), self.model.numbers_.tolist())
        if away.any():
            off_topic = None if verdicts.off_topic is None else verdicts.off_topic | away
            verdicts = replace(verdicts, away=away, off_topic=off_topic)
        judged = JudgedBlock(*named, skipped, verdicts, every, self.model.representation_.missing, self.codes)
        content = made(self.kind, judged, self.names, header=header)
        return Written(digests(named[0]), self._flagged(verdicts), self._over(verdicts), content)

    def _over(self, verdicts: Verdicts) -> Array:
        """Return the number of documents above each candidate threshold."""
        choices = (getattr(self.model.clusterer_, "off_topic_", None) or {}).get("choices", [])
        over = [np.count_nonzero(verdicts.off_topic_score > choice["value"]) for choice in choices]
        return np.array(over, dtype=np.int64)

    def _flagged(self, verdicts: Verdicts) -> Array:
        if verdicts.off_topic is None:
            return np.zeros(len(self.names), dtype=np.int64)
        over = np.flatnonzero(verdicts.off_topic if verdicts.aside is None else verdicts.off_topic & ~verdicts.aside)
        return np.bincount(verdicts.scores[over].argmax(axis=1), minlength=len(self.names))


# --- Duplicate ids, found by digests of eight bytes


def digests(ids: list[str]) -> Array:
    """Hash each id to eight bytes, (n,) int64; the hashes are the same in every process."""
    short = (blake2b(each.encode("utf-8", "surrogatepass"), digest_size=8).digest() for each in ids)
    return np.frombuffer(b"".join(short), dtype=np.int64)


def warn_of_duplicates(seen: list[Array]) -> None:
    """Warn about duplicate ids, by the digests of all ids; a stream writes them unchanged."""
    found = np.sort(np.concatenate([*seen, np.empty(0, dtype=np.int64)]))
    again = int(np.count_nonzero(found[1:] == found[:-1]))
    if again:
        warn(f"{again:,} documents have the same id as an earlier document; give unique ids to tell them apart")
