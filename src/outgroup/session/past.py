"""The saved form of a version: plain values by document id, without texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Annotated, Any, Literal, TypedDict

import numpy as np

from ..decisions import Decision, parse
from ..decisions.kinds import ProposedGroup, ProposedRecord
from ..decisions.state import Groups, Pin, State, by_row
from ..errors import InputError, ModelError, quoted
from ..model import Model
from ..storage.json_values import MOST_UNUSED, Count, GroupKey, are_numbers, checked, fits
from ..text.collection import Collection
from ..types import Array
from .changes import input_notes
from .version import Version

FORMAT, FORM = "outgroup-session", 1
UNKNOWN = ""  # the digest of a text that was not saved


@dataclass(frozen=True, repr=False)
class Past(Groups):
    """An earlier version by document id, without texts; a session can continue it with the same or later documents.

    Parameters
    ----------
    number : int
    groups : mapping of str to int
        The group numbers of the documents, -1 for none.
    digests : mapping of str to str
        The digests of the documents' texts.
    decisions : tuple of Decision
    pins : mapping of str to Pin
        Labelled documents.
    away : frozenset of str
        Documents with an off-topic label.
    model : Model
    automatic_names : mapping of int to str, default none
        The latest automatic names of groups.
    numbers, names, definitions, words, ignored, weights, apart, done, used, proposed
        As in `decisions.state.Groups`; the numbers are in the order of the model's.

    Examples
    --------
    >>> from outgroup.session import Session
    >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's rails"]
    >>> past = Past.of(Session(texts, n_clusters=2).fit(), texts)
    >>> past.number, sorted(past.groups)
    (1, ['0', '1', '2', '3'])
    """

    number: int
    groups: Mapping[str, int]
    digests: Mapping[str, str]
    decisions: tuple[Decision, ...]
    pins: Mapping[str, Pin]
    away: frozenset[str]
    model: Model
    automatic_names: Mapping[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not {*self.groups.values()} <= {-1, *self.numbers}:
            raise ModelError("the session is damaged: a document has an unknown group")
        if len(self.numbers) != len(self.model.clusterer_.coef_):
            raise ModelError("the session is damaged: its groups do not match the model")

    @classmethod
    def of(cls, version: Version, texts: Sequence[str]) -> Past:
        """Return the saved form of a version.

        Parameters
        ----------
        version : Version
        texts : sequence of n str
            The texts of its documents.

        Returns
        -------
        Past

        Raises
        ------
        InputError
            There are not n texts.
        """
        if len(texts) != len(version.ids):
            raise InputError(
                f"there are {len(texts)} texts for {len(version.ids)} documents: give those of the version"
            )
        return past_of(version, version.model, _digests(version.ids, texts))

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the model as plain values, ready for JSON.

        Returns
        -------
        dict
        """
        return {
            "format": FORMAT,
            "form": FORM,
            "version": self.number,
            "decisions": [decision.to_dict() for decision in self.decisions],
            **to_plain(vars(self)),
            "documents": {identity: [group, self.digests[identity]] for identity, group in self.groups.items()},
        }

    @classmethod
    def from_dict(cls, content: Any, model: Model) -> Past:
        """Return the version described by a dict from `to_dict`.

        Parameters
        ----------
        content : Any
            Untrusted content of a file.
        model : Model

        Returns
        -------
        Past

        Raises
        ------
        ModelError
            The content is not a session, damaged, or of a newer format.
        """
        if not fits(content, FormRecord):
            raise ModelError("it is not a session of outgroup")
        if content["form"] > FORM:
            raise ModelError("it was written by a newer version; update outgroup to read it")
        try:
            documents, values = checked(content, SessionRecord)["documents"], from_plain(content)
            decisions = tuple(map(parse, content["decisions"]))
        except ValueError as error:
            raise ModelError(f"the session is damaged: {error!s:.200}") from error
        groups = {identity: group for identity, (group, _) in documents.items()}
        digests = {identity: text for identity, (_, text) in documents.items()}
        return cls(content["version"], groups, digests, decisions=decisions, model=model, **values)

    def state(self, documents: Collection) -> State:
        """Return the state for a collection of the same or later documents.

        New documents go where the model predicts, and suggest groups. New, changed and removed documents require a
        refit.

        Parameters
        ----------
        documents : Collection

        Returns
        -------
        State
        """
        row_of, has_row = documents.row_of, documents.kept
        known = np.array([identity in self.groups for identity in documents.ids], dtype=bool)
        digests = _digests(documents.ids, documents.texts)
        # A result of rows in files has no digests of texts.
        same = np.array([self.digests.get(identity) in (text, UNKNOWN) for identity, text in digests.items()])
        free = has_row & ~same
        gone = any(group >= 0 and identity not in row_of for identity, group in self.groups.items())
        labelled = {*self.pins, *self.away}
        there = {identity: row for identity, row in row_of.items() if has_row[row] or identity in labelled}
        notes = (*input_notes(self.digests, digests), *self._notes(row_of))
        state = self.state_of(self._labels(documents, has_row & ~known), free, there, refit=gone or bool(free.any()))
        return replace(state, proposed=self._proposed(documents, np.flatnonzero(has_row & ~known)), notes=notes)

    def state_of(self, labels: Array, free: Array, row_of: Mapping[str, int], *, refit: bool) -> State:
        """Return the state of documents with the groups `labels` (n,); the fit may move documents in the mask `free`.

        Parameters
        ----------
        labels, free : (n,) arrays
        row_of : mapping of str to int
            The rows of the labelled documents by id, perhaps of others.
        refit : bool
            Whether the documents need a fit.

        Returns
        -------
        State
        """
        return State(
            labels, free, refit=refit, **self.kept() | {"proposed": ()}, **by_row(self.pins, self.away, row_of)
        )

    def _labels(self, documents: Collection, new: Array) -> Array:
        """Return the groups of the documents, (n,) int32; `new` documents (n,) get predicted groups."""
        labels = np.array([self.groups.get(identity, -1) for identity in documents.ids], dtype=np.int32)
        rows = np.flatnonzero(new)
        if len(rows):
            place = np.cumsum(documents.kept) - 1
            scores = self.model.clusterer_.decision_function(documents.spaces.space[place[rows]])
            labels[rows] = np.asarray(self.numbers, dtype=np.int32)[np.asarray(scores).argmax(axis=1)]
        for row in np.flatnonzero(~documents.kept).tolist():
            pin = self.pins.get(documents.ids[row])
            labels[row] = -1 if pin is None else pin.group
        return labels

    def _proposed(self, documents: Collection, new: Array) -> tuple[ProposedGroup, ...]:
        """Return earlier proposed groups if most of their documents remain, and groups that the rows `new` suggest."""
        gone = {identity for group in self.proposed for identity in group.documents} - documents.row_of.keys()
        still = [left for group in self.proposed if (left := group.without(gone)) is not None]
        if not len(new):
            return tuple(still)
        spaces = documents.spaces.take((np.cumsum(documents.kept) - 1)[new])
        ids = [documents.ids[row] for row in new.tolist()]
        others = [documents.texts[row] for row in np.delete(np.arange(len(documents)), new).tolist()]
        return (*still, *self.model._proposed(spaces, ids, others=others))

    def _notes(self, row_of: Mapping[str, int]) -> tuple[str, ...]:
        lost = sorted(({*self.pins, *self.away} & self.groups.keys()) - row_of.keys())
        note = f"labels of removed documents have no effect until the documents return: {quoted(lost, 5)}"
        return (note,) if lost else ()


def past_of(version: Version, model: Model, digests: Mapping[str, str]) -> Past:
    """Return the saved form of a version with a model and the digests of the documents' texts."""
    names = ("number", "groups", "numbers", "decisions", "automatic_names")
    values = version.state.kept() | {name: getattr(version, name) for name in names}
    return Past(model=model, digests=digests, **values, **version.state.by_id(version.ids))


def _digests(ids: Sequence[str], texts: Sequence[str]) -> dict[str, str]:
    return {identity: digest(text) for identity, text in zip(ids, texts, strict=True)}


def digest(text: str) -> str:
    """Return a digest of a text: 12 hexadecimal digits."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


# --- Plain values for files, and their validation


class FormRecord(TypedDict):
    """The fields that a saved session always has."""

    format: Literal["outgroup-session"]
    form: int


class SessionRecord(FormRecord):
    """The fields of `Past.to_dict`, in addition to those of `to_plain`."""

    version: Count
    decisions: list[dict[str, Any]]
    documents: dict[str, tuple[int, str]]


def _plain(value: Any) -> Any:
    """Return sets as sorted lists, tuples and labels as lists, and numbers of groups as keys."""
    if isinstance(value, Mapping):
        keys = sorted(value) if all(isinstance(key, int) for key in value) else value
        return {str(key): _plain(value[key]) for key in keys}
    if isinstance(value, ProposedGroup):
        return value.to_dict()
    if isinstance(value, frozenset):
        return sorted(map(_plain, value))
    if isinstance(value, tuple | Pin):
        return [*map(_plain, value if isinstance(value, tuple) else vars(value).values())]
    return value


def _by_number(values: Mapping[str, Any]) -> dict[int, Any]:
    return {int(key): value for key, value in values.items()}


def _labels(values: Mapping[str, Any]) -> dict[str, Pin]:
    return {identity: replace(Pin(*value), further=tuple(further)) for identity, (*value, further) in values.items()}


_Weight = Annotated[float, lambda weight: weight > 0]
_Labels = dict[str, tuple[Count, _Weight, bool, int, list[Count]]]
_Pair = Annotated[tuple[Count, Count], lambda pair: pair[0] != pair[1]]
_FIELDS: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "numbers": (Annotated[list[Count], lambda numbers: are_numbers(numbers, len(numbers))], tuple),
    "names": (dict[GroupKey, str], _by_number),
    "definitions": (dict[GroupKey, str], _by_number),
    "weights": (dict[GroupKey, _Weight], _by_number),
    "automatic_names": (dict[GroupKey, str], _by_number),
    "pins": (_Labels, _labels),
    "words": (_Labels, _labels),
    "away": (list[str], frozenset),
    "ignored": (list[str], frozenset),
    "done": (list[Count], frozenset),
    "apart": (list[_Pair], lambda pairs: frozenset(map(frozenset, pairs))),
    "used": (Count, int),
    "proposed": (list[ProposedRecord], lambda groups: tuple(map(ProposedGroup.from_dict, groups))),
}
"""The fields of a version by document id: the type of their plain value, and the function from it."""


def to_plain(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a state by document id as plain values, ready for JSON."""
    return {name: _plain(state[name]) for name in _FIELDS}


def from_plain(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a state from plain values; raise ModelError, with the first wrong field."""
    values: dict[str, Any] = {}
    for name, (kind, back) in _FIELDS.items():
        checked({name: content.get(name, ...)}, dict[str, kind])  # type: ignore[valid-type]
        values[name] = back(content[name])
    known = {*values["numbers"]}
    labels = [*values["pins"].values(), *values["words"].values()]
    groups = {group for label in labels for group in (label.group, *label.further)}
    if not groups | values["weights"].keys() | frozenset().union(*values["apart"]) <= known:
        raise ModelError("a label, a weight or a separated pair has an unknown group")
    return values | {"done": values["done"] & known, "used": min(values["used"], len(known) + MOST_UNUSED)}
