"""What the groups of a version are called, also where its model is gone: as a person said, or by their words."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...report.groups.grouped import Grouped
from ...report.words import distinctive, group_name
from ...text.collection import Collection
from ...types import Array
from ..assignment import Assignment

_FIRST = 3  # words that make a name
_ALIKE = 0.9  # of the documents of two groups in both: their words are about the same


def names_of(
    version: Assignment, documents: Collection, stands: Assignment, shown: Mapping[int, str]
) -> dict[int, str]:
    """Return what each group of a version is called, by its number.

    One that nobody had named then, nor since, is called as it is `shown` of the version that `stands`, where that has
    nine tenths of the documents that either has in the group of its number; else by the words of its documents.

    >>> from outgroup.session import Session
    >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's rails"]
    >>> session = Session(texts, n_clusters=2)
    >>> version = session.fit()
    >>> names_of(version, session.documents, version, {0: "butter", 1: "town"})
    {0: 'butter', 1: 'town'}
    """
    known = dict(version.names)
    for number in {*version.numbers} & {*stands.numbers} - {*known, *stands.names}:
        if number in shown and _same(version.labels == number, stands.labels == number):
            known[number] = shown[number]
    left = [number for number in version.numbers if number not in known]
    return dict(sorted((known | (_by_words(version, documents, left) if left else {})).items()))


def _same(one: Array, other: Array) -> bool:
    return bool(np.count_nonzero(one & other) >= _ALIKE * np.count_nonzero(one | other))


def _by_words(version: Assignment, documents: Collection, numbers: list[int]) -> dict[int, str]:
    quiet = documents.without_words(version.state.ignored)
    labels, k = version.labels[quiet.kept], max(version.numbers) + 1
    grouped = Grouped.of(quiet.spaces.words, labels, k, labels >= 0)
    words = distinctive(grouped, np.zeros((k, len(documents.words))), documents.words, _FIRST)
    return {number: group_name(None, words[number], number) for number in numbers}
