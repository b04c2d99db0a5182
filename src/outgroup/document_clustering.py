"""Cluster documents: a vectorizer and a clusterer as one estimator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from inspect import signature
from numbers import Integral
from typing import Any, Self, TypeGuard

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.utils.validation import check_is_fitted

from .cluster.base import is_count
from .cluster.max_margin import MaxMarginClustering
from .cluster.neighbour_average import NeighbourAverage, beside_original
from .cluster.off_topic import OffTopicMixin
from .cluster.profile import Choice, Profile, k_profile
from .errors import InputError
from .saved_model import SavedModel
from .seeds import Placed, Steering, takes_seeds
from .stopping import stoppable
from .text.collection import Arranged, Collection, ids_of, open_collection
from .text.representation import Representation, Spaces
from .text.tables import Inputs
from .text.texts import as_texts
from .text.vectorizer import Vectorizer
from .types import Array, FindsOffTopic, OnProgress, OnStep, Progress, Reports, StartsFrom, no_op


@dataclass(frozen=True)
class Fitted:
    """A clusterer fitted on the rows `arranged.spaces.space[order]`, with its seeds or None."""

    clusterer: Any
    arranged: Arranged
    order: Array
    placed: Placed | None

    @property
    def labels(self) -> Array:
        """The group of each of the n documents, (n,) int32; -1 for excluded and off-topic documents."""
        own = np.asarray(self.clusterer.labels_)[np.argsort(self.order)]
        return spread(own, self.arranged.inside, -1, np.int32)


def copied_clusterer(given: Any) -> Any:
    """Return an unfitted copy of a clusterer; raise InputError for any other object."""
    return _copied(given, "clusterer", "fit", "SphericalKMeans()")


def copied_vectorizer(given: Any) -> Any:
    """Return an unfitted copy of a vectorizer, by default a `Vectorizer()`; raise InputError for any other object."""
    return Vectorizer() if given is None else _copied(given, "vectorizer", "fit_transform", "Vectorizer()")


def _copied(given: Any, name: str, verb: str, example: str) -> Any:
    if isinstance(given, type) or not hasattr(given, verb):
        raise InputError(f"{name} {given!r:.60} is not valid: give an object, such as {example}")
    return clone(given, safe=False)


def fit_from_nothing(
    documents: Collection,
    clusterer: Any,
    steering: Steering,
    progress: Any,
    *,
    init: Array | None = None,
    **others: Any,
) -> Fitted:
    """Fit `clusterer` on the documents without an off-topic label, in the order of their texts.

    `init` (n,) is the initial label of each document; `others` are further arguments of the clusterer's `fit`. Raises
    InputError for arguments that the clusterer does not support.
    """
    # 1. Remove the documents with an off-topic label; they join the Universum.
    arranged = Arranged.of(documents, frozenset(np.flatnonzero(steering.away).tolist()))
    if arranged.examples is not None or documents.universum is not None:
        _takes_universum(clusterer)
    # 2. Resolve seeds by name to arrays over rows and words.
    placed = steering.place(documents.representation.vectorizer, getattr(clusterer, "n_clusters", 0), arranged.inside)
    if placed is not None:
        takes_seeds(clusterer)
    # 3. Sort the rows, so that the order of the input does not change the result.
    seeds = None if placed is None else placed.seeds
    order = arranged.order() if seeds is None else arranged.spaces.order(seeds)
    X, examples = rows_and_examples(arranged.spaces, arranged.examples, clusterer, order)
    # 4. Collect the arguments that the clusterer supports, and fit it.
    extras = others | _seed_arguments(arranged, placed, order, clusterer)
    extras |= examples_for(clusterer, examples, arranged.thrown)
    if init is not None:
        extras["init"] = init[arranged.inside][order]
    call(clusterer.fit, X, progress=progress, **extras)
    if not hasattr(clusterer, "labels_"):
        name = type(clusterer).__name__
        raise InputError(f"{name} finds no groups: it has no labels_ after fit; use a clusterer")
    return Fitted(clusterer, arranged, order, placed)


def is_number(choice: Any) -> TypeGuard[int]:
    """Return whether a choice of the number of groups is an integer, not a profile; booleans are not integers."""
    return isinstance(choice, Integral) and not isinstance(choice, bool)


def choose_groups(documents: Collection, choice: Choice, clusterer: Any, progress: Any) -> Profile | None:
    """Set `n_clusters` of `clusterer` to `choice`, or to the number that a profile chooses.

    Returns the profile, or None for a fixed number.
    """
    if is_number(choice):
        clusterer.set_params(n_clusters=int(choice))
        return None
    order, spaces = documents.spaces.order(), documents.spaces
    profile = k_profile(spaces.space[order], choice, words=sp.csr_matrix(spaces.words)[order], progress=progress)
    clusterer.set_params(n_clusters=profile.chosen)
    return profile


def _seed_arguments(arranged: Arranged, placed: Placed | None, order: Array, clusterer: Any) -> dict[str, Any]:
    """Return the seeds as arguments of a clusterer's `fit`, and the neighbour graph if the clusterer uses one."""
    extras: dict[str, Any] = {}
    if placed is not None:
        extras |= placed.arguments(order)
        if arranged.spaces.apart and "word_seeds" in extras:
            extras["words"] = arranged.spaces.words[order]
    useful = placed is not None or not arranged.documents.representation.passes  # averaged rows include neighbours
    if useful and arranged.spaces.graph is not None and "graph" in getattr(clusterer, "steered_by", ()):
        extras["graph"] = arranged.spaces.graph[order][:, order]
    return extras


def rows_and_examples(spaces: Spaces, examples: Spaces | None, clusterer: Any, order: Array) -> tuple[Any, Any]:
    """Return the matrices of a clusterer's `fit`: the documents' rows in `order`, and the rows of `examples` or None.

    Without examples the original rows are not needed: the averaged rows suffice.
    """
    if examples is None:
        return spaces.space[order], None
    return rows_of(spaces, clusterer, order), rows_of(examples, clusterer)


def rows_of(spaces: Spaces, clusterer: Any, order: Any = slice(None)) -> Any:
    """Return the input matrix of a clusterer, its rows in `order`.

    Clusterers of Outgroup find groups among the averaged rows, and off-topic documents among the original rows.
    """
    own = None if spaces.original is None or not isinstance(clusterer, OffTopicMixin) else spaces.original[order]
    return beside_original(spaces.space[order], own)


def averaging(neighbours: Any, groups: Any) -> NeighbourAverage:
    """Return the neighbour average with `neighbours` passes; "auto" chooses it by the number of `groups`.

    Raises InputError unless `neighbours` is "auto" or an integer >= 0.

    >>> averaging(2, 8).passes
    2
    """
    if neighbours != "auto" and not is_count(neighbours, 0):
        raise InputError(f'neighbours={neighbours!r:.60} is not valid: give "auto", 0, or the number of passes')
    return NeighbourAverage(neighbours, n_groups=groups if is_count(groups) else None)


def examples_for(clusterer: Any, examples: Any, thrown: Array | None) -> dict[str, Any]:
    """Return the `examples` as arguments of a clusterer's `fit`; clusterers of Outgroup also take the mask `thrown`."""
    if examples is None or not isinstance(clusterer, FindsOffTopic):
        return {}
    return {"universum": examples} | ({"thrown_away": thrown} if isinstance(clusterer, OffTopicMixin) else {})


def _takes_universum(clusterer: Any) -> None:
    if not isinstance(clusterer, FindsOffTopic):
        raise InputError(f"{type(clusterer).__name__} takes no universum; leave it out, or use MaxMarginClustering")


def call(method: Any, *given: Any, progress: Any, **extras: Any) -> Any:
    """Call a method of a part, perhaps of another library; pass `progress` only if the part supports it."""
    if supports(getattr(method, "__self__", None), "progress"):
        extras["progress"] = progress
    return method(*given, **extras)


def supports(part: Any, name: str) -> bool:
    """Return whether a part calls the callback `name` during `fit`."""
    return isinstance(part, Reports) and name in part.reports


def spread(found: Array, kept: Array, missing: Any, dtype: Any) -> Array:
    """Return `found` at the rows of the mask `kept`, and `missing` elsewhere."""
    everything = np.full((len(kept), *np.shape(found)[1:]), missing, dtype=dtype)
    everything[kept] = found
    return everything


class DocumentClustering(SavedModel, ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Base of `outgroup.DocumentClustering` for lists of texts, with the same parameters and attributes.

    Attributes
    ----------
    vectorizer_, clusterer_ : the fitted parts; the clusterer saw the rows `spaces_.space[order_]`
    word_coef_, word_reject_ : weights of the words for each group and for "none of these"
    spaces_ : the clustered texts, their rows `space` (n - skipped, d), and their TF-IDF rows `words`
        (n - skipped, V), the same object without embeddings; not saved
    order_ : (n - skipped,) numbers of these rows, in the order of their texts; not saved
    examples_ : the off-topic examples, in the form of `spaces_`, or None; not saved
    thrown_ : (N,) bool mask of the examples that are documents with an off-topic label, or None; not saved
    placed_ : the seeds as arrays over the rows of `spaces_`, or None; not saved

    Examples
    --------
    >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's train"]
    >>> groups = DocumentClustering(n_clusters=2, random_state=0).fit(texts)
    >>> groups.labels_ == groups.labels_[0]
    array([ True,  True, False, False])
    """

    spaces_: Spaces
    order_: Array
    placed_: Placed | None
    examples_: Spaces | None
    thrown_: Array | None

    def __init__(
        self,
        n_clusters: Choice = 8,
        *,
        vectorizer: Any = None,
        clusterer: Any = None,
        encoder: Any = None,
        neighbours: int | str = "auto",
        missing: str = "error",
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.vectorizer = vectorizer
        self.clusterer = clusterer
        self.encoder = encoder
        self.neighbours = neighbours
        self.missing = missing
        self.random_state = random_state

    def fit(
        self,
        texts: Sequence[str],
        y: Any = None,
        *,
        embeddings: Any = None,
        universum: Sequence[str] | None = None,
        universum_embeddings: Any = None,
        seeds: Any = None,
        word_seeds: Any = None,
        ids: Sequence[str] | None = None,
        init: Any = None,
        progress: Progress | None = None,
        on_step: OnStep | None = None,
        cancel: Callable[[], bool] | None = None,
    ) -> Self:
        """Find the groups of the texts, a list, an array or a column; see `outgroup.DocumentClustering`.

        Warns (OutgroupWarning) of unknown labelled documents and words, with the nearest known ones; of a Universum
        without usable texts; and of texts in both collections.
        """
        with stoppable(cancel):
            return self._fit(
                texts, embeddings, universum, universum_embeddings, seeds, word_seeds, ids, init, progress, on_step
            )

    def _fit(
        self, texts: Any, embeddings: Any, universum: Any, universum_embeddings: Any, seeds: Any, word_seeds: Any,
        ids: Any, init: Any, progress: Progress | None, on_step: Any,
    ) -> Self:  # fmt: skip
        report = progress or no_op
        # 1. Check the texts, the Universum and the seeds.
        given = as_texts(texts, "texts", self.missing)
        others = None if universum is None else as_texts(universum, "universum", self.missing)
        steering = Steering.of(seeds, word_seeds, ids_of(ids, len(given)))
        # 2. Learn the vocabulary, choose k, and average rows with their neighbours.
        vectorizer, clusterer = self._parts()
        inputs = Inputs(given, steering.ids, None, others, embeddings, universum_embeddings)
        documents = self._opened(inputs, vectorizer, clusterer, report)
        # 3. Fit the clusterer from its own starts, or from `init`.
        report("fitting", 0, None)
        reports = {"on_step": on_step} if on_step is not None and supports(clusterer, "on_step") else {}
        start = None if init is None else _start(clusterer, init, given, embeddings)
        fitted = fit_from_nothing(documents, clusterer, steering, _step(report, "fitting"), init=start, **reports)
        # 4. Store the labels, the rows and the weights of the words.
        names = fitted.placed.names if fitted.placed else None
        self._store(clusterer, fitted.arranged, fitted.labels, fitted.order, names, fitted.placed)
        return self

    @classmethod
    def around(
        cls,
        clusterer: Any,
        arranged: Arranged,
        labels: Array,
        *,
        order: Array,
        names: list[str | None] | None = None,
        placed: Placed | None = None,
        numbers: Sequence[int] | None = None,
    ) -> Self:
        """Return a fitted model of fitted parts; a session makes its versions with it.

        Parameters
        ----------
        clusterer : fitted on `arranged.spaces.space[order]` and the examples' rows
        arranged : `Arranged`
            The clustered documents and the examples.
        labels : (n,) int array
            The group of each text, as a column of the clusterer's scores.
        order : (n - skipped,) int array
            The order of the documents in the clusterer's input.
        names : list of str or None, default None
            The name of each group.
        placed : `Placed`, default None
            The seeds of the fit.
        numbers : sequence of k int, default None
            The groups' numbers; by default 0 to k - 1.

        Returns
        -------
        DocumentClustering, fitted
        """
        model = cls(len(clusterer.coef_), vectorizer=arranged.documents.representation.vectorizer, clusterer=clusterer)
        model._store(clusterer, arranged, labels, order, names, placed, numbers)
        return model

    def predict(self, texts: Any, *, embeddings: Any = None, off_topic: bool | None = None) -> Array:
        """Return the group number of each text.

        Parameters
        ----------
        texts : sequence of n str
        embeddings : (n, d) array, default None
            For a model of embeddings: a vector for each text, unless an encoder makes them.
        off_topic : bool or None, default None
            Whether off-topic texts get -1; `off_topic_score` distinguishes them from texts without a row. None: as in
            the fit. False: each of them gets a group.

        Returns
        -------
        (n,) int32 array
            -1 for a text without a row: no known word, or a zero embedding.

        Raises
        ------
        InputError
            The clusterer has no off-topic verdict, or `embeddings` are missing or differ in width from the fit.
        """
        return self._numbered(self._places(texts, embeddings, off_topic))

    def off_topic_score(self, texts: Any, *, embeddings: Any = None) -> Array:
        """Return the off-topic score of each text; higher is more off-topic.

        Without a Universum it is minus the margin, a much weaker score (docs/off_topic.md).

        Parameters
        ----------
        texts, embeddings :
            As for `predict`.

        Returns
        -------
        (n,) float64 array
            nan for a text without a row.

        Raises
        ------
        InputError
            The clusterer has no such score, or `embeddings` are missing or differ in width from the fit.
        """
        self._finds_off_topic()
        return self._for_each(texts, embeddings, "off_topic_score", np.nan, np.float64)

    def decision_function(self, texts: Any, *, embeddings: Any = None) -> Array:
        """Return the score of each text for each group, in the order of `numbers_`.

        Parameters
        ----------
        texts, embeddings :
            As for `predict`.

        Returns
        -------
        (n, k) float64 array
            nan for a text without a row.
        """
        return self._for_each(texts, embeddings, "decision_function", np.nan, np.float64)

    def represent(self, texts: Any, *, embeddings: Any = None) -> tuple[Spaces, Array]:
        """Return the rows of texts in the spaces of the fit, and the mask of the texts that have one.

        Parameters
        ----------
        texts, embeddings :
            As for `predict`.

        Returns
        -------
        spaces, kept
            The m documents with a row, in the form of `spaces_`, and (n,) bool.
        """
        check_is_fitted(self)
        return self._representation.transform(self._as_texts(texts), embeddings)

    @property
    def numbers_(self) -> Array:
        """The numbers of the groups, (k,) int32, in the order of scores: 0 to k - 1 without those of merged groups."""
        return self._numbered(np.arange(len(self.word_coef_), dtype=np.int32))

    @property
    def kept_(self) -> Array:
        """Mask of the texts with a row in `spaces_`, (n,) bool: all but the skipped ones."""
        kept = np.ones(len(self.labels_), dtype=bool)
        kept[[row for row, _ in self.skipped_]] = False
        return kept

    @property
    def neighbours_(self) -> int:
        """Number of passes that average rows with their neighbours before the fit; 0 for none."""
        return self._representation.passes

    @property
    def word_coef_(self) -> Array:
        """Weights of the words for each group, (k, V): the clusterer's coefficients among TF-IDF rows, else the mean
        TF-IDF rows of the groups."""
        return np.asarray(self.clusterer_.coef_ if self._word_means is None else self._word_means[0])

    @property
    def word_reject_(self) -> tuple[Array, Array] | None:
        """Coefficients (k + j, V) and intercepts (k + j,) in words, reject rows last; None without a Universum."""
        if getattr(self.clusterer_, "reject_coef_", None) is None:
            return None
        if self._word_means is None:
            return self.clusterer_.reject_coef_, self.clusterer_.reject_intercept_
        directions = np.vstack(self._word_means)
        return directions, np.zeros(len(directions))

    @property
    def representation_(self) -> Representation:
        """The fitted vectorizer, and the width of embeddings."""
        return self._representation

    def _parts(self) -> tuple[Any, Any]:
        """Return unfitted copies of the vectorizer and the clusterer."""
        vectorizer = copied_vectorizer(self.vectorizer)
        if self.clusterer is not None:
            return vectorizer, copied_clusterer(self.clusterer)
        k = 1 if self._chooses_k() else self.n_clusters
        return vectorizer, MaxMarginClustering(k, random_state=self.random_state)

    def _opened(self, inputs: Inputs, vectorizer: Any, clusterer: Any, report: Progress) -> Collection:
        """Return the documents with their averaged rows, and set the number of groups."""
        report("analysing", 0, None)
        learn = partial(call, vectorizer.fit_transform, progress=_step(report, "analysing"))
        documents = open_collection(inputs, Representation(vectorizer, self.encoder), learn=learn)
        self.profile_ = None
        if self._chooses_k():
            choosing = _step(report, "choosing the number of groups")
            self.profile_ = choose_groups(documents, self.n_clusters, clusterer, choosing)
        average = averaging(self.neighbours, getattr(clusterer, "n_clusters", None))
        return documents.averaged(average, _step(report, "finding neighbours"))

    def _chooses_k(self) -> bool:
        """Return whether a profile chooses the number of groups."""
        return not is_number(self.n_clusters)

    def _places(self, texts: Any, embeddings: Any, off_topic: bool | None = None) -> Array:
        """Return the result of `predict` with positions in `numbers_` in place of the numbers."""
        if off_topic is None:
            return self._for_each(texts, embeddings, "predict", -1, np.int32)
        if not off_topic and not isinstance(self.clusterer_, FindsOffTopic):
            return self._for_each(texts, embeddings, "predict", -1, np.int32)
        self._finds_off_topic()
        return self._for_each(texts, embeddings, "predict", -1, np.int32, off_topic=off_topic)

    def _numbered(self, places: Array) -> Array:
        return places if self._numbers is None else np.array([*self._numbers, -1], dtype=np.int32)[places]

    def _as_texts(self, given: Any) -> list[str]:
        return as_texts(given, "texts", self.missing)

    def _store(
        self, clusterer: Any, arranged: Arranged, labels: Array, order: Array, names: list[str | None] | None,
        placed: Placed | None, numbers: Sequence[int] | None = None,
    ) -> None:  # fmt: skip
        """Set the fitted attributes.

        `labels` (n,) are positions in `numbers`, by default 0 to k - 1.
        """
        spaces, examples = arranged.spaces, arranged.examples
        self._representation = arranged.documents.representation
        self.vectorizer_, self.clusterer_ = self._representation.vectorizer, clusterer
        self.order_, self.placed_, self.names_ = order, placed, names
        self._numbers = None if numbers is None else list(numbers)
        self.labels_, self.skipped_ = self._numbered(labels.astype(np.int32)), arranged.skipped()
        self.spaces_, self.examples_, self.thrown_ = spaces, examples, arranged.thrown
        self.n_universum_ = 0 if examples is None else len(examples)
        self._word_means, self._description = None, None
        if spaces.apart or not hasattr(clusterer, "coef_"):
            junk = (
                np.zeros(spaces.words.shape[1]) if examples is None else examples.mean_words(np.zeros(len(examples)), 1)
            )
            means = spaces.mean_words(
                labels[arranged.inside], len(getattr(clusterer, "coef_", range(labels.max() + 1)))
            )
            self._word_means = means, junk.reshape(1, -1)

    def _finds_off_topic(self) -> None:
        check_is_fitted(self)
        if not isinstance(self.clusterer_, FindsOffTopic):
            name = type(self.clusterer_).__name__
            raise InputError(f"{name} has no off-topic score; use MaxMarginClustering")

    def _has(self, verb: str) -> None:
        if not hasattr(self.clusterer_, verb):
            name = type(self.clusterer_).__name__
            raise InputError(f"{name} has no {verb}; use a clusterer of outgroup")

    def _for_each(self, texts: Any, embeddings: Any, verb: str, missing: float, dtype: Any, **options: Any) -> Array:
        spaces, kept = self.represent(texts, embeddings=embeddings)
        self._has(verb)
        # Without any row, a zero row gives the shape of the result.
        X = rows_of(spaces, self.clusterer_) if len(spaces) else np.zeros((1, self.clusterer_.n_features_in_))
        return spread(getattr(self.clusterer_, verb)(X, **options)[: kept.sum()], kept, missing, dtype)


def _step(report: Progress, name: str) -> OnProgress:
    return lambda done, total: report(name, done, total)


def _start(clusterer: Any, init: Any, texts: list[str], embeddings: Any) -> Array:
    """Return the initial labels of the texts, (n,)."""
    if not isinstance(clusterer, StartsFrom):
        raise InputError(f"{type(clusterer).__name__} takes no init; leave it out, or use MaxMarginClustering")
    if isinstance(init, DocumentClustering):
        return init._places(texts, embeddings)
    if hasattr(init, "predict"):
        if "embeddings" not in signature(init.predict).parameters:
            name = type(init).__name__
            raise InputError(f"{name} predicts from rows, not from texts: give its labels_ of these texts as init")
        return np.asarray(init.predict(texts, embeddings=embeddings))
    labels = np.asarray(init)
    if labels.shape != (len(texts),):
        raise InputError(f"init has shape {labels.shape} for {len(texts)} texts: give one label per text, -1 for none")
    return labels
