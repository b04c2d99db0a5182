"""The columns that records have beside their text: which of them a page filters by, and which it only shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..text.reading.documents import Corpus

_KINDS = 200  # different values of a column that can be filtered by

Columns = dict[str, list[str]]


def filterable(corpus: Corpus) -> Columns:
    """Return the columns of few different values, but of more than one; labels are there already.

    >>> filterable(Corpus(["a", "b"], ["tea", "car"], ["", ""], columns={"no.": ["1", "2"], "by": ["Ann", "Ann"]}))
    {'no.': ['1', '2']}
    """
    return {
        name: values for name, values in corpus.columns.items()
        if values != corpus.labels and 1 < len(set(values)) <= _KINDS
    }  # fmt: skip


def shown_alone(corpus: Corpus, fields: Mapping[str, Sequence[str]], rows: Sequence[int] | None = None) -> Columns:
    """Return the columns that an opened document shows and nothing is filtered by, as they are not among the `fields`;
    `rows` are the documents of a page, None for all.

    >>> corpus = Corpus(["a", "b"], ["tea", "car"], ["", ""], columns={"no.": ["1", "2"], "by": ["Ann", "Ann"]})
    >>> shown_alone(corpus, filterable(corpus)), shown_alone(corpus, {}, [1])
    ({'by': ['Ann', 'Ann']}, {'no.': ['2'], 'by': ['Ann']})
    """
    others = {name: values for name, values in corpus.columns.items() if values != corpus.labels}
    found = others if rows is None else {name: at(values, rows) for name, values in others.items()}
    return {name: values for name, values in found.items() if values != fields.get(name)}


def at(values: Sequence[str], rows: Sequence[int]) -> list[str]:
    return [values[row] for row in rows]
