"""Embeddings: compute them with an encoder, and validate those that users pass."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError, MissingExtraError, installing, warn
from ..places import require_whole
from ..types import Array

Encode = Callable[[list[str]], Any]


def encoder_of(encoder: Any) -> Encode:
    """Return a function that maps a list of texts to vectors.

    Parameters
    ----------
    encoder : callable, object or str
        A callable list -> array; an object with `encode(texts)` (sentence-transformers, model2vec) or
        `embed_documents(texts)` (LangChain); "package:object", the name of one of these; or the folder or hub name of a
        model of sentence-transformers that is on this machine, or of a static model for model2vec (extra `embeddings`),
        downloaded only if it is not a folder.

    Raises
    ------
    InputError
        The name does not exist, or the object has none of these forms.
    MissingExtraError
        A static model is requested, and model2vec is not installed.
    """
    if isinstance(encoder, str):
        encoder = _imported(encoder) if ":" in encoder else _named_model(encoder)
    for verb in ("encode", "embed_documents"):
        if callable(getattr(encoder, verb, None)):
            return getattr(encoder, verb)
    if callable(encoder):
        return encoder
    raise InputError(
        f"{encoder!r:.60} is not an encoder: give a function that takes a list of texts, an object with encode(texts), "
        'or "package:object"'
    )


def encoded(encode: Encode, texts: Sequence[str]) -> Any:
    """Return the encoder's result; raise InputError, with the original message, if it fails."""
    try:
        vectors = encode(list(texts))
    except Exception as error:  # user code may raise any exception
        raise InputError(f"the encoder failed on {len(texts)} texts: {type(error).__name__}: {error}") from error
    if vectors is None:  # None means "no embeddings" to callers
        raise InputError("the encoder returned None; it must return an array with a row per text")
    return vectors


def unit_vectors(vectors: Any, n: int, name: str, width: int | None = None) -> Array:
    """Scale vectors to unit length, (n, d) float32, or float64 if given as such; zero rows stay zero.

    Parameters
    ----------
    vectors : array of shape (n, d), or path
        Any real dtype; it may be a memory-mapped file. Or the path of a `.npy` file, or of a folder of them.
    n : int
        Number of texts.
    name : str
        The name of the argument in messages.
    width : int, optional
        The d of the fitted model.

    Raises
    ------
    InputError
        It is not an array of numbers with n rows and `width` columns, or holds NaN or infinity.
    """
    vectors = _numbers(vectors, name)
    if vectors.shape[0] != n:
        raise InputError(f"{name} has {vectors.shape[0]} rows for {n} texts; give one row per text, in order")
    if width is not None and vectors.shape[1] != width:
        raise InputError(
            f"{name} has {vectors.shape[1]} columns, but the model was fitted with {width}: use the same encoder"
        )
    unit = np.empty(vectors.shape, dtype=unit_dtype(vectors))
    block = 1 << 16  # rows: the vectors may be a file larger than memory
    for start in range(0, n, block):
        rows = slice(start, start + block)
        unit[rows] = unit_block(vectors, rows, name)
    return unit


def unit_dtype(vectors: Any) -> Any:
    """Return the dtype of unit vectors: float64 for float64 input, else float32."""
    return np.dtype(np.float64 if vectors.dtype == np.float64 else np.float32)


def unit_block(vectors: Any, rows: slice, name: str) -> Array:
    """Scale some vectors to unit length; raise InputError for NaN or infinity, and for a file that was cut short."""
    part = vectors[rows]
    require_whole(part, name)
    block = part.astype(unit_dtype(vectors))
    bad = np.flatnonzero(~np.isfinite(block).all(axis=1))
    if len(bad):
        what = "NaN" if np.isnan(block[bad[0]]).any() else "infinity (too large for its type?)"
        raise InputError(f"{name}: row {rows.start + int(bad[0])} contains {what}: correct it, or remove the document")
    # Scale first: squares of tiny or huge numbers underflow or overflow.
    largest = np.abs(block).max(axis=1, keepdims=True, initial=0)
    block = block / np.where(largest > 0, largest, 1)
    length = np.sqrt(np.einsum("ij,ij->i", block, block))[:, None]
    return np.asarray(block / np.where(length > 0, length, 1))


def _numbers(vectors: Any, name: str) -> Any:
    if isinstance(vectors, str | os.PathLike):
        vectors = mapped_vectors(Path(vectors))
    if isinstance(vectors, VectorShards):  # it stays on disk
        return vectors
    if hasattr(vectors, "toarray"):
        raise InputError(f"{name} is a sparse matrix: give a dense array, or fit an estimator on the matrix")
    vectors = _stacked(vectors, name)
    if vectors.ndim != 2 or vectors.shape[1] == 0 or vectors.dtype.kind not in "iuf":
        raise InputError(
            f"{name} has shape {vectors.shape} and type {vectors.dtype}; give an array of numbers with a row per text"
        )
    return vectors


def _stacked(vectors: Any, name: str) -> Array:
    """Return vectors as an array; a column or list of lists, arrays or tensors is stacked."""
    vectors = [_in_memory(row) for row in vectors] if isinstance(vectors, list | tuple) else _in_memory(vectors)
    try:
        vectors = np.asarray(vectors)
        if vectors.dtype == object and vectors.ndim == 1 and all(hasattr(row, "__len__") for row in vectors):
            return np.array([np.asarray(row) for row in vectors])
        return vectors
    except ValueError as error:
        raise InputError(
            f"{name} is not an array, because its rows differ in length: give vectors of the same length"
        ) from error


def _in_memory(tensor: Any) -> Any:
    """Convert a PyTorch tensor to a NumPy-compatible tensor in main memory, and fill a masked array with NaN."""
    if isinstance(tensor, np.ma.MaskedArray):
        return np.ma.filled(tensor.astype(np.result_type(tensor, np.float32)), np.nan)
    if not hasattr(tensor, "detach"):
        return tensor
    tensor = tensor.detach().cpu()
    return tensor.float() if tensor.is_floating_point() and tensor.element_size() < 4 else tensor


def _imported(name: str) -> Any:
    module, _, attribute = name.partition(":")
    try:
        encoder: Any = import_module(module)
        for part in attribute.split("."):
            encoder = getattr(encoder, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError(f"there is no encoder {name!r}: {error}; give it as package:object") from error
    return encoder() if isinstance(encoder, type) else encoder


def _named_model(name: str) -> Any:
    """Load a model by folder or Hugging Face name: with sentence-transformers if it is on this machine, else
    model2vec.
    """
    model = _sentence_model(name)
    return _static_model(name) if model is None else model


def _sentence_model(name: str) -> Any:
    """Return a local model of sentence-transformers; None if library or model is missing. It never downloads."""
    if Path(name).is_dir() and not (Path(name) / "modules.json").is_file():
        return None
    try:
        from sentence_transformers import SentenceTransformer

        return SentenceTransformer(name, local_files_only=True, model_kwargs={"use_safetensors": True})
    except Exception:  # the library or the model is missing, or the model has another format
        return None


def _static_model(name: str) -> Any:
    try:
        from model2vec import StaticModel
    except ImportError as error:
        raise MissingExtraError(
            f"the static model {name!r} needs model2vec ({installing('embeddings')}), a sentence model needs pip "
            "install sentence-transformers; or give package:object"
        ) from error
    is_local = Path(name).is_dir()
    if not is_local:
        warn(f"{name} is not a local folder; it is downloaded from the Hugging Face Hub")
    try:
        return StaticModel.from_pretrained(name)
    except Exception as error:  # a missing folder, a hub that cannot be reached, a broken file
        advice = "" if is_local else ": check the connection and the name, or give a folder"
        raise InputError(f"cannot load the static model {name!r}: {error}{advice}") from error


# --- Vectors in NumPy files, memory-mapped


class VectorShards:
    """Several arrays as one, (n, d), for example memory-mapped files; it copies only requested rows.

    >>> shards = VectorShards([np.eye(2, dtype=np.float16), np.zeros((1, 2), dtype=np.float32)])
    >>> shards.shape, shards.dtype.name, shards[1:3].tolist(), shards[[2, 0]].tolist()
    ((3, 2), 'float32', [[0.0, 1.0], [0.0, 0.0]], [[0.0, 0.0], [1.0, 0.0]])
    """

    ndim = 2

    def __init__(self, arrays: Sequence[Array]) -> None:
        self._arrays, self._edges = arrays, np.cumsum([0, *map(len, arrays)])
        self.shape: tuple[int, int] = (int(self._edges[-1]), arrays[0].shape[1])
        self.dtype = np.result_type(*arrays)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, index: Any) -> Array:
        rows = np.arange(len(self))[index] if isinstance(index, slice) else np.asarray(index, dtype=np.int64)
        result = np.empty((len(rows), self.shape[1]), dtype=self.dtype)
        place = np.searchsorted(self._edges, rows, side="right") - 1
        for number in np.unique(place).tolist():
            inside = place == number
            require_whole(self._arrays[number], "a part of the embeddings")
            result[inside] = self._arrays[number][rows[inside] - self._edges[number]]
        return result

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        return self[:].astype(self.dtype if dtype is None else dtype, copy=False)


def mapped_vectors(path: Path) -> Any:
    """Memory-map the vectors of a file (an array) or of a folder of files (`VectorShards`).

    Raises InputError for an unreadable or unusable file, for files of different widths, and for a folder without any.
    """
    if not path.is_dir():
        return _mapped(path)
    files = sorted(path.glob("*.npy"))
    if not files:
        raise InputError(f"the folder {path} has no .npy file; write each part of the embeddings with numpy.save")
    arrays = [_mapped(file) for file in files]
    for file, array in zip(files, arrays, strict=True):
        if array.shape[1] != arrays[0].shape[1]:
            widths = f"{array.shape[1]} columns, but {files[0].name} has {arrays[0].shape[1]}"
            raise InputError(f"{file} has {widths}; give vectors from a single encoder")
    return VectorShards(arrays)


def _mapped(path: Path) -> Array:
    try:
        vectors = np.load(path, mmap_mode="r", allow_pickle=False)
    except OSError as error:
        raise InputError(
            f"cannot read the embeddings {path}: {error.strerror or error}; give a .npy file, or a "
            "column of the Parquet file with the documents"
        ) from error
    except (ValueError, EOFError) as error:  # the message of NumPy suggests unsafe loading
        wrong = f"{path} is not a .npy file of numbers, or is damaged or cut short"
        raise InputError(f"{wrong}; write an array of numbers with numpy.save") from error
    if not isinstance(vectors, np.ndarray):
        vectors.close()
    if not isinstance(vectors, np.ndarray) or vectors.ndim != 2 or vectors.dtype.kind not in "iuf":
        what = f"{vectors.shape} of {vectors.dtype}" if isinstance(vectors, np.ndarray) else "an archive of arrays"
        raise InputError(f"{path} contains {what}; write an array of numbers with numpy.save, with a row per document")
    return vectors
