"""What the page shows of a version, as plain data: the parts of a report, what to look at next, and what changed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import lru_cache
from threading import Lock
from typing import Any

import numpy as np

from ..errors import InputError
from ..report.facts import Fixed, Summary
from ..report.html.pack import pack_fields, pack_lengths, pack_numbers, pack_summary
from ..report.sentences.advice import promise
from ..report.summary import with_trust
from ..session import Changes, Version
from ..session.questions.junk import junk_scores
from ..session.questions.proposals import Proposal
from ..session.reporting.group_names import names_of
from ..steering.decisions import Belongs, Decision
from ..stopping import stop_if_asked
from ..types import Array
from .ahead import Ahead
from .desk import Desk, Event
from .history import Labels, differences, line, moved_between
from .pages import Pages, Picked
from .shown import Shown
from .trusted import Figures, Trusted

_MOVED = 200  # documents that are listed of those that moved
_ROUGH = 200  # landmarks of the map of a first look

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
    skipped : sequence of (where, reason), default none
        What could not be read as a document.
    others : mapping of name to n str, default none
        Columns that an opened document shows, and no list is filtered by.
    trust : bool, default True
        Whether it is worked out how far the groups can be trusted, once they are shown and nothing else is to be done.

    Attributes
    ----------
    number : int or None, that of the version that is shown; None before there is one
    first_look : bool, whether what is shown is a first look, which the first groups will take the place of
    """

    def __init__(
        self,
        desk: Desk,
        title: str,
        labels: Sequence[str] | None = None,
        fields: Mapping[str, Sequence[str]] | None = None,
        skipped: Sequence[tuple[str, str]] = (),
        others: Mapping[str, Sequence[str]] | None = None,
        *,
        trust: bool = True,
    ) -> None:
        self._skipped, self._others = skipped, dict(others or {})
        self.title, self._desk, self._labels, self._fields = title, desk, labels, dict(fields or {})
        self._lock = Lock()
        self._shown: Version | None = None
        self.number: int | None = None
        self.first_look = False
        self._parts: dict[str, str] = {}
        self._hashes: dict[str, str] = {}
        self._fixed: Fixed | None = None
        self._lasting: dict[str, str] | None = None
        self._pages: Pages | None = None
        self._promise = ""
        self._scores: Array = np.zeros(0)
        self._lines, self._known = dict[int, Data](), Labels(labels)
        self._group_names: dict[int, str] = {}
        self._compared = lru_cache(4)(self._compare)
        self._ahead, self._passed, self._drawn = Ahead(), set[str](), set[str]()
        self._trusted = Trusted() if trust else None
        self._untold: Summary | None = None  # what is shown, until it is told how far its groups can be trusted
        desk.listen(self._follow)
        if desk.version is not None:
            self._follow({"kind": "version"})
        desk.rest()

    @property
    def behind(self) -> bool:
        """Whether the version that stands cannot be shown yet."""
        return self._shown is not self._desk.version

    @property
    def trust_follows(self) -> bool:
        """Whether how far the groups can be trusted is not known yet, and will be."""
        return self._untold is not None

    def trust(self, version: Version) -> Figures | None:
        """Return how far the groups of a version can be trusted, where that is known."""
        return None if self._trusted is None else self._trusted.of(version)

    def parts(self) -> dict[str, str]:
        """Return the parts of the page, by name, each in base64; none before there is a version."""
        return self._parts

    def hashes(self) -> dict[str, str] | None:
        """Return a short hash of each part: one that is the same need not be fetched again."""
        return self._hashes or None

    def pages(self) -> Pages:
        """Return the documents of the version that is shown."""
        self._version()
        assert self._pages is not None
        return self._pages

    def line(self, number: int) -> Data:
        """Return what the history says of a version."""
        if number not in self._lines:
            self._lines[number] = line(self._desk.versions, number - 1, self._known)
        return {"number": number, "name": self._desk.name_of(number), **self._lines[number]}

    def put_off(self, name: Any) -> None:
        """Propose a document, by its id, a group, as "group:3", or to find all "again" no more while this lives."""
        if not isinstance(name, str):
            raise InputError(f"{name!r:.40} is no name of a question")
        self._passed.add(name)

    def proposals(self, most: int) -> Data:
        """Return documents to look at next, and how much of the junk was seen; `looking` says that others follow.

        Nobody waits for them while the groups are at work: who hears that all is told asks again.
        """
        version, lasting = self._version(), self._desk.lasting
        if self.first_look:
            return {"proposals": [], "worth": 0, "looking": True, "junk_seen": None, "promise": ""}
        if not self._desk.at_work:
            self._ahead.look(version, lasting, self._scores)
        asked = self._ahead.next(version, lasting, set(self._passed), most)
        worth = self._ahead.worth(version, lasting, set(self._passed))
        self._drawn.update(version.ids[each.row] for each in asked if each.kind == "drawn")
        return {
            "proposals": [_asked(version, each) for each in asked], "worth": worth,
            "looking": not self._ahead.knows(version), "junk_seen": self._ahead.junk_seen,
            "promise": self._promise,
        }  # fmt: skip

    def with_sources(self, decisions: Sequence[Decision]) -> list[Decision]:
        """Return decisions in which labels of documents that were proposed since they were drawn are samples."""
        return [
            replace(each, source="sample") if isinstance(each, Belongs) and each.document in self._drawn else each
            for each in decisions
        ]

    def receipt(self, which: int) -> Data:
        """Return what became of the decision of a number among those that stand; nothing of one that does no more.

        Who asks may do so while another page takes it back.
        """
        lasting, version = self._desk.lasting, self._version()
        if not 0 <= which < len(lasting) or lasting[which] not in version.decisions:
            return {"waiting": True}
        found = version.receipt(lasting[which])
        moved, n_moved = found.moved or [], None if found.moved is None else len(found.moved)
        return {
            "moved": [asdict(each) for each in moved[:_MOVED]], "n_moved": n_moved, "honoured": found.honoured,
            "said": found.said, "contradicts": list(found.contradicts), "shared": found.shared,
        }  # fmt: skip

    def compare(self, before: int, after: int) -> Data:
        """Return what differs between two versions: the groups of both, from which to which of them documents moved,
        and the first of these."""
        stands, documents = self._version(), self._desk.session.documents
        sides = (self._desk.at(before), self._desk.at(after))
        one, other = (names_of(each, documents, stands, self._group_names) for each in sides)
        return differences(self._compared(before, after), (one, other))

    def moved(self, before: int, after: int, left: int, joined: int) -> list[str]:
        """Return the first documents that moved from one group to another between two versions; -1 is none."""
        return moved_between(self._compared(before, after), left, joined, _MOVED)

    def _compare(self, before: int, after: int) -> Changes:
        return self._desk.at(after).compare(self._desk.at(before))

    def _version(self) -> Version:
        if self._shown is None:
            raise InputError("the first groups are not found yet; wait a moment")
        return self._shown

    def _follow(self, event: Event) -> None:
        if event["kind"] == "version":
            self._show()
        if event["kind"] == "answered" and self._shown is not None and not self.first_look:
            self._ahead.look(self._shown, self._desk.lasting, self._scores)
        if event["kind"] == "rested" and self._shown is not None and not self.first_look:
            self._tell_trust(self._shown)

    def _tell_trust(self, version: Version) -> None:
        """Have the page's part on the groups say how far these can be trusted."""
        if self._trusted is None or self._untold is None:
            return
        found = self._trusted.look(version)
        stop_if_asked()
        with self._lock:
            self._parts = self._parts | {"summary": pack_summary(with_trust(self._untold, found))}
            self._hashes, self._untold = _hashes(self._parts), None

    def _show(self) -> None:
        """Make all that the page asks for of the version that stands; until it is there, the one before is shown."""
        with self._lock:
            version = self._desk.version
            if version is None or version is self._shown:
                return
            rough = version is self._desk.sketch
            parts = self._made(version, rough)
            self._parts, self._hashes, self._shown = parts, _hashes(parts), version
            self.first_look, versions = rough, self._desk.versions  # by now without the first look, it may be
            self.number = next((i for i, each in enumerate(versions, 1) if each is version), 1)
            if len(versions) == 1:
                self._lines.clear()  # the first groups took the place of a first look, and its number
            for number in range(1, self.number + 1):  # all of a project that was opened again
                self.line(number)

    def _made(self, version: Version, rough: bool) -> dict[str, str]:
        shown = Shown(version, self._labels, self._fields)
        if not rough:
            self._fixed = self._fixed or self._first_places(shown)
        fixed = shown.places(max(_ROUGH, 3 * len(version.numbers))) if rough else self._fixed
        summary = shown.summary(self.title, fixed, self._skipped, self.trust(version))
        self._untold = None if rough or summary.trust or self._trusted is None else summary
        self._group_names = {number: group.name for number, group in enumerate(summary.groups)}
        self._scores = junk_scores(version, shown.verdicts.off_topic_score)  # of those that were thrown away, too
        self._pages, self._promise = self._pages_of(shown), _promise(summary)
        if self._lasting is None:
            self._lasting = pack_fields(shown.fields) | {"length": pack_lengths(shown.texts)}
        in_order = replace(summary.documents, off_topic_score=self._scores[shown.rows].astype(np.float32))
        return pack_numbers(replace(summary, documents=in_order)) | self._lasting

    def _pages_of(self, shown: Shown) -> Pages:
        own = {name: Picked(values, shown.rows) for name, values in self._others.items()}
        return Pages(shown.reader, shown.fields, own)

    def _first_places(self, shown: Shown) -> Fixed:
        """Return the places of the first version, of a project that was opened again, too: they stay where they are."""
        first = self._desk.at(1)
        if isinstance(first, Version) and first is not shown.version:
            shown = Shown(first, None, {})
        return shown.places()


def _asked(version: Version, asked: Proposal) -> Data:
    """Return a proposal as plain data; None for what it does not have."""
    return {
        "id": version.ids[asked.row] if asked.row >= 0 else None, "kind": asked.kind, "why": asked.why,
        "group": asked.group if asked.group >= 0 else None, "rival": asked.rival if asked.rival >= 0 else None,
    }  # fmt: skip


def _hashes(parts: Mapping[str, str]) -> dict[str, str]:
    return {name: hashlib.sha256(part.encode()).hexdigest()[:16] for name, part in parts.items()}


def _promise(summary: Summary) -> str:
    """Return what the off-topic threshold promises, in words; "" without one."""
    used = summary.off_topic.used if summary.off_topic else None
    return promise(used) if used else ""
