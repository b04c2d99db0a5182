"""What the options of the group "Words" make: the vectorizer of a run."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path

from ..errors import InputError, OutgroupWarning
from ..text.reading.decode import decode
from ..text.words.analyze import stop_words, tokenise
from ..text.words.guess_language import likely_languages
from ..text.words.languages import UNSPACED, VARIANTS, language_names
from ..text.words.vectorize import Vectorizer
from .settings.cluster import ClusterSettings

_SPOKEN, _FEW = 0.1, 3  # a share of the texts, and texts: fewer may be mistaken, or names and quotations


def vectorizer(settings: ClusterSettings) -> Vectorizer:
    """Return the vectorizer that the settings ask for; raises InputError for stop words that cannot be read."""
    return Vectorizer(
        language=settings.language,
        stop_words=_stop_words(settings) if settings.stop_words else "auto",
        min_df=settings.min_df or "auto",
        max_df=settings.max_df,
        max_features=settings.max_features,
        phrases=settings.phrases,
        keep_numbers=settings.keep_numbers,
        min_length=settings.min_length,
        segmentation=settings.segmentation,
    )


def warn_of_languages(settings: ClusterSettings, texts: Sequence[str]) -> None:
    """Warn of languages that many texts seem to be in and that the settings do not name."""
    least = round(max(_SPOKEN, _FEW / max(len(texts), 1)), 2)  # shares are given to a hundredth
    found = [name for name, share in likely_languages(texts).items() if share >= least]
    named = [VARIANTS.get(name, name) for name in language_names(settings.language)]
    if set(found) - set(named):
        said = f"the texts seem to be in {' and '.join(map(str.capitalize, found))}"
        asked = ",".join([*found, *(name for name in named if name in UNSPACED)])  # these are not guessed
        warnings.warn(f"{said}; for their stop words give --language {asked}", OutgroupWarning, stacklevel=2)


def _stop_words(settings: ClusterSettings) -> list[str]:
    """Return the language's own stop words and the user's, sorted."""
    given = " ".join(_listed(settings.stop_words))
    own = tokenise(given, numbers=settings.keep_numbers, shortest=1)
    return sorted(stop_words(settings.language).union(own))


def _listed(given: str) -> list[str]:
    """Return the words of a file, one a line, or of a list with commas; a name with a slash or a suffix is a file's."""
    path = Path(given)
    try:
        if path.is_file():
            return decode(path.read_bytes()).splitlines()
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read the stop words in {given}: {error}") from error
    if "," not in given and ("/" in given or path.suffix):
        raise InputError(f"no such file of stop words: {given}; give a file with a word a line, or a list like the,of")
    return given.split(",")
