"""The table of assignments as a Parquet file, written with pyarrow (extra `io`) in row groups."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from ..errors import required
from .assignments import COLUMNS, CsvTable

_ROWS = 20_000  # of a row group
_KINDS = {"cluster": "int32", "code": "int32", "second": "int32", "margin": "float32", "off_topic_score": "float32"}


def write(table: CsvTable, path: Path) -> None:
    """Write a table; our numbers are numbers, `off_topic` is a boolean, and documents without a group have null.

    Raises MissingExtraError without pyarrow.
    """
    pa, parquet = library()
    kinds = [_KINDS.get(name, "string") for name in COLUMNS] + ["string"] * (len(table.header) - len(COLUMNS))
    kinds[COLUMNS.index("off_topic")] = "bool"
    schema = pa.schema([*zip(table.header, map(pa.type_for_alias, kinds), strict=True)])
    with parquet.ParquetWriter(path, schema) as writer:
        while rows := list(islice(table.rows, _ROWS)):
            columns = zip(zip(*rows, strict=True), schema, strict=True)
            arrays = [_array(pa, cells, field.name, field.type) for cells, field in columns]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))


def _array(pa: Any, cells: Sequence[str], name: str, kind: Any) -> Any:
    if kind == pa.string():
        kept = [cell or None for cell in cells] if name == "name" else cells
        return pa.array(kept, kind)
    if kind == pa.bool_():
        return pa.array([None if cell == "" else cell == "yes" for cell in cells], kind)
    if kind == pa.int32():
        return pa.array([int(cell) if cell.isdecimal() else None for cell in cells], kind)
    return pa.array([float(cell) if cell else None for cell in cells], kind)


def library() -> tuple[Any, Any]:
    """Return pyarrow and its module for Parquet; raise MissingExtraError if it is missing."""
    purpose = "writing Parquet files requires pyarrow, and --table csv no library"
    return required("pyarrow", "io", purpose), required("pyarrow.parquet", "io", purpose)
