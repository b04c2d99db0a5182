"""Texts in, their groups out: a vectorizer and a clusterer as one, saved and loaded as one."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.utils.validation import check_is_fitted

from .cluster.cpm3c import CPM3C
from .cluster.max_margin import MaxMarginClustering
from .cluster.seeded import SeededKMeans
from .cluster.spherical import SphericalKMeans
from .errors import InputError, ModelError
from .steering.place import Steering, takes_seeds
from .steering.seeds import Placed
from .storage import state as storage
from .storage.atomic import new_folder
from .text.vectorize import Vectorizer
from .types import Array, Progress

_PARTS = (Vectorizer, MaxMarginClustering, CPM3C, SphericalKMeans, SeededKMeans)
SAVEABLE: dict[str, Any] = {part.__name__: part for part in _PARTS}
"""The classes that a saved model may name; a file is never trusted to name any other."""

NO_WORD = "no word left that is known"
"""Why a text was skipped."""

LABELLED_AWAY = "labelled off-topic"
"""Why a text of the collection went to the Universum."""


class DocumentClustering(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Groups of documents, from their texts. The order in which they come changes nothing but the order of results.

    Parameters
    ----------
    n_clusters : int, default 8
        Number of groups of the default clusterer.
    vectorizer : default None, a `Vectorizer()`
        Anything with `fit_transform(texts)`, `transform(texts)` and `get_feature_names_out()`. It is copied before
        `fit`.
    clusterer : default None, a `MaxMarginClustering(n_clusters, random_state=random_state)`
        Anything with `fit(X)`, `predict(X)` and `labels_`; with its own number of groups. It is copied before `fit`.
    random_state : int, RandomState instance or None, default None
        Makes the default clusterer's result repeatable.

    Attributes
    ----------
    labels_ : (n,) int32
        The group of each text; -1 for a text with no word left, which is skipped, or labelled off-topic.
    skipped_ : list of (int, str)
        The number of each skipped text, and why.
    n_universum_ : int
        How many texts of the Universum took part.
    names_ : list of str or None
        The name of each group, None for one that nobody named; None altogether without seeds.
    vectorizer_, clusterer_ : the fitted parts; the clusterer saw the rows `X_[order_]`
    X_ : (n - skipped, V) rows of the texts that were not skipped; not saved
    order_ : (n - skipped,) numbers of these rows, in the order of their texts; not saved
    U_ : rows of the Universum, or None; not saved
    placed_ : the seeds as arrays over the rows of `X_`, or None; not saved

    Examples
    --------
    >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's train"]
    >>> groups = DocumentClustering(n_clusters=2, random_state=0).fit(texts)
    >>> groups.labels_[0] == groups.labels_[1], groups.labels_[0] == groups.labels_[2]
    (np.True_, np.False_)
    >>> groups.predict(["fresh bread", "..."]) == [groups.labels_[0], -1]
    array([ True,  True])
    """

    def __init__(
        self, n_clusters: int = 8, *, vectorizer: Any = None, clusterer: Any = None, random_state: Any = None
    ) -> None:
        self.n_clusters = n_clusters
        self.vectorizer = vectorizer
        self.clusterer = clusterer
        self.random_state = random_state

    def fit(
        self,
        texts: Sequence[str],
        y: Any = None,
        *,
        universum: Sequence[str] | None = None,
        seeds: Any = None,
        word_seeds: Any = None,
        ids: Sequence[str] | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """Find the groups of the texts, around the seeds and kept apart from the `universum`.

        Parameters
        ----------
        texts : sequence of n str
        y : ignored
        universum : sequence of str, default None
            Texts that belong to no group. Words are learned from `texts` alone; those without such a word are left out.
        seeds : mapping, `Seeds` or (n,) int array, default None
            Name of a group -> its labelled documents, each an id or (id, highlighted words); or what `read_seeds` read;
            or a number for each text, -1 for unlabelled. Named groups are numbered in their order.
        word_seeds : mapping or (k, V) bool array, default None
            Name of a group -> its labelled words, stemmed as the texts are; or an indicator over the vocabulary.
        ids : sequence of n str, default None
            The texts' ids, for the mappings; by default a text's id is its number.
        progress : callable, optional
            Called with the step ("analysing", "fitting"), how much of it is done, and of how much (None: unknown).

        Raises
        ------
        InputError
            A part of the input cannot be used; the message says which.

        Warns (OutgroupWarning) of every labelled document or word that is not known, naming the nearest.
        """
        report = progress or _silent
        texts = _texts(texts, "texts")
        steering = Steering.of(seeds, word_seeds, ids, len(texts))
        vectorizer, clusterer = self._parts()
        report("analysing", 0, None)
        inside, away = _apart(texts, steering.away)
        X = _call(vectorizer.fit_transform, _texts(inside, "texts"), progress=_step(report, "analysing"))
        kept = spread(_has_words(X), ~steering.away, False, bool)
        self.X_ = X if kept.all() else X[_has_words(X)]
        self.U_ = _universum(vectorizer, universum, away, clusterer)
        self.placed_ = _placed(steering, vectorizer, clusterer, kept)
        report("fitting", 0, None)
        seeded = None if self.placed_ is None else self.placed_.seeds
        order = _sorted_order([text for text, has_word in zip(texts, kept, strict=True) if has_word], seeded)
        extras = {} if self.U_ is None else {"universum": self.U_}
        extras |= self.placed_.arguments(order) if self.placed_ else {}
        _call(clusterer.fit, self.X_[order], progress=_step(report, "fitting"), **extras)
        self.order_, labels = order, np.asarray(clusterer.labels_)[np.argsort(order)]
        self.labels_ = spread(labels, kept, -1, np.int32)
        self.skipped_ = [(int(row), LABELLED_AWAY if steering.away[row] else NO_WORD) for row in np.flatnonzero(~kept)]
        self.n_universum_ = 0 if self.U_ is None else self.U_.shape[0]
        self.names_ = self.placed_.names if self.placed_ else None
        self.vectorizer_, self.clusterer_ = vectorizer, clusterer
        return self

    def predict(self, texts: Sequence[str], *, off_topic: bool = False) -> Array:
        """Return the group of each text, (n,) int32; -1 for a text without a known word.

        With `off_topic`, texts that the clusterer finds off-topic get -1 too; `off_topic_score` tells the two apart.
        Raises InputError for a clusterer that has no such verdict.
        """
        if not off_topic:
            return self._for_each(texts, "predict", -1, np.int32)
        self._finds_off_topic()
        return self._for_each(texts, "predict", -1, np.int32, off_topic=True)

    def off_topic_score(self, texts: Sequence[str]) -> Array:
        """Return how far each text is from all groups, (n,) float64; nan for a text without a known word.

        Higher is more off-topic. Without a Universum it is minus the margin, a much weaker sign (docs/off_topic.md).
        Raises InputError for a clusterer that has no such score.
        """
        self._finds_off_topic()
        return self._for_each(texts, "off_topic_score", np.nan, np.float64)

    def decision_function(self, texts: Sequence[str]) -> Array:
        """Return the score of each text for each group, (n, k) float64; nan for a text without a known word."""
        return self._for_each(texts, "decision_function", np.nan, np.float64)

    def rows(self, texts: Sequence[str]) -> tuple[Any, Array]:
        """Return the rows of the texts, (n, V), and which of them have a known word, (n,) bool."""
        check_is_fitted(self)
        X = self.vectorizer_.transform(_texts(texts, "texts"))
        return X, _has_words(X)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Return the words of the rows' columns, as people should read them."""
        check_is_fitted(self)
        return np.asarray(self.vectorizer_.get_feature_names_out())

    def save(self, path: str | os.PathLike[str], *, replace: bool = False) -> None:
        """Write the fitted model to a folder: `model.json` and `arrays.npz`, no pickle, equal bytes for equal models.

        Raises InputError for parts that are not Outgroup's own (they could not be read without pickle), and OutputError
        when `path` cannot be written, or exists and `replace` is False or it is not a saved model.
        """
        state = self.to_state()
        with new_folder(path, storage.KIND, replace=replace) as folder:
            storage.write(folder, state)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Return the model that `save` wrote; raises ModelError when there is none, or it is damaged or newer."""
        state = storage.read(Path(path))
        try:
            return cls.from_state(state)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise error if isinstance(error, ModelError) else ModelError(f"{path} is damaged: {error}") from error

    def to_state(self) -> dict[str, Any]:
        """Return the fitted model as plain values and arrays."""
        check_is_fitted(self)
        return {
            "n_clusters": self.n_clusters,
            "vectorizer": _part_state(self.vectorizer_),
            "clusterer": _part_state(self.clusterer_),
            "labels": self.labels_,
            "skipped": self.skipped_,
            "n_universum": self.n_universum_,
            "names": self.names_,
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Return the model that `to_state` described; its parts become its parameters, to be fitted again."""
        vectorizer, clusterer = _part(state["vectorizer"]), _part(state["clusterer"])
        if clusterer.n_features_in_ != len(vectorizer.get_feature_names_out()):
            raise ModelError("the saved model is damaged: its words and its groups do not fit together")
        model = cls(state["n_clusters"], vectorizer=clone(vectorizer), clusterer=clone(clusterer))
        model.vectorizer_, model.clusterer_ = vectorizer, clusterer
        model.labels_, model.n_universum_ = state["labels"], state["n_universum"]
        model.names_ = state.get("names")
        model.skipped_ = [(row, why) for row, why in state["skipped"]]
        return model

    def _parts(self) -> tuple[Any, Any]:
        """Return a vectorizer and a clusterer to fit, copies of what was given."""
        vectorizer = Vectorizer() if self.vectorizer is None else clone(self.vectorizer, safe=False)
        if self.clusterer is not None:
            return vectorizer, clone(self.clusterer, safe=False)
        return vectorizer, MaxMarginClustering(self.n_clusters, random_state=self.random_state)

    def _finds_off_topic(self) -> None:
        check_is_fitted(self)
        if not hasattr(self.clusterer_, "off_topic_score"):
            name = type(self.clusterer_).__name__
            raise InputError(f"{name} cannot tell what is off-topic; use MaxMarginClustering")

    def _for_each(self, texts: Sequence[str], verb: str, missing: float, dtype: Any, **options: Any) -> Array:
        X, kept = self.rows(texts)
        # Without a single row left, a zero row asks the clusterer for the result's shape.
        found = getattr(self.clusterer_, verb)(X[kept] if kept.any() else X[:1], **options)
        return spread(found[: kept.sum()], kept, missing, dtype)


def _sorted_order(texts: list[str], seeds: Array | None) -> Array:
    """Return the numbers of the texts in the order of the texts themselves, equal ones by their seeds.

    Starts are drawn by row number, and a file and a folder of the same documents, or tomorrow's export of them, shall
    give the same groups.
    """
    keys = texts if seeds is None else list(zip(texts, seeds.tolist(), strict=True))
    return np.array(sorted(range(len(texts)), key=keys.__getitem__), dtype=np.intp)


def _silent(step: str, done: int, total: int | None) -> None:
    pass


def _step(report: Progress, name: str) -> Callable[[int, int | None], None]:
    return lambda done, total: report(name, done, total)


def _call(method: Any, *given: Any, progress: Any, **extras: Any) -> Any:
    """Call a part that may be another library's: it hears of progress only if it takes it."""
    if "progress" in inspect.signature(method).parameters:
        extras["progress"] = progress
    return method(*given, **extras)


def _texts(texts: Any, name: str) -> list[str]:
    found = [texts] if isinstance(texts, str) else list(texts)
    if isinstance(texts, str) or not all(isinstance(text, str) for text in found):
        raise InputError(f"{name} must be a list of strings")
    if not found:
        raise InputError(f"{name} is empty; give at least one document")
    return found


def _apart(texts: list[str], away: Array) -> tuple[list[str], list[str]]:
    """Return the texts of the collection, and those that were labelled off-topic."""
    both = list(zip(texts, away, strict=True))
    return [text for text, out in both if not out], [text for text, out in both if out]


def _universum(vectorizer: Any, universum: Any, away: list[str], clusterer: Any) -> Any:
    """Return the rows of the Universum and of the texts labelled off-topic; None where there are none of either."""
    if universum is None and not away:
        return None
    if "universum" not in inspect.signature(clusterer.fit).parameters:
        raise InputError(f"{type(clusterer).__name__} takes no universum; leave it out, or use MaxMarginClustering")
    given = [] if universum is None else _texts(universum, "universum")
    U = vectorizer.transform(sorted([*given, *away]))
    kept = _has_words(U)
    if not kept.any():
        raise InputError("no document of the universum has a word that is known from the texts; it can steer nothing")
    return U[kept]


def _placed(steering: Steering, vectorizer: Any, clusterer: Any, kept: Array) -> Placed | None:
    placed = steering.place(vectorizer, getattr(clusterer, "n_clusters", 0), kept)
    if placed is not None:
        takes_seeds(clusterer)
    return placed


def _has_words(X: Any) -> Array:
    """Return which rows are not zero, (n,) bool; a row with nan is not, and its clusterer will say so."""
    return np.asarray(np.asarray(abs(X).sum(axis=1)).ravel() != 0)


def spread(found: Array, kept: Array, missing: Any, dtype: Any) -> Array:
    """Return `found` at the rows that were kept, and `missing` at the others."""
    everything = np.full((len(kept), *np.shape(found)[1:]), missing, dtype=dtype)
    everything[kept] = found
    return everything


def _part_state(part: Any) -> dict[str, Any]:
    name = type(part).__name__
    if type(part) is not SAVEABLE.get(name):
        raise InputError(f"a {name} cannot be saved without pickle; models of {', '.join(SAVEABLE)} can")
    return {"class": name, "state": part.to_state()}


def _part(saved: dict[str, Any]) -> Any:
    if saved["class"] not in SAVEABLE:
        raise ModelError(f"the saved model names an unknown part {saved['class']!r:.60}; update outgroup to read it")
    return SAVEABLE[saved["class"]].from_state(saved["state"])
