"""`DocumentClustering` as data scientists use it: a table or records in, and what `shown` makes of its groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..model.fitting import rows_of
from ..text.collection import ids_of
from ..text.tables import holds_fields, texts_of
from ..types import Array, Progress
from .set_output import as_container
from .shown import ShownModel
from .tables import Form


class DocumentClustering(ShownModel):
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
        Anything with `fit(X)`, `predict(X)` and `labels_`, and with `decision_function(X)` if its groups shall be
        shown; with its own number of groups. It is copied before `fit`.
    encoder : default None
        What makes an embedding of each text, where `fit` and `predict` are not given them: a function of a list of
        texts, an object with `encode(texts)` or `embed_documents(texts)`, "package:object", or the folder or name of a
        static model (extra `embeddings`). Groups are then found among the embeddings and told by the texts' words.
    neighbours : int or "auto", default "auto"
        How often rows are averaged with their nearest rows before groups are looked for, as `NeighbourAverage` does:
        0 for never; "auto" helps short texts and embeddings where there are a thousand or more, and leaves others.
        Those of embeddings are found by the vectors and by the words of the texts (docs/decisions/0026);
        of up to 100,000 longer texts neighbours are asked once the groups stand (docs/decisions/0024).
    missing : {"error", "skip"}, default "error"
        What becomes of a row without a text (None, NaN): an error that names it, or a place in `skipped_`.
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
    numbers_ : (k,) int32
        The groups' numbers, in the order of scores: 0 to k - 1, or, of a result in which groups were merged, what that
        left of them.
    names_ : list of str or None
        The name of each group in this order, None for one that nobody named; None altogether without seeds.
    vectorizer_, clusterer_ :
        The fitted parts.
    neighbours_ : int
        How often rows were averaged with their neighbours.
    ids_ : list of n str
        The ids of the documents that were fitted.
    word_coef_ : (k, V) array
        How much each word speaks for each group; among embeddings the mean TF-IDF rows of the groups' texts.
    word_reject_ : ((k + j, V) array, (k + j,) array) or None
        What words say for each group and, last, for j kinds of "none of these": weights, and what is added to their
        sums; None without a Universum.
    representation_ : Representation
        How texts become rows: the fitted vectorizer, and the width of embeddings.
    kept_ : (n,) bool
        Which texts took part: all but the skipped ones.
    spaces_ : Spaces
        The m texts that took part, in their order: their `texts`, their rows `space` (m, d), among which groups
        were found, and their TF-IDF rows `words` (m, V), the same object where groups are found by words. This and what
        follows is not in a model that was loaded.
    order_ : (m,) int
        The rows of `spaces_` in the order in which `clusterer_` saw them: its labels are of `spaces_.space[order_]`.
    examples_ : Spaces or None
        The texts of the Universum that took part, as `spaces_` has the documents.
    thrown_ : (N,) bool or None
        Which of these were documents until a person threw them away.
    placed_ : Placed or None
        The seeds as arrays: `seeds` (m,) int32, -1 for unlabelled, `word_seeds` (k, V) bool, `seed_weights` (k,), each
        None where nobody gave such; None altogether without seeds.

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
        progress: Progress | None = None,
        on_step: Callable[[dict[str, Any]], None] | None = None,
        cancel: Callable[[], bool] | None = None,
    ) -> Self:
        """Find the groups of the documents, around the seeds and kept apart from the `universum`.

        Parameters
        ----------
        documents : sequence of n str, column, DataFrame, or sequence of n mappings
            Texts; or a table or records (pandas, polars, pyarrow ...), of which each row is a document.
        y : ignored
        text, title : str, default "text" and "title"
            The fields of a record; several with commas between them are one text, and the title stands first in it.
        embeddings : (n, d) array, default None
            A vector for each text, of any real dtype, perhaps a memory-mapped file: groups are found among these,
            scaled to unit length, and told by the texts' words. By default the encoder makes them; without one, groups
            are found by words.
        universum : as `documents`, default None
            Texts that belong to no group. Words are learned from `documents` alone.
        universum_embeddings : (N, d) array, default None
            A vector for each text of the Universum, made as `embeddings` were.
        seeds : mapping, `Seeds` or (n,) int array, default None
            Name of a group -> its labelled documents, each an id or (id, highlighted words); or what `read_seeds` read;
            or a number for each text, -1 for unlabelled. Named groups are numbered in their order.
        word_seeds : mapping or (k, V) bool array, default None
            Name of a group -> its labelled words, stemmed as the texts are; or an indicator over the vocabulary.
        ids : sequence of n str, default None
            The documents' ids; by default those of the records, else their numbers.
        init : (n,) int array or fitted DocumentClustering, default None
            Where the search for groups starts: the group of each text, -1 for one that is in none; or a model, for what
            it predicts. Groups keep these numbers. By default the clusterer makes its own starts.
        progress : callable, optional
            Called with the step ("analysing", "fitting"), how much of it is done, and of how much (None: unknown).
        on_step : callable, optional
            Called after each step of a clusterer that takes it, with a dictionary of what the step did.
        cancel : callable, optional
            Asked between two passes, from any thread: once it returns True the fit ends with CancelledError.

        Returns
        -------
        self

        Raises
        ------
        CancelledError
            `cancel` said so.
        InputError
            A part of the input cannot be used; the message says which.
        MissingExtraError
            A table is given, and narwhals is not installed; or the encoder needs a library that is not.
        """
        self._fields = {"text": text, "title": title}
        corpus = texts_of(documents, text=text, title=title, missing=self.missing)
        if ids is not None:
            corpus = replace(corpus, ids=ids_of(ids, len(corpus)))
        examples = (
            None
            if universum is None
            else texts_of(universum, text=text, title=title, missing=self.missing, name="universum").texts
        )
        super().fit(
            corpus.texts, embeddings=embeddings, universum=examples, universum_embeddings=universum_embeddings,
            seeds=seeds, word_seeds=word_seeds, ids=corpus.ids, init=init, progress=progress, on_step=on_step,
            cancel=cancel,
        )  # fmt: skip
        self._form = Form.of(documents)
        self._corpus, self._given = corpus, (embeddings, examples, universum_embeddings)
        self._summary = None
        self.ids_ = corpus.ids
        return self

    def _as_texts(self, given: Any) -> list[str]:
        """Take a table or records as `fit` did, for whatever asks about new documents."""
        if not holds_fields(given):
            return super()._as_texts(given)
        return texts_of(given, **(self._fields or {}), missing=self.missing, name="texts").texts

    def transform(self, texts: Any, *, embeddings: Any = None) -> Any:
        """Return the score of each text for each group: `decision_function`, with zeros for a text without a row.

        Parameters
        ----------
        texts : sequence of n str
        embeddings : (n, d) array, default None
            As for `predict`.

        Returns
        -------
        (n, k) float64
            Or a DataFrame, where `set_output` asked for one.
        """
        return self._scores(texts, embeddings, texts)

    def set_output(self, *, transform: str | None = None) -> Self:
        """Choose what `transform` and `fit_transform` return, as scikit-learn's transformers do.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"} or None, default None
            An array, or a DataFrame with a column for each group, of its name or else its number. None changes nothing.

        Returns
        -------
        self
        """
        if transform is not None:
            self._sklearn_output_config = {"transform": transform}
        return self

    def fit_transform(self, documents: Any, y: Any = None, **options: Any) -> Any:
        """Find the groups and return the documents' scores for them.

        Parameters
        ----------
        documents : as for `fit`
        y : ignored
        **options :
            As for `fit`.

        Returns
        -------
        (n, k) float64
            Or a DataFrame, where `set_output` asked for one.
        """
        self.fit(documents, y, **options)
        return self._scores(self._corpus.texts, options.get("embeddings"), documents)

    def _scores(self, texts: Any, embeddings: Any, given: Any) -> Any:
        """Return the scores of texts, as `set_output` says, with the index of the table that was `given`."""
        scores = np.nan_to_num(self.decision_function(texts, embeddings=embeddings), nan=0.0)
        return as_container(scores, self, given, self.get_feature_names_out().tolist())

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Return the names of the columns of `transform`: of each group its name, or else its number.

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
        """Return the clusterer's `score` of the texts: higher for texts that look more like the groups.

        Minus the mean slack for the default clusterer, the mean cosine with the nearest centre for `SphericalKMeans`.

        Parameters
        ----------
        texts : sequence of n str
        y : ignored
        embeddings : (n, d) array, default None
            As for `predict`.

        Returns
        -------
        float
            Of the texts that have a row; nan where none has.
        """
        spaces, _ = self.represent(texts, embeddings=embeddings)
        self._has("score")
        return float(self.clusterer_.score(rows_of(spaces, self.clusterer_))) if len(spaces) else float("nan")
