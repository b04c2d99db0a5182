"""Cluster documents: from texts to rows, to groups, and to tables, explanations and saved models."""

from __future__ import annotations

import copy
import os
import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Collection as AnyCollection
from dataclasses import replace as with_fields  # `report` has a parameter `replace`
from itertools import product, repeat
from numbers import Integral
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from .cluster.base import checked_weights, enough_rows, is_count
from .cluster.max_margin import MaxMarginClustering
from .cluster.profile import Choice
from .codebook import Codebook, numbers_of
from .decisions import Decision, Label, Merge, Rename, Split
from .errors import InputError, NoDocumentsError, OutgroupWarning, warn
from .model import NEEDS_DOCUMENTS, Model
from .notebook import Explanation, groups_html, table, topics_of
from .pipeline import (
    copied_clusterer,
    copied_vectorizer,
    is_number,
    pulled_out,
    rows_of,
    spread,
)
from .readers.dates import FORMS, order, periods
from .readers.dates import dates as dates_of
from .readers.documents import Corpus
from .readers.in_memory import Form, texts_of, vectors_of
from .report.html import render
from .rows.arrays import normalize
from .session import Past, Session, Version
from .stopping import stoppable
from .storage.atomic import new_file
from .summary.findings import pockets_of, probability_of, trust_of
from .summary.names import branches, levels_of, named, tree_of
from .summary.partition import Partition
from .summary.records import Group, Summary
from .summary.summarise import MIXED, described, groups_of, summary_of
from .text.collection import LABELLED_AWAY, ids_of
from .text.encoder import MeaningEncoder
from .text.representation import Spaces
from .text.texts import is_missing
from .types import Array, OnStep, Progress, StartsFrom, Whole, no_op


class DocumentClustering(Model, ClusterMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Cluster documents by their texts. The order of the input only changes the order of the results.

    Parameters
    ----------
    n_clusters : int, "auto" or (int, int), default None
        Number of groups; None: 8, or that of the codes of a `codebook`. "auto", or the minimum and the maximum: a
        profile chooses it (`outgroup.k_profile`), also for a given clusterer. An integer applies to the default
        clusterer only.
    language : str, default "auto"
        The language of the texts for the default vectorizer, as in `Vectorizer`; "auto" detects it.
    vectorizer : default None, a `Vectorizer(language=language)`
        An object with `fit_transform(texts)`, `transform(texts)` and `get_feature_names_out()`. `fit` copies it.
    clusterer : default None, a `MaxMarginClustering(n_clusters, random_state=random_state)`
        An object with `fit(X)` and `labels_`, such as scikit-learn's `HDBSCAN()`; `fit` copies it. Without a
        `decision_function(X)`, its labels are kept as by `from_labels`.
    encoder : "auto", None or encoder, default "auto"
        Makes an embedding of each text, unless `fit` and `predict` get `embeddings`. "auto": the small offline encoder
        of the extra `meaning`, where it is installed and its vectors tell at least as much about the texts as their
        words do (docs/representations.md); else groups are found by words alone. None: by words alone. Or a function
        of a list of texts, an object with `encode(texts)` or `embed_documents(texts)`, "package:object", or the folder
        or name of a static model (extra `embeddings`). Groups are then found by the embeddings and the words, and
        described by words.
    neighbours : int or "auto", default "auto"
        Number of passes that average rows with their nearest rows before the fit, see `NeighbourAverage`; 0 for none.
        "auto" averages short texts and embeddings of at least a thousand documents. For embeddings, neighbours are
        found by vectors and by words (docs/decisions/0026); for up to 100,000 longer texts the neighbour graph refines
        the groups after the fit (docs/decisions/0024).
    codebook : Codebook or mapping of str to str, default None
        Codes, or names and their definitions: a group starts from the documents near each definition, and
        `session.version.proposed` lists groups that no code covers. There is a group for each code, and a larger
        `n_clusters` starts further groups from the documents that the codes cover least.
    missing : {"error", "skip"}, default "error"
        Treatment of a row without a text (None, NaN): raise an error that names it, or list it in `skipped_`.
    outliers : {"none", "flag", "set aside"}, default "none"
        "set aside" skips documents far from all others (`outlier_score_` above `outlier_threshold_`) before the groups
        are found: at most 5 % of ordinary documents. "flag" only adds the columns outlier and outlier_score to
        `documents`.
    namer : callable, default None
        Names the groups in tables, pages and reports: takes a list of `naming.GroupBrief`, and returns a string or a
        `naming.Name` for each, such as `naming.ChatNamer`. None: phrases of the texts. A name of the seeds or of a
        decision wins.
    random_state : int, RandomState instance or None, default None
        Makes the default clusterer's result repeatable.

    Attributes
    ----------
    labels_ : (n,) int32
        The group of each text; -1 for off-topic and skipped texts.
    skipped_ : list of (int, str)
        The number of each skipped text, and the reason: no row, or an off-topic label.
    n_universum_ : int
        Number of texts of the Universum in the fit.
    profile_ : Profile or None
        The profile that chose the number of groups; None for a given number.
    numbers_ : (k,) int32
        The numbers of the groups, in the order of scores: 0 to k - 1 without those of merged groups.
    names_ : list of str or None
        The name of each group in this order, None for an unnamed group; None without seeds.
    vectorizer_, clusterer_ :
        The fitted parts. Of a clusterer without `decision_function`, and of `from_labels`: a `MaxMarginClustering` of
        the labels.
    ids_ : list of n str
        The ids of the documents.
    word_coef_ : (k, V) array
        Weights of the words for each group; among embeddings the mean TF-IDF rows of the groups.
    word_reject_ : ((k + j, V) array, (k + j,) array) or None
        Coefficients and intercepts of the words for each group and, last, for j reject rows ("none of these"); None
        without a Universum.
    membership_ : (n, k) or (n, k + 1) float64 array
        The probabilities of the groups of each document, see `predict_proba`. Computed on first access.
    several_ : (n, k) float64 array
        The probability of each group by itself, from regressions without the document; computed on first access. See
        `predict_several`.
    outlier_score_ : (n,) float64 array
        The outlier score of each document, see `outlier_score`. Computed on first access.
    outliers_ : (n,) bool
        Mask of the documents above the threshold, or of those set aside. Computed on first access.
    outlier_threshold_ : float
        The outlier score that at most 5 % of documents like those of the fit exceed.
    tree_ : (k - 1, 4) float64 array
        The tree of the groups as SciPy's linkage matrix: the cheapest merges first.
    representation_ : Representation
        The fitted vectorizer, and the width of embeddings.
    kept_ : (n,) bool
        Mask of the clustered texts: all but the skipped ones.
    spaces_ : Spaces
        The m clustered texts, in their order: `texts`, their rows `space` (m, d), and their TF-IDF rows `words` (m, V),
        the same object without embeddings. A loaded model lacks this and the following attributes.
    order_ : (m,) int
        The order of the rows in `clusterer_`: its labels are those of `spaces_.space[order_]`.
    examples_ : Spaces or None
        The texts of the Universum, in the form of `spaces_`.
    labelled_examples_ : (N,) bool or None
        Mask of the examples that are documents with an off-topic label.
    placed_ : SeedArrays or None
        The seeds as arrays: `seeds` (m,) int32, -1 for unlabelled, `word_seeds` (k, V) bool, `seed_weights` (k,), each
        None without such seeds; None without seeds.

    Examples
    --------
    >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's train"]
    >>> groups = DocumentClustering(n_clusters=2, random_state=0).fit(texts)
    >>> groups.labels_ == groups.labels_[0]
    array([ True,  True, False, False])
    >>> groups.predict(["fresh bread", "..."]) == [groups.labels_[0], -1]
    array([ True,  True])
    >>> sorted(groups.topics["size"]), bool(groups.explain("bread with butter").group == groups.labels_[0])
    ([2, 2], True)
    """

    _corpus: Corpus | None = None
    _codes: Mapping[int, int] = MappingProxyType({})  # of seeded groups, by number
    _form: Form = Form()  # of the tables of the groups
    _version: Version | None = None
    _session: Session | None = None
    _partition: Partition | None = None
    _summary: Summary | None = None

    def __init__(
        self,
        n_clusters: Choice | None = None,
        *,
        language: str = "auto",
        vectorizer: Any = None,
        clusterer: Any = None,
        encoder: Any = "auto",
        neighbours: Whole | Literal["auto"] = "auto",
        codebook: Codebook | Mapping[str, str] | None = None,
        missing: Literal["error", "skip"] = "error",
        outliers: Literal["none", "flag", "set aside", "set-aside"] = "none",
        namer: Any = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.language = language
        self.vectorizer = vectorizer
        self.clusterer = clusterer
        self.encoder = encoder
        self.neighbours = neighbours
        self.codebook = codebook
        self.missing = missing
        self.outliers = outliers
        self.namer = namer
        self.random_state = random_state

    def fit(
        self,
        documents: Any,
        y: Any = None,
        *,
        text: str = "text",
        title: str = "title",
        embeddings: Any = None,
        universum: Any = None,
        universum_embeddings: Any = None,
        seeds: Any = None,
        word_seeds: Any = None,
        ids: Iterable[object] | None = None,
        init: Any = None,
        sample_weight: Any = None,
        progress: Progress | None = None,
        on_step: OnStep | None = None,
        cancel: Callable[[], bool] | None = None,
    ) -> Self:
        """Find the groups of the documents; seeds are labels, and the `universum` belongs to no group.

        Parameters
        ----------
        documents : sequence of n str, column, DataFrame, or sequence of n mappings
            Texts; or a table or records (pandas, polars, pyarrow ...) with a document in each row. Non-answers such as
            "n/a" stay documents, and a warning counts them.
        y : ignored
            A matrix or a path is an error, since vectors are `embeddings`.
        text, title : str, default "text" and "title"
            The fields of a record, several separated by commas; the title is put before the text.
        embeddings : (n, d) array or path, default None
            A vector for each text, of any real dtype, perhaps a memory-mapped file; or the field of the table or the
            records that holds the vectors; or the path of a `.npy` file or of a folder of them. Groups are found among
            the vectors, scaled to unit length, and described by the words of the texts. By default the encoder makes
            them.
        universum : as `documents`, default None
            Texts that belong to no group. The vocabulary is learned from `documents` alone.
        universum_embeddings : (N, d) array, default None
            A vector for each text of the Universum, from the same encoder as `embeddings`.
        seeds : mapping or (n,) int array, default None
            Name of a group -> the ids of its labelled documents; or a label for each text, -1 for unlabelled. Named
            groups are numbered in their order.
        word_seeds : mapping, default None
            Name of a group -> its labelled words, stemmed like the texts.
        ids : sequence of n str, default None
            The ids of the documents; by default those of the records, else their numbers.
        init : (n,) int array or fitted DocumentClustering, default None
            The initial labels, -1 for no group, which keep their numbers; or a model, whose groups get their places in
            its `numbers_`. By default the clusterer makes its own starts.
        sample_weight : str or (n,) numbers from 0 to 1e9, default None
            The weight of each document in the objective of the clusterer, or the field of the records that holds it;
            None for equal ones. Words, neighbours and the number of groups by a profile count each document once.
        progress : callable, optional
            Called with the step ("analysing", "fitting"), its finished units, and all its units (None if unknown).
        on_step : callable, optional
            Called after each step of a clusterer with this option, with a dictionary of the step.
        cancel : callable, optional
            Called between two passes, from any thread: once it returns True the fit ends with CancelledError.

        Returns
        -------
        self

        Raises
        ------
        CancelledError
            `cancel` returned True.
        InputError
            A part of the input is not valid; the message names it.
        MissingExtraError
            The input is a table and narwhals is not installed, or the library of the encoder is not.
        """
        _check_ignored(y)
        with stoppable(cancel):
            vectorizer, clusterer = self._parts()
            # 1. Texts: read the documents and the Universum; each document has an id, a title and a text.
            reading: dict[str, Any] = {"text": text, "title": title, "missing": self.missing}
            corpus = texts_of(documents, **reading)
            corpus = corpus if ids is None else with_fields(corpus, ids=ids_of(ids, len(corpus)))
            embeddings = vectors_of(documents, embeddings)
            universum_embeddings = vectors_of(universum, universum_embeddings)
            universum = None if universum is None else texts_of(universum, name="universum", **reading).texts
            weight = corpus.numbers(sample_weight) if isinstance(sample_weight, str) else sample_weight
            # 2. A session: rows, number of groups, and neighbours.
            report = progress or no_op
            n_clusters = None if is_number(self.n_clusters) else self.n_clusters
            book = None if self.codebook is None else Codebook.of(self.codebook)
            if book is not None:
                if any(given is not None for given in (seeds, word_seeds, init)):
                    raise InputError("codebook and seeds or init cannot be combined: put the seeds into the codebook")
                if not book.starting:
                    raise InputError("the codebook has no code that starts a group: add a name and a definition")
                n_clusters, seeds = book.n_clusters(self.n_clusters), book.seeds(corpus.texts, corpus.ids)
            elif is_number(self.n_clusters):
                enough_rows(len(corpus), self.n_clusters)  # now, not after the texts are encoded
            session = Session(
                corpus.texts,
                n_clusters=n_clusters,
                ids=corpus.ids,
                titles=corpus.titles,
                universum=universum,
                clusterer=clusterer,
                vectorizer=vectorizer,
                embeddings=embeddings,
                universum_embeddings=universum_embeddings,
                encoder=self.encoder,
                sample_weight=weight,
                neighbours=self.neighbours,
                outliers=self.outliers,
                random_state=_seed(self.random_state),
                progress=report,
            )
            # 3. Its first version, without decisions, from the starts of the clusterer or from `init`.
            start = None if init is None else _start(clusterer, init, corpus.texts, embeddings)
            given = {"seeds": seeds, "word_seeds": word_seeds, "start": start, "on_step": on_step}
            version = session._fit_first(report, **given)
        # 4. The model of the version, with its documents.
        self._start_with(version, session, corpus, documents, {"text": text, "title": title})
        codes = {} if book is None else {code.name: code.number for code in book.starting}
        self._codes = {group: codes[name] for group, name in enumerate(self.names_ or ()) if name in codes}
        return self

    @classmethod
    def from_labels(
        cls,
        documents: Any,
        labels: Any,
        embeddings: Any = None,
        *,
        text: str = "text",
        title: str = "title",
        ids: Iterable[object] | None = None,
        titles: Iterable[object] | None = None,
        language: str = "auto",
        encoder: Any = "auto",
        random_state: Any = None,
    ) -> Self:
        """Return the model of groups that another method found, such as HDBSCAN, k-means or BERTopic.

        The labels stay as they are: tables, names, trust, probabilities, the tree, the report, and decisions start from
        them. New texts are assigned by a classifier of the labels.

        Parameters
        ----------
        documents : sequence of n str, column, DataFrame, or sequence of n mappings
            As for `fit`.
        labels : str or sequence of n int or str
            The group of each document, or the field that holds it. Numbers stay; -1 is off-topic. Strings become names
            of groups, which are numbered in alphabetical order.
        embeddings : (n, d) array, path or str, default None
            As for `fit`.
        text, title : str, default "text" and "title"
            The fields of a record, as for `fit`.
        ids, titles : sequences of n str, default None
            By default those of the records, else numbers and "".
        language, encoder, random_state :
            As in the constructor.

        Returns
        -------
        DocumentClustering, fitted

        Raises
        ------
        InputError
            There are not n labels, one is missing or not valid, or no document is in a group.

        Examples
        --------
        >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's train", "..."]
        >>> groups = DocumentClustering.from_labels(texts, [3, 3, 7, 7, -1])
        >>> groups.labels_.tolist(), list(groups.topics["size"])
        ([3, 3, 7, 7, -1], [2, 2])
        >>> groups.merge(3, 7).labels_.tolist()
        [3, 3, 3, 3, -1]
        """
        if labels is None:
            raise InputError("labels is None: give the group of each document, or find groups with fit")
        model = cls(language=language, encoder=encoder, random_state=random_state)
        corpus = texts_of(documents, text=text, title=title)
        session = Session(
            corpus.texts,
            n_clusters=None,
            ids=corpus.ids if ids is None else ids,
            titles=corpus.titles if titles is None else titles,
            vectorizer=copied_vectorizer(None, language),
            embeddings=vectors_of(documents, embeddings),
            encoder=encoder,
            labels=corpus.field(labels) if isinstance(labels, str) else labels,
            random_state=_seed(random_state),
        )
        version, known = session._fit_first(), session.documents
        corpus = with_fields(corpus, ids=known.ids, titles=known.titles)
        model._start_with(version, session, corpus, documents, {"text": text, "title": title})
        return model.set_params(n_clusters=len(version.numbers))

    def _start_with(
        self, version: Version, session: Session, corpus: Corpus, given: Any, fields: dict[str, Any]
    ) -> None:
        """Take over the first version of a session on `given` documents, and warn of its notes."""
        for note in version.notes:
            warnings.warn(note, OutgroupWarning, stacklevel=3)
        self._adopt(version, session, corpus)
        self.profile_, self._form, self._text_fields, self._codes = session.profile, Form.of(given), fields, {}

    @classmethod
    def of(cls, version: Version) -> DocumentClustering:
        """Return the model of a session's version with its documents: its tables, its page and its decisions.

        Parameters
        ----------
        version : Version
            Groups keep its numbers.

        Returns
        -------
        DocumentClustering, fitted

        Raises
        ------
        InputError
            `version` is not a version.

        Examples
        --------
        >>> from outgroup.decisions import Merge
        >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's train", "roses", "red roses"]
        >>> session = DocumentClustering(n_clusters=3, random_state=0).fit(texts).session
        >>> first = session.begin()
        >>> merged = DocumentClustering.of(session.fit([Merge((0, 1))], start=first))
        >>> list(merged.topics["group"]), list(merged.topics["size"])
        ([0, 2], [4, 2])
        """
        if not isinstance(version, Version):
            raise InputError(f"{type(version).__name__} is not a version of a session: give the result of Session.fit")
        documents, model = version.documents, cls(len(version.numbers))
        assert documents is not None
        model._adopt(version, None, Corpus(documents.ids, documents.texts, documents.titles))
        model.profile_ = None
        return model

    def _adopt(self, version: Version, session: Session | None, corpus: Corpus) -> None:
        """Take over the fitted model of a version, and forget all that was computed from an earlier one."""
        for name in ("_membership", "_ensemble", "_outliers", "_novelty", "_partition", "_summary"):
            self.__dict__.pop(name, None)
        self.__dict__.update(vars(version.model))
        self._version, self._session, self._corpus = version, session, corpus

    @classmethod
    def from_state(cls, state: dict[str, Any], *, encoder: Any = None) -> Self:
        """Return the model stored in a state; its parameters are unfitted copies of its parts.

        Parameters
        ----------
        state : dict
            The result of `to_state`, perhaps read from a file.
        encoder : default None
            As in the constructor.

        Returns
        -------
        DocumentClustering, fitted

        Raises
        ------
        ModelError
            A part is not valid or does not match the others; the message names it.
        """
        model = super().from_state(state, encoder=encoder)
        parts = {"vectorizer": clone(model.vectorizer_), "clusterer": clone(model.clusterer_)}
        own = isinstance(encoder, MeaningEncoder) or (encoder is None and state["encoder"] is not None)
        model.set_params(
            **parts,
            n_clusters=model.clusterer_.groups,
            encoder="auto" if own else encoder,
            neighbours=model.representation_.passes,
        )
        return model

    def to_state(self, *, rows: bool = True) -> dict[str, Any]:
        """Return the fitted model as plain values and arrays, with the descriptions of its groups.

        The first call computes the trust of the groups, which takes about as long as the fit.

        Parameters
        ----------
        rows : bool, default True
            Whether to include rows of documents, which `unlike_all` and averaged models need for new texts.

        Returns
        -------
        dict
            The argument of `from_state`.
        """
        check_is_fitted(self)
        if self._corpus is not None:
            self._summarised()  # with the trust: equal models give equal bytes
            self._described()
        return super().to_state(rows=rows)

    def _check_fitted(self) -> None:
        check_is_fitted(self)

    def transform(self, texts: Any, *, embeddings: Any = None) -> Array:
        """Return the score of each text for each group, as `decision_function`; texts without a row get zeros.

        Parameters
        ----------
        texts : sequence of n str
        embeddings : (n, d) array, default None
            As for `predict`.

        Returns
        -------
        (n, k) float64 array
        """
        return np.nan_to_num(self.decision_function(texts, embeddings=embeddings), nan=0.0)

    def fit_transform(self, documents: Any, y: Any = None, **options: Any) -> Array:
        """Find the groups and return the score of each document for each group, not its group: see `fit_predict`.

        Parameters
        ----------
        documents, y, **options :
            As for `fit`.

        Returns
        -------
        (n, k) float64 array
        """
        self.fit(documents, y, **options)
        embeddings = vectors_of(documents, options.get("embeddings"))
        return self.transform(self._documents().texts, embeddings=embeddings)

    def fit_predict(self, documents: Any, y: Any = None, **options: Any) -> Array:
        """Find the groups and return the group of each document, as `labels_`.

        Parameters
        ----------
        documents, y, **options :
            As for `fit`.

        Returns
        -------
        (n,) int32
            -1 for off-topic and skipped documents.

        Examples
        --------
        >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's train"]
        >>> groups = DocumentClustering(2, random_state=0).fit_predict(texts)
        >>> bool(groups[0] == groups[1] != groups[2])
        True
        """
        return self.fit(documents, y, **options).labels_

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Return the column names of `transform`: group names, or numbers for groups without a name.

        The words of the columns of `word_coef_` are `vectorizer_.get_feature_names_out()`.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        (k,) object array of str
        """
        check_is_fitted(self)
        numbers = self.numbers_.tolist()
        every = zip(numbers, self.names_ or [None] * len(numbers), strict=True)
        return np.array([str(number) if name is None else name for number, name in every], dtype=object)

    def score(self, texts: Any, y: Any = None, *, embeddings: Any = None) -> float:
        """Return the clusterer's `score` of the texts: higher for a better fit.

        Minus the mean slack for the default clusterer, the mean cosine with the nearest centre for `SphericalKMeans`.
        Do not compare scores of different numbers of groups: they favour the fewest or the most. `n_clusters="auto"`
        chooses the number.

        Parameters
        ----------
        texts : sequence of n str
        y : ignored
        embeddings : (n, d) array, default None
            As for `predict`.

        Returns
        -------
        float
            Over the texts with a row; nan if there are none.
        """
        spaces, _ = self.represent(texts, embeddings=embeddings)
        self._has("score")
        return float(self.clusterer_.score(rows_of(spaces, self.clusterer_))) if len(spaces) else float("nan")

    # --- Explanations and tables

    def explain(self, document: str | int, *, embeddings: Any = None) -> Explanation:
        """Explain the group of a document or a new text: words, second best group, nearest documents.

        Parameters
        ----------
        document : str or int
            The id of a document, or its position from 0; any other string is a new text. A loaded model explains texts
            only, and lists no documents.
        embeddings : (1, d) array, default None
            For a new text, as for `predict`.

        Returns
        -------
        Explanation
            For a document: of the group in `labels_`.

        Raises
        ------
        InputError
            There is no document at this position, `document` is neither str nor int, or the clusterer has no
            `decision_function`.

        Examples
        --------
        >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's train"]
        >>> groups = DocumentClustering(n_clusters=2, random_state=0).fit(texts, ids=["a", "b", "c", "d"])
        >>> groups.explain("b").group == groups.explain(1).group == groups.explain("fresh butter").group
        True
        """
        check_is_fitted(self)
        row, names = self._row(document), [description["name"] for description in self._described()]
        if row is None:
            spaces, kept = self.represent([str(document)], embeddings=embeddings)
            return _explained(self, names, spaces) if kept[0] else _nowhere("")
        if not self.kept_[row]:
            return _nowhere(dict(self.skipped_)[row])
        return _explained(self, names, self.spaces_.take(np.array([np.count_nonzero(self.kept_[:row])])), row)

    @property
    def topics(self) -> Any:
        """The groups as a table: `group`, `code`, `name`, `size`, `share`, `trust`, `found_again` (of 20 fits), `words`
        and `example`, the largest first.

        The first access computes the trust, which takes about as long as the fit. A DataFrame if pandas or polars is
        installed. A loaded model has the values of the time of saving.
        """
        check_is_fitted(self)
        if self._corpus is not None:
            self._summarised()
        return topics_of(self._known()[0], self._form)

    @property
    def documents(self) -> Any:
        """A table of documents: `id`, `title`, `group` (-1 for none), `code`, `name`, `margin`, `off_topic_score`,
        `off_topic`, `second`, `skipped`.

        A DataFrame if pandas or polars is installed, of the library of the input of `fit`, with its index. Raises
        NoDocumentsError for a loaded model.
        """
        return self.documents_with(*(("outlier", "outlier_score") if self.outliers == "flag" else ()))

    def documents_with(self, *columns: str) -> Any:
        """Return the table `documents` with further columns.

        Parameters
        ----------
        *columns : str
            "text" for the full texts; "probability" of `group` (-1: of none, nan without off-topic examples) and
            "second_probability" of `second`, nan without a row;
            "outlier_score"; "x" and "y" for the place on the map, nan without a row; "level_5" and "level_5_name" for
            the groups of the tree's level of 5; or fields of the input's records.

        Returns
        -------
        table

        Raises
        ------
        InputError, NoDocumentsError
            There is no such field, or the model was loaded.

        Examples
        --------
        >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's train"]
        >>> groups = DocumentClustering(n_clusters=2, random_state=0).fit(texts)
        >>> list(groups.documents_with("text")["text"]) == texts
        True
        """
        own = self._document_columns()
        return table(own | {name: self._further(name, own) for name in columns}, self._form)

    def words(self, group: int | str, *, most: int = 20) -> Any:
        """Return the first words of a group with their weights.

        Parameters
        ----------
        group : int or str
            Its number or its name.
        most : int, default 20
            Number of words.

        Returns
        -------
        table
            Columns `word` and `weight`, the largest weight first.

        Raises
        ------
        InputError, NoDocumentsError
            The group does not exist, or the model was loaded.

        Examples
        --------
        >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's train"]
        >>> groups = DocumentClustering(n_clusters=2, random_state=0).fit(texts)
        >>> sorted(groups.words(int(groups.labels_[0]), most=2)["word"])
        ['bread', 'butter']
        """
        self._documents()
        words = self._groups()[self._number(group)].words[:most]
        return self._table({"word": [word for word, _ in words], "weight": [float(weight) for _, weight in words]})

    def representatives(self, group: int | str, n: int = 5) -> Any:
        """Return the documents nearest to the centre of a group, with full texts.

        Parameters
        ----------
        group : int or str
            Its number or its name.
        n : int, default 5

        Returns
        -------
        table
            Columns `id`, `title`, `text` and `similarity`, the cosine with the mean of the group's rows, the largest
            first.

        Raises
        ------
        InputError, NoDocumentsError
            The group does not exist, `n` is not an integer >= 1, or the model was loaded.

        Examples
        --------
        >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's train"]
        >>> groups = DocumentClustering(n_clusters=2, random_state=0).fit(texts)
        >>> len(groups.representatives(0, n=1))
        1
        """
        corpus, number = self._documents(), self._number(group)
        rows, cosines = self._nearest(self._centre(number), n, number)
        return self._table(
            {
                "id": [corpus.ids[row] for row in rows],
                "title": [corpus.titles[row] for row in rows],
                "text": [corpus.texts[row] for row in rows],
                "similarity": cosines,
            }
        )

    def to_codebook(self, frame: Codebook | None = None) -> Codebook:
        """Return a code for each group: number, name, first words as keywords, and three example documents.

        Parameters
        ----------
        frame : Codebook, default None
            An earlier codebook, whose codes are kept: a group belongs to the code that it started from, or of its name,
            and other groups get the next free numbers.

        Returns
        -------
        Codebook

        Raises
        ------
        NoDocumentsError
            The model was loaded.

        Examples
        --------
        >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's train"]
        >>> groups = DocumentClustering(n_clusters=2, random_state=0).fit(texts, word_seeds={"Food": ["bread"]})
        >>> groups.to_codebook().codes[0].name
        'Food'
        """
        corpus, groups = self._documents(), self._groups()
        names: dict[int | None, str] = {code.number: code.name for code in (frame.codes if frame else ())}
        there = [with_fields(groups[number], code=self._codes.get(number)) for number in self.numbers_.tolist()]
        there = [with_fields(group, name=names.get(group.code, group.name)) for group in there]
        return Codebook.of_groups(there, dict(zip(corpus.ids, corpus.texts, strict=True)), frame)

    def find(self, text: str, n: int = 5, *, embeddings: Any = None) -> Any:
        """Return the groups and the documents nearest to a text, at most `n` of each.

        Parameters
        ----------
        text : str
        n : int, default 5
        embeddings : (1, d) array, default None
            As for `predict`.

        Returns
        -------
        table
            Columns `kind` ("group" or "document"), `group`, `name`, `id`, `title` and `similarity`, a cosine > 0: the
            groups first, the nearest of each kind first. Empty for a text without a known word.

        Raises
        ------
        InputError, NoDocumentsError
            `text` is not a str, `n` is not an integer >= 1, `embeddings` are missing, or the model was loaded.

        Examples
        --------
        >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's train"]
        >>> groups = DocumentClustering(n_clusters=2, random_state=0).fit(texts)
        >>> list(groups.find("fresh butter", n=2)["kind"])
        ['group', 'document', 'document']
        """
        if not isinstance(text, str):
            raise InputError(f"find expects a single text, not {type(text).__name__}: give a string, such as texts[3]")
        corpus, numbers = self._documents(), self.numbers_
        spaces, known = self.represent([text], embeddings=embeddings)
        query = as_dense(spaces.space).ravel() if known[0] else np.zeros(self.spaces_.space.shape[1])
        rows, cosines = self._nearest(query, n)
        near = np.array([self._centre(number) @ query for number in numbers.tolist()])
        first = [place for place in np.argsort(-near, kind="stable")[:n].tolist() if near[place] > 0]
        every = [*numbers[first].tolist(), *(int(self.labels_[row]) for row in rows)]
        return self._table(
            {
                "kind": ["group"] * len(first) + ["document"] * len(rows),
                "group": every,
                "name": self._names_of(every),
                "id": [""] * len(first) + [corpus.ids[row] for row in rows],
                "title": [""] * len(first) + [corpus.titles[row] for row in rows],
                "similarity": [*near[first].tolist(), *cosines],
            }
        )

    def over_time(self, dates: Any, *, day_first: bool | None = None) -> Any:
        """Count the documents of each group by day, week, month, quarter, year or longer period.

        Parameters
        ----------
        dates : str or sequence of n
            A field of the input's records; or a date for each document: str, date or datetime.
        day_first : bool, default None
            Whether the day comes first in dates such as 01/02/2024. None: as the dates tell, with a warning if both
            orders fit.

        Returns
        -------
        table
            Columns `period`, `group` (-1: set aside), `name`, `documents` and `share` of the period's documents.
            Documents without a valid date do not count.

        Raises
        ------
        InputError, NoDocumentsError
            The field does not exist or does not hold a valid date per document, or the model was loaded.

        Examples
        --------
        >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's train"]
        >>> groups = DocumentClustering(n_clusters=2, random_state=0).fit(texts)
        >>> counts = groups.over_time(["2024-05-30", "2024-05-30", "2024-05-31", "2024-05-31"])
        >>> list(counts["period"]), list(counts["documents"])
        (['2024-05-30', '2024-05-30', '2024-05-31', '2024-05-31'], [0, 2, 2, 0])
        """
        values = self._values(dates, "dates")
        if day_first is None and (found := order(values)).assumed:
            warn(str(found))
        days = dates_of(values, years=True, day_first=day_first)
        if not any(days):
            example = next((value for value in values if value.strip()), "")
            raise InputError(f"no date is valid, for example {example!r:.60}; accepted dates: {FORMS}")
        _, names, places = periods(days)
        return self._counted("period", names, places)

    def by(self, column: Any, *, weights: Any = None) -> Any:
        """Count the documents of each group by the values of a column, the most frequent value first.

        Parameters
        ----------
        column : str or sequence of n
            A field of the input's records; or a value for each document.
        weights : str or sequence of n float, default None
            A field of the input's records, or a weight for each document, from 0: sums of weights give the shares.

        Returns
        -------
        table
            Columns `value` ("" for none), `group` (-1: set aside), `name`, `documents`, `weight` with `weights`, and
            `share` of the value's documents.

        Raises
        ------
        InputError, NoDocumentsError
            The field is unknown, the number of values is not n, a weight is not valid, or the model was loaded.

        Examples
        --------
        >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's train"]
        >>> groups = DocumentClustering(n_clusters=2, random_state=0).fit(texts)
        >>> list(groups.by(["Ann", "Ann", "Ann", "Bob"])["documents"])
        [1, 2, 1, 0]
        """
        values = self._values(column, "values")
        names = [value for value, _ in Counter(values).most_common()]
        place, own = {name: number for number, name in enumerate(names)}, self._documents()
        w = None if weights is None else own.numbers(weights) if isinstance(weights, str) else weights
        w = None if w is None else checked_weights(w, len(own)).tolist()
        return self._counted("value", names, [place[value] for value in values], w)

    def report(self, path: str | os.PathLike[str], *, title: str = "", replace: bool = False) -> Path:
        """Write the page of the groups: one HTML file with all documents, a map, search and corrections.

        Parameters
        ----------
        path : path
        title : str, default ""
        replace : bool, default False
            Whether to replace an existing file.

        Returns
        -------
        Path

        Raises
        ------
        OutputError, NoDocumentsError
            The file cannot be written, it exists and `replace` is False, or the model was loaded.
        """
        summary = self._summarised()
        page = render(with_fields(summary, run=summary.run | {"title": title}))
        with new_file(path, replace=replace) as file:
            file.write(page)
        return Path(path)

    # --- Decisions

    @property
    def session(self) -> Session:
        """A session that starts from these groups: `session.begin()` returns their version, `session.fit(decisions,
        start=version)` the next.

        Raises NoDocumentsError for a loaded model.
        """
        corpus, version = self._documents(), self._version
        if self._session is None and version is not None and version.documents is not None:
            seed = _seed(getattr(version.model.clusterer_, "random_state", None))
            self._session = Session.after(Past.of(version, corpus.texts), version.documents, random_state=seed)
        assert self._session is not None
        return self._session

    def merge(self, *groups: int | str) -> Self:
        """Merge groups; the result has the number of the first.

        Parameters
        ----------
        *groups : int or str
            The numbers or the names of at least two groups.

        Returns
        -------
        DocumentClustering
            A new fitted one: the groups keep their numbers, and documents move only to or from the groups of the
            decision. This one stays as it is.

        Raises
        ------
        InputError
            A group does not exist, several have this name, or the decision cannot be applied.
        NoDocumentsError
            The model was loaded.

        Examples
        --------
        >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's train", "roses", "red roses"]
        >>> groups = DocumentClustering(n_clusters=3, random_state=0).fit(texts)
        >>> merged = groups.merge(0, 1).rename(0, "kitchen and town")
        >>> merged.numbers_.tolist(), merged.names_, groups.numbers_.tolist()
        ([0, 2], ['kitchen and town', None], [0, 1, 2])
        """
        return self._after(Merge(tuple(map(self._number, groups))))

    def split(self, group: int | str) -> Self:
        """Split a group in two, as a new model; the smaller half gets a new number. See `merge`.

        Parameters
        ----------
        group : int or str
            Its number or its name.

        Returns
        -------
        DocumentClustering
            A new fitted one.

        Examples
        --------
        >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's train", "roses", "red roses"]
        >>> groups = DocumentClustering(n_clusters=2, random_state=0).fit(texts)
        >>> largest = int(np.bincount(groups.labels_).argmax())
        >>> len(groups.split(largest).numbers_)
        3
        """
        return self._after(Split(self._number(group)))

    def rename(self, group: int | str, name: str) -> Self:
        """Name a group, as a new model; no document moves. See `merge`.

        Parameters
        ----------
        group : int or str
            Its number or its name.
        name : str

        Returns
        -------
        DocumentClustering
            A new fitted one.

        Examples
        --------
        >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's train"]
        >>> groups = DocumentClustering(n_clusters=2, random_state=0).fit(texts)
        >>> groups.rename(0, "Business").names_[0]
        'Business'
        """
        return self._after(Rename(self._number(group), name))

    def assign(self, document: str | int, group: int | str, *further: int | str) -> Self:
        """Label a document with its group, as a new model; similar documents move too. See `merge`.

        Parameters
        ----------
        document : str or int
            Its id, or its position from 0.
        group : int or str
            The number or the name of the group; -1 for an off-topic document.
        *further : int or str
            Further groups of the document, for `several_` and `predict_several`.

        Returns
        -------
        DocumentClustering
            A new fitted one.

        Examples
        --------
        >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's train", "rye bread on rails"]
        >>> groups = DocumentClustering(n_clusters=2, random_state=0).fit(texts)
        >>> train = int(groups.labels_[2])
        >>> int(groups.assign(4, train).labels_[4]) == train
        True
        """
        row = self._row(document)
        if row is None:
            raise InputError(f"there is no document {document!r:.60}: give an id of `ids_`, or a position from 0")
        groups = (group, *further) if further or not is_number(group) or group != -1 else ()
        return self._after(Label(self.ids_[row], [*map(self._number, groups)]))

    def merge_with(self, other: DocumentClustering) -> Self:
        """Join the documents of two models, such as two months or two teams, and the groups that match.

        Groups match by an equal name or, else, if each is the nearest of the other among all groups of both models, in
        a common vocabulary or in the embeddings that both have. Each match is a `Merge`, with its receipt in
        `session.version`, and `decisions.undo` takes it back.

        Parameters
        ----------
        other : DocumentClustering
            Fitted on documents of the same kind: both by words (and meaning), or by embeddings of the same encoder.

        Returns
        -------
        DocumentClustering
            A new fitted one of the n documents here and the m of `other`. Groups keep their numbers; a group of `other`
            without a match has its number there plus one plus the largest here. Labels of documents and words, weights
            and a given vectorizer do not come along; an id that both use ends in " (2)" for the second.

        Raises
        ------
        InputError
            `other` is not a model, or its rows are of another kind.
        NoDocumentsError
            A model was loaded.

        Examples
        --------
        >>> may = DocumentClustering(2, random_state=0).fit(["rye bread", "bread and butter", "a train", "the train"])
        >>> june = DocumentClustering(2, random_state=0).fit(["late train", "a train", "red roses", "roses"])
        >>> both = may.merge_with(june)
        >>> len(both.numbers_), bool(both.labels_[2] == both.labels_[4])
        (3, True)
        """
        if not isinstance(other, DocumentClustering):
            raise InputError(f"{type(other).__name__} is not a DocumentClustering: give another fitted model")
        first, second = self._documents(), other._documents()
        vectors: list[Any] = [model._given_vectors() for model in (self, other)]
        if len({None if rows is None else rows.shape[1] for rows in vectors}) > 1:
            raise InputError("the models have rows of different kinds: fit both by words, or by the same encoder")
        ids, above = dict.fromkeys(first.ids), 1 + max(self._numbers)
        for identity in second.ids:
            while identity in ids:
                identity += " (2)"
            ids[identity] = None
        fields = {
            name: [*first.columns.get(name, [""] * len(first)), *second.columns.get(name, [""] * len(second))]
            for name in {**first.columns, **second.columns}
        }
        joined = (
            type(self)
            .from_labels(
                Corpus([*ids], [*first.texts, *second.texts], [*first.titles, *second.titles], columns=fields),
                [*self.labels_.tolist(), *np.where(other.labels_ < 0, -1, other.labels_ + above).tolist()],
                None if vectors[0] is None else np.concatenate(vectors),
                language=self.language,
                encoder=self.encoder,
                random_state=self.random_state,
            )
            .set_params(namer=self.namer)
        )
        here = {name: number for number, name in zip(self._numbers, self.names_ or [], strict=False) if name}
        there = {name: n + above for n, name in zip(other._numbers, other.names_ or [], strict=False) if name}
        matches = {here[name]: number for name, number in there.items() if name in here}
        nearest = joined._nearest_groups()
        for own, number in nearest.items():
            if own < above <= number and nearest.get(number) == own and number not in matches.values():
                matches.setdefault(own, number)
        names = [Rename(number, name) for name, number in (there | here).items()]
        return joined._after(*names, *(Merge(pair) for pair in sorted(matches.items())))

    def _nearest_groups(self) -> dict[int, int]:
        """Return the nearest group of each, by cosines of the groups' mean rows less the mean of all, if above 0."""
        centres = np.array([self._centre(number) for number in self._numbers])
        centres = normalize(centres - centres.mean(axis=0))
        cosines = centres @ centres.T
        np.fill_diagonal(cosines, -np.inf)
        best = zip(self._numbers, self.numbers_[cosines.argmax(axis=1)].tolist(), cosines.max(axis=1), strict=True)
        return {number: other for number, other, cosine in best if cosine > 1e-9}

    def _given_vectors(self) -> Array | None:
        """Return the rows of embeddings of another encoder, (n, d), zeros for a document without a row; else None."""
        documents = self.session.documents
        if documents.representation.width is None or documents.representation.meaning is not None:
            return None
        return spread(documents.spaces.unaveraged, documents.kept, 0.0, float)

    def _after(self, *decisions: Decision) -> Self:
        """Return the fitted model after further decisions."""
        session, before = self.session, self._version
        assert before is not None
        version = session.fit([*before.decisions, *decisions], start=before)
        for effect in version.effects:
            if effect.reason:
                raise InputError(f"{effect.decision}: {effect.reason}")
        for note in version.notes:
            if note not in before.notes:
                warnings.warn(note, OutgroupWarning, stacklevel=3)
        model = copy.copy(self)
        model._adopt(version, copy.copy(session), self._documents())
        model.session.version = version
        return model.set_params(n_clusters=len(version.numbers))

    def pockets(self) -> Any:
        """Return small, tight groups of documents far from all others, perhaps junk such as automatic replies.

        5 documents, or more up to 2 % of all. The median document of a pocket is farther from the 3 nearest others than
        95 % of all documents from their 3 nearest, and twice as near to those of the pocket. Not computed by `fit`.

        Returns
        -------
        table
            Columns `size`, `words`, `examples` (three titles or texts) and `documents` (ids, the most typical first) of
            at most 10 pockets, the clearest first.

        Raises
        ------
        NoDocumentsError
            The model was loaded.

        Examples
        --------
        >>> words = ["red", "green", "blue", "white", "black", "brown", "grey", "pink"]
        >>> texts = [f"{a} {b} wheels" for a in words for b in words]
        >>> texts += [f"office closed until monday {day}" for day in ("may", "june", "july", "august", "april")]
        >>> groups = DocumentClustering(2, random_state=0).fit(texts)
        >>> list(groups.pockets()["size"])
        [5]
        """
        self._own_spaces()
        found = pockets_of(self._documents(), self, np.inf)
        return self._table(
            {
                "size": [len(pocket.documents) for pocket in found],
                "words": [", ".join(pocket.words) for pocket in found],
                "examples": [pocket.examples for pocket in found],
                "documents": [pocket.documents for pocket in found],
            }
        )

    @property
    def tree_(self) -> Array:
        """The tree of the groups as SciPy's linkage matrix, (k - 1, 4): the cheapest merges first.

        Leaf i is the group `numbers_[i]`. A merge costs what the coherence of the partition loses,
        `|s_a| + |s_b| - |s_a + s_b|` (s the sums of the rows), as in the report; heights are sums of the losses so far.
        """
        return tree_of(self)

    def levels(self, counts: Sequence[int]) -> list[Array]:
        """Return the groups of the documents on several levels: merged along the tree, or split.

        Parameters
        ----------
        counts : sequence of int
            The number of groups of each level. The best splits lead to more than k; groups of equal documents stay.

        Returns
        -------
        list of (n,) int32 arrays
            For each level, the lowest group number in each document's branch; -1 as in `labels_`. The smaller half of
            a split has the next number.

        Raises
        ------
        InputError
            A count is below 1 or above the number of documents, or `counts` is a single number.

        Examples
        --------
        >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's train", "bread and rye"]
        >>> groups = DocumentClustering(n_clusters=2, random_state=0).fit(texts)
        >>> [len(set(level.tolist())) for level in groups.levels((3, 2))]
        [3, 2]
        """
        if not isinstance(counts, Iterable):
            raise InputError(f"{counts!r:.60} is not valid for levels: give several numbers of groups, such as (20, 5)")
        counts, most = list(counts), len(self._own_spaces())
        wrong = next((count for count in counts if not is_count(count) or count > most), None)
        if wrong is not None:
            raise InputError(f"{wrong!r:.60} is not valid for levels: give numbers of groups from 1 to {most}")
        return branches(self, counts)

    # --- The fitted parts

    def _parted(self) -> Partition:
        """Return the documents and groups as arrays, with names; cached."""
        corpus = self._documents()
        if self._partition is None:
            assert self._version is not None
            found = Partition.of(self._version, corpus)
            texts = [corpus.texts[row] for row in np.flatnonzero(found.rows).tolist()]
            self._partition = named(found, texts, self.namer)
        return self._partition

    def _summarised(self) -> Summary:
        """Return the summary, with the trust in each group; cached."""
        corpus, partition = self._documents(), self._parted()
        if self._summary is None:
            partition.version.model._ensemble = self._ensemble
            trust = trust_of(partition).to_dict()
            self._ensemble = partition.version.model._ensemble
            finest = max(self.profile_.candidates) if self.profile_ else 0
            self._summary = summary_of(partition, corpus, duplicates=corpus.duplicates(), trust=trust, finest=finest)
            self._summary = with_fields(self._summary, groups=self._coded(self._summary.groups))
        return self._summary

    def _groups(self) -> list[Group]:
        """Return the groups by number, also those left by merges; with trust after the summary was computed."""
        return self._coded(groups_of(self._parted())) if self._summary is None else self._summary.groups

    def _coded(self, groups: Sequence[Group]) -> list[Group]:
        """Return the groups with the numbers of their codes."""
        codes = numbers_of({group.number: group.name for group in groups if not group.gone}, self._codes)
        return [with_fields(group, code=codes.get(group.number)) for group in groups]

    def _table(self, columns: Mapping[str, Sequence[Any]]) -> Any:
        return table(columns, Form(self._form.library))

    def _document_columns(self) -> dict[str, list[Any]]:
        """Return the columns of the table of documents."""
        corpus, found, partition = self._documents(), self._summarised(), self._parted()
        verdicts, with_row = partition.verdicts, partition.rows
        place, n, documents = np.cumsum(with_row) - 1, len(corpus), found.documents
        names, codes = ([getattr(group, name) for group in found.groups] for name in ("name", "code"))
        group, margin, rival = (
            np.where(with_row, np.asarray(values)[np.where(with_row, place, 0)], other)
            for values, other in ((documents.group, -1), (documents.margin, np.nan), (documents.rival, -1))
        )
        labelled = [False] * n if verdicts.away is None else verdicts.away.tolist()
        off_topic = [out or None for out in labelled] if verdicts.off_topic is None else verdicts.off_topic.tolist()
        why = {row: reason for row, reason in self.skipped_ if not with_row[row]}
        return {
            "id": list(corpus.ids),
            "title": list(corpus.titles),
            "group": group.tolist(),
            "code": [codes[g] if g >= 0 else -1 for g in group.tolist()],
            "name": [
                names[g] if g >= 0 else LABELLED_AWAY * out for g, out in zip(group.tolist(), labelled, strict=True)
            ],
            "margin": margin.tolist(),
            "off_topic_score": verdicts.off_topic_score.tolist(),
            "off_topic": off_topic,
            "second": rival.tolist(),
            "skipped": [why.get(row, "") for row in range(n)],
        }

    def _further(self, name: str, own: Mapping[str, Sequence[Any]]) -> Any:
        """Return a column by name: the texts, a figure of the model, or a field of the records."""
        corpus = self._documents()
        if not isinstance(name, str):
            raise InputError(f"a column of type {type(name).__name__} is not valid: give its name")
        if name in corpus.columns:
            return corpus.field(name)
        second = np.array(own["second"])
        made: dict[str, Callable[[], Any]] = {
            "text": lambda: corpus.texts,
            "probability": lambda: probability_of(self, np.array(own["group"])).tolist(),
            "second_probability": lambda: np.where(second < 0, np.nan, probability_of(self, second)).tolist(),
            "outlier": lambda: self.outliers_.tolist(),
            "outlier_score": lambda: self.outlier_score_.tolist(),
            "x": lambda: self._place(0),
            "y": lambda: self._place(1),
        }
        if name in made:
            return made[name]()
        if level := re.fullmatch(r"level_(\d+)(_name)?", name):
            (labels,) = self.levels((int(level[1]),))
            return self._level_names(int(level[1])) if level[2] else labels.tolist()
        return corpus.field(name, [*made, "level_N", "level_N_name"])

    def _place(self, axis: int) -> list[float]:
        """Return a coordinate of the map for each document, nan without a row."""
        return spread(self._summarised().documents.place[:, axis], self._parted().rows, np.nan, float).tolist()

    def _level_names(self, count: int) -> list[str]:
        """Return the name of the branch of each document on the level of `count` groups; "" for none."""
        partition, texts = self._parted(), self._documents().texts
        texts = [texts[row] for row in np.flatnonzero(partition.rows).tolist()]
        (level,) = levels_of(partition, texts, [group.name for group in self._groups()], [count])
        return [level.names.get(group, "") for group in level.labels.tolist()]

    def _names_of(self, numbers: Sequence[int]) -> list[str]:
        """Return the names of group numbers; "" for -1."""
        groups = self._groups()
        return [groups[number].name if number >= 0 else "" for number in numbers]

    def _values(self, given: Any, what: str) -> list[str]:
        """Return a text for each document, from a field of the records or given values; "" if missing."""
        corpus = self._documents()
        if isinstance(given, str):
            return corpus.field(given)
        if not isinstance(given, Iterable):
            raise InputError(
                f"{type(given).__name__} is not valid: give a field name of the records, or a list of {what}"
            )
        found = ["" if is_missing(value) else str(value) for value in given]
        if len(found) != len(corpus):
            raise InputError(f"there are {len(found)} {what} for {len(corpus)} documents: give one for each")
        return found

    def _counted(
        self, column: str, names: list[str], places: Sequence[int | None], weights: list[float] | None = None
    ) -> Any:
        """Count the documents by value `names[places]` and group, as a table."""
        labels = self.labels_.tolist()
        numbers = sorted(self.numbers_.tolist()) + [-1] * (min(labels) < 0)
        counts, sums = Counter[Any](), defaultdict[Any, float](float)
        for place, label, w in zip(places, labels, weights or repeat(1), strict=False):
            counts[place, label] += 1
            sums[place, label] += w
            sums[place] += w
        cells = list(product(range(len(names)), numbers))
        weight = {} if weights is None else {"weight": [round(sums[cell], 6) for cell in cells]}
        return self._table(
            {
                column: [names[place] for place, _ in cells],
                "group": [number for _, number in cells],
                "name": self._names_of([number for _, number in cells]),
                "documents": [counts[cell] for cell in cells],
                **weight,
                "share": [round(sums[cell] / (sums[cell[0]] or 1), 6) for cell in cells],
            }
        )

    def _centre(self, group: int) -> Array:
        """Return the mean row of a group, of unit length, (d,); zeros if the group is empty."""
        rows = self.spaces_.space[self.labels_[self.kept_] == group]
        mean = np.asarray(rows.mean(axis=0)).ravel() if rows.shape[0] else np.zeros(rows.shape[1])
        return np.asarray(mean / max(float(np.linalg.norm(mean)), np.finfo(float).tiny))

    def _nearest(self, row: Array, n: int, group: int | None = None) -> tuple[list[int], list[float]]:
        """Return the positions and cosines of the `n` documents nearest to a unit row, in a group or in all."""
        if not is_count(n):
            raise InputError(f"n={n!r:.60} is not valid: give the number of documents, such as 5")
        inside = np.flatnonzero(self.kept_)
        cosines = np.asarray(self.spaces_.space @ row, dtype=float).ravel()
        places = np.flatnonzero(cosines > 0 if group is None else self.labels_[inside] == group)
        best = places[np.argsort(-cosines[places], kind="stable")[:n]]
        return inside[best].tolist(), cosines[best].tolist()

    def _documents(self) -> Corpus:
        check_is_fitted(self)
        if self._corpus is None:
            raise NoDocumentsError(NEEDS_DOCUMENTS)
        return self._corpus

    def _described(self) -> list[dict[str, Any]]:
        """Return the description of each group, in the order of `numbers_`, with its trust if known."""
        if self._corpus is not None:
            groups = self._groups()
            self._description = described([groups[number] for number in self.numbers_.tolist()])
        elif self._description is None:
            raise NoDocumentsError("this model was saved without the words of its groups: fit it on documents")
        return self._description

    def _known(self) -> tuple[dict[int, dict[str, Any]], int]:
        """Return the saved description of each group, by number, and the number of documents in no group."""
        known = dict(zip(self.numbers_.tolist(), self._described(), strict=True))
        inside = sum(group["size"] for group in known.values())  # with rows in files, labels cover a sample only
        rows = self.kept_.copy()
        rows[[row for row, why in self.skipped_ if why == LABELLED_AWAY]] = True
        return known, max(0, int(rows.sum()) - inside)

    def _row(self, document: Any) -> int | None:
        """Return the row of a document given by id or position; None for any other string."""
        if isinstance(document, str):
            return None if self._corpus is None else self._fitted.arranged.documents.row_of.get(document)
        if not is_number(document):
            name = type(document).__name__
            raise InputError(f"{name} is not a document: give an id, a position such as 3, or a text such as texts[3]")
        if not 0 <= document < len(self._documents()):
            raise InputError(f"there is no document at position {document}: give 0 to {len(self.labels_) - 1}")
        return int(document)

    def _number(self, group: Any) -> int:
        """Return the number of a group given by number or name; raise InputError for other values."""
        check_is_fitted(self)
        numbers: list[int] = self.numbers_.tolist()
        if is_count(group, 0) and group in numbers:
            return int(group)
        described = self._described() if isinstance(group, str) else []
        names = [description["name"].removesuffix(MIXED) for description in described]
        same_name = [n for n, name in zip(numbers, names, strict=False) if name == str(group).removesuffix(MIXED)]
        if len(same_name) == 1:
            return same_name[0]
        if isinstance(group, list | tuple):
            raise InputError(f"{group!r:.60} is not a group: give groups one by one, as in merge(0, 1)")
        fault = f"{len(same_name)} groups are called {group!r:.60}" if same_name else f"there is no group {group!r:.60}"
        raise InputError(f"{fault}: give one of the numbers {', '.join(map(str, numbers))}; `topics` lists the groups")

    def _parts(self) -> tuple[Any, Any]:
        """Return unfitted copies of the vectorizer and the clusterer."""
        vectorizer = copied_vectorizer(self.vectorizer, self.language)
        if self.clusterer is not None:
            return vectorizer, copied_clusterer(self.clusterer)
        clusterer = MaxMarginClustering(random_state=self.random_state)
        own = {"n_clusters": self.n_clusters} if is_number(self.n_clusters) else {}
        return vectorizer, clusterer.set_params(**own)

    # --- Notebooks

    def __dir__(self) -> list[str]:
        """List the attributes without computing properties, because tab completion must be fast."""
        return sorted(object.__dir__(self))

    def _repr_html_(self) -> str:
        """Return the groups as HTML for a notebook; before `fit`, the parameters."""
        if self._corpus is None:
            return str(self._repr_html_inner()) if self._description is None else groups_html(*self._known())
        self._summarised()
        return groups_html(*self._known())

    def _repr_mimebundle_(self, **kinds: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


def _start(clusterer: Any, init: Any, texts: list[str], embeddings: Any) -> Array:
    """Return the initial labels of the texts, (n,)."""
    if not isinstance(clusterer, StartsFrom):
        raise InputError(f"{type(clusterer).__name__} does not support init: omit it, or use MaxMarginClustering")
    if isinstance(init, Model):
        return init._places(texts, embeddings)
    if hasattr(init, "predict"):
        name = type(init).__name__
        raise InputError(f"{name} is fitted on rows, not on texts: give its labels_ for these texts as init")
    labels = np.asarray(init)
    if labels.shape != (len(texts),):
        raise InputError(f"init has shape {labels.shape} for {len(texts)} texts: give one label per text, -1 for none")
    return labels


def _seed(random_state: Any) -> int:
    """Return the seed of a session; generators and None steer the given clusterer only."""
    return int(random_state) if isinstance(random_state, Integral) else 0


def _check_ignored(y: Any) -> None:
    """Raise InputError if `y` is a matrix or a path: embeddings by position would have no effect."""
    shape = getattr(y, "shape", None)
    some = y if shape is None or len(shape) == 1 else ()  # perhaps a sequence of vectors
    first: Any = next(iter(some), None) if isinstance(some, AnyCollection) else None
    if (shape is not None and len(shape) > 1) or np.ndim(first) or isinstance(y, str | os.PathLike):
        raise InputError("the second argument, y, has no effect: give vectors by name, as embeddings=")


# --- The explanation of a group: its words, the second best group, and the nearest documents

_REASONS = 8  # words of an explanation


def _nowhere(why: str) -> Explanation:
    """Return the explanation of a document without a row."""
    return Explanation(-1, why, None, float("nan"), None, [], [])


def _explained(model: DocumentClustering, names: Sequence[str], spaces: Spaces, row: int | None = None) -> Explanation:
    """Explain the only document in `spaces`; `row` is its row in the fit, or None for a new document."""
    X, numbers, groups = rows_of(spaces, model.clusterer_), model.numbers_.tolist(), model.clusterer_
    scores = np.asarray(groups.decision_function(X))[0]
    order = np.argsort(-scores, kind="stable").tolist()
    label = -1 if row is None else int(model.labels_[row])
    group = numbers.index(label) if label >= 0 else order[0]
    second = next((place for place in order if place != group), None)
    margin = float(scores[group] - (0.0 if second is None else scores[second]))
    rejects = getattr(groups, "reject_coef_", None) is not None
    off = float(groups.off_topic_score(X)[0]) if rejects else None
    rejected = None if off is None else off > groups.off_topic_["value"]
    if rejected and getattr(groups, "set_aside", False):  # a label keeps its document in the group
        rejected = label < 0 and off > groups._aside_above
    # The words that speak most against all groups, or most for this group and against the second best.
    coef = model.word_coef_
    against = np.zeros_like(coef[group]) if second is None else coef[second]
    pull = (np.vstack([against, coef[group]]), np.zeros(2), 1)
    if rejected and model.word_reject_ is not None:
        pull = (*model.word_reject_, len(coef))
    words = pulled_out(spaces.words, *pull, model.representation_.names, _REASONS)[0]
    like: list[str] = []
    if hasattr(model, "spaces_"):
        rows, _ = model._nearest(as_dense(spaces.space)[0], 4, numbers[group])
        like = [model.ids_[near] for near in rows if near != row][:3]
    return Explanation(
        numbers[group], names[group], None if second is None else numbers[second], margin, off, words, like, rejected
    )


def as_dense(rows: Any) -> Array:
    return np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows)
