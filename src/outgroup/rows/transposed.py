"""The rows of a shard by terms, kept beside it: made by the first pass that sums with dense coefficients.

A copy that is missing, damaged, or of another shard is made again; where it cannot be written (no room, no right),
every pass makes its own, which takes a third of the pass's time.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import get_ident
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..types import Array
from .shards import PARTS, checksum


def kept_terms(
    folder: Path, shard: dict[str, Any], n_terms: int, checked: set[str], make: Callable[[], list[Any]]
) -> list[Any]:
    """Return the transposes of a shard's blocks, CSR each, from the folder of the shard or as `make` makes them.

    `checked` are the names of the shards whose copies were looked at.
    """
    place = folder / "terms"
    with suppress(OSError, ValueError, KeyError, TypeError, EOFError):
        found = _mapped(place, shard, n_terms, check=shard["name"] not in checked)
        checked.add(shard["name"])
        return found
    made = make()
    with suppress(OSError):
        place.mkdir(exist_ok=True)
        _write(place, shard, made)
    return made


def _write(place: Path, shard: dict[str, Any], blocks: list[Any]) -> None:
    arrays = {part: np.concatenate([getattr(block, part) for block in blocks]) for part in PARTS}
    for part, values in arrays.items():
        _exchange(place / f"{shard['name']}.{part}.npy", partial(_save, values))
    about = {"of": shard["crc32"], "rows": [block.shape[1] for block in blocks]}
    about["crc32"] = {part: checksum(values) for part, values in arrays.items()}
    _exchange(place / f"{shard['name']}.json", lambda file: file.write(json.dumps(about).encode()))


def _save(values: Array, file: Any) -> None:
    np.save(file, values, allow_pickle=False)


def _exchange(path: Path, fill: Callable[[Any], Any]) -> None:
    beside = path.with_suffix(f".{os.getpid()}-{get_ident()}.new")  # others may write the same
    with beside.open("wb") as file:
        fill(file)
    os.replace(beside, path)


def _mapped(place: Path, shard: dict[str, Any], n_terms: int, *, check: bool) -> list[Any]:
    """Return the blocks over memory-mapped files; raises whatever tells that they are not there or not whole."""
    about = json.loads((place / f"{shard['name']}.json").read_bytes())
    arrays = {part: np.load(place / f"{shard['name']}.{part}.npy", mmap_mode="r", allow_pickle=False) for part in PARTS}
    indptr, rows = arrays["indptr"].reshape(len(about["rows"]), n_terms + 1), about["rows"]
    whole = len(arrays["data"]) == len(arrays["indices"]) == shard["entries"] == int(indptr[:, -1].sum())
    if about["of"] != shard["crc32"] or sum(rows) != shard["rows"] or not whole:
        raise ValueError("of another shard")
    if check and any(checksum(np.asarray(arrays[part])) != about["crc32"][part] for part in PARTS):
        raise ValueError("changed")
    ends = np.cumsum(indptr[:, -1], dtype=np.int64)
    return [
        _block(arrays, indptr[i], slice(int(end - indptr[i, -1]), int(end)), (n_terms, rows[i]))
        for i, end in enumerate(ends)
    ]


def _block(arrays: dict[str, Any], indptr: Any, stored: slice, shape: tuple[int, int]) -> Any:
    block = sp.csr_matrix(shape, dtype=arrays["data"].dtype)
    block.data, block.indices = np.asarray(arrays["data"][stored]), np.asarray(arrays["indices"][stored])
    block.indptr = np.asarray(indptr)
    return block
