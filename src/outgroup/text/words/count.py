"""Count the words of many texts without ever holding all of their tokens."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sized
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...errors import InputError
from ...stopping import stop_if_asked
from ...types import OnProgress
from ..as_texts import is_table, refuse_unordered
from .analyze import pieces, tokenise

Tokenise = Callable[[str], list[str]]
Block = tuple[np.ndarray, np.ndarray]
"""Words by number, a negative one for a word left out, (m,) int32; and where each text ends in them, (n,) int64."""


_TOKENS_AT_ONCE = 1 << 20
_REPORT_EVERY = 256


class Forms(dict[str, int]):
    """Numbers word forms in order of appearance; a dropped form has the number -1.

    A dictionary fills itself through `__missing__`, so that Python runs once a distinct form and never once a token.
    """

    def __init__(self, dropped: Iterable[str]) -> None:
        super().__init__(dict.fromkeys(dropped, -1))
        self.words: list[str] = []

    def __missing__(self, form: str) -> int:
        number = self[form] = len(self.words)
        self.words.append(form)
        return number


def count_blocks(blocks: Iterable[Block], forms: Forms) -> Any:
    """Return how often each of the forms occurs in each text, CSR of int32 (texts, forms): indices sorted, once each.

    The blocks are those of `token_blocks`, which fill the forms.

    >>> forms = Forms(["the"])
    >>> count_blocks(token_blocks(["a tree, the tree", "the forest"], forms), forms).toarray().tolist(), forms.words
    ([[2, 0], [0, 1]], ['tree', 'forest'])
    """
    counted = [_count_block(*block) for block in blocks]
    for block in counted:  # forms that came later widen the earlier blocks
        block.resize((block.shape[0], len(forms.words)))
    return sp.vstack(counted, format="csr") if counted else sp.csr_matrix((0, 0), dtype=np.int32)


def merge_columns(counts: Any, column_of: np.ndarray, width: int) -> Any:
    """Add up the columns that become one; those with a negative target are dropped.

    Parameters
    ----------
    counts : CSR matrix, shape (n, m)
    column_of : array of int, shape (m,)
        The new column of each old one, or a negative number.
    width : int
        How many new columns there are.

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
    if is_table(texts):  # its items would be the columns' names
        raise InputError(f"expected a list of texts, got a {type(texts).__name__}: give one of its columns")
    refuse_unordered(texts, "texts")
    total = len(texts) if isinstance(texts, Sized) else None
    number = 0
    for number, text in enumerate(texts, start=1):
        yield text if isinstance(text, str) else _unwrapped(text, f"texts[{number - 1}]")
        if number % _REPORT_EVERY == 0:
            stop_if_asked()
            if progress:
                progress(number, total)
    if progress:
        progress(number, total)


def _unwrapped(value: Any, place: str) -> str:
    """Return the text that a scalar of pyarrow holds; raises InputError for whatever holds none."""
    held = value.as_py() if hasattr(value, "as_py") else value
    if not isinstance(held, str):
        raise InputError(
            f"{place} is {held!r:.60}, of type {type(held).__name__}, not a string; leave it out, or give '' for it"
        )
    return held


def token_blocks(
    texts: Iterable[str], forms: Forms, tokenise: Tokenise = tokenise, progress: OnProgress | None = None
) -> Iterator[Block]:
    """Yield the words of the texts by their numbers among the forms, which take in new ones; a million at a time.

    Each text is read once; `progress` hears of them, and of how many there are, None where `texts` does not tell.
    Raises InputError for a single string, and for a text that is no string.
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
    """Return which entries stay, and where each row ends once the others are gone."""
    kept = columns >= 0
    return kept, ends - np.searchsorted(np.flatnonzero(~kept), ends)
