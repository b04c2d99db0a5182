"""What a job reads: documents, off-topic examples, and the vectors of both."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from typing import Any

from ..errors import OutgroupWarning
from ..places import Address, Place
from ..report.sentences.wording import counted
from ..text.reading.corpus import Corpus, read_corpus
from ..text.reading.reasons import reason_in_words, reasons
from .by_column import Chosen, choose
from .progress import Steps
from .settings.cluster import ClusterSettings
from .settings.options import as_text
from .vectors import embeddings, of_universum

READ = ("text", "id", "title", "no_title", "html", "strip")  # how documents become texts: the same for new documents
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
    ".ods",
    ".mbox",
    ".eml",
    ".txt",
    ".text",
    ".log",
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
    reading = reading_of(read_by(settings))
    corpus = read_corpus(settings.docs, label=settings.label, progress=steps.of("reading"), **reading)
    if len(corpus.skipped) > len(corpus):
        tell_of_skips(corpus, "documents")
    by = choose(corpus, settings.by, settings.label)
    vectors: dict[str, Any] = {}
    vectors["embeddings"] = embeddings(settings.embeddings, settings.encoder, settings.docs, corpus, steps)
    universum = None
    if settings.universum is not None:
        progress = steps.of("reading off-topic examples")
        examples = read_corpus(settings.universum, progress=progress, **without_roles(reading))
        tell_of_skips(examples)
        universum, vectors["universum_embeddings"] = examples.texts, of_universum(settings, examples, steps)
    return Material(corpus, by, universum, vectors)


def read_by(settings: ClusterSettings) -> dict[str, Any]:
    """Return those settings that say how documents become texts."""
    return {name: getattr(settings, name) for name in READ}


def reading_of(given: dict[str, Any]) -> dict[str, Any]:
    """Return settings as `read_corpus` takes them."""
    options = {name: str(value) for name, value in given.items() if name not in ("strip", "no_title")}
    return options | {"strip": _parts(str(given.get("strip", ""))), "join_title": given.get("no_title") is not True}


def _parts(given: str) -> list[str]:
    return [part.strip() for part in given.split(",") if part.strip()]


def without_roles(reading: dict[str, Any]) -> dict[str, Any]:
    """Return how to read another collection, whose documents need no ids and may have no titles."""
    return {name: value for name, value in reading.items() if name not in ("id", "title")}


def tell_of_skips(corpus: Corpus, what: str = "off-topic examples") -> None:
    """Warn of what could not be read: no table shows examples, and the one of documents stands at the end."""
    if corpus.skipped:
        found = reasons((skip.where, skip.reason) for skip in corpus.skipped)
        why = "; ".join(reason_in_words(*each) for each in found[:_TOLD])
        more = f"; {counted(len(found) - _TOLD, 'more reason')}" if len(found) > _TOLD else ""
        said = f"{len(corpus.skipped):,} of the {what} were skipped: {why}{more}"
        warnings.warn(said, OutgroupWarning, stacklevel=2)


def called(docs: Place) -> str:
    """Return what a collection is called: the name of its file or folder, as far as it is text."""
    return "documents" if str(docs) == "-" else _stem(name_of(docs))


def name_of(place: Place) -> str:
    """Return the name of a file or folder, as far as it is text."""
    return as_text(place.name if isinstance(place, Address) else os.path.basename(os.path.realpath(place)))


def _stem(name: str) -> str:
    while name.lower().endswith(_SUFFIXES):
        name = name[: name.rindex(".")]
    return name or "documents"
