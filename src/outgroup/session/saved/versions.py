"""Versions and texts as a project file keeps them."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import DAMAGE, ModelError
from ...model import DocumentClustering
from ...steering.decisions import Decision, parse
from ...storage import state as storage
from ...storage.json_values import parse_json
from ...storage.packed_labels import packed, unpacked
from ...storage.project import KeptVersion, Project, Text
from ...text.collection import Collection
from ..assignment import Assignment
from ..state import State, by_row
from ..version import Version
from .past import FORM, FORMAT, Past, digest
from .plain_values import from_plain, to_plain
from .sources import DOCUMENT, UNIVERSUM

_TIME = "%Y-%m-%d %H:%M:%S"  # UTC, as SQLite says it


def kept_texts(documents: Collection, universum: Sequence[str], embed: bool) -> list[Text]:
    """Return the rows of a project's texts, with their bodies if these are to be kept."""
    each = zip(documents.ids, documents.titles, documents.texts, strict=True)
    found = [
        Text(DOCUMENT, place, identity, title, digest(text), text if embed else None)
        for place, (identity, title, text) in enumerate(each)
    ]
    more = enumerate(universum)
    return found + [Text(UNIVERSUM, i, str(i), "", digest(text), text if embed else None) for i, text in more]


def kept_version(version: Assignment, *, model: bool) -> KeptVersion:
    """Return a version as a project keeps it; without a model where it has none, or that is not wanted."""
    state, parent, made = version.state, version.parent, version.made
    body = to_plain(
        numbers=version.numbers, names=state.names, words=state.words, ignored=state.ignored, weights=state.weights,
        apart=state.apart, **state.by_id(version.ids),
    )  # fmt: skip
    kept = KeptVersion(
        version.number, None if parent is None else parent.number, len(version.decisions),
        "" if made is None else made.strftime(_TIME), version.seconds, packed(version.labels),
        json.dumps(body | {"notes": list(version.notes)}, ensure_ascii=False),
    )  # fmt: skip
    return _with_model(kept, version.model) if model and isinstance(version, Version) else kept


def _with_model(kept: KeptVersion, model: DocumentClustering) -> KeptVersion:
    with tempfile.TemporaryDirectory() as place:
        storage.write(Path(place), _without_neighbours(model.to_state()))
        said, arrays = (Path(place) / storage.JSON).read_text(encoding="utf-8"), (Path(place) / storage.ARRAYS)
        return kept._replace(model=said, arrays=arrays.read_bytes())


def _without_neighbours(state: dict[str, Any]) -> dict[str, Any]:
    """Return a model's state without the rows of its neighbours: a session finds them again among its documents."""
    graph = state["neighbours"]
    return state if graph is None else state | {"neighbours": graph | {"rows": None, "words": None, "graph": None}}


def first_past(project: Project, log: Sequence[Decision]) -> Past:
    """Return the first version that a project keeps; raises ModelError where it cannot."""
    versions = project.versions()
    if not versions:
        raise ModelError(f"{project.path} is damaged: it keeps no version; open a copy of it")
    return past_of(project.version(versions[0].number), project.texts(DOCUMENT), log)


def past_of(kept: KeptVersion, texts: Sequence[Text], log: Sequence[Decision]) -> Past:
    """Return what is kept of a version, with the decisions that it follows; raises ModelError where it is damaged."""
    model = model_of(kept)
    with _damage(kept.number):
        labels = unpacked(kept.labels, len(texts)).tolist()
        documents = {each.id: [group, each.digest] for each, group in zip(texts, labels, strict=True)}
        decisions = [each.to_dict() for each in log[: kept.log_end]]
        more = {"version": kept.number, "decisions": decisions, "documents": documents}
        content = {"format": FORMAT, "form": FORM} | parse_json(kept.body) | more
    return Past.from_dict(content, model)


def model_of(kept: KeptVersion) -> DocumentClustering:
    """Return the model of a version; raises ModelError where it is not kept, or damaged."""
    if kept.model is None or kept.arrays is None:
        raise ModelError(f"the model of version {kept.number} is not kept")
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / storage.JSON).write_text(kept.model, encoding="utf-8")
        (Path(place) / storage.ARRAYS).write_bytes(kept.arrays)
        try:
            return DocumentClustering.load(place)
        except ModelError as error:
            raise ModelError(f"the model of version {kept.number} is damaged; open a copy of the file") from error


def history(project: Project, first: Version, log: Sequence[Decision]) -> list[Assignment]:
    """Return all versions of a project: its first one, and those that go on from it without their models.

    Raises ModelError where one is damaged.
    """
    every, row_of = project.versions(), {each: row for row, each in enumerate(first.ids)}
    found: dict[int, Assignment] = {first.number: replace(first, seconds=every[0].seconds, made=_when(every[0]))}
    for kept in every[1:]:
        with _damage(kept.number):
            parent = found.get(kept.parent or first.number, found[max(found)])
            found[kept.number] = _assignment(kept, parent, tuple(log[: kept.log_end]), row_of)
    return list(found.values())


def _assignment(
    kept: KeptVersion, parent: Assignment, decisions: tuple[Decision, ...], row_of: Mapping[str, int]
) -> Assignment:
    content, ids = parse_json(kept.body), parent.ids
    said = from_plain(content)
    labels, numbers = unpacked(kept.labels, len(ids)), said.pop("numbers")
    if not {*np.unique(labels).tolist()} <= {-1, *numbers}:
        raise ValueError("a document is in a group that there is not")
    said |= by_row(said["pins"], said["away"], row_of)
    state = State(labels, numbers, np.zeros(len(labels), dtype=bool), **said)
    notes = tuple(map(str, content.get("notes", ())))
    return Assignment(
        kept.number, ids, labels, numbers, state, decisions, parent, notes, kept.seconds, _when(kept)
    )  # fmt: skip


def _when(kept: KeptVersion) -> datetime | None:
    return datetime.strptime(kept.made, _TIME).replace(tzinfo=UTC) if kept.made else None


@contextmanager
def _damage(number: int) -> Iterator[None]:
    """Say of which version it is what cannot be read."""
    try:
        yield
    except DAMAGE as error:
        raise ModelError(f"version {number} is damaged: {error!s:.200}") from error


def read_log(project: Project) -> tuple[Decision, ...]:
    """Return the decisions of a project."""
    try:
        return tuple(parse(parse_json(each)) for each in project.log())
    except DAMAGE as error:
        said = f"{project.path} is damaged: its decisions cannot be read: {error!s:.200}"
        raise ModelError(f"{said}; restore a copy of it") from error


def written(decisions: Sequence[Decision]) -> list[str]:
    """Return decisions as a project keeps them."""
    return [json.dumps(each.to_dict(), ensure_ascii=False) for each in decisions]
