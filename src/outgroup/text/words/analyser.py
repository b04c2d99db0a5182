"""How words are taken out of texts: plain values, which another process is sent without any estimator."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from ...types import OnProgress
from .analyze import stop_words, tokenise
from .count import Tokenise
from .segment import segmenter
from .stem_counts import Tally, tallied
from .unspaced_scripts import pairs


@dataclass(frozen=True)
class Analyser:
    """The parameters of a `Vectorizer` that say what a word is, and which are left out."""

    language: str
    stop_words: Any
    keep_numbers: bool
    min_length: int
    segmentation: str

    def tally(self, texts: Iterable[str], *, phrases: bool = False, progress: OnProgress | None = None) -> Tally:
        """Count the stems of texts."""
        tokeniser, dropped = self._analyser()
        return tallied(texts, tokeniser, dropped, self.language, phrases=phrases, progress=progress)

    def count(self, texts: Iterable[str]) -> tuple[list[str], Any, list[str], list[int]]:
        """Return the words of a block of texts as `Seen.add` takes them."""
        tally = self.tally(texts)
        return tally.terms, tally.counts, tally.forms, tally.totals

    def leaves_out(self, word: str) -> bool:
        """Whether a word is one of those that are left out, the stop words.

        >>> english = Analyser("english", "auto", False, 2, "pairs")
        >>> english.leaves_out("The"), english.leaves_out("tea")
        (True, False)
        """
        tokeniser, dropped = self._analyser()
        words = list(tokeniser(word))
        return bool(words) and dropped.issuperset(words)

    def _analyser(self) -> tuple[Tokenise, frozenset[str]]:
        """Return what makes words of a text, and the words that are left out."""
        cut = segmenter(self.language) if self.segmentation == "words" else pairs
        tokeniser = partial(tokenise, numbers=self.keep_numbers, shortest=self.min_length, cut=cut)
        if self.stop_words is None:
            return tokeniser, frozenset()
        own = isinstance(self.stop_words, str)
        return tokeniser, stop_words(self.language, cut) if own else frozenset(self.stop_words)
