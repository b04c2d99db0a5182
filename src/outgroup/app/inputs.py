"""What a job reads: documents, off-topic examples, and the vectors of both."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from shlex import quote
from typing import Any

from ..errors import OutgroupWarning
from ..places import Address, Place
from ..report.sentences.wording import counted
from ..text.reading.corpus import read_corpus
from ..text.reading.documents import Corpus
from ..text.reading.options import READ, reading_of, without_roles
from ..text.reading.reasons import all_in_words, reasons
from .by_column import Chosen, choose
from .likely_ids import likely_ids
from .other_fields import warn_of_few_texts
from .progress import Steps
from .settings.cluster import ClusterSettings
from .settings.options import as_text
from .vectors import embeddings, of_universum
from .xlsx import check_rows

_TOLD = 4  # reasons why something was skipped
_PACKED = (".gz", ".xz", ".zst", ".zip")
_SUFFIXES = (
    *_PACKED,
    ".jsonl",
    ".ndjson",
    ".json",
    ".csv",
    ".tsv",
    ".parquet",
    ".xlsx",
    ".xlsm",
    ".ods",
    ".mbox",
    ".eml",
    ".txt",
    ".text",
    ".log",
    ".outgroup",
)


@dataclass(frozen=True)
class Material:
    """What a job reads: the documents, what they are counted by, the off-topic examples, and the vectors of both."""

    corpus: Corpus
    by: Chosen | None
    universum: list[str] | None
    vectors: dict[str, Any]


def read(settings: ClusterSettings, steps: Steps) -> Material:
    """Read all that the settings name."""
    return material_of(settings, documents(settings, steps), examples(settings, steps), steps)


def documents(settings: ClusterSettings, steps: Steps) -> Corpus:
    """Read the documents that the settings name."""
    reading = reading_of(read_by(settings))
    corpus = read_corpus(settings.docs, label=settings.label, progress=steps.of("reading"), **reading)
    warn_of_few_texts(settings, corpus)
    if settings.table == "xlsx":
        check_rows(len(corpus) + len(corpus.skipped))
    if len(corpus.skipped) > len(corpus):
        warn_of_unread(corpus, "documents")
    if corpus.by_place and (likely := likely_ids(corpus)):
        warnings.warn(
            "documents are called by their lines, which the next export numbers anew; "
            f"{likely!r} has another value in each: --id {quote(likely)}",
            OutgroupWarning,
            stacklevel=2,
        )
    return corpus


def examples(settings: ClusterSettings, steps: Steps) -> Corpus | None:
    """Read the off-topic examples that the settings name, if they do."""
    if settings.universum is None:
        return None
    progress, reading = steps.of("reading off-topic examples"), without_roles(reading_of(read_by(settings)))
    corpus = read_corpus(settings.universum, progress=progress, **reading)
    warn_of_unread(corpus)
    return corpus


def material_of(settings: ClusterSettings, corpus: Corpus, examples: Corpus | None, steps: Steps) -> Material:
    """Return a job's material of its documents and off-topic examples, with what the settings add to them."""
    by = choose(corpus, settings.by, settings.label)
    vectors = {"embeddings": embeddings(settings.embeddings, settings.encoder, settings.docs, corpus, steps)}
    if examples is None:
        return Material(corpus, by, None, vectors)
    vectors["universum_embeddings"] = of_universum(settings, examples, steps)
    return Material(corpus, by, examples.texts, vectors)


def read_by(settings: ClusterSettings) -> dict[str, Any]:
    """Return those settings that say how documents become texts."""
    return {name: getattr(settings, name) for name in READ}


def warn_of_unread(corpus: Corpus, what: str = "off-topic examples") -> None:
    """Warn of what could not be read: no table shows examples, and the one of documents stands at the end."""
    if corpus.skipped:
        found = reasons((skip.where, skip.reason) for skip in corpus.skipped)
        why = "; ".join(said for said, _ in all_in_words(found)[:_TOLD])
        more = f"; {counted(len(found) - _TOLD, 'more reason')}" if len(found) > _TOLD else ""
        said = f"{len(corpus.skipped):,} of the {what} were skipped: {why}{more}"
        warnings.warn(said, OutgroupWarning, stacklevel=2)


def called(docs: Place) -> str:
    """Return what a collection is called: the name of its file or folder, as far as it is text."""
    return "documents" if str(docs) == "-" else _stem(name_of(docs))


def name_of(place: Place) -> str:
    """Return the name of a file or folder, as far as it is text."""
    return as_text(place.name if isinstance(place, Address) else os.path.basename(os.path.abspath(place)))


def _stem(name: str) -> str:
    while name.lower().endswith(_SUFFIXES):
        name = name[: name.rindex(".")]
    return name or "documents"
