"""Documents and corpora, mail parts to strip, and reasons for skips."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from ..errors import InputError, installing

# --- Limits


@dataclass(frozen=True)
class _Limits:
    """Limits of the readers: whatever exceeds them is skipped or cut with a note, or ends the run with an error."""

    document: int = 50_000_000  # bytes of a file, characters of a line or cell
    words: int = 1_000_000  # distinct words of a document: the largest books have about fifty thousand
    documents: int = 10_000_000  # and skips, of one input
    texts: int = 4_000_000_000  # characters of all documents in memory
    columns: int = 100  # besides the text
    cell: int = 32_767  # characters of a value of a column, as in a spreadsheet
    mail_parts: int = 1_000
    mail_header: int = 10_000  # characters: longer values are cut
    mail_parameters: int = 20  # of the header of a part: the library takes quadratic time
    sheet_columns: int = 1_000
    sheet_rows: int = 1_048_576  # with gaps: the last row of Excel
    sheet_bytes: int = 1_000_000_000  # unpacked
    unpacked: int = 100_000_000  # bytes to which a run may always expand its input
    unpacked_times: int = 200  # the size of the input, in addition: text seldom compresses to a twentieth
    row: int = 400  # bytes that a row or page counts for: its memory, and at most 200 times that of a line of text
    seconds: int = 60  # of the processor, for one document
    office_part: int = 200_000_000  # bytes, unpacked: most of a Word file is markup
    office_unpacked: int = 10_000_000  # bytes that an office file may always have
    office_times: int = 150  # its size, above that
    office_directory: int = 32_000_000  # bytes: some 400,000 names
    office_token: int = 1_000_000  # bytes of a tag or comment: parsers read an unfinished one again and again
    signature: int = 12  # last lines of a mail in which a signature is looked for

    def too_many_columns(self, names: Sequence[str]) -> str:
        """Return the warning for more columns than are kept."""
        last = names[self.columns - 1]
        return f"more than {self.columns} columns besides the text: only the first ones are kept, up to {last!r}"

    @property
    def too_long(self) -> str:
        """The reason for skipping a document that is too long."""
        return f"longer than {self.document // 1_000_000} million characters, too long for one document"


LIMITS = _Limits()

# --- Documents and skips

NEEDS_IO = f"needs {installing('io')}"


class UnreadableError(Exception):
    """A file cannot be opened or does not match its suffix; the message is the reason."""


@dataclass(frozen=True, slots=True)
class Skip:
    """A skipped document.

    Parameters
    ----------
    where : str
        Path in the folder, id, or line. It comes from the input: escape it wherever it is shown.
    reason : str
        The reason as a phrase.
    row : int or None
        Index among all documents of the input, from 0; None for anything else, such as an unreadable folder.
    columns : mapping of str to str
        The other fields of the record, as texts.
    """

    where: str
    reason: str
    row: int | None = field(default=0, compare=False)
    columns: Mapping[str, str] = field(default_factory=dict, compare=False)


class Document(NamedTuple):
    """A document; `label` is None if it has none, `where` names it if it is skipped.

    `head` precedes the text and is never stripped: a title, a subject. `columns` are all other fields, as texts.
    `note` is "tags" if HTML tags were removed, "references" if only character references were decoded, "guessed" if the
    encoding is a guess. (Creating a tuple takes a third of the time of a dataclass.)
    """

    where: str
    id: str
    text: str
    title: str
    label: str | None
    head: str = ""
    columns: Mapping[str, str] = MappingProxyType({})
    note: str = ""

    @property
    def is_blank(self) -> bool:
        """Whether title and text are blank."""
        return (not self.text or self.text.isspace()) and (not self.head or self.head.isspace())

    @property
    def whole(self) -> str:
        """Title and text, separated by an empty line; only the text if it begins with the title."""
        if not self.head.strip() or self.text.lstrip().startswith(self.head.strip()):
            return self.text
        return f"{self.head}\n\n{self.text}" if self.text.strip() else self.head


def numbered(names: Sequence[str], form: str) -> list[str]:
    """Return the names, with a number appended to duplicates by a `form`.

    >>> numbered(["a", "b", "a", "a#2"], "{}#{}")
    ['a', 'b', 'a#3', 'a#2']
    """
    taken, unique, counts = set(names), dict[str, None](), dict[str, int]()
    for name in names:
        new, count = name, counts.get(name, 2)
        while new in unique or (new != name and new in taken):
            new, count = form.format(name, count), count + 1
        unique[new], counts[name] = None, count
    return [*unique]


_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+")


@dataclass(frozen=True)
class Corpus:
    """Documents, in the order of the input.

    Parameters
    ----------
    ids : list of str
        Unique.
    texts : list of str
        Not blank; lines end with a line feed.
    titles : list of str
        "" for a document without one.
    labels : list of str or None
        The class of each document, "" for none; None if no document has one.
    skipped : list of Skip
        The skipped documents.
    rows : list of int
        The index of each document in the input, from 0, skipped documents included. It selects rows of embeddings of
        the whole input. By default 0, 1, 2 ...
    columns : dict of str to list of str
        All other fields of the records, one value per document, "" for none.
    by_place : bool, default False
        Whether the ids are line or row numbers, because the records have no id.

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
    by_place: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        if not self.rows:
            object.__setattr__(self, "rows", list(range(len(self.ids))))

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def n_input(self) -> int:
        """The number of documents and skips of the input; all `rows` are smaller."""
        return len(self.rows) + sum(skip.row is not None for skip in self.skipped)

    def duplicates(self) -> list[list[str]]:
        """Return the ids of exact duplicates, a list for each repeated text, in input order."""
        same: dict[str, list[str]] = {}
        for identity, text in zip(self.ids, self.texts, strict=True):
            same.setdefault(text, []).append(identity)
        return [ids for ids in same.values() if len(ids) > 1]

    def field(self, name: str, further: Iterable[str] = ()) -> list[str]:
        """Return the values of a field, or of "label", one per document; raise InputError if the field is unknown.

        The error lists the names `further`, too.
        """
        known = self.columns if self.labels is None else self.columns | {"label": self.labels}
        if name not in known:
            names = ", ".join(map(repr, [*known, *further])) or "none"
            raise InputError(f"the documents have no field {name!r:.60}; available fields: {names}")
        return list(known[name])

    def numbers(self, name: str) -> list[str]:
        """Return the values of a field with decimal points; commas are decimal if no value has a point and not all
        commas may separate thousands.

        >>> corpus = Corpus(["a", "b"], ["", ""], ["", ""], columns={"w": ["1,18", "1"], "n": ["1,180", "1"]})
        >>> corpus.numbers("w"), corpus.numbers("n")
        (['1.18', '1'], ['1,180', '1'])
        """
        values = self.field(name)
        commas = [value for value in values if "," in value]
        if any("." in value for value in values) or all(map(_THOUSANDS.fullmatch, commas)):
            return values
        return [value.replace(",", ".") for value in values]

    def body(self, number: int) -> str:
        r"""Return the text of a document without the joined title; the title alone if there is nothing else.

        Examples
        --------
        >>> Corpus(["a", "b"], ["Tea\n\nBoil water.", "Milk"], ["Tea", "Milk"]).body(0)
        'Boil water.'
        """
        text, title = self.texts[number], self.titles[number]
        rest = text.removeprefix(title)
        return rest.lstrip("\n") if title and rest[:1] == "\n" and rest.strip() else text


# --- Reasons of skips, counted, fixable ones first

_MENDABLE = (
    NEEDS_IO,
    "locked by a password",
    "a file of records",
    "an archive",
    "cannot be read",
    "folder cannot be read",
    "link to a folder",
    "larger than",
    "unsupported file format",
)


def reasons(skipped: Iterable[tuple[str, str]]) -> list[tuple[str, int]]:
    """Count the reasons in (where, reason) pairs; fixable reasons come first, then by descending count.

    Examples
    --------
    >>> reasons([("a", "no text"), ("b", "no text"), ("c.pdf", NEEDS_IO)])
    [("needs pip install '.[io]' in a copy of the repository", 1), ('no text', 2)]
    """
    counts = Counter(reason for _, reason in skipped)
    return sorted(counts.items(), key=lambda entry: (not entry[0].startswith(_MENDABLE), -entry[1], entry[0]))


def all_in_words(counts: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    """Format reasons and counts as (words, count) pairs; the words of a single reason omit the count.

    Examples
    --------
    >>> all_in_words([("no text", 2), ("larger than 1 MB", 1)]), all_in_words([("no text", 2)])
    ([('2: no text', 2), ('1: larger than 1 MB', 1)], [('no text', 2)])
    """
    counted = list(counts)
    return [(reason if len(counted) == 1 else f"{count:,}: {reason}", count) for reason, count in counted]


# --- Headers, quotes and signatures of mail-like texts, which would form groups of their own
#
# Pure functions of texts with plain line feeds.

# An envelope line, then fields such as "Subject: Re: tents" with their folded lines, up to a blank line or the end.
_FIELD = r"[A-Za-z][\w-]*:(?:[ \t][^\n]*)?(?:\n|\Z)(?:[ \t]+\S[^\n]*(?:\n|\Z))*"
_SUBJECT = re.compile(r"^Subject:[ \t]*(\S[^\n]*(?:\n[ \t]+\S[^\n]*)*)", re.MULTILINE)
_HEADERS = re.compile(rf"\A\n*(?:From [^\n]*\n)?(?:{_FIELD})+(?:\n|\Z)")
# "In article <...>" may stand on the line before "... writes:".
_ATTRIBUTION = re.compile(
    r"^(?:(?:In (?:article|message)\b[^\n]*\n)?[^\n]*\b(?:writes|wrote)"
    r"|[^\n\d]*\d[^\n]*\b(?:a écrit|escribió|escreveu|ha scritto|(?:schrieb|schreef|skrev)\b[^\n:]{0,80}))"  # a date
    r"[ \t\xa0]*:[ \t]*(?:\n|\Z)",
    re.MULTILINE,
)
_ORIGINAL = re.compile(  # of Outlook, to the end of the mail
    r"^-{2,}[ \t]*(?:original message|ursprüngliche nachricht|message d.origine|mensaje original|mensagem original"
    r"|messaggio originale|oorspronkelijk bericht)[ \t]*-{2,}[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)
_QUOTED = re.compile(r"^[ \t]*[>|][^\n]*(?:\n|\Z)", re.MULTILINE)
# "-- " is the convention; any other ruler counts only after a blank line, otherwise it underlines a heading.
_SIGNATURE = re.compile(r"^(?:--|(?<=\n\n)[-_=*]{3,})[ \t]*(?:\n|\Z)", re.MULTILINE)


def strip_headers(text: str) -> str:
    r"""Return the text without the header lines (`Name: value`) before its first blank line.

    Examples
    --------
    >>> strip_headers("From: kim@example.org\nSubject: Tents\n\nWhich one is light?")
    'Which one is light?'
    >>> strip_headers("Which one is light?\n\nAsk: anyone")
    'Which one is light?\n\nAsk: anyone'
    """
    return _HEADERS.sub("", text)


def subject(text: str) -> str:
    r"""Return the subject from the header lines before the first blank line, "" if there is none.

    Examples
    --------
    >>> subject("From: kim@example.org\nSubject: Tents,\n by the lake\n\nWhich one is light?")
    'Tents, by the lake'
    >>> subject("Which one is light?\n\nSubject: anything")
    ''
    """
    headers = _HEADERS.match(text)
    match = headers and _SUBJECT.search(headers.group())
    return " ".join(match[1].split()) if match else ""


def strip_quotes(text: str) -> str:
    r"""Return the text without quoted lines (`>`, `|`) and their attribution lines, and without the original message
    below it. An original message below fewer than five words stays: it was forwarded.

    Examples
    --------
    >>> strip_quotes("Kim wrote:\n> Which one is light?\nThe green one.")
    'The green one.'
    """
    text = _QUOTED.sub("", _ATTRIBUTION.sub("", text))
    before = _ORIGINAL.split(text, maxsplit=1)[0]
    return before if len(before.split()) >= 5 else text


def strip_signature(text: str) -> str:
    r"""Return the text without its signature: from `-- `, or from a ruler after a blank line, near the end of the text.

    Examples
    --------
    >>> strip_signature("The green one.\n-- \nKim, by the lake")
    'The green one.\n'
    """
    before = text.rsplit("\n", LIMITS.signature)  # an earlier ruler separates sections
    match = _SIGNATURE.search(text, len(before[0]) if len(before) > LIMITS.signature else 0)
    return text[: match.start()] if match else text


STRIPPERS = {"headers": strip_headers, "quotes": strip_quotes, "signatures": strip_signature}


def strip_parts(text: str, parts: Iterable[str]) -> str:
    """Return the text without the given mail parts, removed in the order headers, quotes, signatures."""
    for name, stripper in STRIPPERS.items():
        if name in parts:
            text = stripper(text)
    return text


# --- The budget of a run: the expansion of its input, and the time of a document


class Budget:
    """A counter of everything that readers expand: unpacked bytes, characters of cells, rows and pages.

    The allowance is a constant plus a multiple of the bytes of the input. All files of a run share one budget, and the
    members of an archive share that of the archive. Libraries expand only what was counted before.

    Parameters
    ----------
    size : int, default 0
        Bytes of the input before unpacking; a further file adds its own.
    """

    def __init__(self, size: int = 0) -> None:
        self.size, self._taken = size, 0

    def take(self, expanded: int = 0, rows: int = 0) -> None:
        """Count bytes or characters, and rows or pages; raise UnreadableError, and count nothing, beyond the allowance.

        Examples
        --------
        >>> Budget(1_000_000).take(250_000_000)
        >>> Budget().take(rows=1_000_000)
        Traceback (most recent call last):
        outgroup.readers.documents.UnreadableError: unpacks to more than 200 times its size; if you trust the file, \
unpack it first, or save it as .csv
        """
        taken = self._taken + expanded + LIMITS.row * rows
        if taken > LIMITS.unpacked + LIMITS.unpacked_times * self.size:
            raise UnreadableError(
                f"unpacks to more than {LIMITS.unpacked_times} times its size; if you trust the file, unpack it first, "
                "or save it as .csv"
            )
        self._taken = taken


class Deadline:
    """The end of the processor time for one document; a reader checks it between pieces."""

    def __init__(self) -> None:
        self._end = time.thread_time() + LIMITS.seconds

    @property
    def is_over(self) -> bool:
        """Whether the time is over."""
        return time.thread_time() >= self._end

    def check(self) -> None:
        """Raise UnreadableError after the end."""
        if self.is_over:
            raise UnreadableError(f"takes more than {LIMITS.seconds} seconds to read")
