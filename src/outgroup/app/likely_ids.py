"""Which column of a table would tell documents from each other, where nobody said."""

from __future__ import annotations

import re

from ..text.reading.documents import Corpus

_FEWEST = 20  # documents: of fewer, values differ by chance
_ID = re.compile(r"(?=[^0-9]*[0-9])[\w#/-]{1,64}")  # a number or a code, and no amount, time or text
_DAY = re.compile(r"[0-9]{2,4}[/-][0-9]{1,2}[/-][0-9]{1,4}")


def likely_ids(corpus: Corpus) -> str | None:
    """Return the first column whose values are numbers or codes, another one for each document; None: there is none.

    >>> codes = [f"T-{number}" for number in range(20)]
    >>> likely_ids(Corpus(codes, codes, codes, columns={"stars": ["5"] * 20, "Ticket": codes}))
    'Ticket'
    """
    return next((name for name, values in corpus.columns.items() if _are_ids(values)), None)


def _are_ids(values: list[str]) -> bool:
    if len(values) < _FEWEST or len(set(values)) < len(values):
        return False
    return all(_ID.fullmatch(value) and not _DAY.fullmatch(value) for value in values)
