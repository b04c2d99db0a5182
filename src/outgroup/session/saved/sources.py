"""What a project was made of: its own texts, or the files where they lay, read as they were then."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from ...errors import InputError
from ...places import Address, is_remembered, place_of
from ...storage.json_values import parse_json
from ...storage.project import Project
from ...text.reading.corpus import read_corpus
from ...text.reading.documents import Corpus
from ...text.reading.options import READ, reading_of, without_roles
from ...text.reading.vectors import is_column, read_vectors
from .past import digest

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
