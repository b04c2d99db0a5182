"""The steps of a fit: rows, outliers, number of groups and averages, which `Session` takes; and `fit_groups`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral
from typing import Any, TypeGuard

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from .cluster.base import check_range, checked_weights, enough_rows, is_count
from .cluster.definitions import start_by_definitions
from .cluster.neighbour_average import NeighbourAverage, with_original
from .cluster.off_topic import OffTopicMixin
from .cluster.profile import Choice, Profile, k_profile, numbers
from .cluster.strangeness import Strangeness
from .errors import InputError, quoted, warn
from .rows.arrays import normalize
from .seeds import SeedArrays, Seeds, given_seeds, place
from .seeds import rows_of as labelled_rows
from .text.collection import Collection, FitDocuments, Inputs, open_collection
from .text.representation import Representation, Spaces
from .text.vectorizer import Vectorizer
from .types import Array, FindsOffTopic, OnProgress, OnStep, Progress, Reports, Steerable, no_op


def learned_rows(inputs: Inputs, representation: Representation, report: Progress) -> Collection:
    """Learn the vocabulary; return the documents with TF-IDF rows and rows of embeddings, given or encoded."""
    report("analysing", 0, None)
    learn = partial(call, representation.vectorizer.fit_transform, progress=step_of(report, "analysing"))
    return open_collection(inputs, representation, learn=learn, progress=step_of(report, "encoding"))


def fit_groups(
    documents: Collection,
    clusterer: Any,
    seeds: Any = None,
    word_seeds: Any = None,
    report: Progress = no_op,
    start: Array | None = None,
    on_step: OnStep | None = None,
) -> GroupFit:
    """Fit a clusterer on documents, from the groups `start` (n,) or its own starts."""
    # 4. Off-topic labels: move these documents from the collection to the Universum.
    given = given_seeds(seeds, word_seeds, len(documents))
    off_topic = given.off_topic if isinstance(given, Seeds) else ()
    arranged = FitDocuments.of(documents, frozenset(labelled_rows(documents.ids, [off_topic])[0]))
    # 5. Seeds: convert ids and words to arrays over rows and columns.
    placed = seed_arrays(given, arranged, clusterer)
    # 6. Order: sort the rows by their texts, so that the order of the input does not change the groups.
    order = arranged.order() if placed is None or placed.seeds is None else arranged.spaces.order(placed.seeds)
    # 7. Definitions: the groups start from the documents near them.
    bare: list[Array] = []
    if placed is not None and isinstance(given, Seeds) and given.defined:
        start, placed, bare = defined_start(given, placed, arranged, order, clusterer)
        clusterer.set_params(n_clusters=len(placed.names))
    # 8. Groups: minimise the objective of the clusterer.
    k: Any = getattr(clusterer, "n_clusters", None)
    if is_count(k) and len(order) < k:
        skipped = Counter(why for _, why in arranged.skipped())
        enough_rows(len(order), k, "".join(f" ({count:,} more: {why})" for why, count in skipped.items()))
    if start is not None and is_count(k):
        check_range(start, k, "init")  # here rows have the order of the input
    report("fitting", 0, None)
    fitted = GroupFit(clusterer, arranged, order, placed, bare)
    fitted.fit(start, step_of(report, "fitting"), on_step)
    return fitted


def with_sample_weight(documents: Collection, sample_weight: Any) -> Collection:
    """Return the documents with weights, (n,); raise InputError if a weight is invalid."""
    if sample_weight is None:
        return documents
    return replace(documents, sample_weight=checked_weights(sample_weight, len(documents)))


OUTLIERS = ("none", "flag", "set aside")


def check_choices(n_clusters: Any, outliers: str, n: int) -> None:
    """Raise InputError, before n documents get rows, for an invalid number of groups or an unknown value of `outliers`.

    Definitions may start fewer groups than `n_clusters`, so the fit compares a number with n.
    """
    if is_number(n_clusters) and n_clusters < 1:
        raise InputError(f"n_clusters={n_clusters} is not valid: give at least 1, or 'auto'")
    if n_clusters is not None and not is_number(n_clusters):
        numbers(n_clusters, n)
    if str(outliers).replace("-", " ") not in OUTLIERS:  # as on the command line
        raise InputError(f'outliers={outliers!r:.60} is not valid: give "none", "flag" or "set aside"')


def without_outliers(documents: Collection, outliers: str) -> Collection:
    """Return the documents, without outliers for "set aside".

    At most 5 % of documents like the others are outliers.
    """
    if outliers.replace("-", " ") != "set aside":
        return documents
    scores = Strangeness.outliers(documents.representation.plain_rows(documents.spaces))
    return documents.leave_out(spread(scores.own > scores.threshold, documents.kept, False, bool))


def choose_n_clusters(documents: Collection, choice: Choice | None, clusterer: Any, report: Progress) -> Profile | None:
    """Set `n_clusters` of `clusterer` to the number recommended by a profile; return the profile.

    Returns None for a fixed number, which the clusterer has.
    """
    if choice is None or is_number(choice):
        return None
    order, spaces = documents.spaces.order(), documents.spaces
    progress = step_of(report, "choosing the number of groups")
    profile = k_profile(spaces.space[order], choice, progress=progress)
    clusterer.set_params(n_clusters=profile.chosen)
    return profile


def is_number(choice: Any) -> TypeGuard[int]:
    """Return whether the choice of the number of groups is an integer; booleans are not."""
    return isinstance(choice, Integral) and not isinstance(choice, bool)


def neighbour_average(neighbours: Any, clusterer: Any = None) -> NeighbourAverage:
    """Return the neighbour average with `neighbours` passes; "auto" depends on the number of groups.

    Raises InputError unless `neighbours` is "auto" or an integer >= 0.

    >>> neighbour_average(2).passes
    2
    """
    if neighbours != "auto" and not is_count(neighbours, 0):
        raise InputError(f'neighbours={neighbours!r:.60} is not valid: give "auto", 0, or the number of passes')
    groups = getattr(clusterer, "n_clusters", None)
    return NeighbourAverage(neighbours, n_groups=groups if is_count(groups) else None)


def seed_arrays(seeds: Seeds | SeedArrays | None, arranged: FitDocuments, clusterer: Any) -> SeedArrays | None:
    """Return the seeds as arrays; raise InputError if the clusterer does not support seeds, or a Universum."""
    documents, name, k = arranged.documents, type(clusterer).__name__, getattr(clusterer, "n_clusters", 0)
    if not (arranged.examples is None and documents.universum is None) and not isinstance(clusterer, FindsOffTopic):
        raise InputError(f"{name} does not support a universum: omit it, or use MaxMarginClustering")
    if seeds is None or (isinstance(seeds, Seeds) and not seeds.clusters):
        return None
    if not isinstance(clusterer, Steerable):
        raise InputError(f"{name} does not support seeds: omit them, or use SeededKMeans or MaxMarginClustering")
    if isinstance(seeds, Seeds):
        seeds = place(seeds, documents.ids, documents.representation.vectorizer, k)
    elif seeds.seeds is not None:
        check_range(seeds.seeds, k)  # here rows have the order of the input
    return seeds.inside(arranged.inside, documents.ids)


def defined_start(
    seeds: Seeds, placed: SeedArrays, arranged: FitDocuments, order: Array, clusterer: Any
) -> tuple[Array, SeedArrays, list[Array]]:
    """Return the start by definitions, (n,); the seeds of the groups that start; and the rows of groups that no
    definition covers, indices of `arranged.spaces`.

    Labelled words define their group, too.
    """
    clusters = seeds.clusters.values()
    scores = _similarities([(*cluster.texts, *cluster.words) for cluster in clusters], arranged)
    barred = _similarities([cluster.exclude for cluster in clusters], arranged)
    scores = np.where((barred > 0) & (barred >= scores), 0.0, scores)
    scores = np.column_stack([scores, _similarities([(text,) for text in seeds.none], arranged)])
    labels = np.full(len(order), -1) if placed.seeds is None else placed.seeds[order]
    rows, graph = arranged.spaces.rows(order), graph_for(clusterer, arranged, order)
    defined = start_by_definitions(rows, scores[order], labels, len(clusters), len(placed.names), graph)
    if lost := [name for group, name in enumerate(seeds.clusters) if group not in defined.groups]:
        warn(f"these groups do not start, because no document is near their definitions or labelled: {quoted(lost, 5)}")
    start = spread(defined.labels[np.argsort(order)], arranged.inside, -1, np.int32)
    return start, placed.only(defined.groups), [order[rows] for rows in defined.uncovered]


def _similarities(definitions: Sequence[Sequence[str]], arranged: FitDocuments) -> Array:
    """Return the cosines of m documents with the means of sequences of texts, (m, l): of words plus of vectors, if
    an encoder makes them; 0 without a text.
    """
    spaces, representation = arranged.spaces, arranged.documents.representation
    flat = [text for texts in definitions for text in texts]
    if not flat:
        return np.zeros((len(spaces), len(definitions)))
    owner = np.repeat(np.arange(len(definitions)), [len(texts) for texts in definitions])
    mean = sp.csr_matrix((np.ones(len(flat)), (owner, np.arange(len(flat)))), shape=(len(definitions), len(flat)))
    words = sp.csr_matrix(mean @ sp.csr_matrix(representation.vectorizer.transform(flat)))
    cosines = (normalize(sp.csr_matrix(spaces.words)) @ normalize(words).T).toarray()
    vectors = representation.vectors(flat, None, "the vectors of definitions")
    if vectors is None:
        return np.asarray(cosines)
    # Centred: all texts of a collection are alike in what they share.
    centre = np.asarray(spaces.mean)
    centred = np.where(np.diff(mean.indptr)[:, None] > 0, normalize(mean @ vectors) - centre, 0.0)
    return np.asarray(cosines + normalize(np.asarray(spaces.space) - centre) @ normalize(centred).T)


@dataclass(frozen=True)
class GroupFit:
    """A clusterer and its input: rows `arranged.spaces.space[order]`, and seeds or None; `bare` are the rows of groups
    that no definition covers.
    """

    clusterer: Any
    arranged: FitDocuments
    order: Array
    placed: SeedArrays | None = None
    bare: Sequence[Array] = ()

    def fit(self, start: Array | None, progress: OnProgress, on_step: OnStep | None) -> None:
        """Fit the clusterer with the arguments that it supports; `start` (n,) are initial groups."""
        clusterer, spaces, order, placed = self.clusterer, self.arranged.spaces, self.order, self.placed
        X, examples = rows_and_examples(spaces, self.arranged.examples, clusterer, order)
        extras = examples_for(clusterer, examples, self.arranged.discarded)
        if placed is not None:
            extras |= placed.arguments(order)
            if spaces.apart and "word_seeds" in extras:
                extras["words"] = spaces.words[order]
        if (graph := graph_for(clusterer, self.arranged, order)) is not None:
            extras["graph"] = graph
        if start is not None:
            extras["init"] = start[self.arranged.inside][order]
        if on_step is not None and supports(clusterer, "on_step"):
            extras["on_step"] = on_step
        extras |= weights_for(clusterer, self.arranged, order)
        call(clusterer.fit, X, progress=progress, **extras)
        if not hasattr(clusterer, "labels_"):
            name = type(clusterer).__name__
            raise InputError(f"{name} is not a clusterer: it has no labels_ after fit")

    @property
    def labels(self) -> Array:
        """The groups of the documents, (n,) int32; -1 for excluded and off-topic documents."""
        groups = np.asarray(self.clusterer.labels_)[np.argsort(self.order)]
        return spread(groups, self.arranged.inside, -1, np.int32)


# --- Clusterers and vectorizers, perhaps of another library


def copied_clusterer(clusterer: Any) -> Any:
    """Return an unfitted copy of a clusterer; raise InputError for other objects."""
    return _copied(clusterer, "clusterer", "fit", "SphericalKMeans()")


def copied_vectorizer(vectorizer: Any, language: str = "auto") -> Any:
    """Return an unfitted copy of a vectorizer, by default of the `language`; raise InputError for other objects."""
    return (
        Vectorizer(language=language)
        if vectorizer is None
        else _copied(vectorizer, "vectorizer", "fit_transform", "Vectorizer()")
    )


def _copied(estimator: Any, name: str, verb: str, example: str) -> Any:
    if isinstance(estimator, type) or not hasattr(estimator, verb):
        raise InputError(f"{name} {estimator!r:.60} is not valid: give an instance such as {example}")
    return clone(estimator, safe=False)


def rows_and_examples(spaces: Spaces, examples: Spaces | None, clusterer: Any, order: Array) -> tuple[Any, Any]:
    """Return the matrices for `fit`: documents' rows in `order`, and the rows of `examples` or None.

    Without examples the original rows are not needed: the averaged rows suffice.
    """
    if examples is None:
        return spaces.rows(order), None
    return rows_of(spaces, clusterer, order), rows_of(examples, clusterer)


def rows_of(spaces: Spaces, clusterer: Any, order: Any = slice(None)) -> Any:
    """Return the input matrix of a clusterer, with rows in `order`.

    Clusterers of Outgroup find groups among the averaged rows, and off-topic documents among the original rows.
    """
    original = None if spaces.original is None or not isinstance(clusterer, OffTopicMixin) else spaces.original[order]
    return with_original(spaces.rows(order), original)


def examples_for(clusterer: Any, examples: Any, discarded: Array | None) -> dict[str, Any]:
    """Return the `fit` arguments for a Universum.

    Clusterers of Outgroup also get the mask `discarded` of the examples that the user labelled off-topic.
    """
    if examples is None or not isinstance(clusterer, FindsOffTopic):
        return {}
    return {"universum": examples} | ({"discarded": discarded} if isinstance(clusterer, OffTopicMixin) else {})


def graph_for(clusterer: Any, arranged: FitDocuments, order: Array) -> Any:
    """Return the neighbour graph of the rows in `order`, None for a clusterer without it and for averaged rows, which
    include their neighbours.
    """
    graph = arranged.spaces.graph
    if graph is None or arranged.documents.representation.passes or "graph" not in getattr(clusterer, "steered_by", ()):
        return None
    return graph[order][:, order]


def weights_for(clusterer: Any, arranged: FitDocuments, order: Array) -> dict[str, Any]:
    """Return the `fit` arguments for weights of rows in `order`; {} without weights."""
    weights = arranged.sample_weight(order)
    if weights is None:
        return {}
    if not has_fit_parameter(clusterer, "sample_weight"):
        raise InputError(f"{type(clusterer).__name__} does not support weights: omit them, or use MaxMarginClustering")
    return {"sample_weight": weights}


def call(method: Any, *arguments: Any, progress: Any, **extras: Any) -> Any:
    """Call a method; pass `progress` only if the object supports it."""
    if supports(getattr(method, "__self__", None), "progress"):
        extras["progress"] = progress
    return method(*arguments, **extras)


def supports(part: Any, name: str) -> bool:
    """Return whether an object calls the callback `name` during `fit`."""
    return isinstance(part, Reports) and name in part.reports


def spread(values: Array, mask: Array, missing: Any, dtype: Any) -> Array:
    """Return an array with `values` where `mask` is set, and `missing` elsewhere."""
    if mask.all():  # a copy takes half the time of the mask
        return np.array(values, dtype=dtype)
    result = np.full((len(mask), *np.shape(values)[1:]), missing, dtype=dtype)
    result[mask] = values
    return result


def step_of(report: Progress, name: str) -> OnProgress:
    return lambda done, total: report(name, done, total)


# --- Words that explain a score

Weighted = tuple[str, float]
"""A word and its weight."""


def top_words(weights: Array, names: Sequence[str], count: int, scale: bool = False) -> list[Weighted]:
    """Return the `count` words with the largest positive weights; with `scale`, the first has weight 1."""
    positive = np.flatnonzero(weights > 0)
    if len(positive) > count > 0:  # sort the largest only
        least = np.partition(weights[positive], -count)[-count]
        positive = positive[weights[positive] >= least]
    best = positive[np.argsort(-weights[positive], kind="stable")[:count]]
    unit = float(weights[best[0]]) if scale and len(best) else 1.0
    return [(str(names[w]), round(float(weights[w]) / unit, 6)) for w in best]


def contributions(x: Any, weights: Array, rival: Array | float, names: Sequence[str], count: int) -> list[Weighted]:
    """Return the words of a CSR row that contribute most to `x . weights - x . rival`, with their contributions."""
    columns = x.indices
    difference = weights[columns] - (rival if isinstance(rival, float) else rival[columns])
    return top_words(x.data * difference, [names[c] for c in columns], count)


def pulled_out(X: Any, coef: Array, intercept: Array, k: int, names: Sequence[str], count: int) -> list[list[Weighted]]:
    """Return for the rows of `X` (m, V) the words that contribute most to the off-topic score over the best group.

    `coef` (k + j, V) and `intercept` (k + j,) have the `k` groups first, then the kinds of "none of these": a row
    takes its best kind.
    """
    X = sp.csr_matrix(X)
    pairs = zip(*(best.tolist() for best in kind_and_group(X, coef, intercept, k)), strict=True)
    return [contributions(X[i], coef[kind], coef[group], names, count) for i, (kind, group) in enumerate(pairs)]


def kind_and_group(X: Any, coef: Array, intercept: Array, k: int) -> tuple[Array, Array]:
    """Return the best reject row and the best group for the rows of `X` (m, V), as rows of `coef`, both (m,).

    >>> kind_and_group(np.array([[1.0, 2.0]]), np.array([[1.0, 0], [0, 1], [0, 2], [1, 0]]), np.zeros(4), 2)
    (array([2]), array([1]))
    """
    scores = np.asarray(X @ coef.T + intercept)
    return k + scores[:, k:].argmax(axis=1), scores[:, :k].argmax(axis=1)
