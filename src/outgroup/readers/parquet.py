"""Records of a Parquet file, through the library of the extra `io`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..errors import CorpusError, MissingExtraError
from .documents import MOST_COLUMNS
from .encoding import decode
from .fields import Fields, outer
from .json_records import Row
from .source import Source

_BATCH = 1024  # rows
_BATCH_BYTES = 1 << 26  # that a batch may take: a value of 20 MB may stand in a file once, and in each of its rows


def parquet_rows(source: Source, fields: Fields) -> Iterator[Row]:
    """Yield the rows; raises MissingExtraError where pyarrow is not installed."""
    with _opened(source) as file:
        fields.require(file.schema_arrow.names, source.name)
        fields.unambiguous(file.schema_arrow.names, source.name)
        wanted = _wanted(file.schema_arrow, fields)
        left, number = source.most_unpacked, source.before + 1
        for group in _asked(source, file):
            size = _batch_size(source, group, wanted)
            for batch in file.iter_batches(batch_size=size, row_groups=[group], columns=wanted):
                columns = [_decoded(column) for column in batch.columns]
                left -= sum(column.nbytes for column in columns)
                if left < 0:
                    raise source.unpacks_to_too_much()
                yield from enumerate(_rows(batch.schema.names, columns), start=number)
                number += batch.num_rows


def row_groups(source: Source) -> list[tuple[int, int]]:
    """Return how many rows and bytes each row group has; raises as `parquet_rows`."""
    with _opened(source) as file:
        every = [file.metadata.row_group(number) for number in range(file.num_row_groups)]
        return [(group.num_rows, group.total_byte_size) for group in every]


def rows_and_bytes(source: Source, fields: Fields) -> tuple[int, int]:
    """Return how many rows there are, and the bytes of the columns that are read; raises as `parquet_rows`."""
    with _opened(source) as file:
        wanted = set(_wanted(file.schema_arrow, fields))
        groups = [file.metadata.row_group(number) for number in range(file.num_row_groups)]
        columns = [group.column(number) for group in groups for number in range(group.num_columns)]
        read = (each for each in columns if {each.path_in_schema, each.path_in_schema.split(".")[0]} & wanted)
        return file.metadata.num_rows, sum(each.total_uncompressed_size for each in read)


@contextmanager
def _opened(source: Source, dictionaries: Sequence[str] = ()) -> Iterator[Any]:
    """Open a file, and read these columns as dictionaries; what goes wrong meanwhile is a CorpusError that names it."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError('reading Parquet files needs pyarrow: pip install "outgroup[io]"') from error
    try:
        with source.seekable() as stream:
            yield pyarrow.parquet.ParquetFile(stream, read_dictionary=[*dictionaries])
    except pyarrow.ArrowException as error:
        raise CorpusError(f"{source.name}: not a readable Parquet file: {error}") from error
    except UnicodeDecodeError as error:
        raise CorpusError(
            f"{source.name}: the name of a column is no UTF-8; write the file with another one"
        ) from error


def _batch_size(source: Source, group: int, wanted: list[str]) -> int:
    """Return how many rows of a group are read at once, by the longest text of its dictionaries."""
    import pyarrow.compute as compute

    with _opened(source) as file:
        chunks = (file.metadata.row_group(group).column(number) for number in range(file.metadata.num_columns))
        texts = [each.path_in_schema for each in chunks if each.has_dictionary_page and each.path_in_schema in wanted]
    with _opened(source, texts) as file:
        first = next(file.iter_batches(batch_size=1, row_groups=[group], columns=texts), None) if texts else None
    dictionaries = [getattr(column, "dictionary", None) for column in (first.columns if first else ())]
    lengths = [compute.max(compute.binary_length(each)).as_py() for each in dictionaries if each is not None]
    return max(1, min(_BATCH, _BATCH_BYTES // max([each for each in lengths if each], default=1)))


def _asked(source: Source, file: Any) -> list[int]:
    """Return the numbers of the row groups to read."""
    every = range(file.num_row_groups) if source.groups is None else source.groups
    if every and every[-1] >= file.num_row_groups:
        raise CorpusError(f"{source.name}: cannot be read: it has become shorter since it was looked at")
    return list(every)


def _wanted(schema: Any, fields: Fields) -> list[str]:
    """Return the columns that are read: those with a role, and others that are no vectors and no bytes."""
    roles = {outer(schema.names, name) for _, name in fields.asked(schema.names)}
    others = [each.name for each in schema if each.name not in roles and _is_read(each.type)]
    kept = roles.union(others[: MOST_COLUMNS + 1])
    return [name for name in schema.names if name in kept]


def _is_read(kind: Any, within: bool = False) -> bool:
    """Return whether values of a type are kept as text: no bytes, and no numbers `within` a list."""
    from pyarrow import types

    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return _is_read(kind.value_type, within=True)
    binary = types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind)
    return not binary and not (within and (types.is_integer(kind) or types.is_floating(kind)))


def _decoded(column: Any) -> Any:
    """Return a column with its values, where it has their numbers in a dictionary."""
    return column.dictionary_decode() if hasattr(column, "dictionary") else column


def _rows(names: list[str], columns: list[Any]) -> Iterator[dict[str, Any]]:
    return (dict(zip(names, values, strict=True)) for values in zip(*map(_values, columns), strict=True))


def _values(column: Any) -> list[Any]:
    """Return a column's values; text that is no UTF-8, which some writers let pass, is decoded as well as it can be."""
    import pyarrow

    try:
        return list(column.to_pylist())
    except UnicodeDecodeError:
        raw = column.cast(pyarrow.large_binary()).to_pylist()
        return [None if value is None else decode(value) for value in raw]
