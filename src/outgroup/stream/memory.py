"""Estimate the memory of a run and choose between reading in memory and streaming."""

from __future__ import annotations

import re
from pathlib import Path

from ..cli.material import with_earlier_options
from ..cli.options import named_encoder, option
from ..cli.result import RESULT
from ..cli.settings import AssignSettings, LargeSettings
from ..cluster.neighbour_average import are_short
from ..cluster.profile import numbers
from ..errors import InputError, counted
from ..readers.inputs import Extent, extent
from ..readers.vectors import is_column
from ..rows.wrappers import MOST_SAMPLED
from ..storage.atomic import restore
from ..text.embeddings import mapped_vectors
from .counting import fields_of

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_SIZE = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,3})?) ?([kmgt]?)i?b?", re.IGNORECASE)
_ALWAYS = 300_000_000  # libraries and constant parts
_A_BYTE = 8  # bytes of memory per byte of text, with rows, titles and ids
_AVERAGED = 85  # the same with averaged neighbours
_A_NUMBER = 12  # bytes per number of the embeddings: unit rows, in order, and averaged
_A_SCORE = 45  # bytes per document and group: scores and their summary
_A_NEW_SCORE = 16  # the same for new documents
_WORDS = 20_000  # of the vocabulary, as Vectorizer keeps
_WORD = 10  # bytes of text per new word, at least
_A_KNOWN_WORD = 16  # bytes of text per word in the vocabulary
_NOT_STREAMED = (
    "codebook",
    "by",
    "weight",
    "redact",
    "device",
    "with_text",
    "levels",
    "multi",
    "namer",
)

_NO_SHEET = "a stream may exceed the rows of an Excel sheet: use {}"
_A_STREAM = 400_000_000  # term counts and one or two shards of a large collection
_A_STREAMED_BYTE = 20  # bytes of memory per byte of text in a small collection
_SUMS = 40  # arrays of shape (groups, words) during a fit, 8 bytes per entry
_MANY = 1 << 40  # documents; allows any number of groups
_FEWEST = 8  # sampled rows per group for a reliable trust
_A_ROW = 30  # bytes per document: labels, weights and scores


def bytes_of(size: str) -> int:
    """Parse a size such as "4G"; raise InputError if it is invalid.

    >>> bytes_of("4G"), bytes_of("1.5 GB"), bytes_of("700m")
    (4000000000, 1500000000, 700000000)
    """
    found = _SIZE.fullmatch(size.strip())
    if found is None or not float(found[1]):
        raise InputError(f"{size!r:.40} is not valid for --memory: give a size such as 4G or 800M")
    return int(float(found[1]) * _UNITS[found[2].lower()])


def streams(settings: LargeSettings) -> bool:
    """Return whether to stream: --cluster is given, or the texts exceed --memory.

    Raises InputError for options that streaming does not support, or for too little memory.
    """
    if settings.memory is None and settings.cluster is None:
        if settings.resume:
            raise InputError("--resume needs --memory or --cluster, as in the interrupted run")
        return False
    settings = settings if settings.from_ is None else with_earlier_options(settings)
    whole = _at_once(settings) if settings.cluster is None else None
    if whole is not None and whole <= bytes_of(str(settings.memory)):
        return False
    unfit = [option("encoder")] if named_encoder(settings.encoder) else []
    unfit += [option(name) for name in _NOT_STREAMED if getattr(settings, name)]
    if settings.embeddings is not None and is_column(settings.embeddings, settings.docs):
        raise InputError(
            "--embeddings is a column, which cannot be streamed: give a .npy file or a folder of .npy files"
        )
    unfit += [option("outliers")] if settings.outliers != "none" else []
    if unfit:
        where = "are on the workers" if settings.cluster else f"do not fit into --memory {settings.memory}"
        need, them = ("needs", "it") if len(unfit) == 1 else ("need", "them")
        raise InputError(f"{' and '.join(unfit)} {need} all documents in memory, but these {where}: omit {them}")
    if settings.table in ("xlsx", "csv-excel", "sav"):
        raise InputError(_NO_SHEET.format("--table csv"))
    if settings.cluster is None:
        _check_memory(settings, whole)
    return True


def streams_new(settings: AssignSettings) -> bool:
    """Return whether to stream new documents: --cluster is given, or they exceed --memory."""
    if settings.cluster is None and (settings.memory is None or _fits_new(settings)):
        return False
    if settings.embeddings is not None or named_encoder(settings.encoder) is not None:
        unfit = "--memory" if settings.cluster is None else "--cluster"
        raise InputError(f"--embeddings and --encoder need all documents in memory: omit {unfit}")
    if settings.table == "xlsx":
        raise InputError(_NO_SHEET.format("an --out that ends in .csv"))
    return True


def needed(settings: LargeSettings, n: int = 0) -> int:
    """Estimate the bytes of memory to stream n documents."""
    found, k = extent(settings.docs, fields_of(settings)), most_groups(settings)
    grows = _A_STREAM if found is None else min(_A_STREAM, _A_STREAMED_BYTE * found.size)
    return _ALWAYS + grows + _SUMS * 8 * k * _words(settings, found) + _A_ROW * n


def _words(settings: LargeSettings, found: Extent | None) -> int:
    """Return the maximum size of the vocabulary."""
    return _WORDS if found is None else min(_WORDS, found.size // _WORD)


def most_groups(settings: LargeSettings) -> int:
    """Return the maximum number of groups."""
    return settings.k if isinstance(settings.k, int) else numbers(settings.k, _MANY)[-1]


def checks_trust(settings: LargeSettings) -> bool:
    """Return whether the sample is large enough to compute trust."""
    return not settings.quick and _FEWEST * most_groups(settings) <= MOST_SAMPLED


def _at_once(settings: LargeSettings) -> int | None:
    """Estimate the bytes of memory for a run without streaming; None if the size of the input is unknown."""
    found, k = extent(settings.docs, fields_of(settings)), most_groups(settings)
    if found is None:
        return None
    fitted = _A_BYTE * found.size + k * (_A_SCORE * found.documents + 8 * _SUMS * _words(settings, found))
    short = are_short(found.documents, found.size / _A_KNOWN_WORD)
    if settings.embeddings is not None and not is_column(settings.embeddings, settings.docs):
        n, d = mapped_vectors(Path(settings.embeddings)).shape
        fitted, short = fitted + _A_NUMBER * n * d, False
    return _ALWAYS + max(fitted, _AVERAGED * found.size if short else 0)


def _fits_new(settings: AssignSettings) -> bool:
    """Return whether all new documents fit into --memory."""
    from ..cli.assign import loaded  # not needed by `cluster`
    from .new_documents import Assigner

    restore(settings.model, RESULT)
    assigner = Assigner.of(settings)
    found, model = extent(settings.docs, assigner.fields), loaded(assigner.folder)
    if found is None:
        return False
    scores = _A_BYTE * found.size + _A_NEW_SCORE * found.documents * model.clusterer_.groups
    averaged = _AVERAGED * found.size if model.neighbours_ else 0
    return _ALWAYS + max(scores, averaged) <= bytes_of(str(settings.memory))


def _check_memory(settings: LargeSettings, whole: int | None) -> None:
    """Raise InputError, with the required size, if even a stream exceeds --memory; `whole` is the size without a
    stream.
    """
    streamed = needed(settings)
    if streamed <= bytes_of(str(settings.memory)):
        return
    least = f"{_in_words(streamed)} for streaming"
    if whole is not None and whole < streamed:
        least = f"{_in_words(whole)} without streaming"
    k = most_groups(settings)
    raise InputError(
        f"--memory {settings.memory} is too small: these documents need {least}, with {counted(k, 'group')} of up to "
        f"{_WORDS:,} words (-k); increase --memory"
    )


def _in_words(size: int) -> str:
    """Format a size for `--memory`, rounded up.

    >>> _in_words(301_234_567)
    '0.31G'
    """
    return f"{-(-size // 10**7) / 100:.2f}G"
