"""Convert versions, texts and their sources to and from records of a project file."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, NamedTuple, TypedDict, TypeVar, cast

import numpy as np

from ..decisions import Decision, parse
from ..decisions.state import State, by_row
from ..errors import DAMAGE, InputError, ModelError
from ..model import Model
from ..places import Address, is_remembered, place_of
from ..readers.corpus import READ, read_corpus, reading_of, without_roles
from ..readers.documents import Corpus
from ..readers.vectors import is_column, read_vectors
from ..storage import state as storage
from ..storage.json_values import Count, fitting, parse_json
from ..storage.project import Project, Record
from ..text.collection import Collection
from ..types import Array
from .past import Past, digest, from_plain, to_plain
from .version import Assignment, Version

SETTINGS, DOCUMENT, UNIVERSUM, DECISION = "settings", "document", "universum", "decision"
LOG, VERSION, LABELS, MODEL, NAME = "log", "version", "labels", "model", "name"
"""The kinds of records; labels, models and names have the number of their version, and a log those of its decisions."""

_AGAIN = "restore it from a backup"
T = TypeVar("T")
_json = partial(json.dumps, ensure_ascii=False)


class Settings(TypedDict):
    """The settings of a session, and those of the reader."""

    random_state: int
    reading: dict[str, Any]


class VersionRecord(TypedDict):
    """The fields of a version beside those of `to_plain`: its parent's number, the numbers of its decisions, and the
    end and the seconds of its fit.
    """

    parent: Count | None
    log: list[Count]
    made: str | None
    seconds: float
    notes: list[str]


class Row(NamedTuple):
    """A document or an off-topic example; `text` is None if texts are not stored."""

    id: str
    title: str
    digest: str
    text: str | None


def first_records(
    random_state: int, reading: Mapping[str, Any], documents: Collection, universum: Sequence[str], embed: bool
) -> Iterator[Record]:
    """Yield the settings and the texts of a new project; with `embed`, the texts themselves."""
    yield Record(SETTINGS, 0, json.dumps({"random_state": random_state, "reading": reading}))
    for role, *columns in (
        (DOCUMENT, documents.ids, documents.titles, documents.texts),
        (UNIVERSUM, map(str, range(len(universum))), [""] * len(universum), universum),
    ):
        for place, (identity, title, text) in enumerate(zip(*columns, strict=True)):
            yield Record(role, place, _json(Row(identity, title, digest(text), text if embed else None)))


class Log:
    """The decisions of a project file by number; a log is a list of numbers, and undone decisions keep theirs."""

    def __init__(self, bodies: Mapping[int, str]) -> None:
        self.bodies = dict(bodies)

    def numbers(self, log: Sequence[Decision]) -> tuple[list[int], list[Record]]:
        """Return the numbers of the decisions of a log, from 1, and records of the decisions that are new."""
        found, new, free = list[int](), list[Record](), dict[str, list[int]]()
        for number, body in self.bodies.items():
            free.setdefault(body, []).append(number)
        for each in log:
            body = _json(each.to_dict())
            if not free.get(body):
                number = max(self.bodies, default=0) + 1
                self.bodies[number], free[body] = body, [number]
                new.append(Record(DECISION, number, body))
            found.append(free[body].pop(0))
        return found, new

    def records(self, log: Sequence[Decision]) -> list[Record]:
        """Return the records by which a log becomes that of the project."""
        numbers, new = self.numbers(log)
        return [*new, Record(LOG, 0, json.dumps(numbers))]


def version_records(version: Assignment, log: Log, *, model: bool) -> list[Record]:
    """Return the records of a version; with `model`, they include the model, if there is one."""
    numbers, new = log.numbers(version.decisions)
    number, state, parent, made = version.number, version.state, version.parent, version.made
    content = to_plain(vars(state) | {"numbers": version.numbers, "called": version.called} | state.by_id(version.ids))
    content |= {
        "parent": None if parent is None else parent.number,
        "log": numbers,
        "made": None if made is None else made.isoformat(timespec="seconds"),
        "seconds": version.seconds,
        "notes": list(version.notes),
    }
    labels = zlib.compress(np.asarray(version.labels, dtype="<i4").tobytes())
    packed = _packed(version) if model and isinstance(version, Version) else None
    own = [Record(VERSION, number, _json(content)), Record(LABELS, number, labels), Record(MODEL, number, packed)]
    return [*new, *own]


def _packed(version: Version) -> bytes:
    content = version.model.to_state(rows=False)
    if version.parent is None and (meaning := version.model.representation_.meaning) is not None:
        content["encoder"] = meaning.to_state(vectors=True)  # a reopened session does not encode its texts again
    return b"\n".join(storage.packed(content))


def unpacked(labels: bytes, count: int) -> Array:
    """Return the group numbers of `count` documents, (count,) int32; raise ValueError if they are invalid."""
    numbers = zlib.decompressobj().decompress(labels, 4 * count + 1)  # no more: a file that was sent may lie
    if len(numbers) != 4 * count:
        raise ValueError(f"it does not have the groups of {count} documents")
    return np.frombuffer(numbers, dtype="<i4").astype(np.int32)


def _parsed(project: Project, kind: str, parser: Callable[[Any], T], number: int | None = None) -> dict[int, T]:
    """Return parsed records by number; raise ModelError if one is damaged."""
    found = {}
    for place, body in project.read(kind, number).items():
        try:
            found[place] = parser(body)
        except (zlib.error, *DAMAGE) as error:
            raise ModelError(f"{project.path}: {kind} {place} is damaged: {error!s:.200}; {_AGAIN}") from error
    if kind in (SETTINGS, VERSION, LOG) and not found:
        raise ModelError(f"{project.path} is damaged: it contains no {kind}; {_AGAIN}")
    return found


def settings_of(project: Project) -> Settings:
    """Return the settings of a project."""
    return next(iter(_parsed(project, SETTINGS, lambda body: cast(Settings, parse_json(body, Settings))).values()))


def rows_of(project: Project, role: str) -> list[Row]:
    """Return the documents or off-topic examples of a project."""
    kind = tuple[str, str, str, str | None]
    return [*_parsed(project, role, lambda body: Row(*parse_json(body, kind))).values()]


def read_decisions(project: Project) -> Log:
    """Return all decisions of a project, also undone ones."""
    return Log(project.read(DECISION))


def read_log(project: Project) -> tuple[Decision, ...]:
    """Return the decisions in force of a project."""
    (numbers,) = _parsed(project, LOG, lambda body: parse_json(body, list[Count])).values()
    return _decisions(project, numbers)


def _decisions(project: Project, numbers: Iterable[int]) -> tuple[Decision, ...]:
    """Return the decisions with these numbers; raise ModelError if one is missing."""
    known = _parsed(project, DECISION, lambda body: parse(parse_json(body)))
    try:
        return tuple(known[number] for number in numbers)
    except KeyError as error:
        raise ModelError(f"{project.path} is damaged: decision {error} is lost; {_AGAIN}") from error


def versions_of(project: Project) -> dict[int, dict[str, Any]]:
    """Return the fields of all versions by number, with documents by id."""

    def parser(body: Any) -> dict[str, Any]:
        content = parse_json(body, VersionRecord)
        made = content["made"] and datetime.fromisoformat(content["made"])
        kept = {name: content[name] for name in VersionRecord.__annotations__}
        return from_plain(content) | kept | {"made": made, "notes": tuple(content["notes"])}

    return _parsed(project, VERSION, parser)


def model_of(project: Project, number: int) -> Model | None:
    """Return the model of a version, None if it is not saved."""

    def parser(body: bytes) -> Model:
        content, _, arrays = body.partition(b"\n")
        return Model.from_state(storage.unpacked(content, arrays))

    return _parsed(project, MODEL, parser, number).get(number)


def first_past(project: Project) -> Past:
    """Return the first version of a project."""
    number, found = next(iter(versions_of(project).items()))
    kept = {name: found.pop(name) for name in VersionRecord.__annotations__}
    model, rows = model_of(project, number), rows_of(project, DOCUMENT)
    labels = _parsed(project, LABELS, partial(unpacked, count=len(rows)), number).get(number)
    if model is None or labels is None:
        raise ModelError(f"{project.path} is damaged: the model of version {number} is not saved; {_AGAIN}")
    groups = {row.id: group for row, group in zip(rows, labels.tolist(), strict=True)}
    digests, decisions = {row.id: row.digest for row in rows}, _decisions(project, kept["log"])
    return Past(number, groups, digests, decisions=decisions, model=model, **found)


def history(project: Project, first: Version) -> list[Assignment]:
    """Return all versions of a project; only the first has its model."""
    row_of = {each: row for row, each in enumerate(first.ids)}
    labels = _parsed(project, LABELS, partial(unpacked, count=len(first.ids)))
    found: dict[int, Assignment] = {}
    for number, values in versions_of(project).items():
        if number == first.number:
            found[number] = replace(first, seconds=values["seconds"], made=values["made"])
            continue
        kept = {name: values.pop(name) for name in ("numbers", "called", "notes", "seconds", "made")}
        parent, decisions, given = values.pop("parent"), _decisions(project, values.pop("log")), labels.get(number)
        if given is None or not {*np.unique(given).tolist()} <= {-1, *kept["numbers"]}:
            raise ModelError(f"{project.path}: version {number} is damaged: groups are lost; {_AGAIN}")
        values |= by_row(values["pins"], values["away"], row_of)
        state = State(given, np.zeros(len(given), dtype=bool), numbers=kept["numbers"], **values)
        kept |= {"decisions": decisions, "parent": found.get(parent, found[max(found)])}
        found[number] = Assignment(number, first.ids, given, state=state, **kept)
    return list(found.values())


# --- Sources of a project: the saved texts, or their files at relative paths

Given = Sequence[str] | str | os.PathLike[str] | None
"""Texts, or the path of their file; None for the saved texts or files."""

FILES = {DOCUMENT: ("docs", "embeddings"), UNIVERSUM: ("universum", "universum_embeddings")}
"""The settings with the paths of texts and of their vectors, by role."""

_TEXTS_OF = {"docs": "", "universum": "", "embeddings": "docs", "universum_embeddings": "universum"}  # vectors: texts
_NAMED = {DOCUMENT: "documents (documents=, DOCS)", UNIVERSUM: "off-topic examples (universum=, --universum)"}


def to_keep(reading: Mapping[str, Any], project: Path) -> dict[str, Any]:
    """Return the reader settings, with files relative to the project's folder; addresses and standard input are
    omitted.
    """
    kept = {name: value for name, value in reading.items() if name not in _TEXTS_OF}
    ways = {name: _way(name, reading, project) for name in _TEXTS_OF}
    return kept | {name: way for name, way in ways.items() if way is not None}


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


def files_of(project: Project) -> dict[str, str]:
    """Return the source files of a project, or the column of its vectors, by setting name.

    Absolute paths are ignored: a project file from another person must not choose where to read.
    """
    saved = fitting(settings_of(project)["reading"], _TEXTS_OF, str)
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
    corpora = [_corpus_of(project, role, given) for role, given in zip(FILES, texts, strict=True)]
    found = [
        _vectors_of(project, role, corpus) if given is None else given
        for role, corpus, given in zip(FILES, corpora, vectors, strict=True)
    ]
    return {
        "documents": corpora[0].texts,
        "ids": corpora[0].ids,
        "titles": corpora[0].titles,
        "universum": corpora[1].texts or None,
        "embeddings": found[0],
        "universum_embeddings": found[1],
    }


def _corpus_of(project: Project, role: str, given: Given) -> Corpus:
    """Return the documents or off-topic examples of a project: from the `given` texts or file, or the saved texts.

    Raises InputError if they are missing, or differ from the saved ones.
    """
    rows, found = rows_of(project, role), kept_corpus(project, role)
    if given is not None or found is None:
        place = file_of(project, role) if given is None else given
        found = _read(project, role, place) if isinstance(place, str | os.PathLike) else _corpus(rows, place)
    if (fault := _fault(rows, found.texts)) is not None:
        raise InputError(f"these {_NAMED[role]} are not those of {project.path}: {fault}")
    return replace(found, ids=[row.id for row in rows], titles=[row.title for row in rows])


def kept_corpus(project: Project, role: str) -> Corpus | None:
    """Return the saved texts of a role; None if only digests are saved."""
    rows = rows_of(project, role)
    texts = [row.text for row in rows if row.text is not None]
    return _corpus(rows, texts) if len(texts) == len(rows) else None


def _corpus(rows: Sequence[Row], texts: Sequence[str]) -> Corpus:
    return Corpus([row.id for row in rows], list(texts), [row.title for row in rows])


def _read(project: Project, role: str, place: str | os.PathLike[str]) -> Corpus:
    reading = reading_of(fitting(settings_of(project)["reading"], READ, str | bool))
    return read_corpus(place, **(reading if role == DOCUMENT else without_roles(reading)))


def file_of(project: Project, role: str) -> str:
    """Return the file of a project's texts; raise InputError if none is saved or the file is missing."""
    place = files_of(project).get(FILES[role][0])
    if place is None:
        raise InputError(f"{project.path} does not contain the texts: give its {_NAMED[role]} again, in the same order")
    if not is_remembered(Path(place)):
        raise InputError(f"{project.path} uses {place}, which no longer exists: give the {_NAMED[role]}")
    return place


def _vectors_of(project: Project, role: str, corpus: Corpus) -> Any:
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


def _fault(rows: Sequence[Row], texts: Sequence[str]) -> str | None:
    """Describe how texts differ from the saved ones; None if they do not."""
    if len(texts) != len(rows):
        return f"there are {len(texts):,}, but the project has {len(rows):,}; give the same texts in the same order"
    wrong = [row.id for row, text in zip(rows, texts, strict=True) if digest(text) != row.digest]
    if not wrong:
        return None
    first = f"the first is {wrong[0]!r:.60}"
    return f"{len(wrong):,} of {len(rows):,} have another text, {first}; read the texts with the same settings"
