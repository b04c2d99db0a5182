"""Versions and texts as a project file keeps them."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import InputError, ModelError
from ..model import DocumentClustering
from ..steering.decisions import Decision, parse
from ..storage import state as storage
from ..storage.project import Kept, Project, Text
from ..text.collection import Collection
from .past import Past, digest
from .version import Version

DOCUMENT, UNIVERSUM = "document", "universum"


def texts_of(documents: Collection, universum: Sequence[str], embed: bool) -> list[Text]:
    """Return the rows of a project's texts, with their bodies if these are to be kept."""
    each = zip(documents.ids, documents.titles, documents.texts, strict=True)
    found = [
        Text(DOCUMENT, place, identity, title, digest(text), text if embed else None)
        for place, (identity, title, text) in enumerate(each)
    ]
    more = enumerate(universum)
    return found + [Text(UNIVERSUM, i, str(i), "", digest(text), text if embed else None) for i, text in more]


def bodies(project: Project, role: str, given: Sequence[str] | None) -> list[str]:
    """Return the texts of a project: its own, or those that are `given` and are the same.

    Raises InputError where it keeps none and they are not given, or are others.
    """
    kept = project.texts(role)
    if given is None and all(each.body is not None for each in kept):
        return [str(each.body) for each in kept]
    name = "documents" if role == DOCUMENT else "universum"
    if given is None:
        raise InputError(f"{project.path} keeps no texts; give them again as {name}=, in their order")
    if [digest(text) for text in given] != [each.digest for each in kept]:
        raise InputError(f"these {name} are not those of {project.path}; give the same {len(kept)}, in their order")
    return list(given)


def kept_version(version: Version, texts: Sequence[str]) -> Kept:
    """Return a version as a project keeps it."""
    body = json.dumps(Past.of(version, texts).to_dict() | {"decisions": []}, ensure_ascii=False)
    with tempfile.TemporaryDirectory() as place:
        storage.write(Path(place), _without_neighbours(version.model.to_state()))
        model, arrays = (Path(place) / storage.JSON).read_text(encoding="utf-8"), (Path(place) / storage.ARRAYS)
        return Kept(version.number, len(version.decisions), body, model, arrays.read_bytes())


def _without_neighbours(state: dict[str, Any]) -> dict[str, Any]:
    """Return a model's state without the rows of its neighbours: a session finds them again among its documents."""
    graph = state["neighbours"]
    return state if graph is None else state | {"neighbours": graph | {"rows": None, "graph": None}}


def past_at(project: Project, place: int, log: Sequence[Decision]) -> Past:
    """Return a version that a project keeps, 0 for the first and -1 for the last; raises ModelError where it cannot."""
    versions = project.versions()
    if not versions:
        raise ModelError(f"{project.path} is damaged: it keeps no version; open a copy of it")
    return past_of(project.version(versions[place].number), log)


def past_of(kept: Kept, log: Sequence[Decision]) -> Past:
    """Return what is kept of a version, with the decisions that it follows; raises ModelError where it is damaged."""
    if kept.model is None or kept.arrays is None:
        raise ModelError(f"the model of version {kept.number} is not kept")
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / storage.JSON).write_text(kept.model, encoding="utf-8")
        (Path(place) / storage.ARRAYS).write_bytes(kept.arrays)
        try:
            model = DocumentClustering.load(place)
        except ModelError as error:
            raise ModelError(f"the model of version {kept.number} is damaged; open a copy of the file") from error
    try:
        content = json.loads(kept.body) | {"decisions": [each.to_dict() for each in log[: kept.log_end]]}
    except (ValueError, TypeError) as error:
        raise ModelError(f"version {kept.number} is damaged: {error}") from error
    return Past.from_dict(content, model)


def read_log(project: Project) -> tuple[Decision, ...]:
    """Return the decisions of a project."""
    return tuple(parse(json.loads(each)) for each in project.log())


def written(decisions: Sequence[Decision]) -> list[str]:
    """Return decisions as a project keeps them."""
    return [json.dumps(each.to_dict(), ensure_ascii=False) for each in decisions]
