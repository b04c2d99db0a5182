"""What the page shows of a version, as plain data: groups, documents in pages, history."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import islice
from threading import Lock
from time import perf_counter
from typing import Any

import numpy as np

from ..decisions import Belongs, Decision
from ..errors import InputError
from ..metrics import adjusted_rand, nmi
from ..report import document_view
from ..report.document_view import Reader, reader_of
from ..report.facts import Clustering, Fixed, Judged, RunFacts, Summary
from ..report.html import pack_fields, pack_lengths, pack_numbers, pack_summary
from ..report.map import layout
from ..report.sentences import promise
from ..report.summary import summarise, with_trust
from ..session import Assignment, Changes, Version
from ..session.questions import Proposal, junk_scores
from ..session.reporting import by_number, names_of
from ..session.version import Collection, judge
from ..stopping import stop_if_asked
from ..types import Array
from .controller import Desk, DeskEvent
from .lookahead import Ahead, Figures, Trusted

# --- What the page shows of a version, as plain data: the parts of a report, what to look at next, and what changed

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

    def _follow(self, event: DeskEvent) -> None:
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


# --- What the page shows of a version: its groups as a summary, its documents by a reader


class Shown:
    """What a page shows of a version: all documents that have a row, those that are away among the off-topic ones.

    Groups are in the order of their numbers; one that was merged away has none, and says so.
    """

    def __init__(self, version: Version, labels: Sequence[str] | None, fields: Mapping[str, Sequence[str]]) -> None:
        documents = version.documents
        assert documents is not None
        shown = by_number(version, judge(version.model, documents.spaces, documents.kept))
        self.version, self.documents, verdicts = version, documents, shown.verdicts
        rows = np.flatnonzero(documents.kept).tolist()

        def of(values: Sequence[Any]) -> list[Any]:
            return list(values) if len(rows) == len(values) else [values[row] for row in rows]

        self.labels = None if labels is None else of(labels)
        self.texts = of(documents.texts)
        self.fields = {name: of(values) for name, values in fields.items()}
        self.fields |= {} if self.labels is None else {"label": self.labels}
        self.names, self.verdicts, self.rows = shown.names, verdicts, rows
        self.given = Clustering(
            X=_without(documents, version.state.ignored), labels=version.labels[rows], scores=verdicts.scores[rows],
            coef=shown.coef, feature_names=documents.words, ids=of(documents.ids), titles=of(documents.titles),
            texts=self.texts, numbers=version.numbers,
        )  # fmt: skip
        threshold = getattr(version.model.clusterer_, "off_topic_", None)
        self.judged = Judged(version.labels[rows] < 0, verdicts.off_topic_score[rows], shown.reject, threshold)

    @property
    def reader(self) -> Reader:
        return reader_of(self.given, self.judged)

    def places(self, landmarks: int | None = None) -> Fixed:
        """Return places on a map; few `landmarks` make a rough one in a moment."""
        given, labels = self.given, self.given.labels
        place = layout(given.X, given.scores, np.maximum(labels, 0), labels < 0, landmarks=landmarks)
        return Fixed(place, np.zeros((len(labels), 0), dtype=np.int32))

    def summary(
        self, title: str, fixed: Fixed | None, skipped: Sequence[tuple[str, str]] = (),
        trust: dict[str, Any] | None = None,
    ) -> Summary:  # fmt: skip
        """`fixed` is what an earlier summary of the same documents found, `skipped` what was no document, `trust` the
        fields of a `Trust` of the groups, where they are known."""
        why, away = self.documents.representation.missing, np.flatnonzero(~self.documents.kept).tolist()
        return summarise(
            self.given,
            self.judged,
            RunFacts([*((self.documents.ids[row], why) for row in away), *skipped], trust=trust, run={"title": title}),
            true_labels=self.labels,
            names=self.names,
            fields={name: values for name, values in self.fields.items() if name != "label"},
            fixed=fixed,
            each=False,
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


# --- The documents of a version, in pages: rows of a list, one document, and what a search finds, a part at a time

_MOST = 500  # rows of a page
_LONGEST = 200  # letters that are looked for
_SECONDS = 0.04  # a search answers after so long with what it found, and where to go on
_OFTEN = 255  # times that a text is counted in a document
_AT_ONCE = 512  # documents between two looks at the clock


@dataclass(frozen=True)
class Picked:
    """Some `rows` of a column, which is not copied for them.

    >>> Picked(["a", "b", "c"], [0, 2])[1]
    'c'
    """

    column: Sequence[str]
    rows: Sequence[int]

    def __getitem__(self, row: int) -> str:
        return self.column[self.rows[row]]


class Pages:
    """What a page asks for of n documents, each by its row number; what it asks is checked, and raises InputError.

    Parameters
    ----------
    reader : Reader
    fields : mapping of name to n str
        Further columns, to filter by.
    others : mapping of name to n str, default none
        Columns that only an opened document shows.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from outgroup.report.facts import Clustering
    >>> from outgroup.report.document_view import reader_of
    >>> reader = reader_of(Clustering(sp.eye(2, format="csr"), np.array([0, 1]), np.eye(2), np.eye(2), ["tea", "car"],
    ...                             ["a", "b"], ["", ""], ["Tea, hot", "a car"]))
    >>> pages = Pages(reader, {})
    >>> [row["title"] for row in pages.rows([1], ["a"])]
    ['a car', 'Tea, hot']
    >>> pages.find("tea", more=1, start=0)["to"]
    2
    """

    def __init__(
        self,
        reader: Reader,
        fields: Mapping[str, Sequence[str]],
        others: Mapping[str, Sequence[str] | Picked] | None = None,
    ) -> None:
        self._reader, self._fields, self._others = reader, fields, others or {}
        self._row_of = dict[str, int]()

    def __len__(self) -> int:
        return len(self._reader.look.ids)

    def rows(self, rows: Iterable[Any], ids: Iterable[Any] = ()) -> list[Data]:
        """Return what lists show of some documents, by number and by id; an id that there is not is left out."""
        wanted = [*rows]
        self._check(wanted)
        found = (self.row_of(identity) for identity in ids)
        every = list(dict.fromkeys([*wanted, *(row for row in found if row is not None)]))
        if len(every) > _MOST:
            raise InputError(f"a page has {_MOST} documents at most, not {len(every)}")
        return [self._reader.row(row) for row in every]

    def row_of(self, identity: Any) -> int | None:
        """Return the row of the document of this id, or None."""
        if not self._row_of:
            self._row_of = {str(each): row for row, each in enumerate(self._reader.look.ids)}
        return self._row_of.get(identity) if isinstance(identity, str) else None

    def document(self, row: Any) -> Data:
        """Return all that is known of one document."""
        self._check([row])
        fields = [[name, values[row]] for name, values in self._fields.items() if values[row]]
        others = [
            [name, document_view.shown(values[row])] for name, values in self._others.items() if values[row].strip()
        ]
        return self._reader.document(row) | {"fields": fields, "others": others}

    def find(self, text: Any, more: Any, start: Any) -> Data:
        """Return which documents from `start` on hold a text, as far as one gets in a moment.

        With `more` >= 0 it is the beginning of a word that goes on by that many letters at most; with -1 it may stand
        anywhere. The answer has `hits`, a bit for each document from `start` up to `to`, and `often`, a byte for each
        hit: how often it holds the text, both in base64.
        """
        pattern = _pattern(text, more)
        if not isinstance(start, int) or not 0 <= start <= len(self):
            raise InputError(f"there is no document {start!r:.40}; there are {len(self)}")
        found, until = list[int](), perf_counter() + _SECONDS
        for counts in self._holding(text.lower(), pattern, start):
            found += counts
            if perf_counter() > until:
                break
        often = np.array(found, dtype=np.uint8)
        hits = np.packbits(often > 0, bitorder="little")
        return {"hits": _packed(hits), "often": _packed(often[often > 0]), "to": start + len(found)}

    def _holding(self, piece: str, pattern: re.Pattern[str], start: int) -> Iterator[list[int]]:
        """Yield for some documents at a time how often they hold it, in title, text and id.

        A pattern is slow, and is asked only where its `piece` is at all.
        """
        look = self._reader.look
        for first in range(start, len(self), _AT_ONCE):
            part = slice(first, first + _AT_ONCE)
            every = zip(look.titles[part], look.texts[part], look.ids[part], strict=True)
            whole = (f"{title or ''}\n{text}\n{identity}".lower() for title, text, identity in every)
            yield [sum(1 for _ in islice(pattern.finditer(each), _OFTEN)) if piece in each else 0 for each in whole]

    def _check(self, rows: Sequence[Any]) -> None:
        for row in rows:
            if not isinstance(row, int) or not 0 <= row < len(self):
                raise InputError(f"there is no document {row!r:.40}; there are {len(self)}")


def _packed(array: Array) -> str:
    return base64.b64encode(array.tobytes()).decode("ascii")


def _pattern(text: Any, more: Any) -> re.Pattern[str]:
    if not isinstance(text, str) or not 0 < len(text) <= _LONGEST:
        raise InputError(f"look for 1 to {_LONGEST} letters")
    if not isinstance(more, int) or not -1 <= more <= _LONGEST:
        raise InputError(f"{more!r:.40} is no number of letters")
    piece = re.escape(text.lower())
    return re.compile(piece if more < 0 else rf"(?<!\w){piece}\w{{0,{more}}}(?!\w)")


# --- What the page says of each version: its figures, what it came from, and what differs between two

_WAYS, _SUCH = 40, 3  # of a comparison, that are listed: pairs of groups, and documents of each


class Labels:
    """The true classes of the documents, where they came with labels; "" is an unknown one."""

    def __init__(self, labels: Sequence[str] | None) -> None:
        self._known = labels is not None
        self._classes = np.unique([str(label or "") for label in labels or ()], return_inverse=True)[1].ravel()
        self._classes[[not label for label in labels or ()]] = -1

    def quality(self, version: Assignment) -> Data:
        """Return how far the groups of a version agree with the classes; nothing where no class is known."""
        if not self._known:
            return {}
        known = np.flatnonzero((self._classes >= 0) & (version.labels >= 0))
        if not len(known):
            return {"quality": {}}
        classes, labels = self._classes[known], version.labels[known]
        return {"quality": {"nmi": nmi(classes, labels), "ari": adjusted_rand(classes, labels)}}


def line(versions: Sequence[Assignment], place: int, labels: Labels) -> Data:
    """Return what the history says of the version at a place, from 0, beside its name.

    `moved` counts the documents that are elsewhere than in the one above it, which going back has passed over; `origin`
    is the version that it goes on from, and `again` says that it is that one once more.
    """
    version, above = versions[place], versions[place - 1] if place else None
    origin = version.origin
    place_of = {each.number: i for i, each in enumerate(versions[: place + 1], 1)}
    return {
        "groups": len(version.numbers), "decisions": len(version.lasting), "away": _away(version.labels),
        "moved": None if above is None else int(np.count_nonzero(version.labels != above.labels)),
        "origin": None if origin is None else place_of.get(origin.number),
        "again": origin is not None and origin.lasting == version.lasting,
        "last": version.lasting[-1].to_dict() if version.lasting else None,
        "seconds": round(version.seconds, 3), "notes": list(version.notes),
        "made": None if version.made is None else version.made.isoformat(), **labels.quality(version),
    }  # fmt: skip


def differences(found: Changes, names: tuple[Mapping[int, str], Mapping[int, str]]) -> Data:
    """Return what differs between two versions: the groups, with what they are called in each, and from which to which
    of them documents moved, with the first of these."""
    ways: dict[tuple[int, int], list[str]] = {}
    for each in found.moved:
        ways.setdefault((each.before, each.after), []).append(each.id)
    most = sorted(ways.items(), key=lambda way: -len(way[1]))[:_WAYS]
    listed = [
        {"before": before, "after": after, "count": len(ids), "such": ids[:_SUCH]} for (before, after), ids in most
    ]
    groups = [
        {
            "number": each.number, "names": [name.get(each.number) for name in names],
            "sizes": [each.before, each.after], "joined": each.joined, "left": each.left,
        }
        for each in found.groups
    ]  # fmt: skip
    return {
        "said": str(found), "n_moved": len(found.moved), "groups": groups, "ways": listed, "n_ways": len(ways)
    }  # fmt: skip


def moved_between(found: Changes, before: int, after: int, most: int) -> list[str]:
    """Return the ids of the first documents that moved from one group to another."""
    return [each.id for each in found.moved if (each.before, each.after) == (before, after)][:most]


def _away(labels: Array) -> int:
    return int(np.count_nonzero(labels < 0))
