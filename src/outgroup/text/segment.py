"""Words out of runs without blanks, by dictionaries: through the libraries of the extra `segmentation`."""

from __future__ import annotations

from collections.abc import Callable

from ..errors import InputError, MissingExtraError
from .languages import language_names

Cut = Callable[[str], list[str]]

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


_LIBRARIES: dict[str, Callable[[], Cut]] = {"chinese": _chinese, "japanese": _japanese, "thai": _thai}
