"""Which language texts seem to be in: the one whose function words they hold most of."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache

from .analyze import tokenise
from .languages import LANGUAGES, UNSPACED, VARIANTS, stop_words

LOOKED_AT = 500
"""Texts that are looked at."""

_LETTERS = 2_000  # of each
_LEAST = 0.1  # of a text's words carry grammar in any language; in lines that machines write one does by chance
_DIFFERENT = 5  # function words in texts of a language; lines that machines write repeat a few


def likely_languages(texts: Sequence[str]) -> dict[str, float]:
    """Return the share of the texts that seem to be in each language, to a hundredth, the largest first.

    A text speaks for the language with most of its words among the function words, where one has more than any other
    and they are a tenth of its words, else for none. Texts that speak for a language hold five different ones, or as
    many as they are. Scripts without blanks need no language.

    Examples
    --------
    >>> likely_languages(["Wo ist der Zug nach Berlin?", "Die Suppe ist noch nicht warm.", "Is the soup on the table?"])
    {'german': 0.67, 'english': 0.33}
    """
    drawn = texts[:: max(1, len(texts) // LOOKED_AT)]
    found, words = Counter[str](), defaultdict[str, set[str]](set)
    for language, spoken in filter(None, (_likely(text[:_LETTERS]) for text in drawn)):
        found[language] += 1
        words[language] |= spoken
    enough = [(name, count) for name, count in found.most_common() if len(words[name]) >= min(_DIFFERENT, count)]
    return {name: round(count / len(drawn), 2) for name, count in enough}


def _likely(text: str) -> tuple[str, set[str]] | None:
    """Return the language that a text speaks for, and the function words that do; None for no language."""
    words, known = tokenise(text, numbers=True, shortest=1), _known()  # the letter of "t5" is no word
    spoken = Counter(language for word in words for language in known.get(word, ()))
    (first, most), (_, next_most), *_ = [*spoken.most_common(2), ("", 0), ("", 0)]
    if most <= max(next_most, _LEAST * len(words)):
        return None
    return first, {word for word in words if first in known.get(word, ())}


@cache
def _known() -> dict[str, list[str]]:
    """Return the languages of each function word; the letters from a to z, which some lists hold, are code."""
    found = defaultdict(list)
    for language in LANGUAGES:
        if language not in (*UNSPACED, *VARIANTS):
            for word in stop_words(language):
                if len(word) > 1 or not word.isascii():
                    found[word].append(language)
    return found
