"""Files of records that are one collection together, such as an export of each month: a folder or an archive of nothing
else."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence

from ...errors import OutgroupWarning
from . import records
from .books import SPREADSHEETS
from .documents import Document, Skip
from .fields import Fields, MissingFieldError
from .files import Item
from .sheets import warn_of_no_sheets
from .source import Source

_FILE = "file"  # the column that tells them apart
_NAMED = 3


def are_records(kinds: Iterable[str]) -> bool:
    """Return whether there are files, each of a kind that holds records."""
    found = set(kinds)
    return bool(found) and found <= records.KINDS


def joined(name: str, parts: Sequence[tuple[str, Source]], fields: Fields) -> Iterator[Item]:
    """Yield the records of several files, each with its path; one that lacks a field which was asked for is skipped.

    Raises CorpusError where they all lack one.
    """
    if not any(source.kind in SPREADSHEETS for _, source in parts):
        warn_of_no_sheets(name, fields)
    lacking = list[MissingFieldError]()
    for where, source in parts:
        try:
            for item in records.read_records(source, fields, f"{where}#"):
                yield _from(where, item)
        except MissingFieldError as error:
            lacking.append(error)
            yield Skip(where, "a file of records without a field that was asked for: read it by itself", None)
    if len(lacking) == len(parts):
        raise lacking[0]
    if len(parts) - len(lacking) > 1:
        _tell(name, [where for where, _ in parts], len(lacking))


def _from(where: str, item: Item) -> Item:
    """Return a record with the file in which it stands."""
    column = f"{_FILE} (2)" if _FILE in item.columns else _FILE
    columns = {**item.columns, column: where}
    if isinstance(item, Document):
        return item._replace(columns=columns)
    return Skip(item.where, item.reason, item.row, columns)


def _tell(name: str, parts: list[str], lacking: int) -> None:
    shown = ", ".join(map(repr, parts[:_NAMED])) + (" ..." if len(parts) > _NAMED else "")
    said = f"{name}: {len(parts) - lacking:,} files of records were read as one collection: {shown}"
    warnings.warn(said, OutgroupWarning, stacklevel=2)
