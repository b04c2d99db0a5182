"""The public `DocumentClustering`: tables or records as input, tables and explanations as output."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any, Self

import numpy as np
from sklearn.utils._set_output import ADAPTERS_MANAGER, _get_output_config
from sklearn.utils.validation import check_is_fitted

from ..document_clustering import DocumentClustering as Core
from ..document_clustering import rows_of
from ..errors import InputError, NoDocumentsError
from ..readers.documents import Corpus
from ..report.summary import described
from ..report.words import pulled_out
from ..session import Past, Session
from ..session.reporting import ByNumber, groups_of, labelled_away, shown_by
from ..text.collection import ids_of
from ..text.tables import holds_fields, texts_of
from ..types import Array, Progress
from .display import Form, Showable

_WORDS, _NEAREST = 8, 3


@dataclass(frozen=True)
class Explanation:
    """The explanation of a prediction: the `group` (-1 for none) and its name, the `second` best group and the `margin`
    between both, the `words` with the largest contributions, and the ids of the `nearest` documents of the group.

    `off_topic` is True above the off-topic threshold, None without one. For an off-topic text, `group` is the nearest
    one, and `words` are those with the largest contributions to the rejection.
    """

    group: int
    name: str
    second: int | None
    margin: float
    off_topic_score: float | None
    words: list[tuple[str, float]]
    nearest: list[str]
    off_topic: bool | None = None

    def __str__(self) -> str:
        """Return the explanation in a few lines."""
        if self.group < 0:
            return "in no group: no word of it is known, or its embedding is zero"
        behind = "" if self.second is None else f", ahead of group {self.second} by {self.margin:.3g}"
        words = ", ".join(f"{word} +{value:.2g}" for word, value in self.words)
        called = f"group {self.group}" + (f" ({self.name})" if self.name != f"group {self.group}" else "")
        place = f"{'off-topic; nearest to ' if self.off_topic else ''}{called}"
        like = f"\nlike: {', '.join(self.nearest)}" if self.nearest else ""
        return f"{place}{behind}\nwords: {words or 'none'}{like}"


def explain(model: Core, names: Sequence[str], text: str, embeddings: Any = None) -> Explanation:
    """Return the explanation of a fitted model's prediction for a text; `names` are those of its groups."""
    if not isinstance(text, str):
        raise InputError(f"explain takes one text, not {type(text).__name__}: give a string, such as texts[3]")
    spaces, kept = model.represent([text], embeddings=embeddings)
    if not kept[0]:
        return Explanation(-1, "", None, float("nan"), None, [], [])
    scores = model.decision_function([text], embeddings=embeddings)[0]
    order = np.argsort(-scores, kind="stable")
    group, second = int(order[0]), int(order[1]) if len(order) > 1 else None
    margin = float(scores[group] - (0.0 if second is None else scores[second]))
    tells = getattr(model.clusterer_, "reject_coef_", None) is not None
    off = float(model.off_topic_score([text], embeddings=embeddings)[0]) if tells else None
    away = None if off is None else off > model.clusterer_.off_topic_["value"]
    words = _why_not(model, spaces.words) if away else _why(model, spaces.words, group, second)
    numbers = model.numbers_.tolist()
    like = _like(model, spaces.space, numbers[group])
    ahead_of = None if second is None else numbers[second]
    return Explanation(numbers[group], names[group], ahead_of, margin, off, words, like, away)


def _why(model: Core, words: Any, group: int, second: int | None) -> list[tuple[str, float]]:
    """Return the words with the largest contributions to the margin between a group and the second best."""
    coef = model.word_coef_
    against = np.zeros_like(coef[group]) if second is None else coef[second]
    names = model.representation_.names
    return pulled_out(words, np.vstack([against, coef[group]]), np.zeros(2), 1, names, _WORDS)[0]


def _why_not(model: Core, words: Any) -> list[tuple[str, float]]:
    """Return the words with the largest contributions to the reject score over the best group."""
    assert model.word_reject_ is not None
    names = model.representation_.names
    return pulled_out(words, *model.word_reject_, len(model.word_coef_), names, _WORDS)[0]


def _like(model: Core, space: Any, group: int) -> list[str]:
    """Return the ids of the group's documents nearest to a row; none for a loaded model."""
    if not hasattr(model, "spaces_"):
        return []
    members = np.flatnonzero(model.labels_[model.kept_] == group)
    cosines = model.spaces_.space[members] @ np.asarray(space.toarray() if hasattr(space, "toarray") else space)[0]
    best = members[np.argsort(-cosines, kind="stable")[:_NEAREST]]
    ids = np.array(model.ids_, dtype=object)[model.kept_]
    return [str(each) for each in ids[best]]


class DocumentClustering(Showable, Core):
    """Cluster documents by their texts. The order of the input only changes the order of the results.

    Parameters
    ----------
    n_clusters : int, "auto" or (int, int), default 8
        Number of groups. "auto", or the minimum and the maximum: a profile chooses it (`outgroup.k_profile`), also for
        a given clusterer. An integer applies to the default clusterer only.
    vectorizer : default None, a `Vectorizer()`
        An object with `fit_transform(texts)`, `transform(texts)` and `get_feature_names_out()`. `fit` copies it.
    clusterer : default None, a `MaxMarginClustering(n_clusters, random_state=random_state)`
        An object with `fit(X)`, `predict(X)`, `labels_` and its own number of groups; tables and pages also need
        `decision_function(X)`. `fit` copies it.
    encoder : default None
        Makes an embedding of each text, unless `fit` and `predict` get `embeddings`: a function of a list of texts, an
        object with `encode(texts)` or `embed_documents(texts)`, "package:object", or the folder or name of a static
        model (extra `embeddings`). Groups are then found among the embeddings, and described by the words of the texts.
    neighbours : int or "auto", default "auto"
        Number of passes that average rows with their nearest rows before the fit, see `NeighbourAverage`; 0 for none.
        "auto" averages short texts and embeddings of at least a thousand documents. For embeddings, neighbours are
        found by vectors and by words (docs/decisions/0026); for up to 100,000 longer texts the neighbour graph refines
        the groups after the fit (docs/decisions/0024).
    missing : {"error", "skip"}, default "error"
        Treatment of a row without a text (None, NaN): raise an error that names it, or list it in `skipped_`.
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

    _corpus: Corpus
    _given: tuple[Any, Any, Any]

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
        """Find the groups of the documents, with the seeds as labels and the `universum` outside all groups.

        Parameters
        ----------
        documents : sequence of n str, column, DataFrame, or sequence of n mappings
            Texts; or a table or records (pandas, polars, pyarrow ...) with a document in each row.
        y : ignored
        text, title : str, default "text" and "title"
            The fields of a record, several separated by commas; the title is put before the text.
        embeddings : (n, d) array, default None
            A vector for each text, of any real dtype, perhaps a memory-mapped file: groups are found among the vectors,
            scaled to unit length, and described by the words of the texts. By default the encoder makes them; without
            an encoder, groups are found among TF-IDF rows.
        universum : as `documents`, default None
            Texts that belong to no group. The vocabulary is learned from `documents` alone.
        universum_embeddings : (N, d) array, default None
            A vector for each text of the Universum, from the same encoder as `embeddings`.
        seeds : mapping, `Seeds` or (n,) int array, default None
            Name of a group -> its labelled documents, each an id or (id, highlighted words); or the result of
            `read_seeds`; or a label for each text, -1 for unlabelled. Named groups are numbered in their order.
        word_seeds : mapping or (k, V) bool array, default None
            Name of a group -> its labelled words, stemmed like the texts; or an indicator over the vocabulary.
        ids : sequence of n str, default None
            The ids of the documents; by default those of the records, else their numbers.
        init : (n,) int array or fitted DocumentClustering, default None
            The initial labels, -1 for no group; or a model, for its predictions. Groups keep these numbers. By default
            the clusterer makes its own starts.
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
        """Return the texts of new documents, also of a table or records as in `fit`."""
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
            Or a DataFrame, as chosen by `set_output`.
        """
        self.fit(documents, y, **options)
        return self._scores(self._corpus.texts, options.get("embeddings"), documents)

    def _scores(self, texts: Any, embeddings: Any, given: Any) -> Any:
        """Return the scores of texts in the container of `set_output`, with the index of the table `given`."""
        scores = np.nan_to_num(self.decision_function(texts, embeddings=embeddings), nan=0.0)
        return as_container(scores, self, given, self.get_feature_names_out().tolist())

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Return the names of the columns of `transform`: the name of each group, or else its number.

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

    def explain(self, text: str, *, embeddings: Any = None) -> Explanation:
        """Explain the prediction for a text: its words, the second best group, and the nearest documents.

        A loaded model has no documents to list.

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
        InputError
            `text` is not one text, or the clusterer has no `decision_function`.
        """
        check_is_fitted(self)
        self._has("decision_function")
        return explain(self, [each["name"] for each in self._described()], text, embeddings)

    def to_state(self) -> dict[str, Any]:
        """Return the fitted model as plain values and arrays.

        Returns
        -------
        dict
            The argument of `from_state`.
        """
        check_is_fitted(self)
        if hasattr(self, "_corpus") and hasattr(self.clusterer_, "decision_function"):
            self._described()
        return super().to_state()

    def _described(self) -> list[dict[str, Any]]:
        """Return the description of each group, with its trust if that is known."""
        if hasattr(self, "_corpus") and self._summary is not None:
            self._description = described(self._summary.groups)
        elif self._description is None:
            if not hasattr(self, "_corpus"):
                raise NoDocumentsError("this model is saved without its groups' words: fit it on documents")
            self._description = described(groups_of(self._corpus, self, shown_by(self, self._corpus.texts)))
        return self._description

    def _known(self) -> tuple[dict[int, dict[str, Any]], int]:
        check_is_fitted(self)
        if hasattr(self, "_corpus"):
            return super()._known()
        known = dict(zip(self.numbers_.tolist(), self._described(), strict=True))
        inside = sum(each["size"] for each in known.values())  # for a stream, labels cover a sample only
        rows = self.kept_ | labelled_away(self)
        return known, max(0, int(rows.sum()) - inside)

    @property
    def session(self) -> Session:
        """A session that starts from these groups: `session.begin()` is their version, `session.fit(decisions,
        start=version)` the next.

        Raises NoDocumentsError for a loaded model.
        """
        self._summed()
        embeddings, universum, vectors = self._given
        past = Past.of_model(self, self._corpus.ids, self._corpus.texts)
        return Session.after(
            past, self._corpus.texts, ids=self._corpus.ids, titles=self._corpus.titles, universum=universum,
            embeddings=embeddings, universum_embeddings=vectors,
        )  # fmt: skip

    def __dir__(self) -> list[str]:
        """List the attributes without evaluating properties: completion must not compute a summary."""
        return sorted(object.__dir__(self))

    def _repr_html_(self) -> str:
        """Return the groups for a notebook; the parameters before `fit` and without scores."""
        if not hasattr(self, "_corpus"):
            return str(self._repr_html_inner()) if self._description is None else super()._repr_html_()
        if not hasattr(self.clusterer_, "decision_function"):
            return f"<pre>{escape(repr(self))}</pre>"  # the one of scikit-learn evaluates every property
        return super()._repr_html_()

    def _repr_mimebundle_(self, **kinds: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def _made_of(self) -> tuple[Core, ByNumber, Corpus]:
        check_is_fitted(self)
        if not hasattr(self, "_corpus"):
            raise NoDocumentsError(
                "this needs documents, and a loaded model has none: fit it on some; its topics, explain, predict, "
                "score and transform need none"
            )
        self._has("decision_function")
        return self, shown_by(self, self._corpus.texts), self._corpus


def as_container(scores: Array, estimator: Any, given: Any, columns: list[str]) -> Any:
    """Return scores (n, k) as an array, or as a DataFrame with these columns and the index of `given`, if any.

    The mixin of scikit-learn only accepts the first argument by position, not as `texts=` or `documents=`.

    >>> import numpy as np
    >>> as_container(np.eye(2), object(), ["a", "b"], ["0", "1"]).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    wanted = _get_output_config("transform", estimator)["dense"]
    if wanted == "default":
        return scores
    return ADAPTERS_MANAGER.adapters[wanted].create_container(scores, given, columns=columns)
