"""Which language texts seem to be in: the one whose function words they hold most of."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache

from .analyze import tokenise
from .languages import LANGUAGES, UNSPACED, VARIANTS, stop_words

_TEXTS, _LETTERS = 500, 2_000  # texts that are looked at, and letters of each


def likely_languages(texts: Sequence[str]) -> dict[str, float]:
    """Return the share of the texts that seem to be in each language, to a hundredth, the largest first.

    A text speaks for the language with most of its words among the function words, where one has more than any other,
    else for none. Scripts without blanks need no language.

    Examples
    --------
    >>> likely_languages(["Wo ist der Zug nach Berlin?", "Die Suppe ist noch nicht warm.", "Is the soup on the table?"])
    {'german': 0.67, 'english': 0.33}
    """
    step = max(1, len(texts) // _TEXTS)
    found = Counter(filter(None, (_likely(text[:_LETTERS]) for text in texts[::step])))
    return {name: round(count / len(texts[::step]), 2) for name, count in found.most_common()}


def _likely(text: str) -> str | None:
    spoken, known = Counter[str](), _known()
    for word in tokenise(text, numbers=True, shortest=1):  # the letter of "t5" is no word
        spoken.update(known.get(word, ()))
    (first, most), (_, next_most), *_ = [*spoken.most_common(2), ("", 0), ("", 0)]
    return first if most > next_most else None


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
