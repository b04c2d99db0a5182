"""`DocumentClustering` as data scientists use it: tables in and out, a page, pictures, explanations, a session."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..errors import InputError, NoDocumentsError
from ..model import DocumentClustering as Core
from ..report.facts import Summary
from ..report.render import render
from ..session import Past, Session
from ..session.summary import shown_by, summary_of
from ..session.trust import trust_of
from ..storage.atomic import new_file
from ..text.reading.collection import Corpus
from ..text.tables import holds_fields, texts_of
from ..types import Array, Progress
from .explanation import Explanation, explain
from .html import groups_html
from .picture import draw_map, draw_words
from .tables import documents_of, topics_of


class DocumentClustering(Core):
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
    names_ : list of str or None
        The name of each group, None for one that nobody named; None altogether without seeds.
    vectorizer_, clusterer_ :
        The fitted parts.
    neighbours_ : int
        How often rows were averaged with their neighbours.
    ids_ : list of n str
        The ids of the documents that were fitted.

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
        ids: Sequence[str] | None = None,
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
            A table is given, and narwhals is not installed.
        """
        self._fields = {"text": text, "title": title}
        corpus = texts_of(documents, text=text, title=title, missing=self.missing)
        if ids is not None:
            corpus = _with_ids(corpus, ids)
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
        self._corpus, self._given = corpus, (embeddings, examples, universum_embeddings)
        self._summary: Summary | None = None
        self.ids_ = corpus.ids
        return self

    def _as_texts(self, given: Any) -> list[str]:
        """Take a table or records as `fit` did, for whatever asks about new documents."""
        if not holds_fields(given):
            return super()._as_texts(given)
        fields = getattr(self, "_fields", {})  # a saved model forgets them
        return texts_of(given, **fields, missing=self.missing, name="texts").texts

    def transform(self, texts: Sequence[str], *, embeddings: Any = None) -> Array:
        """Return the score of each text for each group: `decision_function`, with zeros for a text without a row.

        Parameters
        ----------
        texts : sequence of n str
        embeddings : (n, d) array, default None
            As for `predict`.

        Returns
        -------
        (n, k) float64
        """
        return np.nan_to_num(self.decision_function(texts, embeddings=embeddings), nan=0.0)

    def fit_transform(self, documents: Any, y: Any = None, **options: Any) -> Array:
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
        """
        self.fit(documents, y, **options)
        return self.transform(self._corpus.texts, embeddings=options.get("embeddings"))

    def score(self, texts: Sequence[str], y: Any = None, *, embeddings: Any = None) -> float:
        """Return the mean of the texts' best scores: higher for texts that look more like the groups.

        Parameters
        ----------
        texts : sequence of n str
        y : ignored
        embeddings : (n, d) array, default None
            As for `predict`.

        Returns
        -------
        float
        """
        return float(self.transform(texts, embeddings=embeddings).max(axis=1).mean())

    @property
    def topics(self) -> Any:
        """The groups as a table: `group`, `name`, `size`, `share`, `trust`, `found_again` (of 20 fits), `words` and
        `example`, the largest first.

        How far to trust them is found when it is first asked for, which takes about as long as the fit. A DataFrame of
        pandas or polars where one is there. Raises NoDocumentsError for a model that was loaded.
        """
        return topics_of(self._summed())

    @property
    def documents(self) -> Any:
        """The documents as a table: `id`, `title`, `group` (-1 for none), `name`, `margin`, `off_topic_score`,
        `off_topic`, `second` and `skipped`, in their order.

        A DataFrame of pandas or polars where one is there. Raises NoDocumentsError for a model that was loaded.
        """
        return documents_of(self._summed(), shown_by(self), self._corpus, dict(self.skipped_))

    def explain(self, text: str, *, embeddings: Any = None) -> Explanation:
        """Return why a text is in its group: the words that put it there, the second best group, documents like it.

        Parameters
        ----------
        text : str
        embeddings : (1, d) array, default None
            As for `predict`.

        Returns
        -------
        Explanation

        Raises
        ------
        NoDocumentsError
            The model was loaded.
        """
        return explain(self, self._summed(), text, embeddings)

    def report(self, path: str | os.PathLike[str], *, title: str = "", replace: bool = False) -> Path:
        """Write the page of the groups: one HTML file with all documents, a map, search and corrections.

        Parameters
        ----------
        path : path
        title : str, default ""
        replace : bool, default False
            Whether an existing file may be written over.

        Returns
        -------
        Path

        Raises
        ------
        OutputError
            The file cannot be written, or it exists and `replace` is False.
        NoDocumentsError
            The model was loaded.
        """
        page = render(self._summed(title))
        with new_file(path, replace=replace) as file:
            file.write(page)
        return Path(path)

    def map(self) -> Any:
        """Return the map of the documents as a figure of Matplotlib (extra `plots`).

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        MissingExtraError
            Matplotlib is not installed.
        NoDocumentsError
            The model was loaded.
        """
        return draw_map(self._summed())

    def words(self, group: int, *, most: int = 20) -> Any:
        """Return a group's first words as a figure of Matplotlib (extra `plots`).

        Parameters
        ----------
        group : int
            Its number.
        most : int, default 20
            How many words.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        MissingExtraError
            Matplotlib is not installed.
        InputError
            There is no such group, or the model was loaded.
        """
        groups = self._summed().groups
        if not 0 <= group < len(groups):
            raise InputError(f"there is no group {group}; they are 0 to {len(groups) - 1}")
        return draw_words(groups[group], most)

    @property
    def session(self) -> Session:
        """A session that goes on from these groups: `session.begin()` is their version, `session.fit(decisions,
        start=version)` the next.

        Raises NoDocumentsError for a model that was loaded.
        """
        self._summed()
        embeddings, universum, vectors = self._given
        past = Past.of_model(self, self._corpus.ids, self._corpus.texts)
        return Session.after(
            past, self._corpus.texts, ids=self._corpus.ids, titles=self._corpus.titles, universum=universum,
            embeddings=embeddings, universum_embeddings=vectors,
        )  # fmt: skip

    def __dir__(self) -> list[str]:
        """The names there are, without looking at what is behind them: completion shall not sum up a collection."""
        return sorted(object.__dir__(self))

    def _repr_html_(self) -> str:
        """The groups, for a notebook; before `fit`, and for a loaded model, the parameters."""
        return groups_html(self._summed()) if hasattr(self, "_corpus") else str(self._repr_html_inner())

    def _repr_mimebundle_(self, **kinds: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def _summed(self, title: str = "") -> Summary:
        check_is_fitted(self)
        if not hasattr(self, "_corpus"):
            raise NoDocumentsError("this model was loaded, or made by a session: it has no documents; fit it on some")
        if self._summary is None or title:
            shown = shown_by(self)
            told = {"duplicates": self._corpus.duplicates(), "run": {"title": title}}
            told["trust"] = trust_of(self, shown).to_dict()
            self._summary = summary_of(self._corpus, self, shown, **told)
        return self._summary


def _with_ids(corpus: Corpus, ids: Sequence[str]) -> Corpus:
    named = [str(each) for each in ids]
    if len(named) != len(corpus) or len(set(named)) != len(named):
        raise InputError(f"ids must be {len(corpus)} different ones, one a document; {len(set(named))} were given")
    return Corpus(named, corpus.texts, corpus.titles, corpus.labels, corpus.skipped, corpus.rows, corpus.columns)
