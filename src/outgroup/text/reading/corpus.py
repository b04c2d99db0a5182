"""A collection of documents: read from a folder or a file of records, with nothing lost without a reason."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...errors import CorpusError, InputError, OutgroupWarning
from .documents import LARGEST_TEXTS, MOST_COLUMNS, MOST_DOCUMENTS, Document, Skip
from .fields import Fields
from .inputs import items
from .strip import STRIPPERS, strip_parts

__all__ = ["Corpus", "Skip", "read_corpus"]

_REPORT_EVERY = 256


@dataclass(frozen=True)
class Corpus:
    """Documents, in the order of the input.

    Parameters
    ----------
    ids : list of str
        Unique.
    texts : list of str
        None is blank; lines end with a line feed.
    titles : list of str
        Empty where a document has none.
    labels : list of str or None
        The documents' classes, "" where one has none; None where no document has one.
    skipped : list of Skip
        What was left out, and why.
    rows : list of int
        The number of each document among all of the input, from 0: those that were skipped count, too. Rows of
        embeddings that somebody made for the whole input are found by it. By default 0, 1, 2 ...
    columns : dict of str to list of str
        All other fields of the records, a value for each document, "" where it has none.

    Examples
    --------
    >>> corpus = Corpus(["a", "b", "c"], ["Tea", "Milk", "Tea"], ["", "", ""])
    >>> len(corpus), corpus.duplicates()
    (3, [['a', 'c']])
    """

    ids: list[str]
    texts: list[str]
    titles: list[str]
    labels: list[str] | None = None
    skipped: list[Skip] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    columns: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.rows:
            object.__setattr__(self, "rows", list(range(len(self.ids))))

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def n_input(self) -> int:
        """How many documents the input has, those that were skipped included; `rows` are below it."""
        return len(self.rows) + sum(skip.row is not None for skip in self.skipped)

    def duplicates(self) -> list[list[str]]:
        """Return the ids of documents whose texts are exactly equal, a list for each such text, in order."""
        same: dict[str, list[str]] = {}
        for identity, text in zip(self.ids, self.texts, strict=True):
            same.setdefault(text, []).append(identity)
        return [ids for ids in same.values() if len(ids) > 1]

    def body(self, number: int) -> str:
        r"""Return the text of a document without the title that was joined to it, unless there is nothing else.

        Examples
        --------
        >>> Corpus(["a", "b"], ["Tea\n\nBoil water.", "Milk"], ["Tea", "Milk"]).body(0)
        'Boil water.'
        """
        text, title = self.texts[number], self.titles[number]
        rest = text.removeprefix(title)
        return rest.lstrip("\n") if title and rest[:1] == "\n" and rest.strip() else text


def read_corpus(
    path: str | os.PathLike[str],
    *,
    text: str = "text",
    id: str = "id",
    title: str = "title",
    label: str = "label",
    join_title: bool = True,
    html: str = "text",
    strip: Collection[str] = (),
    progress: Callable[[int, int | None], None] | None = None,
) -> Corpus:
    """Read documents; each becomes one of the corpus or a named skip.

    Parameters
    ----------
    path : path
        A folder, read with its subfolders: .txt, .md, .html, .htm, .docx, .eml, files without a suffix, and with the
        extra `io` .pdf, one document each, in the order of their names (a .mbox: one for each message); a document's
        id is its path in the folder, its label the first subfolder's name, its title the page's, the mail's subject or
        the file's name. Hidden files are no documents. Or a file of records: .jsonl, .ndjson, .json, .csv, .tsv (with
        commas, semicolons, tabs or bars), .mbox, .ods, and with the extra `io` .parquet and .xlsx; each also with .gz,
        .xz, or with the extra .zst. Or a .zip of files, or of one file of records; or "-", the standard input. Texts
        are UTF-8, UTF-16 with a mark, or Windows-1252.
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
    progress : callable, optional
        Called now and then with the number of documents done and the number in all (None when unknown).

    Raises
    ------
    CorpusError
        The path is missing or unreadable, no document in it is readable, a record is malformed (the message names its
        line), or a field does not exist.
    InputError
        `strip` names an unknown part.
    MissingExtraError
        The file needs an extra that is not installed.

    Notes
    -----
    A document of more than 50 MB is skipped by name. Files of records may be larger; they are read line by line. What
    unpacks to more than 200 times its size, and 1 GB, is refused. docs/reading.md lists the formats and the limits.
    """
    _check(strip, html)
    found, number, total = _Found(strip), 0, None
    fields = Fields(text, id, title, label, join_title, html == "keep")
    for number, (item, total) in enumerate(items(path, fields), start=1):
        found.add(item)
        if progress and number % _REPORT_EVERY == 0:
            progress(number, total)
    if not found.documents:
        raise CorpusError(_nothing(Path(path), found.skipped))
    if progress:
        progress(number, number)
    return found.corpus()


def _check(strip: Collection[str], html: str) -> None:
    unknown = set(strip) - set(STRIPPERS)
    if unknown or isinstance(strip, str):
        raise InputError(f"cannot strip {sorted(unknown) or strip!r}: give a list of any of {', '.join(STRIPPERS)}")
    if html not in ("text", "keep"):
        raise InputError(f"html is {html!r}; give 'text' (tags are taken out of fields) or 'keep'")


class _Found:
    """What was read so far: never more than fits."""

    def __init__(self, strip: Collection[str]) -> None:
        self.documents: list[Document] = []
        self.skipped: list[Skip] = []
        self._strip, self._rows, self._row, self._size = strip, list[int](), 0, 0

    def add(self, item: Document | Skip) -> None:
        item = _stripped(item, self._strip)
        if isinstance(item, Skip):
            self.skipped.append(replace(item, row=None if item.row is None else self._row))
        else:
            self.documents.append(item)
            self._rows.append(self._row)
            self._size += len(item.head) + len(item.text)
        self._row += not isinstance(item, Skip) or item.row is not None
        if self._size > LARGEST_TEXTS or self._row > MOST_DOCUMENTS:
            raise CorpusError(
                f"more than {MOST_DOCUMENTS:,} documents, or {LARGEST_TEXTS:,} characters in all: too many to be held "
                "in memory"
            )

    def corpus(self) -> Corpus:
        documents, labels = self.documents, [document.label for document in self.documents]
        tagged = sum(document.html for document in documents)
        if tagged:
            said = (
                f"{tagged} of {len(documents)} texts hold HTML, whose tags were taken out; --html keep leaves them in"
            )
            warnings.warn(said, OutgroupWarning, stacklevel=3)
        return Corpus(
            ids=_unique([document.id for document in documents]),
            texts=[document.whole for document in documents],
            titles=[document.title for document in documents],
            labels=None if all(label is None for label in labels) else [label or "" for label in labels],
            skipped=self.skipped,
            rows=self._rows,
            columns=_columns(documents),
        )


def _stripped(item: Document | Skip, parts: Collection[str]) -> Document | Skip:
    if isinstance(item, Skip):
        return item
    if not item.whole.strip():
        return Skip(item.where, "no text")
    item = replace(item, text=strip_parts(item.text, parts))
    return item if item.whole.strip() else Skip(item.where, f"no text left without {', '.join(sorted(parts))}")


def _columns(documents: list[Document]) -> dict[str, list[str]]:
    """Return the other fields, each with a value for every document; of too many, the first ones, with a warning."""
    names = list(dict.fromkeys(name for document in documents for name in document.columns))
    if len(names) > MOST_COLUMNS:
        last = names[MOST_COLUMNS - 1]
        said = f"{len(names)} columns beside the text: the first {MOST_COLUMNS} are kept, up to {last!r}"
        warnings.warn(said, OutgroupWarning, stacklevel=4)
    return {name: [document.columns.get(name, "") for document in documents] for name in names[:MOST_COLUMNS]}


def _unique(ids: list[str]) -> list[str]:
    """Return the ids with a number behind each that occurred before."""
    taken, seen, unique = set(ids), dict[str, int](), []
    for identity in ids:
        count = seen[identity] = seen.get(identity, 0) + 1
        new = identity
        while count > 1 and new in taken:
            new, count = f"{identity}#{count}", count + 1
        taken.add(new)
        unique.append(new)
    again = [identity for identity, count in seen.items() if count > 1]
    if again:
        shown = ", ".join(map(repr, again[:3])) + (" ..." if len(again) > 3 else "")
        warnings.warn(
            f"{len(again)} ids occur more than once and were numbered: {shown}", OutgroupWarning, stacklevel=4
        )
    return unique


def _nothing(path: Path, skipped: list[Skip]) -> str:
    if not skipped:
        return f"{path} holds no documents"
    first = "; ".join(f"{skip.where!r}: {skip.reason}" for skip in skipped[:3])
    return f"{path} holds no readable document: {len(skipped)} skipped, the first ones {first}"
