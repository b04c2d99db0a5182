"""Versions, texts and their sources as a project file keeps them."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import numpy as np

from ..decisions import Decision, parse
from ..document_clustering import DocumentClustering
from ..errors import DAMAGE, InputError, ModelError
from ..places import Address, is_remembered, place_of
from ..readers.corpus import READ, read_corpus, reading_of, without_roles
from ..readers.documents import Corpus
from ..readers.vectors import is_column, read_vectors
from ..storage import state as storage
from ..storage.json_values import parse_json
from ..storage.project import KeptVersion, Project, Text, packed, unpacked
from ..text.collection import Collection
from .apply import State, by_row
from .past import FORM, FORMAT, Past, digest, from_plain, to_plain
from .version import Assignment, Version

# --- Versions and texts as a project file keeps them

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


# --- What a project was made of: its own texts, or the files where they lay, read as they were then

Given = Sequence[str] | str | os.PathLike[str] | None
"""Texts, or the path of their file; None for those that a project keeps, or that lie where they lay."""

DOCUMENT, UNIVERSUM = "document", "universum"
FILES = {DOCUMENT: ("docs", "embeddings"), UNIVERSUM: ("universum", "universum_embeddings")}
"""By role, the settings that say where texts and their vectors lie."""

_BESIDE = {"docs": "", "universum": "", "embeddings": "docs", "universum_embeddings": "universum"}  # vectors: texts
_NAMED = {DOCUMENT: ("documents", "documents=, DOCS"), UNIVERSUM: ("off-topic examples", "universum=, --universum")}


def to_keep(reading: Mapping[str, Any], project: Path) -> str:
    """Return how documents were read as a project's file says it: files by their way from its folder, so that both can
    move together, and none that cannot be followed from there (an address, the standard input)."""
    kept = {name: value for name, value in reading.items() if name not in _BESIDE}
    ways = {name: _way(name, reading, project) for name in _BESIDE}
    return json.dumps(kept | {name: way for name, way in ways.items() if way is not None})


def _way(name: str, reading: Mapping[str, Any], project: Path) -> str | None:
    given = reading.get(name)
    if given is None or isinstance(given, Address) or str(given) == "-":
        return None
    if _names_column(name, reading):
        return str(given)
    try:
        return Path(os.path.relpath(os.path.realpath(given), os.path.realpath(project.parent))).as_posix()
    except ValueError:  # on another drive
        return None


def _names_column(name: str, places: Mapping[str, Any]) -> bool:
    """Return whether vectors are a column of the file of texts."""
    texts = places.get(_BESIDE[name])
    return texts is not None and is_column(str(places[name]), place_of(texts))


def asked(project: Project) -> dict[str, Any]:
    """Return how the documents of a project were read and what was asked for, where it says so."""
    try:
        return dict(parse_json(project.settings()["reading"]))
    except (ValueError, KeyError, TypeError):
        return {}


def read_as(project: Project) -> dict[str, Any]:
    """Return how the documents of a project became texts, as far as it says so."""
    known = asked(project)
    return {name: known[name] for name in READ if isinstance(known.get(name), str | bool)}


def files_of(project: Project) -> dict[str, str]:
    """Return the files that a project was made of, or the column of vectors, as far as it says so: by settings' names.

    A way that does not begin at its own folder is not followed: nobody who sends a project file says where to look.
    """
    said = {name: way for name in _BESIDE if isinstance(way := asked(project).get(name), str)}
    folder = os.path.realpath(project.path.parent)
    return {
        name: way if _names_column(name, said) else os.path.normpath(os.path.join(folder, way))
        for name, way in said.items()
        if not (PurePosixPath(way).is_absolute() or PureWindowsPath(way).drive or "\0" in way)
    }


def inputs_of(project: Project, texts: tuple[Given, Given], vectors: tuple[Any, Any]) -> dict[str, Any]:
    """Return what a session of a project is opened on, as `Session.after` takes it: of documents and examples those
    `texts` and `vectors` that are given, else its own.

    Raises InputError where they are not to be had, or are others.
    """
    corpora = [corpus_of(project, role, given) for role, given in zip(FILES, texts, strict=True)]
    found = [
        vectors_of(project, role, corpus) if given is None else given
        for role, corpus, given in zip(FILES, corpora, vectors, strict=True)
    ]
    rows = project.texts(DOCUMENT)
    return {
        "documents": corpora[0].texts, "ids": [row.id for row in rows], "titles": [row.title for row in rows],
        "universum": corpora[1].texts or None, "embeddings": found[0], "universum_embeddings": found[1],
    }  # fmt: skip


def corpus_of(project: Project, role: str, given: Given = None) -> Corpus:
    """Return the documents or the off-topic examples of a project: those that are `given`, as texts or as a file; else
    those that it keeps; else those that lie where they lay.

    Raises InputError where they are not to be had, or are others.
    """
    if given is None:
        kept = kept_corpus(project, role)
        found = _read(project, role, file_of(project, role)) if kept is None else kept
    elif isinstance(given, str | os.PathLike):
        found = _read(project, role, given)
    else:
        found = _corpus(project, role, list(given))
    _check(project, role, found.texts)
    return found


def kept_corpus(project: Project, role: str) -> Corpus | None:
    """Return the texts of a project where it keeps them, or has none in this role."""
    bodies = [each.body for each in project.texts(role)]
    return None if None in bodies else _corpus(project, role, [str(body) for body in bodies])


def vectors_of(project: Project, role: str, corpus: Corpus) -> Any:
    """Return the vectors of a project's texts from where they lay, (n, d), or None where it names no file of them.

    Those of off-topic examples may be the column of their own file that has the name of the documents' column.
    """
    files, (texts, vectors) = files_of(project), FILES[role]
    own, beside = files.get(vectors), files.get("embeddings", "")
    if own is None and beside and is_column(beside, Path(files.get(texts, ""))):
        own = beside
    if own is None or not len(corpus):
        return None
    place = Path(files.get(texts, own))
    if not is_remembered(place if is_column(own, place) else Path(own)):
        raise InputError(f"{project.path} was made with the vectors {own}, which are not there; give them again")
    return read_vectors(own, place, corpus)


def _corpus(project: Project, role: str, texts: list[str]) -> Corpus:
    rows = project.texts(role)
    return Corpus([row.id for row in rows], texts, [row.title for row in rows])


def _read(project: Project, role: str, place: str | os.PathLike[str]) -> Corpus:
    reading = reading_of(read_as(project))
    return read_corpus(place, **(reading if role == DOCUMENT else without_roles(reading)))


def file_of(project: Project, role: str) -> str:
    """Return the file of a project's texts; raises InputError where it does not say, or nothing is there any more."""
    (name, how), place = _NAMED[role], files_of(project).get(FILES[role][0])
    if place is None:
        raise InputError(f"{project.path} keeps no texts; give its {name} again, in their order ({how})")
    if not is_remembered(Path(place)):
        raise InputError(f"{project.path} was made with the {name} {place}, which are not there; give them ({how})")
    return place


def _check(project: Project, role: str, texts: Sequence[str]) -> None:
    """Raise InputError where texts are not those of a project."""
    kept, (name, how) = project.texts(role), _NAMED[role]
    wrong = [each.id for each, text in zip(kept, texts, strict=False) if digest(text) != each.digest]
    if len(texts) != len(kept) or wrong:
        said = _differ(len(texts), len(kept), wrong)
        others = f"; on others its decisions are followed by `outgroup replay {project.path} DOCS`"
        raise InputError(
            f"these {name} ({how}) are not those of {project.path}: {said}{others if role == DOCUMENT else ''}"
        )


def _differ(given: int, kept: int, others: Sequence[str]) -> str:
    """Say how other texts differ from those that are kept."""
    if given != kept:
        return f"there are {given:,}, and it has {kept:,}; give the same, in their order"
    return f"{len(others):,} of {kept:,} have another text, the first is {others[0]!r:.60}; read them as they were then"
