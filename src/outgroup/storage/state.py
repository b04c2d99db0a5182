"""A model on disk: a folder with `model.json` and `arrays.bin`, no pickle; equal models give equal bytes."""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, TypedDict

import numpy as np

from ..errors import InputError, ModelError
from .folders import Kind
from .json_values import Count, fits, parse_json

FORMAT, VERSION = "outgroup-model", 1
JSON, ARRAYS = "model.json", "arrays.bin"
MODEL = "model"  # the folder of the model in a result
KIND = Kind(FORMAT, JSON, frozenset({JSON, ARRAYS}), "give replace=True to replace it")

_DTYPE = re.compile("[<|][biuf][1248]")  # of numbers, the lowest byte first


class FileRecord(TypedDict):
    """The fields of `model.json`; `_pack` describes the fields of the state."""

    format: Literal["outgroup-model"]
    version: int
    made_by: str
    state: dict[str, Any]
    sha256: str


def write(folder: Path, state: dict[str, Any]) -> None:
    """Write a state to a folder; raise InputError as `packed`."""
    content, arrays = packed(state)
    (folder / ARRAYS).write_bytes(arrays)
    (folder / JSON).write_bytes(content)


def packed(state: dict[str, Any]) -> tuple[bytes, bytes]:
    """Return a state (dicts with str keys, lists, str, numbers, None, numeric arrays) as a line of JSON, and the bytes
    of its arrays in the order of the line.

    Raises InputError, naming the place, for anything else: it could not be read again without pickle.
    """
    arrays: list[bytes] = []
    made_by = f"outgroup {version('outgroup')}"
    content = {"format": FORMAT, "version": VERSION, "made_by": made_by, "state": _pack(state, "model", arrays)}
    raw = b"".join(arrays)
    return _canonical(content | {"sha256": _digest(content, raw)}), raw


def fingerprint(folder: Path) -> str:
    """Return a digest of a model that `read` accepts: 64 hexadecimal digits."""
    return str(parse_json(_bytes(folder, JSON))["sha256"])


def model_in(folder: Path) -> Path:
    """Return the model folder of a result folder; a model folder is returned unchanged."""
    return folder / MODEL if os.path.isdir(folder / MODEL) else folder  # Path.is_dir may raise for an invalid name


def read(folder: Path) -> dict[str, Any]:
    """Return a state written by `write`; raise ModelError if it is not a model, damaged, or too new."""
    content, arrays = _bytes(folder, JSON), _bytes(folder, ARRAYS)
    try:
        return unpacked(content, arrays)
    except ModelError as error:
        raise ModelError(f"the model in {folder} {error}") from error


def unpacked(content: bytes, arrays: bytes) -> dict[str, Any]:
    """Return a state from `packed`; raise ModelError if it is not a model, damaged, or too new."""
    try:
        record = _checked(parse_json(content), arrays)
        return dict(_unpack(record["state"], io.BytesIO(arrays)))
    except ModelError:
        raise
    except (ValueError, TypeError) as error:
        raise ModelError(f"is damaged ({error}); save the model again") from error


def _bytes(folder: Path, name: str) -> bytes:
    if not os.path.exists(folder):  # False for an invalid name; Path.exists may raise
        raise ModelError(f"the folder {str(folder)!r:.200} does not exist: give the folder of a model or a result")
    if os.path.isfile(folder):
        raise ModelError(f"{str(folder)!r:.200} is a file: give the folder of a model or a result")
    try:
        path = folder / name
        if not path.is_file():  # reading a pipe may block, and a device may be endless
            raise ValueError(f"there is no file {name}")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise ModelError(f"{str(folder)!r:.200} contains no readable model: {error}") from error


def _checked(content: Any, arrays: bytes) -> FileRecord:
    if not fits(content, FileRecord):
        raise ModelError("is not a model of outgroup")
    if content["version"] > VERSION:
        raise ModelError(f"was saved by a newer version ({content['made_by'][:40]}); update outgroup to read it")
    if content["sha256"] != _digest({name: content[name] for name in content if name != "sha256"}, arrays):
        raise ModelError("is damaged: its checksum is wrong; save the model again")
    return content


def _digest(content: dict[str, Any], packed: bytes) -> str:
    return hashlib.sha256(_canonical(content) + packed).hexdigest()


def _canonical(content: Any) -> bytes:
    return json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def _pack(value: Any, place: str, arrays: list[bytes]) -> Any:
    """Return `value` for JSON, keys in order; the bytes of arrays and nonfinite numbers are added to `arrays`."""
    if isinstance(value, dict):
        items = sorted((_unicode(key, place), part) for key, part in value.items())
        return {key: _pack(part, f"{place}.{key}", arrays) for key, part in items}
    if isinstance(value, list | tuple):
        return [_pack(part, f"{place}.{i}", arrays) for i, part in enumerate(value)]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        value = np.asarray(value)
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        value = value.astype(value.dtype.newbyteorder("<"), copy=False)
        arrays.append(value.tobytes())
        return {"array": [value.dtype.str, *value.shape]}
    if isinstance(value, str):
        return _unicode(value, place)
    if value is None or isinstance(value, int | float):
        return value
    raise InputError(f"{place} is a {type(value).__name__}, which cannot be saved; use numbers, strings or arrays")


def _unicode(text: str, place: str) -> str:
    """Return the text if it is valid Unicode; raise an error for lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        surrogate = f"{text[error.start]!r} in {text!r:.60}"
        raise InputError(f"{place} contains a lone surrogate, {surrogate}: remove it") from error
    return text


def _unpack(value: Any, arrays: io.BytesIO) -> Any:
    """Return a packed value; its arrays are read one after another, so that none takes more memory than the file."""
    if isinstance(value, list):
        return [_unpack(part, arrays) for part in value]
    if not isinstance(value, dict):
        return value
    if value.keys() != {"array"}:
        return {key: _unpack(value[key], arrays) for key in sorted(value)}
    kind, *shape = value["array"]
    if not (fits(shape, list[Count]) and isinstance(kind, str) and _DTYPE.fullmatch(kind)):
        raise ValueError(f"an array of shape {shape!s:.60} and dtype {kind!s:.60}")
    dtype = np.dtype(kind)
    raw = arrays.read(min(math.prod(shape) * dtype.itemsize, 2**62))
    array = np.frombuffer(raw, dtype).astype(dtype.newbyteorder("=")).reshape(shape)
    return array.item() if array.ndim == 0 else array
