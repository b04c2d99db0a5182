"""The saved form of a version: plain values by document id, without texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import numpy as np

from ..decisions import Decision, parse
from ..decisions.base import SOURCES
from ..decisions.kinds import ProposedGroup, ProposedRecord
from ..decisions.state import Pair, Pin, State, by_row
from ..document_clustering import DocumentClustering
from ..errors import InputError, ModelError, quoted
from ..saved_model import MOST_UNUSED, are_numbers
from ..storage.json_values import Count, GroupKey, checked, fits
from ..text.collection import LABELLED_AWAY, Collection
from ..types import Array
from .changes import other_ids, other_texts
from .version import Version

FORMAT, FORM = "outgroup-session", 1
UNKNOWN = ""  # the digest of a text that was not saved


@dataclass(frozen=True)
class Past:
    """An earlier version by document id, without texts; a session can continue it with the same or later documents.

    Parameters
    ----------
    number : int
    groups : mapping of str to int
        The number of each document's group, -1 for none.
    digests : mapping of str to str
        The digest of each document's text.
    numbers : tuple of int
        The groups, in the order of the model's.
    names : mapping of int to str
    decisions : tuple of Decision
    pins : mapping of str to Pin
        Labelled documents.
    words : mapping of str to Pin
        Labelled words.
    away : frozenset of str
        Documents with an off-topic label.
    ignored : frozenset of str
        Ignored words.
    model : DocumentClustering
    weights : mapping of int to float, default none
        The weight of a document of each group.
    apart : frozenset of pairs, default none
        Pairs of groups separated by a decision.
    called : mapping of int to str, default none
        The automatic names of groups, as last shown.
    done : frozenset of int, default none
        Groups whose documents no fit moves.
    used : int, default 0
        The count of numbers that a group has had.
    proposed : tuple of ProposedGroup, default none
        Groups that new documents suggest, without decided ones.

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
    numbers: tuple[int, ...]
    names: Mapping[int, str]
    decisions: tuple[Decision, ...]
    pins: Mapping[str, Pin]
    words: Mapping[str, Pin]
    away: frozenset[str]
    ignored: frozenset[str]
    model: DocumentClustering
    weights: Mapping[int, float] = field(default_factory=dict)
    apart: frozenset[Pair] = frozenset()
    called: Mapping[int, str] = field(default_factory=dict)
    done: frozenset[int] = frozenset()
    used: int = 0
    proposed: tuple[ProposedGroup, ...] = ()

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
        """
        ids, state = version.ids, version.state
        digests = {identity: digest(text) for identity, text in zip(ids, texts, strict=True)}
        return cls(
            version.number,
            version.groups,
            digests,
            version.numbers,
            version.names,
            version.decisions,
            words=state.words,
            ignored=state.ignored,
            model=version.model,
            weights=state.weights,
            apart=state.apart,
            called=version.called,
            done=state.done,
            used=state.used,
            proposed=state.proposed,
            **state.by_id(ids),
        )

    @classmethod
    def of_model(cls, model: DocumentClustering, ids: Sequence[str], texts: Sequence[str]) -> Past:
        """Return the saved form of a model, as a first version without decisions.

        Parameters
        ----------
        model : DocumentClustering
            Fitted on these texts.
        ids, texts : sequences of n str

        Returns
        -------
        Past
        """
        groups = dict(zip(ids, model.labels_.tolist(), strict=True))
        names = {number: name for number, name in enumerate(model.names_ or []) if name is not None}
        digests = {identity: digest(text) for identity, text in zip(ids, texts, strict=True)}
        numbers = tuple(range(len(model.clusterer_.coef_)))
        away = frozenset(ids[row] for row, why in model.skipped_ if why == LABELLED_AWAY)
        pins, placed = {}, model.placed_
        if placed is not None and placed.seeds is not None:
            inside = np.flatnonzero(model.kept_)
            held = np.flatnonzero((placed.seeds >= 0) & (placed.seeds == model.labels_[inside]))
            weights = np.ones(len(numbers)) if placed.seed_weights is None else placed.seed_weights
            for row, seed in zip(inside[held].tolist(), placed.seeds[held].tolist(), strict=True):
                pins[ids[row]] = Pin(int(seed), float(weights[int(seed)]), "seed")
        return cls(1, groups, digests, numbers, names, (), pins, {}, away, frozenset(), model)

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
            "documents": {each: [group, self.digests[each]] for each, group in self.groups.items()},
        }

    @classmethod
    def from_dict(cls, content: Any, model: DocumentClustering) -> Past:
        """Return the version described by a dict from `to_dict`.

        Parameters
        ----------
        content : Any
            Untrusted content of a file.
        model : DocumentClustering

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
            past = cls._parsed(checked(content, SessionRecord), model)
        except ValueError as error:
            raise ModelError(f"the session is damaged: {error!s:.200}") from error
        if len(past.numbers) != len(model.clusterer_.coef_) or len(set(past.numbers)) < len(past.numbers):
            raise ModelError("the session is damaged: its groups do not match the model")
        return past

    @classmethod
    def _parsed(cls, content: SessionRecord, model: DocumentClustering) -> Past:
        documents, found = content["documents"], from_plain(content)
        known = {-1, *found["numbers"]}
        if any(group not in known for group, _ in documents.values()):
            raise ValueError("a document has an unknown group")
        return cls(
            number=content["version"],
            groups={each: group for each, (group, _) in documents.items()},
            digests={each: text for each, (_, text) in documents.items()},
            decisions=tuple(parse(each) for each in content["decisions"]),
            model=model,
            **found,
        )

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
        row_of, kept = documents.row_of, documents.kept
        known = np.array([identity in self.groups for identity in documents.ids], dtype=bool)
        digests = {each: digest(text) for each, text in zip(documents.ids, documents.texts, strict=True)}
        # A streamed result has no digests of texts.
        same = np.array([self.digests.get(each) in (text, UNKNOWN) for each, text in digests.items()])
        free = kept & ~same
        gone = any(group >= 0 and identity not in row_of for identity, group in self.groups.items())
        there = {each: row for each, row in row_of.items() if kept[row] or each in self.away or each in self.pins}
        notes = (*other_texts(known, same), *other_ids(self.digests, digests), *self._notes(row_of))
        state = self.state_of(self._labels(documents, kept & ~known), free, there, refit=gone or bool(free.any()))
        return replace(state, proposed=self._proposed(documents, np.flatnonzero(kept & ~known)), notes=notes)

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
        kept = {name: getattr(self, name) for name in ("words", "ignored", "weights", "apart", "done", "used")}
        placed = by_row(self.pins, self.away, row_of)
        return State(labels, self.numbers, free, self.names, refit=refit, **kept, **placed)

    def new(self, documents: Collection) -> Array:
        """Return the mask of new documents; a document with the text of a removed one is not new.

        Parameters
        ----------
        documents : Collection

        Returns
        -------
        (n,) bool
        """
        texts = {text for identity, text in self.digests.items() if identity not in documents.row_of}
        each = zip(documents.ids, documents.texts, strict=True)
        return np.array([identity not in self.groups and digest(text) not in texts for identity, text in each])

    def _labels(self, documents: Collection, new: Array) -> Array:
        """Return the group of each document, (n,) int32; `new` documents (n,) get the predicted group."""
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
        gone = {each for group in self.proposed for each in group.documents} - documents.row_of.keys()
        still = [left for each in self.proposed if (left := each.without(gone)) is not None]
        if not len(new):
            return tuple(still)
        spaces = documents.spaces.take((np.cumsum(documents.kept) - 1)[new])
        return (*still, *self.model._proposed(spaces, [documents.ids[row] for row in new.tolist()]))

    def _notes(self, row_of: Mapping[str, int]) -> tuple[str, ...]:
        lost = sorted(each for each in {*self.pins, *self.away} if each not in row_of and each in self.groups)
        return (
            (f"labels of removed documents have no effect until the documents return: {quoted(lost, 5)}",)
            if lost
            else ()
        )


def digest(text: str) -> str:
    """Return a digest of a text: 12 hexadecimal digits."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


# --- Plain values for files, and their validation

_Weight = Annotated[float, lambda weight: weight > 0]
_Source = Annotated[str, SOURCES.__contains__]
_LabelRecord = tuple[Count, _Weight] | tuple[Count, _Weight, _Source] | tuple[Count, _Weight, _Source, int]


class VersionRecord(TypedDict):
    """The fields of `to_plain`, and the notes of a version in a project file; earlier versions wrote fewer fields."""

    numbers: list[Count]
    names: dict[GroupKey, str]
    pins: dict[str, _LabelRecord]
    words: dict[str, _LabelRecord]
    away: list[str]
    ignored: list[str]
    weights: NotRequired[dict[GroupKey, _Weight]]
    apart: NotRequired[list[Annotated[tuple[Count, Count], lambda pair: pair[0] != pair[1]]]]
    called: NotRequired[dict[GroupKey, str]]
    done: NotRequired[list[Count]]
    used: NotRequired[Count]
    proposed: NotRequired[list[ProposedRecord]]
    notes: NotRequired[list[str]]


class FormRecord(TypedDict):
    """The fields that a saved session always has."""

    format: Literal["outgroup-session"]
    form: int


class SessionRecord(VersionRecord, FormRecord):
    """The fields of `Past.to_dict`."""

    version: Count
    decisions: list[dict[str, Any]]
    documents: dict[str, tuple[int, str]]


def to_plain(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a state by document id as plain values, ready for JSON."""
    return {
        "numbers": list(state["numbers"]),
        "names": {str(number): name for number, name in state["names"].items()},
        "pins": {each: _plain_label(label) for each, label in state["pins"].items()},
        "words": {each: [label.group, label.weight] for each, label in state["words"].items()},
        "away": sorted(state["away"]),
        "weights": {str(number): weight for number, weight in state["weights"].items()},
        "ignored": sorted(state["ignored"]),
        "apart": sorted(sorted(pair) for pair in state["apart"]),
        "called": {str(number): name for number, name in sorted(state["called"].items())},
        **({"done": sorted(state["done"])} if state["done"] else {}),
        **({"used": state["used"]} if state["used"] else {}),
        **({"proposed": [each.to_dict() for each in state["proposed"]]} if state["proposed"] else {}),
    }


def _plain_label(label: Pin) -> list[Any]:
    found = [] if label.found < 0 else [label.found]
    usual = label.source == Pin.source and not found
    return [label.group, label.weight] if usual else [label.group, label.weight, label.source, *found]


def from_plain(content: VersionRecord) -> dict[str, Any]:
    """Return the fields of a state from plain values; raise InputError if their groups do not match."""
    numbers, known = tuple(content["numbers"]), {*content["numbers"]}
    if not are_numbers(content["numbers"], len(numbers)):
        raise InputError("its group numbers are not distinct integers without large gaps")
    pins, words = _labels(content["pins"]), _labels(content["words"])
    weights = {int(number): float(weight) for number, weight in content.get("weights", {}).items()}
    apart = frozenset(map(frozenset, content.get("apart", ())))
    used_in = {
        "label": {label.group for label in (*pins.values(), *words.values())},
        "weight": weights.keys(),
        "separated pair": frozenset().union(*apart),
    }
    for what, groups in used_in.items():
        if not groups <= known:
            raise InputError(f"a {what} has an unknown group")
    return {
        "numbers": numbers,
        "names": _by_number(content["names"]),
        "pins": pins,
        "words": words,
        "away": frozenset(content["away"]),
        "ignored": frozenset(content["ignored"]),
        "weights": weights,
        "apart": apart,
        "called": _by_number(content.get("called", {})),
        "done": frozenset(content.get("done", ())) & known,
        "used": min(content.get("used", 0), len(numbers) + MOST_UNUSED),
        "proposed": tuple(map(ProposedGroup.from_dict, content.get("proposed", ()))),
    }


def _by_number(names: Mapping[str, str]) -> dict[int, str]:
    return {int(number): name for number, name in names.items()}


def _labels(content: Mapping[str, Sequence[Any]]) -> dict[str, Pin]:
    return {each: Pin(group, float(weight), *rest) for each, (group, weight, *rest) in content.items()}
