"""A fitted model as plain values and arrays, and back: what a file says is checked before it is believed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ..cluster.cpm3c import CPM3C
from ..cluster.max_margin import MaxMarginClustering
from ..cluster.neighbours import NeighbourAverage
from ..cluster.saved_fields import is_count
from ..cluster.seeded import SeededKMeans
from ..cluster.spherical import SphericalKMeans
from ..errors import DAMAGE, InputError, ModelError
from ..storage import state as storage
from ..storage.atomic import new_folder
from ..text.representation import Representation
from ..text.words.vectorize import Vectorizer
from ..types import Array
from .saved_fields import check_state

_PARTS = (Vectorizer, MaxMarginClustering, CPM3C, SphericalKMeans, SeededKMeans)
SAVEABLE: dict[str, Any] = {part.__name__: part for part in _PARTS}
"""The classes that a saved model may name; a file is never trusted to name any other."""


class SavedModel:
    """The part of `DocumentClustering` that writes and reads folders."""

    n_clusters: Any
    missing: str
    vectorizer_: Any
    clusterer_: Any
    labels_: Array
    _fields: dict[str, Any] | None = None  # which fields of a record its text is made of, where records were given
    _description: list[dict[str, Any]] | None = None  # what is told of the groups, for who has no documents
    skipped_: list[tuple[int, str]]
    n_universum_: int
    names_: list[str | None] | None
    _numbers: list[int] | None  # of the groups, where merging left others than 0 to k - 1
    _representation: Representation
    _word_means: tuple[Array, Array] | None

    def save(self, path: str | os.PathLike[str], *, replace: bool = False) -> None:
        """Write the fitted model to a folder: `model.json` and `arrays.npz`, no pickle, equal bytes for equal models.

        No text goes in, but of each group the title of an example, 200 characters at most; where rows were averaged
        with their neighbours, these rows do, too.

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
        state = self.to_state()
        with new_folder(path, storage.KIND, replace=replace) as folder:
            storage.write(folder, state)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, encoder: Any = None) -> Self:
        """Return the model that `save` wrote.

        Parameters
        ----------
        path : str or path
            The folder.
        encoder : default None
            As of the constructor. A file never names code to run: give the encoder again, or `embeddings` to `predict`.

        Returns
        -------
        DocumentClustering, fitted

        Raises
        ------
        ModelError
            There is no model, or it is damaged or newer.
        """
        state = storage.read(Path(path))
        try:
            return cls.from_state(state, encoder=encoder)
        except ModelError as error:
            raise ModelError(f"the model in {path} is damaged: {error}; make it again") from error
        except DAMAGE as error:
            raise ModelError(f"the model in {path} is damaged ({error}); make it again") from error

    def to_state(self) -> dict[str, Any]:
        """Return the fitted model as plain values and arrays.

        Returns
        -------
        dict
            What `from_state` takes.
        """
        check_is_fitted(self)
        average: Any = self._representation.average
        return {
            "n_clusters": self.n_clusters if is_count(self.n_clusters) else self.clusterer_.groups,
            "vectorizer": _part_state(self.vectorizer_),
            "clusterer": _part_state(self.clusterer_),
            "labels": self.labels_,
            "skipped": self.skipped_,
            "n_universum": self.n_universum_,
            "names": self.names_,
            "numbers": self._numbers,
            "embeddings": self._representation.width,
            "word_means": None if self._word_means is None else list(self._word_means),
            "missing": self.missing,
            "description": self._description,
            "fields": self._fields,
            "neighbours": average.to_state() if self._representation.passes else None,
        }

    @classmethod
    def from_state(cls, state: dict[str, Any], *, encoder: Any = None) -> Self:
        """Return the model that `to_state` described; its parts become its parameters, to be fitted again.

        Parameters
        ----------
        state : dict
            What `to_state` returned, perhaps read from a file.
        encoder : default None
            As of the constructor.

        Returns
        -------
        DocumentClustering, fitted

        Raises
        ------
        ModelError
            A part, which the message names, is something else, or does not fit the others.
        """
        vectorizer, clusterer = _part(state["vectorizer"]), _part(state["clusterer"])
        check_state(state, len(vectorizer.get_feature_names_out()), clusterer)
        average, means = _average(state.get("neighbours"), vectorizer, clusterer), state.get("word_means")
        model = cls(  # type: ignore[call-arg]
            state["n_clusters"],
            vectorizer=clone(vectorizer),
            clusterer=clone(clusterer),
            encoder=encoder,
            neighbours=0 if average is None else average.passes_,
            missing=state.get("missing", "error"),
        )
        model._representation = Representation(vectorizer, encoder, state.get("embeddings"), average)
        model._word_means = None if means is None else (np.asarray(means[0]), np.asarray(means[1]))
        model.vectorizer_, model.clusterer_ = vectorizer, clusterer
        model.labels_, model.n_universum_ = state["labels"], state["n_universum"]
        model._fields = state.get("fields")
        model.names_, model._description = state.get("names"), state.get("description")
        model._numbers = state.get("numbers")
        model.skipped_ = [(row, why) for row, why in state["skipped"]]
        return model


def _part_state(part: Any) -> dict[str, Any]:
    name = type(part).__name__
    if type(part) is not SAVEABLE.get(name):
        raise InputError(f"a {name} cannot be saved without pickle; models of {', '.join(SAVEABLE)} can")
    return {"class": name, "state": part.to_state()}


def _average(saved: dict[str, Any] | None, vectorizer: Any, clusterer: Any) -> NeighbourAverage | None:
    """Return what averages rows; raise ModelError unless it makes the rows that were clustered, by the words known."""
    if saved is None:
        return None
    average = NeighbourAverage.from_state(saved)
    known = average.n_words_ in (0, len(vectorizer.get_feature_names_out()))
    if not known or average.n_features_in_ != clusterer.n_features_in_:
        raise ModelError("its neighbours and its groups do not fit together")
    return average


def _part(saved: dict[str, Any]) -> Any:
    if saved["class"] not in SAVEABLE:
        raise ModelError(f"the saved model names an unknown part {saved['class']!r:.60}; update outgroup to read it")
    return SAVEABLE[saved["class"]].from_state(saved["state"])
