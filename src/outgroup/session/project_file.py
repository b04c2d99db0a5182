"""The project file of a session: settings, texts, decisions, and versions with their names."""

from __future__ import annotations

import os
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime
from itertools import takewhile
from pathlib import Path, PurePosixPath, PureWindowsPath
from threading import Lock
from typing import Any, BinaryIO, NamedTuple, Self, TypedDict

import numpy as np

from ..decisions import Decision, parse
from ..decisions.state import State, by_row
from ..errors import DAMAGE, InputError, ModelError
from ..model import Model
from ..places import Address, is_remembered, place_of
from ..readers.documents import Corpus
from ..readers.vectors import is_column
from ..storage import state as storage
from ..storage.json_values import Count, checked, fitting
from ..storage.lines import REMEDY, Lines
from ..text.collection import Collection
from ..text.texts import as_texts
from ..types import Array
from .past import Past, digest, from_plain, past_of, to_plain
from .version import Version

SETTINGS, DOCUMENT, UNIVERSUM = "settings", "document", "universum"
LOG, VERSION, MODEL, NAME, ANSWER = "log", "version", "model", "name", "answer"
"""The kinds of lines; a line of the file is a pair (kind, value), and the last one of a value applies."""

_Change = tuple[Count, list[dict[str, Any]]]


class Settings(TypedDict):
    """The settings of a session, and those of the reader."""

    random_state: int
    reading: dict[str, Any]


class AnswerRecord(TypedDict):
    """The fields of an answer of a chat model, as in `answering.Answer`."""

    model: str
    answer: str
    reason: str
    tokens: Count
    error: str


class VersionRecord(TypedDict):
    """The fields of a version without those of `to_plain`: its number and that of its parent, its decisions as a change
    of the log, its groups, compressed, and the end and the seconds of its fit.
    """

    number: Count
    parent: Count | None
    log: _Change
    labels: str
    made: str | None
    seconds: float
    notes: list[str]


class Row(NamedTuple):
    """A document or an off-topic example; `text` is None if texts are not stored."""

    id: str
    title: str
    digest: str
    text: str | None


class Project(AbstractContextManager["Project"]):
    """An open project file, locked until it is closed: what it holds, and the entries that change it.

    `log` are the decisions in force, `versions` all versions by number, without models, and `names` the names of
    versions by number. The model of the first version is stored; that of another one is fitted again from its groups.
    `answers` are those of a chat model, by the key of the question.
    """

    def __init__(self, lines: Lines) -> None:
        self.path, self._lines, self._changes = lines.path, lines, Lock()
        self.settings: Any = None
        self._model: Any = None
        self._log: list[Decision] = []
        self.rows: dict[str, list[Row]] = {DOCUMENT: [], UNIVERSUM: []}
        self.versions, self.names = dict[int, Version](), dict[int, str]()
        self.answers: dict[str, AnswerRecord] = {}
        for number, entry in lines.read():
            try:
                self._take(*checked(entry, tuple[str, Any]))
            except (zlib.error, *DAMAGE) as error:
                raise ModelError(f"{self.path} is damaged: line {number}: {error!s:.200}; {REMEDY}") from error
        if not (self.settings and self.versions and self._model):
            raise ModelError(f"{self.path} is damaged: it has no settings, no version or no model; {REMEDY}")

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """Open a project file; raise ModelError if it is not one, damaged, of another version, or already open."""
        lines = Lines(path)
        try:
            return cls(lines)
        except BaseException:
            lines.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._lines.close()

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def log(self) -> tuple[Decision, ...]:
        """The decisions in force."""
        return tuple(self._log)

    def replace_log(self, log: Sequence[Decision]) -> None:
        """Write a log."""
        with self._changes:
            self._write(LOG, _change(self._log, log))

    def keep(self, version: Version) -> None:
        """Write a version, in place of one with the same number."""
        with self._changes:  # an entry is a change of the log as it stands before
            self._write(VERSION, _record(version, self._log))

    def name(self, number: int, name: str) -> None:
        """Write the name of a version, "" for none."""
        with self._changes:
            self._write(NAME, (number, name))

    def keep_answers(self, answers: Mapping[str, Mapping[str, Any]]) -> None:
        """Write answers of a chat model, by the key of the question."""
        with self._changes:
            for key, answer in answers.items():
                self._write(ANSWER, (key, answer))

    def _write(self, kind: str, value: Any) -> None:
        self._lines.append((kind, value))
        self._take(kind, value)

    def _take(self, kind: str, value: Any) -> None:
        """Apply an entry; raise ValueError for an invalid one."""
        if kind == SETTINGS:
            self.settings = checked(value, Settings)
        elif kind in self.rows:
            self.rows[kind].append(Row(*checked(value, tuple[str, str, str, str | None])))
        elif kind == LOG:
            self._log = self._changed(value)
        elif kind == VERSION:
            self.versions[value["number"]] = self._version(checked(value, VersionRecord))
        elif kind == MODEL:
            self._model = checked(value, tuple[str, str])
        elif kind == ANSWER:
            key, answer = checked(value, tuple[str, AnswerRecord])
            self.answers[key] = answer
        elif kind == NAME:
            number, name = checked(value, tuple[Count, str])
            self.names |= {number: name}
            if not name:
                del self.names[number]
        else:
            raise ModelError(f"it has an unknown entry {kind!r:.20}")

    def _changed(self, change: Any) -> list[Decision]:
        """Return the log after a change from `_change`."""
        count, new = checked(change, _Change)
        return [*self._log[:count], *map(parse, new)]

    def _version(self, record: VersionRecord) -> Version:
        ids, groups = [row.id for row in self.rows[DOCUMENT]], from_plain(record)
        automatic_names, labels = groups.pop("automatic_names"), unpacked(record["labels"], len(ids))
        if not {*np.unique(labels).tolist()} <= {-1, *groups["numbers"]}:
            raise ModelError("a document has an unknown group")
        by_place = by_row(groups.pop("pins"), groups.pop("away"), {identity: row for row, identity in enumerate(ids)})
        return Version(
            record["number"],
            ids,
            State(labels, np.zeros(len(ids), dtype=bool), **groups, **by_place),
            tuple(self._changed(record["log"])),
            self.versions.get(-1 if record["parent"] is None else record["parent"]),
            tuple(record["notes"]),
            record["seconds"],
            datetime.fromisoformat(record["made"]) if record["made"] else None,
            automatic_names=automatic_names,
        )

    def first_version(self) -> Past:
        """Return the first version."""
        try:
            model = Model.from_state(storage.unpacked(self._model[0].encode(), b64decode(self._model[1])))
        except DAMAGE as error:
            raise ModelError(f"{self.path} is damaged: its model {error!s:.200}; {REMEDY}") from error
        first = next(iter(self.versions.values()))
        return past_of(first, model, {row.id: row.digest for row in self.rows[DOCUMENT]})

    def history(self, first: Version) -> list[Version]:
        """Return all versions; only the first has its model."""
        history: dict[int, Version] = {}
        for number, version in self.versions.items():
            if number == first.number:
                history[number] = replace(first, seconds=version.seconds, made=version.made)
            else:
                before = history[max(history)] if version.parent is None else history[version.parent.number]
                history[number] = replace(version, ids=first.ids, parent=before)
        return list(history.values())


def create(
    file: BinaryIO,
    settings: Mapping[str, Any],
    documents: Collection,
    universum: Sequence[str],
    version: Version,
    names: Mapping[int, str],
    *,
    embed: bool,
) -> None:
    """Write a project file with a version and all earlier ones; with `embed`, the texts themselves."""

    def entries() -> Iterator[tuple[str, Any]]:
        yield SETTINGS, settings
        for role, *columns in (
            (DOCUMENT, documents.ids, documents.titles, documents.texts),
            (UNIVERSUM, map(str, range(len(universum))), [""] * len(universum), universum),
        ):
            for identity, title, text in zip(*columns, strict=True):
                yield role, Row(identity, title, digest(text), text if embed else None)
        yield LOG, _change((), version.decisions)
        for earlier in version.chain:
            yield VERSION, _record(earlier, version.decisions)
            if earlier.number in names:
                yield NAME, (earlier.number, names[earlier.number])
        yield MODEL, _packed(version.first)

    Lines.create(file, entries())


def _change(before: Sequence[Decision], after: Sequence[Decision]) -> _Change:
    """Return a log as a change of another: the number of decisions that stay, and the decisions that follow."""
    records = [decision.to_dict() for decision in after]
    same = takewhile(lambda pair: pair[0].to_dict() == pair[1], zip(before, records, strict=False))
    count = sum(1 for _ in same)
    return count, records[count:]


def _record(version: Version, log: Sequence[Decision]) -> dict[str, Any]:
    state, parent, made = version.state, version.parent, version.made
    content = to_plain(vars(state) | {"automatic_names": version.automatic_names} | state.by_id(version.ids))
    return content | {
        "number": version.number,
        "parent": None if parent is None else parent.number,
        "log": _change(log, version.decisions),
        "labels": b64encode(zlib.compress(np.asarray(version.labels, dtype="<i4").tobytes())).decode(),
        "made": None if made is None else made.isoformat(timespec="seconds"),
        "seconds": version.seconds,
        "notes": list(version.notes),
    }


def _packed(version: Any) -> tuple[str, str]:
    content = version.model.to_state(rows=False)
    if (meaning := version.model.representation_.meaning) is not None:
        content["encoder"] = meaning.to_state(vectors=True)  # a reopened session does not encode its texts again
    values, arrays = storage.packed(content)
    return values.decode(), b64encode(arrays).decode()


def unpacked(labels: str, count: int) -> Array:
    """Return the group numbers of `count` documents, (count,) int32; raise ValueError if they are invalid."""
    raw = zlib.decompressobj().decompress(b64decode(labels), 4 * count + 1)  # no more: a file that was sent may lie
    if len(raw) != 4 * count:
        raise ValueError(f"it does not have the groups of {count} documents")
    return np.frombuffer(raw, dtype="<i4").astype(np.int32)


# --- The texts of a project, and the relative paths of their files, for programs that read them

FILES = {DOCUMENT: ("docs", "embeddings"), UNIVERSUM: ("universum", "universum_embeddings")}
"""The settings with the paths of texts and of their vectors, by role."""

_TEXTS_OF = {"docs": "", "universum": "", "embeddings": "docs", "universum_embeddings": "universum"}  # vectors: texts
_NAMED = {DOCUMENT: "documents (documents=, DOCS)", UNIVERSUM: "off-topic examples (universum=, --universum)"}


def with_relative_paths(reading: Mapping[str, Any], project: Path) -> dict[str, Any]:
    """Return the reader settings, with files relative to the project's folder; addresses and standard input are
    omitted.
    """
    options = {name: value for name, value in reading.items() if name not in _TEXTS_OF}
    ways = {name: _relative_path(name, reading, project) for name in _TEXTS_OF}
    return options | {name: way for name, way in ways.items() if way is not None}


def _relative_path(name: str, reading: Mapping[str, Any], project: Path) -> str | None:
    place = reading.get(name)
    if place is None or isinstance(place, Address) or str(place) == "-":
        return None
    if _names_column(name, reading):
        return str(place)
    try:
        return Path(os.path.relpath(os.path.realpath(place), os.path.realpath(project.parent))).as_posix()
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
    saved = fitting(project.settings["reading"], _TEXTS_OF, str)
    folder = os.path.realpath(project.path.parent)
    return {
        name: way if _names_column(name, saved) else os.path.normpath(os.path.join(folder, way))
        for name, way in saved.items()
        if not (PurePosixPath(way).is_absolute() or PureWindowsPath(way).drive or "\0" in way)
    }


def inputs_of(project: Project, documents: Any, universum: Any) -> dict[str, Any]:
    """Return the arguments of `Session.after` for a project: the given texts, or the saved ones.

    Raises InputError if texts are missing, or differ from the saved ones.
    """
    corpora = []
    for role, given in ((DOCUMENT, documents), (UNIVERSUM, universum)):
        if (corpus := stored_corpus(project, role, given)) is None:
            raise InputError(_missing(project, role))
        corpora.append(corpus)
    corpus, examples = corpora
    return {"documents": corpus.texts, "ids": corpus.ids, "titles": corpus.titles, "universum": examples.texts or None}


def stored_corpus(project: Project, role: str, given: Any = None) -> Corpus | None:
    """Return the saved texts of a role, or the `given` ones if they are the same; None if only digests are saved."""
    rows = project.rows[role]
    texts = [row.text or "" for row in rows] if given is None else as_texts(given, "texts")
    if given is None and any(row.text is None for row in rows):
        return None
    if (fault := _fault(rows, texts)) is not None:
        raise InputError(f"these {_NAMED[role]} are not those of {project.path}: {fault}")
    return Corpus([row.id for row in rows], texts, [row.title for row in rows])


def _missing(project: Project, role: str) -> str:
    return f"{project.path} does not contain the texts: give its {_NAMED[role]} again, in the same order"


def file_of(project: Project, role: str) -> str:
    """Return the file of a project's texts; raise InputError if none is saved or the file is missing."""
    place = files_of(project).get(FILES[role][0])
    if place is None:
        raise InputError(_missing(project, role))
    if not is_remembered(Path(place)):
        raise InputError(f"{project.path} uses {place}, which no longer exists: give the {_NAMED[role]}")
    return place


def _fault(rows: Sequence[Row], texts: Sequence[str]) -> str | None:
    """Describe how texts differ from the saved ones; None if they do not."""
    if len(texts) != len(rows):
        return f"there are {len(texts):,}, but the project has {len(rows):,}; give the same texts in the same order"
    wrong = [row.id for row, text in zip(rows, texts, strict=True) if digest(text) != row.digest]
    if not wrong:
        return None
    first = f"the first is {wrong[0]!r:.60}"
    return f"{len(wrong):,} of {len(rows):,} have another text, {first}; read the texts with the same settings"
