"""A stored collection: all parts together, with their rows outside of memory."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any, Self

import numpy as np

from ..errors import InputError, warn
from ..places import Place
from ..readers.corpus import none_read, read_blocks
from ..readers.documents import Corpus
from ..readers.fields import Fields
from ..readers.vectors import require_rows
from ..rows import cluster_sums
from ..rows.blocks import by_part, group_sizes
from ..rows.mapped import MappedRows, VectorRows
from ..rows.wrappers import MOST_SAMPLED, MaskedRows, part_of, sampled
from ..stopping import stop_if_asked
from ..storage import state
from ..text.counts import Frequencies
from ..text.embeddings import mapped_vectors, unit_block
from ..text.encoder import MeaningEncoder
from ..text.representation import Representation, Spaces
from ..text.vectorizer import Vectorizer
from ..types import Array, OnCount
from .parts import NumberedPart, Part, PartFacts, Processes, Store, StoredDocuments, Workers, joined, parts_of

# --- Read, count and weigh

OnShare = Callable[[float | None], None]
Engine = Processes | Workers


@dataclass(frozen=True)
class StoredCollection:
    """n documents in `parts` of `store`, on which `engine` runs tasks; `facts` are those of the parts.

    `words` is the fitted vectorizer, `rows` the rows of the documents in the mask `has_row` (n,), None before they are
    weighed, and `vectors` the embeddings of the same documents, None if groups are found by words. `encoder` made the
    vectors, if it can be saved; `names_by_meaning` is passed to the `Representation`.
    """

    engine: Engine
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

    def spaces(self, index: Array, texts: list[str]) -> Spaces:
        """Return some rows in memory."""
        X = sampled(self.rows, index)
        return Spaces(texts, X if self.vectors is None else sampled(self.vectors, index), X)

    def map(self, task: Callable[[Store, Any], Any], *iterables: Iterable[Any], heavy: bool = False) -> Iterator[Any]:
        """Yield the results of `task(store, (numbered part, ...))` for all parts, with a value of each iterable.

        Only `heavy` tasks are worth the start of processes.
        """
        in_process = isinstance(self.engine, Processes) and not heavy
        values = zip([*enumerate(self.parts)], *iterables, strict=True)
        yield from (map if in_process else self.engine.map)(partial(task, self.store), values)

    def documents(self, task: Callable[..., Any], *iterables: Iterable[Any], heavy: bool = False) -> list[Any]:
        """Return the results of `task(documents, ...)` for the documents of the parts; see `map`."""
        return list(self.map(partial(_of_documents, task), *iterables, heavy=heavy))

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
        for mask in replace(self, store=store).map(_mask_of):
            stop_if_asked()
            masks.append(mask)
            on_count(len(masks), len(self.parts))
        counts = [int(np.count_nonzero(mask)) for mask in masks]
        if not any(counts):
            raise InputError("no document contains a word of the vocabulary: check the text column (--text)")
        rows: Any
        if isinstance(self.engine, Processes):
            rows = MappedRows(store.folder(number) / "rows" for number in range(len(self.parts)))
        else:
            from ..rows.dask import DaskRows, unchanged

            parts_with_rows = [(numbered, n) for numbered, n in zip(enumerate(self.parts), counts, strict=True) if n]
            load = self.engine.client.submit(unchanged, store, pure=False)
            parts, sizes = zip(*parts_with_rows, strict=True)
            rows = DaskRows(self.engine.client, load, parts, sizes, len(words["stems"]))
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
        for first, (rows_of_part, unread) in zip(items.tolist(), self.documents(_rows_of), strict=False):
            if unread is not None:
                raise InputError(
                    f"the vectors {path} cannot be matched to the documents, because {unread} was not read: correct "
                    "that input"
                )
            places.append(first + rows_of_part)
        return self._among(rows, np.concatenate(places))

    def encoded(self, encode: Callable[[list[str]], Any], folder: Path, on_count: OnCount) -> Self:
        """Return the collection with embeddings of its texts; a folder keeps them, and only other parts are encoded."""
        folder.mkdir(exist_ok=True)
        for number, part in enumerate(self.parts):
            stop_if_asked()
            path = folder / f"{number:06d}.npy"
            if self.facts[number].n and not path.exists():
                (texts,) = self.engine.map(partial(_of_documents, attrgetter("texts"), self.store), [((number, part),)])
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


def _of_documents(task: Callable[..., Any], store: Store, values: tuple[Any, ...]) -> Any:
    numbered, *given = values
    return task(store.documents(numbered), *given)


def _mask_of(store: Store, values: tuple[NumberedPart]) -> Array:
    return store.weigh(values[0])


def _rows_of(documents: StoredDocuments) -> tuple[Array, str | None]:
    return documents.rows, next((skip.where for skip in documents.skipped if skip.row is None), None)


def digests_of(documents: StoredDocuments) -> Array:
    """Return the digests of the ids, (n,) int64."""
    return digests(documents.ids)


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
    place, engine = (work / "parts", Processes()) if client is None else (None, Workers(client))
    store = Store(run, "", place, fields, words.analyser)
    # 1. Read the documents and count their terms.
    parts, facts, seen = _read(docs, store, engine, on_share, learned=learned)
    # 2. Learn the words and their weights from all counts, or take those of an earlier result.
    if not learned:
        if not hasattr(words, "vocabulary_"):
            words.fit_seen(seen)
        stage = work / "words.new"  # renamed when it is complete
        stage.mkdir(exist_ok=True)
        state.write(stage, words.to_state())
        stage.rename(work / "words")
    vectorizer, n = Vectorizer.from_state(state.read(work / "words")), sum(part_facts.n for part_facts in facts)
    return StoredCollection(engine, store, parts, facts, vectorizer, np.ones(n, dtype=bool))


def _read(
    docs: Place, store: Store, engine: Engine, on_share: OnShare, *, learned: bool
) -> tuple[list[Part], list[PartFacts], Frequencies]:
    """Read the parts of an input; return the parts, their facts, and the frequencies of all terms."""
    parts: list[Part] = [*parts_of(docs)] if isinstance(engine, Workers) else []
    items: Iterable[Part] = parts
    if not parts:  # only this process can read the input: the blocks follow the stored ones
        stored = [store.documents((number, None)).n_items for number in range(store.kept())]
        behind = sum(stored)
        more = () if learned else read_blocks(docs, store.fields, behind=behind, on_share=on_share)
        items = chain([None] * len(stored), more)
    facts, seen = list[PartFacts](), Frequencies()
    for part_facts, frequencies in engine.map(store.read, enumerate(items)):
        stop_if_asked()
        facts.append(part_facts)
        if not learned:
            seen.add(*frequencies)
        if parts:
            on_share(len(facts) / len(parts))
    if parts:  # reading blocks prints the notes
        warn_of_notes({part: read.notes for part, read in zip(parts, facts, strict=True) if read.notes})
    if not any(part_facts.n for part_facts in facts):
        raise none_read(docs, [skip for part_facts in facts for skip in part_facts.first])
    return parts or [None] * len(facts), facts, seen


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


# --- Duplicate ids, found by digests of eight bytes


def digests(ids: list[str]) -> Array:
    """Hash each id to eight bytes, (n,) int64; the hashes are the same in every process."""
    short = (hashlib.blake2b(identity.encode("utf-8", "surrogatepass"), digest_size=8).digest() for identity in ids)
    return np.frombuffer(b"".join(short), dtype=np.int64)


def warn_of_duplicates(parts: list[Array]) -> None:
    """Warn about duplicate ids, given the digests of all ids by part; the ids are written unchanged."""
    ordered = np.sort(np.concatenate([*parts, np.empty(0, dtype=np.int64)]))
    count = int(np.count_nonzero(ordered[1:] == ordered[:-1]))
    if count:
        warn(f"{count:,} documents have the same id as an earlier document; give unique ids to tell them apart")


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
        few = len(rows) <= MOST_SAMPLED
        subset = sampled if few else part_of
        space = subset(self.space, rows)
        words = subset(self.words, rows) if self.apart else space
        return Spaces([""] * len(rows), space, words) if few else RowSpaces([], space, words)

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


def _any_score(scores: Array) -> Array:
    return (scores != 0).any(axis=1)
