"""What to do where the field that was named holds no texts that tell documents apart: which others there are."""

from __future__ import annotations

import warnings

from ..errors import OutgroupWarning
from ..report.sentences.wording import counted
from ..text.reading.documents import Corpus
from .settings.cluster import ClusterSettings

_SHOWN = 5
_LOOKED_AT = 1000  # values of a column


def other_fields(settings: ClusterSettings, corpus: Corpus) -> str:
    """Return which fields are others than the named one, those with the longest values first; "" where none was named.

    >>> some = ClusterSettings("a.csv", text="Created")
    >>> other_fields(some, Corpus(["1"], ["2024"], [""], columns={"State": ["open"], "Answer": ["Tea is late."]}))
    "the field 'Created' was read; --text names another: 'Answer', 'State'"
    """
    columns = {name: sum(map(len, values[:_LOOKED_AT])) for name, values in corpus.columns.items()}
    if not columns or settings.text == ClusterSettings.text:
        return ""
    names = sorted(columns, key=lambda name: -columns[name])
    shown = ", ".join(map(repr, names[:_SHOWN])) + (" ..." if len(names) > _SHOWN else "")
    return f"the field {settings.text!r} was read; --text names another: {shown}"


def warn_of_few_texts(settings: ClusterSettings, corpus: Corpus) -> None:
    """Warn where there are fewer different texts than groups, found by words; that all are equal is an error later."""
    different = len(set(corpus.texts))
    by_words = settings.embeddings is None and settings.encoder is None
    if by_words and isinstance(settings.k, int) and 1 < different < min(settings.k, len(corpus)):
        others = other_fields(settings, corpus)
        said = f"{len(corpus):,} documents have {counted(different, 'different text')}, too few for {settings.k} groups"
        how = "ask for fewer (-k)" + (f", or for other texts: {others}" if others else "")
        warnings.warn(f"{said}; {how}", OutgroupWarning, stacklevel=2)
