"""A collection of documents: read from a folder or a file of records, with nothing lost without a reason."""

from __future__ import annotations

import os
from collections.abc import Collection

from ...errors import CorpusError
from ...places import Address, place_of
from ...types import OnProgress
from .documents import NEEDS_IO, Corpus, Skip
from .fields import Fields
from .files import ARCHIVE, KINDS, UNSUPPORTED
from .gather import Gathered, check
from .inputs import items
from .non_answers import NO_ANSWER
from .reasons import reason_in_words, reasons
from .source import STDIN

_REPORT_EVERY = 256


def read_corpus(
    path: str | os.PathLike[str] | Address,
    *,
    text: str = "text",
    id: str = "id",
    title: str = "title",
    label: str = "label",
    join_title: bool = True,
    html: str = "text",
    strip: Collection[str] = (),
    encoding: str = "",
    sheet: str = "",
    may_be_empty: bool = False,
    progress: OnProgress | None = None,
) -> Corpus:
    """Read documents; each becomes one of the corpus or a named skip.

    Parameters
    ----------
    path : path or address
        A folder, read with its subfolders: .txt, .md, .html, .htm, .docx, .eml, files without a suffix, and with the
        extra `io` .pdf, one document each, in the order of their names (a .mbox: one for each message); a document's
        id is its path in the folder, its label the first subfolder's name, its title the page's, the mail's subject or
        the file's name (its path where several have it). Hidden files are no documents. Or a file of records: .jsonl,
        .ndjson, .json, .csv, .tsv (with commas, semicolons, tabs or bars), .mbox, .ods, and with the extra `io`
        .parquet, .xlsx and .xlsm; each also with .gz, .xz, or with the extra .zst. Or a folder of such files and no
        others, which are told apart by a column `file`. Or a .zip of files, or of one file of records; or "-", the
        standard input. Texts are UTF-8, UTF-16, or in the `encoding`.
    text, id, title, label : str
        The fields of a record, with the defaults "text", "id", "title" and "label". Several fields with commas between
        them, such as "subject,body", are one text. A record without an id gets its line's number; ids that occur again
        get "#2", "#3" ... with a warning. All other fields become `columns`.
    join_title : bool, default True
        Whether a record's title, or a mail's subject, is a part of its text; it stands first, once.
    html : {"text", "keep"}, default "text"
        Whether tags and entities are taken out of a record's text and title, with a warning that says of how many.
    strip : collection of {"headers", "quotes", "signatures"}, default none
        Parts of mail-like texts to take away; of several fields of text, from the last one.
    encoding : str, default ""
        Of texts that are no Unicode, by a name that Python knows, such as "cp1250"; "": Windows-1252, with a warning
        that says of how many.
    sheet : str, default ""
        The sheet of a spreadsheet that is read; "": the first one with the field of the text and rows below it, and
        those behind it with the same columns, which are told apart by a column `sheet`.
    may_be_empty : bool, default False
        Whether an input in which nothing lies, or only answers that say nothing, as on a day without new documents, is
        an empty corpus, and no error.
    progress : callable, optional
        Called now and then with the number of documents done and the number in all (None when unknown).

    Raises
    ------
    CorpusError
        The path is missing or unreadable, no document in it is readable, a record is malformed (the message names its
        line), or a field does not exist.
    InputError
        `strip` names an unknown part, or `encoding` an unknown encoding.
    MissingExtraError
        The file needs an extra that is not installed.

    Notes
    -----
    A document of more than 50 MB is skipped by name. Files of records may be larger; they are read line by line. What
    unpacks to more than 200 times its size, and 100 MB, is refused. docs/reading.md lists the formats and the limits.
    """
    check(strip, html, encoding)
    found, number, total = Gathered(strip), 0, None
    fields = Fields(text, id, title, label, join_title, html == "keep", encoding, sheet)
    for number, (item, total) in enumerate(items(path, fields), start=1):
        found.add(item)
        if progress and number % _REPORT_EVERY == 0:
            progress(number, total)
    if not found.documents and not (may_be_empty and is_empty(found.skipped)):
        raise none_read(path, found.skipped)
    if progress:
        progress(number, number)
    return found.corpus()


def is_empty(skipped: list[Skip]) -> bool:
    """Return whether an input without a document is only empty: nothing was skipped, or some answers say that there is
    none, so that it is known where they stand."""
    return not skipped or any(skip.reason == NO_ANSWER for skip in skipped)


def none_read(path: str | os.PathLike[str] | Address, skipped: list[Skip]) -> CorpusError:
    """Return the error of an input of which no document could be read: what is skipped of it, and what mends that."""
    name = STDIN if path == "-" else str(place_of(path))
    if not skipped:
        return CorpusError(f"{name} holds no documents")
    named = ", ".join(repr(skip.where) for skip in skipped[:3])
    alike = len({skip.reason for skip in skipped}) == 1
    each = (f"{skip.where!r}: {skip.reason}" for skip in skipped[:3])
    first = f"{named}: {skipped[0].reason}" if alike else "; ".join(each)
    return CorpusError(
        f"{name} holds no readable document: {len(skipped)} skipped, the first ones {first}{_mend(skipped)}"
    )


def _mend(skipped: list[Skip]) -> str:
    """Return what to do about the reasons, where that can be said in one sentence."""
    why, count = reasons((skip.where, skip.reason) for skip in skipped)[0]
    if why == NEEDS_IO:
        return f"; {reason_in_words(why, count)}"
    if all(skip.reason.startswith(UNSUPPORTED) for skip in skipped):
        kinds = ", ".join(sorted(KINDS - {"", ARCHIVE}))
        return f"; convert them to text: a folder holds {kinds}, or names without a suffix"
    return ""
