"""Documents as read, or why one was not, a collection of them in memory, and the limits that keep that bounded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

LONGEST_DOCUMENT = 50_000_000
"""Bytes of a file, or characters of a line or cell: a longer document is skipped by name, never loaded."""


LONGEST_CELL = 32_767
"""Characters of a column that is kept beside the text, as in a spreadsheet: a longer value is cut."""

MOST_DOCUMENTS = 10_000_000
"""Documents of one input, those that are skipped included."""

LARGEST_TEXTS = 4_000_000_000
"""Characters of all texts together: what is larger needs another way than one list in memory."""

MOST_COLUMNS = 100
"""Columns kept beside the text; a table of more is named."""


NEEDS_IO = "needs pip install 'outgroup[io]'"
TOO_LONG = f"longer than {LONGEST_DOCUMENT // 1_000_000} million characters, too long for one document"


class UnreadableError(Exception):
    """A file is not what its name says, or cannot be opened; the message says why, in plain words."""


@dataclass(frozen=True, slots=True)
class Skip:
    """A document that was left out.

    Parameters
    ----------
    where : str
        Its path in the folder, its id, or its line. It comes from the input: escape it wherever it is shown.
    reason : str
        Why, in plain words.
    row : int or None
        Its number among all documents of the input, from 0; None for what is no document, such as a closed folder.
    columns : mapping of str to str
        The other fields of a record without a text, as texts.
    """

    where: str
    reason: str
    row: int | None = field(default=0, compare=False)
    columns: Mapping[str, str] = field(default_factory=dict, compare=False)


class Document(NamedTuple):
    """A document as it stands in its source: `label` is None where it has none; `where` names it when it is skipped.

    `head` stands before the text and is never stripped: a title, a subject. `columns` are all other fields, as texts.
    `html` says whether tags were taken out of its fields, `guessed` whether its encoding is a guess. (A tuple takes a
    third of the time to make.)
    """

    where: str
    id: str
    text: str
    title: str
    label: str | None
    head: str = ""
    columns: Mapping[str, str] = MappingProxyType({})
    html: bool = False
    guessed: bool = False

    @property
    def is_blank(self) -> bool:
        """Whether neither head nor text has a sign that is no blank."""
        return (not self.text or self.text.isspace()) and (not self.head or self.head.isspace())

    @property
    def whole(self) -> str:
        """Head and text, with an empty line between; a head that the text repeats at its beginning stands once."""
        if not self.head.strip() or self.text.lstrip().startswith(self.head.strip()):
            return self.text
        return f"{self.head}\n\n{self.text}" if self.text.strip() else self.head


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
    by_place : bool, default False
        Whether the ids are numbers of lines or rows, since the records have none of their own.

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
