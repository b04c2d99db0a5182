"""Read the records of a Parquet file with pyarrow (extra `io`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..errors import CorpusError, required
from .documents import LIMITS
from .encoding import decode
from .fields import Fields, outer
from .json_records import Row
from .source import Source

_BATCH = 1024  # rows
_BATCH_BYTES = 1 << 26  # of a batch: a dictionary may repeat a value of 20 MB in each row


def parquet_rows(source: Source, fields: Fields) -> Iterator[Row]:
    """Yield the rows; raise MissingExtraError if pyarrow is not installed."""
    with parquet_file(source) as file:
        fields.require(file.schema_arrow.names, source.name)
        fields.unambiguous(file.schema_arrow.names, source.name)
        wanted = _wanted(file.schema_arrow, fields)
        number = source.before + 1
        all_groups = range(file.num_row_groups)
        groups = all_groups if source.groups is None else source.groups
        if groups and groups[-1] not in all_groups:
            raise CorpusError(f"{source.name}: cannot be read: the file was truncated after it was opened")
        for group in groups:
            size = _batch_size(source, group, wanted)
            for batch in file.iter_batches(batch_size=size, row_groups=[group], columns=wanted):
                columns = [c.dictionary_decode() if hasattr(c, "dictionary") else c for c in batch.columns]
                source.budget.take(sum(column.nbytes for column in columns))
                for values in zip(*map(_values, columns), strict=True):
                    yield number, dict(zip(batch.schema.names, values, strict=True))
                    number += 1


def row_groups(source: Source) -> list[tuple[int, int]]:
    """Return the rows and bytes of each row group; raises as `parquet_rows`."""
    with parquet_file(source) as file:
        groups = [file.metadata.row_group(number) for number in range(file.num_row_groups)]
        return [(group.num_rows, group.total_byte_size) for group in groups]


def _chunks(file: Any, group: int, wanted: list[str]) -> list[Any]:
    """Return the metadata of the column chunks to read in a row group, nested columns included.

    Read a row first: that raises an error for damaged metadata, and asking for it aborts the process.
    """
    next(file.iter_batches(batch_size=1, row_groups=[group], columns=wanted), None)
    paths = [file.schema.column(number).path for number in range(file.metadata.num_columns)]
    numbers = [number for number, path in enumerate(paths) if path in wanted or path.split(".")[0] in wanted]
    return [file.metadata.row_group(group).column(number) for number in numbers]


@contextmanager
def parquet_file(source: Source, dictionaries: Sequence[str] = ()) -> Iterator[Any]:
    """Open a file; columns in `dictionaries` are dictionary-encoded, and errors become a CorpusError with the file
    name.
    """
    needed = ("pyarrow", "pyarrow.parquet")
    pyarrow, parquet = (required(name, "io", "reading Parquet files requires pyarrow") for name in needed)
    try:
        with source.seekable() as stream:
            yield parquet.ParquetFile(stream, read_dictionary=[*dictionaries])
    except pyarrow.ArrowException as error:
        raise CorpusError(f"{source.name}: not a readable Parquet file: {error}") from error
    except UnicodeDecodeError as error:
        raise CorpusError(
            f"{source.name}: a column name is not UTF-8; rename the column and write the file again"
        ) from error


def _batch_size(source: Source, group: int, wanted: list[str]) -> int:
    """Return the rows per batch, by the longest text in the dictionaries of the row group."""
    import pyarrow.compute as compute

    with parquet_file(source) as file:
        chunks = _chunks(file, group, wanted)
        encoded = [chunk.path_in_schema for chunk in chunks if chunk.has_dictionary_page]
        texts = [path for path in encoded if path in wanted]
    with parquet_file(source, texts) as file:
        first = next(file.iter_batches(batch_size=1, row_groups=[group], columns=texts), None) if texts else None
    dictionaries = [getattr(column, "dictionary", None) for column in (first.columns if first else ())]
    lengths = [compute.max(compute.binary_length(values)).as_py() for values in dictionaries if values is not None]
    return max(1, min(_BATCH, _BATCH_BYTES // max(filter(None, lengths), default=1)))


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
    import pyarrow

    try:
        return list(column.to_pylist())
    except UnicodeDecodeError:
        raw = column.cast(pyarrow.large_binary()).to_pylist()
        return [None if value is None else decode(value) for value in raw]
