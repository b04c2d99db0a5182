"""What a person decides about groups, as values: read, written, undone.

A log of decisions is a sequence of them, in the order in which they were made. A group is given by its number, or by
the name that it has or shall have.

>>> log = [Belongs("d1", 3), IgnoreWord("said"), Undo(), Rename(3, "trains")]
>>> in_force(log)
(Belongs(document='d1', group=3, weight=1.0), Rename(group=3, name='trains'))
>>> print(to_json_lines(log), end="")
{"kind": "belongs", "document": "d1", "group": 3}
{"kind": "ignore-word", "word": "said"}
{"kind": "undo"}
{"kind": "rename", "group": 3, "name": "trains"}
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, ClassVar

from ..errors import InputError
from ..storage.atomic import new_file
from .seeds import Seeds, is_weight, seeds_of_tables, shortly

__all__ = [
    "Belongs",
    "Decision",
    "IgnoreWord",
    "Merge",
    "OffTopic",
    "Rename",
    "Split",
    "Undo",
    "WordBelongs",
    "from_seeds",
    "in_force",
    "parse",
    "read_decisions",
    "to_json_lines",
    "to_toml",
    "write_decisions",
]

Group = int | str
"""A group's number, or its name."""

_LONGEST = 200  # letters of a name: it has to fit beside its group


@dataclass(frozen=True)
class Decision:
    """Base of all decisions; `kind` is the word that stands for it in a file.

    Examples
    --------
    >>> [each.kind for each in (Belongs, OffTopic, Undo)]
    ['belongs', 'off-topic', 'undo']
    """

    kind: ClassVar[str]

    def to_dict(self) -> dict[str, Any]:
        """Return the decision as plain values, without what has its default.

        Returns
        -------
        dict
            What `parse` takes.
        """
        found: dict[str, Any] = {"kind": self.kind}
        for each in fields(self):
            value = getattr(self, each.name)
            if value != each.default:
                found[each.name] = list(value) if isinstance(value, tuple) else value
        return found


@dataclass(frozen=True)
class Belongs(Decision):
    """The document belongs to the group; its label counts `weight` times an ordinary label.

    Parameters
    ----------
    document : str
        The document's id.
    group : int or str
        The group's number, or its name.
    weight : float, default 1.0
        Above 0.

    Examples
    --------
    >>> Belongs('d1', 'food').to_dict()
    {'kind': 'belongs', 'document': 'd1', 'group': 'food'}
    """

    kind = "belongs"
    document: str
    group: Group
    weight: float = 1.0


@dataclass(frozen=True)
class OffTopic(Decision):
    """The document belongs to no group.

    Parameters
    ----------
    document : str
        The document's id.

    Examples
    --------
    >>> OffTopic('d1').to_dict()
    {'kind': 'off-topic', 'document': 'd1'}
    """

    kind = "off-topic"
    document: str


@dataclass(frozen=True)
class WordBelongs(Decision):
    """The word speaks for the group; its label counts `weight` times an ordinary label.

    Parameters
    ----------
    word : str
        A word, as people write it: any form of its stem.
    group : int or str
        The group's number, or its name.
    weight : float, default 1.0
        Above 0.

    Examples
    --------
    >>> WordBelongs('bread', 0).to_dict()
    {'kind': 'word-belongs', 'word': 'bread', 'group': 0}
    """

    kind = "word-belongs"
    word: str
    group: Group
    weight: float = 1.0


@dataclass(frozen=True)
class IgnoreWord(Decision):
    """The word tells no group apart.

    Parameters
    ----------
    word : str
        A word, as people write it: any form of its stem.

    Examples
    --------
    >>> IgnoreWord('page').to_dict()
    {'kind': 'ignore-word', 'word': 'page'}
    """

    kind = "ignore-word"
    word: str


@dataclass(frozen=True)
class Rename(Decision):
    """The group is called so.

    Parameters
    ----------
    group : int or str
        The group's number, or its name.
    name : str
        Its new name.

    Examples
    --------
    >>> Rename(0, 'food').to_dict()
    {'kind': 'rename', 'group': 0, 'name': 'food'}
    """

    kind = "rename"
    group: Group
    name: str


@dataclass(frozen=True)
class Merge(Decision):
    """The groups are one, under the number of the first.

    Parameters
    ----------
    groups : tuple of int or str
        The numbers or names of two groups or more.

    Examples
    --------
    >>> Merge((0, 3)).to_dict()
    {'kind': 'merge', 'groups': [0, 3]}
    """

    kind = "merge"
    groups: tuple[Group, ...]


@dataclass(frozen=True)
class Split(Decision):
    """The group is two; the new one takes the lowest number that is free.

    Parameters
    ----------
    group : int or str
        The group's number, or its name.

    Examples
    --------
    >>> Split('food').to_dict()
    {'kind': 'split', 'group': 'food'}
    """

    kind = "split"
    group: Group


@dataclass(frozen=True)
class Undo(Decision):
    """Takes back the last decision that still stands; nothing where none does.

    Examples
    --------
    >>> in_force([Split(0), Undo()])
    ()
    """

    kind = "undo"


KINDS: dict[str, type[Decision]] = {
    each.kind: each for each in (Belongs, OffTopic, WordBelongs, IgnoreWord, Rename, Merge, Split, Undo)
}
"""Every kind of decision, by the word that stands for it in a file."""


def parse(given: Mapping[str, Any]) -> Decision:
    """Return the decision that plain values describe.

    Parameters
    ----------
    given : mapping
        "kind" and the decision's own values, as `to_dict` gives them.

    Returns
    -------
    Decision

    Raises
    ------
    InputError
        An unknown kind or key (naming the nearest), a missing one, or a value of no use.

    Examples
    --------
    >>> parse({"kind": "merge", "groups": [3, 5]})
    Merge(groups=(3, 5))
    """
    if not isinstance(given, Mapping):
        raise InputError(f'a decision is {given!r:.60}; give a table such as {{"kind": "off-topic", "document": "id"}}')
    kind = given.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise InputError(f"a decision's kind is {kind!r:.60}; {_meant(kind, KINDS)}")
    values = {key: value for key, value in given.items() if key != "kind"}
    known = {each.name: each for each in fields(KINDS[kind])}
    for key in values:
        if key not in known:
            raise InputError(f"a decision of kind {kind!r} has no {key!r:.60}; {_meant(key, known)}")
    missing = [name for name, each in known.items() if name not in values and each.default is MISSING]
    if missing:
        raise InputError(f"a decision of kind {kind!r} says no {missing[0]!r}; it needs {_listed(known)}")
    return KINDS[kind](**{key: _CHECKS[key](value, kind) for key, value in values.items()})


def in_force(log: Iterable[Decision]) -> tuple[Decision, ...]:
    """Return the decisions of a log that no undo took back, in their order.

    Parameters
    ----------
    log : iterable of Decision
        In the order in which they were made.

    Returns
    -------
    tuple of Decision

    Examples
    --------
    >>> in_force([Split(0), Undo(), Rename(1, "food")])
    (Rename(group=1, name='food'),)
    """
    left: list[Decision] = []
    for decision in log:
        if not isinstance(decision, Undo):
            left.append(decision)
        elif left:
            left.pop()
    return tuple(left)


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
    """Return what seeds by name say as decisions, clusters in their order.

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
        found += [Belongs(document, name, cluster.weight) for document in cluster.documents]
        found += [WordBelongs(word, name, cluster.weight) for word in cluster.words]
    return (*found, *(OffTopic(document) for document in seeds.off_topic))


def _from_json_lines(text: str, where: str) -> tuple[Decision, ...]:
    found = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            with _at(f"{where}, line {number}"):
                found.append(parse(json.loads(line)))
    return tuple(found)


def _from_toml(text: str, where: str) -> tuple[Decision, ...]:
    try:
        content = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where} is neither a TOML file nor lines of JSON: {error}") from error
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
        raise InputError(f"{where}: {error}") from error


def _document(given: Any, kind: str) -> str:
    if isinstance(given, bool) or not isinstance(given, str | int) or given == "":
        raise InputError(f"the document of {kind!r} is {given!r:.60}; give its id as a text")
    return str(given)


def _word(given: Any, kind: str) -> str:
    if not isinstance(given, str) or not given.strip():
        raise InputError(f"the word of {kind!r} is {given!r:.60}; give a word as a text")
    return given


def _group(given: Any, kind: str) -> Group:
    if isinstance(given, str) and given.strip().isdecimal():
        raise InputError(f"the group of {kind!r} is the text {given!r:.60}; for a number, write it without quotes")
    if isinstance(given, str):
        return _name(given, kind)
    if isinstance(given, bool) or not isinstance(given, int) or given < 0:
        raise InputError(f"the group of {kind!r} is {given!r:.60}; give its number, from 0, or its name")
    return given


def _groups(given: Any, kind: str) -> tuple[Group, ...]:
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise InputError(f"the groups of {kind!r} are {given!r:.60}; give a list such as [3, 5], the kept one first")
    found = tuple(_group(each, kind) for each in given)
    if len(found) < 2 or len(set(found)) < len(found):
        raise InputError(f"the groups of {kind!r} are {given!r:.60}; give at least two, each once")
    return found


def _name(given: Any, kind: str) -> str:
    if not isinstance(given, str) or not given.strip() or not given.isprintable() or len(given) > _LONGEST:
        raise InputError(f"the name in {kind!r} is {given!r:.60}; give one line of 1 to {_LONGEST} letters")
    if given.strip().isdecimal():
        raise InputError(f"the name in {kind!r} is {given!r:.60}; a number is no name, since groups have numbers")
    return given


def _weight(given: Any, kind: str) -> float:
    if not is_weight(given):
        raise InputError(f"the weight of {kind!r} is {shortly(given)}; give a number from 1e-6 to 1e6")
    return float(given)


_CHECKS: dict[str, Callable[[Any, str], Any]] = {
    "document": _document,
    "word": _word,
    "group": _group,
    "groups": _groups,
    "name": _name,
    "weight": _weight,
}


def _meant(given: Any, known: Iterable[str]) -> str:
    near = get_close_matches(str(given), known, 1)
    return f"did you mean {near[0]!r}?" if near else f"choose among {_listed(known)}"


def _listed(known: Iterable[str]) -> str:
    return ", ".join(map(repr, known))


def _toml(value: Any) -> str:
    """Return a text, a number or a list of them as TOML; JSON is that, but for one control letter."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
