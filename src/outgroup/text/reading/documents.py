"""One document as read, or why it was not; and the limit that keeps memory bounded."""

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
    """

    where: str
    reason: str
    row: int | None = field(default=0, compare=False)


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
