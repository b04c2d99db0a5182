"""The documents of a version, in pages: rows of a list, one document, and what a search finds, a part at a time."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from time import perf_counter
from typing import Any

import numpy as np

from ..errors import InputError
from ..report.documents import cells
from ..report.documents.reader import Reader
from ..types import Array

_MOST = 500  # rows of a page
_LONGEST = 200  # letters that are looked for
_SECONDS = 0.04  # a search answers after so long with what it found, and where to go on
_OFTEN = 255  # times that a text is counted in a document
_AT_ONCE = 512  # documents between two looks at the clock

Data = dict[str, Any]


@dataclass(frozen=True)
class Picked:
    """Some `rows` of a column, which is not copied for them.

    >>> Picked(["a", "b", "c"], [0, 2])[1]
    'c'
    """

    column: Sequence[str]
    rows: Sequence[int]

    def __getitem__(self, row: int) -> str:
        return self.column[self.rows[row]]


class Pages:
    """What a page asks for of n documents, each by its row number; what it asks is checked, and raises InputError.

    Parameters
    ----------
    reader : Reader
    fields : mapping of name to n str
        Further columns, to filter by.
    others : mapping of name to n str, default none
        Columns that only an opened document shows.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from outgroup.report.inputs import Clustering
    >>> from outgroup.report.documents.reader import reader_of
    >>> reader = reader_of(Clustering(sp.eye(2, format="csr"), np.array([0, 1]), np.eye(2), np.eye(2), ["tea", "car"],
    ...                             ["a", "b"], ["", ""], ["Tea, hot", "a car"]))
    >>> pages = Pages(reader, {})
    >>> [row["title"] for row in pages.rows([1], ["a"])]
    ['a car', 'Tea, hot']
    >>> pages.find("tea", more=1, start=0)["to"]
    2
    """

    def __init__(
        self,
        reader: Reader,
        fields: Mapping[str, Sequence[str]],
        others: Mapping[str, Sequence[str] | Picked] | None = None,
    ) -> None:
        self._reader, self._fields, self._others = reader, fields, others or {}
        self._row_of = dict[str, int]()

    def __len__(self) -> int:
        return len(self._reader.look.ids)

    def rows(self, rows: Iterable[Any], ids: Iterable[Any] = ()) -> list[Data]:
        """Return what lists show of some documents, by number and by id; an id that there is not is left out."""
        wanted = [*rows]
        self._check(wanted)
        found = (self.row_of(identity) for identity in ids)
        every = list(dict.fromkeys([*wanted, *(row for row in found if row is not None)]))
        if len(every) > _MOST:
            raise InputError(f"a page has {_MOST} documents at most, not {len(every)}")
        return [self._reader.row(row) for row in every]

    def row_of(self, identity: Any) -> int | None:
        """Return the row of the document of this id, or None."""
        if not self._row_of:
            self._row_of = {str(each): row for row, each in enumerate(self._reader.look.ids)}
        return self._row_of.get(identity) if isinstance(identity, str) else None

    def document(self, row: Any) -> Data:
        """Return all that is known of one document."""
        self._check([row])
        fields = [[name, values[row]] for name, values in self._fields.items() if values[row]]
        others = [[name, cells.shown(values[row])] for name, values in self._others.items() if values[row].strip()]
        return self._reader.document(row) | {"fields": fields, "others": others}

    def find(self, text: Any, more: Any, start: Any) -> Data:
        """Return which documents from `start` on hold a text, as far as one gets in a moment.

        With `more` >= 0 it is the beginning of a word that goes on by that many letters at most; with -1 it may stand
        anywhere. The answer has `hits`, a bit for each document from `start` up to `to`, and `often`, a byte for each
        hit: how often it holds the text, both in base64.
        """
        pattern = _pattern(text, more)
        if not isinstance(start, int) or not 0 <= start <= len(self):
            raise InputError(f"there is no document {start!r:.40}; there are {len(self)}")
        found, until = list[int](), perf_counter() + _SECONDS
        for counts in self._holding(text.lower(), pattern, start):
            found += counts
            if perf_counter() > until:
                break
        often = np.array(found, dtype=np.uint8)
        hits = np.packbits(often > 0, bitorder="little")
        return {"hits": _packed(hits), "often": _packed(often[often > 0]), "to": start + len(found)}

    def _holding(self, piece: str, pattern: re.Pattern[str], start: int) -> Iterator[list[int]]:
        """Yield for some documents at a time how often they hold it, in title, text and id.

        A pattern is slow, and is asked only where its `piece` is at all.
        """
        look = self._reader.look
        for first in range(start, len(self), _AT_ONCE):
            part = slice(first, first + _AT_ONCE)
            every = zip(look.titles[part], look.texts[part], look.ids[part], strict=True)
            whole = (f"{title or ''}\n{text}\n{identity}".lower() for title, text, identity in every)
            yield [sum(1 for _ in islice(pattern.finditer(each), _OFTEN)) if piece in each else 0 for each in whole]

    def _check(self, rows: Sequence[Any]) -> None:
        for row in rows:
            if not isinstance(row, int) or not 0 <= row < len(self):
                raise InputError(f"there is no document {row!r:.40}; there are {len(self)}")


def _packed(array: Array) -> str:
    return base64.b64encode(array.tobytes()).decode("ascii")


def _pattern(text: Any, more: Any) -> re.Pattern[str]:
    if not isinstance(text, str) or not 0 < len(text) <= _LONGEST:
        raise InputError(f"look for 1 to {_LONGEST} letters")
    if not isinstance(more, int) or not -1 <= more <= _LONGEST:
        raise InputError(f"{more!r:.40} is no number of letters")
    piece = re.escape(text.lower())
    return re.compile(piece if more < 0 else rf"(?<!\w){piece}\w{{0,{more}}}(?!\w)")
