"""Which document went where, written a block at a time: Parquet by row groups, or CSV."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from ...errors import MissingExtraError
from ...session.verdicts import Verdicts
from ...text.reading.documents import Corpus, Skip
from ...text.representation import NO_WORD
from .. import assignments
from ..files import TABLES
from ..settings.large import LargeSettings


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
