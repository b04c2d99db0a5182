"""The groups of a session's version, as a notebook shows them."""

from __future__ import annotations

from ..errors import InputError
from ..model import DocumentClustering
from ..session import Version
from ..session.reporting.arrays_by_number import ByNumber, by_number
from ..text.reading.documents import Corpus
from .showable import Showable


class ShownVersion(Showable):
    """The groups of a version under their own numbers: those of merged groups are left out. It never changes."""

    def __init__(self, version: Version) -> None:
        self.version = version
        self._summary = None

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
        With `topics`, `documents`, `report(path)`, `map()` and `words(group)`, as a fitted `DocumentClustering` has
        them; a notebook shows it as a table. Groups are under the version's numbers.

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
