"""Settings that follow an earlier result or project: what was not said anew is as it was."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from functools import cache
from math import inf
from pathlib import Path
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from typer import BadParameter

from ...errors import InputError, ModelError
from ...places import Address, Place, is_remembered, place_of
from ...session.saved.sources import FILES, asked, files_of
from ...storage.json_values import parse_json
from ...storage.project import Project
from ...text.reading.options import READ
from ..files import RUN
from .cluster import ClusterSettings
from .options import FIXED, option

Settings = TypeVar("Settings", bound=ClusterSettings)
_SHOWN = frozenset({"label", "by", "table", "with_text"})
_IN_PROJECT = frozenset({*READ, *FIXED, *_SHOWN})
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
