"""Words that new texts hold far more often than earlier ones, whether the vocabulary knows them or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import hypergeom

from ...types import Array, OnProgress
from .select import document_frequency
from .stem_counts import Tally, names_of

_COUNTED = 4000  # texts of either kind: so many tell 1 % from .3 %
_FEWEST = 5  # new texts that hold a word
_SHARE = 0.01  # of the new texts that hold it
_TIMES = 2  # as large as the share of the earlier ones
_CHANCE = 0.01  # that any word is named where nothing differs


@dataclass(frozen=True)
class EmergingWord:
    """A `word` that a share `now` of the new texts holds, and a share `before` of the earlier ones.

    `known` says whether the vocabulary has it, `rows` (m,) are the numbers of counted new texts that hold it.
    """

    word: str
    now: float
    before: float
    known: bool
    rows: Array


def emerging_words(
    texts: Sequence[str], new: Array, vectorizer: Any, *, most: int = 5,
    progress: OnProgress | None = None,
) -> list[EmergingWord]:  # fmt: skip
    """Return at most `most` words that the new ones of n texts hold more often, the most frequent rise first.

    `new` (n,) says which are new. Of either kind at most 4,000 are counted, evenly spread. A word is named where
    so many new texts would hold it by chance once in a hundred collections without a difference (Fisher's exact test,
    Bonferroni's bound over all words), and their share is twice the earlier ones' or more.
    """
    earlier, later = (_spread(np.flatnonzero(new == kind)) for kind in (False, True))
    if len(later) < _FEWEST or not len(earlier):
        return []
    tally: Tally = vectorizer.analyser.tally((texts[row] for row in (*earlier, *later)), progress=progress)
    then, now = tally.counts[: len(earlier)], tally.counts[len(earlier) :]
    before, after = document_frequency(then), document_frequency(now)
    columns = _risen(before, after, len(earlier), len(later))[:most]
    terms = [tally.terms[column] for column in columns]
    return [
        EmergingWord(
            name,
            after[column] / len(later),
            before[column] / len(earlier),
            term in vectorizer.vocabulary_,
            later[now[:, [column]].nonzero()[0]],
        )
        for name, term, column in zip(_named(tally, terms), terms, columns, strict=True)
    ]


def _named(tally: Tally, terms: list[str]) -> list[str]:
    return names_of(tally.forms, tally.totals, tally.stems, dict.fromkeys(terms, 0))


def _spread(rows: Array) -> Array:
    """Return at most so many of these numbers as are counted, evenly spread."""
    return rows[np.linspace(0, len(rows) - 1, min(_COUNTED, len(rows))).astype(int)]


def _risen(before: Array, now: Array, earlier: int, later: int) -> Array:
    """Return the columns whose share rose beyond chance, the largest rise first."""
    rise = now / later - before / earlier
    enough = max(_FEWEST, _SHARE * later)
    often = np.flatnonzero((now >= enough) & (now / later >= _TIMES * before / earlier))
    chance = hypergeom.sf(now[often] - 1, earlier + later, before[often] + now[often], later)
    risen = often[chance * len(now) <= _CHANCE]
    return risen[np.argsort(-rise[risen], kind="stable")]
