"""A session that goes on from an earlier version, on the same or on later documents."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from sklearn.base import clone

from ..errors import InputError
from ..model.fitting import averaging
from ..storage.project import Project
from ..text.collection import Collection, open_collection
from ..text.inputs import Inputs
from ..text.representation import Representation
from .assignment import Assignment
from .fits.fitter import Fitter
from .notes import warnings_as_notes
from .saved.past import Past
from .version import Version


class FromPast:
    """The part of `Session` that says what it holds, and begins from what it held before."""

    documents: Collection
    clusterer: Any
    random_state: int
    past: Past | None
    project: Project | None
    version: Version | None
    versions: tuple[Assignment, ...]
    _universum: list[str]
    _fitter: Fitter
    _seconds: dict[bool, float]

    @classmethod
    def after(
        cls,
        past: Past,
        documents: Any,
        *,
        ids: Iterable[object],
        titles: Iterable[object] | None = None,
        universum: Any = None,
        embeddings: Any = None,
        universum_embeddings: Any = None,
        random_state: int = 0,
    ) -> Self:
        """Return a session on the same or later documents that goes on from an earlier version, its words and groups.

        Parameters
        ----------
        past : Past
        documents : sequence of n str
        ids : sequence of n str
        titles : sequence of n str, default None
        universum : sequence of str, default None
        embeddings, universum_embeddings : arrays, default None
            As for the constructor.
        random_state : int, default 0

        Returns
        -------
        Session
            Its `begin` makes the first version.
        """
        inputs = Inputs(documents, ids, titles, universum, embeddings, universum_embeddings)
        session, before = cls.__new__(cls), past.model.representation_
        session.clusterer, session.random_state = clone(past.model.clusterer_), random_state
        with warnings_as_notes() as notes:
            average = averaging(before.passes, None)
            representation = Representation(before.vectorizer, width=before.width, average=average)
            session.documents = open_collection(inputs, representation)
        session._open(inputs.examples, notes, past)
        return session

    def _open(self, universum: list[str], notes: list[str], past: Past | None = None) -> None:
        self.past = past
        self.project = None
        self.version, self.versions = None, ()
        self._universum = universum
        self._fitter = Fitter(self.documents, self.clusterer, self.random_state, tuple(notes), past)
        self._seconds = {}

    def _check_own(self, version: Any, name: str) -> None:
        """Raise InputError for what is no version of these documents: its groups would be taken for those of others."""
        if not isinstance(version, Assignment):
            said = f"{name} is a {type(version).__name__}, no version; give what `fit` or `begin` returned"
            raise InputError(f"{said}, or None" if name == "start" else said)
        theirs = version.documents if isinstance(version, Version) else None
        if version.ids != self.documents.ids or (theirs is not None and theirs.texts != self.documents.texts):
            raise InputError(
                f"{name} is of other documents; give one of this session, or open a session on these that "
                "goes on from it: Session.after(Past.of(version, its_texts), texts, ids=ids)"
            )
