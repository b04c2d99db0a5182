"""Decisions on groups as immutable values (corrections, renames, merges, splits, undo), and files of decisions.

A log is a sequence of decisions in chronological order. A group is given by its number or by its present or new name.

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
    "Assign",
    "Belongs",
    "Decision",
    "Done",
    "Group",
    "IgnoreWord",
    "Merge",
    "NewGroup",
    "NotAGroup",
    "OffTopic",
    "Regroup",
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

    >>> checked("groups", [3, "trains"], "merge"), checked("document", 17, "belongs")
    ((3, 'trains'), '17')
    """
    return _CHECKS[name](_plain(given), kind)


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        value = value.tolist()
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


def _document(given: Any, kind: str) -> str:
    if isinstance(given, bool) or not isinstance(given, str | int) or given == "":
        raise InputError(f"the document of {kind!r} is {given!r:.60}; give its id as a string")
    return str(given)


def _documents(given: Any, kind: str) -> tuple[str, ...]:
    if not isinstance(given, Sequence) or isinstance(given, str) or not len(given):
        raise InputError(f'the documents of {kind!r} are {given!r:.60}; give a list of ids such as ["d1", "d7"]')
    return tuple(dict.fromkeys(_document(each, kind) for each in given))


def _word(given: Any, kind: str) -> str:
    if not isinstance(given, str) or not given.strip():
        raise InputError(f"the word of {kind!r} is {given!r:.60}; give a word as a string")
    return given


def _group(given: Any, kind: str) -> Group:
    if isinstance(given, str) and given.strip().isdecimal():
        raise InputError(f"the group of {kind!r} is the string {given!r:.60}; write a number without quotes")
    if isinstance(given, str):
        return _name(given, kind)
    if kind == Assign.kind and given == -1:
        return -1
    if isinstance(given, bool) or not isinstance(given, int) or given < 0:
        raise InputError(f"the group of {kind!r} is {given!r:.60}; give a group number (from 0) or a group name")
    return given


def _groups(given: Any, kind: str) -> tuple[Group, ...]:
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise InputError(
            f"the groups of {kind!r} are {given!r:.60}; give a list such as [3, 5]; the first group keeps its number"
        )
    found = tuple(_group(each, kind) for each in given)
    if len(found) < 2 or len(set(found)) < len(found):
        raise InputError(f"the groups of {kind!r} are {given!r:.60}; give at least two different groups")
    return found


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
    "document": _document,
    "documents": _documents,
    "word": _word,
    "group": _group,
    "groups": _groups,
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
    """Base class of decisions; `kind` is the name in files.

    Examples
    --------
    >>> [each.kind for each in (Belongs, OffTopic, Undo)]
    ['belongs', 'off-topic', 'undo']
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
class Belongs(Decision):
    """The document belongs to the group; its label counts `weight` times an ordinary label.

    A correction also moves a few of its nearest documents. `Regroup` uses only labels of the random sample ("sample",
    "seed"): corrections are a biased sample, of errors alone.

    Parameters
    ----------
    document : str or int
        The document's id, or its number if documents have no ids.
    group : int or str
        The group's number, or its name.
    weight : float, default 1.0
        Above 0.
    source : {"correction", "sample", "seed"}, default "correction"
        "sample": a label of a randomly drawn document. "seed": a label of the first fit.

    Examples
    --------
    >>> Belongs('d1', 'food').to_dict()
    {'kind': 'belongs', 'document': 'd1', 'group': 'food'}
    """

    kind = "belongs"
    document: str
    group: Group
    weight: float = 1.0
    source: str = field(default="correction", repr=False)

    if TYPE_CHECKING:

        def __init__(self, document: Given, group: Given, weight: float = 1.0, source: str = "correction") -> None: ...


@dataclass(frozen=True)
class OffTopic(Decision):
    """The document belongs to no group.

    Parameters
    ----------
    document : str or int
        The document's id, or its number if documents have no ids.

    Examples
    --------
    >>> OffTopic('d1').to_dict()
    {'kind': 'off-topic', 'document': 'd1'}
    """

    kind = "off-topic"
    document: str

    if TYPE_CHECKING:

        def __init__(self, document: Given) -> None: ...


@dataclass(frozen=True)
class WordBelongs(Decision):
    """The word indicates the group; its label counts `weight` times an ordinary label.

    Parameters
    ----------
    word : str
        A word in any form of its stem.
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

    if TYPE_CHECKING:

        def __init__(self, word: str, group: Given, weight: float = 1.0) -> None: ...


@dataclass(frozen=True)
class IgnoreWord(Decision):
    """Ignore the word in all documents.

    Parameters
    ----------
    word : str
        A word in any form of its stem.

    Examples
    --------
    >>> IgnoreWord('page').to_dict()
    {'kind': 'ignore-word', 'word': 'page'}
    """

    kind = "ignore-word"
    word: str


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


@dataclass(frozen=True)
class Assign(Decision):
    """All these documents belong to the group, or to none.

    No other document changes its group. With -1, documents like them may also be set aside.

    Together their labels count at most as much as a group of mean size.

    Parameters
    ----------
    documents : sequence of str or int
        The ids of at least one document, or their numbers if documents have no ids.
    group : int or str
        The group's number, or its name; -1 for off-topic documents.

    Examples
    --------
    >>> Assign(('d1', 'd7'), 3).to_dict()
    {'kind': 'assign', 'documents': ['d1', 'd7'], 'group': 3}
    """

    kind = "assign"
    documents: tuple[str, ...]
    group: Group

    if TYPE_CHECKING:

        def __init__(self, documents: Several, group: Given) -> None: ...


@dataclass(frozen=True)
class Done(Decision):
    """The group is done: later fits move none of its documents, until it is merged, split or reopened.

    Decisions on single documents still apply, and other documents may join the group.

    Parameters
    ----------
    group : int or str
        The group's number, or its name.
    reopen : bool, default False
        Whether fits may move its documents again.

    Examples
    --------
    >>> Done('food').to_dict()
    {'kind': 'done', 'group': 'food'}
    """

    kind = "done"
    group: Group
    reopen: bool = field(default=False, repr=False)

    if TYPE_CHECKING:

        def __init__(self, group: Given, reopen: bool = False) -> None: ...


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
        raise InputError(f'a decision is {given!r:.60}; give a table such as {{"kind": "off-topic", "document": "id"}}')
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
    "document": "d1",
    "documents": ["d1", "d7"],
    "group": 3,
    "groups": [3, 5],
    "word": "bread",
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
    found: list[Decision] = []
    for each in log:
        if isinstance(each, Merge):
            each = replace(each, groups=tuple(known.get(group, group) for group in each.groups))  # type: ignore[arg-type]
        elif isinstance(each, Belongs | WordBelongs | Rename | Split | Assign | Done):
            each = replace(each, group=known.get(each.group, each.group))  # type: ignore[arg-type]
        found.append(each)
    return tuple(found)


def documents_in(decision: Decision) -> tuple[str, ...]:
    """Return the ids of the documents that a decision labels.

    >>> from outgroup.decisions import Split
    >>> documents_in(NewGroup(("d1", "d7"))), documents_in(OffTopic("d2")), documents_in(Split(0))
    (('d1', 'd7'), ('d2',), ())
    """
    if isinstance(decision, NewGroup | Assign):
        return decision.documents
    return (decision.document,) if isinstance(decision, Belongs | OffTopic) else ()


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
    >>> print(to_json_lines([OffTopic("d1")]), end="")
    {"kind": "off-topic", "document": "d1"}
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


# --- Decisions as sentences, for receipts and notes, the same as on the page


def sentence_of(decision: Decision) -> str:
    """Describe a decision in a sentence.

    >>> sentence_of(Belongs("d1", 3)), sentence_of(Merge((3, "trains")))
    ('d1 belongs to group 3', 'groups 3 and trains are one')
    >>> sentence_of(NewGroup(("d1", "d7"), "refunds")), sentence_of(NewGroup(("d1",)))
    ('d1 and 1 more are a new group called refunds', 'd1 is a new group')
    >>> sentence_of(NotAGroup(("d1", "d7")))
    'd1 and 1 more are not a group'
    >>> sentence_of(Assign(("d1", "d7"), 3)), sentence_of(Assign(("d1",), -1)), sentence_of(Done(3))
    ('d1 and 1 more belong to group 3', 'd1 is junk', 'group 3 is done')
    """
    match decision:
        case Belongs():
            return f"{decision.document} belongs to {_called(decision.group)}"
        case OffTopic():
            return f"{decision.document} is junk"
        case WordBelongs():
            return f"{decision.word} means {_called(decision.group)}"
        case IgnoreWord():
            return f"{decision.word} is noise"
        case Rename():
            return f"group {decision.group} is called {decision.name}"
        case Merge():
            return f"groups {' and '.join(map(str, decision.groups))} are one"
        case Split():
            return f"group {decision.group} is two"
        case Assign():
            first, *others = decision.documents
            subject, one = (f"{first} and {len(others)} more", "") if others else (first, "s")
            if decision.group == -1:
                return f"{subject} {'is' if one else 'are'} junk"
            return f"{subject} belong{one} to {_called(decision.group)}"
        case Done():
            return f"{_called(decision.group)} is {'open again' if decision.reopen else 'done'}"
        case NewGroup():
            first, *others = decision.documents
            subject = f"{first} and {len(others)} more are" if others else f"{first} is"
            return f"{subject} a new group{f' called {decision.name}' if decision.name else ''}"
        case NotAGroup():
            first, *others = decision.documents
            return f"{first} and {len(others)} more are not a group" if others else f"{first} is not a group"
    return "undo" if decision.kind == "undo" else "all groups are found again"


def reason_in(note: str, decision: Decision) -> str:
    """Return the reason in a note if the note is about this decision; else "".

    >>> reason_in("group 6 is called tea: there is no group 6", Rename(6, "tea"))
    'there is no group 6'
    >>> reason_in("rename 6 tea: there is no group 6", Rename(6, "tea")), reason_in("a note", Rename(6, "tea"))
    ('there is no group 6', '')
    """
    for named in (sentence_of(decision), _as_in_files(decision)):  # the second form is of older projects
        if note.startswith(f"{named}: "):
            return note.removeprefix(f"{named}: ")
    return ""


def _as_in_files(decision: Decision) -> str:
    kind, *values = decision.to_dict().values()
    flat = [part for value in values for part in (value if isinstance(value, list) else [value])]
    return " ".join([kind, *map(str, flat)])


def _called(group: Group) -> str:
    return f"group {group}" if isinstance(group, int) else group
