"""Words out of texts: tokens, stems, scripts without blanks, and the language that texts are in."""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import snowballstemmer

from ..errors import InputError, MissingExtraError, OutgroupWarning
from ..types import Array
from . import languages
from .languages import LANGUAGES, VARIANTS, language_names
from .languages import UNSPACED as LANGUAGES_UNSPACED
from .languages import stop_words as function_words

# --- Scripts that put no blanks between words: how to know their letters, and how to take a run of them apart

# Letters of Han (with its iteration mark and zero), kana, Bopomofo, Thai, Lao, Burmese and Khmer.
_RANGES = (
    "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\ua9e0-\ua9ff\uaa60-\uaa7f"
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3041-\u312f\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)

MARKS = "".join(chr(code) for code in range(0x300, 0x1B00) if unicodedata.category(chr(code))[0] == "M")
"""Vowel signs, tones and accents that stand behind their letter and belong to it."""

# A letter with its marks; a subscript (Khmer, Burmese) brings the next letter into the same sign.
_SIGN = re.compile(rf"[^\W_](?:[{MARKS}]|(?<=[\u17d2\u1039])[^\W_])*")

UNSPACED = re.compile(rf"[{_RANGES}]")
"""Finds a letter of such a script."""

_RUNS = re.compile(rf"[{_RANGES}{MARKS}]*[{_RANGES}][{_RANGES}{MARKS}]*|[^{_RANGES}]+")


def runs(word: str) -> list[tuple[str, bool]]:
    """Cut a run of letters where a script without blanks begins or ends; say of each piece if it is of such a script.

    Examples
    --------
    >>> runs("iphone手机"), runs("tea")
    ([('iphone', False), ('手机', True)], [('tea', False)])
    """
    return [(piece, bool(UNSPACED.search(piece))) for piece in _RUNS.findall(word)]


def signs(run: str) -> list[str]:
    """Return the letters of a run, each with its marks.

    Examples
    --------
    >>> signs("手机"), signs("น้ำ"), signs("ខ្មែរ")
    (['手', '机'], ['น้', 'ำ'], ['ខ្មែ', 'រ'])
    """
    return _SIGN.findall(run)


def pairs(run: str) -> list[str]:
    """Return the overlapping pairs of signs of a run, or its only sign: what retrieval counts in place of words.

    Examples
    --------
    >>> pairs("経済学"), pairs("茶")
    (['経済', '済学'], ['茶'])
    """
    each = signs(run)
    return each if len(each) == 1 else [first + second for first, second in pairwise(each)]


# --- Words out of text: tokenise and stem. Pure functions that know no corpus

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


# --- Words out of runs without blanks, by dictionaries: through the libraries of the extra `segmentation`

Cut = Callable[[str], list[str]]

_MUCH = 0.1  # of all occurrences of words
_LONGEST = 10_000  # signs that a library is given at once; some take only so many, or quadratic time


def segmenter(language: str) -> Cut:
    """Return what takes a run of letters of a language without blanks apart into words; of several, the first.

    Raises
    ------
    InputError
        There is none for the language: Chinese, Japanese and Thai have one.
    MissingExtraError
        Its library is not installed.
    """
    names = language_names(language)
    name = next((each for each in names if each in _LIBRARIES), names[0])
    if name not in _LIBRARIES:
        raise InputError(
            f"no segmenter for {name}; leave the segmentation in pairs of signs, or choose one of "
            f"{', '.join(_LIBRARIES)} as the language"
        )
    try:
        cut = _LIBRARIES[name]()
    except ImportError as error:
        raise MissingExtraError(
            f"words of {name} need the extra segmentation: pip install 'outgroup[segmentation]'"
        ) from error
    return lambda run: [word for start in range(0, len(run), _LONGEST) for word in cut(run[start : start + _LONGEST])]


def warn_of_pairs(vectorizer: Any) -> None:
    """Warn where much of what a vectorizer learned are pairs of signs of a language that a dictionary takes apart."""
    if getattr(vectorizer, "segmentation", "words") != "pairs" or not len(vectorizer.idf_):
        return
    often = np.exp(1 - vectorizer.idf_)  # about the share of the documents that have each word
    shares = {name: _share(signs, vectorizer.get_feature_names_out(), often) for name, signs in _SIGNS.items()}
    found = next((name for name, share in shares.items() if share >= _MUCH), None)
    if found is not None:
        named = language_names(vectorizer.language)
        asked = ",".join(named if found in named else [*named, found])
        warnings.warn(
            f"{found.capitalize()} has no blanks between words, and pairs of signs were counted, which find groups but "
            f"read badly; for words give --language {asked} --segmentation words (in Python: "
            f"Vectorizer(language={asked!r}, segmentation='words'))",
            OutgroupWarning,
            stacklevel=5,
        )


def _share(signs: re.Pattern[str], words: Array, often: Array) -> float:
    return float(often[[bool(signs.search(word)) for word in words]].sum() / often.sum())


def _chinese() -> Cut:
    import rjieba

    return lambda run: list(rjieba.cut(run))


def _japanese() -> Cut:
    from sudachipy import Dictionary, SplitMode

    tokenizer = Dictionary(dict="small").tokenizer(mode=SplitMode.A)
    return lambda run: [word.surface() for word in tokenizer.tokenize(run)]


def _thai() -> Cut:
    from pythainlp.tokenize import word_tokenize

    return lambda run: list(word_tokenize(run))


# Kana first: Japanese is written with signs of Chinese, too.
_SIGNS = {"japanese": re.compile("[\u3041-\u30ff]"), "chinese": re.compile("[\u3400-\u9fff]"),
          "thai": re.compile("[\u0e01-\u0e5b]")}  # fmt: skip

_LIBRARIES: dict[str, Callable[[], Cut]] = {"chinese": _chinese, "japanese": _japanese, "thai": _thai}


# --- Which language texts seem to be in: the one whose function words they hold most of

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
    words, known = tokenise(text, numbers=True, shortest=1), _known_words()  # the letter of "t5" is no word
    spoken = Counter(language for word in words for language in known.get(word, ()))
    (first, most), (_, next_most), *_ = [*spoken.most_common(2), ("", 0), ("", 0)]
    if most <= max(next_most, _LEAST * len(words)):
        return None
    return first, {word for word in words if first in known.get(word, ())}


@cache
def _known_words() -> dict[str, list[str]]:
    """Return the languages of each function word; the letters from a to z, which some lists hold, are code."""
    found = defaultdict(list)
    for language in LANGUAGES:
        if language not in (*LANGUAGES_UNSPACED, *VARIANTS):
            for word in function_words(language):
                if len(word) > 1 or not word.isascii():
                    found[word].append(language)
    return found
