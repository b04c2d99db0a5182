"""What a job reads: documents, off-topic examples, vectors, columns beside texts, and earlier settings."""

from __future__ import annotations

import os
import re
import shlex
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from math import inf
from pathlib import Path
from shlex import quote
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from typer import BadParameter

from ..document_clustering import DocumentClustering
from ..errors import InputError, ModelError, OutgroupWarning
from ..places import Address, Place, is_remembered, place_of
from ..readers.corpus import READ, read_corpus, reading_of, without_roles
from ..readers.dates import dates, days_of_seconds, holds_dates, periods
from ..readers.documents import Corpus, all_in_words, reasons
from ..readers.fields import name_among
from ..readers.vectors import is_column, read_vectors
from ..report.facts import By
from ..report.sentences import counted
from ..report.summary import by_column
from ..session.project_file import FILES, asked, files_of
from ..storage.json_values import parse_json
from ..storage.project import Project
from ..text.embeddings import encoded, encoder_of
from ..types import Array
from .assignments import RUN
from .options import FIXED, as_text, option
from .output import Steps
from .settings import ClusterSettings
from .xlsx import check_rows

# --- What a job reads: documents, off-topic examples, and the vectors of both

_TOLD = 4  # reasons why something was skipped
_PACKED = (".gz", ".xz", ".zst", ".zip")
_SUFFIXES = (
    *_PACKED,
    ".jsonl",
    ".ndjson",
    ".json",
    ".csv",
    ".tsv",
    ".parquet",
    ".xlsx",
    ".xlsm",
    ".ods",
    ".mbox",
    ".eml",
    ".txt",
    ".text",
    ".log",
    ".outgroup",
)


@dataclass(frozen=True)
class Material:
    """What a job reads: the documents, what they are counted by, the off-topic examples, and the vectors of both."""

    corpus: Corpus
    by: Chosen | None
    universum: list[str] | None
    vectors: dict[str, Any]


def read(settings: ClusterSettings, steps: Steps) -> Material:
    """Read all that the settings name."""
    return material_of(settings, documents(settings, steps), examples(settings, steps), steps)


def documents(settings: ClusterSettings, steps: Steps) -> Corpus:
    """Read the documents that the settings name."""
    reading = reading_of(read_by(settings))
    corpus = read_corpus(settings.docs, label=settings.label, progress=steps.of("reading"), **reading)
    warn_of_few_texts(settings, corpus)
    if settings.table == "xlsx":
        check_rows(len(corpus) + len(corpus.skipped))
    if len(corpus.skipped) > len(corpus):
        warn_of_unread(corpus, "documents")
    if corpus.by_place and (likely := likely_ids(corpus)):
        warnings.warn(
            "documents are called by their lines, which the next export numbers anew; "
            f"{likely!r} has another value in each: --id {quote(likely)}",
            OutgroupWarning,
            stacklevel=2,
        )
    return corpus


def examples(settings: ClusterSettings, steps: Steps) -> Corpus | None:
    """Read the off-topic examples that the settings name, if they do."""
    if settings.universum is None:
        return None
    progress, reading = steps.of("reading off-topic examples"), without_roles(reading_of(read_by(settings)))
    corpus = read_corpus(settings.universum, progress=progress, **reading)
    warn_of_unread(corpus)
    return corpus


def material_of(settings: ClusterSettings, corpus: Corpus, examples: Corpus | None, steps: Steps) -> Material:
    """Return a job's material of its documents and off-topic examples, with what the settings add to them."""
    by = choose(corpus, settings.by, settings.label)
    vectors = {"embeddings": embeddings(settings.embeddings, settings.encoder, settings.docs, corpus, steps)}
    if examples is None:
        return Material(corpus, by, None, vectors)
    vectors["universum_embeddings"] = of_universum(settings, examples, steps)
    return Material(corpus, by, examples.texts, vectors)


def read_by(settings: ClusterSettings) -> dict[str, Any]:
    """Return those settings that say how documents become texts."""
    return {name: getattr(settings, name) for name in READ}


def warn_of_unread(corpus: Corpus, what: str = "off-topic examples") -> None:
    """Warn of what could not be read: no table shows examples, and the one of documents stands at the end."""
    if corpus.skipped:
        found = reasons((skip.where, skip.reason) for skip in corpus.skipped)
        why = "; ".join(said for said, _ in all_in_words(found)[:_TOLD])
        more = f"; {counted(len(found) - _TOLD, 'more reason')}" if len(found) > _TOLD else ""
        said = f"{len(corpus.skipped):,} of the {what} were skipped: {why}{more}"
        warnings.warn(said, OutgroupWarning, stacklevel=2)


def called(docs: Place) -> str:
    """Return what a collection is called: the name of its file or folder, as far as it is text."""
    return "documents" if str(docs) == "-" else _stem(name_of(docs))


def name_of(place: Place) -> str:
    """Return the name of a file or folder, as far as it is text."""
    return as_text(place.name if isinstance(place, Address) else os.path.basename(os.path.abspath(place)))


def _stem(name: str) -> str:
    while name.lower().endswith(_SUFFIXES):
        name = name[: name.rindex(".")]
    return name or "documents"


# --- What the options about embeddings make: a vector for each document of a run, or None
#
# The encoder is code. It is the one that the user names with this run, never one that a file names.


def embeddings(given: str | None, encoder: str | None, docs: Place, corpus: Corpus, steps: Steps) -> Array | None:
    """Return the vectors of a corpus: from a file or column, or by an encoder; None where neither is asked for.

    Raises InputError where both are, or what was asked for cannot be used.
    """
    if given is not None and encoder is not None:
        raise InputError("--embeddings are vectors and --encoder makes them; give one of the two")
    if given is not None:
        return read_vectors(given, docs, corpus)
    if encoder is None:
        return None
    steps("encoding")
    return _made(encoder, corpus)


def of_universum(settings: Any, corpus: Corpus, steps: Steps) -> Array | None:
    """Return the vectors of the off-topic examples, as `embeddings` does.

    Raises InputError where the documents have some and the examples have none.
    """
    given, docs = settings.universum_embeddings, settings.universum
    if given is None and settings.embeddings is not None:
        if not is_column(settings.embeddings, docs):
            raise InputError(
                "the documents have embeddings, so the off-topic examples need theirs: --universum-embeddings FILE.npy"
            )
        given = settings.embeddings
    return embeddings(given, settings.encoder, docs, corpus, steps)


def require_vectors(model: DocumentClustering, settings: Any, result: Path) -> None:
    """Raise InputError, before anything is read, where the groups of a model were found among embeddings, and the
    settings name no embeddings and no encoder; `result` is the folder whose record names the encoder of then."""
    width = model.representation_.width
    if width is None or settings.embeddings is not None or settings.encoder is not None:
        return
    try:
        encoder = parameters_of(result).get("encoder")
    except ModelError:
        encoder = None
    again = "give --embeddings or --encoder for these documents, too"
    if isinstance(encoder, str):
        again = f"these were made with --encoder {shlex.quote(encoder)}; give it again, for no file names code to run"
    raise InputError(f"the groups were found in embeddings of {width} columns; {again}")


def _made(encoder: str, corpus: Corpus) -> Array:
    """Return what the encoder says. Its package may lie in the current folder, if no installed one has that name."""
    here = str(Path.cwd())
    sys.path.append(here)
    try:
        vectors: Array = encoded(encoder_of(encoder), corpus.texts)
    finally:
        sys.path.remove(here)
    return vectors


# --- The column by which groups are counted: a date or a category, asked for or found

_MOST_SHOWN = 20  # categories; the others are one
_TIMES = re.compile(r"date|time|stamp|created|updated|epoch|utc|datum|fecha|zeit|(^|[_ ])(ts|at|on)$")
_FEWEST_EACH = 2  # documents of a category on average, or the values are names and no categories


@dataclass(frozen=True)
class Chosen:
    """A column, and whether its values are dates."""

    column: str
    values: list[str]
    is_date: bool

    def count(self, rows: Sequence[int], labels: Array, k: int) -> By:
        """Count the documents that have these rows in the corpus."""
        values = [self.values[row] for row in rows]
        return self._by_date(values, labels, k) if self.is_date else self._by_category(values, labels, k)

    def named(self, rows: Sequence[int]) -> list[str]:
        """Return what each of these documents is counted under, "" where that is unknown."""
        values = [self.values[row] for row in rows]
        if not self.is_date:
            return [value.strip() for value in values]
        _, names, numbers = periods(dates(values, years=True))
        return ["" if number is None else names[number] for number in numbers]

    def _by_date(self, values: list[str], labels: Array, k: int) -> By:
        days = dates(values, years=True)
        unit, names, numbers = periods(days)
        wrong = [value for value, day in zip(values, days, strict=True) if day is None and value.strip()]
        said = f"{len(wrong):,} values are no date, such as {wrong[0]:.40}." if wrong else ""
        return by_column(self.column, unit, names, numbers, labels, k, said)

    def _by_category(self, values: list[str], labels: Array, k: int) -> By:
        common = Counter(value for value in values if value.strip()).most_common()
        names = [name for name, _ in common[:_MOST_SHOWN]]
        others = len(common) - len(names)
        number = {name: min(place, _MOST_SHOWN) for place, (name, _) in enumerate(common)}
        shown = names + ([f"{others} others"] if others else [])
        return by_column(self.column, "", shown, [number.get(value) for value in values], labels, k)


def choose(corpus: Corpus, asked: str, label: str) -> Chosen | None:
    """Return the column that was asked for, else the only one that holds dates, else None.

    `label` is what the documents' classes are called, which a folder has, too. Raises InputError for a column that does
    not exist, or whose values are neither dates nor categories.
    """
    columns = dict(corpus.columns)
    if corpus.labels is not None:
        columns.setdefault(label, corpus.labels)
    if not asked:
        found = [Chosen(name, values, True) for name, values in columns.items() if holds_dates(values)]
        found = found or [
            Chosen(name, days, True) for name, values in columns.items() if (days := _times(name, values))
        ]
        return found[0] if len(found) == 1 else None
    asked = name_among(columns, asked)
    if asked not in columns:
        known = ", ".join(map(repr, columns)) or "none"
        raise InputError(f"--by {asked!r}: there is no such column; the columns beside the text are: {known}")
    return _checked(asked, columns[asked])


def _times(name: str, values: list[str]) -> list[str]:
    """Return the days of a column of numbers that are times, as its name says; [] of any other."""
    days = days_of_seconds(values) if _TIMES.search(name.casefold()) else None
    return days if days is not None and holds_dates(days) else []


def _checked(name: str, values: list[str]) -> Chosen:
    some = [value for value in values if value.strip()]
    if days := _times(name, values):
        return Chosen(name, days, True)
    if some and 2 * sum(day is not None for day in dates(some, years=True)) > len(some):
        return Chosen(name, values, True)
    if not some or len(some) < _FEWEST_EACH * len(set(some)):
        if (seconds := days_of_seconds(values)) is not None:
            return Chosen(name, seconds, True)
        example = f", such as {some[0]!r:.60}" if some else ""
        raise InputError(
            f"--by {name!r}: its {len(some)} values are neither dates nor categories: {len(set(some))} different "
            f"ones{example}"
        )
    return Chosen(name, values, False)


# --- The columns that records have beside their text: which of them a page filters by, and which it only shows

_KINDS = 200  # different values of a column that can be filtered by

Columns = dict[str, list[str]]


def filterable(corpus: Corpus) -> Columns:
    """Return the columns of few different values, but of more than one; labels are there already.

    >>> filterable(Corpus(["a", "b"], ["tea", "car"], ["", ""], columns={"no.": ["1", "2"], "by": ["Ann", "Ann"]}))
    {'no.': ['1', '2']}
    """
    return {
        name: values for name, values in corpus.columns.items()
        if values != corpus.labels and 1 < len(set(values)) <= _KINDS
    }  # fmt: skip


def shown_alone(corpus: Corpus, fields: Mapping[str, Sequence[str]], rows: Sequence[int] | None = None) -> Columns:
    """Return the columns that an opened document shows and nothing is filtered by, as they are not among the `fields`;
    `rows` are the documents of a page, None for all.

    >>> corpus = Corpus(["a", "b"], ["tea", "car"], ["", ""], columns={"no.": ["1", "2"], "by": ["Ann", "Ann"]})
    >>> shown_alone(corpus, filterable(corpus)), shown_alone(corpus, {}, [1])
    ({'by': ['Ann', 'Ann']}, {'no.': ['2'], 'by': ['Ann']})
    """
    others = {name: values for name, values in corpus.columns.items() if values != corpus.labels}
    found = others if rows is None else {name: at(values, rows) for name, values in others.items()}
    return {name: values for name, values in found.items() if values != fields.get(name)}


def at(values: Sequence[str], rows: Sequence[int]) -> list[str]:
    return [values[row] for row in rows]


# --- Which column of a table would tell documents from each other, where nobody said

_FEWEST = 20  # documents: of fewer, values differ by chance
_ID = re.compile(r"(?=[^0-9]*[0-9])[\w#/-]{1,64}")  # a number or a code, and no amount, time or text
_DAY = re.compile(r"[0-9]{2,4}[/-][0-9]{1,2}[/-][0-9]{1,4}")


def likely_ids(corpus: Corpus) -> str | None:
    """Return the first column whose values are numbers or codes, another one for each document; None: there is none.

    >>> codes = [f"T-{number}" for number in range(20)]
    >>> likely_ids(Corpus(codes, codes, codes, columns={"stars": ["5"] * 20, "Ticket": codes}))
    'Ticket'
    """
    return next((name for name, values in corpus.columns.items() if _are_ids(values)), None)


def _are_ids(values: list[str]) -> bool:
    if len(values) < _FEWEST or len(set(values)) < len(values):
        return False
    return all(_ID.fullmatch(value) and not _DAY.fullmatch(value) for value in values)


# --- What to do where the field that was named holds no texts that tell documents apart: which others there are

_SHOWN = 5
_LOOKED_AT = 1000  # values of a column


def other_fields(settings: ClusterSettings, corpus: Corpus) -> str:
    """Return which fields are others than the named one, those with the longest values first; "" where none was named.

    >>> some = ClusterSettings("a.csv", text="Created")
    >>> other_fields(some, Corpus(["1"], ["2024"], [""], columns={"State": ["open"], "Answer": ["Tea is late."]}))
    "the field 'Created' was read; --text names another: 'Answer', 'State'"
    """
    columns = {name: sum(map(len, values[:_LOOKED_AT])) for name, values in corpus.columns.items()}
    if not columns or settings.text == ClusterSettings.text:
        return ""
    names = sorted(columns, key=lambda name: -columns[name])
    shown = ", ".join(map(repr, names[:_SHOWN])) + (" ..." if len(names) > _SHOWN else "")
    return f"the field {settings.text!r} was read; --text names another: {shown}"


def warn_of_few_texts(settings: ClusterSettings, corpus: Corpus) -> None:
    """Warn where there are fewer different texts than groups, found by words; that all are equal is an error later."""
    different = len(set(corpus.texts))
    by_words = settings.embeddings is None and settings.encoder is None
    if by_words and isinstance(settings.k, int) and 1 < different < min(settings.k, len(corpus)):
        others = other_fields(settings, corpus)
        said = f"{len(corpus):,} documents have {counted(different, 'different text')}, too few for {settings.k} groups"
        how = "ask for fewer (-k)" + (f", or for other texts: {others}" if others else "")
        warnings.warn(f"{said}; {how}", OutgroupWarning, stacklevel=2)


# --- Settings that follow an earlier result or project: what was not said anew is as it was

Settings = TypeVar("Settings", bound=ClusterSettings)
_AS_BEFORE_SHOWN = frozenset({"label", "by", "table", "with_text"})
_IN_PROJECT = frozenset({*READ, *FIXED, *_AS_BEFORE_SHOWN})
_IN_RESULT = _IN_PROJECT | {"n_init", "seed", "quick", "report_size"}
"""All that is taken from a file: never code, a model, an address, a device, a permission, or a place to write to."""


def as_before(settings: Settings) -> Settings:
    """Return the settings with the earlier run's wherever nothing else was said.

    Raises InputError for options that would change the vocabulary or the number of groups, which follow the result.
    """
    assert settings.from_ is not None
    earlier = parameters_of(settings.from_)
    for name in {*_IN_RESULT, "universum"} & earlier.keys():
        if not _fits(name, value := earlier[name]):
            damaged = f"{settings.from_ / RUN} is damaged: {option(name)} cannot be {value!r:.60}"
            raise ModelError(f"{damaged}; make the result again")
    found = _unless_said(settings, _only(_IN_RESULT, earlier), settings.from_, "leave --from out")
    if settings.universum is None and earlier.get("universum"):
        found = replace(found, universum=_still_there(place_of(earlier["universum"])))
    return found


def asked_of(settings: ClusterSettings) -> dict[str, Any]:
    """Return what a project file keeps of the settings: how documents become texts, what the first groups fix, and
    where all that was read lies."""
    return _only(_IN_PROJECT, settings.parameters) | {
        name: getattr(settings, name) for names in FILES.values() for name in names
    }


def as_in_project(settings: Settings, path: Path) -> Settings:
    """Return the settings with those that a project file was made with wherever nothing else was said.

    Raises InputError for options that would change its vocabulary or its number of groups.
    """
    if not isinstance(settings.k, int):  # a number that was to be chosen has been
        settings = replace(settings, k=ClusterSettings.k, said=settings.said - {"k"})
    with Project.open(path) as project:
        earlier, files = made_with(project), files_of(project)
    files.setdefault("docs", str(path))  # what a result's page calls them where the project alone has them
    return _unless_said(_where_they_lay(settings, files), earlier, path, "name a new file")


def made_with(project: Project) -> dict[str, Any]:
    """Return the settings that a project was made with."""
    kept = _only(_IN_PROJECT, asked(project))
    return {"k": _first_count(project)} | {name: value for name, value in kept.items() if _fits(name, value)}


def _where_they_lay(settings: Settings, files: dict[str, str]) -> Settings:
    """Return the settings with the files of a project wherever nothing else was said."""
    encoded = settings.encoder is not None
    found: dict[str, Any] = {
        name: Path(way) if name in ("docs", "universum") else way
        for name, way in files.items()
        if getattr(settings, name) is None and not (encoded and name.endswith("embeddings"))
    }
    return replace(settings, **found)


def _first_count(project: Project) -> int:
    """Return how many groups a project began with."""
    try:
        return len(parse_json(project.versions()[0].body)["numbers"])
    except (ValueError, LookupError, TypeError) as error:
        raise ModelError(f"{project.path} is damaged ({error}); open a copy of it") from error


def _unless_said(settings: Settings, earlier: dict[str, Any], place: Path, instead: str) -> Settings:
    """Return the settings with the `earlier` ones, those of a `place`, wherever nothing else was said."""
    changed: dict[str, Any] = {}
    for each in fields(settings):
        name, now = each.name, getattr(settings, each.name)
        if name not in earlier:
            continue
        said = now != each.default or name in settings.said
        if said and now != earlier[name] and name in FIXED:
            raise InputError(
                f"{option(name)} cannot change: words, method, number of groups and what is off-topic follow {place}, "
                f"made {_said(name, earlier[name])}; leave it out (merging and splitting are decisions), or {instead}"
            )
        if not said:
            changed[name] = earlier[name]
    return replace(settings, **changed)


def _said(name: str, value: Any) -> str:
    """Return how an option was given: `with -k 8`, `with --phrases`, `without --stop-words`."""
    if value is None or value is False or value == "":
        return f"without {option(name)}"
    return f"with {option(name)}" if value is True else f"with {option(name)} {value}"


def _still_there(universum: Place) -> Path:
    """Return the file or folder of an earlier run; what a file says is no reason to ask an address."""
    made = f"the result was made with the off-topic examples {universum}"
    if isinstance(universum, Address):
        raise InputError(f"{made}; an address is read where it is given: give --universum")
    if not is_remembered(universum):
        raise InputError(f"{made}, which are not there; give --universum")
    return universum


def parameters_of(folder: Path) -> dict[str, Any]:
    """Return the options of the run that made a result, as its file names them; {} without such a file.

    Nothing of it has been checked. Raises ModelError where the file is damaged.
    """
    path = folder / RUN
    try:
        return dict(parse_json(path.read_bytes())["parameters"])
    except OSError:
        return {}
    except (ValueError, KeyError, TypeError) as error:
        raise ModelError(f"{path} is damaged ({error}); make the result again") from error


def _only(names: Iterable[str], given: dict[str, Any]) -> dict[str, Any]:
    return {name: given[name] for name in names if name in given}


@cache
def _hints() -> dict[str, Any]:
    return get_type_hints(ClusterSettings, include_extras=True)


def _fits(name: str, value: Any) -> bool:
    """Return whether a value of a file is one that the option of this name takes on the command line."""
    kind, option = get_args(_hints()[name])[:2]
    kinds = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    if value is None:
        return type(None) in kinds or name == "universum"
    if not any(_is_one_of(value, each) for each in kinds) or (name == "universum" and not isinstance(value, str)):
        return False
    if isinstance(value, int | float) and not isinstance(value, bool):
        low, high = (limit if limit is not None else value for limit in (option.min, option.max))
        if not low <= value <= high:
            return False
    try:
        for check in (option.callback, option.parser):
            if check is not None:
                check(value if check is option.callback else str(value))
    except (BadParameter, InputError):
        return False
    return True


def _is_one_of(value: Any, kind: Any) -> bool:
    if get_origin(kind) is Literal:
        return isinstance(value, str) and value in get_args(kind)
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < inf
    return type(value) in (int, str) if kind is Any else type(value) is kind
