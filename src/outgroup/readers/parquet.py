"""Read the records of a Parquet file with pyarrow (extra `io`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import CorpusError, required
from .documents import LIMITS
from .encoding import decode
from .fields import Fields, outer
from .json_records import Row
from .source import Source

_BATCH = 1024  # rows


def parquet_rows(source: Source, fields: Fields) -> Iterator[Row]:
    """Yield the rows; raise MissingExtraError if pyarrow is not installed."""
    with parquet_file(source) as file:
        fields.header(file.schema_arrow.names, source.name)
        wanted = _wanted(file.schema_arrow, fields)
        number = source.before + 1
        all_groups = range(file.num_row_groups)
        groups = all_groups if source.groups is None else source.groups
        if groups and groups[-1] not in all_groups:
            raise CorpusError(f"{source.name}: cannot be read: the file was truncated after it was opened")
        for batch in file.iter_batches(_BATCH, row_groups=list(groups), columns=wanted):
            source.budget.take(sum(column.nbytes for column in batch.columns if not hasattr(column, "dictionary")))
            for values in zip(*map(_values, batch.columns), strict=True):
                source.budget.take(sum(len(value) for value in values if isinstance(value, str)))
                yield number, dict(zip(batch.schema.names, values, strict=True))
                number += 1


def row_groups(source: Source) -> list[tuple[int, int]]:
    """Return the rows and bytes of each row group; raises as `parquet_rows`."""
    with parquet_file(source) as file:
        groups = [file.metadata.row_group(number) for number in range(file.num_row_groups)]
        return [(group.num_rows, group.total_byte_size) for group in groups]


@contextmanager
def parquet_file(source: Source) -> Iterator[Any]:
    """Open a file; errors become a CorpusError with its name.

    Columns of texts are dictionaries: a file may repeat a value of 20 MB in each row.
    """
    parquet = required("pyarrow.parquet", "io", "reading Parquet files requires pyarrow")
    with source.named("not a readable Parquet file"), source.seekable() as stream:
        leaves = parquet.read_metadata(stream).schema
        yield parquet.ParquetFile(stream, read_dictionary=[leaf.path for leaf in leaves])


def _wanted(schema: Any, fields: Fields) -> list[str]:
    """Return the columns to read: those with a role, and all others except vectors and bytes."""
    roles = {outer(schema.names, name) for _, name in fields.requested(schema.names)}
    others = [field.name for field in schema if field.name not in roles and _is_read(field.type)]
    columns = roles.union(others[: LIMITS.columns + 1])
    return [name for name in schema.names if name in columns]


def _is_read(kind: Any, within: bool = False) -> bool:
    """Return whether values of a type are read as text; bytes, and numbers `within` a list, are not."""
    from pyarrow import types

    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return _is_read(kind.value_type, within=True)
    binary = types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind)
    return not binary and not (within and (types.is_integer(kind) or types.is_floating(kind)))


def _values(column: Any) -> list[Any]:
    """Return the values of a column; invalid UTF-8, which some writers produce, is repaired."""
    if hasattr(column, "dictionary"):
        used = column.indices.drop_null().unique()  # the dictionary grows from batch to batch
        known = dict(zip(used.to_pylist(), _values(column.dictionary.take(used)), strict=True))
        return [known.get(index) for index in column.indices.to_pylist()]
    import pyarrow

    try:
        return list(column.to_pylist())
    except UnicodeDecodeError:
        raw = column.cast(pyarrow.large_binary()).to_pylist()
        return [None if value is None else decode(value) for value in raw]
