"""Cluster documents: from texts to rows, to groups, and to tables, explanations and saved models."""

from __future__ import annotations

import copy
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Collection as AnyCollection
from dataclasses import replace
from html import escape
from inspect import signature
from numbers import Real
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from scipy.special import expit
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils._set_output import ADAPTERS_MANAGER, _get_output_config
from sklearn.utils.validation import check_is_fitted

from . import saved_model
from .cluster.base import is_count
from .cluster.max_margin import MaxMarginClustering
from .cluster.membership import Membership
from .cluster.novelty import Novelty
from .cluster.outliers import Outliers
from .cluster.profile import Choice
from .decisions import Decision, Label, Merge, Rename, Split
from .decisions.kinds import ProposedGroup
from .errors import InputError, NoDocumentsError, OutgroupWarning
from .naming import phrase_names
from .pipeline import (
    Fitted,
    copied_clusterer,
    copied_vectorizer,
    fit_groups,
    is_number,
    prepare,
    rows_of,
    smoothed_rows,
    spread,
)
from .readers.documents import Corpus
from .stopping import stoppable
from .text.collection import LABELLED_AWAY, ids_of
from .text.representation import Representation, Spaces
from .text.tables import Form, Inputs, holds_fields, texts_of, vectors_of
from .text.texts import PASSAGE, as_texts, passages
from .types import Array, FindsOffTopic, OnStep, Progress, StartsFrom, Whole, no_op

if TYPE_CHECKING:
    from .codebook import Codebook
    from .notebook.display import Explanation, GroupView
    from .session import Session, Version

Names = list[str | None] | None


class DocumentClustering(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Cluster documents by their texts. The order of the input only changes the order of the results.

    Parameters
    ----------
    n_clusters : int, "auto" or (int, int), default 8
        Number of groups. "auto", or the minimum and the maximum: a profile chooses it (`outgroup.k_profile`), also for
        a given clusterer. An integer applies to the default clusterer only.
    language : str, default "auto"
        The language of the texts for the default vectorizer, as in `Vectorizer`; "auto" detects it.
    vectorizer : default None, a `Vectorizer(language=language)`
        An object with `fit_transform(texts)`, `transform(texts)` and `get_feature_names_out()`. `fit` copies it.
    clusterer : default None, a `MaxMarginClustering(n_clusters, random_state=random_state)`
        An object with `fit(X)`, `predict(X)`, `labels_` and its own number of groups; tables and pages also need
        `decision_function(X)`. `fit` copies it.
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
        The fitted parts.
    neighbours_ : int
        Number of passes that average rows with their neighbours.
    ids_ : list of n str
        The ids of the documents.
    word_coef_ : (k, V) array
        Weights of the words for each group; among embeddings the mean TF-IDF rows of the groups.
    word_reject_ : ((k + j, V) array, (k + j,) array) or None
        Coefficients and intercepts of the words for each group and, last, for j reject rows ("none of these"); None
        without a Universum.
    membership_ : (n, k) or (n, k + 1) float64 array
        The probabilities of the groups of each document, see `predict_proba`. Computed on first access.
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
    thrown_ : (N,) bool or None
        Mask of the examples that are documents with an off-topic label.
    placed_ : Placed or None
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

    _representation: Representation
    _fitted: Fitted
    _numbers: list[int] | None  # numbers of the groups, None for 0 to k - 1
    _word_means: tuple[Array, Array] | None
    _text_fields: dict[str, Any] | None = None  # the fields of a record that form its text
    _description: list[dict[str, Any]] | None = None  # saved summary of the groups
    _corpus: Corpus | None = None
    _codes: Mapping[int, int] = MappingProxyType({})  # of seeded groups, by number
    _given: tuple[Any, Any, Any] = (None, None, None)  # embeddings, Universum and its embeddings
    _form: Form = Form()  # of the tables of the groups
    _steered: tuple[Session, Version] | None = None  # the session and the version after `merge`, `split` ...
    _shown: GroupView | None = None
    _membership: Membership | None = None
    _outliers: Outliers | None = None
    _novelty: Novelty | None = None

    def __init__(
        self,
        n_clusters: Choice = 8,
        *,
        language: str = "auto",
        vectorizer: Any = None,
        clusterer: Any = None,
        encoder: Any = "auto",
        neighbours: Whole | Literal["auto"] = "auto",
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
        codes: Mapping[str, int] | None = None,
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
            Texts; or a table or records (pandas, polars, pyarrow ...) with a document in each row.
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
        seeds : mapping, `Seeds` or (n,) int array, default None
            Name of a group -> its labelled documents, each an id or (id, highlighted words); or the result of
            `read_seeds`; or a label for each text, -1 for unlabelled. Named groups are numbered in their order.
        word_seeds : mapping or (k, V) bool array, default None
            Name of a group -> its labelled words, stemmed like the texts; or an indicator over the vocabulary.
        codes : mapping of str to int, default None
            Name of a seeded group -> the number of its code, as from `Codebook.seeds`; tables have a column `code`.
        ids : sequence of n str, default None
            The ids of the documents; by default those of the records, else their numbers.
        init : (n,) int array or fitted DocumentClustering, default None
            The initial labels, -1 for no group; or a model, for its predictions. Groups keep these numbers. By default
            the clusterer makes its own starts.
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
        report = progress or no_op
        _check_ignored(y)
        with stoppable(cancel):
            vectorizer, clusterer = self._parts()
            # 1. Texts: read the documents and the Universum; each document has an id, a title and a text.
            reading: dict[str, Any] = {"text": text, "title": title, "missing": self.missing}
            corpus = texts_of(documents, **reading)
            corpus = corpus if ids is None else replace(corpus, ids=ids_of(ids, len(corpus)))
            embeddings = vectors_of(documents, embeddings)
            universum_embeddings = vectors_of(universum, universum_embeddings)
            universum = None if universum is None else texts_of(universum, name="universum", **reading).texts
            inputs = Inputs(corpus.texts, corpus.ids, corpus.titles, universum, embeddings, universum_embeddings)
            weight = corpus.field(sample_weight) if isinstance(sample_weight, str) else sample_weight
            # 2. Rows, number of groups, and neighbours.
            collection, profile, average = prepare(
                inputs,
                Representation(vectorizer, self.encoder),
                clusterer,
                self.n_clusters,
                self.neighbours,
                weight,
                self.outliers,
                report,
            )
            collection = smoothed_rows(collection, average, report)
            # 3. Groups, from the starts of the clusterer or from `init`.
            start = None if init is None else _start(clusterer, init, collection.texts, embeddings)
            fitted = fit_groups(collection, clusterer, seeds, word_seeds, report, start, on_step)
            # 4. Set aside: off-topic documents, off-topic labels and documents without a row get the label -1.
            labels = fitted.labels
            # 5. Words: weigh the words of each group, for names, explanations and the page.
            self._store(fitted, labels, None if fitted.placed is None else fitted.placed.names)
        numbers = {group: (codes or {}).get(name or "") for group, name in enumerate(self.names_ or ())}
        self._codes = {group: number for group, number in numbers.items() if number is not None}
        self.profile_, self._corpus, self._form = profile, corpus, Form.of(documents)
        self._given, self._text_fields = (embeddings, universum, universum_embeddings), {"text": text, "title": title}
        return self

    @classmethod
    def around(
        cls, fitted: Fitted, labels: Array, *, names: Names = None, numbers: Sequence[int] | None = None
    ) -> Self:
        """Return a fitted model assembled from fitted parts, for example by a session.

        Parameters
        ----------
        fitted : Fitted
            The clusterer, fitted on `arranged.spaces.space[order]` and the rows of the examples.
        labels : (n,) int array
            The group of each text, as a column of the clusterer's scores.
        names : list of str or None, default None
            The name of each group.
        numbers : sequence of k int, default None
            The groups' numbers; by default 0 to k - 1.

        Returns
        -------
        DocumentClustering, fitted
        """
        clusterer, representation = fitted.clusterer, fitted.arranged.documents.representation
        model = cls(len(clusterer.coef_), vectorizer=representation.vectorizer, clusterer=clusterer)
        model._store(fitted, labels, names, numbers)
        return model

    # --- New documents

    def predict(self, texts: Any, *, embeddings: Any = None, off_topic: bool | None = None) -> Array:
        """Return the group number of each text.

        Parameters
        ----------
        texts : sequence of n str
        embeddings : (n, d) array, default None
            For a model of embeddings: a vector for each text, or the field of a table or records that holds them,
            unless an encoder makes them.
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
        """Return the scores of each text, one per group, in the order of `numbers_`.

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
        """Vectorize texts as in the fit; return their rows, and the mask of texts that have a row.

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
        return self._representation.transform(self._as_texts(texts), vectors_of(texts, embeddings))

    @property
    def numbers_(self) -> Array:
        """The group numbers, (k,) int32, in the order of scores: 0 to k - 1, without those of merged groups."""
        return self._numbered(np.arange(len(self.word_coef_), dtype=np.int32))

    @property
    def kept_(self) -> Array:
        """The mask of texts with a row in `spaces_`, (n,) bool: all but the skipped texts."""
        kept = np.ones(len(self.labels_), dtype=bool)
        kept[[row for row, _ in self.skipped_]] = False
        return kept

    @property
    def neighbours_(self) -> int:
        """The number of times that rows were averaged with their neighbours before the fit; 0 for none."""
        return self._representation.passes

    @property
    def word_coef_(self) -> Array:
        """The weights of words for each group, (k, V): the clusterer's coefficients or, with embeddings, mean TF-IDF
        rows.
        """
        return np.asarray(self.clusterer_.coef_ if self._word_means is None else self._word_means[0])

    @property
    def word_reject_(self) -> tuple[Array, Array] | None:
        """Coefficients (k + j, V) and intercepts (k + j,) for words, with the reject rows last; None without a
        Universum.
        """
        if getattr(self.clusterer_, "reject_coef_", None) is None:
            return None
        if self._word_means is None:
            return self.clusterer_.reject_coef_, self.clusterer_.reject_intercept_
        directions = np.vstack(self._word_means)
        return directions, np.zeros(len(directions))

    @property
    def representation_(self) -> Representation:
        """The fitted vectorizer, and the dimension of the embeddings."""
        return self._representation

    def transform(self, texts: Any, *, embeddings: Any = None) -> Any:
        """Return the score of each text for each group, as `decision_function`; texts without a row get zeros.

        Parameters
        ----------
        texts : sequence of n str
        embeddings : (n, d) array, default None
            As for `predict`.

        Returns
        -------
        (n, k) float64
            Or a DataFrame, as chosen by `set_output`.
        """
        return self._scores(texts, embeddings, texts)

    def set_output(self, *, transform: str | None = None) -> Self:
        """Choose the container of `transform` and `fit_transform`, as scikit-learn's transformers do.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"} or None, default None
            An array, or a DataFrame with a column for each group, by name or else by number. None changes nothing.

        Returns
        -------
        self
        """
        if transform is not None:
            self._sklearn_output_config = {"transform": transform}
        return self

    def fit_transform(self, documents: Any, y: Any = None, **options: Any) -> Any:
        """Find the groups and return the score of each document for each group, not its group: see `fit_predict`.

        Parameters
        ----------
        documents, y, **options :
            As for `fit`.

        Returns
        -------
        (n, k) float64
            Or a DataFrame, as chosen by `set_output`.
        """
        self.fit(documents, y, **options)
        return self._scores(self._documents().texts, options.get("embeddings"), documents)

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

    def _scores(self, texts: Any, embeddings: Any, given: Any) -> Any:
        """Return scores in the container of `set_output`, with the index of the table `given`."""
        scores = np.nan_to_num(self.decision_function(texts, embeddings=embeddings), nan=0.0)
        return as_container(scores, self, given, self.get_feature_names_out().tolist())

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
        from .notebook.display import explain, explain_row

        check_is_fitted(self)
        self._has("decision_function")
        row = self._row(document)
        names = [each["name"] for each in self._described()]
        return explain(self, names, str(document), embeddings) if row is None else explain_row(self, names, row)

    @property
    def topics(self) -> Any:
        """The groups as a table: `group`, `name`, `size`, `share`, `trust`, `found_again` (of 20 fits), `words` and
        `example`, the largest first.

        The first access computes the trust, which takes about as long as the fit. A DataFrame if pandas or polars is
        installed. A loaded model has the values of the time of saving: `trust` is "" and `found_again` 0 unless they
        were computed before.
        """
        from .notebook.display import topics_of

        check_is_fitted(self)
        return topics_of(self._known()[0], self._form) if self._corpus is None else self._view().topics

    @property
    def documents(self) -> Any:
        """A table of documents: `id`, `title`, `group` (-1 for none), `name`, `margin`, `off_topic_score`, `off_topic`,
        `second`, `skipped`.

        A DataFrame if pandas or polars is installed, of the library of the input of `fit`, with its index. Raises
        NoDocumentsError for a loaded model.
        """
        return self._view().documents

    def documents_with(self, *columns: str) -> Any:
        """Return the table `documents` with further columns.

        Parameters
        ----------
        *columns : str
            "text" for the full texts; "probability" of `group` (-1: of none, nan without off-topic examples) and
            "second_probability" of `second`, nan without a row;
            "outlier_score"; "level_5" for the groups of the tree's level of 5; or fields of the input's records.

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
        return self._view().documents_with(*columns)

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
        return self._view().words(self._number(group), most=most)

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
        return self._view().representatives(self._number(group), n)

    def codebook(self, frame: Codebook | None = None) -> Codebook:
        """Return a code for each group: number, name, first words as keywords, and three example documents.

        Parameters
        ----------
        frame : Codebook, default None
            An earlier codebook, whose codes are kept: a group belongs to the code of its number in `codes` of the fit,
            or of its name, and other groups get the next free numbers.

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
        >>> groups.codebook().codes[0].name
        'Food'
        """
        from .codebook import Codebook

        corpus, groups = self._documents(), self._view().groups  # with merged ones, which have no code
        there = [replace(groups[number], code=self._codes.get(number)) for number in self.numbers_.tolist()]
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
        return self._view().find(text, n, embeddings)

    def over_time(self, dates: Any) -> Any:
        """Count the documents of each group by day, week, month, quarter, year or longer period.

        Parameters
        ----------
        dates : str or sequence of n
            A field of the input's records; or a date for each document: str, date or datetime.

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
        return self._view().over_time(dates)

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
        return self._view().by(column, weights=weights)

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
        return self._view().report(path, title=title, replace=replace)

    # --- Decisions

    @property
    def session(self) -> Session:
        """A session that starts from these groups: `session.begin()` returns their version, `session.fit(decisions,
        start=version)` the next.

        Raises NoDocumentsError for a loaded model.
        """
        from .session import Past, Session

        view = self._view()
        corpus, (embeddings, universum, vectors) = self._documents(), self._given
        if self._steered is None:
            past = replace(Past.of_model(self, corpus.ids, corpus.texts), called=view.called)
        else:
            past = Past.of(self._steered[1], corpus.texts)
        return Session.after(
            past,
            self._fitted.arranged.documents,
            ids=corpus.ids,
            titles=corpus.titles,
            universum=universum,
            embeddings=embeddings,
            universum_embeddings=vectors,
        )

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
        return self._after(Merge(tuple(self._number(each) for each in groups)))

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

    def assign(self, document: str | int, group: int | str) -> Self:
        """Label a document with its group, as a new model; similar documents move too. See `merge`.

        Parameters
        ----------
        document : str or int
            Its id, or its position from 0.
        group : int or str
            The number or the name of the group.

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
        return self._after(Label(self.ids_[row], self._number(group)))

    def _after(self, decision: Decision) -> Self:
        """Return the fitted model after one more decision."""
        if self._steered is None:
            session = self.session
            before = session.begin()
        else:
            session, before = self._steered
        version = session.fit([*before.decisions, decision], start=before)
        if version.effects and version.effects[-1].note:
            raise InputError(version.effects[-1].note)
        for note in version.notes:
            if note not in before.notes:
                warnings.warn(note, OutgroupWarning, stacklevel=3)
        model = copy.copy(version.model)
        model.set_params(**self.get_params(deep=False) | {"n_clusters": len(version.numbers)})
        for name in ("profile_", "_corpus", "_form", "_given", "_text_fields", "_codes"):
            setattr(model, name, getattr(self, name))
        model._steered = session, version
        return model

    # --- Probabilities, outliers, and the tree of the groups

    @property
    def membership_(self) -> Array:
        """The probabilities of the groups for each document, (n, k) or (n, k + 1), as from `predict_proba`.

        Computed on first access.
        """
        return spread(self._probable(self._own_spaces()), self.kept_, np.nan, np.float64)

    def predict_proba(self, texts: Any, *, embeddings: Any = None) -> Array:
        """Return the probability of each group for each text: how often fits on other samples agree.

        The first call after a fit makes 100 quick fits on samples (`cluster.membership.Membership`). They need no
        label. A saved model keeps the result.

        Parameters
        ----------
        texts, embeddings :
            As for `predict`.

        Returns
        -------
        (n, k) or (n, k + 1) float64 array
            Rows sum to 1, in the order of `numbers_`; nan for a text without a row. With a Universum the last column
            is "none of the groups": one half at the off-topic threshold, and otherwise not calibrated.

        Raises
        ------
        NoDocumentsError
            The model was saved before its first call.

        Examples
        --------
        >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's train"]
        >>> groups = DocumentClustering(n_clusters=2, random_state=0).fit(texts)
        >>> groups.predict_proba(["fresh bread"]).sum(axis=1).round(3).tolist()
        [1.0]
        """
        spaces, kept = self.represent(texts, embeddings=embeddings)
        return spread(self._probable(spaces), kept, np.nan, np.float64)

    def predict_sets(self, texts: Any, *, coverage: float = 0.9, embeddings: Any = None) -> list[list[int]]:
        """Return for each text the set of groups that contains its group with probability `coverage`.

        Parameters
        ----------
        texts, embeddings :
            As for `predict`.
        coverage : float in (0, 1), default 0.9

        Returns
        -------
        list of n lists of int
            Numbers of groups, the most probable first; empty for a text without a row.

        Raises
        ------
        InputError
            `coverage` is out of range.

        Examples
        --------
        >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's train"]
        >>> groups = DocumentClustering(n_clusters=2, random_state=0).fit(texts)
        >>> groups.predict_sets(["fresh bread"], coverage=0.5)[0] == groups.predict(["fresh bread"]).tolist()
        True
        """
        if not isinstance(coverage, Real) or not 0 < coverage < 1:
            raise InputError(f"coverage={coverage!r:.60} is not valid: give a number between 0 and 1, such as 0.9")
        p, k = self.predict_proba(texts, embeddings=embeddings), len(self.numbers_)
        p = np.nan_to_num(p[:, :k], nan=-1.0)
        chosen, order = self._members().sets(p, coverage) & (p >= 0), np.argsort(-p, axis=1, kind="stable")
        numbers = self.numbers_
        return [[int(numbers[g]) for g in order[i] if chosen[i, g]] for i in range(len(p))]

    def shares(self, texts: Any, *, sentences: int = PASSAGE) -> Array:
        """Return the share of each group in each text: the probabilities of its passages, weighted by length.

        Parameters
        ----------
        texts : sequence of n str
        sentences : int, default 3
            The number of sentences of a passage.

        Returns
        -------
        (n, k) or (n, k + 1) float64 array
            Rows sum to 1, as in `predict_proba`; nan for a text without a row.

        Raises
        ------
        InputError
            `sentences` is not an integer >= 1, or the model was fitted on embeddings and has no encoder.
        NoDocumentsError
            The model was saved before its first call of this, `membership_` or `predict_proba`.

        Examples
        --------
        >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's train"]
        >>> groups = DocumentClustering(n_clusters=2, random_state=0).fit(texts)
        >>> groups.shares(["Bread, butter. A train to town."], sentences=1).sum(axis=1).round(3).tolist()
        [1.0]
        """
        if not is_count(sentences):
            raise InputError(f"sentences={sentences!r:.60} is not valid: give a positive integer")
        parts = [passages(text, sentences) for text in self._as_texts(texts)]
        whole = np.repeat(np.arange(len(parts)), [len(each) for each in parts])
        every = [passage for each in parts for passage in each]
        p = self.predict_proba(every)
        lengths = np.where(np.isnan(p[:, 0]), 0, [len(passage) for passage in every])
        shares = sp.csr_matrix((lengths, (whole, np.arange(len(every))))) @ np.nan_to_num(p)
        total = shares.sum(axis=1, keepdims=True)
        return np.asarray(np.where(total > 0, shares / np.where(total > 0, total, 1), np.nan))

    @property
    def outlier_score_(self) -> Array:
        """The outlier score of each document, (n,), nan if it was skipped; computed on first access. See
        `outlier_score`.
        """
        return spread(self._outlier_scores().score, self.kept_, np.nan, np.float64)

    @property
    def outliers_(self) -> Array:
        """The mask of documents that are far from all others, (n,) bool, including those set aside. See
        `outlier_score`.

        Computed on access.
        """
        aside = self._fitted.arranged.documents.outliers
        strange = np.nan_to_num(self.outlier_score_, nan=0.0) > self.outlier_threshold_
        return strange if aside is None else aside

    @property
    def outlier_threshold_(self) -> float:
        """The outlier score that at most 5 % of documents like those of the fit exceed."""
        return self._outlier_scores().threshold

    def outlier_score(self, texts: Any, *, embeddings: Any = None) -> Array:
        """Return the outlier score of each text: one minus its mean cosine with the 10 nearest fitted documents; higher
        is stranger.

        Parameters
        ----------
        texts, embeddings :
            As for `predict`.

        Returns
        -------
        (n,) float64 array
            0 to 1; nan for a text without a row.

        Raises
        ------
        NoDocumentsError
            The model was loaded.

        Examples
        --------
        >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's train"]
        >>> groups = DocumentClustering(n_clusters=2, random_state=0).fit(texts)
        >>> groups.outlier_score(["bread", "..."]).round(1).tolist()
        [0.9, nan]
        """
        spaces, kept = self.represent(texts, embeddings=embeddings)
        score = self._outlier_scores().of_new(spaces.unaveraged) if len(spaces) else np.zeros(0)
        return spread(score, kept, np.nan, np.float64)

    def unlike_all(self, texts: Any, *, embeddings: Any = None) -> Array:
        """Return which texts are unlike every group: far from all fitted documents that are in a group.

        A text is far if its mean cosine with the 3 nearest of these documents is below a threshold that at most 5 % of
        ordinary texts miss, with a chance of 90 %. It is set on documents of the fit, each compared with the others.

        Parameters
        ----------
        texts, embeddings :
            As for `predict`.

        Returns
        -------
        (n,) bool array
            False for a text without a row, and for all texts if the groups have fewer than 45 distinct documents.

        Raises
        ------
        NoDocumentsError
            The model was saved by a version before this method.

        Examples
        --------
        >>> texts = [f"{a} {b} {c} tea" for a in ("hot", "iced", "green", "black") for b in ("milk", "sugar", "lemon")
        ...          for c in ("sweet", "cheap", "strong", "fresh")]
        >>> groups = DocumentClustering(2, random_state=0).fit(texts)
        >>> groups.unlike_all(["cheap green tea with sugar"]).tolist()
        [False]
        """
        spaces, kept = self.represent(texts, embeddings=embeddings)
        return spread(self._rows_to_compare().unlike(spaces.unaveraged), kept, False, bool)

    def propose_groups(
        self, texts: Any, *, ids: Iterable[object] | None = None, embeddings: Any = None
    ) -> list[ProposedGroup]:
        """Return groups that new documents suggest: at least 6 distinct documents, nearer to one another than to the
        fit.

        One of them, at least, is unlike every group.

        Parameters
        ----------
        texts, embeddings :
            As for `predict`.
        ids : sequence of n str, default None
            The ids of the documents; by default their numbers.

        Returns
        -------
        list of ProposedGroup
            The largest first; empty if the model cannot tell, see `unlike_all`.

        Raises
        ------
        InputError
            `ids` are not n different ones.
        NoDocumentsError
            The model was saved by a version before this method.

        Examples
        --------
        >>> words = ["red", "green", "blue", "white", "black", "brown", "grey", "pink"]
        >>> birds = ["seed", "nest", "egg", "wing", "beak"]
        >>> texts = [f"{a} {b} wheels {birds[i % 5]}" for i, a in enumerate(words) for b in words]
        >>> groups = DocumentClustering(2, random_state=0).fit(texts)
        >>> themes = groups.propose_groups([f"{a} {b} {c}" for a in birds for b in birds for c in birds if a < b < c])
        >>> [len(each.documents) for each in themes]
        [10]
        """
        texts = self._as_texts(texts)
        spaces, kept = self.represent(texts, embeddings=embeddings)
        every = ids_of(ids, len(texts))
        self._rows_to_compare()
        return self._proposed(spaces, [every[row] for row in np.flatnonzero(kept).tolist()])

    def pockets(self) -> Any:
        """Return small, tight groups of documents far from all others, perhaps junk such as automatic replies.

        5 documents, or more up to 5 % of all. The median document of a pocket is farther from the 3 nearest others than
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
        return self._view().pockets

    @property
    def tree_(self) -> Array:
        """The tree of the groups as SciPy's linkage matrix, (k - 1, 4): the cheapest merges first.

        Leaf i is the group `numbers_[i]`. A merge costs what the coherence of the partition loses,
        `|s_a| + |s_b| - |s_a + s_b|` (s the sums of the rows), as in the report; heights are sums of the losses so far.
        """
        from .report.tree import linkage

        spaces = self._own_spaces()
        return linkage(spaces.words, self._positions()[self.kept_], len(self.numbers_))

    def levels(self, counts: Sequence[int]) -> list[Array]:
        """Return the groups of the documents on several levels of the tree.

        Parameters
        ----------
        counts : sequence of int
            The number of groups of each level, from 1 to k.

        Returns
        -------
        list of (n,) int32 arrays
            For each level, the lowest group number in each document's branch; -1 as in `labels_`.

        Raises
        ------
        InputError
            A count is out of range, or `counts` is a single number.

        Examples
        --------
        >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's train", "bread and rye"]
        >>> groups = DocumentClustering(n_clusters=3, random_state=0).fit(texts)
        >>> [len(set(level.tolist())) for level in groups.levels((3, 2))]
        [3, 2]
        """
        from .report.tree import cut

        if not isinstance(counts, Iterable):
            raise InputError(f"{counts!r:.60} is not valid for levels: give several numbers of groups, such as (20, 5)")
        k = len(self.numbers_)
        wrong = next((each for each in counts if not is_count(each) or each > k), None)
        if wrong is not None:
            raise InputError(f"{wrong!r:.60} is not valid for levels: give numbers of groups from 1 to {k}")
        tree, positions = self.tree_, self._positions()
        numbers = np.append(self.numbers_, -1)
        return [numbers[np.append(cut(tree, k, int(each)), -1)[positions]].astype(np.int32) for each in counts]

    def _own_spaces(self) -> Spaces:
        check_is_fitted(self)
        if not hasattr(self, "spaces_"):
            raise NoDocumentsError(
                "this needs the documents, which a loaded model does not contain: fit the model on documents"
            )
        return self.spaces_

    def _positions(self) -> Array:
        """Return the position in `numbers_` of each document's group, (n,); -1 for none."""
        place = np.full(int(self.numbers_.max()) + 2, -1)
        place[self.numbers_] = np.arange(len(self.numbers_))
        return place[self.labels_]

    def _members(self) -> Membership:
        if self._membership is None:
            spaces = self._own_spaces()
            self._membership = Membership.of(spaces.space, self._positions()[self.kept_], len(self.numbers_))
        return self._membership

    def _probable(self, spaces: Spaces) -> Array:
        """Return group probabilities for documents with rows; with a Universum, the last column is the probability of
        none.
        """
        members, k = self._members(), len(self.numbers_)
        rejects = getattr(self.clusterer_, "reject_coef_", None) is not None
        if not len(spaces):
            return np.zeros((0, k + rejects))
        p = members.of_new(spaces.space)
        if not rejects:
            return p
        # A score at the threshold is an even chance: so the probability agrees with `predict`.
        slope = self.clusterer_.off_topic_.get("slope")  # None for too few examples
        behind = self.clusterer_.off_topic_score(rows_of(spaces, self.clusterer_)) - self.clusterer_._aside_above
        none = expit((6.0 if slope is None else slope) * behind)[:, None]
        return np.hstack([p * (1 - none), none])

    def _outlier_scores(self) -> Outliers:
        if self._outliers is None:
            self._outliers = Outliers.of(self._own_spaces().unaveraged)
        return self._outliers

    def _known_rows(self) -> Novelty | None:
        """Return the reference rows for new documents; None if the model was saved without them."""
        if self._novelty is None and hasattr(self, "spaces_"):
            inside = self.order_[self._positions()[self.kept_][self.order_] >= 0]
            self._novelty = Novelty.of(self.spaces_.unaveraged[inside])
        return self._novelty

    def _novelty_score(self, spaces: Spaces) -> Array | None:
        """Return the novelty scores of new documents, (m,); None if the model was saved without reference rows."""
        known = self._known_rows()
        return None if known is None else known.score(spaces.unaveraged)

    def _proposed(self, spaces: Spaces, ids: Sequence[str], score: Array | None = None) -> list[ProposedGroup]:
        """Return the groups that m new documents suggest; `score` (m,) comes from `_novelty_score`."""
        known = self._known_rows()
        themes = [] if known is None else known.themes(spaces.unaveraged, score)
        if not themes:
            return []
        labels = np.full(len(spaces), len(themes))  # all others are one group
        for number, rows in enumerate(themes):
            labels[rows] = number
        analyser = getattr(self._representation.vectorizer, "analyser", None)
        taken = [name for name in self.names_ or () if name]
        names = phrase_names(spaces.texts, labels, len(themes) + 1, analyser, taken=taken)
        words = self._representation.names
        return [
            ProposedGroup(name, tuple(ids[row] for row in rows), tuple(words[column] for column in typical))
            for name, rows, typical in zip(names, themes, spaces.typical_words(themes), strict=False)
        ]

    def _rows_to_compare(self) -> Novelty:
        known = self._known_rows()
        if known is None:
            raise NoDocumentsError(
                "this model was saved without the rows that new documents are compared with: fit it again and save it"
            )
        return known

    # --- Save and load

    def save(self, path: str | os.PathLike[str], *, replace: bool = False) -> None:
        """Write the fitted model to a folder (`model.json` and `arrays.npz`, no pickle); equal models give equal bytes.

        The folder holds no text except the title of one example per group, at most 200 characters; and the rows of at
        most 10,000 documents, or of all documents if rows are averaged.

        Parameters
        ----------
        path : str or path
            The folder to create.
        replace : bool, default False
            Whether to replace a saved model at `path`.

        Raises
        ------
        InputError
            A part is not a class of Outgroup: it would need pickle.
        OutputError
            `path` cannot be written, or exists and `replace` is False or it is not a saved model.
        """
        saved_model.save(self.to_state(), path, replace=replace)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, encoder: Any = None) -> Self:
        """Load a model that `save` wrote.

        Parameters
        ----------
        path : str or path
            The folder.
        encoder : default None
            As in the constructor. A file never names code to run: give the encoder again, or `embeddings` to `predict`.

        Returns
        -------
        DocumentClustering, fitted

        Raises
        ------
        ModelError
            The folder holds no model, or a damaged or newer one.
        """
        model: Self = saved_model.load(cls, path, encoder)
        return model

    def to_state(self, *, rows: bool = True) -> dict[str, Any]:
        """Return the fitted model as plain values and arrays.

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
        if self._corpus is not None and hasattr(self.clusterer_, "decision_function"):
            self._described()
        return saved_model.state_of(self, rows=rows)

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
        model: Self = saved_model.restore(cls, state, encoder)
        return model

    # --- The fitted parts

    def _view(self) -> GroupView:
        """Return the groups with their documents, and cache the values of the tables."""
        from .notebook.display import GroupView

        corpus = self._documents()
        self._has("decision_function")
        if self._shown is None:
            version = None if self._steered is None else self._steered[1]
            self._shown = GroupView(self, corpus, self._form, version)
        return self._shown

    def _documents(self) -> Corpus:
        check_is_fitted(self)
        if self._corpus is None:
            raise NoDocumentsError(
                "this needs the documents, which a loaded model does not contain: fit the model on documents. A "
                "loaded model still has topics, explain, predict, score and transform"
            )
        return self._corpus

    def _described(self) -> list[dict[str, Any]]:
        """Return the description of each group, in the order of `numbers_`, with its trust if known."""
        if self._corpus is not None:
            self._description = self._view().described()
        elif self._description is None:
            raise NoDocumentsError("this model was saved without the words of its groups: fit it on documents")
        return self._description

    def _known(self) -> tuple[dict[int, dict[str, Any]], int]:
        """Return the saved description of each group, by number, and the number of documents in no group."""
        known = dict(zip(self.numbers_.tolist(), self._described(), strict=True))
        inside = sum(each["size"] for each in known.values())  # with rows in files, labels cover a sample only
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
        same_name = [number for number, each in zip(numbers, described, strict=False) if each["name"] == group]
        if len(same_name) == 1:
            return same_name[0]
        fault = f"{len(same_name)} groups are called {group!r:.60}" if same_name else f"there is no group {group!r:.60}"
        raise InputError(f"{fault}: give one of the numbers {', '.join(map(str, numbers))}; `topics` lists the groups")

    def _parts(self) -> tuple[Any, Any]:
        """Return unfitted copies of the vectorizer and the clusterer."""
        vectorizer = copied_vectorizer(self.vectorizer, self.language)
        if self.clusterer is not None:
            return vectorizer, copied_clusterer(self.clusterer)
        if is_number(self.n_clusters) and self.n_clusters < 1:
            raise InputError(f"n_clusters={self.n_clusters} is not valid: give at least 1, or 'auto'")
        return vectorizer, MaxMarginClustering(
            self.n_clusters if is_number(self.n_clusters) else 1, random_state=self.random_state
        )

    def _places(self, texts: Any, embeddings: Any, off_topic: bool | None = None) -> Array:
        """Return the result of `predict` as positions in `numbers_`."""
        if off_topic is None or (not off_topic and not isinstance(self.clusterer_, FindsOffTopic)):
            return self._for_each(texts, embeddings, "predict", -1, np.int32)
        self._finds_off_topic()
        return self._for_each(texts, embeddings, "predict", -1, np.int32, off_topic=off_topic)

    def _numbered(self, places: Array) -> Array:
        return places if self._numbers is None else np.array([*self._numbers, -1], dtype=np.int32)[places]

    def _as_texts(self, given: Any) -> list[str]:
        """Return new documents as texts; they may be a table or records, as in `fit`."""
        if not holds_fields(given):
            return as_texts(given, "texts", self.missing)
        return texts_of(given, **(self._text_fields or {}), missing=self.missing, name="texts").texts

    def _store(self, fitted: Fitted, labels: Array, names: Names = None, numbers: Sequence[int] | None = None) -> None:
        """Set the fitted attributes; `labels` (n,) are positions in `numbers`, by default 0 to k - 1."""
        clusterer, arranged = fitted.clusterer, fitted.arranged
        spaces, examples = arranged.spaces, arranged.examples
        self._fitted, self._representation = fitted, arranged.documents.representation
        self.vectorizer_, self.clusterer_ = self._representation.vectorizer, clusterer
        self.order_, self.placed_, self.names_ = fitted.order, fitted.placed, names
        self._numbers = None if numbers is None else list(numbers)
        self.labels_, self.skipped_ = self._numbered(labels.astype(np.int32)), arranged.skipped()
        self.ids_ = arranged.documents.ids
        self.spaces_, self.examples_, self.thrown_ = spaces, examples, arranged.thrown
        self.n_universum_ = 0 if examples is None else len(examples)
        self._word_means, self._description, self._corpus, self._shown, self._steered = None, None, None, None, None
        self._membership, self._outliers, self._novelty = None, None, None
        if spaces.apart or not hasattr(clusterer, "coef_"):
            k, V = len(getattr(clusterer, "coef_", range(labels.max() + 1))), spaces.words.shape[1]
            junk = np.zeros((1, V)) if examples is None else examples.mean_words(np.zeros(len(examples)), 1)
            self._word_means = spaces.mean_words(labels[arranged.inside], k), junk.reshape(1, -1)

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

    # --- Notebooks

    def __dir__(self) -> list[str]:
        """List the attributes without computing properties, because tab completion must be fast."""
        return sorted(object.__dir__(self))

    def _repr_html_(self) -> str:
        """Return the groups as HTML for a notebook; before `fit`, the parameters."""
        from .notebook.display import groups_html

        if self._corpus is None:
            return str(self._repr_html_inner()) if self._description is None else groups_html(*self._known())
        if not hasattr(self.clusterer_, "decision_function"):
            return f"<pre>{escape(repr(self))}</pre>"  # the one of scikit-learn evaluates every property
        return self._view()._repr_html_()

    def _repr_mimebundle_(self, **kinds: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


def _start(clusterer: Any, init: Any, texts: list[str], embeddings: Any) -> Array:
    """Return the initial labels of the texts, (n,)."""
    if not isinstance(clusterer, StartsFrom):
        raise InputError(f"{type(clusterer).__name__} does not support init: omit it, or use MaxMarginClustering")
    if isinstance(init, DocumentClustering):
        return init._places(texts, embeddings)
    if hasattr(init, "predict"):
        if "embeddings" not in signature(init.predict).parameters:
            name = type(init).__name__
            raise InputError(f"{name} is fitted on rows, not on texts: give its labels_ for these texts as init")
        return np.asarray(init.predict(texts, embeddings=embeddings))
    labels = np.asarray(init)
    if labels.shape != (len(texts),):
        raise InputError(f"init has shape {labels.shape} for {len(texts)} texts: give one label per text, -1 for none")
    return labels


def _check_ignored(y: Any) -> None:
    """Raise InputError if `y` is a matrix or a path: embeddings by position would have no effect."""
    shape = getattr(y, "shape", None)
    some = y if shape is None or len(shape) == 1 else ()  # perhaps a sequence of vectors
    first: Any = next(iter(some), None) if isinstance(some, AnyCollection) else None
    if (shape is not None and len(shape) > 1) or np.ndim(first) or isinstance(y, str | os.PathLike):
        raise InputError("the second argument, y, has no effect: give vectors by name, as embeddings=")


def as_container(scores: Array, estimator: Any, given: Any, columns: list[str]) -> Any:
    """Return scores (n, k) as an array, or as a DataFrame with these column names and the index of `given`.

    The mixin of scikit-learn only accepts the first argument by position, not as `texts=` or `documents=`.

    >>> import numpy as np
    >>> as_container(np.eye(2), object(), ["a", "b"], ["0", "1"]).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    wanted = _get_output_config("transform", estimator)["dense"]
    if wanted == "default":
        return scores
    return ADAPTERS_MANAGER.adapters[wanted].create_container(scores, given, columns=columns)
