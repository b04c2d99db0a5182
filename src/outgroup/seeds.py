"""Seeds: labelled documents and words by group, and their conversion to arrays for a clusterer.

Texts that define a group are seeds, too: `codebook` reads them, `decisions.Define` holds them, and
`pipeline.fit_groups` finds the documents near them (`cluster.definitions`), from which the group starts.

The path of a labelled word:

1. `seeds`: `Seeds.of` reads the word for a group by name.
2. `decisions`: `--steer` and the workbench give it as a `Word`.
3. `session.fitter`: the first fit of a session takes such decisions as `Seeds` again (`seeds_of`).
4. `document_clustering`, `pipeline`: `seed_arrays` calls `place`; the vectorizer maps the word to columns.
   The result is the mask `word_seeds` (k, V) of the clusterer's `fit`.
5. `cluster.base`: after the first grouping, `corrected` moves documents that hold two words of a group, by
   `moved_by_words` of `solve.labels`. If words alone label every group, such documents count as labelled.
6. `cluster.max_margin`: the fit continues from the corrected groups (`_group`).
7. `decisions.Word`: a word labelled later moves documents in the same way, and `cluster.warm_start` fits from these
   groups.
8. `session.receipts`: the effect, in words.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any

import numpy as np
from sklearn import config_context

from .errors import InputError, counted, quoted, suggestion, warn
from .types import Array

_LISTS = {"seeds": '{"drinks": ["an-id"]}', "word_seeds": '{"drinks": ["tea"]}'}


@dataclass(frozen=True)
class Cluster:
    """The seeds of a cluster: document ids, words, a weight relative to other clusters, texts that define it, and texts
    that it excludes.
    """

    documents: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    weight: float = 1.0
    texts: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def definition(self, name: str) -> str:
        """Return the first text without the `name` before it; "" for a name alone."""
        first = self.texts[0] if self.texts else name
        return "" if first == name else first.removeprefix(f"{name}: ")


@dataclass(frozen=True)
class Seeds:
    """Clusters by name, in the order of their numbers, and the ids of off-topic documents.

    Parameters
    ----------
    clusters : dict of str to `Cluster`, default {}
        The labelled documents and words of each cluster, and their weight.
    off_topic : tuple of str, default ()
        The ids of documents in no cluster.
    none : tuple of str, default ()
        Texts that define no cluster: no cluster starts from documents near them.

    Raises
    ------
    InputError
        A document is labelled twice, or there is no label.

    Examples
    --------
    >>> seeds = Seeds.of({"bread": ["d1", "d2"]}, {"trains": ["rail"]})
    >>> seeds.clusters["bread"]
    Cluster(documents=('d1', 'd2'), words=(), weight=1.0, texts=(), exclude=())
    >>> list(seeds.clusters)
    ['bread', 'trains']
    """

    clusters: dict[str, Cluster] = field(default_factory=dict)
    off_topic: tuple[str, ...] = ()
    none: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        labelled = any(cluster.documents or cluster.words for cluster in self.clusters.values())
        if not labelled and not self.defined and not self.off_topic:
            raise InputError(f"the seeds contain no labels: give some, such as {_LISTS['seeds']}, or omit the seeds")
        homes: dict[str, str] = {}
        for name, cluster in [*self.clusters.items(), ("off_topic", Cluster(self.off_topic))]:
            for document in dict.fromkeys(cluster.documents):
                if document in homes:
                    twice = f"document {document!r} is labelled twice, for {homes[document]!r} and {name!r}"
                    raise InputError(f"{twice}: remove one of the labels")
                homes[document] = name

    @property
    def defined(self) -> bool:
        """Whether texts define a cluster."""
        return any(cluster.texts for cluster in self.clusters.values())

    @classmethod
    def of(cls, documents: Mapping[str, Any] | None = None, words: Mapping[str, Iterable[str]] | None = None) -> Seeds:
        """Combine two mappings, name -> documents and name -> words, into seeds.

        Parameters
        ----------
        documents : mapping, default None
            Name of a cluster -> the ids of its labelled documents; an integer becomes a string.
        words : mapping, default None
            Name of a cluster -> its labelled words.

        Returns
        -------
        Seeds

        Raises
        ------
        InputError
            A document is labelled twice, there is no label, or a name, an id or a word is not valid.
        """
        documents, words = _mapping(documents, "seeds"), _mapping(words, "word_seeds")
        clusters = {}
        for name in dict.fromkeys([*documents, *words]):
            ids = _entries(documents.get(name, ()), f"the documents of {name!r}", str | Integral, "ids")
            clusters[str(name)] = Cluster(ids, _entries(words.get(name, ()), f"the words of {name!r}", str, "strings"))
        return cls(clusters)


def _mapping(value: Any, name: str) -> Mapping[Any, Any]:
    if value is not None and not isinstance(value, Mapping):
        raise InputError(f"{name} must map names to lists, such as {_LISTS[name]}, not be a {type(value).__name__}")
    return value or {}


def _entries(value: Any, where: str, kinds: Any, expected: str) -> tuple[str, ...]:
    """Return a list of ids or words as distinct strings; raise InputError for another value."""
    if isinstance(value, str | Mapping) or not isinstance(value, Iterable):
        raise InputError(f"{where} must be a list, not {value!r:.60}")
    values = list(value)
    for entry in values:
        if not isinstance(entry, kinds) or isinstance(entry, bool):
            raise InputError(f"{where} must contain {expected}, not {entry!r:.60}")
    return tuple(dict.fromkeys(map(str, values)))


# --- Seeds as arrays over the documents and the words of a collection

_MOST = 5  # unknown ids or words in a warning


@dataclass(frozen=True)
class SeedArrays:
    """Seeds as arrays: `seeds` (n,) int32, -1 if unlabelled; `word_seeds` (k, V) bool; `seed_weights` (k,).

    An array is None without such seeds. `names` has None for an unnamed cluster; it is empty for given arrays.
    """

    seeds: Array | None
    word_seeds: Any
    seed_weights: Array | None
    names: list[str | None]

    def inside(self, mask: Array, ids: Sequence[str]) -> SeedArrays:
        """Return the seeds of the texts in the `mask` (n,); warn of labelled texts outside: they have no effect."""
        if self.seeds is None:
            return self
        lost = [ids[row] for row in np.flatnonzero((self.seeds >= 0) & ~mask).tolist()]
        if lost:
            warn(f"labelled documents without a known word have no effect: {quoted(lost, _MOST)}")
        return replace(self, seeds=self.seeds[mask])

    def only(self, groups: Array) -> SeedArrays:
        """Return the seeds of some groups, (l,) sorted numbers, which become 0 to l - 1."""
        seeds, words, weights = self.seeds, self.word_seeds, self.seed_weights
        return SeedArrays(
            None if seeds is None else np.where(seeds >= 0, np.searchsorted(groups, seeds), -1).astype(np.int32),
            None if words is None else words[groups],
            None if weights is None else weights[groups],
            [self.names[group] for group in groups.tolist()],
        )

    def arguments(self, order: Array) -> dict[str, Any]:
        """Return the arguments of a clusterer's `fit` for rows in `order` (n,)."""
        seeds = None if self.seeds is None else self.seeds[order]
        arguments = {"seeds": seeds, "word_seeds": self.word_seeds, "seed_weights": self.seed_weights}
        return {name: value for name, value in arguments.items() if value is not None}


def given_seeds(seeds: Any, word_seeds: Any, n: int) -> Seeds | SeedArrays | None:
    """Return seeds for n texts from `Seeds`, mappings by name, or an array of labels; None without seeds.

    Raises InputError for anything else.
    """
    if isinstance(seeds, Seeds) or (seeds is None and word_seeds is None):
        return seeds
    if word_seeds is not None or isinstance(seeds, Mapping):
        return Seeds.of(seeds, word_seeds)
    try:
        labels = np.asarray(seeds)
    except ValueError:  # lists of different lengths
        labels = np.empty(0)
    if labels.shape != (n,) or labels.dtype.kind not in "iuf":
        raise InputError(
            f"seeds={seeds!r:.60} is not valid for {n} texts: give lists by name, such as {_LISTS['seeds']}, or an "
            "integer per text, -1 for none"
        )
    return SeedArrays(labels, None, None, [])


def place(seeds: Seeds, ids: Sequence[str], vectorizer: Any, n_clusters: int) -> SeedArrays:
    """Convert seeds to arrays for the documents `ids` and the columns of a fitted `vectorizer`.

    The vectorizer maps words to columns. Warns of unknown ids and words, with the nearest known ones, and of
    words of all clusters, which are left out.

    Raises InputError for more named clusters than `n_clusters`, or if no seed is left.
    """
    names = list(seeds.clusters)
    if len(names) > n_clusters:
        raise InputError(
            f"the seeds have {len(names)} clusters, but n_clusters is {n_clusters}; choose at least {len(names)}"
        )
    labels = np.full(len(ids), -1, dtype=np.int32)
    for number, rows in enumerate(rows_of(ids, [seeds.clusters[name].documents for name in names])):
        labels[rows] = number
    words = _columns([seeds.clusters[name].words for name in names], vectorizer, n_clusters)
    if names and not ((labels >= 0).any() or words.any() or seeds.defined):
        raise InputError(
            "no labelled document or word of the seeds has an effect: use ids and words of the collection, or omit the "
            "seeds"
        )
    unnamed = n_clusters - len(names)
    weights = np.array([*(seeds.clusters[name].weight for name in names), *[1.0] * unnamed], dtype=float)
    return SeedArrays(
        labels if (labels >= 0).any() else None,
        words if words.any() else None,
        weights if (weights != 1).any() else None,
        [*names, *[None] * unnamed],
    )


def rows_of(ids: Sequence[str], wanted: Sequence[Sequence[str]]) -> list[list[int]]:
    """Return the rows of the ids in each list; warn about unknown ids, with similar known ids."""
    row_of = {identity: row for row, identity in enumerate(ids)}
    unknown = dict.fromkeys(identity for identities in wanted for identity in identities if identity not in row_of)
    if unknown:
        _warn("labelled document", "not in the collection", unknown, list(row_of))
    return [[row_of[identity] for identity in identities if identity in row_of] for identities in wanted]


@config_context(transform_output="default")  # the vectorizer must return a matrix
def _columns(wanted: Sequence[Sequence[str]], vectorizer: Any, k: int) -> Array:
    """Return the mask of the labelled columns of clusters, (k, V) bool."""
    names = [str(name) for name in vectorizer.get_feature_names_out()]
    words = list(dict.fromkeys(word for cluster in wanted for word in cluster))
    labelled = np.zeros((k, len(names)), dtype=bool)
    if not words:
        return labelled
    rows = vectorizer.transform(words).tocsr()
    columns = {word: rows[number].indices[rows[number].data != 0] for number, word in enumerate(words)}
    unknown = [word for word in words if not len(columns[word])]
    if unknown:
        _warn("labelled word", "not in the vocabulary (too rare, or stop words)", unknown, names)
    for number, cluster in enumerate(wanted):
        for word in cluster:
            labelled[number, columns[word]] = True
    return _without_common(labelled, names)


def _without_common(labelled: Array, names: list[str]) -> Array:
    everywhere: Array = np.flatnonzero(labelled.all(axis=0) & (len(labelled) > 1))
    if len(everywhere):
        words = quoted((names[column] for column in everywhere.tolist()), _MOST)
        warn(f"words labelled for every cluster have no effect: {words}")
        labelled[:, everywhere] = False
    return labelled


def _warn(kind: str, fault: str, unknown: Collection[str], known: list[str]) -> None:
    near = [f"{name!r} ({suggestion(name, known, 'nothing is near')})" for name in list(unknown)[:_MOST]]
    subject = f"{counted(len(unknown), kind)} {'is' if len(unknown) == 1 else 'are'}"
    warn(f"{subject} {fault}: {', '.join(near)}{' ...' if len(unknown) > _MOST else ''}")
