"""How often each stem or phrase occurs in each text, before some of them become the vocabulary."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...types import OnProgress
from .analyze import stem
from .count import Block, Forms, Tokenise, count_blocks, merge_columns, token_blocks
from .phrases import count_phrases
from .select import total_frequency


@dataclass
class Tally:
    """How often each term, a stem or a phrase, occurs in each text, CSR (n, terms); `blocks` are the texts in stems.

    `totals` are how often each of the `forms` occurs in all, and `stems` the stem of each.
    """

    terms: list[str]
    counts: Any
    blocks: list[Block]
    forms: list[str]
    totals: list[int]
    stems: list[str]

    def add(self, phrases: np.ndarray) -> None:
        """Take pairs of stems in as further terms: a blank stands between them, as in no stem."""
        counts = count_phrases(self.blocks, phrases, len(self.terms))
        self.counts = sp.hstack([self.counts, counts], format="csr", dtype=np.int32)
        self.terms = self.terms + [f"{self.terms[first]} {self.terms[second]}" for first, second in phrases.tolist()]


def tallied(
    texts: Iterable[str], tokeniser: Tokenise, dropped: frozenset[str], language: str, *, phrases: bool,
    progress: OnProgress | None,
) -> Tally:  # fmt: skip
    """Count the stems of texts, without the words that are `dropped`; the texts in stems are kept for `phrases`."""
    forms = Forms(dropped)
    blocks: Iterable[Block] = token_blocks(texts, forms, tokeniser, progress)
    if phrases:
        blocks = list(blocks)
    counts = count_blocks(blocks, forms)
    stems = stem(forms.words, language)
    terms = list(dict.fromkeys(stems))
    columns = columns_of(stems, terms)
    named = (forms.words, total_frequency(counts).tolist(), stems)
    numbered = [(_renumbered(words, columns), ends) for words, ends in blocks] if phrases else []
    return Tally(terms, merge_columns(counts, columns, len(terms)), numbered, *named)


def columns_of(stems: list[str], vocabulary: Iterable[str]) -> np.ndarray:
    column_of = {stem: column for column, stem in enumerate(vocabulary)}
    return np.array([column_of.get(stem, -1) for stem in stems], dtype=np.int32)


def _renumbered(words: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return a block's words by their terms; those that were left out stay so."""
    return np.where(words >= 0, columns[words], -1) if len(columns) else words


def known_phrases(terms: list[str], vocabulary: Iterable[str]) -> np.ndarray:
    """Return the phrases of the vocabulary whose words occur, as pairs of numbers of terms, (m, 2)."""
    number_of = {term: number for number, term in enumerate(terms)}
    phrases = [term.split(" ") for term in vocabulary if " " in term]
    known = [[number_of[word] for word in phrase] for phrase in phrases if all(word in number_of for word in phrase)]
    return np.array(known, dtype=np.int64).reshape(-1, 2)


def names_of(forms: list[str], totals: list[int], stems: list[str], vocabulary: dict[str, int]) -> list[str]:
    """Return for each column its most frequent form, the alphabetically first of equals; for a phrase, its words'."""
    parts = {part for term in vocabulary for part in term.split(" ")}
    best: dict[str, tuple[int, str]] = {}
    for count, form, stemmed in zip(totals, forms, stems, strict=True):
        if stemmed in parts:
            best[stemmed] = min(best.get(stemmed, (0, "")), (-count, form))
    return [" ".join(best.get(part, (0, part))[1] for part in term.split(" ")) for term in vocabulary]
