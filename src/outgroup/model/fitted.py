"""What a fitted model answers: groups and scores of further texts, and what its words say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..errors import InputError
from ..steering.seed_arrays import Placed
from ..text.as_texts import as_texts
from ..text.collection import Arranged
from ..text.representation import Representation, Spaces
from ..types import Array, FindsOffTopic
from .fitting import rows_of, spread
from .saved import SavedModel


class FittedModel(SavedModel):
    """The part of `DocumentClustering` that is asked once it is fitted, or loaded."""

    spaces_: Spaces
    order_: Array
    placed_: Placed | None
    examples_: Spaces | None
    thrown_: Array | None

    def predict(self, texts: Any, *, embeddings: Any = None, off_topic: bool | None = None) -> Array:
        """Return the number of each text's group.

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
        return self._numbered(self._places(texts, embeddings, off_topic))

    def _places(self, texts: Any, embeddings: Any, off_topic: bool | None = None) -> Array:
        """Return what `predict` does, with the places of groups among `numbers_` for their numbers."""
        if off_topic is None:
            return self._for_each(texts, embeddings, "predict", -1, np.int32)
        if not off_topic and not isinstance(self.clusterer_, FindsOffTopic):
            return self._for_each(texts, embeddings, "predict", -1, np.int32)
        self._finds_off_topic()
        return self._for_each(texts, embeddings, "predict", -1, np.int32, off_topic=off_topic)

    def _numbered(self, places: Array) -> Array:
        return places if self._numbers is None else np.array([*self._numbers, -1], dtype=np.int32)[places]

    def off_topic_score(self, texts: Any, *, embeddings: Any = None) -> Array:
        """Return how far each text is from all groups; higher is more off-topic.

        Without a Universum it is minus the margin, a much weaker sign (docs/off_topic.md).

        Parameters
        ----------
        texts, embeddings :
            As for `predict`.

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

    def decision_function(self, texts: Any, *, embeddings: Any = None) -> Array:
        """Return the score of each text for each group, in the order of `numbers_`.

        Parameters
        ----------
        texts, embeddings :
            As for `predict`.

        Returns
        -------
        (n, k) float64 array
            nan for a text that has no row.
        """
        return self._for_each(texts, embeddings, "decision_function", np.nan, np.float64)

    def represent(self, texts: Any, *, embeddings: Any = None) -> tuple[Spaces, Array]:
        """Return the documents that have a row, in the fit's spaces, and which of the texts they are.

        Parameters
        ----------
        texts, embeddings :
            As for `predict`.

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
    def numbers_(self) -> Array:
        """The numbers of the groups, (k,) int32, in the order of scores: 0 to k - 1, or what merging left of them."""
        return self._numbered(np.arange(len(self.word_coef_), dtype=np.int32))

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
        """Directions (k + j, V) and intercepts (k + j,) in words, the j kinds of "none of these" last; None without."""
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

    def _keep(
        self, clusterer: Any, arranged: Arranged, labels: Array, order: Array, names: list[str | None] | None,
        placed: Placed | None, numbers: Sequence[int] | None = None,
    ) -> None:  # fmt: skip
        """Keep the documents and the examples that a fit saw, and what their words say of the groups.

        `labels` (n,) are places among the groups' `numbers`, None for 0 to k - 1.
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
            raise InputError(f"{name} cannot tell what is off-topic; use MaxMarginClustering")

    def _has(self, verb: str) -> None:
        if not hasattr(self.clusterer_, verb):
            name = type(self.clusterer_).__name__
            raise InputError(f"{name} has no {verb}: it predicts groups and tells no more; use a clusterer of outgroup")

    def _for_each(self, texts: Any, embeddings: Any, verb: str, missing: float, dtype: Any, **options: Any) -> Array:
        spaces, kept = self.represent(texts, embeddings=embeddings)
        self._has(verb)
        # Without a single row left, a zero row asks the clusterer for the result's shape.
        X = rows_of(spaces, self.clusterer_) if len(spaces) else np.zeros((1, self.clusterer_.n_features_in_))
        return spread(getattr(self.clusterer_, verb)(X, **options)[: kept.sum()], kept, missing, dtype)
