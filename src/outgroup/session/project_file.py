"""Convert versions, texts and their sources to and from records of a project file."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, cast

import numpy as np

from ..decisions import Decision, parse
from ..decisions.state import State, by_row
from ..document_clustering import DocumentClustering
from ..errors import DAMAGE, InputError, ModelError
from ..places import Address, is_remembered, place_of
from ..readers.corpus import READ, read_corpus, reading_of, without_roles
from ..readers.documents import Corpus
from ..readers.vectors import is_column, read_vectors
from ..storage import state as storage
from ..storage.json_values import fitting, parse_json
from ..storage.project import KeptVersion, Project, Text, packed, unpacked
from ..text.collection import Collection
from .past import FORM, FORMAT, Past, VersionRecord, digest, from_plain, to_plain
from .version import Assignment, Version

_TIME = "%Y-%m-%d %H:%M:%S"  # UTC, the format of SQLite


def kept_texts(documents: Collection, universum: Sequence[str], embed: bool) -> list[Text]:
    """Return the text records of a project; with `embed`, they include the texts."""
    each = zip(documents.ids, documents.titles, documents.texts, strict=True)
    found = [
        Text(DOCUMENT, place, identity, title, digest(text), text if embed else None)
        for place, (identity, title, text) in enumerate(each)
    ]
    more = enumerate(universum)
    return found + [Text(UNIVERSUM, i, str(i), "", digest(text), text if embed else None) for i, text in more]


def kept_version(version: Assignment, *, model: bool) -> KeptVersion:
    """Return the record of a version; with `model`, it includes the model, if there is one."""
    state, parent, made = version.state, version.parent, version.made
    body = to_plain(vars(state) | {"numbers": version.numbers, "called": version.called} | state.by_id(version.ids))
    kept = KeptVersion(
        version.number,
        None if parent is None else parent.number,
        len(version.decisions),
        "" if made is None else made.strftime(_TIME),
        version.seconds,
        packed(version.labels),
        json.dumps(body | {"notes": list(version.notes)}, ensure_ascii=False),
    )
    if not model or not isinstance(version, Version):
        return kept
    content = version.model.to_state(rows=False)
    if parent is None and (meaning := version.model.representation_.meaning) is not None:
        content["encoder"] = meaning.to_state(vectors=True)  # a reopened session does not encode its texts again
    return _with_model(kept, content)


def _with_model(kept: KeptVersion, state: dict[str, Any]) -> KeptVersion:
    with tempfile.TemporaryDirectory() as place:
        storage.write(Path(place), state)
        content, arrays = (Path(place) / storage.JSON).read_text(encoding="utf-8"), (Path(place) / storage.ARRAYS)
        return kept._replace(model=content, arrays=arrays.read_bytes())


def first_past(project: Project, log: Sequence[Decision]) -> Past:
    """Return the first version of a project; raise ModelError if it is damaged."""
    versions = project.versions()
    if not versions:
        raise ModelError(f"{project.path} is damaged: it contains no version; restore it from a backup")
    return past_of(project.version(versions[0].number), project.texts(DOCUMENT), log)


def past_of(kept: KeptVersion, texts: Sequence[Text], log: Sequence[Decision]) -> Past:
    """Return the saved form of a version and its decisions; raise ModelError if it is damaged."""
    model = model_of(kept)
    with _damage(kept.number):
        labels = unpacked(kept.labels, len(texts)).tolist()
        documents = {each.id: [group, each.digest] for each, group in zip(texts, labels, strict=True)}
        decisions = [each.to_dict() for each in log[: kept.log_end]]
        more = {"version": kept.number, "decisions": decisions, "documents": documents}
        content = {"format": FORMAT, "form": FORM} | parse_json(kept.body) | more
    return Past.from_dict(content, model)


def model_of(kept: KeptVersion) -> DocumentClustering:
    """Return the model of a version; raise ModelError if it is missing or damaged."""
    if kept.model is None or kept.arrays is None:
        raise ModelError(f"the model of version {kept.number} is not saved")
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / storage.JSON).write_text(kept.model, encoding="utf-8")
        (Path(place) / storage.ARRAYS).write_bytes(kept.arrays)
        try:
            return DocumentClustering.load(place)
        except ModelError as error:
            raise ModelError(
                f"the model of version {kept.number} is damaged; restore the file from a backup"
            ) from error


def history(project: Project, first: Version, log: Sequence[Decision]) -> list[Assignment]:
    """Return all versions of a project; only the first has its model.

    Raises ModelError if one is damaged.
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
    content, ids = parse_json(kept.body, VersionRecord), parent.ids
    values = from_plain(content)
    labels, numbers, called = unpacked(kept.labels, len(ids)), values.pop("numbers"), values.pop("called")
    if not {*np.unique(labels).tolist()} <= {-1, *numbers}:
        raise ValueError("a document has an unknown group")
    values |= by_row(values["pins"], values["away"], row_of)
    state = State(labels, numbers, np.zeros(len(labels), dtype=bool), **values)
    notes = tuple(content.get("notes", ()))
    more: dict[str, Any] = {"seconds": kept.seconds, "made": _when(kept), "called": called}
    return Assignment(kept.number, ids, labels, numbers, state, decisions, parent, notes, **more)


def _when(kept: KeptVersion) -> datetime | None:
    return datetime.strptime(kept.made, _TIME).replace(tzinfo=UTC) if kept.made else None


@contextmanager
def _damage(number: int) -> Iterator[None]:
    """Convert errors of damaged content to a ModelError that names the version."""
    try:
        yield
    except DAMAGE as error:
        raise ModelError(f"version {number} is damaged: {error!s:.200}") from error


def read_log(project: Project) -> tuple[Decision, ...]:
    """Return the decisions of a project."""
    try:
        return tuple(parse(parse_json(each)) for each in project.log())
    except DAMAGE as error:
        message = f"{project.path} is damaged: its decisions cannot be read: {error!s:.200}"
        raise ModelError(f"{message}; restore it from a backup") from error


def written(decisions: Sequence[Decision]) -> list[str]:
    """Return decisions as JSON lines for a project."""
    return [json.dumps(each.to_dict(), ensure_ascii=False) for each in decisions]


# --- Sources of a project: the saved texts, or their files at relative paths

Given = Sequence[str] | str | os.PathLike[str] | None
"""Texts, or the path of their file; None for the saved texts or files."""

DOCUMENT, UNIVERSUM = "document", "universum"
FILES = {DOCUMENT: ("docs", "embeddings"), UNIVERSUM: ("universum", "universum_embeddings")}
"""The settings with the paths of texts and of their vectors, by role."""

_TEXTS_OF = {"docs": "", "universum": "", "embeddings": "docs", "universum_embeddings": "universum"}  # vectors: texts
_NAMED = {DOCUMENT: ("documents", "documents=, DOCS"), UNIVERSUM: ("off-topic examples", "universum=, --universum")}


def to_keep(reading: Mapping[str, Any], project: Path) -> str:
    """Return the reader settings as JSON, with files relative to the project's folder; addresses and standard input are
    omitted.
    """
    kept = {name: value for name, value in reading.items() if name not in _TEXTS_OF}
    ways = {name: _way(name, reading, project) for name in _TEXTS_OF}
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
    """Return whether the vectors are a column of the file that contains the texts."""
    texts = places.get(_TEXTS_OF[name])
    return texts is not None and is_column(str(places[name]), place_of(texts))


def asked(project: Project) -> dict[str, Any]:
    """Return the saved settings of a project; {} if there are none."""
    try:
        return cast(dict[str, Any], parse_json(project.settings()["reading"], dict))
    except (ValueError, KeyError, TypeError):
        return {}


def read_as(project: Project) -> dict[str, Any]:
    """Return the saved reader settings of a project."""
    return fitting(asked(project), READ, str | bool)


def files_of(project: Project) -> dict[str, str]:
    """Return the source files of a project, or the column of its vectors, by setting name.

    Absolute paths are ignored: a project file from another person must not choose where to read.
    """
    saved = fitting(asked(project), _TEXTS_OF, str)
    folder = os.path.realpath(project.path.parent)
    return {
        name: way if _names_column(name, saved) else os.path.normpath(os.path.join(folder, way))
        for name, way in saved.items()
        if not (PurePosixPath(way).is_absolute() or PureWindowsPath(way).drive or "\0" in way)
    }


def inputs_of(project: Project, texts: tuple[Given, Given], vectors: tuple[Any, Any]) -> dict[str, Any]:
    """Return the arguments of `Session.after` for a project: the given `texts` and `vectors`, or the saved ones.

    Raises InputError if texts or vectors are missing, or differ from the saved ones.
    """
    corpora = [corpus_of(project, role, given) for role, given in zip(FILES, texts, strict=True)]
    found = [
        vectors_of(project, role, corpus) if given is None else given
        for role, corpus, given in zip(FILES, corpora, vectors, strict=True)
    ]
    rows = project.texts(DOCUMENT)
    return {
        "documents": corpora[0].texts,
        "ids": [row.id for row in rows],
        "titles": [row.title for row in rows],
        "universum": corpora[1].texts or None,
        "embeddings": found[0],
        "universum_embeddings": found[1],
    }


def corpus_of(project: Project, role: str, given: Given = None) -> Corpus:
    """Return the documents or off-topic examples of a project: from the `given` texts or file, or the saved texts.

    Raises InputError if they are missing, or differ from the saved ones.
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
    """Return the saved texts of a role; None if only digests are saved."""
    bodies = [each.body for each in project.texts(role)]
    return None if None in bodies else _corpus(project, role, [str(body) for body in bodies])


def vectors_of(project: Project, role: str, corpus: Corpus) -> Any:
    """Return the vectors of a project's texts, (n, d), from the saved file; None if no file is saved.

    The vectors of off-topic examples may be the column of their own file with the name of the documents' column.
    """
    files, (texts, vectors) = files_of(project), FILES[role]
    own, beside = files.get(vectors), files.get("embeddings", "")
    if own is None and beside and is_column(beside, Path(files.get(texts, ""))):
        own = beside
    if own is None or not len(corpus):
        return None
    place = Path(files.get(texts, own))
    if not is_remembered(place if is_column(own, place) else Path(own)):
        raise InputError(f"{project.path} uses the vectors {own}, which no longer exist: give the vectors again")
    return read_vectors(own, place, corpus)


def _corpus(project: Project, role: str, texts: list[str]) -> Corpus:
    rows = project.texts(role)
    return Corpus([row.id for row in rows], texts, [row.title for row in rows])


def _read(project: Project, role: str, place: str | os.PathLike[str]) -> Corpus:
    reading = reading_of(read_as(project))
    return read_corpus(place, **(reading if role == DOCUMENT else without_roles(reading)))


def file_of(project: Project, role: str) -> str:
    """Return the file of a project's texts; raise InputError if none is saved or the file is missing."""
    (name, how), place = _NAMED[role], files_of(project).get(FILES[role][0])
    if place is None:
        raise InputError(f"{project.path} does not contain the texts: give its {name} again, in the same order ({how})")
    if not is_remembered(Path(place)):
        raise InputError(f"{project.path} uses the {name} {place}, which no longer exist: give them ({how})")
    return place


def _check(project: Project, role: str, texts: Sequence[str]) -> None:
    """Raise InputError if texts differ from those of the project."""
    kept, (name, how) = project.texts(role), _NAMED[role]
    wrong = [each.id for each, text in zip(kept, texts, strict=False) if digest(text) != each.digest]
    if len(texts) != len(kept) or wrong:
        why = _differ(len(texts), len(kept), wrong)
        raise InputError(f"these {name} ({how}) are not those of {project.path}: {why}")


def _differ(given: int, kept: int, others: Sequence[str]) -> str:
    """Describe how the given texts differ from the saved ones."""
    if given != kept:
        return f"there are {given:,}, but the project has {kept:,}; give the same texts in the same order"
    first = f"the first is {others[0]!r:.60}"
    return f"{len(others):,} of {kept:,} have another text, {first}; read the texts with the same settings"
