"""Documents from a folder of files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from ...errors import CorpusError
from ...places import Address, Place, is_hidden
from . import records
from .documents import Skip
from .fields import Fields
from .files import KINDS, MESSAGE, Item, file_documents
from .joined import are_records, joined
from .sheets import warn_of_no_sheets
from .source import Source, kind_of, open_regular

_MAILDIR = {"cur", "new", "tmp"}  # its folders: messages that were seen, that were not, and that are being written
_FLAGS = re.compile(r"[:;!]2,[^/]*$")  # what a mail program notes of a message, behind its name


def list_files(root: Place) -> list[Place | Skip]:
    """Return every file below a folder, in the order of their names, and a `Skip` for each folder not entered.

    Hidden files and folders, and what office programs leave beside an open file, are no documents. Links to folders are
    not followed: a link to a parent would have no end.

    Raises
    ------
    CorpusError
        The folder itself cannot be read.
    """
    if isinstance(root, Address):
        return [*root.files()]
    try:
        os.scandir(root).close()
    except OSError as error:
        raise CorpusError(f"cannot read the folder {root}: {error.strerror}") from error
    skipped: list[Place | Skip] = []
    files: list[Path] = []

    def unreadable(error: OSError) -> None:
        skipped.append(Skip(_name(Path(error.filename), root), f"folder cannot be read: {error.strerror}", None))

    for place, folders, names in os.walk(root, onerror=unreadable):
        folders[:] = [folder for folder in folders if not is_hidden(folder)]
        links = [Path(place, folder) for folder in folders if os.path.islink(os.path.join(place, folder))]
        skipped += [Skip(_name(link, root), "link to a folder, not followed", None) for link in links]
        files += [Path(place, name) for name in names if not is_hidden(name)]
    return [*skipped, *sorted(files, key=lambda file: file.relative_to(root).parts)]


def read_folder(root: Place, fields: Fields) -> Iterator[tuple[Item, int | None]]:
    """Yield every document of a folder, or why it is none, each with the number of all files, if they are documents.

    A document's id is its path below `root`, its label the first folder on that path. A message of a Maildir keeps its
    id when it is read or marked: neither the folder that says so nor the flags behind its name are part of it.
    """
    files = list_files(root)
    found = [(_name(file, root), _source(file)) for file in files if not isinstance(file, Skip)]
    if are_records(source.kind for _, source in found):
        yield from ((file, None) for file in files if isinstance(file, Skip))
        yield from ((item, None) for item in joined(str(root), found, fields))
        return
    warn_of_no_sheets(str(root), fields)
    for file in files:
        if isinstance(file, Skip):
            yield file, len(files)
        else:
            yield from ((item, len(files)) for item in _documents(file, root, fields))


def _documents(file: Place, root: Place, fields: Fields) -> Iterator[Item]:
    source, name = _source(file), _name(file, root)
    if not _in_maildir(file, source.kind):
        return file_documents(source, name, fields)
    if cast(Any, file).parent.name == "tmp":
        return iter([Skip(name, "message that is still being delivered")])
    above, _, name = f"/{name}".rpartition(f"/{cast(Any, file).parent.name}/")
    return file_documents(replace(source, kind=MESSAGE, packing=""), f"{above}/{_FLAGS.sub('', name)}"[1:], fields)


def _in_maildir(file: Place, kind: str) -> bool:
    """Return whether a file of no other kind lies in a Maildir, whose messages have no suffix of their own."""
    if isinstance(file, Address) or file.parent.name not in _MAILDIR or (kind and kind in KINDS | records.KINDS):
        return False
    return all((file.parent.parent / each).is_dir() for each in _MAILDIR)


def _source(path: Place) -> Source:
    return Source(path.name, *kind_of(path.name), _size(path), lambda: open_regular(path))


def _size(path: Place) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0  # opening it says why


def _name(path: Place, root: Place) -> str:
    """Return a path below the folder as text; a file name need not be valid text."""
    return os.fsencode(cast(Any, path).relative_to(root).as_posix()).decode("utf-8", "replace")
