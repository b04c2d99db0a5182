"""Convert texts of callers to lists, split them, and sort them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import InputError
from ..types import Array

# --- Lists, arrays and columns of texts, possibly with missing values

MISSING = ("error", "skip")
"""Policies for None or NaN among texts: raise, or skip."""


def as_texts(values: Any, name: str, missing: str = "error") -> list[str]:
    """Return texts as a list of str; with `missing` "skip", missing texts become "".

    Raises InputError, with the position, for a value that is not a text, and for an empty list.

    >>> as_texts(["tea", None], "texts", "skip")
    ['tea', '']
    """
    texts = as_list(values, name, missing)
    if not texts:
        raise InputError(f"{name} is empty; give at least one document")
    return texts


def as_list(values: Any, name: str, missing: str = "error") -> list[str]:
    """Do as `as_texts`, also for no texts."""
    if missing not in MISSING:
        raise InputError(f"missing is {missing!r:.60}; give 'error' or 'skip'")
    if values is None or isinstance(values, str | bytes):
        kind = "None" if values is None else f"a single {type(values).__name__}: put it into a list"
        raise InputError(f"{name} must be a list of strings, not {kind}")
    if is_table(values):  # iteration would give column names
        raise InputError(f"{name} is a {type(values).__name__}; give one of its columns, or convert it with texts_of")
    refuse_unordered(values, name)
    try:
        texts = values.to_pylist() if hasattr(values, "to_pylist") else list(values)
    except TypeError as error:
        raise InputError(f"{name} must be a list of strings, not a {type(values).__name__}") from error
    return [text if isinstance(text, str) else _hole(text, f"{name}[{i}]", missing) for i, text in enumerate(texts)]


def is_table(value: Any) -> bool:
    """Return whether a value is a table; `collect_schema` is tested first, because `columns` of lazy polars tables
    warns.

    >>> is_table(["tea"])
    False
    """
    return hasattr(value, "collect_schema") or hasattr(value, "columns")


def refuse_unordered(values: Any, name: str) -> None:
    """Raise InputError for a set or a mapping, because positions identify texts.

    >>> refuse_unordered({"tea": 1}, "texts")
    Traceback (most recent call last):
    outgroup.errors.InputError: texts is a dict; give a list of strings, such as list(texts.values())
    """
    if isinstance(values, set | frozenset):
        advice = "whose order can change between runs: give a list of strings, such as sorted"
        raise InputError(f"{name} is a {type(values).__name__}, {advice}({name})")
    if isinstance(values, Mapping):
        advice = f"give a list of strings, such as list({name}.values())"
        raise InputError(f"{name} is a {type(values).__name__}; {advice}")


def _hole(value: Any, place: str, missing: str) -> str:
    if not is_missing(value):
        raise InputError(f"{place} is a {type(value).__name__}, not a text; texts must be a list of strings")
    if missing == "error":
        raise InputError(f"{place} is {value!r}, not a text: remove it, replace it by '', or give missing='skip'")
    return ""


def is_missing(value: Any) -> bool:
    """Return whether a value is missing: None, NaN, or the missing value of pandas or masked arrays.

    >>> is_missing(float("nan")), is_missing("")
    (True, False)
    """
    nothing = value is None or type(value).__name__ in ("NAType", "NaTType", "MaskedConstant")
    return nothing or (isinstance(value, float) and value != value)


# --- Texts that were encoded twice

_AS_BYTES = str.maketrans({bytes([byte]).decode("cp1252", "replace"): chr(byte) for byte in range(0x80, 0xA0)})


def is_encoded_twice(text: str) -> bool:
    r"""Return whether a text is UTF-8 that was decoded as Windows-1252, and encoded again.

    >>> is_encoded_twice("crème".encode().decode("cp1252")), is_encoded_twice("crème"), is_encoded_twice("cream")
    (True, False, False)
    """
    if text.isascii():
        return False
    try:
        text.translate(_AS_BYTES).encode("latin-1").decode()
    except UnicodeError:
        return False
    return True


# --- Passages of a text

_SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=[.!?…][\"'”’)\]])\s+|(?<=[。！？])|\n\s*\n")


def passage_ends(text: str, sentences: int) -> list[int]:
    """Return the end of each passage of `sentences` sentences; a paragraph ends a sentence, and the space before a
    passage belongs to it.

    >>> passage_ends("Tea is hot. Is it? Yes! No.", 2)
    [18, 27]
    """
    ends = [end for _, end in _sentences(text)]
    return [ends[min(place + sentences, len(ends)) - 1] for place in range(0, len(ends), sentences)] or [len(text)]


def _sentences(text: str) -> list[tuple[int, int]]:
    """Return the starts and ends of the sentences."""
    gaps = [gap.span() for gap in _SENTENCE.finditer(text)]
    starts, ends = [0, *(end for _, end in gaps)], [*(start for start, _ in gaps), len(text)]
    return [(start, end) for start, end in zip(starts, ends, strict=True) if text[start:end].strip()]


# --- The sort order of texts, without blocking other threads

_HEAD = 64  # bytes


def text_order(texts: Sequence[str], then: Array | None = None) -> Array:
    """Return the indices that sort n texts; `then` (n,), or the position, breaks ties.

    Sorting Python strings holds the GIL: one second for 500,000 texts, in which a server cannot respond. NumPy sorts by
    the first bytes without the GIL; only texts with equal first bytes are compared in full.

    >>> text_order(["b", "a", "b"]).tolist(), text_order(["b", "a", "b"], np.array([1, 0, 0])).tolist()
    ([1, 0, 2], [1, 2, 0])
    """
    heads = np.fromiter(map(_head, texts), f"S{_HEAD}", len(texts))
    order = np.argsort(heads, kind="stable")
    new = np.ones(len(order), dtype=bool)
    new[1:] = heads[order[1:]] != heads[order[:-1]]
    first = np.flatnonzero(new)
    last = np.append(first[1:], len(order))[: len(first)]
    for start, stop in zip(first[last > first + 1].tolist(), last[last > first + 1].tolist(), strict=True):
        equal = order[start:stop].tolist()
        order[start:stop] = sorted(equal, key=(lambda i: texts[i]) if then is None else lambda i: (texts[i], then[i]))
    return order


def _head(text: str) -> bytes:
    """Return the first bytes of a text in UTF-8; they sort like its characters."""
    return text[:_HEAD].encode("utf-8", "surrogatepass")[:_HEAD]
