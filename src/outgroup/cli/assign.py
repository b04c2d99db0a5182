"""Assign new documents to the groups of an earlier result."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from ..codebook import Codebook
from ..decisions.kinds import ProposedGroup
from ..errors import InputError, ModelError
from ..model import Model
from ..readers.corpus import READ, read_corpus, reading_of
from ..readers.documents import Corpus
from ..session.version import NO_VERDICTS, Verdicts, judge_new
from ..storage.atomic import new_file, restore
from ..storage.json_values import fitting
from ..storage.state import model_in
from ..summary.partition import at_numbers
from ..text.representation import NO_WORD
from ..types import Array
from . import assignments, xlsx
from .cluster import apart
from .material import embeddings
from .output import Steps
from .result import CODEBOOK, RESULT
from .settings import AssignSettings
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
    model = Model.load(folder)
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
    codes, special = assignments.group_codes(folder.parent), special_codes(folder)
    table = assignments.assignments(corpus, verdicts, NO_WORD, names, codes=codes, special=special)
    return NewAssignments(corpus, table, proposed, names, _wordless(model, spaces.words, verdicts, kept))


def _wordless(model: Model, words: Any, verdicts: Verdicts, kept: Array) -> dict[int, int]:
    """Return the number of documents without the first words of their group, by group number."""
    best = np.nan_to_num(verdicts.scores[kept], nan=-np.inf).argmax(axis=1)
    groups = best if verdicts.aside is None else np.where(verdicts.aside[kept], -1, best)
    columns_of = zip(model.numbers_.tolist(), first_words(model.word_coef_), strict=True)
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


def special_codes(folder: Path) -> dict[int, str]:
    """Return the names of the special codes of the result folder, by number; {} without its codebook."""
    with suppress(InputError):
        return Codebook.read(folder.parent / CODEBOOK).special
    return {}
