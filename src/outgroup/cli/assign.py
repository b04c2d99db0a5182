"""Assign new documents to the groups of an earlier result."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from ..collection.parts import Part, Processes, Workers, blocks_of, named_part, parts_of
from ..collection.stored import digests, warn_of_duplicates, warn_of_notes
from ..decisions.kinds import ProposedGroup
from ..errors import InputError, ModelError
from ..model import Model
from ..readers.corpus import READ, is_empty, mail_parts, none_read, read_blocks, read_corpus, reading_of
from ..readers.documents import Corpus, Skip
from ..readers.fields import Fields
from ..readers.inputs import extent
from ..readers.ranges import require_any
from ..rows.threads import one_thread
from ..session.version import NO_VERDICTS, Verdicts, judge_new
from ..storage.atomic import new_file, restore
from ..storage.json_values import fitting
from ..storage.state import ARRAYS, JSON, model_in
from ..summary.partition import at_numbers
from ..summary.records import own_code
from ..text.representation import NO_WORD
from ..types import Array
from . import assignments, xlsx
from .cluster import apart
from .material import embeddings
from .memory import bytes_of, fields_of, most_text, new_at_once
from .options import named_encoder
from .output import Steps
from .result import RESULT
from .settings import AssignSettings, ClusterSettings
from .start import parameters_of, require_vectors
from .tables import HOW


@contextmanager
def assigned_file(settings: AssignSettings) -> Iterator[TextIO]:
    """Open the file `--out` for assignments; it may replace earlier assignments, but never an input.

    Raises InputError or OutputError for a path that must not be written.
    """
    assert settings.out is not None
    apart(Path(os.path.realpath(settings.out)), {"documents": settings.docs, "model's files": settings.model})
    ours = xlsx.written_here if settings.table == "xlsx" else assignments.written_here
    with new_file(settings.out, replace=settings.force, ours=ours, how=HOW) as file:
        yield file


def write(settings: AssignSettings, table: assignments.CsvTable, file: TextIO) -> Counter[str]:
    """Write a table in the format of `--out`; return the number of rows by group, "" for skipped documents."""
    if settings.table == "xlsx":
        return xlsx.write(table, file.buffer, Path(file.name).parent)
    return assignments.write(table, file)


@dataclass(frozen=True)
class NewAssignments:
    """Documents, table, proposed groups and group names; `wordless` counts documents without the first words of their
    group.
    """

    corpus: Corpus
    table: assignments.CsvTable
    proposed: Sequence[ProposedGroup]
    names: Sequence[str]
    wordless: Mapping[int, int]


def assign(settings: AssignSettings, steps: Steps) -> NewAssignments:
    """Assign each document to a group of a saved model."""
    restore(settings.model, RESULT)
    folder = model_in(settings.model)
    model = loaded(folder)
    require_vectors(model, settings, folder.parent)
    reading = reading_of(reading_options(settings, folder))
    corpus = read_corpus(settings.docs, may_be_empty=True, progress=steps.of("reading"), **reading)
    if settings.table == "xlsx":
        xlsx.check_rows(len(corpus) + len(corpus.skipped))
    names = names_of(folder, model)
    if not len(corpus):
        return NewAssignments(corpus, assignments.assignments(corpus, NO_VERDICTS, NO_WORD), [], names, {})
    vectors = embeddings(settings, settings.embeddings, settings.docs, corpus, steps)
    steps("assigning")
    spaces, kept = model.represent(corpus.texts, embeddings=vectors)
    score = model._novelty_score(spaces)
    verdicts = at_numbers(judge_new(model, spaces, kept, score), model.numbers_.tolist())
    proposed = model._proposed(spaces, [corpus.ids[row] for row in np.flatnonzero(kept).tolist()], score)
    table = assignments.assignments(corpus, verdicts, NO_WORD, names, codes=codes_of(folder, model))
    return NewAssignments(corpus, table, proposed, names, _wordless(model, spaces.words, _groups(verdicts, kept)))


def _groups(verdicts: Verdicts, kept: Array) -> Array:
    """Return the group number of each document with a row, (m,); -1 for documents set aside."""
    best = np.nan_to_num(verdicts.scores[kept], nan=-np.inf).argmax(axis=1)
    return best if verdicts.aside is None else np.where(verdicts.aside[kept], -1, best)


def _wordless(model: Model, words: Any, groups: Array) -> dict[int, int]:
    first = first_words(model.word_coef_)
    columns_of = zip(model.numbers_.tolist(), first, strict=True)
    return {number: without_words(words[np.flatnonzero(groups == number)], columns) for number, columns in columns_of}


def first_words(coef: Array, count: int = 10) -> Array:
    """Return the columns of each group's first words, by the word weights `coef` (k, V)."""
    return np.argsort(-coef, axis=1, kind="stable")[:, :count]


def without_words(words: Any, columns: Array) -> int:
    """Return the number of rows (m, V) that are zero in all of these columns.

    >>> without_words(np.eye(3), np.array([0, 1]))
    1
    """
    return int(np.count_nonzero(abs(words[:, columns]).sum(axis=1) == 0))


def loaded(folder: Path) -> Model:
    """Load the model of a folder; it is cached until the files change."""
    return _loaded(folder.resolve(), tuple(_file_version(folder / name) for name in (JSON, ARRAYS)))


def _file_version(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
        return status.st_ino, status.st_mtime_ns
    except (OSError, ValueError):
        return -1, -1  # loading raises the error


@lru_cache(maxsize=1)
def _loaded(folder: Path, _: tuple[tuple[int, int], ...]) -> Model:
    return Model.load(folder)


def reading_options(settings: AssignSettings, model: Path) -> dict[str, Any]:
    """Return the given options of the reader, and the others as stored with the groups, if they are."""
    stored: dict[str, Any] = {}
    with suppress(ModelError):  # the file may belong to another program
        stored = fitting(parameters_of(model.parent), READ, str | bool)
    return stored | {name: value for name in READ if (value := getattr(settings, name)) is not None}


def names_of(folder: Path, model: Model) -> list[str]:
    """Return the group names of the result folder or, without them, of the model."""
    try:
        name_of = assignments.group_names(folder.parent)
    except (OSError, ValueError):
        pairs = zip(model.numbers_.tolist(), model.names_ or [], strict=False)
        name_of = {number: name or "" for number, name in pairs}
    return [name_of.get(number, "") for number in range(int(model.numbers_.max()) + 1)]


def codes_of(folder: Path, model: Model) -> list[int]:
    """Return the code of each group number, as in the result folder."""
    codes = assignments.group_codes(folder.parent)
    return [codes.get(number, own_code(number)) for number in range(int(model.numbers_.max()) + 1)]


# --- New documents that do not fit into memory, part by part, in processes of this machine or on a cluster


@dataclass(frozen=True)
class AssignedPart:
    """The table of a part: id digests, the header, the rows, the skipped items, the existing fields if one is missing,
    and notes.
    """

    ids: Array
    header: assignments.Row
    rows: list[assignments.Row]
    skipped: list[Skip]
    lacking: list[str] | None
    notes: list[str]


@dataclass(frozen=True)
class Assigner:
    """Assigns the documents of a part: the folder of a model, and reading options."""

    folder: Path
    fields: Fields
    strip: tuple[str, ...]

    @classmethod
    def of(cls, settings: AssignSettings) -> Assigner:
        """Combine the given options with those stored with the groups."""
        folder = model_in(settings.model)
        options = replace(ClusterSettings(settings.docs), **reading_options(settings, folder))
        return cls(folder.resolve(), fields_of(options), tuple(mail_parts(options.strip)))

    @one_thread()
    def __call__(self, part: Part) -> AssignedPart:
        """Return the rows of a part."""
        model, header = loaded(self.folder), assignments.Row()
        keys, rows, skipped = [digests([])], list[assignments.Row](), list[Skip]()
        names, codes = names_of(self.folder, model), codes_of(self.folder, model)
        with named_part(part) as notes:
            blocks, lacking = blocks_of(part, self.fields, self.strip)
            for block in blocks:
                documents = block.documents
                texts = [document.whole for document in documents]
                verdicts = judge_new(model, *model.represent(texts)) if texts else NO_VERDICTS
                skipped_rows = {skip.row for skip in block.skipped}
                places = [row for row in range(block.n_items) if row not in skipped_rows]
                ids, titles = ([getattr(document, name) for document in documents] for name in ("id", "title"))
                table = assignments.assignments(
                    Corpus(ids, [""] * len(ids), titles, None, block.skipped, places),
                    at_numbers(verdicts, model.numbers_.tolist()),
                    NO_WORD,
                    names,
                    codes=codes,
                )
                header = table.header
                rows += table.rows
                skipped += block.skipped
                keys.append(digests(ids))
        return AssignedPart(np.concatenate(keys), header, rows, skipped, lacking, notes)


def new_in_parts(settings: AssignSettings) -> bool:
    """Return whether to assign new documents in parts: --cluster is given, or they exceed --memory."""
    if settings.cluster is None and (settings.memory is None or _fits_new(settings)):
        return False
    if settings.embeddings is not None or named_encoder(settings):
        unfit = "--memory" if settings.cluster is None else "--cluster"
        raise InputError(f"--embeddings and --encoder need all documents in memory: omit {unfit}")
    if settings.table == "xlsx":
        raise InputError("the documents may exceed the rows of an Excel sheet: use an --out that ends in .csv")
    return True


def _fits_new(settings: AssignSettings) -> bool:
    """Return whether all new documents fit into --memory."""
    restore(settings.model, RESULT)
    assigner = Assigner.of(settings)
    size, model = extent(settings.docs, assigner.fields, most_text(settings.memory)), loaded(assigner.folder)
    if size is None:
        return False
    needed = new_at_once(size, model.clusterer_.groups, averaged=model.representation_.passes > 0)
    return needed <= bytes_of(str(settings.memory))


def assign_in_parts(settings: AssignSettings, steps: Steps, file: TextIO) -> Counter[str]:
    """Write a row with group and verdict for each document; one part is in memory at a time.

    Returns the number of documents by group. Raises OutgroupError for invalid options or unreadable input.
    """
    from ..rows.connect import connected

    restore(settings.model, RESULT)
    assigner, share = Assigner.of(settings), steps.share_of("assigning")
    cluster = None if settings.cluster is None else connected(settings.cluster)
    parts = parts_of(settings.docs, shared=cluster is not None)
    items = parts or read_blocks(settings.docs, assigner.fields, strip=assigner.strip, on_share=share)
    with cluster or nullcontext() as client:
        engine = Processes() if client is None else Workers(client)
        groups, done, waiting = Counter[str](), list[AssignedPart](), list[AssignedPart]()
        for new in engine.map(assigner, items):
            waiting.append(new)
            if not len(new.ids) and not any(len(part.ids) for part in done):
                continue  # write nothing before the first document
            for part in waiting:
                table = assignments.CsvTable(part.header, iter(part.rows))
                if part.header:
                    groups += assignments.write(table, file, header=not done)
                done.append(replace(part, rows=[], skipped=[]))
                share(len(done) / len(parts) if parts else None)
            waiting = []
    if parts:
        require_any([part.lacking for part in (*done, *waiting)], assigner.fields, parts[0])
        warn_of_notes({part: table.notes for part, table in zip(parts, done, strict=False) if table.notes})
    if not done:
        skipped = [skip for part in waiting for skip in part.skipped]
        if not is_empty(skipped):
            raise none_read(settings.docs, skipped)
        rows = chain.from_iterable(part.rows for part in waiting)
        groups += assignments.write(replace(assignments.NOTHING, rows=rows), file)
    warn_of_duplicates([part.ids for part in done])
    return groups
