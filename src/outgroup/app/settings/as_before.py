"""Settings that follow an earlier result or project: what was not said anew is as it was."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, replace
from math import inf
from pathlib import Path
from typing import Any, TypeVar

from ...errors import InputError, ModelError, in_words
from ...places import Address, Place, place_of
from ...session.saved.sources import FILES, asked, files_of
from ...storage.project import Project
from ...text.reading.options import READ
from ..files import RUN
from .cluster import ClusterSettings
from .options import FIXED, option

Settings = TypeVar("Settings", bound=ClusterSettings)
_SHOWN = frozenset({"label", "by", "table", "with_text"})
_ONCE = frozenset({"docs", "out", "from_", "steer", "seeds", "universum", "universum_embeddings", "embeddings"})


def as_before(settings: Settings) -> Settings:
    """Return the settings with the earlier run's wherever nothing else was said.

    Raises InputError for options that would change the vocabulary or the number of groups, which follow the result.
    """
    assert settings.from_ is not None
    earlier = _parameters(settings.from_, {each.name: each.default for each in fields(settings)})
    found = _unless_said(settings, earlier, settings.from_, "leave --from out")
    if settings.universum is None and earlier.get("universum"):
        found = replace(found, universum=_still_there(place_of(earlier["universum"])))
    return found


def asked_of(settings: ClusterSettings) -> dict[str, Any]:
    """Return what a project file keeps of the settings: how documents become texts, what the first groups fix, and
    where all that was read lies."""
    kept = {name: value for name, value in settings.parameters.items() if name in {*READ, *FIXED, *_SHOWN}}
    return kept | {name: getattr(settings, name) for names in FILES.values() for name in names}


def as_in_project(settings: Settings, path: Path) -> Settings:
    """Return the settings with those that a project file was made with wherever nothing else was said.

    Raises InputError for options that would change its vocabulary or its number of groups.
    """
    defaults = {each.name: each.default for each in fields(settings)}
    if not isinstance(settings.k, int):  # a number that was to be chosen has been
        settings = replace(settings, k=defaults["k"], said=settings.said - {"k"})
    with Project.open(path) as project:
        earlier, files = made_with(project, defaults), files_of(project)
    files.setdefault("docs", str(path))  # what a result's page calls them where the project alone has them
    return _unless_said(_where_they_lay(settings, files), earlier, path, "name a new file")


def made_with(project: Project, defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that a project was made with, of those that have these `defaults`."""
    kept = {name: value for name, value in asked(project).items() if name in {*READ, *FIXED, *_SHOWN}}
    earlier = {name: value for name, value in kept.items() if name in defaults and _fits(value, defaults[name])}
    return {"k": _first_count(project)} | earlier


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
        return len(json.loads(project.versions()[0].body)["numbers"])
    except (ValueError, LookupError, TypeError) as error:
        raise ModelError(f"{project.path} is damaged ({in_words(error)}); open a copy of it") from error


def _unless_said(settings: Settings, earlier: dict[str, Any], place: Path, instead: str) -> Settings:
    """Return the settings with the `earlier` ones, those of a `place`, wherever nothing else was said."""
    changed: dict[str, Any] = {}
    for each in fields(settings):
        name, now = each.name, getattr(settings, each.name)
        if name in _ONCE or name not in earlier:
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
    if not universum.exists():
        raise InputError(f"{made}, which are not there; give --universum")
    return universum


def _parameters(folder: Path, defaults: dict[str, Any]) -> dict[str, Any]:
    """Return what an earlier run was told, of the kinds that can be told; raises ModelError for anything else."""
    path = folder / RUN
    try:
        found = dict(json.loads(path.read_bytes())["parameters"])
    except OSError:
        return {}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ModelError(f"{path} is damaged ({in_words(error)}); make the result again") from error
    for name, value in found.items():
        if name in defaults and not _fits(value, defaults[name]):
            raise ModelError(f"{path} is damaged: {value!r:.60} is no {option(name)}; make the result again")
    return found


def _fits(value: Any, default: Any) -> bool:
    """Return whether a value is of its default's kind: a flag, a finite number, or a text; of any where it is None."""
    if value is None or isinstance(value, bool) or isinstance(default, bool):
        return value is None or default is None or isinstance(value, bool) is isinstance(default, bool)
    if isinstance(value, int | float):
        return not isinstance(default, str) and abs(value) < inf
    return isinstance(value, str) and not isinstance(default, int | float)
