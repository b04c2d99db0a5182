"""Words out of text: tokenise and stem. Pure functions that know no corpus."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator

import snowballstemmer

from . import languages
from .languages import language_names
from .unspaced_scripts import MARKS, UNSPACED, pairs, runs

# Everything in ASCII that is no letter becomes a blank, and letters become lower case, in one pass over the text.
_ASCII_WORDS = {code: chr(code).lower() if chr(code).isalpha() else " " for code in range(128)}
_ASCII_NUMBERS = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}

_WORD = re.compile(rf"[^\W\d_]+(?:[{MARKS}]+[^\W\d_]*)*")
_WORD_OR_NUMBER = re.compile(rf"[^\W_]+(?:[{MARKS}]+[^\W_]*)*")

_PIECE = 1 << 20  # signs of a text that are taken apart at once; the compatible form of one sign may have eighteen
_BLANK = re.compile(r"\s")


def tokenise(
    text: str, *, numbers: bool = False, shortest: int = 2, cut: Callable[[str], list[str]] = pairs
) -> list[str]:
    """Return the words of a text in order: runs of letters of any script, in lower case.

    Parameters
    ----------
    text : str
        Any text. Digits, underscores, apostrophes and all other signs separate words.
    numbers : bool, default False
        Whether digits are letters, too: "mp3" and "2024" are words then.
    shortest : int >= 1, default 2
        The fewest letters of a word.
    cut : callable, default `pairs`
        What takes a run of letters of a script without blanks (Chinese, Japanese, Thai, Khmer, Lao, Burmese) apart: by
        default into overlapping pairs of signs, whatever `shortest` is.

    Returns
    -------
    list of str

    Examples
    --------
    >>> tokenise("Über 3 naïve users' e-mails, déjà_vu")
    ['über', 'naïve', 'users', 'mails', 'déjà', 'vu']
    >>> tokenise("東京の iPhone 15", numbers=True)
    ['東京', '京の', 'iphone', '15']
    """
    if text.isascii():  # three times as fast as the expression, and nearly all text in English is ASCII
        return [
            word
            for word in text.translate(_ASCII_NUMBERS if numbers else _ASCII_WORDS).split()
            if len(word) >= shortest
        ]
    # The compatible form has one sign for an accented letter, two for a ligature, and plain digits for raised ones.
    text = unicodedata.normalize("NFKC", text).lower()
    words = (_WORD_OR_NUMBER if numbers else _WORD).findall(text)
    if UNSPACED.search(text):
        return [part for word in words for part in _taken_apart(word, shortest, cut)]
    return [word for word in words if len(word) >= shortest]


def _taken_apart(word: str, shortest: int, cut: Callable[[str], list[str]]) -> Iterator[str]:
    for piece, unspaced in runs(word):
        if unspaced:
            yield from cut(piece)
        elif len(piece) >= shortest:
            yield piece


def pieces(text: str) -> Iterator[str]:
    """Yield a text in pieces that can be tokenised one by one in bounded memory; only a long one is cut, at a blank.

    Examples
    --------
    >>> list(pieces("tea and milk"))
    ['tea and milk']
    """
    start = 0
    while len(text) - start > _PIECE:
        blank = _BLANK.search(text, start + _PIECE, start + 2 * _PIECE)
        end = blank.start() if blank else min(start + 2 * _PIECE, len(text))
        yield text[start:end]
        start = end
    yield text[start:]


def stop_words(language: str, cut: Callable[[str], list[str]] = pairs) -> frozenset[str]:
    """Return the function words of a language, or of several, as `tokenise` gives them, and shorter ones whole.

    Parameters
    ----------
    language : str
        Names or codes that `languages.language_names` knows.
    cut : callable, default `pairs`
        As for `tokenise`.

    Raises
    ------
    InputError
        The language is unknown.

    Examples
    --------
    >>> "the" in stop_words("english"), "engine" in stop_words("english"), "и" in stop_words("ru")
    (True, False, True)
    """
    listed = languages.stop_words(language)
    tokens = (tokenise(word, shortest=1, cut=cut) for word in listed)
    # A long word of a script without blanks is no word: its pairs occur in others, too.
    return frozenset(word for words in tokens for word in words if len(words) == 1 or not UNSPACED.search(word))


def stem(words: Iterable[str], language: str = "english") -> list[str]:
    """Return the stem of each word; words of a language without stems stand for themselves.

    Parameters
    ----------
    words : iterable of str
        Words in lower case, as `tokenise` gives them.
    language : str, default "english"
        Names or codes that `languages.language_names` knows, of which the first says how; "english" is the Porter
        stemmer.

    Raises
    ------
    InputError
        The language is unknown.

    Examples
    --------
    >>> stem(["connected", "connection", "connecting"])
    ['connect', 'connect', 'connect']
    """
    words, name = list(words), language_names(language)[0]
    if name in languages.UNSPACED:
        return words
    known = _known.setdefault(name, {})
    new = [word for word in words if word not in known]
    found = dict(zip(new, _stemmed(new, name), strict=True))
    if len(known) + len(found) <= _MOST_KNOWN:
        known.update(found)
    return [known.get(word) or found[word] for word in words]


_MOST_KNOWN = 1 << 17  # of a language: a stream meets the same words in block after block
_known: dict[str, dict[str, str]] = {}


def _stemmed(words: list[str], name: str) -> list[str]:
    # "english" is Porter's first algorithm, the one the papers used; Snowball calls its own revision of it "english".
    stems: list[str] = snowballstemmer.stemmer("porter" if name == "english" else name).stemWords(words)
    # A word can be all suffix to a stemmer; it then stands for itself rather than for the empty stem.
    return [stemmed or word for word, stemmed in zip(words, stems, strict=True)]
