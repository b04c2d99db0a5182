"""Documents from a folder of files."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from ...errors import CorpusError
from .decode import decode, is_binary
from .documents import LONGEST_DOCUMENT, Document, Skip
from .markup import declared_encoding, html_to_text
from .office import KINDS, UnreadableError, office_text

_PLAIN = {"", ".txt", ".md"}  # mail and news archives name their files without a suffix
_PAGES = {".html", ".htm"}


def list_files(root: Path) -> list[Path | Skip]:
    """Return every file below a folder, in the order of their names, and a `Skip` for each folder not entered.

    Hidden files and folders (their names begin with a full stop) are no documents. Links to folders are not followed: a
    link to a parent would have no end.

    Raises
    ------
    CorpusError
        The folder itself cannot be read.
    """
    try:
        os.scandir(root).close()
    except OSError as error:
        raise CorpusError(f"cannot read the folder {root}: {error.strerror}") from error
    skipped: list[Path | Skip] = []
    files: list[Path] = []

    def unreadable(error: OSError) -> None:
        skipped.append(Skip(_name(Path(error.filename), root), f"folder cannot be read: {error.strerror}", None))

    for place, folders, names in os.walk(root, onerror=unreadable):
        folders[:] = [folder for folder in folders if not folder.startswith(".")]
        links = [Path(place, folder) for folder in folders if Path(place, folder).is_symlink()]
        skipped += [Skip(_name(link, root), "link to a folder, not followed", None) for link in links]
        files += [Path(place, name) for name in names if not name.startswith(".")]
    return [*skipped, *sorted(files, key=lambda file: file.relative_to(root).parts)]


def read_file(path: Path, root: Path) -> Document | Skip:
    """Return one file as a document, or why it is none.

    Its id is its path below `root`, its label the first folder on that path, its title the page's or the file's name.
    """
    where = _name(path, root)
    suffix = path.suffix.lower()
    if suffix not in _PLAIN | _PAGES | KINDS:
        return Skip(where, f"unsupported kind of file: {suffix}")
    raw = _read_bytes(path)
    if isinstance(raw, str):
        return Skip(where, raw)
    try:
        title, text = _title_and_text(raw, suffix)
    except UnreadableError as error:
        return Skip(where, str(error))
    label = where.split("/")[0] if "/" in where else None
    return Document(where, where, text, title or where.rpartition("/")[2], label)


def _title_and_text(raw: bytes, suffix: str) -> tuple[str, str]:
    if suffix in KINDS:
        return office_text(raw, suffix)
    if is_binary(raw):
        raise UnreadableError("binary file, no text")
    if suffix in _PLAIN:
        return "", decode(raw)
    return html_to_text(decode(raw, declared_encoding(raw)))


def read_folder(root: Path) -> Iterator[tuple[Document | Skip, int]]:
    """Yield every document of a folder, or why it is none, each with the number of all."""
    files = list_files(root)
    for file in files:
        yield file if isinstance(file, Skip) else read_file(file, root), len(files)


def _read_bytes(path: Path) -> bytes | str:
    """Return a file's bytes, or in words why they cannot be had."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):  # opening a named pipe would wait for ever
            return "not a regular file"
        if status.st_size > LONGEST_DOCUMENT:
            return f"larger than {LONGEST_DOCUMENT // 1_000_000} MB, too large for one document"
        return path.read_bytes()
    except OSError as error:
        return f"cannot be read: {error.strerror}"


def _name(path: Path, root: Path) -> str:
    """Return a path below the folder as text; a file name need not be valid text."""
    return os.fsencode(path.relative_to(root).as_posix()).decode("utf-8", "replace")
