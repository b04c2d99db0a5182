"""The start of a job: its options, its decisions, and the earlier result or project that it continues."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Generic, TypedDict, TypeVar

from typer import BadParameter

from ..codebook import Codebook, numbers_of
from ..decisions import Decision, Define, read_decisions
from ..decisions.log import with_numbers
from ..errors import InputError, ModelError
from ..model import Model
from ..places import place_of
from ..readers.corpus import READ
from ..session import Past
from ..session.project_file import FILES, Project, files_of
from ..storage.atomic import restore
from ..storage.json_values import fits, read_json
from ..storage.state import MODEL
from . import assignments
from .assignments import RUN, SESSION
from .memory import in_files
from .options import FIXED, named_encoder, option, options_of
from .result import CODEBOOK, RESULT
from .settings import ClusterSettings

Settings = TypeVar("Settings", bound=ClusterSettings)


@dataclass(frozen=True)
class Start(Generic[Settings]):
    """The options of a job, its decisions, its codebook, the earlier result, and whether its arrays live in files."""

    settings: Settings
    decisions: tuple[Decision, ...]
    frame: Codebook | None
    past: Past | None
    in_files: bool


def start_of(settings: Settings) -> Start[Settings]:
    """Return the start of a job; an option that is not given takes its value from the earlier result.

    Raises InputError for options that contradict one another, and for a result that cannot be continued.
    """
    earlier, past = settings.from_, None
    if earlier is not None:
        restore(earlier, RESULT)
    settings = settings if earlier is None else with_earlier_options(settings)
    _check_options(settings)
    decisions = () if settings.steer is None else read_decisions(settings.steer)
    frame = None if settings.codebook is None else Codebook.read(settings.codebook)
    if earlier is None:
        settings = with_codes(settings, frame)
    large = settings.memory is not None or settings.cluster is not None or settings.resume
    files = large and in_files(settings)
    if earlier is not None:
        past = read_past(earlier, documents=not files)
        require_vectors(past.model, settings, earlier)
        if settings.namer not in (None, parameters_of(earlier).get("namer")):
            past = replace(past, automatic_names={})  # another namer names all groups again
        decisions = with_numbers(decisions, shown_names(earlier, past))
        past = named_by_codes(past, earlier, frame)
        frame = frame or _kept_codes(earlier, past)
    return Start(settings, decisions, frame, past, files)


def _check_options(settings: ClusterSettings) -> None:
    """Raise InputError for options that contradict one another."""
    if settings.redact and settings.with_text:
        raise InputError("--with-text and --redact cannot be combined: give only one of them")
    if settings.redact and settings.from_ is not None and not parameters_of(settings.from_).get("redact"):
        raise InputError(f"{settings.from_} contains rare words, and --from keeps them; with --redact, omit --from")
    if str(settings.docs) == str(settings.universum) == "-":
        raise InputError("standard input can be read only once: give --universum a file")
    if settings.labels:
        others = [name for name in ("from_", "codebook", "universum") if getattr(settings, name) is not None]
        if others := [*others, *({"k"} & settings.explicit)]:
            raise InputError(f"--labels are the groups, so {option(others[0])} has no effect: omit one of them")
    named_encoder(settings)


def with_codes(settings: Settings, frame: Codebook | None) -> Settings:
    """Set the number of groups to the number of codes, unless the settings give a larger number or a range."""
    if frame is None or not frame.starting:
        return settings
    return replace(settings, k=frame.n_clusters(settings.k if "k" in settings.explicit else None))


# --- The earlier result


def require_result(folder: Path) -> None:
    """Raise InputError unless the path is a folder."""
    if folder.is_file():
        raise InputError(f"{folder} is a file: give the folder of a result (a project opens in `outgroup workbench`)")
    if not folder.is_dir():
        raise InputError(f"the folder {folder} does not exist: give the folder that `outgroup cluster` wrote")


def read_past(folder: Path, *, documents: bool = True) -> Past:
    """Read the session of a result folder; raise InputError if it has none.

    The groups of the documents of a result of rows in files are left out unless `documents` is set (see `with_groups`).
    """
    require_result(folder)
    try:
        content = read_json(folder / SESSION, dict)
    except OSError as error:
        raise InputError(
            f"{folder} has no {SESSION}, so it cannot be continued: cluster the documents again"
        ) from error
    except ValueError as error:
        raise ModelError(f"{folder / SESSION} is damaged ({error}); create the result again") from error
    try:
        content = assignments.with_groups(content, folder, documents=documents)
        return Past.from_dict(content, Model.load(folder / MODEL))
    except ModelError as error:
        raise ModelError(f"{folder / SESSION}: {error}") from error


def _kept_codes(folder: Path, past: Past) -> Codebook | None:
    """Return the codes of an earlier result: all of a codebook that a person gave, else the special ones; None without
    some.
    """
    path, given = folder / CODEBOOK, past.definitions or any(isinstance(each, Define) for each in past.decisions)
    codes = [code for code in Codebook.read(path).codes if given or code.special] if path.is_file() else []
    return Codebook(codes) if codes else None


def shown_names(folder: Path, past: Past) -> dict[str, int]:
    """Return group numbers by the automatic names that a result shows; repeated names are left out."""
    try:
        names = assignments.group_names(folder)
    except (OSError, ValueError):
        return {}
    often = Counter(names.values())
    return {name: number for number, name in names.items() if often[name] == 1 and name not in past.names.values()}


def named_by_codes(past: Past, folder: Path, frame: Codebook | None) -> Past:
    """Return the past of a result with the names and definitions of a codebook; codes match by number, then by name."""
    if frame is None:
        return past
    shown = {number: name for name, number in shown_names(folder, past).items()}
    names = {number: past.names.get(number, shown.get(number, "")) for number in past.numbers}
    numbers = numbers_of(names, assignments.group_codes(folder), frame)
    codes = {code.number: code for code in frame.codes if not code.special}
    found = {group: codes[number] for group, number in numbers.items() if number in codes}
    definitions = {group: code.description for group, code in found.items() if code.description}
    return replace(
        past,
        names={**past.names, **{group: code.name for group, code in found.items()}},
        definitions={**past.definitions, **definitions},
    )


# --- Options of an earlier result or project

_AS_BEFORE_SHOWN = frozenset({"label", "by", "day_first", "weight", "table", "with_text", "levels", "multi"})
_IN_PROJECT = frozenset({*READ, *FIXED, *_AS_BEFORE_SHOWN})
_IN_RESULT = _IN_PROJECT | {"seed", "quick"}
"""Settings that a file may provide: never code, a model, an address, a device, a permission or an output path."""


def with_earlier_options(settings: Settings) -> Settings:
    """Return the settings; an option that is not given takes its value from the earlier run.

    Raises InputError for options that would change the vocabulary or the number of groups, and if the earlier run had
    off-topic examples and the settings have none.
    """
    assert settings.from_ is not None
    earlier = parameters_of(settings.from_)
    for name in {*_IN_RESULT, "universum"} & earlier.keys():
        if not _fits(name, value := earlier[name]):
            damaged = f"{settings.from_ / RUN} is damaged: {value!r:.60} is not valid for {option(name)}"
            raise ModelError(f"{damaged}; create the result again")
    if settings.universum is None and earlier.get("universum"):  # a file never chooses what is read
        origin = f"{settings.from_} was made with the off-topic examples {place_of(earlier['universum'])}"
        raise InputError(f"{origin}: give --universum again")
    return _fill_missing(settings, _only(_IN_RESULT, earlier), settings.from_, "leave --from out")


def asked_of(settings: ClusterSettings) -> dict[str, Any]:
    """Return the settings that a project file stores: reader settings, fixed options, input paths."""
    return _only(_IN_PROJECT, settings.parameters) | {
        name: getattr(settings, name) for names in FILES.values() for name in names
    }


def as_in_project(settings: Settings, path: Path) -> Settings:
    """Return the settings; an option that is not given takes its value from a project file.

    Raises InputError for options that would change its vocabulary or its number of groups.
    """
    if not isinstance(settings.k, int):  # the project has fixed the number
        settings = replace(settings, k=ClusterSettings.k, explicit=settings.explicit - {"k"})
    with Project.open(path) as project:
        kept, first = _only(_IN_PROJECT, project.settings["reading"]), next(iter(project.versions.values()))
        files = files_of(project)
    files.setdefault("docs", str(path))  # title of the page if only the project has the texts
    # Options of the first version, if they are valid; an input path that is not given is that of the project.
    earlier = {"k": len(first.numbers)} | {name: value for name, value in kept.items() if _fits(name, value)}
    encoded = named_encoder(settings) is not None
    found: dict[str, Any] = {
        name: Path(way) if name in ("docs", "universum") else way
        for name, way in files.items()
        if getattr(settings, name) is None and not (encoded and name.endswith("embeddings"))
    }
    return _fill_missing(replace(settings, **found), earlier, path, "name a new file")


def _fill_missing(settings: Settings, earlier: dict[str, Any], place: Path, instead: str) -> Settings:
    """Return the settings with missing options from `earlier`; raise InputError if a fixed option changes."""
    changed: dict[str, Any] = {}
    for each in fields(settings):
        name, now = each.name, getattr(settings, each.name)
        if name not in earlier:
            continue
        is_given = now != each.default or name in settings.explicit
        if is_given and now != earlier[name] and name in FIXED:
            raise InputError(
                f"{option(name)} cannot change, because {place} was made {_as_given(name, earlier[name])}: omit it, "
                f"or {instead}. To change the number of groups, merge or split groups"
            )
        if not is_given:
            changed[name] = earlier[name]
    return replace(settings, **changed)


def _as_given(name: str, value: Any) -> str:
    """Return an option in words: `with -k 8`, `without --stop-words`."""
    if value is None or value is False or value == "":
        return f"without {option(name)}"
    return f"with {option(name)}" if value is True else f"with {option(name)} {value}"


class RunRecord(TypedDict):
    """The fields of `run.json` that are read again."""

    parameters: dict[str, Any]


def parameters_of(folder: Path) -> dict[str, Any]:
    """Return the options in a result's run.json, unchecked; {} if it has no such file.

    Raises ModelError for a damaged file.
    """
    path = folder / RUN
    try:
        return dict(read_json(path, RunRecord)["parameters"])
    except OSError:
        return {}
    except ValueError as error:
        raise ModelError(f"{path} is damaged ({error}); create the result again") from error


def _only(names: Iterable[str], given: dict[str, Any]) -> dict[str, Any]:
    return {name: given[name] for name in names if name in given}


def _fits(name: str, value: Any) -> bool:
    """Return whether a stored value is valid for the option `name`."""
    kind, option = options_of(ClusterSettings)[name]
    if not fits(value, {"k": int | str, "universum": str | None}.get(name, kind)):
        return False
    if value is None:
        return True
    if isinstance(value, int | float) and not isinstance(value, bool):
        low, high = (limit if limit is not None else value for limit in (option.min, option.max))
        if not low <= value <= high or abs(value) > 1e15:  # larger integers overflow as floats
            return False
    try:
        for check in (option.callback, option.parser):
            if check is not None:
                check(value if check is option.callback else str(value))
    except (BadParameter, InputError):
        return False
    return True


def require_vectors(model: Model, settings: Any, result: Path) -> None:
    """Raise InputError if a model needs embeddings and the settings give none.

    The record in the folder `result` names the earlier encoder for the message.
    """
    width = model.representation_.width
    alone = width is None or model.representation_.meaning is not None
    if alone or settings.embeddings is not None or named_encoder(settings) is not None:
        return
    try:
        encoder = parameters_of(result).get("encoder")
    except ModelError:
        encoder = None
    advice = "give --embeddings or --encoder"
    if isinstance(encoder, str):
        advice = f"give --encoder {shlex.quote(encoder)} again (saved files never run code)"
    raise InputError(f"the model was fitted on embeddings of {width} columns; {advice}")
