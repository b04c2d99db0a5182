"""Whether a collection is read whole or in a stream: by the memory that a run may take."""

from __future__ import annotations

import re

from ...cluster.profile import numbers
from ...errors import InputError, OutgroupError
from ...places import Place, every_file
from ...rows.sample import MOST_SAMPLED
from ...text.reading.source import file_source, kind_of
from ..later_settings import AssignSettings
from ..options import option
from ..settings import LargeSettings

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_SIZE = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,3})?) ?([kmgt]?)i?b?", re.IGNORECASE)
_UNPACKED = {".gz": 4, ".xz": 5, ".zst": 5, ".zip": 4, ".parquet": 3}  # bytes of text for one of the file
_ALWAYS = 300_000_000  # libraries and what does not grow
_A_BYTE = 8  # of text takes so many in memory, with its rows, titles and ids
_A_SCORE = 45  # bytes of a document for each group: scores, of which summing up makes some more
_SHORT = 250  # bytes of a document, where nobody tells: thirty words
_WORD = 10  # bytes of text for a word that was not there before, at least
_HEAD = 1 << 20  # bytes that tell how long the lines of a file are
_OF_LINES = (".jsonl", ".ndjson", ".csv", ".tsv")
_NOT_STREAMED = ("embeddings", "encoder", "universum_embeddings", "from_", "steer", "phrases", "by", "device")

_A_STREAM = 700_000_000  # libraries, words that are counted, and a shard or two
_SUMS = 40  # arrays of groups by words that a fit holds at a time, 8 bytes a number
_MANY = 1 << 40  # documents, of which any number of groups can be tried
_FEWEST = 8  # rows of a sample in a group: fewer do not tell whether it is found again
_A_ROW = 30  # bytes: labels, weights and scores of one document


def bytes_of(size: str) -> int:
    """Return a size such as "4G" in bytes; raises InputError for anything else.

    >>> bytes_of("4G"), bytes_of("1.5 GB"), bytes_of("700m")
    (4000000000, 1500000000, 700000000)
    """
    found = _SIZE.fullmatch(size.strip())
    if found is None or not float(found[1]):
        raise InputError(f"--memory {size!r:.40} is no size; give one such as 4G or 800M")
    return int(float(found[1]) * _UNITS[found[2].lower()])


def streams(settings: LargeSettings) -> bool:
    """Return whether a run takes more memory than it may when all texts are held at once.

    Raises InputError where it would, and something was asked for that needs all of them; or for too little memory.
    """
    if settings.memory is None and settings.cluster is None:
        if settings.resume:
            raise InputError("--resume goes on with a run that had --memory or --cluster; give it again")
        return False
    groups, words = most_groups(settings), settings.max_features
    if settings.cluster is None and _fits(settings.docs, str(settings.memory), groups, words):
        return False
    if settings.cluster is None:
        _check_memory(settings)
    unfit = [option(name) for name in _NOT_STREAMED if getattr(settings, name)]
    unfit += [option("neighbours")] if settings.neighbours not in ("auto", "0") else []
    if unfit:
        where = "lie on the workers" if settings.cluster else f"do not fit into --memory {settings.memory}"
        raise InputError(f"{' and '.join(unfit)} need all documents at once, and these {where}; leave them out")
    return True


def streams_new(settings: AssignSettings) -> bool:
    """Return whether new documents are read by workers, or take more memory than they may when all are held at once."""
    if settings.cluster is None and (settings.memory is None or _fits(settings.docs, settings.memory)):
        return False
    if settings.embeddings is not None or settings.encoder is not None:
        unfit = "--memory" if settings.cluster is None else "--cluster"
        raise InputError(f"--embeddings and --encoder need all documents at once; leave {unfit} out")
    return True


def needed(settings: LargeSettings, n: int = 0) -> int:
    """Return the bytes that a stream of n documents takes at most, about."""
    return _A_STREAM + _SUMS * 8 * most_groups(settings) * settings.max_features + _A_ROW * n


def most_groups(settings: LargeSettings) -> int:
    """Return how many groups may be looked for at most."""
    return settings.k if isinstance(settings.k, int) else numbers(settings.k, _MANY)[-1]


def checks_trust(settings: LargeSettings) -> bool:
    """Return whether a stream looks how often its groups are found again among a sample of the documents."""
    return not settings.quick and _FEWEST * most_groups(settings) <= MOST_SAMPLED


def _fits(docs: Place, memory: str, groups: int = 0, most_words: int = 0) -> bool:
    limit, size = bytes_of(memory), _text_size(docs)
    if size is None:
        return False
    a_group = _A_SCORE * size // _a_document(docs, size) + 8 * _SUMS * min(most_words, size // _WORD)
    return _ALWAYS + _A_BYTE * size + groups * a_group <= limit


def _a_document(docs: Place, size: int) -> int:
    """Return how many of the `size` bytes of text one document has, about: by lines or files, where there are some."""
    if docs.is_dir():
        return max(size // max(len(every_file(docs)), 1), 1)
    try:
        source = file_source(docs)
        if source.kind in _OF_LINES:
            with source.open() as stream:
                head = stream.read(_HEAD)
            return max(len(head) // max(head.count(b"\n"), 1), 1)
    except (OSError, OutgroupError):
        pass  # reading it says why
    return _SHORT


def _check_memory(settings: LargeSettings) -> None:
    least, k = needed(settings), most_groups(settings)
    if least > bytes_of(str(settings.memory)):
        raise InputError(
            f"--memory {settings.memory} is too little: {k} groups of {settings.max_features:,} words take "
            f"{-(-least // 10**7) / 100:.2f}G in a stream; give that, or fewer of either"
        )


def _text_size(docs: Place) -> int | None:
    """Return the bytes of text behind a path, about; None for what cannot be looked at before it is read."""
    if str(docs) == "-":
        return None
    return sum(map(_unpacked, every_file(docs)))


def _unpacked(path: Place) -> int:
    try:
        size = path.stat().st_size
    except OSError:
        return 0  # reading it says why
    kind, packing = kind_of(path.name)
    return size * _UNPACKED.get(packing, 1) * _UNPACKED.get(kind, 1)
