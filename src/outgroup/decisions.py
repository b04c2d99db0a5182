"""Decisions on groups as immutable values (corrections, renames, merges, splits, undo), and files of decisions.

A log is a sequence of decisions in chronological order. A group is given by its number or by its present or new name.

>>> log = [Label("d1", 3), Word("said"), Undo(), Rename(3, "trains")]
>>> in_force(log)
(Label(documents=('d1',), groups=(3,), weight=1.0), Rename(group=3, name='trains'))
>>> print(to_json_lines(log), end="")
{"kind": "label", "documents": ["d1"], "groups": [3]}
{"kind": "word", "words": ["said"]}
{"kind": "undo"}
{"kind": "rename", "group": 3, "name": "trains"}
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from .errors import InputError, check_keys, in_words, suggestion
from .places import read_limited
from .seeds import Seeds, is_weight, seeds_of_tables, short_repr
from .storage.atomic import new_file
from .storage.json_values import parse_json, parse_toml, toml_value
from .types import Array, Whole

__all__ = [
    "KINDS",
    "Decision",
    "Group",
    "Label",
    "Lock",
    "Merge",
    "NewGroup",
    "NotAGroup",
    "Regroup",
    "Rename",
    "Split",
    "Undo",
    "Word",
    "from_seeds",
    "in_force",
    "parse",
    "read_decisions",
    "to_json_lines",
    "to_toml",
    "write_decisions",
]


Group = int | str
"""The number or the name of a group."""

Given = Whole | str
"""A group or a document in user input: its number, its name or its id."""

Several = Sequence[Given] | Array
"""Several groups or documents in user input."""

SOURCES = ("correction", "sample", "seed")
"""The source of a label: a correction, the label of a randomly drawn document, or a seed of the first fit."""

_LONGEST = 200  # letters of a name


def checked(name: str, given: Any, kind: str) -> Any:
    """Return the normalised value of a decision's field; raise InputError if it is invalid.

    >>> checked("groups", [3, "trains"], "merge"), checked("documents", 17, "label")
    ((3, 'trains'), ('17',))
    """
    return _CHECKS[name](_plain(given), kind)


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        value = value.tolist()
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


def _several(one: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
    """Return the check of one or several values by the check of `one`; it returns a tuple without repetitions."""
    return lambda given, kind: tuple(dict.fromkeys(one(x, kind) for x in (given if _is_list(given) else [given])))


def _is_list(given: Any) -> bool:
    return isinstance(given, Sequence) and not isinstance(given, str)


def _document(given: Any, kind: str) -> str:
    if isinstance(given, bool) or not isinstance(given, str | int) or given == "":
        raise InputError(f"a document of {kind!r} is {given!r:.60}; give its id as a string")
    return str(given)


def _word(given: Any, kind: str) -> str:
    if not isinstance(given, str) or not given.strip():
        raise InputError(f"a word of {kind!r} is {given!r:.60}; give a word as a string")
    return given


def _group(given: Any, kind: str) -> Group:
    if isinstance(given, str) and given.strip().isdecimal():
        raise InputError(f"the group of {kind!r} is the string {given!r:.60}; write a number without quotes")
    if isinstance(given, str):
        return _name(given, kind)
    if isinstance(given, bool) or not isinstance(given, int) or given < 0:
        raise InputError(f"the group of {kind!r} is {given!r:.60}; give a group number (from 0) or a group name")
    return given


def _name(given: Any, kind: str) -> str:
    if not isinstance(given, str) or not given.strip() or not given.isprintable() or len(given) > _LONGEST:
        raise InputError(f"the name in {kind!r} is {given!r:.60}; give one line of 1 to {_LONGEST} characters")
    if given.strip().isdecimal():
        raise InputError(
            f"the name in {kind!r} is {given!r:.60}; a name must not be a number, because numbers identify groups"
        )
    return given


def name_of_version(number: int, given: Any) -> str:
    """Return the normalised name of a version, "" to remove it; raise InputError if it is invalid.

    >>> name_of_version(3, " before the split "), name_of_version(3, "")
    ('before the split', '')
    """
    return "" if given == "" else _name(given, f"version {number}").strip()


def _weight(given: Any, kind: str) -> float:
    if not is_weight(given):
        raise InputError(f"the weight of {kind!r} is {short_repr(given)}; give a number from 1e-6 to 1e6")
    return float(given)


def _source(given: Any, kind: str) -> str:
    if given not in SOURCES:
        raise InputError(f"the source of {kind!r} is {given!r:.60}; give one of {', '.join(map(repr, SOURCES))}")
    return str(given)


def _flag(given: Any, kind: str) -> bool:
    if not isinstance(given, bool):
        raise InputError(f"{given!r:.60} is not valid in {kind!r}; give true or false")
    return given


_CHECKS: dict[str, Callable[[Any, str], Any]] = {
    "documents": _several(_document),
    "words": _several(_word),
    "group": _group,
    "groups": _several(_group),
    "name": _name,
    "weight": _weight,
    "source": _source,
    "alone": _flag,
    "reopen": _flag,
}


# --- The decisions
#
# User input may have more types than the checked fields: where they differ, `__init__` declares the types of the input.


@dataclass(frozen=True)
class Decision:
    """Base class of decisions; `kind` is the name in files, and `str` gives a sentence.

    Examples
    --------
    >>> [each.kind for each in (Label, Split, Undo)]
    ['label', 'split', 'undo']
    """

    kind: ClassVar[str]

    def __post_init__(self) -> None:
        """Normalise the fields, so that every decision can be written to a file; raise InputError for an invalid
        value.
        """
        for each in fields(self):
            value = getattr(self, each.name)
            if value is not each.default:
                object.__setattr__(self, each.name, checked(each.name, value, self.kind))
        for name in ("documents", "words"):
            if getattr(self, name, None) == ():
                raise InputError(f"the {name} of {self.kind!r} are empty; give at least one")

    @property
    def labelled(self) -> tuple[str, ...]:
        """The ids of the documents that the decision labels."""
        return ()

    @property
    def place(self) -> str:
        """The place of the labelled documents or words, in words."""
        return ""

    def to_dict(self) -> dict[str, Any]:
        """Return the decision as plain values, without defaults.

        Returns
        -------
        dict
            The argument of `parse`.
        """
        found: dict[str, Any] = {"kind": self.kind}
        for each in fields(self):
            value = getattr(self, each.name)
            if value != each.default:
                found[each.name] = list(value) if isinstance(value, tuple) else value
        return found


@dataclass(frozen=True)
class Label(Decision):
    """The documents belong to the group, or to no group; their labels count `weight` times an ordinary label.

    A correction of one document also moves a few of its nearest documents; several documents move alone, and their
    labels together count at most as much as a group of mean size. Off-topic documents become off-topic examples.
    `Regroup` uses only labels of the random sample ("sample", "seed"): corrections are a biased sample, of errors
    alone.

    Parameters
    ----------
    documents : str, int, or sequence of them
        The ids of at least one document, or their numbers if documents have no ids.
    groups : int, str, or sequence of at most one of them
        The group's number, or its name; an empty sequence for off-topic documents.
    weight : float, default 1.0
        Above 0.
    source : {"correction", "sample", "seed"}, default "correction"
        "sample": a label of a randomly drawn document. "seed": a label of the first fit.

    Examples
    --------
    >>> Label('d1', 'food').to_dict()
    {'kind': 'label', 'documents': ['d1'], 'groups': ['food']}
    >>> print(Label(('d1', 'd7'), 3), Label('d2', ()), sep="; ")
    d1 and 1 more belong to group 3; d2 is junk
    """

    kind = "label"
    documents: tuple[str, ...]
    groups: tuple[Group, ...]
    weight: float = 1.0
    source: str = field(default="correction", repr=False)

    if TYPE_CHECKING:

        def __init__(
            self,
            documents: Given | Several,
            groups: Given | Several,
            weight: float = 1.0,
            source: str = "correction",
        ) -> None: ...

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.groups) > 1:
            raise InputError(f"the groups of 'label' are {self.groups!r:.60}; a document has one group, or none: []")

    @property
    def labelled(self) -> tuple[str, ...]:
        """The ids of the documents."""
        return self.documents

    @property
    def place(self) -> str:
        """The group, or "off-topic"."""
        return f"group {self.groups[0]}" if self.groups else "off-topic"

    def __str__(self) -> str:
        subject, several = _subject(self.documents)
        if not self.groups:
            return f"{subject} {'are' if several else 'is'} junk"
        return f"{subject} belong{'' if several else 's'} to {_called(self.groups[0])}"


@dataclass(frozen=True)
class Word(Decision):
    """The words indicate the group; their labels count `weight` times an ordinary label. Without a group, ignore the
    words in all documents.

    Parameters
    ----------
    words : str, or sequence of str
        Words, in any form of their stems.
    group : int or str, optional
        The group's number, or its name.
    weight : float, default 1.0
        Above 0.

    Examples
    --------
    >>> Word('bread', 0).to_dict()
    {'kind': 'word', 'words': ['bread'], 'group': 0}
    >>> print(Word('bread', 0), Word(['page', 'click']), sep="; ")
    bread means group 0; page and click are noise
    """

    kind = "word"
    words: tuple[str, ...]
    group: Group | None = None
    weight: float = 1.0

    if TYPE_CHECKING:

        def __init__(self, words: str | Sequence[str], group: Given | None = None, weight: float = 1.0) -> None: ...

    @property
    def place(self) -> str:
        """The group, or "ignored"."""
        return "ignored" if self.group is None else f"group {self.group}"

    def __str__(self) -> str:
        several, words = len(self.words) > 1, " and ".join(self.words)
        if self.group is None:
            return f"{words} {'are' if several else 'is'} noise"
        return f"{words} mean{'' if several else 's'} {_called(self.group)}"


@dataclass(frozen=True)
class Rename(Decision):
    """Name the group.

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

    if TYPE_CHECKING:

        def __init__(self, group: Given, name: str) -> None: ...

    def __str__(self) -> str:
        return f"group {self.group} is called {self.name}"


@dataclass(frozen=True)
class Merge(Decision):
    """Merge the groups; the result has the number of the first.

    Parameters
    ----------
    groups : sequence of int or str
        The numbers or names of at least two groups.

    Examples
    --------
    >>> Merge((0, 3)).to_dict()
    {'kind': 'merge', 'groups': [0, 3]}
    """

    kind = "merge"
    groups: tuple[Group, ...]

    if TYPE_CHECKING:

        def __init__(self, groups: Several) -> None: ...

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.groups) < 2:
            raise InputError(
                f"the groups of 'merge' are {self.groups!r:.60}; give at least two different groups, such as [3, 5]; "
                "the first group keeps its number"
            )

    def __str__(self) -> str:
        return f"groups {' and '.join(map(str, self.groups))} are one"


@dataclass(frozen=True)
class Split(Decision):
    """Split the group in two; the smaller half gets a new number.

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

    if TYPE_CHECKING:

        def __init__(self, group: Given) -> None: ...

    def __str__(self) -> str:
        return f"group {self.group} is two"


@dataclass(frozen=True)
class NewGroup(Decision):
    """Start a new group with the documents; other documents join that are clearly nearer to these than to their own
    group.

    The new group takes the next new number: a session does not use a number again.

    Parameters
    ----------
    documents : sequence of str or int
        The ids of at least one document, or their numbers if documents have no ids. Three work better than one.
    name : str, optional
        The name of the group.
    alone : bool, default False
        Whether no other documents join.

    Examples
    --------
    >>> NewGroup(('d1', 'd7'), 'refunds').to_dict()
    {'kind': 'new-group', 'documents': ['d1', 'd7'], 'name': 'refunds'}
    """

    kind = "new-group"
    documents: tuple[str, ...]
    name: str | None = None
    alone: bool = field(default=False, repr=False)

    if TYPE_CHECKING:

        def __init__(self, documents: Several, name: str | None = None, alone: bool = False) -> None: ...

    @property
    def labelled(self) -> tuple[str, ...]:
        """The ids of the documents."""
        return self.documents

    @property
    def place(self) -> str:
        """The name of the group, if it has one."""
        return f"group {self.name}" if self.name else "a new group"

    def __str__(self) -> str:
        subject, several = _subject(self.documents)
        return f"{subject} {'are' if several else 'is'} a new group{f' called {self.name}' if self.name else ''}"


@dataclass(frozen=True)
class NotAGroup(Decision):
    """The documents are not a group: reject a proposed group, or keep a pocket. No document moves.

    Parameters
    ----------
    documents : sequence of str or int
        The ids of at least one document, or their numbers if documents have no ids.

    Examples
    --------
    >>> NotAGroup(('d1', 'd7')).to_dict()
    {'kind': 'not-a-group', 'documents': ['d1', 'd7']}
    """

    kind = "not-a-group"
    documents: tuple[str, ...]

    if TYPE_CHECKING:

        def __init__(self, documents: Several) -> None: ...

    def __str__(self) -> str:
        subject, several = _subject(self.documents)
        return f"{subject} {'are' if several else 'is'} not a group"


@dataclass(frozen=True)
class Lock(Decision):
    """Lock the group: later fits move none of its documents, until it is merged, split or reopened.

    Decisions on single documents still apply, and other documents may join the group.

    Parameters
    ----------
    group : int or str
        The group's number, or its name.
    reopen : bool, default False
        Whether fits may move its documents again.

    Examples
    --------
    >>> Lock('food').to_dict()
    {'kind': 'lock', 'group': 'food'}
    """

    kind = "lock"
    group: Group
    reopen: bool = field(default=False, repr=False)

    if TYPE_CHECKING:

        def __init__(self, group: Given, reopen: bool = False) -> None: ...

    def __str__(self) -> str:
        return f"{_called(self.group)} is {'open again' if self.reopen else 'done'}"


@dataclass(frozen=True)
class Undo(Decision):
    """Undo the last decision in force; without one, nothing happens.

    Examples
    --------
    >>> from outgroup.decisions import Split, in_force
    >>> in_force([Split(0), Undo()])
    ()
    """

    kind = "undo"

    def __str__(self) -> str:
        return "undo"


@dataclass(frozen=True)
class Regroup(Decision):
    """Correct all groups by labels of source "sample", if cross-validation on these labels shows a gain.

    Without such labels or such support no document moves, and a note states the reason.

    Examples
    --------
    >>> Regroup().to_dict()
    {'kind': 'regroup'}
    """

    kind = "regroup"

    def __str__(self) -> str:
        return "all groups are found again"


def _subject(documents: Sequence[str]) -> tuple[str, bool]:
    """Return the documents of a decision, in words, and whether they are several."""
    first, *others = documents
    return (f"{first} and {len(others)} more", True) if others else (first, False)


def _called(group: Group) -> str:
    return f"group {group}" if isinstance(group, int) else group


KINDS: dict[str, type[Decision]] = {each.kind: each for each in Decision.__subclasses__()}
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
    known = [each.name for each in fields(KINDS[kind])]
    needed = [each.name for each in fields(KINDS[kind]) if each.default is MISSING]
    for key in values:
        if key not in known:
            advice = suggestion(key, known, f"it needs {_fields_of(kind, needed)}")
            raise InputError(f"a decision of kind {kind!r} has no {key!r:.60}; {advice}")
    if any(name not in values for name in needed):
        raise InputError(f"a decision of kind {kind!r} needs {_fields_of(kind, needed)}")
    return KINDS[kind](**values)


_EXAMPLES = {
    "documents": ["d1", "d7"],
    "group": 3,
    "groups": [3],
    "words": ["bread"],
    "name": "trains",
}


def _fields_of(kind: str, names: Iterable[str]) -> str:
    """Return field names with an example value each, in TOML syntax."""
    return (
        " and ".join(f"{name} = {toml_value(_EXAMPLES[name])}" for name in names)
        or f"nothing but kind = {toml_value(kind)}"
    )


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
    for place, each in enumerate(log):
        if not isinstance(each, Decision):
            raise InputError(
                f"decisions[{place}] is a {type(each).__name__}, not a decision: give a decision such as "
                "outgroup.decisions.Merge((0, 1)), or convert plain values with outgroup.decisions.parse"
            )
    return log


def in_force(log: Iterable[Decision]) -> tuple[Decision, ...]:
    """Return the decisions of a log that were not undone, in order.

    Parameters
    ----------
    log : iterable of Decision
        In chronological order.

    Returns
    -------
    tuple of Decision

    Examples
    --------
    >>> from outgroup.decisions import Rename, Split
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


def with_numbers(log: Iterable[Decision], numbers: Mapping[str, int]) -> tuple[Decision, ...]:
    """Replace group names by their `numbers`; names that the log itself gives to a group stay.

    >>> with_numbers([Merge(("milk, tea", 5)), Rename(2, "rails"), Split("rails")], {"milk, tea": 0, "rails": 7})
    (Merge(groups=(0, 5)), Rename(group=2, name='rails'), Split(group='rails'))
    """
    log = tuple(log)
    given = {getattr(each, "name", None) for each in log}
    known = {name: number for name, number in numbers.items() if name not in given}
    return tuple(_numbered(each, known) for each in log)


def _numbered(decision: Decision, known: Mapping[str, int]) -> Decision:
    """Return the decision with the numbers of groups in place of `known` names."""
    given = {name: getattr(decision, name) for name in ("group", "groups") if hasattr(decision, name)}
    number = lambda group: known.get(group, group)  # noqa: E731
    found = {name: tuple(map(number, each)) if name == "groups" else number(each) for name, each in given.items()}
    return replace(decision, **found)


# --- Files of decisions: JSON lines or TOML, also with the tables of a seeds file


def read_decisions(path: str | os.PathLike[str]) -> tuple[Decision, ...]:
    """Read a log of decisions from a JSON Lines or TOML file.

    JSON lines have one object per line. TOML has a table `[[decision]]` for each with the same keys, and may also have
    the tables of a seeds file (`[clusters."name"]`, `[off_topic]`), which come first. The content decides the format.

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
    return (_from_json_lines if text.lstrip().startswith("{") else _from_toml)(text, str(path))


def write_decisions(decisions: Iterable[Decision], path: str | os.PathLike[str], *, replace: bool = False) -> None:
    """Write a log to a file: TOML if the name ends in .toml, else JSON Lines.

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
    """Return a log as JSON Lines.

    Parameters
    ----------
    decisions : iterable of Decision
        In chronological order.

    Returns
    -------
    str
        With a newline after each object.

    Examples
    --------
    >>> print(to_json_lines([Label("d1", [])]), end="")
    {"kind": "label", "documents": ["d1"], "groups": []}
    """
    return "".join(json.dumps(each.to_dict(), ensure_ascii=False) + "\n" for each in decisions)


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
        "[[decision]]\n" + "".join(f"{key} = {toml_value(value)}\n" for key, value in each.to_dict().items())
        for each in decisions
    )


def from_seeds(seeds: Seeds) -> tuple[Decision, ...]:
    """Convert seeds by group name to decisions of source "seed", in the order of the groups.

    Parameters
    ----------
    seeds : Seeds

    Returns
    -------
    tuple of Decision

    Examples
    --------
    >>> from_seeds(Seeds.of({"bread": [("d1", ["oven"])]}))
    (Label(documents=('d1',), groups=('bread',), weight=1.0), Word(words=('oven',), group='bread', weight=1.0))
    """
    found: list[Decision] = []
    for name, cluster in seeds.clusters.items():
        found += [Label(document, name, cluster.weight, "seed") for document in cluster.documents]
        found += [Word(word, name, cluster.weight) for word in cluster.words]
    return (*found, *(Label(document, ()) for document in seeds.off_topic))


def _from_json_lines(text: str, where: str) -> tuple[Decision, ...]:
    found = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            with _at(f"{where}, line {number}"):
                found.append(parse(parse_json(line)))
    return tuple(found)


def _from_toml(text: str, where: str) -> tuple[Decision, ...]:
    try:
        content = parse_toml(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where} is neither a TOML file nor a JSON Lines file: {in_words(error)}") from error
    check_keys(content, ("decision", "clusters", "off_topic"), where)
    tables = content.pop("decision", [])
    if not isinstance(tables, list):
        raise InputError(f"{where}: write each decision as a table [[decision]], with double brackets")
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


def reason_in(note: str, decision: Decision) -> str:
    """Return the reason in a note if the note is about this decision; else "".

    >>> reason_in("group 6 is called tea: there is no group 6", Rename(6, "tea")), reason_in("a note", Split(6))
    ('there is no group 6', '')
    """
    return note.removeprefix(f"{decision}: ") if note.startswith(f"{decision}: ") else ""
