"""The decisions themselves: frozen values."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar

from .checks import Given, Group, Several, checked

# What may be given is more than what a decision holds, which was checked: where the two differ, `__init__` has its own
# types.


@dataclass(frozen=True)
class Decision:
    """Base of all decisions; `kind` is the word that stands for it in a file.

    Examples
    --------
    >>> [each.kind for each in (Belongs, OffTopic, Undo)]
    ['belongs', 'off-topic', 'undo']
    """

    kind: ClassVar[str]

    def __post_init__(self) -> None:
        """Take values as tables and lists hold them (an id that is a number, NumPy's numbers and arrays, a list); raise
        InputError for one of no use: whoever made a decision, it can be written and read again."""
        for each in fields(self):
            value = getattr(self, each.name)
            if value is not each.default:
                object.__setattr__(self, each.name, checked(each.name, value, self.kind))

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

    A correction moves the few documents nearest to it. Labels of a fair sample ("sample", "seed") are also what
    `Regroup` learns from, since people correct what is wrong: corrections tell nothing of how good groups are.

    Parameters
    ----------
    document : str or int
        The document's id; of documents that have none, their number.
    group : int or str
        The group's number, or its name.
    weight : float, default 1.0
        Above 0.
    source : {"correction", "sample", "seed"}, default "correction"
        "sample": the document was drawn at random. "seed": the label was given at the start.

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
        The document's id; of documents that have none, their number.

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

    if TYPE_CHECKING:

        def __init__(self, word: str, group: Given, weight: float = 1.0) -> None: ...


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

    if TYPE_CHECKING:

        def __init__(self, group: Given, name: str) -> None: ...


@dataclass(frozen=True)
class Merge(Decision):
    """The groups are one, under the number of the first.

    Parameters
    ----------
    groups : sequence of int or str
        The numbers or names of two groups or more.

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

    if TYPE_CHECKING:

        def __init__(self, group: Given) -> None: ...


@dataclass(frozen=True)
class NewGroup(Decision):
    """The documents are a group of their own, with all that is clearly more like them than like its own group.

    The new group takes the lowest number that is free.

    Parameters
    ----------
    documents : sequence of str or int
        The ids of one document or more; of documents that have none, their numbers. Three say more than one.
    name : str, optional
        What the group is called.

    Examples
    --------
    >>> NewGroup(('d1', 'd7'), 'refunds').to_dict()
    {'kind': 'new-group', 'documents': ['d1', 'd7'], 'name': 'refunds'}
    """

    kind = "new-group"
    documents: tuple[str, ...]
    name: str | None = None

    if TYPE_CHECKING:

        def __init__(self, documents: Several, name: str | None = None) -> None: ...


@dataclass(frozen=True)
class Undo(Decision):
    """Takes back the last decision that still stands; nothing where none does.

    Examples
    --------
    >>> from outgroup.decisions import Split, in_force
    >>> in_force([Split(0), Undo()])
    ()
    """

    kind = "undo"


@dataclass(frozen=True)
class Regroup(Decision):
    """Labels of a fair sample correct all groups: other documents move where labels that were left out support it.

    Without such labels, or where they do not support a change, no document moves, and a note says why.

    Examples
    --------
    >>> Regroup().to_dict()
    {'kind': 'regroup'}
    """

    kind = "regroup"


KINDS: dict[str, type[Decision]] = {
    each.kind: each
    for each in (Belongs, OffTopic, WordBelongs, IgnoreWord, Rename, Merge, Split, NewGroup, Regroup, Undo)
}
"""Every kind of decision, by the word that stands for it in a file."""
