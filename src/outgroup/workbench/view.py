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
from ..report.facts import Fixed
from ..report.pack import pack_fields, pack_lengths, pack_numbers
from ..session import Version
from ..session.ask import ask_next
from ..session.mixed import Mixed
from ..session.propose import share_found
from ..steering.decisions import Belongs, Decision, OffTopic
from ..types import Array
from .desk import Desk, Event
from .pages import Pages
from .told import Told

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
        self._lasting: dict[str, str] | None = None
        self._pages: Pages | None = None
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

    def pages(self) -> Pages:
        """Return the documents of the version that stands."""
        self._version()
        self._show()
        assert self._pages is not None
        return self._pages

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
        told = Told(version, self._labels, self._fields)
        summary = told.summary(self.title, self._fixed)
        self._fixed, self._pages = (
            Fixed(summary.documents.place, summary.documents.near),
            Pages(told.reader, told.fields),
        )
        if self._lasting is None:
            self._lasting = pack_fields(told.fields) | {"length": pack_lengths(told.texts)}
        return pack_numbers(summary) | self._lasting

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


def _junk_seen(version: Version, scores: Array, decisions: Sequence[Decision]) -> float | None:
    row_of = {identity: row for row, identity in enumerate(version.ids)}
    said = {
        each.document: each for each in decisions if isinstance(each, Belongs | OffTopic) and each.document in row_of
    }
    junk = [row_of[each] for each, decision in said.items() if isinstance(decision, OffTopic)]
    kept = [row_of[each] for each, decision in said.items() if isinstance(decision, Belongs)]
    return share_found(np.asarray(scores, dtype=float), junk, kept)
