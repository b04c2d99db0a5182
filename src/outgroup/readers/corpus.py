"""Read a collection of documents from a folder or file, whole or in blocks."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate, islice
from typing import Any, BinaryIO

from ..errors import CorpusError, quoted, warn
from ..places import Address, place_of
from ..text.tokenizer import tokenise
from ..text.tokens import nfkc
from ..types import OnProgress
from .documents import LIMITS, Corpus, Document, Skip, numbered, strip_parts
from .encoding import guessed_in_words
from .fields import Fields
from .folder import ARCHIVE, KINDS, UNSUPPORTED
from .inputs import items
from .non_answers import NO_ANSWER, why_no_answer
from .source import STDIN


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
    """Read documents; each joins the corpus or is skipped with a reason.

    Parameters
    ----------
    path : path or address
        A folder, read recursively in name order: .txt, .md, .html, .htm, .docx, .eml, files without a suffix, and with
        the extra `io` .pdf, one document each (a .mbox: one per message). The id is the path in the folder, the label
        the first subfolder, the title that of the page, the subject of the mail, or the file name (the path if several
        files share it). Hidden files are ignored. Or a file of records: .jsonl, .ndjson, .json, .csv, .tsv (separated
        by commas, semicolons, tabs or bars), .mbox, .ods, and with the extra `io` .parquet, .xlsx and .xlsm; each also
        compressed as .gz or .xz, or with the extra as .zst. Or a folder of record files only: the column `file` holds
        the file of each record. Or a .zip of files, or of one file of records. Or "-", the standard input. Texts are
        UTF-8, UTF-16, or in the given `encoding`.
    text, id, title, label : str
        The fields of a record, by default "text", "id", "title" and "label". Fields separated by commas, such as
        "subject,body", are joined to one text. A record without an id gets its row or line number. Duplicate ids get
        the suffix "#2", "#3" ... with a warning. All other fields become `columns`.
    join_title : bool, default True
        Whether to prepend the title of a record, or the subject of a mail, to its text, once.
    html : {"text", "keep"}, default "text"
        "text" removes tags and entities from the text and title of records, and warns with their number.
    strip : collection of {"headers", "quotes", "signatures"}, default none
        Parts to remove from mail-like texts; if several fields are joined, from the last one.
    encoding : str, default ""
        The encoding of texts that are not Unicode, by its Python name, such as "cp1250". "" means Windows-1252, and
        warns with their number.
    sheet : str, default ""
        The sheet to read. "" reads the first sheet with the text field and rows below it, and all later sheets with
        the same columns: the column `sheet` holds the sheet of each record.
    may_be_empty : bool, default False
        Whether to return an empty corpus, and not raise, if the input is empty or holds non-answers only.
    progress : callable, optional
        Called periodically with the number of documents done and the total (None if unknown).

    Raises
    ------
    CorpusError
        The path is missing or unreadable, it has no readable document, a record is malformed (the message names its
        line), or a field is missing.
    InputError
        `strip` names an unknown part, or `encoding` an unknown encoding.
    MissingExtraError
        The file needs an extra that is not installed.

    Notes
    -----
    Documents of more than 50 MB are skipped. Files of records may be larger: they are read line by line. Input that
    expands to more than 200 times its size and 100 MB is refused. docs/reading.md lists the formats and the limits.
    """
    strip = (strip,) if isinstance(strip, str) else tuple(strip)
    fields, number = Fields(text, id, title, label, join_title, html, encoding, sheet, strip), 0

    def read() -> Iterator[Document | Skip]:
        nonlocal number
        for number, (item, total) in enumerate(items(path, fields), start=1):
            yield stripped(item, fields.strip)
            if progress and number % 256 == 0:
                progress(number, total)

    corpus = corpus_of(read())
    is_empty = not corpus.skipped or any(skip.reason == NO_ANSWER for skip in corpus.skipped)
    if not len(corpus) and not (may_be_empty and is_empty):
        raise none_read(path, corpus.skipped)
    if progress:
        progress(number, number)
    return corpus


def none_read(path: str | os.PathLike[str] | Address, skipped: list[Skip]) -> CorpusError:
    """Return the error for an input without readable documents, with the first skips and a remedy."""
    name = STDIN if path == "-" else str(place_of(path))
    if not skipped:
        return CorpusError(f"{name} contains no documents")
    named = ", ".join(repr(skip.where) for skip in skipped[:3])
    alike = len({skip.reason for skip in skipped}) == 1
    reasons = (f"{skip.where!r}: {skip.reason}" for skip in skipped[:3])
    first = f"{named}: {skipped[0].reason}" if alike else "; ".join(reasons)
    kinds = f"; a folder may contain {', '.join(sorted(KINDS - {'', ARCHIVE}))}, and files without a suffix"
    known = "" if any(not skip.reason.startswith(UNSUPPORTED) for skip in skipped) else kinds
    return CorpusError(f"{name} contains no readable document: {len(skipped)} skipped, first {first}{known}")


# --- Blocks of documents, for input larger than memory

_DOCUMENTS, _CHARACTERS = 20_000, 1 << 24  # of a block, whichever is reached first

OnShare = Callable[[float | None], None]
"""Called with the fraction of the input read so far, None if unknown."""


@dataclass(frozen=True)
class Block:
    """Documents in input order; the `row` of a skip counts the documents and skips before it in the block.

    `n_items` counts the items read, so that a reader can resume after them.
    """

    documents: list[Document]
    skipped: list[Skip]
    n_items: int


def read_blocks(
    path: str | os.PathLike[str] | Address,
    fields: Fields,
    *,
    behind: int = 0,
    on_share: OnShare | None = None,
) -> Iterator[Block]:
    """Yield the documents of an input in blocks, after the first `behind` items.

    Raises CorpusError as `read_corpus`, once it reaches the error.
    """
    streams: list[tuple[BinaryIO, int]] = []
    batch: list[Document | Skip] = []
    size, read = 0, Counter[str]()
    for number, (item, total) in enumerate(islice(items(path, fields, streams.append), behind, None), start=behind + 1):
        item = stripped(item, fields.strip)
        batch.append(item)
        size += 0 if isinstance(item, Skip) else len(item.head) + len(item.text)
        if len(batch) >= _DOCUMENTS or size >= _CHARACTERS:
            read += tally(batch)
            yield block_of(batch)
            batch, size = [], 0
            if on_share is not None:
                on_share(number / total if total else _share_read(streams))
    read += tally(batch)
    if batch:
        yield block_of(batch)
    for note in reading_notes(read):
        warn(note)


def block_of(items: list[Document | Skip]) -> Block:
    """Return items as a block."""
    documents, skipped = [], []
    for place, item in enumerate(items):
        if isinstance(item, Skip):
            skipped.append(Skip(item.where, item.reason, None if item.row is None else place))
        else:
            documents.append(item)
    return Block(documents, skipped, len(items))


def _share_read(streams: list[tuple[BinaryIO, int]]) -> float | None:
    """Return the share of the last stream that was read, from (stream, size in bytes) pairs; None if unknown."""
    try:
        stream, size = streams[-1]
        return stream.tell() / size
    except (IndexError, OSError, ValueError, ZeroDivisionError):  # none opened, or it is closed
        return None


# --- Documents gathered to one corpus: stripped, counted, with unique ids


def corpus_of(items: Iterable[Document | Skip]) -> Corpus:
    """Return documents and skips as a corpus; warn about renumbered ids, dropped columns, removed HTML and guessed
    encodings.

    Raises CorpusError beyond the limits of a corpus.
    """
    documents, skipped, rows = list[Document](), list[Skip](), list[int]()
    row = size = 0
    for item in items:
        if isinstance(item, Skip):
            skipped.append(replace(item, row=None if item.row is None else row))
            row += item.row is not None
        else:
            documents.append(item)
            rows.append(row)
            size += len(item.head) + len(item.text)
            row += 1
        if size > LIMITS.texts or row > LIMITS.documents:
            raise CorpusError(
                f"more than {LIMITS.documents:,} documents, or {LIMITS.texts:,} characters in total, too many for "
                "memory: cluster them in files, with --memory 4G on the command line"
            )
    for note in reading_notes(tally(documents)):
        warn(note)
    labels = [document.label or "" for document in documents]
    return Corpus(
        ids=_unique([document.id for document in documents]),
        texts=[document.whole for document in documents],
        titles=_titles(documents),
        labels=labels if any(labels) else None,
        skipped=skipped,
        rows=rows,
        columns=_columns(documents),
        by_place=any(document.where.endswith(f" {document.id}") for document in documents),
    )


def tally(items: Iterable[Document | Skip]) -> Counter[str]:
    """Count the documents by their notes."""
    return Counter(item.note for item in items if not isinstance(item, Skip))


def reading_notes(read: Counter[str]) -> Iterator[str]:
    """Yield notes on removed HTML and guessed encodings, from the counts of `tally`."""
    n, guessed = f"{read.total():,} texts", read["guessed"]
    keep = "a list of texts in Python keeps them"
    if read["tags"]:
        yield f"HTML was found in {read['tags']:,} of {n}; tags are removed, references such as &amp; decoded; {keep}"
    if read["references"]:
        yield f"character references such as &amp; were decoded in {read['references']:,} of {n}; {keep}"
    if guessed:
        yield guessed_in_words(f"{guessed:,} of {n} {'is' if guessed == 1 else 'are'}")


def stripped(item: Document | Skip, parts: Collection[str]) -> Document | Skip:
    """Return the document without the given mail parts, or a skip if no text remains."""
    if isinstance(item, Skip):
        return item
    if item.is_blank:
        return Skip(item.where, "no text", columns=item.columns)
    if wrong := why_no_answer(item.whole) or excess(item.text):
        return Skip(item.where, wrong, columns=item.columns)
    if not parts:
        return item
    item = item._replace(text=strip_parts(item.text, parts))
    without = f"no text left without {', '.join(sorted(parts))}"
    return Skip(item.where, without, columns=item.columns) if item.is_blank else item


def _columns(documents: list[Document]) -> dict[str, list[str]]:
    """Return the other fields as columns, a value per document; more than 100 are dropped with a warning."""
    names = list(dict.fromkeys(name for document in documents for name in document.columns))
    if len(names) > LIMITS.columns:
        warn(LIMITS.too_many_columns(names))
    return {name: [document.columns.get(name, "") for document in documents] for name in names[: LIMITS.columns]}


def _titles(documents: list[Document]) -> list[str]:
    """Return the titles; files of the same name in different folders are titled by path.

    A document without a title has its first line if that reads as a headline, and other documents do not repeat it.
    """
    often = Counter(document.title for document in documents)
    headlines = [document.title or _headline(document.text) for document in documents]
    repeated = Counter(headlines)
    return [
        document.id
        if often[document.title] > 1 and document.id.endswith(f"/{document.title}")
        else document.title or (line if repeated[line] == 1 else "")
        for document, line in zip(documents, headlines, strict=True)
    ]


_HEADLINE = re.compile(r"\s*([^\s\n][^\n]{1,150})\n[ \t]*\n\s*\S")


def _headline(text: str) -> str:
    """Return the first line of a text as a title if a blank line and more text follow it, and it is not a salutation;
    else "".

    >>> _headline("Tea is late\\n\\nThe ship waits."), _headline("Dear all,\\n\\nTea is late.")
    ('Tea is late', '')
    """
    match = _HEADLINE.match(text)
    line = match[1].strip() if match else ""
    return "" if line.endswith((",", ";", ":", ".", "!")) else line


def _unique(ids: list[str]) -> list[str]:
    """Return the ids, with a number appended to duplicates."""
    again = [identity for identity, count in Counter(ids).items() if count > 1]
    if again:
        n = len(again)
        subject = "1 id occurs more than once and was" if n == 1 else f"{n} ids occur more than once and were"
        warn(f"{subject} numbered: {quoted(again)}")
    return numbered(ids, "{}#{}") if again else ids


# --- Limits of one text, beyond those of its file


_PIECE = 1 << 20  # characters


def excess(text: str) -> str:
    """Return the reason why a text exceeds the limits of one document; "" if it does not.

    Checks long texts only, piece by piece, and stops at the limit.

    Examples
    --------
    >>> excess("tea " * 100_000)
    ''
    """
    pieces = [text[start : start + _PIECE] for start in range(0, len(text), _PIECE)]
    if len(text) * 18 > LIMITS.document and not text.isascii():  # the NFKC form of U+FDFA has 18 characters
        lengths = accumulate(len(nfkc(piece)) for piece in pieces)
        if any(length > LIMITS.document for length in lengths):
            return f"longer than {LIMITS.document // 1_000_000} million characters after Unicode decomposition"
    if len(text) > 4 * LIMITS.words:  # a shorter text has fewer words
        words: set[str] = set()
        for piece in pieces:
            words.update(tokenise(piece))
            if len(words) > LIMITS.words:
                return f"more than {LIMITS.words:,} different words, too many for one document"
    return ""


# --- Reading options by name, and as arguments of `read_corpus`

READ = ("text", "id", "title", "strip", "encoding", "sheet")  # new documents use the same


def reading_of(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of the reader among `settings` as arguments of `read_corpus` and `Fields`."""
    options = {name: str(settings[name]) for name in READ if name in settings}
    parts = str(settings.get("strip") or "").split(",")
    return options | {"strip": tuple(part.strip() for part in parts if part.strip())}


def without_roles(reading: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings without the id and title fields, for another collection that may lack them."""
    return {name: value for name, value in reading.items() if name not in ("id", "title", "sheet")}
