"""Texts in, their groups out: a vectorizer and a clusterer as one, saved and loaded as one."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.utils.validation import check_is_fitted

from .cluster._saved import is_count, is_labels, is_real
from .cluster.cpm3c import CPM3C
from .cluster.max_margin import MaxMarginClustering
from .cluster.seeded import SeededKMeans
from .cluster.spherical import SphericalKMeans
from .errors import InputError, ModelError, OutgroupWarning
from .steering.place import Steering, takes_seeds
from .steering.seeds import Placed
from .stopping import stoppable
from .storage import state as storage
from .storage.atomic import new_folder
from .text.given import MISSING, as_texts
from .text.representation import Representation, Spaces
from .text.vectorize import Vectorizer
from .types import Array, FindsOffTopic, Progress, Reports, StartsFrom

_PARTS = (Vectorizer, MaxMarginClustering, CPM3C, SphericalKMeans, SeededKMeans)
SAVEABLE: dict[str, Any] = {part.__name__: part for part in _PARTS}
"""The classes that a saved model may name; a file is never trusted to name any other."""

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
    encoder : default None
        What makes an embedding of each text, where `fit` and `predict` are not given them: a function of a list of
        texts, an object with `encode(texts)` or `embed_documents(texts)`, "package:object", or the folder or name of a
        static model (extra `embeddings`). Groups are then found among the embeddings and told by the texts' words.
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
    names_ : list of str or None
        The name of each group, None for one that nobody named; None altogether without seeds.
    vectorizer_, clusterer_ : the fitted parts; the clusterer saw the rows `spaces_.space[order_]`
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
        n_clusters: int = 8,
        *,
        vectorizer: Any = None,
        clusterer: Any = None,
        encoder: Any = None,
        missing: str = "error",
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.vectorizer = vectorizer
        self.clusterer = clusterer
        self.encoder = encoder
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
        universum = None if universum is None else as_texts(universum, "universum", self.missing)
        _tell_of_both(given, universum or ())
        steering = Steering.of(seeds, word_seeds, ids, len(given))
        self.vectorizer_, self.clusterer_ = self._parts()
        report("analysing", 0, None)
        self._representation = Representation(self.vectorizer_, self.encoder)
        learn = partial(call, self.vectorizer_.fit_transform, progress=_step(report, "analysing"))
        everything, has_row = self._representation.fit(given, embeddings, learn)
        kept, away = has_row & ~steering.away, steering.away[has_row]
        if not kept.any():
            why = self._representation.missing if not has_row.any() else "labelled off-topic"
            raise InputError(f"no document is left to be grouped: each is {LABELLED_AWAY}, or skipped ({why})")
        examples = self._examples(everything.take(np.flatnonzero(away)), universum, universum_embeddings)
        self.placed_ = _placed(steering, self.vectorizer_, self.clusterer_, kept)
        report("fitting", 0, None)
        spaces = everything.take(np.flatnonzero(~away))
        extras = {} if init is None else {"init": self._start(init, given, embeddings)[kept]}
        extras |= {"on_step": on_step} if on_step is not None and _hears(self.clusterer_, "on_step") else {}
        labels = self._cluster(spaces, examples, _step(report, "fitting"), extras)
        self.labels_ = spread(labels, kept, -1, np.int32)
        self.skipped_ = [
            (row, LABELLED_AWAY if steering.away[row] else self._representation.why(given[row]))
            for row in np.flatnonzero(~kept).tolist()
        ]
        self.names_ = self.placed_.names if self.placed_ else None
        return self

    @classmethod
    def around(
        cls,
        clusterer: Any,
        representation: Representation,
        spaces: Spaces,
        labels: Array,
        *,
        order: Array,
        examples: Spaces | None = None,
        names: list[str | None] | None = None,
        skipped: Sequence[tuple[int, str]] = (),
    ) -> Self:
        """Return a fitted model of parts that are fitted already, as a session's versions are made.

        Parameters
        ----------
        clusterer : fitted on `spaces.space[order]` and the examples' rows
        representation : `Representation`
            How the texts became rows.
        spaces : `Spaces`
            The documents that are not skipped.
        labels : (n,) whole numbers
            The group of each text.
        order : (n - skipped,) whole numbers
            The order in which the clusterer saw the documents of `spaces`.
        examples : `Spaces`, default None
            The Universum.
        names : list of str or None, default None
            The name of each group.
        skipped : sequence of (int, str), default ()
            The number of each skipped text, and why.

        Returns
        -------
        DocumentClustering, fitted
        """
        model = cls(len(clusterer.coef_), vectorizer=representation.vectorizer, clusterer=clusterer)
        model.vectorizer_, model.clusterer_ = representation.vectorizer, clusterer
        model._representation = representation
        model.order_, model.placed_ = order, None
        inside = np.ones(len(labels), dtype=bool)
        inside[[row for row, _ in skipped]] = False
        model._keep(spaces, examples, labels[inside])
        model.labels_, model.names_ = labels.astype(np.int32), names
        model.skipped_ = list(skipped)
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

    def save(self, path: str | os.PathLike[str], *, replace: bool = False) -> None:
        """Write the fitted model to a folder: `model.json` and `arrays.npz`, no pickle, equal bytes for equal models.

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
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            raise ModelError(f"the model in {path} is damaged ({error}); make it again") from error

    def to_state(self) -> dict[str, Any]:
        """Return the fitted model as plain values and arrays.

        Returns
        -------
        dict
            What `from_state` takes.
        """
        check_is_fitted(self)
        return {
            "n_clusters": self.n_clusters,
            "vectorizer": _part_state(self.vectorizer_),
            "clusterer": _part_state(self.clusterer_),
            "labels": self.labels_,
            "skipped": self.skipped_,
            "n_universum": self.n_universum_,
            "names": self.names_,
            "embeddings": self._representation.width,
            "word_means": None if self._word_means is None else list(self._word_means),
            "missing": self.missing,
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
        _check_state(state, len(vectorizer.get_feature_names_out()), clusterer)
        width, means = state.get("embeddings"), state.get("word_means")
        model = cls(
            state["n_clusters"],
            vectorizer=clone(vectorizer),
            clusterer=clone(clusterer),
            encoder=encoder,
            missing=state.get("missing", "error"),
        )
        model._representation = Representation(vectorizer, encoder, width)
        model._word_means = None if means is None else (np.asarray(means[0]), np.asarray(means[1]))
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

    def _examples(self, labelled_away: Spaces, universum: Any, embeddings: Any) -> Spaces | None:
        """Return the Universum and the texts labelled off-topic, in the order of their texts; None for neither."""
        examples = labelled_away
        if universum is not None:
            known, _ = self._representation.transform(universum, embeddings, "universum_embeddings")
            if not len(known):
                warnings.warn(
                    "no document of the universum has a word that is known from the texts; it can steer nothing",
                    OutgroupWarning,
                    stacklevel=3,
                )
            examples = examples.join(known)
        if universum is not None or len(examples):
            _takes_universum(self.clusterer_)
        return examples.take(examples.order()) if len(examples) else None

    def _start(self, init: Any, texts: list[str], embeddings: Any) -> Array:
        """Return the group of each text to start from, (n,)."""
        if not isinstance(self.clusterer_, StartsFrom):
            raise InputError(
                f"{type(self.clusterer_).__name__} takes no init; leave it out, or use MaxMarginClustering"
            )
        if hasattr(init, "predict"):
            return np.asarray(init.predict(texts, embeddings=embeddings))
        labels = np.asarray(init)
        if labels.shape != (len(texts),):
            raise InputError(
                f"init has shape {labels.shape} for {len(texts)} texts; give one group a text, -1 for none"
            )
        return labels

    def _cluster(self, spaces: Spaces, examples: Spaces | None, progress: Any, extras: dict[str, Any]) -> Array:
        """Fit the clusterer on the documents in the order of their texts, and return the group of each, (m,)."""
        self.order_ = spaces.order(None if self.placed_ is None else self.placed_.seeds)
        extras = extras | ({} if examples is None else {"universum": examples.space})
        if "init" in extras:
            extras["init"] = extras["init"][self.order_]
        if self.placed_ is not None:
            extras |= self.placed_.arguments(self.order_)
            if spaces.apart and "word_seeds" in extras:
                extras["words"] = spaces.words[self.order_]
        call(self.clusterer_.fit, spaces.space[self.order_], progress=progress, **extras)
        labels = np.asarray(self.clusterer_.labels_)[np.argsort(self.order_)]
        self._keep(spaces, examples, labels)
        return labels

    def _keep(self, spaces: Spaces, examples: Spaces | None, labels: Array) -> None:
        """Keep the documents and the examples that a fit saw, and what their words say of the groups."""
        self.spaces_, self.U_ = spaces, None if examples is None else examples.space
        self.n_universum_ = 0 if examples is None else len(examples)
        self._word_means = None
        if spaces.apart:
            junk = (
                np.zeros(spaces.words.shape[1]) if examples is None else examples.mean_words(np.zeros(len(examples)), 1)
            )
            self._word_means = spaces.mean_words(labels, len(self.clusterer_.coef_)), junk.reshape(1, -1)

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


def _word_means(spaces: Spaces, labels: Array, k: int, examples: Spaces | None) -> tuple[Array, Array]:
    """Return the mean word rows of the groups, (k, V), and of the examples of junk, (1, V)."""
    junk = spaces.take(labels[:0]) if examples is None else examples
    return spaces.mean_words(labels, k), junk.mean_words(np.zeros(len(junk)), 1)


def _silent(step: str, done: int, total: int | None) -> None:
    pass


def _step(report: Progress, name: str) -> Callable[[int, int | None], None]:
    return lambda done, total: report(name, done, total)


def call(method: Any, *given: Any, progress: Any, **extras: Any) -> Any:
    """Call a method of a part that may be another library's: it is given `progress` only if it says that it reports."""
    if _hears(getattr(method, "__self__", None), "progress"):
        extras["progress"] = progress
    return method(*given, **extras)


def _hears(part: Any, name: str) -> bool:
    return isinstance(part, Reports) and name in part.reports


def _tell_of_both(texts: Sequence[str], universum: Sequence[str]) -> None:
    """Say which texts are documents and off-topic examples alike; raises InputError where all documents are."""
    both = {text for text in set(texts).intersection(universum) if text.strip()}
    if not both:
        return
    if all(text in both for text in texts if text.strip()):
        raise InputError("every document is an off-topic example, too; give other examples, or other documents")
    row, text = next((row, text) for row, text in enumerate(texts) if text in both)
    said = f"{len(both)} texts are" if len(both) > 1 else "1 text is"
    warnings.warn(
        f"{said} among the documents and among the off-topic examples, which pulls both ways; the first is document "
        f"{row}, {text!r:.60}",
        OutgroupWarning,
        stacklevel=4,
    )


def _takes_universum(clusterer: Any) -> None:
    if not isinstance(clusterer, FindsOffTopic):
        raise InputError(f"{type(clusterer).__name__} takes no universum; leave it out, or use MaxMarginClustering")


def _placed(steering: Steering, vectorizer: Any, clusterer: Any, kept: Array) -> Placed | None:
    placed = steering.place(vectorizer, getattr(clusterer, "n_clusters", 0), kept)
    if placed is not None:
        takes_seeds(clusterer)
    return placed


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


def _check_state(state: dict[str, Any], n_words: int, clusterer: Any) -> None:
    """Raise ModelError unless a model's own fields are what they should be, and fit its parts."""
    k, width = clusterer.groups, state.get("embeddings")
    if clusterer.n_features_in_ != (n_words if width is None else width):
        raise ModelError("its columns and its groups do not fit together")
    names, means, skipped = state.get("names"), state.get("word_means"), state["skipped"]
    named = names is None or (isinstance(names, list) and len(names) == k and all(map(_is_name, names)))
    rightly = {
        "n_clusters": is_count(state["n_clusters"]) or state["n_clusters"] == "auto",
        "labels": is_labels(state["labels"], k),
        "n_universum": is_count(state["n_universum"], 0),
        "names": named,
        "word_means": (width is None and means is None) or _are_means(means, k, n_words),
        "missing": state.get("missing", "error") in MISSING,
        "skipped": isinstance(skipped, list | tuple) and all(map(_is_skip, skipped)),
    }
    for name, right in rightly.items():
        if not right:
            raise ModelError(f"its {name} is something else")


def _is_name(given: Any) -> bool:
    return given is None or isinstance(given, str)


def _is_skip(given: Any) -> bool:
    return isinstance(given, list | tuple) and len(given) == 2 and is_count(given[0], 0) and isinstance(given[1], str)


def _are_means(given: Any, k: int, n_words: int) -> bool:
    """Return whether a value is the mean word rows of k groups and of the examples of junk."""
    pair = isinstance(given, list | tuple) and len(given) == 2
    return pair and is_real(given[0], k, n_words) and is_real(given[1], 1, n_words)


def _part(saved: dict[str, Any]) -> Any:
    if saved["class"] not in SAVEABLE:
        raise ModelError(f"the saved model names an unknown part {saved['class']!r:.60}; update outgroup to read it")
    return SAVEABLE[saved["class"]].from_state(saved["state"])
