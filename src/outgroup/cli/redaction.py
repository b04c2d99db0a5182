"""`--redact`: a result with ids, groups and frequent words, but without texts, titles and further columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ..errors import InputError
from ..readers.documents import Corpus
from .material import parameters_of
from .settings import ClusterSettings

FEWEST = 5
"""Texts that must hold a word of a redacted result."""


def redacts(settings: Any) -> bool:
    """Return whether the settings ask for a redacted result; only `outgroup cluster` has the option."""
    return bool(getattr(settings, "redact", False))


def redacting(settings: ClusterSettings) -> ClusterSettings:
    """Return the settings with the smallest vocabulary threshold that redaction allows.

    Raises InputError for options that contradict --redact, and for an earlier result that is not redacted.
    """
    if settings.with_text:
        raise InputError("--with-text adds the texts that --redact leaves out: give one of them")
    if settings.min_df is not None and settings.min_df < FEWEST:
        raise InputError(f"--min-df {settings.min_df} keeps rare words: with --redact give {FEWEST} or more")
    if settings.from_ is None:
        return replace(settings, min_df=settings.min_df or FEWEST)
    if not parameters_of(settings.from_).get("redact"):
        raise InputError(f"{settings.from_} has rare words, and --from keeps them: with --redact start from DOCS alone")
    return settings


def without_texts(corpus: Corpus) -> Corpus:
    """Return the documents with their ids and skips only.

    >>> found = without_texts(Corpus(["a"], ["Tea"], ["A title"], columns={"by": ["Ann"]}))
    >>> found.ids, found.texts, found.titles, found.columns
    (['a'], [''], [''], {})
    """
    nothing = [""] * len(corpus)
    return replace(corpus, texts=nothing, titles=nothing, labels=None, columns={})


def hide_rare_forms(vectorizer: Any, texts: Iterable[str]) -> None:
    """Replace each readable word that fewer than five texts hold by its stem; at least five hold a form of it."""
    counted = Counter[str]()
    for text in texts:
        counted.update({*vectorizer.analyser.tally([text]).forms})
    vectorizer.rename(
        [
            name if all(counted[part] >= FEWEST for part in name.split(" ")) else stem
            for name, stem in zip(vectorizer.get_feature_names_out().tolist(), vectorizer.vocabulary_, strict=True)
        ]
    )
