"""Count words, phrases and stems in blocks of texts."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import chdtri, xlogy

from ..errors import InputError
from ..stopping import stop_if_asked
from ..types import Array, OnProgress
from .texts import is_table, refuse_unordered
from .tokenizer import pairs, pieces, segmenter, stem, stop_words, tokenise
from .vocabulary import total_frequency

# --- Counts of words in blocks of tokens

Tokenise = Callable[[str], list[str]]
Block = tuple[np.ndarray, np.ndarray]
"""Word numbers, negative for a dropped word, (m,) int32; and the end of each text in them, (n,) int64."""


_TOKENS_AT_ONCE = 1 << 20


class Forms(dict[str, int]):
    """An index of word forms in order of appearance; dropped forms have index -1.

    `__missing__` fills the dictionary, so Python code runs once per distinct form, not once per token.
    """

    def __init__(self, dropped: Iterable[str]) -> None:
        super().__init__(dict.fromkeys(dropped, -1))
        self.words: list[str] = []

    def __missing__(self, form: str) -> int:
        number = self[form] = len(self.words)
        self.words.append(form)
        return number


def count_blocks(blocks: Iterable[Block], forms: Forms) -> Any:
    """Return the count of each form in each text, CSR int32 (texts, forms), with sorted, unique indices.

    The blocks come from `token_blocks`, which fill the forms.

    >>> forms = Forms(["the"])
    >>> count_blocks(token_blocks(["a tree, the tree", "the forest"], forms), forms).toarray().tolist(), forms.words
    ([[2, 0], [0, 1]], ['tree', 'forest'])
    """
    counted = [_count_block(*block) for block in blocks]
    for block in counted:  # later forms widen the earlier blocks
        block.resize((block.shape[0], len(forms.words)))
    return sp.vstack(counted, format="csr") if counted else sp.csr_matrix((0, 0), dtype=np.int32)


def merge_columns(counts: Any, column_of: np.ndarray, width: int) -> Any:
    """Sum columns with the same target index; drop those with a negative one.

    Parameters
    ----------
    counts : CSR matrix, shape (n, m)
    column_of : array of int, shape (m,)
        The target of each column, or a negative number.
    width : int
        The number of target columns.

    Returns
    -------
    CSR matrix of the same dtype, shape (n, width), indices sorted.

    Examples
    --------
    >>> merge_columns(sp.csr_matrix([[1, 2, 4]]), np.array([1, -1, 1]), 2).toarray().tolist()
    [[0, 5]]
    """
    columns = np.asarray(column_of, dtype=np.int32)[counts.indices]
    kept, ends = _without_negative(columns, counts.indptr[1:])
    starts = np.concatenate([[0], ends]).astype(counts.indptr.dtype)
    merged = sp.csr_matrix((counts.data[kept], columns[kept], starts), shape=(counts.shape[0], width))
    merged.sum_duplicates()
    return merged


def _checked(texts: Iterable[str], progress: OnProgress | None) -> Iterator[str]:
    if isinstance(texts, str | bytes):
        raise InputError(f"expected a list of texts, got a single {type(texts).__name__}: put it into a list")
    if is_table(texts):  # iteration would give column names
        raise InputError(f"expected a list of texts, got a {type(texts).__name__}: give one of its columns")
    refuse_unordered(texts, "texts")
    total = len(texts) if isinstance(texts, Sized) else None
    number = 0
    for number, text in enumerate(texts, start=1):
        yield text if isinstance(text, str) else _unwrapped(text, f"texts[{number - 1}]")
        if number % 256 == 0:
            stop_if_asked()
            if progress:
                progress(number, total)
    if progress:
        progress(number, total)


def _unwrapped(value: Any, place: str) -> str:
    """Return the text of a pyarrow scalar; raise InputError for other values."""
    held = value.as_py() if hasattr(value, "as_py") else value
    if not isinstance(held, str):
        raise InputError(
            f"{place} is {held!r:.60}, of type {type(held).__name__}, not a string: remove it, or replace it by ''"
        )
    return held


def token_blocks(
    texts: Iterable[str], forms: Forms, tokenise: Tokenise = tokenise, progress: OnProgress | None = None
) -> Iterator[Block]:
    """Yield blocks of about a million word indices; new words are added to `forms`.

    Reads each text once; calls `progress` with the number of texts done and the total, None if `texts` has no length.
    Raises InputError for a single string, and for an item that is not a string.
    """
    numbers, ends = array("i"), array("q")
    number_of = forms.__getitem__
    for text in _checked(texts, progress):
        for piece in pieces(text):
            numbers.extend(map(number_of, tokenise(piece)))
        ends.append(len(numbers))
        if len(numbers) >= _TOKENS_AT_ONCE:
            yield _as_arrays(numbers, ends)
            numbers, ends = array("i"), array("q")
    if ends:
        yield _as_arrays(numbers, ends)


def _as_arrays(numbers: array[int], ends: array[int]) -> Block:
    words = np.frombuffer(numbers, dtype=np.int32) if numbers else np.empty(0, dtype=np.int32)
    return words, np.frombuffer(ends, dtype=np.int64)


def _count_block(forms: np.ndarray, ends: np.ndarray) -> Any:
    kept, stops = _without_negative(forms, ends)
    forms = forms[kept]
    starts = np.concatenate([[0], stops])
    width = int(forms.max(initial=-1)) + 1
    block = sp.csr_matrix((np.ones(len(forms), dtype=np.int32), forms, starts), shape=(len(ends), width))
    block.sum_duplicates()
    return block


def _without_negative(columns: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the mask of nonnegative entries, and the end of each row among them."""
    kept = columns >= 0
    return kept, ends - np.searchsorted(np.flatnonzero(~kept), ends)


# --- Phrases: pairs of adjacent words that are more frequent than chance ("credit card")


def find_phrases(blocks: Sequence[Block], n_words: int, fewest: int) -> Array:
    """Return adjacent word pairs that occur more often than by chance, (m, 2) int64, ascending.

    A pair must occur `fewest` times, more often than expected, and with a log-likelihood ratio (Dunning,
    Computational Linguistics 19(1), 1993) that is significant at 0.001 over all pairs tried (Bonferroni).

    Parameters
    ----------
    blocks : sequence of `Block`
    n_words : int
    fewest : int >= 1

    Examples
    --------
    >>> words = np.array([0, 1, 2, 0, 1, 3, 0, 1] * 20)
    >>> find_phrases([(words, np.array([160]))], 4, 2).tolist()
    [[0, 1], [1, 2], [1, 3], [2, 0], [3, 0]]
    """
    counted = [np.unique(_keys(block, n_words)[1], return_counts=True) for block in blocks]
    if not counted:
        return np.empty((0, 2), dtype=np.int64)
    keys, where = np.unique(np.concatenate([keys for keys, _ in counted]), return_inverse=True)
    together = np.bincount(where, weights=np.concatenate([count for _, count in counted]), minlength=len(keys))
    first = np.bincount(keys // n_words, weights=together, minlength=n_words)
    second = np.bincount(keys % n_words, weights=together, minlength=n_words)
    often = together >= fewest
    keys, both = keys[often], together[often]
    kept = _more_than_chance(both, first[keys // n_words], second[keys % n_words], float(together.sum()))
    return np.column_stack([keys[kept] // n_words, keys[kept] % n_words])


def count_phrases(blocks: Sequence[Block], phrases: Array, n_words: int) -> Any:
    """Return the count of each phrase in each text, CSR int32 (n, m)."""
    wanted = phrases[:, 0] * n_words + phrases[:, 1]
    order = np.argsort(wanted)
    counts = [_count(block, wanted[order], n_words) for block in blocks]
    if not counts:
        return sp.csr_matrix((0, len(phrases)), dtype=np.int32)
    return sp.csr_matrix(sp.vstack(counts, format="csr")[:, np.argsort(order)])


def _keys(block: Block, n_words: int) -> tuple[Array, Array]:
    """Return the text and the key of each adjacent word pair; pairs with dropped words are left out."""
    words, ends = block[0].astype(np.int64), block[1]
    text = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
    inside = (words[:-1] >= 0) & (words[1:] >= 0) & (text[:-1] == text[1:])
    return text[:-1][inside], (words[:-1] * n_words + words[1:])[inside]


def _more_than_chance(both: Array, first: Array, second: Array, total: float) -> Array:
    """Return the mask of phrases, from the counts of each pair and of its words as first and second."""
    seen = np.stack([both, first - both, second - both, total - first - second + both])
    others = total - first, total - second
    expected = np.stack([first * second, first * others[1], others[0] * second, others[0] * others[1]])
    expected = expected / max(total, 1.0)
    ratio = 2 * (xlogy(seen, seen) - xlogy(seen, np.maximum(expected, 1e-300))).sum(axis=0)
    return (both > expected[0]) & (ratio > chdtri(1, 0.001 / max(len(both), 1)))


def _count(block: Block, wanted: Array, n_words: int) -> Any:
    texts, keys = _keys(block, n_words)
    place = np.minimum(np.searchsorted(wanted, keys), max(len(wanted) - 1, 0))
    found = wanted[place] == keys if len(wanted) else np.zeros(len(keys), dtype=bool)
    shape = (len(block[1]), len(wanted))
    ones = np.ones(int(found.sum()), dtype=np.int32)
    counts = sp.csr_matrix((ones, (texts[found], place[found])), shape=shape)
    counts.sum_duplicates()
    return counts


# --- Counts of stems and phrases, before selection


@dataclass
class Tally:
    """The counts of each term (stem or phrase) in each text, CSR (n, terms); `blocks` are the texts as stems.

    `totals` are the total counts of the `forms`, and `stems` their stems.
    """

    terms: list[str]
    counts: Any
    blocks: list[Block]
    forms: list[str]
    totals: list[int]
    stems: list[str]

    def add(self, phrases: np.ndarray) -> None:
        """Append pairs of stems as terms, joined by a space, which stems do not contain."""
        counts = count_phrases(self.blocks, phrases, len(self.terms))
        self.counts = sp.hstack([self.counts, counts], format="csr", dtype=np.int32)
        self.terms = self.terms + [f"{self.terms[first]} {self.terms[second]}" for first, second in phrases.tolist()]


def columns_of(stems: list[str], vocabulary: Iterable[str]) -> np.ndarray:
    column_of = {stem: column for column, stem in enumerate(vocabulary)}
    return np.array([column_of.get(stem, -1) for stem in stems], dtype=np.int32)


def known_phrases(terms: list[str], vocabulary: Iterable[str]) -> np.ndarray:
    """Return the phrases of the vocabulary that consist of terms, as pairs of term indices, (m, 2)."""
    number_of = {term: number for number, term in enumerate(terms)}
    phrases = [term.split(" ") for term in vocabulary if " " in term]
    known = [[number_of[word] for word in phrase] for phrase in phrases if all(word in number_of for word in phrase)]
    return np.array(known, dtype=np.int64).reshape(-1, 2)


def names_of(forms: list[str], totals: list[int], stems: list[str], vocabulary: dict[str, int]) -> list[str]:
    """Return the most frequent word form of each column; for a phrase, the form of each word; ties by alphabet."""
    parts = {part for term in vocabulary for part in term.split(" ")}
    best: dict[str, tuple[int, str]] = {}
    for count, form, stemmed in zip(totals, forms, stems, strict=True):
        if stemmed in parts:
            best[stemmed] = min(best.get(stemmed, (0, "")), (-count, form))
    return [" ".join(best.get(part, (0, part))[1] for part in term.split(" ")) for term in vocabulary]


# --- Parameters of tokenisation, cheap to send to another process


@dataclass(frozen=True)
class Analyser:
    """The parameters of a `Vectorizer` for tokens and stop words."""

    language: str = "english"
    stop_words: Any = "auto"
    keep_numbers: bool = False
    min_length: int = 2
    segmentation: str = "pairs"

    def tally(self, texts: Iterable[str], *, phrases: bool = False, progress: OnProgress | None = None) -> Tally:
        """Count the stems of texts without stop words; `phrases` also keeps the texts as stems."""
        tokeniser, dropped = self._analyser()
        forms = Forms(dropped)
        blocks: Iterable[Block] = token_blocks(texts, forms, tokeniser, progress)
        if phrases:
            blocks = list(blocks)
        counts = count_blocks(blocks, forms)
        stems = stem(forms.words, self.language)
        terms = list(dict.fromkeys(stems))
        columns = columns_of(stems, terms)
        numbered = []
        if phrases:  # as numbers of terms; dropped words stay negative
            numbered = [(np.where(words >= 0, np.append(columns, -1)[words], -1), ends) for words, ends in blocks]
        totals = total_frequency(counts).tolist()
        return Tally(terms, merge_columns(counts, columns, len(terms)), numbered, forms.words, totals, stems)

    def count(self, texts: Iterable[str]) -> tuple[list[str], Any, list[str], list[int]]:
        """Count the words of a block of texts; return the arguments of `Seen.add`."""
        tally = self.tally(texts)
        return tally.terms, tally.counts, tally.forms, tally.totals

    def leaves_out(self, word: str) -> bool:
        """Return whether a word is a stop word.

        >>> english = Analyser("english", "auto", False, 2, "pairs")
        >>> english.leaves_out("The"), english.leaves_out("tea")
        (True, False)
        """
        tokeniser, dropped = self._analyser()
        words = list(tokeniser(word))
        return bool(words) and dropped.issuperset(words)

    def cut(self) -> Callable[[str], list[str]]:
        """Return a function that splits a run of letters in a script without spaces."""
        return segmenter(self.language) if self.segmentation == "words" else pairs

    def dropped(self) -> frozenset[str]:
        """Return the stop words."""
        if self.stop_words is None:
            return frozenset()
        own = isinstance(self.stop_words, str)
        return stop_words(self.language, self.cut()) if own else frozenset(self.stop_words)

    def _analyser(self) -> tuple[Tokenise, frozenset[str]]:
        """Return the tokeniser and the stop words."""
        tokeniser = partial(tokenise, numbers=self.keep_numbers, shortest=self.min_length, cut=self.cut())
        return tokeniser, self.dropped()
