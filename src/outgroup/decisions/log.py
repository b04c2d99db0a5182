"""Logs of decisions, and their files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields, replace
from numbers import Integral
from pathlib import Path
from typing import Any

from ..errors import InputError, check_keys, in_words, suggestion
from ..places import read_limited
from ..seeds import Seeds
from ..storage.atomic import new_file
from ..storage.json_values import parse_toml, toml_value
from .base import EXAMPLES, SOURCES, Decision, name_of
from .kinds import Define, Label, Word

KINDS: dict[str, type[Decision]] = {kind.kind: kind for kind in Decision.__subclasses__()}
"""All classes of decisions, by kind."""


# --- Parse a decision from plain values


def parse(given: Mapping[str, Any]) -> Decision:
    """Return the decision described by plain values.

    Parameters
    ----------
    given : mapping
        "kind" and the fields of the decision, as from `to_dict`.

    Returns
    -------
    Decision

    Raises
    ------
    InputError
        A kind or key is unknown (the message names the nearest) or missing, or a value is not valid.

    Examples
    --------
    >>> parse({"kind": "merge", "groups": [3, 5]})
    Merge(groups=(3, 5))
    """
    if not isinstance(given, Mapping):
        raise InputError(f'a decision is {given!r:.60}; give a table such as {{"kind": "split", "group": 3}}')
    kind = given.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        advice = suggestion(kind, KINDS, f"choose among {', '.join(map(repr, KINDS))}")
        raise InputError(f"a decision's kind is {kind!r:.60}; {advice}")
    values = {key: value for key, value in given.items() if key != "kind"}
    known, where = fields(KINDS[kind]), f"a decision of kind {kind!r}"
    check_keys(values, [field.name for field in known], where)
    needed = [field.name for field in known if field.default is MISSING]
    if any(name not in values for name in needed):
        raise InputError(f"{where} needs {' and '.join(f'{name} = {toml_value(EXAMPLES[name])}' for name in needed)}")
    return KINDS[kind](**values)


# --- Logs of decisions


def log_of(decisions: Iterable[Decision]) -> tuple[Decision, ...]:
    """Return decisions as a log; raise InputError, with the position, for any other value.

    >>> from outgroup.decisions import Merge
    >>> log_of([Merge((0, 1))])
    (Merge(groups=(0, 1)),)
    """
    if isinstance(decisions, Decision):
        raise InputError(f"decisions is a single {type(decisions).__name__}; give a list of decisions")
    log = tuple(decisions)
    for place, decision in enumerate(log):
        if not isinstance(decision, Decision):
            raise InputError(
                f"decisions[{place}] is a {type(decision).__name__}, not a decision: give a decision such as "
                "outgroup.decisions.Merge((0, 1)), or convert plain values with outgroup.decisions.parse"
            )
    return log


def undo(log: Iterable[Decision], *numbers: int, source: str | None = None) -> tuple[Decision, ...]:
    """Return a log without some of its decisions.

    Parameters
    ----------
    log : iterable of Decision
        In chronological order.
    *numbers : int
        The positions of the decisions, from 0, or from -1 for the last; by default the last one, unless `source` is
        given.
    source : {"person", "file", "model"}, default None
        Remove all decisions of this source.

    Returns
    -------
    tuple of Decision

    Raises
    ------
    InputError
        The log has no such decision, or `source` is not valid.

    Examples
    --------
    >>> from outgroup.decisions import Rename, Split
    >>> log = [Split(0), Rename(1, "food"), Word("said", source="model")]
    >>> undo(log)
    (Split(group=0), Rename(group=1, name='food'))
    >>> undo(log, 0, source="model")
    (Rename(group=1, name='food'),)
    """
    log = tuple(log)
    if source not in (None, *SOURCES):
        raise InputError(f"source={source!r:.60} is not valid: give one of {', '.join(map(repr, SOURCES))}")
    chosen = numbers if numbers or source is not None else (-1,)
    if chosen and not log:
        raise InputError("the log is empty: there is nothing to undo")
    for number in chosen:
        if isinstance(number, bool) or not isinstance(number, Integral) or not -len(log) <= number < len(log):
            raise InputError(f"there is no decision {number!r:.60}: give a position from 0 to {len(log) - 1}")
    gone = {number % len(log) for number in chosen}
    return tuple(one for place, one in enumerate(log) if place not in gone and one.source != source)


def with_numbers(log: Iterable[Decision], numbers: Mapping[str, int]) -> tuple[Decision, ...]:
    """Replace group names by their `numbers`; names that the log itself gives to a group stay.

    >>> from outgroup.decisions import Merge, Rename, Split
    >>> with_numbers([Merge(("milk, tea", 5)), Rename(2, "rails"), Split("rails")], {"milk, tea": 0, "rails": 7})
    (Merge(groups=(0, 5)), Rename(group=2, name='rails'), Split(group='rails'))
    """
    log = tuple(log)
    given = {getattr(decision, "name", None) for decision in log}
    known = {name: number for name, number in numbers.items() if name not in given}

    def renamed(decision: Decision) -> Decision:
        found: dict[str, Any] = {}
        if hasattr(decision, "group"):
            found["group"] = known.get(decision.group, decision.group)
        if hasattr(decision, "groups"):
            found["groups"] = [known.get(group, group) for group in decision.groups]
        return replace(decision, **found)

    return tuple(map(renamed, log))


# --- Files of decisions


def read_decisions(path: str | os.PathLike[str]) -> tuple[Decision, ...]:
    """Read a log of decisions from a TOML file, with a table `[[decision]]` for each.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    tuple of Decision

    Raises
    ------
    InputError
        The file cannot be read, or its content is not valid; the message names the place.
    """
    path = Path(path)
    content = read_limited(path)
    try:
        text = content.decode("utf-8-sig")
    except ValueError as error:
        raise InputError(f"{path} is not a UTF-8 text file: {error}") from error
    try:
        tables = parse_toml(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not a TOML file: {in_words(error)}") from error
    check_keys(tables, ("decision",), str(path))
    if not isinstance(records := tables.get("decision", []), list):
        raise InputError(f"{path}: write each decision as a table [[decision]], with double brackets")
    found = []
    for number, table in enumerate(records, start=1):
        try:
            found.append(parse({"source": "file"} | table if isinstance(table, dict) else table))
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path}, decision {number}: {in_words(error)}") from error
    return tuple(found)


def write_decisions(decisions: Iterable[Decision], path: str | os.PathLike[str], *, replace: bool = False) -> None:
    """Write a log to a TOML file.

    Parameters
    ----------
    decisions : iterable of Decision
        In chronological order.
    path : str or path
    replace : bool, default False
        Whether to replace a log of decisions at `path`.

    Raises
    ------
    OutputError
        `path` cannot be written, or exists and `replace` is False or it is not a log of decisions.
    """
    with new_file(path, replace=replace, ours=_is_log) as file:
        file.write(to_toml(decisions))


def _is_log(path: Path) -> bool:
    try:
        read_decisions(path)
    except InputError:
        return False
    return True


def to_toml(decisions: Iterable[Decision]) -> str:
    """Return a log as TOML, with a table `[[decision]]` for each decision.

    Parameters
    ----------
    decisions : iterable of Decision
        In chronological order.

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
        "[[decision]]\n" + "".join(f"{key} = {toml_value(value)}\n" for key, value in decision.to_dict().items())
        for decision in decisions
    )


def from_seeds(seeds: Seeds) -> tuple[Decision, ...]:
    """Convert seeds by group name to decisions of source "file", in the order of the groups.

    Parameters
    ----------
    seeds : Seeds

    Returns
    -------
    tuple of Decision

    Examples
    --------
    >>> from_seeds(Seeds.of({"bread": ["d1"]}, {"bread": ["oven"]}))
    (Label(documents=('d1',), groups=('bread',), weight=1.0), Word(words=('oven',), group='bread', weight=1.0))
    """
    found: list[Decision] = []
    for name, cluster in seeds.clusters.items():
        found += [Label(document, name, cluster.weight, True, source="file") for document in cluster.documents]
        found += [Word(word, name, cluster.weight, source="file") for word in cluster.words]
        if cluster.texts:
            found.append(Define(cluster.texts, name, cluster.exclude, source="file"))
    if seeds.none:
        found.append(Define(seeds.none, source="file"))
    return (*found, *(Label(document, (), source="file") for document in seeds.off_topic))


def name_of_version(number: int, given: Any) -> str:
    """Return the normalised name of a version, "" to remove it; raise InputError if it is invalid.

    >>> name_of_version(3, " before the split "), name_of_version(3, "")
    ('before the split', '')
    """
    return "" if given == "" else name_of(given, f"version {number}").strip()
