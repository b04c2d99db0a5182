"""Read the cases of an SPSS file with pyreadstat (extra `spss`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..errors import MissingExtraError, installing
from .fields import Fields
from .json_records import Row
from .source import Source


def spss_rows(source: Source, fields: Fields) -> Iterator[Row]:
    """Yield the cases with value labels in place of values; raise MissingExtraError if pyreadstat is missing."""
    _, about = _read(source, metadataonly=True)
    names = list(about.column_names)
    fields.header(names, source.name)
    width = sum(about.variable_storage_width.get(name, 8) for name in names)
    source.budget.take(width * max(about.number_rows or 0, 0))
    columns, about = _read(source, output_format="dict")
    labels = [about.variable_value_labels.get(name, {}) for name in names]
    for number, values in enumerate(zip(*(columns[name] for name in names), strict=True), source.before + 1):
        cells = (_cell(value, names_of_values) for value, names_of_values in zip(values, labels, strict=True))
        yield number, dict(zip(names, cells, strict=True))


def _cell(value: Any, labels: dict[Any, str]) -> Any:
    """Return the label of a value, or the value: whole numbers without decimals, None if missing."""
    if value is None or value != value:
        return None
    if value in labels:
        return str(labels[value])
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    return value if isinstance(value, str | int) else str(value)


def _read(source: Source, **options: Any) -> tuple[Any, Any]:
    try:
        import pyreadstat
    except ImportError as error:
        raise MissingExtraError(f"reading .sav files requires pyreadstat: {installing('spss')}") from error
    with source.named("not a readable SPSS file"), source.seekable() as stream:
        result: tuple[Any, Any] = pyreadstat.read_sav(stream, **options)
        return result
