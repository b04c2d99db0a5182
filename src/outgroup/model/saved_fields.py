"""What the fields of a saved model must be: each is checked before anything is made of a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..cluster.saved_fields import is_count, is_labels, is_real
from ..errors import ModelError
from ..text.as_texts import MISSING

MOST_UNUSED = 10_000
"""Numbers that no group has any more: each merge leaves one, and each split takes a new one."""


def check_state(state: dict[str, Any], n_words: int, clusterer: Any) -> None:
    """Raise ModelError unless a model's own fields are what they should be, and fit its parts."""
    k, width = clusterer.groups, state.get("embeddings")
    if clusterer.n_features_in_ != (n_words if width is None else width):
        raise ModelError("its columns and its groups do not fit together")
    names, means, skipped = state.get("names"), state.get("word_means"), state["skipped"]
    numbers = state.get("numbers")
    named = names is None or (isinstance(names, list) and len(names) == k and all(map(_is_name, names)))
    rightly = {
        "n_clusters": is_count(state["n_clusters"]) or state["n_clusters"] == "auto",
        "numbers": numbers is None or are_numbers(numbers, k),
        "labels": is_labels(state["labels"], k if numbers is None else max(numbers, default=0) + 1),
        "n_universum": is_count(state["n_universum"], 0),
        "names": named,
        "word_means": (width is None and means is None) or _are_means(means, k, n_words),
        "missing": state.get("missing", "error") in MISSING,
        "fields": state.get("fields") is None or _are_fields(state["fields"]),
        "description": state.get("description") is None or _is_description(state["description"], k),
        "skipped": isinstance(skipped, list | tuple) and all(map(_is_skip, skipped)),
    }
    for name, right in rightly.items():
        if not right:
            raise ModelError(f"its {name} is something else")


def are_numbers(given: Any, k: int) -> bool:
    """Return whether a value is the numbers of k groups: all different, and few of them unused, since arrays have a
    row for each."""
    return (
        isinstance(given, list)
        and all(is_count(each, 0) and each < k + MOST_UNUSED for each in given)
        and len(set(given)) == len(given) == k
    )


def _is_name(given: Any) -> bool:
    return given is None or isinstance(given, str)


def _is_skip(given: Any) -> bool:
    return isinstance(given, list | tuple) and len(given) == 2 and is_count(given[0], 0) and isinstance(given[1], str)


def _are_fields(given: Any) -> bool:
    """Return whether a value says which fields of a record are its text."""
    kinds = {"text": str, "title": str, "html": str, "join_title": bool}
    return isinstance(given, dict) and all(
        name in kinds and isinstance(value, kinds[name]) and (name != "html" or value in ("text", "keep"))
        for name, value in given.items()
    )


def _is_description(given: Any, k: int) -> bool:
    """Return whether a value is what was kept of k groups; earlier models have only names, sizes and first words."""
    each = given if isinstance(given, list) and len(given) == k else [None]
    return all(
        isinstance(one, dict)
        and {"name", "size", "words"} <= set(one) <= {*_DESCRIBED}
        and all(_DESCRIBED[name](value) for name, value in one.items())
        for one in each
    )


def _is_size(given: Any) -> bool:
    return is_count(given, 0)


def _is_text(given: Any) -> bool:
    return isinstance(given, str)


def _are_texts(given: Any) -> bool:
    return isinstance(given, list) and all(map(_is_text, given))


_DESCRIBED: dict[str, Callable[[Any], bool]] = {
    "name": _is_text, "size": _is_size, "trust": _is_text, "found_again": _is_size, "words": _are_texts,
    "example": _is_text,
}  # fmt: skip
"""What may be kept of a group, and what it must be."""


def _are_means(given: Any, k: int, n_words: int) -> bool:
    """Return whether a value is the mean word rows of k groups and of the examples of junk."""
    pair = isinstance(given, list | tuple) and len(given) == 2
    return pair and is_real(given[0], k, n_words) and is_real(given[1], 1, n_words)
