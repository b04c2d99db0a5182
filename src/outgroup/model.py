"""A fitted model: a representation and a clusterer, which predict, weigh and save the groups of documents."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, Self, TypedDict, get_type_hints

import numpy as np
from scipy.special import expit

from .cluster.base import is_labels, is_real
from .cluster.cpm3c import CPM3C
from .cluster.max_margin import MaxMarginClustering
from .cluster.membership import Membership
from .cluster.neighbour_average import NeighbourAverage
from .cluster.seeded import SeededKMeans
from .cluster.several import HeldOut, Several, crossed, held_out
from .cluster.spherical import SphericalKMeans
from .cluster.strangeness import Strangeness
from .decisions.kinds import ProposedGroup
from .decisions.state import positions
from .errors import DAMAGE, InputError, ModelError, NoDocumentsError
from .naming import group_words
from .pipeline import GroupFit, rows_of, spread
from .readers.in_memory import holds_fields, texts_of, vectors_of
from .solve.ensemble import Ensemble
from .storage import state as storage
from .storage.atomic import new_folder
from .storage.json_values import Count, are_numbers, checked
from .text.collection import ids_of
from .text.encoder import MeaningEncoder
from .text.representation import Representation, Spaces
from .text.texts import as_texts
from .text.vectorizer import Vectorizer
from .types import Array, FindsOffTopic

Names = list[str | None] | None

NEEDS_DOCUMENTS = (
    "this needs the documents, which a loaded model does not contain: fit the model on documents. A loaded model still "
    "has topics, explain, predict, unlike_all, score and transform, and also predict_proba and predict_several if they "
    "were called before it was saved"
)


class Model:
    """The fitted parts of a `DocumentClustering`, whose attributes it has; a version of a session holds one."""

    vectorizer_: Any
    clusterer_: Any
    labels_: Array
    skipped_: list[tuple[int, str]]
    names_: Names
    n_universum_: int
    ids_: list[str]
    order_: Array
    placed_: Any
    spaces_: Spaces
    examples_: Spaces | None
    labelled_examples_: Array | None
    missing: Any = "error"
    representation_: Representation
    _fitted: GroupFit
    _numbers: list[int]
    _word_means: tuple[Array, Array] | None = None
    _text_fields: dict[str, Any] | None = None  # the fields of a record that form its text
    _description: list[dict[str, Any]] | None = None  # saved summary of the groups
    _also: Mapping[int, Sequence[int]]  # further groups of labelled documents by row, as positions in `numbers_`
    _several: Several | None = None
    _crossed: Array | None = None
    _membership: Membership | None = None
    _ensemble: Ensemble | None = None  # quick fits that probabilities and trust share
    _outliers: Strangeness | None = None
    _novelty: Strangeness | None = None

    @classmethod
    def of_parts(
        cls, fitted: GroupFit, labels: Array, numbers: Sequence[int], names: Names, also: Mapping[int, Sequence[int]]
    ) -> Self:
        """Return the model of fitted parts.

        Parameters
        ----------
        fitted : GroupFit
            The clusterer, fitted on `arranged.spaces.space[order]` and the rows of the examples.
        labels : (n,) int array
            The group number of each text; -1 for none.
        numbers : sequence of k int
            The groups' numbers, in the order of the clusterer's scores.
        names : list of str or None
            The name of each group.
        also : mapping of int to sequence of int
            Further groups of labelled documents by row, as positions in `numbers`.

        Returns
        -------
        Model
        """
        model, clusterer, arranged = cls(), fitted.clusterer, fitted.arranged
        spaces, examples = arranged.spaces, arranged.examples
        model._fitted, model.representation_ = fitted, arranged.documents.representation
        model.vectorizer_, model.clusterer_ = model.representation_.vectorizer, clusterer
        model.order_, model.placed_, model.names_ = fitted.order, fitted.placed, names
        model._numbers, model._also = list(numbers), also
        model.labels_, model.skipped_ = labels.astype(np.int32), arranged.skipped()
        model.ids_ = arranged.documents.ids
        model.spaces_, model.examples_, model.labelled_examples_ = spaces, examples, arranged.discarded
        model.n_universum_ = 0 if examples is None else len(examples)
        if spaces.apart or not hasattr(clusterer, "coef_"):
            V = spaces.words.shape[1]
            junk = np.zeros((1, V)) if examples is None else examples.mean_words(np.zeros(len(examples)), 1)
            means = spaces.mean_words(model._positions()[arranged.inside], len(numbers))
            model._word_means = means, junk.reshape(1, -1)
        return model

    def _check_fitted(self) -> None:
        """Raise NotFittedError before `fit`."""

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
        places = self._places(texts, embeddings, off_topic)
        return np.array([*self._numbers, -1], dtype=np.int32)[places]

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
        self._check_fitted()
        return self.representation_.transform(self._as_texts(texts), vectors_of(texts, embeddings))

    @property
    def numbers_(self) -> Array:
        """The group numbers, (k,) int32, in the order of scores: 0 to k - 1, without those of merged groups."""
        return np.array(self._numbers, dtype=np.int32)

    @property
    def kept_(self) -> Array:
        """The mask of texts with a row in `spaces_`, (n,) bool: all but the skipped texts."""
        kept = np.ones(len(self.labels_), dtype=bool)
        kept[[row for row, _ in self.skipped_]] = False
        return kept

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
        >>> from outgroup import DocumentClustering
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
        >>> from outgroup import DocumentClustering
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

    @property
    def several_(self) -> Array:
        """The probability of each group for each document, (n, k), nan if it was skipped, as from `predict_several`,
        by regressions without the document.

        Computed on first access.
        """
        if self._crossed is None:
            found = crossed(*self._examples_of_several())[np.argsort(self.order_)]
            self._crossed = spread(found, self.kept_, np.nan, np.float64)
        return self._crossed

    def predict_several(self, texts: Any, *, embeddings: Any = None) -> Array:
        """Return the probability of each group for each text, each by itself: a text may belong to several groups.

        A logistic regression for each group learns from the groups of the fit, and from labels of several groups. Its
        rows are the words, or given embeddings. In documents of one group the groups exclude each other, so further
        groups have low probabilities, and .05 is a good bound. A saved model keeps the regressions.

        Parameters
        ----------
        texts, embeddings :
            As for `predict`.

        Returns
        -------
        (n, k) float64 array
            In the order of `numbers_`; rows need not sum to 1; nan for a text without a row.

        Raises
        ------
        NoDocumentsError
            The model was saved before its first call of this or `several_`.

        Examples
        --------
        >>> from outgroup import DocumentClustering
        >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's train"]
        >>> groups = DocumentClustering(n_clusters=2, random_state=0).fit(texts)
        >>> bool((groups.predict_several(["Bread, butter. A train to town."]) > 0.05).all())
        True
        """
        spaces, kept = self.represent(texts, embeddings=embeddings)
        return spread(self._probably_several(spaces), kept, np.nan, np.float64)

    @property
    def outlier_score_(self) -> Array:
        """The outlier score of each document, (n,), nan if it was skipped; computed on first access. See
        `outlier_score`.
        """
        return spread(self._outlier_scores().own, self.kept_, np.nan, np.float64)

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
        >>> from outgroup import DocumentClustering
        >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's train"]
        >>> groups = DocumentClustering(n_clusters=2, random_state=0).fit(texts)
        >>> groups.outlier_score(["bread", "..."]).round(1).tolist()
        [0.9, nan]
        """
        spaces, kept = self.represent(texts, embeddings=embeddings)
        score = self._outlier_scores().score(self.representation_.plain_rows(spaces)) if len(spaces) else np.zeros(0)
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
            The model was saved without rows of documents.

        Examples
        --------
        >>> from outgroup import DocumentClustering
        >>> texts = [f"{a} {b} {c} tea" for a in ("hot", "iced", "green", "black") for b in ("milk", "sugar", "lemon")
        ...          for c in ("sweet", "cheap", "strong", "fresh")]
        >>> groups = DocumentClustering(2, random_state=0).fit(texts)
        >>> groups.unlike_all(["cheap green tea with sugar"]).tolist()
        [False]
        """
        spaces, kept = self.represent(texts, embeddings=embeddings)
        known = self._rows_to_compare()
        return spread(known.score(spaces.unaveraged) > known.threshold, kept, False, bool)

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
            The model was saved without rows of documents.

        Examples
        --------
        >>> from outgroup import DocumentClustering
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

    def _own_spaces(self) -> Spaces:
        self._check_fitted()
        if not hasattr(self, "spaces_"):
            raise NoDocumentsError(NEEDS_DOCUMENTS)
        return self.spaces_

    def _positions(self) -> Array:
        """Return the position in `numbers_` of each document's group, (n,); -1 for none."""
        return positions(self.labels_, self._numbers)

    def _members(self) -> Membership:
        if self._membership is None:
            rows, labels = self._own_spaces().space[self.order_], self._positions()[self.kept_][self.order_]
            self._ensemble = Ensemble.of(rows, labels, self._ensemble)
            self._membership = Membership.of(rows, labels, len(self.numbers_), self._ensemble)
        return self._membership

    def _held(self) -> Array:
        """Return the groups that each document of the fit has, with those of labels, (n, k) bool."""
        held = self._positions()[:, None] == np.arange(len(self.numbers_))
        for row, groups in self._also.items():
            held[row, groups] = True
        return held

    def _examples_of_several(self) -> tuple[Any, Array]:
        """Return the rows from which the regressions learn, and their groups, in the order of the fit."""
        rows = self.representation_.plain_rows(self._own_spaces())
        return rows[self.order_], self._held()[self.kept_][self.order_]

    def _regressions(self) -> Several:
        if self._several is None:
            self._several = Several.of(*self._examples_of_several())
        return self._several

    def _probably_several(self, spaces: Spaces) -> Array:
        """Return the probability of each group, by itself, for documents with rows, (m, k)."""
        regressions = self._regressions()
        if not len(spaces):
            return np.zeros((0, len(self.numbers_)))
        return regressions.of_new(self.representation_.plain_rows(spaces))

    def _several_held_out(self, least: float) -> HeldOut | None:
        """Return precision and recall of further groups from labels of several groups; None for too few."""
        rows = [row for row, groups in self._also.items() if groups and self.kept_[row]]
        return held_out(self.several_[rows], self._held()[rows], self._positions()[rows], least)

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

    def _outlier_scores(self) -> Strangeness:
        if self._outliers is None:
            self._outliers = Strangeness.outliers(self.representation_.plain_rows(self._own_spaces()))
        return self._outliers

    def _known_rows(self) -> Strangeness | None:
        """Return the reference rows for new documents; None if the model was saved without them."""
        if self._novelty is None and hasattr(self, "spaces_"):
            inside = self.order_[self._positions()[self.kept_][self.order_] >= 0]
            self._novelty = Strangeness.reference(self.spaces_.unaveraged[inside])
        return self._novelty

    def _novelty_score(self, spaces: Spaces) -> Array | None:
        """Return the novelty scores of new documents, (m,); None if the model was saved without reference rows."""
        known = self._known_rows()
        return None if known is None else known.score(spaces.unaveraged)

    def _proposed(
        self, spaces: Spaces, ids: Sequence[str], score: Array | None = None, others: Sequence[str] = ()
    ) -> list[ProposedGroup]:
        """Return the groups that m new documents suggest; `score` (m,) comes from `_novelty_score`, and `others` are
        the texts of earlier documents.
        """
        known = self._known_rows()
        themes = [] if known is None else known.themes(spaces.unaveraged, score)
        return self._proposed_of(themes, [*spaces.texts, *others], ids)

    def _proposed_of(self, themes: Sequence[Array], texts: Sequence[str], ids: Sequence[str]) -> list[ProposedGroup]:
        """Return a proposed group for each theme, given by its rows of `texts`.

        Its words are those of the texts, because the vocabulary may lack the words of a new theme.
        """
        if not themes:
            return []
        labels = np.full(len(texts), len(themes))  # all others are one group
        for number, rows in enumerate(themes):
            labels[rows] = number
        analyser = getattr(self.representation_.vectorizer, "analyser", None)
        taken = [name for name in self.names_ or () if name]
        encode = self.representation_.for_names
        words = group_words(texts, labels, len(themes) + 1, analyser, taken=taken, encode=encode)
        return [
            ProposedGroup(str(own), tuple(ids[row] for row in rows), tuple(word for word, _ in own.ranked()[:8]))
            for own, rows in zip(words, themes, strict=False)
        ]

    def _rows_to_compare(self) -> Strangeness:
        known = self._known_rows()
        if known is None:
            raise NoDocumentsError(
                "this model was saved without the rows that new documents are compared with: fit it again and save it"
            )
        return known

    # --- Save and load

    def save(self, path: str | os.PathLike[str], *, replace: bool = False) -> None:
        """Write the fitted model to a folder (`model.json` and `arrays.bin`, no pickle); equal models give equal bytes.

        The folder holds no text except the title of one example per group, at most 200 characters; and the rows of at
        most 10,000 documents, or of all documents if rows are averaged. The first call of a fitted model computes the
        trust of its groups, which takes about as long as the fit.

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
        with new_folder(path, storage.KIND, replace=replace) as folder:
            storage.write(folder, self.to_state())

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, encoder: Any = None) -> Self:
        """Load a model that `save` wrote.

        Parameters
        ----------
        path : str or path
            The folder, or that of a result of `outgroup cluster`.
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
        state = storage.read(storage.model_in(Path(path)))
        try:
            return cls.from_state(state, encoder=encoder)
        except (ModelError, *DAMAGE) as error:
            raise ModelError(f"the model in {path} is damaged: {error}; save the model again") from error

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
        average: Any = self.representation_.average
        neighbours = average.to_state() if self.representation_.passes else None
        if neighbours and not rows:
            neighbours |= dict.fromkeys(("rows", "words", "graph"))
        novelty = self._known_rows() if rows else None
        return {
            "vectorizer": _part_state(self.vectorizer_),
            "clusterer": _part_state(self.clusterer_),
            "labels": self.labels_,
            "skipped": self.skipped_,
            "n_universum": self.n_universum_,
            "names": self.names_,
            "numbers": self._numbers,
            "embeddings": self.representation_.width,
            "encoder": None if (meaning := self.representation_.meaning) is None else meaning.to_state(vectors=rows),
            "names_by_meaning": self.representation_.names_by_meaning,
            "word_means": None if self._word_means is None else list(self._word_means),
            "missing": self.missing,
            "description": self._description,
            "fields": self._text_fields,
            "neighbours": neighbours,
            "membership": None if self._membership is None else self._membership.to_state(),
            "several": None if self._several is None and self._crossed is None else self._regressions().to_state(),
            "novelty": None if novelty is None else novelty.to_state(),
        }

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
        model = cls()
        vectorizer, clusterer = _part(state["vectorizer"]), _part(state["clusterer"])
        check_state(state, len(vectorizer.get_feature_names_out()), clusterer)
        average, means = _average(state["neighbours"], vectorizer, clusterer), state["word_means"]
        if encoder is None and state["encoder"] is not None:
            encoder = MeaningEncoder.from_state(state["encoder"])
        model.representation_ = Representation(
            vectorizer, encoder, state["embeddings"], average, names_by_meaning=state["names_by_meaning"]
        )
        model._word_means = None if means is None else (np.asarray(means[0]), np.asarray(means[1]))
        model.vectorizer_, model.clusterer_ = vectorizer, clusterer
        model.labels_, model.n_universum_ = state["labels"], state["n_universum"]
        model._text_fields, model.missing = state["fields"], state["missing"]
        model.names_, model._description = state["names"], state["description"]
        model._numbers, model._also = state["numbers"], {}
        model.skipped_ = [(row, why) for row, why in state["skipped"]]
        if state["membership"] is not None:
            model._membership = Membership.from_state(state["membership"], clusterer.groups, clusterer.n_features_in_)
        if state["several"] is not None:
            by_words = state["embeddings"] is None or state["encoder"] is not None
            width = len(vectorizer.get_feature_names_out()) if by_words else state["embeddings"]
            model._several = Several.from_state(state["several"], clusterer.groups, width)
        if state["novelty"] is not None:
            model._novelty = Strangeness.from_state(state["novelty"], clusterer.n_features_in_)
        return model

    # --- The fitted parts

    def _places(self, texts: Any, embeddings: Any, off_topic: bool | None = None) -> Array:
        """Return the result of `predict` as positions in `numbers_`."""
        self._check_fitted()
        asked = off_topic or (off_topic is not None and isinstance(self.clusterer_, FindsOffTopic))
        if asked:
            self._has("off_topic_score")
        options = {"off_topic": off_topic} if asked else {}
        return self._for_each(texts, embeddings, "predict", -1, np.int32, **options)

    def _as_texts(self, given: Any) -> list[str]:
        """Return new documents as texts; they may be a table or records, as in `fit`."""
        if not holds_fields(given):
            return as_texts(given, "texts", self.missing)
        return texts_of(given, **(self._text_fields or {}), missing=self.missing, name="texts").texts

    def _has(self, verb: str) -> None:
        if not hasattr(self.clusterer_, verb):
            raise InputError(f"{type(self.clusterer_).__name__} has no {verb}; use MaxMarginClustering")

    def _for_each(self, texts: Any, embeddings: Any, verb: str, missing: float, dtype: Any, **options: Any) -> Array:
        spaces, kept = self.represent(texts, embeddings=embeddings)
        self._has(verb)
        # Without any row, a zero row gives the shape of the result.
        X = rows_of(spaces, self.clusterer_) if len(spaces) else np.zeros((1, self.clusterer_.n_features_in_))
        return spread(getattr(self.clusterer_, verb)(X, **options)[: kept.sum()], kept, missing, dtype)


# --- The saved form of a model: plain values and arrays, without pickle

_PARTS = (Vectorizer, MaxMarginClustering, CPM3C, SphericalKMeans, SeededKMeans)
SAVEABLE: dict[str, Any] = {part.__name__: part for part in _PARTS}
"""The classes that a saved model may name; any other class in a file is an error."""


def _part_state(part: Any) -> dict[str, Any]:
    name = type(part).__name__
    if type(part) is not SAVEABLE.get(name):
        raise InputError(f"a {name} cannot be saved; use one of {', '.join(SAVEABLE)}")
    return {"class": name, "state": part.to_state()}


def _average(saved: dict[str, Any] | None, vectorizer: Any, clusterer: Any) -> NeighbourAverage | None:
    """Return the saved neighbour average; raise ModelError unless it matches the vectorizer and the clusterer."""
    if saved is None:
        return None
    average = NeighbourAverage.from_state(saved)
    known = average.n_words_ in (0, len(vectorizer.get_feature_names_out()))
    if not known or average.n_features_in_ != clusterer.n_features_in_:
        raise ModelError("the saved neighbours and clusterer have different numbers of columns")
    return average


def _part(saved: dict[str, Any]) -> Any:
    if saved["class"] not in SAVEABLE:
        raise ModelError(f"the saved model contains an unknown part {saved['class']!r:.60}; update outgroup to read it")
    return SAVEABLE[saved["class"]].from_state(saved["state"])


# --- Validation of saved fields


class Description(TypedDict):
    """The description of a group."""

    name: str
    size: Count
    code: NotRequired[Count]
    trust: str
    found_again: Count
    words: list[str]
    example: str


class FieldsRead(TypedDict, total=False):
    """The fields of a record that contain its text."""

    text: str
    title: str
    html: Literal["text", "keep"]
    join_title: bool


class ModelRecord(TypedDict):
    """The fields of a saved model that are plain values."""

    numbers: list[Count]
    n_universum: Count
    names: list[str | None] | None
    names_by_meaning: bool
    missing: Literal["error", "skip"]
    fields: Annotated[FieldsRead, lambda fields: fields.keys() <= get_type_hints(FieldsRead).keys()] | None
    description: list[Description] | None
    skipped: list[tuple[Count, str]]


def check_state(state: dict[str, Any], n_words: int, clusterer: Any) -> None:
    """Raise ModelError unless the fields of a model are valid and match its parts."""
    k, width = clusterer.groups, state["embeddings"]
    if clusterer.n_features_in_ != (n_words if width is None else width):
        raise ModelError("the saved vectorizer and clusterer have different numbers of columns")
    checked(state, ModelRecord)
    numbers, means = state["numbers"], state["word_means"]
    matching = {
        "numbers": are_numbers(numbers, k),
        "labels": is_labels(state["labels"], max(numbers, default=0) + 1),
        "names": state["names"] is None or len(state["names"]) == k,
        "word_means": (width is None and means is None) or _are_means(means, k, n_words),
        "description": state["description"] is None or len(state["description"]) == k,
    }
    for name, is_right in matching.items():
        if not is_right:
            raise ModelError(f"its {name} is not valid")


def _are_means(given: Any, k: int, n_words: int) -> bool:
    """Return whether a value holds the mean word rows of k groups and the off-topic examples."""
    pair = isinstance(given, list | tuple) and len(given) == 2
    return pair and is_real(given[0], k, n_words) and is_real(given[1], 1, n_words)
