"""What the options about embeddings make: a vector for each document of a run, or None.

The encoder is code. It is the one that the user names with this run, never one that a file names.
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

from ..errors import InputError, ModelError
from ..model import DocumentClustering
from ..places import Place
from ..text.encode import encoded, encoder_of
from ..text.reading.documents import Corpus
from ..text.reading.vectors import is_column, read_vectors
from ..types import Array
from .progress import Steps
from .settings.as_before import parameters_of


def embeddings(given: str | None, encoder: str | None, docs: Place, corpus: Corpus, steps: Steps) -> Array | None:
    """Return the vectors of a corpus: from a file or column, or by an encoder; None where neither is asked for.

    Raises InputError where both are, or what was asked for cannot be used.
    """
    if given is not None and encoder is not None:
        raise InputError("--embeddings are vectors and --encoder makes them; give one of the two")
    if given is not None:
        return read_vectors(given, docs, corpus)
    if encoder is None:
        return None
    steps("encoding")
    return _made(encoder, corpus)


def of_universum(settings: Any, corpus: Corpus, steps: Steps) -> Array | None:
    """Return the vectors of the off-topic examples, as `embeddings` does.

    Raises InputError where the documents have some and the examples have none.
    """
    given, docs = settings.universum_embeddings, settings.universum
    if given is None and settings.embeddings is not None:
        if not is_column(settings.embeddings, docs):
            raise InputError(
                "the documents have embeddings, so the off-topic examples need theirs: --universum-embeddings FILE.npy"
            )
        given = settings.embeddings
    return embeddings(given, settings.encoder, docs, corpus, steps)


def require_vectors(model: DocumentClustering, settings: Any, result: Path) -> None:
    """Raise InputError, before anything is read, where the groups of a model were found among embeddings, and the
    settings name no embeddings and no encoder; `result` is the folder whose record names the encoder of then."""
    width = model.representation_.width
    if width is None or settings.embeddings is not None or settings.encoder is not None:
        return
    try:
        encoder = parameters_of(result).get("encoder")
    except ModelError:
        encoder = None
    again = "give --embeddings or --encoder for these documents, too"
    if isinstance(encoder, str):
        again = f"these were made with --encoder {shlex.quote(encoder)}; give it again, for no file names code to run"
    raise InputError(f"the groups were found in embeddings of {width} columns; {again}")


def _made(encoder: str, corpus: Corpus) -> Array:
    """Return what the encoder says. Its package may lie in the current folder, if no installed one has that name."""
    here = str(Path.cwd())
    sys.path.append(here)
    try:
        vectors: Array = encoded(encoder_of(encoder), corpus.texts)
    finally:
        sys.path.remove(here)
    return vectors
