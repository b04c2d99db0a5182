"""A file of settings in place of options: its keys are the options' names."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import Any

from typer import Context

from ...errors import InputError
from ...storage.toml import read_toml


def read_config(path: Path, options: dict[str, bool]) -> dict[str, Any]:
    """Return a TOML file's keys as the texts a command line would give; `options` says of each key if it is a flag.

    Raises InputError for a file that cannot be read, an unknown key (naming the nearest), or a value of no use.
    """
    return {_known(key, options, path): _plain(key, value, options, path) for key, value in read_toml(path).items()}


def _known(key: str, options: dict[str, bool], path: Path) -> str:
    name = key.replace("-", "_")
    name = f"{name}_" if f"{name}_" in options else name
    if name not in options:
        near = get_close_matches(name, options, 1)
        meant = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(sorted(options))}"
        raise InputError(f"{path}: unknown key {key!r:.60}; {meant}")
    return name


def _plain(key: str, value: Any, options: dict[str, bool], path: Path) -> Any:
    flag = options.get(key.replace("-", "_"), False)
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        value = ",".join(value)
    if isinstance(value, bool) != flag or isinstance(value, list | dict):
        raise InputError(f"{path}: {key} = {value!r:.60} is not {'true or false' if flag else 'a number or a text'}")
    if isinstance(value, str) and "\0" in value:
        raise InputError(f"{path}: {key} = {value!r:.60} holds a NUL, which no text or path may")
    return value if flag else _digits(key, value, path)


def _digits(key: str, value: Any, path: Path) -> str:
    try:
        return str(value)
    except ValueError as error:
        raise InputError(f"{path}: {key} is a number of thousands of digits") from error


def take_config(context: Context, path: Path | None) -> Path | None:
    if path is not None:
        options = {str(each.name): bool(getattr(each, "is_flag", False)) for each in context.command.params}
        context.default_map = read_config(path, {name: flag for name, flag in options.items() if name != "config"})
    return path
