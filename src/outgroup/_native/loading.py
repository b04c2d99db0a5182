"""The compiled libraries, one for each instruction set: how they are found, and how their functions are called.

They know no Python, so one build serves every version of it, and need none of its headers (docs/decisions/0008). What
is passed on must have the very types that a kernel has: nothing is converted. A call releases the interpreter lock.
Importing this fails with ImportError where no library has been built.
"""

from __future__ import annotations

import ctypes
import sys
from enum import IntEnum
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..types import Array

_VERSION = 1  # of library.cpp: a library that was built from other sources is not used
_NEWEST = "take_pairs_float64_int64"  # a library without it was built from older ones
_LINE = 64  # bytes of a cache line
_ENDINGS = {"win32": ".dll"}
_MATRICES = {  # the ending of the kernels' names, by the types of a matrix: made once, for some calls take microseconds
    (np.dtype(values), np.dtype(indices)): f"{values}_{indices}"
    for values in ("float32", "float64")
    for indices in ("int32", "int64")
}


class Level(IntEnum):
    """Instruction sets, the narrowest first."""

    BASELINE = 0
    AVX2 = 1
    AVX512 = 2


def _find(level: Level) -> ctypes.CDLL | None:
    """Load the library for one instruction set; beside sources that are read in place it lies where pip put it."""
    name = f"kernels_{level.name.lower()}{_ENDINGS.get(sys.platform, '.so')}"
    installed = (Path(entry, "outgroup", "_native") for entry in sys.path)
    for folder in (Path(__file__).parent, *installed):
        try:
            library = ctypes.CDLL(str(folder.resolve() / name))
            if library.library_version() == _VERSION and hasattr(library, _NEWEST):
                return library
        except (OSError, AttributeError):
            continue
    return None


def _load() -> dict[Level, ctypes.CDLL]:
    baseline = _find(Level.BASELINE)
    if baseline is None:
        raise ImportError("the native kernels were not built")
    able = [level for level in Level if Level.BASELINE < level <= baseline.processor_level()]
    found = {Level.BASELINE: baseline, **{level: _find(level) for level in able}}
    return {level: library for level, library in found.items() if library is not None}


_libraries = _load()
_level = max(_libraries)


def best_level() -> Level:
    """Return the widest instruction set that this processor and this build have."""
    return max(_libraries)


def level() -> Level:
    """Return the instruction set in use."""
    return _level


def use_level(chosen: Level) -> None:
    """Use another instruction set, to test or to compare; raises ValueError where it is lacking."""
    global _level
    if chosen not in _libraries:
        raise ValueError(f"this processor or this build lacks {chosen.name}")
    _level = chosen


def call(name: str, *arguments: Any, result: Any = ctypes.c_int32, level: Level | None = None) -> Any:
    """Call a function of the library; every argument is a ctypes value, so that none is cut to 32 bits."""
    return _function(name, result, _level if level is None else level)(*arguments)


@cache  # to look one up takes longer than some calls; each has the type of one result, whatever other threads ask for
def _function(name: str, result: Any, level: Level) -> Any:
    function = _libraries[level][name]
    function.restype = result
    return function


def number(value: int) -> Any:
    return ctypes.c_int64(value)


def matrix(indptr: Array, indices: Array, data: Array) -> tuple[str, tuple[Any, ...]]:
    """Return the ending of the kernels' names for a matrix's types, and the arguments that pass it on."""
    require(len(indices) == len(data), "indices and data differ in length")
    arrays = (address(indptr, indices.dtype), address(indices, indices.dtype), address(data, data.dtype))
    name = _MATRICES.get((data.dtype, indices.dtype))
    if name is None:
        raise TypeError(f"there are no kernels for values of {data.dtype} and indices of {indices.dtype}")
    return name, (*arrays, number(len(data)))


def address(values: Array, dtype: Any) -> Any:
    if values.dtype != dtype or not values.flags.c_contiguous:
        raise TypeError(f"an array of {np.dtype(dtype)} in C order is needed; this one is of {values.dtype}")
    return ctypes.c_void_p(values.ctypes.data)


def require(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(what)


def require_lines(padded: Array) -> None:
    require(padded.strides[0] % _LINE == 0, "the rows of the matrix are not padded to whole cache lines")


def require_within(numbers: Array, end: int, what: str) -> None:
    require(len(numbers) == 0 or (numbers.min() >= 0 and numbers.max() < end), what)


def enough(done: Any) -> None:
    if not done:
        raise MemoryError("there is no memory left for local search or the sums of a block of rows")
