"""What the options about embeddings make: a vector for each document of a run, or None."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..places import Place
from ..text.encode import encoded, encoder_of
from ..text.reading.documents import Corpus
from ..text.reading.vectors import is_column, read_vectors
from ..types import Array
from .progress import Steps


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


def _made(encoder: str, corpus: Corpus) -> Array:
    """Return what the encoder says; its package may lie in the current folder, as with `python -m`."""
    sys.path.insert(0, str(Path.cwd()))
    try:
        vectors: Array = encoded(encoder_of(encoder), corpus.texts)
    finally:
        sys.path.pop(0)
    return vectors
