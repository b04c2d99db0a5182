"""A stored collection: all parts together, with their rows outside of memory, and its versions."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from ..cluster.strangeness import Strangeness
from ..decisions import Decision, Define, Word
from ..decisions.state import State
from ..errors import InputError, counted, warn
from ..pipeline import GroupFit, spread
from ..places import Place
from ..readers.corpus import none_read, read_blocks
from ..readers.documents import Corpus, Skip
from ..readers.fields import Fields
from ..readers.ranges import require_any
from ..readers.vectors import require_rows
from ..rows import cluster_sums
from ..rows.blocks import by_part, group_sizes, pieces
from ..rows.mapped import MappedRows, VectorRows
from ..rows.wrappers import MOST_SAMPLED, MaskedRows, part_of, sampled
from ..session import Past, Version
from ..session.fitter import Fitter, by_name
from ..session.version import kept_names
from ..stopping import stop_if_asked
from ..storage import state
from ..text.collection import Collection, warn_of_zeros
from ..text.counts import Frequencies
from ..text.embeddings import mapped_vectors, unit_block
from ..text.encoder import MeaningEncoder
from ..text.representation import Representation, Spaces
from ..text.vectorizer import Vectorizer
from ..types import Array, OnCount
from .parts import Part, PartFacts, Store, StoredDocuments, joined, mapped, parts_of

# --- Read, count and weigh

OnShare = Callable[[float | None], None]

SAMPLED = 20_000
"""The number of documents in the report."""

NEW = -2
"""The group of a document that an earlier result does not have."""


@dataclass(frozen=True)
class StoredCollection:
    """n documents in `parts` of `store`, here or on the workers of a Dask `client`; `facts` are those of the parts.

    `words` is the fitted vectorizer, `rows` the rows of the documents in the mask `has_row` (n,), None before they are
    weighed, and `vectors` the embeddings of the same documents, None if groups are found by words. `encoder` made the
    vectors, if it can be saved; `names_by_meaning` is passed to the `Representation`.
    """

    client: Any
    store: Store
    parts: Sequence[Part]
    facts: Sequence[PartFacts]
    words: Vectorizer
    has_row: Array
    rows: Any = None
    vectors: Any = None
    encoder: MeaningEncoder | None = None
    names_by_meaning: bool = False

    def __len__(self) -> int:
        return len(self.has_row)

    @property
    def representation(self) -> Representation:
        """The words, and the width of the embeddings."""
        width = None if self.vectors is None else self.vectors.shape[1]
        return Representation(self.words, self.encoder, width, names_by_meaning=self.names_by_meaning)

    @property
    def row_of(self) -> Array:
        """The row of each document, (n,); undefined for documents without a row."""
        return np.cumsum(self.has_row) - 1

    @cached_property
    def edges(self) -> Array:
        """The number of documents before each part, and in all parts."""
        return np.cumsum([0, *(facts.n for facts in self.facts)])

    @property
    def skipped(self) -> Counter[str]:
        """The number of skipped documents by reason."""
        return sum((Counter(facts.reasons) for facts in self.facts), Counter())

    @property
    def columns(self) -> list[str]:
        """The further fields of the documents."""
        return list(dict.fromkeys(name for facts in self.facts for name in facts.columns))

    @property
    def spaces(self) -> Spaces:
        """The rows of the documents that have one, outside memory."""
        return RowSpaces([], self.rows if self.vectors is None else self.vectors, self.rows)

    def collection(self, named: set[str], universum: Spaces | None, weights: Array | None) -> Collection:
        """Return the documents without texts, and with the ids in `named` alone; `weights` (n,) may be None."""
        nothing: Any = SparseStrings(len(self))
        ids: Any = SparseStrings(len(self), {place: identity for identity, place in self.find(named)})
        texts = ids, nothing, nothing
        return Collection(*texts, self.representation, self.spaces, self.has_row, universum, sample_weight=weights)

    def without_outliers(self, documents: Collection, seed: int) -> Collection:
        """Return a `collection` without outliers, measured against a sample."""
        scores = Strangeness.outliers(in_memory(self.spaces, self.row_of[self.draw(MOST_SAMPLED, seed)]).space)
        space = self.spaces.space
        blocks = [scores.score(sampled(space, np.arange(each.start, each.stop))) for each in pieces(space.shape[0])]
        return documents.leave_out(spread(np.concatenate(blocks) > scores.threshold, self.has_row, False, bool))

    def map(self, task: Callable[[Store, Any], Any], *iterables: Iterable[Any]) -> Iterator[Any]:
        """Yield the results of `task(store, (numbered part, ...))` for all parts, with a value of each iterable."""
        values = zip([*enumerate(self.parts)], *iterables, strict=True)
        yield from (map if self.client is None else partial(mapped, self.client))(partial(task, self.store), values)

    def documents(self, task: Callable[..., Any], *iterables: Iterable[Any]) -> Iterator[Any]:
        """Yield the results of `task(documents, ...)` for the documents of the parts; see `map`."""
        return self.map(partial(_of_documents, task), *iterables)

    def draw(self, most: int, seed: int, among: Array | None = None) -> Array:
        """Draw documents with a row at random, or those in the mask `among` (n,); return their ascending positions."""
        candidates = np.flatnonzero(self.has_row if among is None else among)
        return np.sort(np.random.default_rng(seed).choice(candidates, min(most, len(candidates)), replace=False))

    def corpus(self, places: Array) -> Corpus:
        """Return the documents at these ascending positions."""
        inside = dict(by_part(places, self.edges))
        corpora = self.documents(StoredDocuments.corpus, [inside.get(i, places[:0]) for i in range(len(self.parts))])
        return joined([corpus for corpus in corpora if len(corpus)])

    def find(self, wanted: set[str]) -> list[tuple[str, int]]:
        """Return the wanted ids of documents, and their positions."""
        parts = zip(self.edges.tolist(), self.documents(partial(_positions, wanted)) if wanted else (), strict=False)
        return [(identity, first + position) for first, positions in parts for identity, position in positions]

    def weighed(self, on_count: OnCount, *, every: bool) -> Self:
        """Return the collection with rows; with `every`, also for documents without a known word."""
        words = self.words.to_state()
        key = hashlib.sha256("\n".join(words["stems"]).encode() + words["idf"].tobytes()).hexdigest()
        store, masks = replace(self.store, key=key, words=words, every=every), list[Array]()
        for mask in replace(self, store=store).map(lambda store, values: store.weigh(values[0])):
            stop_if_asked()
            masks.append(mask)
            on_count(len(masks), len(self.parts))
        counts = [int(np.count_nonzero(mask)) for mask in masks]
        if not any(counts):
            raise InputError("no document contains a word of the vocabulary: check the text column (--text)")
        rows: Any
        if self.client is None:
            rows = MappedRows(store.folder(number) / "rows" for number in range(len(self.parts)))
        else:
            from ..rows.dask import DaskRows, unchanged

            parts_with_rows = [(numbered, n) for numbered, n in zip(enumerate(self.parts), counts, strict=True) if n]
            load = self.client.submit(unchanged, store, pure=False)
            parts, sizes = zip(*parts_with_rows, strict=True)
            rows = DaskRows(self.client, load, parts, sizes, len(words["stems"]))
        return replace(self, store=store, rows=rows, has_row=np.concatenate(masks))

    def with_vectors(self, path: str) -> Self:
        """Return the collection with embeddings from a `.npy` file or a folder of them, in input order, with those of
        skipped documents.

        Raises InputError for another form or number of vectors.
        """
        rows = VectorRows(mapped_vectors, Path(path).resolve(), unit_block)
        items = np.cumsum([0, *(facts.n_items for facts in self.facts)])
        skipped = self.skipped.total()
        require_rows(rows, int(items[-1]), skipped, path)
        places = []
        parts = self.documents(lambda part: (part.rows, [skip.where for skip in part.skipped if skip.row is None]))
        for first, (rows_of_part, unread) in zip(items.tolist(), parts, strict=False):
            if unread:
                raise InputError(
                    f"the vectors {path} cannot be matched to the documents, because {unread[0]} was not read: correct "
                    "that input"
                )
            places.append(first + rows_of_part)
        found = self._among(rows, np.concatenate(places))
        warn_of_zeros(np.flatnonzero(~found.has_row))
        return found

    def encoded(self, encode: Callable[[list[str]], Any], folder: Path, on_count: OnCount) -> Self:
        """Return the collection with embeddings of its texts; a folder keeps them, and only other parts are encoded."""
        folder.mkdir(exist_ok=True)
        for number, part in enumerate(self.parts):
            stop_if_asked()
            path = folder / f"{number:06d}.npy"
            if self.facts[number].n and not path.exists():
                (texts,) = mapped(
                    self.client, partial(_of_documents, attrgetter("texts"), self.store), [((number, part),)]
                )
                stage = folder / "new"
                with stage.open("wb") as file:
                    np.save(file, np.asarray(encode(texts), dtype=np.float16), allow_pickle=False)
                stage.replace(path)
            on_count(number + 1, len(self.parts))
        return self._among(VectorRows(mapped_vectors, folder.resolve(), unit_block), np.arange(len(self)))

    def _among(self, rows: Any, place: Array) -> Self:
        has_row = part_of(rows, place).squares() > 0
        words = part_of(self.rows, np.flatnonzero(has_row))
        return replace(self, rows=words, has_row=has_row, vectors=part_of(rows, place[has_row]))

    # Versions: the first fit, the continuation of an earlier version, and a sample of a version

    def first_version(
        self, documents: Collection, decisions: tuple[Decision, ...], clusterer: Any, seed: int
    ) -> Version:
        """Fit a version from scratch; where labelled words start groups, a sample is fitted, and all documents
        continue.
        """
        named = by_name(decisions)
        if not any(isinstance(each, Word | Define) and each.group is not None for each in named):
            return Fitter(documents, clone(clusterer).set_params(n_init=1), seed).fit_log(decisions, None)
        ids = [place for place in documents.ids.at if documents.kept[place]]  # type: ignore[attr-defined]
        places = np.union1d(self.draw(MOST_SAMPLED, seed), ids).astype(int)
        corpus, some = self._some(documents, places)
        first = Fitter(some, clusterer, seed).fit_log(named, None)
        past = Past.of(first, corpus.texts)
        groups = np.full(len(documents), NEW, dtype=np.int32)
        groups[places] = first.labels
        fitter = Fitter(documents, clone(clusterer), seed, past=past)
        begun = fitter.continue_from(past, state=_state_after(past, groups, documents, gone=False))
        found = fitter.fit_log(decisions, begun) if decisions != named else begun
        return replace(found, number=1, decisions=decisions)

    def next_version(
        self,
        documents: Collection,
        past: Past,
        groups: Iterable[tuple[str, int]],
        decisions: tuple[Decision, ...],
        seed: int,
    ) -> Version:
        """Continue an earlier version, whose documents had these (id, group) pairs; a note counts moved, new and
        removed documents.
        """
        found, before = self._earlier(groups)
        has_row = self.has_row
        removed = bool(np.count_nonzero(found[has_row] >= 0) < before)
        fitter = Fitter(documents, clone(past.model.clusterer_), seed, past=past)
        begun = fitter.continue_from(past, state=_state_after(past, found, documents, gone=removed))
        version = fitter.fit_log((*past.decisions, *decisions), begun) if decisions else begun
        moved = np.count_nonzero(has_row & (found != NEW) & (found != version.labels))
        new, gone = np.count_nonzero(has_row & (found == NEW)), before - np.count_nonzero(found >= 0)
        note = f"{counted(int(moved), 'document')} moved, {new:,} new, {gone:,} gone"
        return replace(version, notes=(note, *dict.fromkeys((*begun.notes, *version.notes))))

    def _earlier(self, groups: Iterable[tuple[str, int]]) -> tuple[Array, int]:
        """Return the group of each document in an earlier result, (n,) int32, `NEW` for an unknown id, and the number
        of its documents in groups.

        Of documents with the same id, each takes the next earlier one, so that no earlier document is found twice.
        """
        kind = np.dtype([("id", np.int64), ("group", np.int32)])
        known = np.fromiter(((digest(identity), group) for identity, group in groups), kind)
        known = known[np.argsort(known["id"], kind="stable")]
        ids, earlier = self._digests(), known["id"]
        order, found = np.argsort(ids, kind="stable"), np.full(len(ids), NEW, dtype=np.int32)
        ids = ids[order]
        places = np.searchsorted(earlier, ids) + np.arange(len(ids)) - np.searchsorted(ids, ids)
        inside = places < len(known)
        inside[inside] = earlier[places[inside]] == ids[inside]
        found[order[inside]] = known["group"][places[inside]]
        return found, int(np.count_nonzero(known["group"] >= 0))

    def _digests(self) -> Array:
        return np.concatenate([*self.documents(_digests_of)])

    def warn_of_duplicates(self) -> None:
        """Warn about duplicate ids, which are written unchanged."""
        ordered = np.sort(self._digests())
        count = int(np.count_nonzero(ordered[1:] == ordered[:-1]))
        if count:
            warn(f"{count:,} documents have the same id as an earlier document; give unique ids to tell them apart")

    def sample_of(self, version: Version, seed: int) -> tuple[Corpus, Version]:
        """Return some documents, and the version restricted to them."""
        every = version.documents
        assert every is not None
        # 1. A random sample of the documents with a row, without outliers that were set aside.
        places = self.draw(SAMPLED, seed, every.kept)
        corpus, documents = self._some(every, places)
        # 2. The version: the directions of the groups are those of all documents.
        state, clusterer = part_of_state(version, places), copy(version.model.clusterer_)
        fitter = Fitter(documents, clusterer, 0)
        arranged = fitter.fit_documents(state)
        order = arranged.order()
        fitted = GroupFit(clusterer, arranged, order)
        found = fitter.version(fitted, state, version.decisions, version.notes)
        clusterer.labels_ = found.model._positions()[arranged.inside][order].astype(np.int32)
        found.model.n_universum_, found.model._word_means = version.model.n_universum_, version.model._word_means
        return corpus, replace(found, number=version.number, automatic_names=kept_names(version))

    def _some(self, every: Collection, places: Array) -> tuple[Corpus, Collection]:
        """Return the documents at these positions, which have rows, with texts, and as a collection in memory."""
        corpus, rows = self.corpus(places), self.row_of[places]
        spaces, kept = in_memory(self.spaces, rows, corpus.texts), np.ones(len(rows), dtype=bool)
        texts = corpus.ids, corpus.titles, corpus.texts
        weights = None if every.sample_weight is None else every.sample_weight[places]
        return corpus, Collection(*texts, every.representation, spaces, kept, every.universum, sample_weight=weights)


def _state_after(past: Past, groups: Array, documents: Collection, *, gone: bool) -> State:
    """Return the state of documents after an earlier result with the groups `groups` (n,).

    New documents go where the model predicts.
    """
    new, labels = documents.kept & (groups == NEW), np.where(documents.kept, groups, -1).astype(np.int32)
    if new.any():
        rows = part_of(documents.spaces.space, np.flatnonzero(new[documents.kept]))
        found = past.model.clusterer_.predict(rows, off_topic=False)
        labels[new] = np.array(past.numbers, dtype=np.int32)[found]
    there = {identity: row for row, identity in documents.ids.at.items()}  # type: ignore[attr-defined]
    return past.state_of(labels, new, there, refit=gone or bool(new.any()))


def part_of_state(version: Version, places: Array) -> State:
    """Return the state of the documents at these ascending positions."""
    state, row_of = version.state, {place: row for row, place in enumerate(places.tolist())}
    return replace(
        state,
        labels=version.labels[places],
        free=np.zeros(len(places), dtype=bool),
        pins={row_of[place]: label for place, label in state.pins.items() if place in row_of},
        away=frozenset(row_of[place] for place in state.away if place in row_of),
        absent={},
    )


def _of_documents(task: Callable[..., Any], store: Store, values: tuple[Any, ...]) -> Any:
    numbered, *given = values
    return task(store.documents(numbered), *given)


def _digests_of(documents: StoredDocuments) -> Array:
    return np.fromiter(map(digest, documents.ids), np.int64, len(documents.ids))


def digest(identity: str) -> int:
    """Hash an id to eight bytes; the hash is the same in every process."""
    short = hashlib.blake2b(identity.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(short, "little", signed=True)


def _positions(wanted: set[str], documents: StoredDocuments) -> list[tuple[str, int]]:
    return [(identity, position) for position, identity in enumerate(documents.ids) if identity in wanted]


def read_collection(
    docs: Place,
    fields: Fields,
    words: Vectorizer,
    work: Path,
    run: str,
    client: Any,
    on_share: OnShare,
) -> StoredCollection:
    """Read the documents of an input into a work folder, or on the workers of a Dask `client`; count and learn words.

    Stored parts and words of an interrupted run are reused.
    """
    learned = (work / "words").exists()
    store = Store(run, "", work / "parts" if client is None else None, fields, words.analyser)
    # 1. Read the documents and count their terms.
    parts, facts, seen = _read(docs, store, client, on_share, learned=learned)
    # 2. Learn the words and their weights from all counts, or take those of an earlier result.
    if not learned:
        if not hasattr(words, "vocabulary_"):
            words.fit_seen(seen)
        stage = work / "words.new"  # renamed when it is complete
        stage.mkdir(exist_ok=True)
        state.write(stage, words.to_state())
        stage.rename(work / "words")
    vectorizer, n = Vectorizer.from_state(state.read(work / "words")), sum(part_facts.n for part_facts in facts)
    return StoredCollection(client, store, parts, facts, vectorizer, np.ones(n, dtype=bool))


def _read(
    docs: Place, store: Store, client: Any, on_share: OnShare, *, learned: bool
) -> tuple[list[Part], list[PartFacts], Frequencies]:
    """Read the parts of an input; return the parts, their facts, and the frequencies of all terms."""
    parts = parts_of(docs, shared=client is not None)
    items: Iterable[Part] = parts or ()
    if parts is None:  # only this process can read the input: the blocks follow the stored ones
        stored = [store.documents((number, None)).facts.n_items for number in range(store.kept())]
        behind = sum(stored)
        more = () if learned else read_blocks(docs, store.fields, behind=behind, on_share=on_share)
        items = chain([None] * len(stored), more)
    facts, seen = list[PartFacts](), Frequencies()
    for part_facts, frequencies in mapped(client, store.read, enumerate(items)):
        stop_if_asked()
        facts.append(part_facts)
        if not learned:
            seen.add(*frequencies)
        if parts:
            on_share(len(facts) / len(parts))
    if parts:  # in other inputs, reading checks the fields
        require_any([part_facts.lacking for part_facts in facts], store.fields, parts[0])
        warn_of_notes({part: read.notes for part, read in zip(parts, facts, strict=True) if read.notes})
    if not any(part_facts.n for part_facts in facts):
        raise none_read(docs, [Skip(*skip) for part_facts in facts for skip in part_facts.first])
    return list(parts) if parts else [None] * len(facts), facts, seen


_WITH_NOTES = 3  # parts with notes in the warnings


def warn_of_notes(noted: Mapping[Any, list[str]]) -> None:
    for part in list(noted)[:_WITH_NOTES]:
        for message in noted[part]:
            warn(f"the part {part}: {message}")
    if len(noted) > _WITH_NOTES:
        warn(f"{len(noted) - _WITH_NOTES:,} more parts have notes")


def forget(run: str, client: Any) -> None:
    """Delete the parts of a run on the machines of the workers; a later run removes leftovers."""
    from ..rows.dask import forget_machine_folder

    with suppress(Exception):
        client.run(forget_machine_folder, run)


# --- The documents of a session: rows outside memory, and the ids that decisions name


@dataclass(frozen=True)
class SparseStrings(Sequence[str]):
    """A sequence of `n` strings: those in `at`, by position, and "" elsewhere."""

    n: int
    at: Mapping[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self.at.get(index, "") for index in range(*place.indices(self.n))]
        if place >= self.n:
            raise IndexError(place)
        return self.at.get(place, "")


class RowSpaces(Spaces):
    """Spaces of `Rows` outside memory, in input order.

    A few documents, such as those with an off-topic label, are taken into memory.
    """

    def __len__(self) -> int:
        return int(self.space.shape[0])

    @cached_property
    def mean(self) -> Array:
        return np.asarray(cluster_sums(self.space, np.zeros(len(self), dtype=np.int32), 1)[0] / len(self))

    def rows(self, order: Any) -> Any:
        return self.space

    def order(self, seeds: Array | None = None) -> Array:
        return np.arange(len(self))

    def take(self, rows: Array) -> Spaces:
        if len(rows) == len(self):
            return self
        if len(rows) <= MOST_SAMPLED:
            return in_memory(self, rows)
        space = part_of(self.space, rows)
        return RowSpaces([], space, part_of(self.words, rows) if self.apart else space)

    def with_columns(self, columns: Sequence[int]) -> Array:
        directions = np.zeros((len(columns), self.words.shape[1]))
        directions[np.arange(len(columns)), columns] = 1.0
        return np.asarray(self.words.map(directions, _any_score))

    def masked(self, columns: Array, by_words: bool) -> tuple[Spaces, Array]:
        words = MaskedRows(self.words, columns)
        space = self.space if self.apart else words
        nonzero = np.asarray(space.squares()) > 0
        spaces = RowSpaces([], space, words)
        return spaces.take(np.flatnonzero(nonzero)), nonzero

    def mean_words(self, labels: Array, k: int) -> Array:
        return np.asarray(cluster_sums(self.words, labels, k) / np.maximum(group_sizes(labels, k), 1)[:, None])


def in_memory(spaces: Spaces, index: Array, texts: list[str] | None = None) -> Spaces:
    """Return some of the documents in memory, perhaps with their `texts`."""
    space = sampled(spaces.space, index)
    return Spaces(texts or [""] * len(index), space, sampled(spaces.words, index) if spaces.apart else space)


def _any_score(scores: Array) -> Array:
    return (scores != 0).any(axis=1)
