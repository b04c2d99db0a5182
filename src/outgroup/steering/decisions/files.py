"""Logs of decisions as files: lines of JSON, or TOML, which may hold the tables of a seeds file, too."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...errors import InputError, in_words
from ...storage.atomic import new_file
from ...storage.json_values import parse_json
from ..seeds import Seeds, seeds_of_tables
from .parse import parse
from .values import Belongs, Decision, OffTopic, WordBelongs


def read_decisions(path: str | os.PathLike[str]) -> tuple[Decision, ...]:
    """Read a log of decisions from a file: JSON lines, or TOML.

    JSON lines have one object a line. TOML has a table `[[decision]]` for each with the same keys, and may also have
    the tables of a seeds file (`[clusters."name"]`, `[off_topic]`), which come first. What a file is, its content says.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    tuple of Decision

    Raises
    ------
    InputError
        The file cannot be read, is neither, or says something else; the message names the place.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"{path} is not a text in UTF-8: {error}") from error
    return (_from_json_lines if text.lstrip().startswith("{") else _from_toml)(text, str(path))


def write_decisions(decisions: Iterable[Decision], path: str | os.PathLike[str], *, replace: bool = False) -> None:
    """Write a log to a file: TOML where its name ends in .toml, else JSON lines.

    Parameters
    ----------
    decisions : iterable of Decision
        In the order in which they were made.
    path : str or path
    replace : bool, default False
        Whether a log of decisions at `path` may be replaced.

    Raises
    ------
    OutputError
        `path` cannot be written, or exists and `replace` is False or it is no log of decisions.
    """
    form = to_toml if Path(path).suffix == ".toml" else to_json_lines
    with new_file(path, replace=replace, ours=_is_log) as file:
        file.write(form(decisions))


def _is_log(path: Path) -> bool:
    try:
        read_decisions(path)
    except InputError:
        return False
    return True


def to_json_lines(decisions: Iterable[Decision]) -> str:
    """Return a log as JSON, one object a line.

    Parameters
    ----------
    decisions : iterable of Decision
        In the order in which they were made.

    Returns
    -------
    str
        With a line end after each line.

    Examples
    --------
    >>> print(to_json_lines([OffTopic("d1")]), end="")
    {"kind": "off-topic", "document": "d1"}
    """
    return "".join(json.dumps(each.to_dict(), ensure_ascii=False) + "\n" for each in decisions)


def to_toml(decisions: Iterable[Decision]) -> str:
    """Return a log as TOML, a table `[[decision]]` each.

    Parameters
    ----------
    decisions : iterable of Decision
        In the order in which they were made.

    Returns
    -------
    str

    Examples
    --------
    >>> from outgroup.decisions import Merge
    >>> print(to_toml([Merge((3, 5))]), end="")
    [[decision]]
    kind = "merge"
    groups = [3, 5]
    """
    return "\n".join(
        "[[decision]]\n" + "".join(f"{key} = {_toml(value)}\n" for key, value in each.to_dict().items())
        for each in decisions
    )


def from_seeds(seeds: Seeds) -> tuple[Decision, ...]:
    """Return what seeds by name say as decisions of source "seed", clusters in their order.

    Parameters
    ----------
    seeds : Seeds

    Returns
    -------
    tuple of Decision

    Examples
    --------
    >>> from_seeds(Seeds.of({"bread": [("d1", ["oven"])]}))
    (Belongs(document='d1', group='bread', weight=1.0), WordBelongs(word='oven', group='bread', weight=1.0))
    """
    found: list[Decision] = []
    for name, cluster in seeds.clusters.items():
        found += [Belongs(document, name, cluster.weight, "seed") for document in cluster.documents]
        found += [WordBelongs(word, name, cluster.weight) for word in cluster.words]
    return (*found, *(OffTopic(document) for document in seeds.off_topic))


def _from_json_lines(text: str, where: str) -> tuple[Decision, ...]:
    found = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            with _at(f"{where}, line {number}"):
                found.append(parse(parse_json(line)))
    return tuple(found)


def _from_toml(text: str, where: str) -> tuple[Decision, ...]:
    try:
        content = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where} is neither a TOML file nor lines of JSON: {in_words(error)}") from error
    tables = content.pop("decision", [])
    if not isinstance(tables, list):
        raise InputError(f"{where}: decision must be tables, each under [[decision]] in two brackets")
    found = list(from_seeds(seeds_of_tables(content, where))) if content else []
    for number, table in enumerate(tables, start=1):
        with _at(f"{where}, decision {number}"):
            found.append(parse(table))
    return tuple(found)


@contextmanager
def _at(where: str) -> Iterator[None]:
    try:
        yield
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: {in_words(error)}") from error


def _toml(value: Any) -> str:
    """Return a text, a number or a list of them as TOML; JSON is that, but for one control letter."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
