"""Words out of runs without blanks, by dictionaries: through the libraries of the extra `segmentation`."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import InputError, MissingExtraError, OutgroupWarning
from ...types import Array
from .languages import language_names

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
