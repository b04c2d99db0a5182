"""What the page shows of a version, as plain data: the parts of a report, what to look at next, and what changed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from threading import Lock
from typing import Any

import numpy as np

from ..errors import InputError
from ..metrics import adjusted_rand, nmi
from ..report.facts import Fixed, Summary
from ..report.pack import PackedTexts, pack, pack_texts
from ..report.summary import summarise
from ..session import Version
from ..session.ask import ask_next
from ..session.assess import judge
from ..session.by_number import at_numbers, by_number
from ..session.mixed import Mixed
from ..session.propose import share_found
from ..session.version import Collection
from ..steering.decisions import Belongs, Decision, OffTopic
from ..types import Array
from .desk import Desk, Event

_MOVED = 200  # documents of a comparison that are listed

Data = dict[str, Any]


class View:
    """The versions of a desk as a page wants them; what is dear is made once, in the thread that made the version.

    Parameters
    ----------
    desk : Desk
    title : str
    labels : sequence of n str, default None
        True classes, to compare with; "" where unknown.
    fields : mapping of name to n str, default none
        Further columns, to filter and colour by.
    """

    def __init__(
        self,
        desk: Desk,
        title: str,
        labels: Sequence[str] | None = None,
        fields: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self.title, self._desk, self._labels, self._fields = title, desk, labels, dict(fields or {})
        self._lock = Lock()
        self._shown: Version | None = None
        self._parts: dict[str, str] = {}
        self._hashes: dict[str, str] = {}
        self._fixed: Fixed | None = None
        self._texts: PackedTexts | None = None
        self._lines: dict[int, Data] = {}
        self._mixed = Mixed()
        desk.listen(self._follow)
        if desk.version is not None:
            self._follow({"kind": "version"})

    @property
    def number(self) -> int:
        """The number of the version that stands."""
        version = self._desk.version
        return next((i for i, each in enumerate(self._desk.versions, 1) if each is version), 0)

    def parts(self) -> dict[str, str]:
        """Return the parts of the page, by name, each in base64; none before there is a version."""
        self._show()
        return self._parts

    def hashes(self) -> dict[str, str] | None:
        """Return a short hash of each part: one that is the same need not be fetched again."""
        if self._desk.version is None:
            return None
        self._show()
        return self._hashes

    def line(self, number: int) -> Data:
        """Return what the history says of a version."""
        if number not in self._lines:
            self._lines[number] = self._line(self._desk.at(number))
        return {"number": number, **self._lines[number]}

    def proposals(self, most: int, put_off: Sequence[str] = ()) -> Data:
        """Return documents to look at next, and how much of the junk was seen."""
        version, lasting = self._version(), self._desk.lasting
        found, numbers = version.assess(), version.numbers
        chosen = ask_next(version, found, lasting, set(put_off), mixed=self._mixed, most=most)
        return {
            "proposals": [
                {
                    "id": version.ids[each.row] if each.row >= 0 else None, "kind": each.kind, "why": each.why,
                    "group": numbers[each.group], "rival": numbers[each.rival] if each.rival >= 0 else None,
                }
                for each in chosen
            ],
            "junk_seen": _junk_seen(version, found.off_topic_score, lasting),
        }  # fmt: skip

    def receipt(self, which: int) -> Data:
        """Return what became of the decision of a number among those that stand."""
        lasting = self._desk.lasting
        if not 0 <= which < len(lasting):
            raise InputError(f"there is no decision {which}; {len(lasting)} stand")
        version = self._version()
        if lasting[which] not in version.decisions:
            return {"waiting": True}
        found = version.receipt(lasting[which])
        moved = [asdict(each) for each in found.moved[:_MOVED]]
        return {
            "moved": moved, "n_moved": len(found.moved), "honoured": found.honoured, "said": found.said,
            "contradicts": list(found.contradicts), "shared": found.shared,
        }  # fmt: skip

    def compare(self, before: int, after: int) -> Data:
        """Return what differs between two versions: counts, the groups, and the first of the documents that moved."""
        found = self._desk.at(after).compare(self._desk.at(before))
        said = found.to_dict()
        return {**said, "moved": said["moved"][:_MOVED], "n_moved": len(found.moved), "said": str(found)}

    def _version(self) -> Version:
        if self._desk.version is None:
            raise InputError("the first groups are not found yet; wait a moment")
        return self._desk.version

    def _follow(self, event: Event) -> None:
        if event["kind"] == "version":
            self._show()

    def _show(self) -> None:
        """Make the parts of the version that stands, unless they are there."""
        with self._lock:
            version = self._desk.version
            if version is None or version is self._shown:
                return
            parts = self._made(version)
            hashes = {name: hashlib.sha256(part.encode()).hexdigest()[:16] for name, part in parts.items()}
            self._parts, self._hashes, self._shown = parts, hashes, version

    def _made(self, version: Version) -> dict[str, str]:
        summary = summary_of(version, self.title, self._labels, self._fields, self._fixed)
        self._fixed = Fixed(summary.documents.place, summary.documents.near)
        self._texts = self._texts or pack_texts(summary.documents)
        return pack(summary, texts=self._texts)

    def _line(self, version: Version) -> Data:
        moved = None if version.parent is None else len(version.compare(version.parent).moved)
        last = version.lasting[-1].to_dict() if version.lasting else None
        line: Data = {"groups": len(version.numbers), "decisions": len(version.lasting), "moved": moved, "last": last}
        line |= {"seconds": round(version.seconds, 3), "notes": list(version.notes)}
        return line | ({} if self._labels is None else {"quality": self._quality(version)})

    def _quality(self, version: Version) -> dict[str, float]:
        known = [i for i, label in enumerate(self._labels or ()) if label and version.labels[i] >= 0]
        if not known:
            return {}
        truth = np.unique([str(self._labels[i]) for i in known if self._labels], return_inverse=True)[1]
        return {"nmi": nmi(truth, version.labels[known]), "ari": adjusted_rand(truth, version.labels[known])}


def summary_of(
    version: Version,
    title: str,
    labels: Sequence[str] | None = None,
    fields: Mapping[str, Sequence[str]] | None = None,
    fixed: Fixed | None = None,
) -> Summary:
    """Return the `Summary` of a version: all documents that have a row, those that are away among the off-topic ones.

    `fixed` is what an earlier summary of the same documents found. Groups are in the order of their numbers; one that
    was merged away is empty.
    """
    documents, shown = version.documents, by_number(version)
    assert documents is not None
    rows, why = np.flatnonzero(documents.kept).tolist(), documents.representation.missing
    verdicts = at_numbers(judge(version.model, documents.spaces, documents.kept), version.numbers)
    reject = shown.reject or (None, None)
    return summarise(
        X=_without(documents, version.state.ignored),
        labels=version.labels[rows],
        scores=verdicts.scores[rows],
        coef=shown.coef,
        feature_names=documents.words,
        ids=[documents.ids[row] for row in rows],
        titles=[documents.titles[row] for row in rows],
        texts=[documents.texts[row] for row in rows],
        off_topic_score=verdicts.off_topic_score[rows],
        off_topic=version.labels[rows] < 0,
        reject_coef=reject[0],
        reject_intercept=reject[1],
        true_labels=None if labels is None else [labels[row] for row in rows],
        skipped=[(documents.ids[row], why) for row in np.flatnonzero(~documents.kept).tolist()],
        names=shown.names,
        fields={name: [values[row] for row in rows] for name, values in (fields or {}).items()},
        fixed=fixed,
        run={"title": title},
    )


def _without(documents: Collection, ignored: frozenset[str]) -> Any:
    """Return the documents' rows of words, with zeros where a word is ignored."""
    words = documents.spaces.words
    columns = [column for word in sorted(ignored) for column in documents.columns(word)]
    if not columns:
        return words
    quiet = words.copy()
    quiet.data[np.isin(quiet.indices, columns)] = 0
    return quiet


def _junk_seen(version: Version, scores: Array, decisions: Sequence[Decision]) -> float | None:
    row_of = {identity: row for row, identity in enumerate(version.ids)}
    said = {
        each.document: each for each in decisions if isinstance(each, Belongs | OffTopic) and each.document in row_of
    }
    junk = [row_of[each] for each, decision in said.items() if isinstance(decision, OffTopic)]
    kept = [row_of[each] for each, decision in said.items() if isinstance(decision, Belongs)]
    return share_found(np.asarray(scores, dtype=float), junk, kept)
