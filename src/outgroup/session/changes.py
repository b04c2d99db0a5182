"""Differences between two versions or results, also with different documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

AWAY = -1
"""The label of a document in no group: off-topic, or without a known word."""


class HasGroups(Protocol):
    """The groups of documents by id: a version, or its saved form."""

    @property
    def groups(self) -> Mapping[str, int]:
        """The group numbers of the documents; -1 for none."""


@dataclass(frozen=True)
class Moved:
    """A document that changed its group.

    Parameters
    ----------
    id : str
    before, after : int
        Numbers of groups; -1 is none.

    Examples
    --------
    >>> Moved("d1", before=0, after=-1).after == AWAY
    True
    """

    id: str
    before: int
    after: int


@dataclass(frozen=True, repr=False)
class Changes:
    """The differences between two versions; false if there are none; `str` gives a sentence.

    Parameters
    ----------
    moved : list of Moved
    new, gone : list of str
        Ids of documents only in the later, or only in the earlier version.

    Examples
    --------
    >>> differences = changes({"a": 0, "b": 1}, {"a": 1, "b": 1})
    >>> str(differences), bool(changes({"a": 0}, {"a": 0}))
    ('1 document moved', False)
    """

    moved: list[Moved] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        """Return whether the versions differ."""
        return bool(self.moved or self.new or self.gone)

    def __repr__(self) -> str:
        return f"<Changes: {self}>"  # short in notebooks

    def to_dict(self) -> dict[str, Any]:
        """Return the changes as plain dicts and lists, ready for JSON.

        Returns
        -------
        dict
        """
        return asdict(self)

    def __str__(self) -> str:
        """The changes in one sentence.

        >>> print(changes({"a": 0, "b": 1, "c": 1}, {"a": 1, "b": 1, "d": 0}))
        1 document moved, 1 is new, 1 is gone
        """
        parts = [f"{len(self.moved)} document{'' if len(self.moved) == 1 else 's'} moved"]
        others = ((len(self.new), "new"), (len(self.gone), "gone"))
        parts += [f"{count} {'is' if count == 1 else 'are'} {word}" for count, word in others if count]
        return ", ".join(parts)


def changes(before: Mapping[str, int], after: Mapping[str, int]) -> Changes:
    """Compare two groupings.

    Parameters
    ----------
    before, after : mapping of str to int
        The group numbers of the documents, by id; -1 for none.

    Returns
    -------
    Changes

    Examples
    --------
    >>> differences = changes({"a": 0, "b": 1, "c": 1}, {"a": 1, "b": 1, "d": 0})
    >>> differences.moved, differences.new, differences.gone
    ([Moved(id='a', before=0, after=1)], ['d'], ['c'])
    """
    moved = [Moved(key, before[key], group) for key, group in after.items() if before.get(key, group) != group]
    new = [identity for identity in after if identity not in before]
    return Changes(moved, new, [identity for identity in before if identity not in after])


def input_notes(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    """Yield a note if most common documents have different texts, as when ids are positions, and one if most removed or
    most new documents share texts with each other, as after a change of ids.

    Parameters
    ----------
    before, after : mapping of str to str
        The digests of the documents' texts, by id; "" for an unknown text.

    Yields
    ------
    str

    Examples
    --------
    >>> list(input_notes({"a": "1", "b": "2"}, {"b": "2", "c": "3"}))
    []
    """
    common = before.keys() & after.keys()
    others = sum(before[identity] not in (after[identity], "") for identity in common)
    if 2 * others > len(common):
        yield (
            f"{others:,} of {len(common):,} common documents have another text than before: read the same fields "
            "(--text), and take ids from a field (--id), because row numbers change"
        )
    new, gone = (Counter(texts[identity] for identity in texts.keys() - common) for texts in (after, before))
    stayed = {after[identity] for identity in common}  # such as a form letter
    count = sum(count for text, count in (gone & new).items() if text not in stayed)
    if 2 * count > min(gone.total(), new.total()):
        yield (
            f"{count:,} of {gone.total():,} missing documents have the same text as a new document: ids changed, so "
            "earlier decisions on them no longer apply; give the earlier ids with --id"
        )
