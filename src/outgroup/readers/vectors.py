"""Read the embeddings of a collection from NumPy files, or from a column of its Parquet file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError
from ..places import Place
from ..text.embeddings import mapped_vectors
from ..types import Array
from .documents import Corpus
from .parquet import parquet_file
from .source import file_source


def read_vectors(name: str, documents: Place, corpus: Corpus) -> Array:
    """Return the vectors of documents, (n, d), in the dtype of the file; a NumPy file is memory-mapped.

    Parameters
    ----------
    name : str
        A `.npy` file with one row per document of the input, in order, skipped documents included, or a folder of such
        files, one after another in the order of their names. Or the name of a column of `documents`, which must be a
        Parquet file.
    documents : path or address
        The input of the corpus.
    corpus : Corpus

    Raises
    ------
    InputError
        The file or column is missing or holds no vectors (pickled content is never loaded), its length differs from
        that of the documents, or a document has no vector.
    MissingExtraError
        A column is requested, and pyarrow is not installed.
    """
    if is_column(name, documents):
        vectors, name = _column(documents, name), f"the column {name!r}"
    else:
        vectors = mapped_vectors(Path(name))
    require_rows(vectors, corpus.n_input, corpus.n_input - len(corpus), name)
    if corpus.rows == list(range(len(vectors))):
        return vectors
    taken = np.asarray(vectors[corpus.rows])
    wrong = np.flatnonzero(~np.isfinite(taken).all(axis=1))
    if len(wrong):
        which = f"row {corpus.rows[wrong[0]]} of {name}, the vector of {corpus.ids[wrong[0]]!r},"
        raise InputError(f"{which} contains NaN or infinity: correct it, or remove the document")
    return taken


def is_column(name: str, documents: Place) -> bool:
    """Return whether `name` names a column of a Parquet file, rather than a NumPy file or a folder."""
    in_files = Path(name).suffix.lower() == ".npy" or Path(name).is_dir()
    return documents.suffix.lower() == ".parquet" and not in_files


def require_rows(vectors: Any, n: int, skipped: int, name: str) -> None:
    """Raise InputError unless there is a vector for each of `n` documents of the input, skipped documents included."""
    if vectors.shape[0] != n:
        some = f" ({skipped} of them skipped)" if skipped else ""
        raise InputError(
            f"{name} has {vectors.shape[0]} rows for {n} documents{some}; give a row per document in the same order"
        )


def _column(path: Place, name: str) -> Array:
    """Return a Parquet column of number lists as an array, (n, d)."""
    with parquet_file(file_source(path)) as file:
        from pyarrow import types

        names, schema = file.schema_arrow.names, file.schema_arrow
        if name not in names:
            listed = ", ".join(field.name for field in schema if types.is_nested(field.type)) or "none"
            raise InputError(
                f"{path} has no column {name!r}; columns with vectors: {listed}. Give one of these, or a .npy file"
            )
        values = file.read(columns=[name]).column(name).combine_chunks()
    kind = values.type
    lists = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
    if not lists or not (types.is_floating(kind.value_type) or types.is_integer(kind.value_type)):
        raise InputError(f"the column {name!r} contains {kind}, not vectors; give a column with lists of numbers")
    lengths = np.asarray(values.value_lengths().fill_null(-1)) if len(values) else np.zeros(0, dtype=int)
    odd = np.flatnonzero(lengths != (lengths[0] if len(lengths) else 0))
    if values.null_count or len(odd):
        row = int(np.flatnonzero(lengths < 0)[0]) if values.null_count else int(odd[0])
        fault = "no vector" if values.null_count else f"length {lengths[row]}, row 1 has length {lengths[0]}"
        raise InputError(f"row {row + 1} of the column {name!r} has {fault}; give each row a vector of the same length")
    return np.asarray(values.flatten().to_numpy(zero_copy_only=False)).reshape(len(values), -1)
