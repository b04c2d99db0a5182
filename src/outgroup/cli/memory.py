"""Estimate the memory of a run, and choose where its arrays live: in memory or in files."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from ..cluster.neighbour_average import are_short
from ..cluster.profile import numbers
from ..errors import InputError, counted
from ..places import Place, every_file
from ..readers.corpus import reading_of
from ..readers.fields import Fields
from ..readers.inputs import Extent, extent
from ..readers.vectors import is_column
from ..rows.wrappers import MOST_SAMPLED
from ..text.embeddings import mapped_vectors
from .settings import ClusterSettings

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_SIZE = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,3})?) ?([kmgt]?)i?b?", re.IGNORECASE)
_ALWAYS = 300_000_000  # libraries and constant parts
_A_BYTE = 8  # bytes of memory per byte of text, with rows, titles and ids
_AVERAGED = 85  # the same with averaged neighbours
_A_NUMBER = 12  # bytes per number of the embeddings: unit rows, in order, and averaged
_A_SCORE = 45  # bytes per document and group: scores and their summary
_WORDS = 20_000  # of the vocabulary, as Vectorizer keeps
_WORD = 10  # bytes of text per new word, at least
_A_KNOWN_WORD = 16  # bytes of text per word in the vocabulary
_STORED = 400_000_000  # term counts and one or two parts of a large collection
_A_STORED_BYTE = 20  # bytes of memory per byte of text in a small collection
_SUMS = 40  # arrays of shape (groups, words) during a fit, 8 bytes per entry
_MANY = 1 << 40  # documents; allows any number of groups
_FEWEST = 8  # sampled rows per group for a reliable trust
_A_ROW = 30  # bytes per document: labels, weights and scores


def bytes_of(size: str) -> int:
    """Parse a size such as "4G"; raise InputError if it is invalid.

    >>> bytes_of("4G"), bytes_of("1.5 GB"), bytes_of("700m")
    (4000000000, 1500000000, 700000000)
    """
    match = _SIZE.fullmatch(size.strip())
    if match is None or not float(match[1]):
        raise InputError(f"{size!r:.40} is not valid for --memory: give a size such as 4G or 800M")
    return int(float(match[1]) * _UNITS[match[2].lower()])


def in_files(settings: ClusterSettings) -> bool:
    """Return whether the arrays of a run with --memory, --cluster or --resume live in files.

    Raises InputError for too little memory.
    """
    if settings.memory is None and settings.cluster is None:
        raise InputError("--resume needs --memory or --cluster, as in the interrupted run")
    in_memory = _at_once(settings) if settings.cluster is None else None
    if in_memory is not None and in_memory <= bytes_of(str(settings.memory)):
        return False
    column = settings.embeddings is not None and is_column(settings.embeddings, settings.docs)
    refused = {"--labels": settings.labels, "--embeddings COLUMN": column, "--device": settings.device}
    for name in [name for name, is_set in refused.items() if is_set]:
        raise InputError(f"{name} needs all documents in memory: omit it, omit --cluster, or increase --memory")
    if settings.cluster is None:
        _check_memory(settings, in_memory)
    return True


def fields_of(settings: ClusterSettings) -> Fields:
    """Return the fields of a record by role."""
    return Fields(label=settings.label, **reading_of(vars(settings)))


def identity(docs: Place) -> list[int]:
    """Return a fingerprint of an input: number of files, total size and modification times; [] for a pipe."""
    if str(docs) == "-":
        return []
    stats = []
    for path in every_file(docs):
        with suppress(OSError):  # reading raises the error
            stats.append(path.stat())
    return [len(stats), sum(status.st_size for status in stats), sum(status.st_mtime_ns for status in stats)]


def needed(settings: ClusterSettings, n: int = 0) -> int:
    """Estimate the bytes of memory of n documents in files."""
    size_of_input, k = extent(settings.docs, fields_of(settings), _STORED // _A_STORED_BYTE), most_groups(settings)
    grows = _STORED if size_of_input is None else min(_STORED, _A_STORED_BYTE * size_of_input.size)
    return _ALWAYS + grows + _SUMS * 8 * k * _words(size_of_input) + _A_ROW * n


def _words(size: Extent | None) -> int:
    """Return the maximum size of the vocabulary."""
    return _WORDS if size is None else min(_WORDS, size.size // _WORD)


def most_groups(settings: ClusterSettings) -> int:
    """Return the maximum number of groups."""
    return settings.k if isinstance(settings.k, int) else numbers(settings.k, _MANY)[-1]


def checks_trust(settings: ClusterSettings) -> bool:
    """Return whether the sample is large enough to compute trust."""
    return not settings.quick and _FEWEST * most_groups(settings) <= MOST_SAMPLED


def _at_once(settings: ClusterSettings) -> int | None:
    """Estimate the bytes of memory for a run in memory; None if the size of the input is unknown."""
    k, most_text = most_groups(settings), bytes_of(str(settings.memory)) // _A_BYTE
    size = extent(settings.docs, fields_of(settings), most_text)
    if size is None:
        return None
    fitted = _A_BYTE * size.size + k * (_A_SCORE * size.documents + 8 * _SUMS * _words(size))
    short = are_short(size.documents, size.size / _A_KNOWN_WORD)
    if settings.embeddings is not None and not is_column(settings.embeddings, settings.docs):
        n, d = mapped_vectors(Path(settings.embeddings)).shape
        fitted, short = fitted + _A_NUMBER * n * d, False
    return _ALWAYS + max(fitted, _AVERAGED * size.size if short else 0)


def _check_memory(settings: ClusterSettings, in_memory: int | None) -> None:
    """Raise InputError, with the required size, if even files exceed --memory; `in_memory` is the size without
    files.
    """
    least, where = needed(settings), "in files"
    if least <= bytes_of(str(settings.memory)):
        return
    if in_memory is not None and in_memory < least:
        least, where = in_memory, "in memory"
    raise InputError(
        f"--memory {settings.memory} is too small: these documents need {-(-least // 10**7) / 100:.2f}G {where}, with "
        f"{counted(most_groups(settings), 'group')} of up to {_WORDS:,} words (-k); increase --memory"
    )
