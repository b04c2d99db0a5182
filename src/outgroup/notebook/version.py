"""The groups of a session's version, as a notebook shows them."""

from __future__ import annotations

import os
from copy import copy

from ..errors import InputError
from ..model import DocumentClustering
from ..report.summary import described
from ..session import Version
from ..session.reporting.arrays_by_number import ByNumber, by_number
from ..text.reading.documents import Corpus
from .showable import Showable


class ShownVersion(Showable):
    """The groups of a version under their own numbers: those of merged groups are left out. It never changes."""

    def __init__(self, version: Version) -> None:
        self.version = version
        self._summary = None

    def save(self, path: str | os.PathLike[str], *, replace: bool = False) -> None:
        """Write the version's model to a folder, with what is told of its groups, for `DocumentClustering.load`.

        Parameters
        ----------
        path : str or path
            The folder, which is made.
        replace : bool, default False
            Whether a saved model at `path` may be replaced, as a whole.

        Raises
        ------
        InputError
            A part is not Outgroup's own: it could not be read without pickle.
        OutputError
            `path` cannot be written, or exists and `replace` is False or it is not a saved model.
        """
        model, summary = copy(self.version.model), self._summed()
        model._description = described([summary.groups[number] for number in self.version.numbers])
        model.save(path, replace=replace)

    def __repr__(self) -> str:
        return repr(self.version)

    def _made_of(self) -> tuple[DocumentClustering, ByNumber, Corpus]:
        documents = self.version.documents
        assert documents is not None  # a session's versions have them
        corpus = Corpus(documents.ids, documents.texts, documents.titles)
        return self.version.model, by_number(self.version), corpus


def show(version: Version) -> ShownVersion:
    """Return the groups of a session's version as a notebook shows them.

    Parameters
    ----------
    version : Version

    Returns
    -------
    ShownVersion
        With `topics`, `documents`, `report(path)`, `map()`, `words(group)` and `save(path)`, as a fitted
        `DocumentClustering` has them; a notebook shows it as a table. Groups are under the version's numbers.

    Raises
    ------
    InputError
        It is no version.

    Examples
    --------
    >>> from outgroup import DocumentClustering, show
    >>> from outgroup.decisions import Merge
    >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's train", "roses", "red roses"]
    >>> session = DocumentClustering(n_clusters=3, random_state=0).fit(texts).session
    >>> first = session.begin()
    >>> merged = session.fit([Merge((0, 1))], start=first)
    >>> list(show(merged).topics["group"]), list(show(merged).topics["size"])
    ([0, 2], [4, 2])
    """
    if not isinstance(version, Version):
        name = type(version).__name__
        raise InputError(f"a {name} is no version of a session; a fitted DocumentClustering shows its groups itself")
    return ShownVersion(version)
