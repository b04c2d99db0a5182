"""A collection of documents from a folder or file, read as a whole or a block at a time."""

from __future__ import annotations

import os
import unicodedata
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, BinaryIO

from ..errors import CorpusError, InputError, OutgroupWarning
from ..places import Address, place_of
from ..text.tokenizer import pieces, tokenise
from ..types import OnProgress
from .documents import (
    LARGEST_TEXTS,
    LONGEST_DOCUMENT,
    MOST_COLUMNS,
    MOST_DOCUMENTS,
    NEEDS_IO,
    NO_ANSWER,
    STRIPPERS,
    Corpus,
    Document,
    Skip,
    is_non_answer,
    reason_in_words,
    reasons,
    strip_parts,
)
from .encoding import EXAMPLES, guessed_in_words, is_known
from .fields import Fields
from .folder import ARCHIVE, KINDS, UNSUPPORTED
from .inputs import items
from .source import STDIN

# --- A collection of documents: read from a folder or a file of records, with nothing lost without a reason

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


# --- Documents as they come, a block of them at a time: what is larger than memory is read so

_DOCUMENTS, _CHARACTERS = 20_000, 1 << 24  # of a block, about; one of these is reached first

OnShare = Callable[[float | None], None]
"""Called with the share of the input that was read, None where it is not known."""


@dataclass(frozen=True)
class Block:
    """Documents in the order of the input; a skip's `row` is the number of documents and skips before it in the block.

    `n_items` counts all that was read for it, so that a reader can go on behind it.
    """

    documents: list[Document]
    skipped: list[Skip]
    n_items: int


def read_blocks(
    path: str | os.PathLike[str] | Address,
    fields: Fields,
    *,
    strip: Collection[str] = (),
    behind: int = 0,
    on_share: OnShare | None = None,
) -> Iterator[Block]:
    """Yield the documents of an input in blocks, from the item numbered `behind` on.

    Raises CorpusError as `read_corpus` does, when it comes to it.
    """
    check(strip, "keep" if fields.keep_html else "text", fields.encoding)
    position = _Position()
    found: list[Document | Skip] = []
    size, read = 0, Counter[str]()
    for number, (item, total) in enumerate(
        islice(items(path, fields, position.opened), behind, None), start=behind + 1
    ):
        item = stripped(item, strip)
        found.append(item)
        size += 0 if isinstance(item, Skip) else len(item.head) + len(item.text)
        if len(found) >= _DOCUMENTS or size >= _CHARACTERS:
            read += tally(found)
            yield block_of(found)
            found, size = [], 0
            if on_share is not None:
                on_share(number / total if total else position.share())
    read += tally(found)
    if found:
        yield block_of(found)
    for said in reading_notes(read):
        warnings.warn(said, OutgroupWarning, stacklevel=2)


def block_of(found: list[Document | Skip]) -> Block:
    """Return what was read as a block."""
    documents, skipped = [], []
    for place, item in enumerate(found):
        if isinstance(item, Skip):
            skipped.append(Skip(item.where, item.reason, None if item.row is None else place))
        else:
            documents.append(item)
    return Block(documents, skipped, len(found))


class _Position:
    """How far a file is read, whatever it is packed with."""

    def __init__(self) -> None:
        self._stream: BinaryIO | None = None
        self._size = 0

    def opened(self, stream: BinaryIO, size: int) -> None:
        self._stream, self._size = stream, size

    def share(self) -> float | None:
        if self._stream is None or self._stream.closed or not self._size:
            return None
        try:
            return self._stream.tell() / self._size
        except (OSError, ValueError):
            return None


# --- Documents as they come become one collection: stripped, counted, with ids that differ

_USELESS = 1_000_000  # skips, with hardly a document among them


def check(strip: Collection[str], html: str, encoding: str = "") -> None:
    """Raise InputError for parts to strip, a way with HTML, or an encoding, that nobody knows."""
    unknown = set(strip) - set(STRIPPERS)
    if unknown or isinstance(strip, str):
        raise InputError(f"cannot strip {sorted(unknown) or strip!r}: give a list of any of {', '.join(STRIPPERS)}")
    if html not in ("text", "keep"):
        raise InputError(f"html is {html!r}; give 'text' (tags are taken out of fields) or 'keep'")
    if encoding and not is_known(encoding):
        raise InputError(
            f"encoding is {encoding!r}; give one in which texts are that are no Unicode, by a name that Python knows: "
            f"{EXAMPLES}"
        )


class Gathered:
    """Documents and skips as they come, never more than fit; `corpus` says what of them the user should know."""

    def __init__(self, strip: Collection[str] = (), keep_empty: bool = False) -> None:
        self.documents: list[Document] = []
        self.skipped: list[Skip] = []
        self._strip, self._keep_empty = strip, keep_empty
        self._rows, self._row, self._size = list[int](), 0, 0

    def add(self, item: Document | Skip) -> None:
        item = item if self._keep_empty else stripped(item, self._strip)
        if isinstance(item, Skip):
            self._skip(item)
        else:
            self.documents.append(item)
            self._rows.append(self._row)
            self._size += len(item.head) + len(item.text)
            self._row += 1
        if self._size > LARGEST_TEXTS or self._row > MOST_DOCUMENTS:
            raise CorpusError(
                f"more than {MOST_DOCUMENTS:,} documents, or {LARGEST_TEXTS:,} characters in all: too many to be held "
                "in memory; the command line takes them in a stream: --memory 4G"
            )

    def _skip(self, item: Skip) -> None:
        self.skipped.append(replace(item, row=None if item.row is None else self._row))
        self._row += item.row is not None
        if len(self.skipped) >= _USELESS and len(self.documents) < len(self.skipped) // 100:
            last = self.skipped[-1]
            raise CorpusError(
                f"{len(self.skipped):,} documents were skipped, the last one {last.where!r}: {last.reason}"
            )

    def corpus(self, skipped: list[Skip] | None = None) -> Corpus:
        """Return all of them, with warnings of ids that were numbered, columns left out, and HTML taken out."""
        documents, labels = self.documents, [document.label for document in self.documents]
        for said in reading_notes(tally(documents)):
            warnings.warn(said, OutgroupWarning, stacklevel=3)
        return Corpus(
            ids=_unique([document.id for document in documents]),
            texts=[document.whole for document in documents],
            titles=_titles(documents),
            labels=None if all(label is None for label in labels) else [label or "" for label in labels],
            skipped=self.skipped if skipped is None else skipped,
            rows=self._rows,
            columns=_columns(documents),
            by_place=any(document.where.endswith(f" {document.id}") for document in documents),
        )


def tally(items: Iterable[Document | Skip]) -> Counter[str]:
    """Count the documents among what was read, and those whose text is not quite what stands in the file."""
    documents = [item for item in items if not isinstance(item, Skip)]
    html, guessed = sum(each.html for each in documents), sum(each.guessed for each in documents)
    return Counter({"texts": len(documents), "html": html, "guessed": guessed})


def reading_notes(read: Counter[str]) -> Iterator[str]:
    """Yield what a user should know of how texts were read, as `tally` counted them."""
    n, guessed = f"{read['texts']:,} texts", read["guessed"]
    if read["html"]:
        leave = "--html keep (in Python: a list of texts) leaves them in"
        yield f"HTML was found in {read['html']:,} of {n}, and its tags taken out; {leave}"
    if guessed:
        yield guessed_in_words(f"{guessed:,} of {n} {'is' if guessed == 1 else 'are'}")


def stripped(item: Document | Skip, parts: Collection[str]) -> Document | Skip:
    """Return a document without these parts of mails, or why nothing is left of it."""
    if isinstance(item, Skip):
        return item
    if item.is_blank:
        return Skip(item.where, "no text", columns=item.columns)
    if is_non_answer(item.whole):
        return Skip(item.where, NO_ANSWER, columns=item.columns)
    if too_much := excess(item.text):
        return Skip(item.where, too_much, columns=item.columns)
    if not parts:
        return item
    item = item._replace(text=strip_parts(item.text, parts))
    without = f"no text left without {', '.join(sorted(parts))}"
    return Skip(item.where, without, columns=item.columns) if item.is_blank else item


def _columns(documents: list[Document]) -> dict[str, list[str]]:
    """Return the other fields, each with a value for every document; of too many, the first ones, with a warning."""
    names = list(dict.fromkeys(name for document in documents for name in document.columns))
    if len(names) > MOST_COLUMNS:
        last = names[MOST_COLUMNS - 1]
        said = f"{len(names)} columns beside the text: the first {MOST_COLUMNS} are kept, up to {last!r}"
        warnings.warn(said, OutgroupWarning, stacklevel=4)
    return {name: [document.columns.get(name, "") for document in documents] for name in names[:MOST_COLUMNS]}


def _titles(documents: list[Document]) -> list[str]:
    """Return the titles; files of one name in several folders are told apart by their paths."""
    often = Counter(document.title for document in documents)
    return [
        document.id if often[document.title] > 1 and document.id.endswith(f"/{document.title}") else document.title
        for document in documents
    ]


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
        said = (
            "1 id occurs more than once and was"
            if len(again) == 1
            else f"{len(again)} ids occur more than once and were"
        )
        warnings.warn(f"{said} numbered: {shown}", OutgroupWarning, stacklevel=4)
    return unique


# --- Texts that are too much for one document although their file is not too large

MOST_WORDS = 1_000_000
"""Different words of one document: the largest books have some fifty thousand."""

_GROWS = 18  # the most signs that the compatible form of one sign has: U+FDFA
_LOOKED_AT = 4_000_000  # signs; a shorter text has fewer words


def excess(text: str) -> str:
    """Return why a text is too much for one document, "" for nearly all.

    Only long texts are looked at, piece by piece and no further than to the limit.

    Examples
    --------
    >>> excess("tea " * 100_000)
    ''
    """
    if len(text) * _GROWS > LONGEST_DOCUMENT and not text.isascii() and _grows(text):
        return f"longer than {LONGEST_DOCUMENT // 1_000_000} million characters once its signs are taken apart"
    if len(text) > _LOOKED_AT and _has_too_many_words(text):
        return f"more than {MOST_WORDS:,} different words, too many for one document"
    return ""


def _grows(text: str) -> bool:
    length = 0
    for piece in pieces(text):
        length += len(unicodedata.normalize("NFKC", piece))
        if length > LONGEST_DOCUMENT:
            return True
    return False


def _has_too_many_words(text: str) -> bool:
    words: set[str] = set()
    for piece in pieces(text):
        words.update(tokenise(piece))
        if len(words) > MOST_WORDS:
            return True
    return False


# --- How documents become texts, as people say it: options by name, and what `read_corpus` makes of them

READ = ("text", "id", "title", "no_title", "html", "strip", "encoding", "sheet")  # the same for new documents


def reading_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings as `read_corpus` takes them."""
    options = {name: str(value) for name, value in given.items() if name not in ("strip", "no_title")}
    return options | {"strip": _parts(str(given.get("strip", ""))), "join_title": given.get("no_title") is not True}


def _parts(given: str) -> list[str]:
    return [part.strip() for part in given.split(",") if part.strip()]


def without_roles(reading: Mapping[str, Any]) -> dict[str, Any]:
    """Return how to read another collection, whose documents need no ids and may have no titles."""
    return {name: value for name, value in reading.items() if name not in ("id", "title", "sheet")}
