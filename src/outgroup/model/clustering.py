"""Texts in, their groups out: a vectorizer and a clusterer as one, saved and loaded as one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.utils.validation import check_is_fitted

from ..cluster.max_margin import MaxMarginClustering
from ..cluster.profile import Choice
from ..errors import InputError
from ..steering.place import Steering
from ..steering.seeds import Placed
from ..stopping import stoppable
from ..text.collection import Arranged, open_collection
from ..text.given import as_texts
from ..text.representation import Representation, Spaces
from ..text.vectorize import Vectorizer
from ..types import Array, FindsOffTopic, Progress, StartsFrom
from .fitting import averaging, call, choose_groups, fit_from_nothing, hears, spread
from .saved import SavedModel


class DocumentClustering(SavedModel, ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Groups of documents, from their texts. The order in which they come changes nothing but the order of results.

    Parameters
    ----------
    n_clusters : int, "auto" or (int, int), default 8
        Number of groups of the default clusterer. "auto", or the fewest and the most: a profile over such numbers
        chooses it (`outgroup.k_profile`), for a given clusterer, too.
    vectorizer : default None, a `Vectorizer()`
        Anything with `fit_transform(texts)`, `transform(texts)` and `get_feature_names_out()`. It is copied before
        `fit`.
    clusterer : default None, a `MaxMarginClustering(n_clusters, random_state=random_state)`
        Anything with `fit(X)`, `predict(X)` and `labels_`; with its own number of groups. It is copied before `fit`.
    encoder : default None
        What makes an embedding of each text, where `fit` and `predict` are not given them: a function of a list of
        texts, an object with `encode(texts)` or `embed_documents(texts)`, "package:object", or the folder or name of a
        static model (extra `embeddings`). Groups are then found among the embeddings and told by the texts' words.
    neighbours : int or "auto", default "auto"
        How often rows are averaged with their 15 nearest rows before groups are looked for, as `NeighbourAverage` does:
        0 for never; "auto" helps short texts and embeddings where there are a thousand or more, and leaves others.
    missing : {"error", "skip"}, default "error"
        What to do with None or NaN among the texts: raise InputError, naming the first, or skip it.
    random_state : int, RandomState instance or None, default None
        Makes the default clusterer's result repeatable.

    Attributes
    ----------
    labels_ : (n,) int32
        The group of each text; -1 for a text that is set aside as off-topic, and for one that is skipped, since it has
        no row, or is labelled off-topic.
    skipped_ : list of (int, str)
        The number of each skipped text, and why.
    n_universum_ : int
        How many texts of the Universum took part.
    profile_ : Profile or None
        What chose the number of groups; None where it was given.
    names_ : list of str or None
        The name of each group, None for one that nobody named; None altogether without seeds.
    vectorizer_, clusterer_ : the fitted parts; the clusterer saw the rows `spaces_.space[order_]`
    neighbours_ : how often rows were averaged with their neighbours
    word_coef_, word_reject_ : what words say for each group and for "none of these"
    spaces_ : the texts that were not skipped, their rows `space` (n - skipped, d) in which groups were found, and their
        TF-IDF rows `words` (n - skipped, V), the same object without embeddings; not saved
    order_ : (n - skipped,) numbers of these rows, in the order of their texts; not saved
    U_ : rows of the Universum, or None; not saved
    placed_ : the seeds as arrays over the rows of `spaces_`, or None; not saved

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
        on_step: Callable[[dict[str, Any]], None] | None = None,
        cancel: Callable[[], bool] | None = None,
    ) -> Self:
        """Find the groups of the texts, around the seeds and kept apart from the `universum`.

        Parameters
        ----------
        texts : sequence of n str
            A list, an array, or a column of pandas or pyarrow.
        y : ignored
        embeddings : (n, d) array, default None
            A vector for each text, of any real dtype, perhaps a memory-mapped file: groups are found among these,
            scaled to unit length, and told by the texts' words. By default the encoder makes them; without one, groups
            are found by words.
        universum : sequence of str, default None
            Texts that belong to no group. Words are learned from `texts` alone; those without such a word are left out.
        universum_embeddings : (N, d) array, default None
            A vector for each text of the Universum, made as `embeddings` were.
        seeds : mapping, `Seeds` or (n,) int array, default None
            Name of a group -> its labelled documents, each an id or (id, highlighted words); or what `read_seeds` read;
            or a number for each text, -1 for unlabelled. Named groups are numbered in their order.
        word_seeds : mapping or (k, V) bool array, default None
            Name of a group -> its labelled words, stemmed as the texts are; or an indicator over the vocabulary.
        ids : sequence of n str, default None
            The texts' ids, for the mappings; by default a text's id is its number.
        init : (n,) int array or fitted DocumentClustering, default None
            Where the search for groups starts: the group of each text, -1 for one that is in none; or a model, for what
            it predicts. Groups keep these numbers. By default the clusterer makes its own starts.
        progress : callable, optional
            Called with the step ("analysing", "fitting"), how much of it is done, and of how much (None: unknown).
        on_step : callable, optional
            Called after each step of a clusterer that takes it, with a dictionary of what the step did.
        cancel : callable, optional
            Asked between two passes, from any thread: once it returns True the fit ends with CancelledError. For a
            `threading.Event`, its `is_set`.

        Returns
        -------
        self

        Raises
        ------
        CancelledError
            `cancel` said so.
        InputError
            A part of the input cannot be used; the message says which.

        Warns (OutgroupWarning) of every labelled document or word that is not known, naming the nearest, of a Universum
        of which nothing is left, and of texts that are in both.
        """
        with stoppable(cancel):
            return self._fit(
                texts, embeddings, universum, universum_embeddings, seeds, word_seeds, ids, init, progress, on_step
            )

    def _fit(
        self, texts: Any, embeddings: Any, universum: Any, universum_embeddings: Any, seeds: Any, word_seeds: Any,
        ids: Any, init: Any, progress: Progress | None, on_step: Any,
    ) -> Self:  # fmt: skip
        report = progress or _silent
        given = as_texts(texts, "texts", self.missing)
        others = None if universum is None else as_texts(universum, "universum", self.missing)
        steering = Steering.of(seeds, word_seeds, ids, len(given))
        vectorizer, clusterer = self._parts()
        report("analysing", 0, None)
        documents = open_collection(
            given, steering.ids, None, others, vectorizer, embeddings=embeddings, encoder=self.encoder,
            universum_embeddings=universum_embeddings,
            learn=partial(call, vectorizer.fit_transform, progress=_step(report, "analysing")),
            average=averaging(self.neighbours, None if self._asks() else getattr(clusterer, "n_clusters", None)),
            progress=_step(report, "finding neighbours"),
        )  # fmt: skip
        self.profile_ = None
        if self._asks():
            choosing = _step(report, "choosing the number of groups")
            self.profile_ = choose_groups(documents, self.n_clusters, clusterer, choosing)
        report("fitting", 0, None)
        told = {"on_step": on_step} if on_step is not None and hears(clusterer, "on_step") else {}
        start = None if init is None else _start(clusterer, init, given, embeddings)
        fitted = fit_from_nothing(documents, clusterer, steering, _step(report, "fitting"), init=start, **told)
        names = fitted.placed.names if fitted.placed else None
        self._keep(clusterer, fitted.arranged, fitted.labels, fitted.order, names, fitted.placed)
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
    ) -> Self:
        """Return a fitted model of parts that are fitted already, as a session's versions are made.

        Parameters
        ----------
        clusterer : fitted on `arranged.spaces.space[order]` and the examples' rows
        arranged : `Arranged`
            The documents and the examples that took part.
        labels : (n,) whole numbers
            The group of each text.
        order : (n - skipped,) whole numbers
            The order in which the clusterer saw the documents.
        names : list of str or None, default None
            The name of each group.
        placed : `Placed`, default None
            The seeds that the fit had.

        Returns
        -------
        DocumentClustering, fitted
        """
        model = cls(len(clusterer.coef_), vectorizer=arranged.documents.representation.vectorizer, clusterer=clusterer)
        model._keep(clusterer, arranged, labels, order, names, placed)
        return model

    def predict(self, texts: Sequence[str], *, embeddings: Any = None, off_topic: bool | None = None) -> Array:
        """Return the group of each text.

        Parameters
        ----------
        texts : sequence of n str
        embeddings : (n, d) array, default None
            Where the groups were found among embeddings: a vector for each text, unless an encoder makes them.
        off_topic : bool or None, default None
            Whether texts that the clusterer finds off-topic get -1; `off_topic_score` tells them from those without a
            row. None: where the fit set such texts aside; False gives each of them a group.

        Returns
        -------
        (n,) int32 array
            -1 for a text that has no row: no known word, or a zero embedding.

        Raises
        ------
        InputError
            The clusterer has no such verdict, or `embeddings` are missing or do not fit those of the fit.
        """
        if off_topic is None:
            return self._for_each(texts, embeddings, "predict", -1, np.int32)
        if not off_topic and not isinstance(self.clusterer_, FindsOffTopic):
            return self._for_each(texts, embeddings, "predict", -1, np.int32)
        self._finds_off_topic()
        return self._for_each(texts, embeddings, "predict", -1, np.int32, off_topic=off_topic)

    def off_topic_score(self, texts: Sequence[str], *, embeddings: Any = None) -> Array:
        """Return how far each text is from all groups; higher is more off-topic.

        Without a Universum it is minus the margin, a much weaker sign (docs/off_topic.md).

        Parameters
        ----------
        texts : sequence of n str
        embeddings : (n, d) array, default None
            Where the groups were found among embeddings: a vector for each text, unless an encoder makes them.

        Returns
        -------
        (n,) float64 array
            nan for a text that has no row.

        Raises
        ------
        InputError
            The clusterer has no such score, or `embeddings` are missing or do not fit those of the fit.
        """
        self._finds_off_topic()
        return self._for_each(texts, embeddings, "off_topic_score", np.nan, np.float64)

    def decision_function(self, texts: Sequence[str], *, embeddings: Any = None) -> Array:
        """Return the score of each text for each group.

        Parameters
        ----------
        texts : sequence of n str
        embeddings : (n, d) array, default None
            Where the groups were found among embeddings: a vector for each text, unless an encoder makes them.

        Returns
        -------
        (n, k) float64 array
            nan for a text that has no row.
        """
        return self._for_each(texts, embeddings, "decision_function", np.nan, np.float64)

    def represent(self, texts: Sequence[str], *, embeddings: Any = None) -> tuple[Spaces, Array]:
        """Return the documents that have a row, in the fit's spaces, and which of the texts they are.

        Parameters
        ----------
        texts : sequence of n str
        embeddings : (n, d) array, default None
            Where the groups were found among embeddings: a vector for each text, unless an encoder makes them.

        Returns
        -------
        spaces, kept
            The m documents that have a row, as `spaces_` has them, and (n,) bool.
        """
        check_is_fitted(self)
        return self._representation.transform(self._as_texts(texts), embeddings)

    def _as_texts(self, given: Any) -> list[str]:
        return as_texts(given, "texts", self.missing)

    @property
    def kept_(self) -> Array:
        """Which texts have a row in `spaces_`, (n,) bool: all but the skipped ones."""
        kept = np.ones(len(self.labels_), dtype=bool)
        kept[[row for row, _ in self.skipped_]] = False
        return kept

    @property
    def neighbours_(self) -> int:
        """How often rows were averaged with their neighbours before groups were looked for; 0 for never."""
        return self._representation.passes

    @property
    def word_coef_(self) -> Array:
        """What each word says for each group, shape (k, V): the clusterer's directions where groups are found by words,
        else the mean TF-IDF rows of the groups' texts."""
        return np.asarray(self.clusterer_.coef_ if self._word_means is None else self._word_means[0])

    @property
    def word_reject_(self) -> tuple[Array, Array] | None:
        """Directions (k + 1, V) and intercepts (k + 1,) in words, "none of these" last; None without a reject row."""
        if getattr(self.clusterer_, "reject_coef_", None) is None:
            return None
        if self._word_means is None:
            return self.clusterer_.reject_coef_, self.clusterer_.reject_intercept_
        directions = np.vstack(self._word_means)
        return directions, np.zeros(len(directions))

    @property
    def representation_(self) -> Representation:
        """How the texts became rows: the fitted vectorizer, and the width of embeddings."""
        return self._representation

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Return the words of the rows' columns, as people should read them.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        (V,) object array of str
        """
        check_is_fitted(self)
        return np.asarray(self.vectorizer_.get_feature_names_out())

    def _parts(self) -> tuple[Any, Any]:
        """Return a vectorizer and a clusterer to fit, copies of what was given."""
        vectorizer = Vectorizer() if self.vectorizer is None else clone(self.vectorizer, safe=False)
        if self.clusterer is not None:
            return vectorizer, clone(self.clusterer, safe=False)
        k = 1 if self._asks() else self.n_clusters
        return vectorizer, MaxMarginClustering(k, random_state=self.random_state)

    def _asks(self) -> bool:
        """Whether a profile shall choose the number of groups."""
        return not isinstance(self.n_clusters, Integral)

    def _keep(
        self, clusterer: Any, arranged: Arranged, labels: Array, order: Array, names: list[str | None] | None,
        placed: Placed | None,
    ) -> None:  # fmt: skip
        """Keep the documents and the examples that a fit saw, and what their words say of the groups."""
        spaces, examples = arranged.spaces, arranged.examples
        self._representation = arranged.documents.representation
        self.vectorizer_, self.clusterer_ = self._representation.vectorizer, clusterer
        self.order_, self.placed_, self.names_ = order, placed, names
        self.labels_, self.skipped_ = labels.astype(np.int32), arranged.skipped()
        self.spaces_, self.U_ = spaces, None if examples is None else examples.space
        self.n_universum_ = 0 if examples is None else len(examples)
        self._word_means = None
        if spaces.apart:
            junk = (
                np.zeros(spaces.words.shape[1]) if examples is None else examples.mean_words(np.zeros(len(examples)), 1)
            )
            means = spaces.mean_words(labels[arranged.inside], len(clusterer.coef_))
            self._word_means = means, junk.reshape(1, -1)

    def _finds_off_topic(self) -> None:
        check_is_fitted(self)
        if not isinstance(self.clusterer_, FindsOffTopic):
            name = type(self.clusterer_).__name__
            raise InputError(f"{name} cannot tell what is off-topic; use MaxMarginClustering")

    def _for_each(
        self, texts: Sequence[str], embeddings: Any, verb: str, missing: float, dtype: Any, **options: Any
    ) -> Array:
        spaces, kept = self.represent(texts, embeddings=embeddings)
        # Without a single row left, a zero row asks the clusterer for the result's shape.
        X = spaces.space if len(spaces) else np.zeros((1, self.clusterer_.n_features_in_))
        return spread(getattr(self.clusterer_, verb)(X, **options)[: kept.sum()], kept, missing, dtype)


def _silent(step: str, done: int, total: int | None) -> None:
    pass


def _step(report: Progress, name: str) -> Callable[[int, int | None], None]:
    return lambda done, total: report(name, done, total)


def _start(clusterer: Any, init: Any, texts: list[str], embeddings: Any) -> Array:
    """Return the group of each text to start from, (n,)."""
    if not isinstance(clusterer, StartsFrom):
        raise InputError(f"{type(clusterer).__name__} takes no init; leave it out, or use MaxMarginClustering")
    if hasattr(init, "predict"):
        return np.asarray(init.predict(texts, embeddings=embeddings))
    labels = np.asarray(init)
    if labels.shape != (len(texts),):
        raise InputError(f"init has shape {labels.shape} for {len(texts)} texts; give one group a text, -1 for none")
    return labels
