"""Whether a collection is read whole or in a stream: by the memory that a run may take."""

from __future__ import annotations

import re

from ..cli.options import option
from ..cli.result import RESULT
from ..cli.settings import AssignSettings, LargeSettings
from ..cluster.neighbour_average import are_short
from ..cluster.profile import numbers
from ..errors import InputError
from ..readers.inputs import Extent, extent
from ..report.sentences import counted
from ..rows.wrappers import MOST_SAMPLED
from ..storage.atomic import restore
from .counting import fields_of

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_SIZE = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,3})?) ?([kmgt]?)i?b?", re.IGNORECASE)
_ALWAYS = 300_000_000  # libraries and what does not grow
_A_BYTE = 8  # of text takes so many in memory, with its rows, titles and ids
_AVERAGED = 85  # the same where rows are averaged with their neighbours
_A_SCORE = 45  # bytes of a document for each group: scores, of which summing up makes some more
_A_NEW_SCORE = 16  # the same of a document that is put into groups that stand
_WORD = 10  # bytes of text for a word that was not there before, at least
_A_KNOWN_WORD = 16  # bytes of text for a word that becomes a column
_NOT_STREAMED = (
    "embeddings",
    "encoder",
    "universum_embeddings",
    "from_",
    "steer",
    "phrases",
    "by",
    "device",
    "with_text",
)

_NO_SHEET = "what is read in a stream may have more documents than a sheet of Excel has rows: ask for {}"
_A_STREAM = 400_000_000  # words that are counted, and a shard or two: of large collections
_A_STREAMED_BYTE = 20  # of text takes so many there, of small ones
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
    if settings.cluster is None and _fits(settings):
        return False
    unfit = [option(name) for name in _NOT_STREAMED if getattr(settings, name)]
    unfit += [option("neighbours")] if settings.neighbours not in ("auto", "0") else []
    if unfit:
        where = "lie on the workers" if settings.cluster else f"do not fit into --memory {settings.memory}"
        need, them = ("needs", "it") if len(unfit) == 1 else ("need", "them")
        raise InputError(f"{' and '.join(unfit)} {need} all documents at once, and these {where}; leave {them} out")
    if settings.table == "xlsx":
        raise InputError(_NO_SHEET.format("--table csv"))
    if settings.cluster is None:
        _check_memory(settings)
    return True


def streams_new(settings: AssignSettings) -> bool:
    """Return whether new documents are read by workers, or take more memory than they may when all are held at once."""
    if settings.cluster is None and (settings.memory is None or _fits_new(settings)):
        return False
    if settings.embeddings is not None or settings.encoder is not None:
        unfit = "--memory" if settings.cluster is None else "--cluster"
        raise InputError(f"--embeddings and --encoder need all documents at once; leave {unfit} out")
    if settings.table == "xlsx":
        raise InputError(_NO_SHEET.format("an --out that ends in .csv"))
    return True


def needed(settings: LargeSettings, n: int = 0) -> int:
    """Return the bytes that a stream of n documents takes at most, about: less where the input is small."""
    found, k = extent(settings.docs, fields_of(settings)), most_groups(settings)
    grows = _A_STREAM if found is None else min(_A_STREAM, _A_STREAMED_BYTE * found.size)
    return _ALWAYS + grows + _SUMS * 8 * k * _words(settings, found) + _A_ROW * n


def _words(settings: LargeSettings, found: Extent | None) -> int:
    """Return how many words become columns at most."""
    return settings.max_features if found is None else min(settings.max_features, found.size // _WORD)


def most_groups(settings: LargeSettings) -> int:
    """Return how many groups may be looked for at most."""
    return settings.k if isinstance(settings.k, int) else numbers(settings.k, _MANY)[-1]


def checks_trust(settings: LargeSettings) -> bool:
    """Return whether a stream looks how often its groups are found again among a sample of the documents."""
    return not settings.quick and _FEWEST * most_groups(settings) <= MOST_SAMPLED


def _fits(settings: LargeSettings) -> bool:
    """Return whether a run takes no more memory than it may when all documents are held at once."""
    whole = _at_once(settings)
    return whole is not None and whole <= bytes_of(str(settings.memory))


def _at_once(settings: LargeSettings) -> int | None:
    """Return the bytes that a run takes when all documents are held at once, None where nobody knows them."""
    found, k = extent(settings.docs, fields_of(settings)), most_groups(settings)
    if found is None:
        return None
    fitted = _A_BYTE * found.size + k * (_A_SCORE * found.documents + 8 * _SUMS * _words(settings, found))
    short = settings.neighbours != "0" and are_short(found.documents, found.size / _A_KNOWN_WORD)
    return _ALWAYS + max(fitted, _AVERAGED * found.size if short else 0)


def _fits_new(settings: AssignSettings) -> bool:
    """Return whether putting new documents into groups takes no more memory than it may, all of them at once."""
    from ..cli.assign import loaded  # which a run of `cluster` needs nothing of
    from .new_documents import Assigner

    restore(settings.model, RESULT)
    assigner = Assigner.of(settings)
    found, model = extent(settings.docs, assigner.fields), loaded(assigner.folder)
    if found is None:
        return False
    scores = _A_BYTE * found.size + _A_NEW_SCORE * found.documents * model.clusterer_.groups
    averaged = _AVERAGED * found.size if model.neighbours_ else 0
    return _ALWAYS + max(scores, averaged) <= bytes_of(str(settings.memory))


def _check_memory(settings: LargeSettings) -> None:
    """Raise InputError, which says how much is needed, where a stream takes more than it may."""
    streamed, whole = needed(settings), _at_once(settings)
    if streamed <= bytes_of(str(settings.memory)):
        return
    least = f"{_in_words(streamed)} in a stream"
    if whole is not None and whole < streamed:
        least = f"{_in_words(whole)}, all of them at once"
    k, words = most_groups(settings), settings.max_features
    raise InputError(
        f"--memory {settings.memory} is too little: these documents take {least}, with {counted(k, 'group')} of up to "
        f"{words:,} words (-k, --max-features); give that"
    )


def _in_words(size: int) -> str:
    """Return a size as `--memory` takes it, rounded up.

    >>> _in_words(301_234_567)
    '0.31G'
    """
    return f"{-(-size // 10**7) / 100:.2f}G"
