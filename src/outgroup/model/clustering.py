"""Texts in, their groups out: a vectorizer and a clusterer are fitted as one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from inspect import signature
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin

from ..cluster.max_margin import MaxMarginClustering
from ..cluster.profile import Choice
from ..errors import InputError
from ..steering.seed_arrays import Placed
from ..steering.steering import Steering
from ..stopping import stoppable
from ..text.as_texts import as_texts
from ..text.collection import Arranged, Collection, ids_of, open_collection
from ..text.inputs import Inputs
from ..text.representation import Representation
from ..types import Array, OnProgress, OnStep, Progress, StartsFrom, no_op
from .fitted import FittedModel
from .fitting import (
    averaging,
    call,
    choose_groups,
    copied_clusterer,
    copied_vectorizer,
    fit_from_nothing,
    hears,
    is_number,
)


class DocumentClustering(FittedModel, ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """The model beneath `outgroup.DocumentClustering`, whose parameters and attributes these are, over texts alone.

    Attributes
    ----------
    vectorizer_, clusterer_ : the fitted parts; the clusterer saw the rows `spaces_.space[order_]`
    word_coef_, word_reject_ : what words say for each group and for "none of these"
    spaces_ : the texts that were not skipped, their rows `space` (n - skipped, d) in which groups were found, and their
        TF-IDF rows `words` (n - skipped, V), the same object without embeddings; not saved
    order_ : (n - skipped,) numbers of these rows, in the order of their texts; not saved
    examples_ : the off-topic examples that took part, as `spaces_` has the documents, or None; not saved
    thrown_ : (N,) bool, which of these were documents until a person threw them away, or None; not saved
    placed_ : the seeds as arrays over the rows of `spaces_`, or None; not saved

    Examples
    --------
    >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's train"]
    >>> groups = DocumentClustering(n_clusters=2, random_state=0).fit(texts)
    >>> groups.labels_ == groups.labels_[0]
    array([ True,  True, False, False])
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
        on_step: OnStep | None = None,
        cancel: Callable[[], bool] | None = None,
    ) -> Self:
        """Find the groups of the texts, a list, an array or a column; the rest is as of `outgroup.DocumentClustering`.

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
        report = progress or no_op
        given = as_texts(texts, "texts", self.missing)
        others = None if universum is None else as_texts(universum, "universum", self.missing)
        steering = Steering.of(seeds, word_seeds, ids_of(ids, len(given)))
        vectorizer, clusterer = self._parts()
        inputs = Inputs(given, steering.ids, None, others, embeddings, universum_embeddings)
        documents = self._opened(inputs, vectorizer, clusterer, report)
        report("fitting", 0, None)
        reports = {"on_step": on_step} if on_step is not None and hears(clusterer, "on_step") else {}
        start = None if init is None else _start(clusterer, init, given, embeddings)
        fitted = fit_from_nothing(documents, clusterer, steering, _step(report, "fitting"), init=start, **reports)
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
        numbers: Sequence[int] | None = None,
    ) -> Self:
        """Return a fitted model of parts that are fitted already, as a session's versions are made.

        Parameters
        ----------
        clusterer : fitted on `arranged.spaces.space[order]` and the examples' rows
        arranged : `Arranged`
            The documents and the examples that took part.
        labels : (n,) whole numbers
            The group of each text, as the clusterer counts them.
        order : (n - skipped,) whole numbers
            The order in which the clusterer saw the documents.
        names : list of str or None, default None
            The name of each group.
        placed : `Placed`, default None
            The seeds that the fit had.
        numbers : sequence of k int, default None
            The groups' numbers; by default 0 to k - 1.

        Returns
        -------
        DocumentClustering, fitted
        """
        model = cls(len(clusterer.coef_), vectorizer=arranged.documents.representation.vectorizer, clusterer=clusterer)
        model._keep(clusterer, arranged, labels, order, names, placed, numbers)
        return model

    def _parts(self) -> tuple[Any, Any]:
        """Return a vectorizer and a clusterer to fit, copies of what was given."""
        vectorizer = copied_vectorizer(self.vectorizer)
        if self.clusterer is not None:
            return vectorizer, copied_clusterer(self.clusterer)
        k = 1 if self._asks() else self.n_clusters
        return vectorizer, MaxMarginClustering(k, random_state=self.random_state)

    def _opened(self, inputs: Inputs, vectorizer: Any, clusterer: Any, report: Progress) -> Collection:
        """Return the documents with the rows that groups are looked for among, and settle how many groups."""
        report("analysing", 0, None)
        learn = partial(call, vectorizer.fit_transform, progress=_step(report, "analysing"))
        documents = open_collection(inputs, Representation(vectorizer, self.encoder), learn=learn)
        self.profile_ = None
        if self._asks():
            choosing = _step(report, "choosing the number of groups")
            self.profile_ = choose_groups(documents, self.n_clusters, clusterer, choosing)
        average = averaging(self.neighbours, getattr(clusterer, "n_clusters", None))
        return documents.averaged(average, _step(report, "finding neighbours"))

    def _asks(self) -> bool:
        """Whether a profile shall choose the number of groups."""
        return not is_number(self.n_clusters)


def _step(report: Progress, name: str) -> OnProgress:
    return lambda done, total: report(name, done, total)


def _start(clusterer: Any, init: Any, texts: list[str], embeddings: Any) -> Array:
    """Return the group of each text to start from, (n,)."""
    if not isinstance(clusterer, StartsFrom):
        raise InputError(f"{type(clusterer).__name__} takes no init; leave it out, or use MaxMarginClustering")
    if isinstance(init, FittedModel):
        return init._places(texts, embeddings)
    if hasattr(init, "predict"):
        if "embeddings" not in signature(init.predict).parameters:
            name = type(init).__name__
            raise InputError(
                f"a {name} finds the groups of rows, not of texts; give its labels_ of these texts as init"
            )
        return np.asarray(init.predict(texts, embeddings=embeddings))
    labels = np.asarray(init)
    if labels.shape != (len(texts),):
        raise InputError(f"init has shape {labels.shape} for {len(texts)} texts; give one group a text, -1 for none")
    return labels
