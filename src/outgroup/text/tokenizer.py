"""Split texts into words and stems, segment scripts without spaces, and detect languages."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import snowballstemmer

from ..errors import InputError, MissingExtraError, installing, warn
from . import languages
from .languages import LANGUAGES, VARIANTS, function_words, language_names
from .languages import UNSPACED as LANGUAGES_UNSPACED
from .tokens import MARKS, Tokens


@dataclass(frozen=True)
class Constants:
    """Sizes of pieces, caches and samples, which do not change words; languages by `python -m bench languages`."""

    stems: int = 1 << 17  # cached per language
    run: int = 10_000  # characters per call of a segmenter; some have a limit, or take quadratic time
    texts: int = 500  # at most, for the detection of languages
    letters: int = 2_000  # of a text, at most
    stemmed: int = 200  # letters of a word that is stemmed: some stemmers take quadratic time


TOKENIZER = Constants()

# --- Scripts without spaces between words

# Letters of Han (with its iteration mark and zero), kana, Bopomofo, Thai, Lao, Burmese and Khmer; and of Hangul, whose
# words have spaces between them, but end in particles that no stemmer takes off.
_RANGES = (
    "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7fb"
    "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\ua9e0-\ua9ff\uaa60-\uaa7f"
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3041-\u312f\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)

# A letter with its marks; a subscript (Khmer, Burmese) joins the next letter.
_SIGN = rf"[^\W_](?:[{MARKS}]|(?<=[\u17d2\u1039])[^\W_])*"  # not compiled before it is used, as it takes a while

UNSPACED = re.compile(rf"[{_RANGES}]")
"""Matches a letter of a script without spaces."""

_RUNS = rf"[{_RANGES}{MARKS}]*[{_RANGES}][{_RANGES}{MARKS}]*|[^{_RANGES}]+"


def runs(word: str) -> list[tuple[str, bool]]:
    """Split letters where the script changes; return (piece, whether its script has no spaces) pairs.

    Examples
    --------
    >>> runs("iphone手机"), runs("tea")
    ([('iphone', False), ('手机', True)], [('tea', False)])
    """
    return [(piece, bool(UNSPACED.search(piece))) for piece in re.findall(_RUNS, word)]


def pairs(run: str) -> list[str]:
    """Return the overlapping pairs of letters of a run, with their combining marks, or its only letter, as is usual in
    retrieval.

    Examples
    --------
    >>> pairs("経済学"), pairs("茶"), pairs("น้ำ"), pairs("ខ្មែរ")
    (['経済', '済学'], ['茶'], ['น้ำ'], ['ខ្មែរ'])
    """
    letters = re.findall(_SIGN, run)
    return letters if len(letters) == 1 else [first + second for first, second in pairwise(letters)]


# --- Tokens and stems


def tokenise(
    text: str, *, numbers: bool = False, shortest: int = 2, cut: Callable[[str], list[str]] = pairs
) -> list[str]:
    """Return the words of a text in order, in lower case (see `Tokens`).

    Parameters
    ----------
    text : str
        Any text.
    numbers : bool, default False
        Whether digits are letters: "mp3" and "2024" are words then.
    shortest : int >= 1, default 2
        The fewest letters of a word.
    cut : callable, default `pairs`
        Splits a run of letters of a script without spaces (Chinese, Japanese, Thai, Khmer, Lao, Burmese), by default
        into overlapping pairs of characters, regardless of `shortest`.

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
    tokens = Tokens.of([text], numbers)
    words = words_of(tokens.forms, shortest, cut)
    return [word for form in tokens.words.tolist() for word in words[form]]


def words_of(
    forms: list[str], shortest: int, cut: Callable[[str], list[str]] = pairs, language: str = "english"
) -> list[tuple[str, ...]]:
    """Return the words of the forms, in lower case: none if a form is short, several in a script without spaces."""
    lowered = in_lower_case(forms, language)
    words: list[tuple[str, ...]] = [(word,) if len(word) >= shortest else () for word in lowered]
    for number, word in enumerate(lowered):
        if not word.isascii() and UNSPACED.search(word):
            words[number] = tuple(_split(word, shortest, cut))
    return words


def in_lower_case(forms: list[str], language: str) -> list[str]:
    """Return words in lower case; Turkish has two letters i, with and without a dot.

    >>> in_lower_case(["İADE", "KAPI"], "turkish"), in_lower_case(["TEA", "İADƏ"], "english")
    (['iade', 'kapı'], ['tea', 'iadə'])
    """
    joined = "\n".join(forms)
    if "turkish" in language_names(language):
        joined = joined.translate(TURKISH)
    return joined.replace("İ", "i").lower().split("\n") if forms else []  # `lower` would leave the dot as a mark


TURKISH = {ord("I"): "ı", ord("İ"): "i"}


def _split(word: str, shortest: int, cut: Callable[[str], list[str]]) -> Iterator[str]:
    for piece, unspaced in runs(word):
        if unspaced:
            yield from cut(piece)
        elif len(piece) >= shortest:
            yield piece


def stop_words(language: str, cut: Callable[[str], list[str]] = pairs) -> frozenset[str]:
    """Return the function words of one or several languages, tokenised like texts.

    Parameters
    ----------
    language : str
        Names or codes that `languages.language_names` knows.
    cut : callable, default `pairs`
        As in `tokenise`.

    Raises
    ------
    InputError
        The language is unknown.

    Examples
    --------
    >>> "the" in stop_words("english"), "engine" in stop_words("english"), "и" in stop_words("ru")
    (True, False, True)
    """
    # Skip long words of a script without spaces: their pairs occur in other words.
    words = words_of(Tokens.of(sorted(function_words(language))).forms, 1, cut, language)
    return frozenset(word for form in words for word in form if len(form) == 1 or not UNSPACED.search(word))


def stem(words: Iterable[str], language: str = "english") -> list[str]:
    """Return the stems of words; words of over 200 letters, and of languages without a stemmer, stay.

    Parameters
    ----------
    words : iterable of str
        Words in lower case, as returned by `tokenise`.
    language : str, default "english"
        Names or codes that `languages.language_names` knows; the first selects the stemmer. "porter" is the original
        Porter stemmer of English, and "english" its revision.

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
    new = [word for word in words if word not in known and len(word) <= TOKENIZER.stemmed]
    stems = dict(zip(new, snowballstemmer.stemmer(name).stemWords(new), strict=True))
    if len(known) + len(stems) <= TOKENIZER.stems:
        known.update(stems)
    # A stemmer may strip the whole word; keep the word then.
    return [known.get(word) or stems.get(word) or word for word in words]


_known: dict[str, dict[str, str]] = {}  # the stems of words, by language: blocks of texts repeat words


# --- Segmentation by dictionaries, with the libraries of the extra `segmentation`

Cut = Callable[[str], list[str]]


def segmenter(language: str) -> Cut:
    """Return a function that splits a run of letters into words, for the first language that has a segmenter.

    Raises
    ------
    InputError
        The language has no segmenter: Chinese, Japanese and Thai have one.
    MissingExtraError
        Its library is not installed.
    """
    names = language_names(language)
    name = next((candidate for candidate in names if candidate in _LIBRARIES), names[0])
    if name not in _LIBRARIES:
        raise InputError(
            f"there is no segmenter for {name}: use segmentation 'pairs', or choose one of {', '.join(_LIBRARIES)} as "
            "the language"
        )
    try:
        cut = _LIBRARIES[name]()
    except ImportError as error:
        raise MissingExtraError(
            f"splitting {name} into words requires the extra segmentation: {installing('segmentation')}"
        ) from error
    return lambda run: [
        word for start in range(0, len(run), TOKENIZER.run) for word in cut(run[start : start + TOKENIZER.run])
    ]


def has_segmenter(language: str) -> bool:
    """Return whether a language has a segmenter, and its library is installed.

    Examples
    --------
    >>> has_segmenter("german")
    False
    """
    try:
        segmenter(language)
    except (InputError, MissingExtraError):
        return False
    return True


def warn_of_pairs(vectorizer: Any) -> None:
    """Warn if many learned words are character bigrams of a language that has a segmenter."""
    if getattr(vectorizer, "segmentation", "words") != "pairs" or not len(vectorizer.idf_):
        return
    often = np.exp(1 - vectorizer.idf_)  # approximate document frequency of the words, as a fraction
    words = vectorizer.get_feature_names_out()
    for language in _LIBRARIES:
        if often[[bool(_SIGNS[language].search(word)) for word in words]].sum() >= 0.1 * often.sum():
            option = ",".join(dict.fromkeys((*language_names(vectorizer.analyser.language), language)))
            need = "" if has_segmenter(language) else f", after {installing('segmentation')}"
            return warn(
                f"{language.capitalize()} has no spaces between words, so pairs of characters were used, which group "
                f"well but are hard to read. To use words, give --language {option} (in Python: "
                f"Vectorizer(language={option!r}, segmentation='words')){need}"
            )


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


# Kana first: Japanese also uses Chinese characters.
_LETTERS_OF = {
    "korean": "[\uac00-\ud7a3]",
    "japanese": "[\u3041-\u30ff]",
    "chinese": "[\u3400-\u9fff]",
    "thai": "[\u0e01-\u0e5b]",
}
_SIGNS = {name: re.compile(letters) for name, letters in _LETTERS_OF.items()}

_LIBRARIES: dict[str, Callable[[], Cut]] = {"japanese": _japanese, "chinese": _chinese, "thai": _thai}


# --- Language detection by function words


def frequent_languages(texts: Sequence[str]) -> list[str]:
    """Return the languages of at least a tenth of the texts, and of three, the most frequent first.

    Examples
    --------
    >>> frequent_languages(["Wo ist der Zug nach Berlin?", "Die Suppe ist noch nicht warm.", "Das ist nur der Anfang."])
    ['german']
    """
    # Fewer texts may be errors, names or quotations. Shares are rounded to 0.01.
    least = round(max(0.1, 3 / max(len(texts), 1)), 2)
    return [name for name, share in likely_languages(texts).items() if share >= least]


def likely_languages(texts: Sequence[str]) -> dict[str, float]:
    """Return the shares of texts in the detected languages, rounded to a hundredth, the largest first.

    A text votes for the language with the most function words in it, if there is no tie and they exceed a tenth of its
    words. A language needs five distinct function words over all its texts, or one per text for fewer texts. A text of
    which half the letters are Thai, Han or kana votes for Thai, Chinese or Japanese.

    Examples
    --------
    >>> likely_languages(["Wo ist der Zug nach Berlin?", "Die Suppe ist noch nicht warm.", "Is the soup on the table?"])
    {'german': 0.67, 'english': 0.33}
    >>> likely_languages(["足球比赛", "股票市场", "サッカーの試合"])
    {'chinese': 0.67, 'japanese': 0.33}
    """
    sample = [text[: TOKENIZER.letters] for text in texts[:: max(1, len(texts) // TOKENIZER.texts)]]
    tokens = Tokens.of(sample, numbers=True)  # "t5" is one token, not the word "t"
    forms, starts = words_of(tokens.forms, 1), [0, *tokens.ends.tolist()]
    counts, words = Counter[str](), defaultdict[str, set[str]](set)
    for number, text in enumerate(sample):
        parts = tokens.words[starts[number] : starts[number + 1]].tolist()
        if script := _unspaced(text):
            counts[script] += 1
        elif likely := _likely([word for form in parts for word in forms[form]]):
            language, evidence = likely
            counts[language] += 1
            words[language] |= evidence
    return {
        name: round(count / len(sample), 2)
        for name, count in counts.most_common()
        if name in _SIGNS or len(words[name]) >= min(5, count)  # machine output repeats a few
    }


def _unspaced(text: str) -> str | None:
    """Return the language of a text if half of its letters are in a script without spaces; kana means Japanese."""
    if text.isascii() or 2 * len(UNSPACED.findall(text)) < sum(map(str.isalpha, text)):
        return None
    return next((name for name, signs in _SIGNS.items() if signs.search(text)), None)


def _likely(words: list[str]) -> tuple[str, set[str]] | None:
    """Return the detected language of the words of a text and its function words; None if none is detected."""
    known = _known_words()
    votes = Counter(language for word in words for language in known.get(word, ()))
    (first, most), (_, next_most), *_ = [*votes.most_common(2), ("", 0), ("", 0)]
    if most <= max(next_most, 0.1 * len(words)):  # machine output has some by chance
        return None
    return first, {word for word in words if first in known.get(word, ())}


@cache
def _known_words() -> dict[str, list[str]]:
    """Return the languages of the function words; single ASCII letters, which occur in code, are left out."""
    languages_of = defaultdict(list)
    for language in LANGUAGES:
        if language not in (*LANGUAGES_UNSPACED, *VARIANTS):
            for word in function_words(language):
                if len(word) > 1 or not word.isascii():
                    languages_of[word].append(language)
    return languages_of
