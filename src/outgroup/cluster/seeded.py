"""K-means steered by labelled documents and labelled words, as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from ..errors import InputError
from ..rows import Rows, as_rows, part_of, weighed_rows
from ..solve.local_search import Schedule
from ..solve.seeded import (
    DOCUMENTS,
    SOURCES,
    WORDS,
    Opinion,
    Supervision,
    documents_source,
    generative_source,
    seeded_kmeans,
    vote_source,
)
from ..solve.starts import completed, local_search_start
from ..types import Array, Whole
from .base import (
    CosineClusterer,
    FitInputs,
    corrected,
    enough_rows,
    every_group_has_a_seed,
    numbers_of_seeds,
    presence_of,
    warn_of_few_directions,
    weighted_fit,
)
from .off_topic import OffTopicMixin
from .spherical import SphericalKMeans


@dataclass(eq=False, repr=False)
class SeededKMeans(OffTopicMixin, CosineClusterer):
    """Spherical k-means seeded by labelled documents and labelled words (dual supervision).

    Each update pools three sources of centres: the labelled documents, the labelled words, and the current clusters
    (Hu, Milios and Blustein, A Unified Framework for Document Clustering with Dual Supervision, 2012, Algorithm 1;
    docs/dual_supervision.md). Seeded clusters keep their number, and a labelled document is in the cluster that it was
    labelled for.

    Parameters
    ----------
    n_clusters : int, default 8
        Number of groups k. If some clusters have no seed, all start at the groups of an unseeded spherical k-means,
        pooled with the seeds.
    word_model : {"vote", "generative"}, default "vote"
        Centre of the labelled words: a vote for the documents they occur in (Eqs. 3-4), or a generative model in which
        a word labelled for a cluster is `word_ratio` times as probable as one labelled for others (Eqs. 5-14).
    word_ratio : float of at least 1, default 100
        The ratio r of the generative model.
    weights : "auto", "pool" or mapping, default "auto"
        "auto": find groups without seeds, then correct them by labels as `MaxMarginClustering` does (docs/labels.md);
        `word_model` and `max_iter` are ignored. If words name all groups and no document is labelled, "auto" is "pool".
        The others run Algorithm 1 of the paper with weights of the sources
        "documents", "words" and "clusters". "pool" weighs each source by its held-out error on the labelled documents
        (Eq. 16; docs/decisions/0006). A mapping fixes the weights, numbers of at least 0; a missing source has 0.
    tol : float, default 1e-3
        Stop when at most this share of the documents moves.
    max_iter : int, default 100
        Most assignments; 1 assigns to the seeds' own centres if all clusters have seeds (the paper's Supervised
        variants).
    normalize : bool, default True
        Whether to scale rows to unit length; set False for rows of unit length.
    hold_seeds : bool, default True
        Whether a labelled document keeps its label in `labels_`. False: it takes the group of its nearest centre, as in
        the paper. Centres are the same.
    off_topic_rate, off_topic_threshold, set_aside :
        Treatment of off-topic documents, as in `MaxMarginClustering`. A labelled document is never set aside.
    random_state : int, RandomState instance or None, default None
        Makes the result reproducible for any number of threads.

    Attributes
    ----------
    labels_ : (n,) int32, the group of each document; -1 for one that is set aside. `predict` ignores labels: it returns
        the nearest centre
    cluster_centers_ : (k, d) float64, of unit length; an unlabelled document's group is that of the nearest
    seed_centers_ : (k, d) float64, the pool of the seeds alone; zeros for a cluster without seeds
    weights_ : dict, the weight of each source in the last centres; they sum to 1 unless they were given
    objective_ : sum of the clusters' coherences, comparable with `SphericalKMeans`
    n_iter_, trace_ : number of assignments and a dictionary for each: step, objective, moved, and the weights
    reject_coef_, reject_intercept_, off_topic_ : as of `MaxMarginClustering`; None, None and {} without a Universum
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 0.0, 0.2], [0.9, 0.1, 0.0], [0.0, 1.0, 0.1], [0.1, 0.8, 0.0]])
    >>> SeededKMeans(n_clusters=2).fit(X, seeds=[-1, 1, 0, -1]).labels_.tolist()
    [1, 1, 0, 0]
    >>> words = [[False, True, False], [True, False, False]]
    >>> SeededKMeans(n_clusters=2, word_model="generative").fit(X, word_seeds=words).labels_.tolist()
    [1, 1, 0, 0]
    """

    steered_by: ClassVar[tuple[str, ...]] = ("seeds", "word_seeds", "seed_weights", "words")
    starts_from: ClassVar[tuple[str, ...]] = ("labels", "model")

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "word_model": [StrOptions({"vote", "generative"})],
        "word_ratio": [Interval(Real, 1, None, closed="left")],
        "weights": [StrOptions({"auto", "pool"}), Mapping],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "normalize": ["boolean"],
        "hold_seeds": ["boolean"],
        **OffTopicMixin._parameter_constraints,
    }
    _fitted = ("cluster_centers_", "seed_centers_", "weights_", *OffTopicMixin._fitted)

    n_clusters: Whole = 8
    _: KW_ONLY
    word_model: str = "vote"
    word_ratio: float = 100
    weights: str | Mapping[str, float] = "auto"
    tol: float = 1e-3
    max_iter: int = 100
    normalize: bool = True
    hold_seeds: bool = True

    @weighted_fit
    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        universum: Any = None,
        discarded: Any = None,
        seeds: Any = None,
        word_seeds: Any = None,
        seed_weights: Any = None,
        words: Any = None,
        init: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """Find the groups of `X` from the seeds.

        Parameters
        ----------
        X : array, sparse matrix or `Rows` of shape (n, d)
        y : ignored
        universum : array, sparse matrix or `Rows` of shape (N, d), default None
            Examples of off-topic documents. Documents like them are set aside, except labelled ones, and the rest is
            grouped again.
        discarded : (N,) booleans, default None
            True for examples that were rows of `X` until a user discarded them. The threshold counts them as rows: the
            farthest rows are discarded first, so they are not a sample of the off-topic documents.
        seeds : (n,) whole numbers, default None
            Cluster of each labelled document, -1 for the others.
        word_seeds : (k, d) array or sparse matrix of booleans, default None
            True for a word labelled for a cluster; a word may be labelled for several.
        seed_weights : (k,) positive numbers, default None
            Relative weight of each cluster's seeds; 1 by default.
        words : (n, V) array or sparse matrix, default None
            Word counts of the documents, if the columns of `X` are not words (embeddings, for example): `word_seeds` is
            then (k, V). By default `X`.
        init : (n,) whole numbers or a fitted model, default None
            The start, pooled with the seeds: the group of each row, -1 for a row without one; or a fitted model, for
            its predictions. None: if a cluster has no seed, the groups found without seeds.
        sample_weight : (n,) numbers from 0 to 1e9, default None
            The weight of each row; None for equal ones. Weights of whole numbers equal repeated rows, from the same
            start. Sums of rows have them in them; errors on labels count each row once. A row of weight 0 takes no
            part, and gets the group of `predict`.

        Returns
        -------
        self

        Raises
        ------
        InputError
            Seeds or a start with a wrong length, shape or range; invalid weights; fewer rows than clusters; an empty
            Universum or one with other columns.
        ValueError
            NaN or infinity in `X` or the Universum.

        Warns
        -----
        sklearn.exceptions.ConvergenceWarning
            Rows in memory have fewer different directions than there are groups.
        """
        X = self._checked(X, reset=True)
        n, k = X.shape[0], self._k
        enough_rows(n, k)
        given = {"seeds": seeds, "word_seeds": word_seeds, "seed_weights": seed_weights, "words": words}
        inputs = FitInputs.checked(X, k, **given, weights=sample_weight, init=init)
        examples, rows = self._examples(universum, discarded, X), self._scaled(X)
        seed = check_random_state(self.random_state).randint(2**31)
        if inputs.init is not None:
            inputs = inputs._replace(init=completed(rows, inputs.init, k, sample_weight))

        def group(on: Array, before: Array | None) -> None:
            self._group(part_of(rows, on), inputs.on(on), np.random.default_rng(seed))

        self._fit_apart(rows, examples, group, np.random.default_rng(seed), inputs.pins >= 0)
        warn_of_few_directions(rows, k)
        return self

    def _group(self, rows: Rows, inputs: FitInputs, rng: Any) -> None:
        """Find the groups of the scaled rows from the seeds, and store them."""
        seeds, weights, init = inputs.pins, inputs.weights, inputs.init
        auto = self.weights == "auto" and inputs.any and not inputs.words_cover_groups
        if init is None and (auto or not every_group_has_a_seed(seeds, inputs.words)):
            relative = None if weights is None else weights / weights.mean()
            unseeded = local_search_start(weighed_rows(rows, relative), self._k, Schedule(), rng)
            init = numbers_of_seeds(unseeded, inputs, rows, self._k)[unseeded]
        if auto and init is not None:
            init, _ = corrected(rows, init, inputs, self._k, rng)
        most = 1 if auto else self.max_iter
        fit = seeded_kmeans(rows, self._supervision(rows, inputs), rng=rng, tol=self.tol, max_iter=most, init=init)
        if auto and init is not None:
            fit = replace(fit, labels=np.where(seeds >= 0, fit.labels, init).astype(np.int32))
        held = self.hold_seeds & (seeds >= 0)
        self.labels_ = np.where(held, seeds, fit.labels).astype(np.int32)
        self.cluster_centers_, self.seed_centers_ = fit.centres, fit.seed_centres
        self.objective_, self.weights_ = fit.objective, fit.weights
        self.trace_, self.n_iter_ = fit.trace, len(fit.trace)

    def _supervision(self, rows: Rows, inputs: FitInputs) -> Supervision:
        seeds, sample = inputs.pins, inputs.weights
        labelled = np.flatnonzero(seeds >= 0)
        sources: dict[str, Opinion] = {}
        if len(labelled):
            sources[DOCUMENTS] = documents_source(rows, seeds, self._k, sample)
        if inputs.words.any():
            sources[WORDS] = self._words_source(rows, inputs, labelled)
        weights = None if isinstance(self.weights, str) else _fixed(self.weights, sources)
        validation = _validation(rows, labelled)
        return Supervision(sources, labelled, seeds[labelled], *validation, inputs.strength, weights, sample)

    def _words_source(self, rows: Rows, inputs: FitInputs, labelled: Array) -> Opinion:
        if self.word_model == "generative":
            if inputs.counted is not None:
                raise InputError('word_model="generative" needs a column of X for each word: choose word_model="vote"')
            return generative_source(inputs.words, self.word_ratio, labelled)
        presence = as_rows(presence_of(rows if inputs.counted is None else inputs.counted))
        return vote_source(rows, presence, inputs.words, labelled, inputs.weights)


def _validation(rows: Rows, labelled: Array) -> tuple[Rows | None, Array]:
    """Return the labelled rows, only with the columns that are nonzero in some of them, and the indices of these
    columns.
    """
    if len(labelled) == 0:
        return None, labelled
    X = rows.local()
    some: Any = rows.take(labelled) if X is None else X[labelled]
    columns = np.unique(some.indices) if sp.issparse(some) else np.flatnonzero(some.any(axis=0))
    columns = columns if len(columns) else np.array([0])
    return as_rows(some[:, columns]), columns


def _fixed(weights: Mapping[str, float], sources: Mapping[str, Opinion]) -> Mapping[str, float]:
    unknown = sorted(set(weights) - set(SOURCES), key=str)
    if unknown:
        raise InputError(f"weights has the unknown source {unknown[0]!r}; known sources: {', '.join(SOURCES)}")
    for name, weight in weights.items():
        if isinstance(weight, bool) or not isinstance(weight, Real) or not 0 <= weight < float("inf"):
            raise InputError(f"the weight of {name} is {weight!r}; give a number of at least 0")
    if sources and not any(weights.get(name, 0) for name in sources):
        raise InputError(f"the weights of all seeds are 0; give {' or '.join(sources)} a weight above 0")
    return weights


def fitted(clusterer: SphericalKMeans, X: Any) -> SphericalKMeans:
    """Fit the clusterer on `X` without convergence warnings.

    >>> import numpy as np
    >>> len(fitted(SphericalKMeans(2, random_state=0), np.ones((3, 2))).cluster_centers_)
    2
    """
    clusterer._warns = False
    return clusterer.fit(X)
