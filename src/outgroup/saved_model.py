"""The saved form of a fitted `DocumentClustering`: plain values and arrays, without pickle."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, TypedDict, get_type_hints

import numpy as np
from sklearn.base import clone

from .cluster.base import is_count, is_labels, is_real
from .cluster.cpm3c import CPM3C
from .cluster.max_margin import MaxMarginClustering
from .cluster.membership import Membership
from .cluster.neighbour_average import NeighbourAverage
from .cluster.novelty import Novelty
from .cluster.seeded import SeededKMeans
from .cluster.spherical import SphericalKMeans
from .errors import DAMAGE, InputError, ModelError
from .storage import state as storage
from .storage.atomic import new_folder
from .storage.json_values import Count, checked, fits
from .text.encoder import MeaningEncoder
from .text.representation import Representation
from .text.vectorizer import Vectorizer

_PARTS = (Vectorizer, MaxMarginClustering, CPM3C, SphericalKMeans, SeededKMeans)
SAVEABLE: dict[str, Any] = {part.__name__: part for part in _PARTS}
"""The classes that a saved model may name; any other class in a file is an error."""


def save(state: dict[str, Any], path: str | os.PathLike[str], *, replace: bool) -> None:
    """Write the state of a model to a new folder."""
    with new_folder(path, storage.KIND, replace=replace) as folder:
        storage.write(folder, state)


def load(cls: Any, path: str | os.PathLike[str], encoder: Any = None) -> Any:
    """Return the model in a folder; raise ModelError if it is damaged."""
    state = storage.read(Path(path))
    try:
        return restore(cls, state, encoder)
    except (ModelError, *DAMAGE) as error:
        raise ModelError(f"the model in {path} is damaged: {error}; save the model again") from error


def state_of(model: Any, *, rows: bool) -> dict[str, Any]:
    """Return a fitted `DocumentClustering` as plain values and arrays, with or without the rows of its documents."""
    average: Any = model._representation.average
    neighbours = average.to_state() if model._representation.passes else None
    novelty = model._known_rows() if rows else None
    return {
        "n_clusters": model.n_clusters if is_count(model.n_clusters) else model.clusterer_.groups,
        "vectorizer": _part_state(model.vectorizer_),
        "clusterer": _part_state(model.clusterer_),
        "labels": model.labels_,
        "skipped": model.skipped_,
        "n_universum": model.n_universum_,
        "names": model.names_,
        "numbers": model._numbers,
        "embeddings": model._representation.width,
        "encoder": None if (meaning := model._representation.meaning) is None else meaning.to_state(vectors=rows),
        "word_means": None if model._word_means is None else list(model._word_means),
        "missing": model.missing,
        "description": model._description,
        "fields": model._text_fields,
        "neighbours": neighbours if rows or not neighbours else neighbours | dict.fromkeys(("rows", "words", "graph")),
        "membership": None if model._membership is None else model._membership.to_state(),
        "novelty": None if novelty is None else novelty.to_state(),
    }


def restore(cls: Any, state: dict[str, Any], encoder: Any = None) -> Any:
    """Return the model stored in a state; raise ModelError if a part is invalid or does not match the others."""
    vectorizer, clusterer = _part(state["vectorizer"]), _part(state["clusterer"])
    check_state(state, len(vectorizer.get_feature_names_out()), clusterer)
    average, means = _average(state["neighbours"], vectorizer, clusterer), state["word_means"]
    if encoder is None and state["encoder"] is not None:
        encoder = MeaningEncoder.from_state(state["encoder"])
    model = cls(
        state["n_clusters"],
        vectorizer=clone(vectorizer),
        clusterer=clone(clusterer),
        encoder="auto" if isinstance(encoder, MeaningEncoder) else encoder,
        neighbours=0 if average is None else average.passes_,
        missing=state["missing"],
    )
    model._representation = Representation(vectorizer, encoder, state["embeddings"], average)
    model._word_means = None if means is None else (np.asarray(means[0]), np.asarray(means[1]))
    model.vectorizer_, model.clusterer_ = vectorizer, clusterer
    model.labels_, model.n_universum_ = state["labels"], state["n_universum"]
    model._text_fields = state["fields"]
    model.names_, model._description = state["names"], state["description"]
    model._numbers = state["numbers"]
    model.skipped_ = [(row, why) for row, why in state["skipped"]]
    if state["membership"] is not None:
        model._membership = Membership.from_state(state["membership"], clusterer.groups, clusterer.n_features_in_)
    if state["novelty"] is not None:
        model._novelty = Novelty.from_state(state["novelty"], clusterer.n_features_in_)
    return model


def _part_state(part: Any) -> dict[str, Any]:
    name = type(part).__name__
    if type(part) is not SAVEABLE.get(name):
        raise InputError(f"a {name} cannot be saved; use one of {', '.join(SAVEABLE)}")
    return {"class": name, "state": part.to_state()}


def _average(saved: dict[str, Any] | None, vectorizer: Any, clusterer: Any) -> NeighbourAverage | None:
    """Return the saved neighbour average; raise ModelError unless it matches the vectorizer and the clusterer."""
    if saved is None:
        return None
    average = NeighbourAverage.from_state(saved)
    known = average.n_words_ in (0, len(vectorizer.get_feature_names_out()))
    if not known or average.n_features_in_ != clusterer.n_features_in_:
        raise ModelError("the saved neighbours and clusterer have different numbers of columns")
    return average


def _part(saved: dict[str, Any]) -> Any:
    if saved["class"] not in SAVEABLE:
        raise ModelError(f"the saved model contains an unknown part {saved['class']!r:.60}; update outgroup to read it")
    return SAVEABLE[saved["class"]].from_state(saved["state"])


# --- Validation of saved fields

MOST_UNUSED = 10_000
"""The largest count of unused group numbers: each merge leaves one, and each split takes a new one."""


class Description(TypedDict):
    """The description of a group."""

    name: str
    size: Count
    code: NotRequired[Count]
    trust: str
    found_again: Count
    words: list[str]
    example: str


class FieldsRead(TypedDict, total=False):
    """The fields of a record that contain its text."""

    text: str
    title: str
    html: Literal["text", "keep"]
    join_title: bool


class ModelRecord(TypedDict):
    """The fields of a saved model that are plain values."""

    n_clusters: Annotated[int, is_count] | Literal["auto"]
    numbers: list[Count] | None
    n_universum: Count
    names: list[str | None] | None
    missing: Literal["error", "skip"]
    fields: Annotated[FieldsRead, lambda fields: fields.keys() <= get_type_hints(FieldsRead).keys()] | None
    description: list[Description] | None
    skipped: list[tuple[Count, str]]


def check_state(state: dict[str, Any], n_words: int, clusterer: Any) -> None:
    """Raise ModelError unless the fields of a model are valid and match its parts."""
    k, width = clusterer.groups, state["embeddings"]
    if clusterer.n_features_in_ != (n_words if width is None else width):
        raise ModelError("the saved vectorizer and clusterer have different numbers of columns")
    checked(state, ModelRecord)
    numbers, means = state["numbers"], state["word_means"]
    matching = {
        "numbers": numbers is None or are_numbers(numbers, k),
        "labels": is_labels(state["labels"], k if numbers is None else max(numbers, default=0) + 1),
        "names": state["names"] is None or len(state["names"]) == k,
        "word_means": (width is None and means is None) or _are_means(means, k, n_words),
        "description": state["description"] is None or len(state["description"]) == k,
    }
    for name, is_right in matching.items():
        if not is_right:
            raise ModelError(f"its {name} is not valid")


def are_numbers(given: Any, k: int) -> bool:
    """Return whether a value holds k distinct group numbers with few gaps, because arrays have a row for every
    number.
    """
    return fits(given, list[Count]) and max(given, default=0) < k + MOST_UNUSED and len({*given}) == len(given) == k


def _are_means(given: Any, k: int, n_words: int) -> bool:
    """Return whether a value holds the mean word rows of k groups and the off-topic examples."""
    pair = isinstance(given, list | tuple) and len(given) == 2
    return pair and is_real(given[0], k, n_words) and is_real(given[1], 1, n_words)
