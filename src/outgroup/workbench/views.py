"""Plain data of a version for the page: groups, lists of documents, history."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import islice
from threading import Lock
from time import perf_counter
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ..decisions import Decision, Label, Word
from ..decisions.kinds import ProposedGroup
from ..errors import CancelledError, InputError, OutgroupError, counted
from ..metrics import nmi
from ..report.html import numeric, pack_cells, pack_fields, pack_lengths, pack_numbers, pack_places, pack_summary
from ..session import Version
from ..session.questions import Proposal, Questions, junk_scores, junk_seen
from ..session.version import Verdicts
from ..stopping import stop_if_asked, stoppable
from ..summary.clean import clean
from ..summary.findings import MULTI, held_groups, pockets_of, several_groups, trust_of
from ..summary.map import layout, tidied
from ..summary.names import levels_of, named
from ..summary.partition import Partition, shown_cell
from ..summary.records import Pocket, Summary
from ..summary.sentences import in_codes, promise
from ..summary.summarise import summarise, with_trust
from ..summary.tree import KnownHalves
from ..types import Array
from .controller import Desk, DeskEvent

# --- Parts, questions and changes of a version


_MOVED = 200  # moved documents in a list
_EXAMPLES = 6  # documents shown in a preview of a decision
_LANDMARKS = 200  # of the preview map
_MANY = 20_000  # documents: from so many on, the map of the preview stays until the worker is idle
_ROWS = 500  # of a page
_SEARCH = 200  # characters of a search
_SECONDS = 0.04  # of one search step; the answer has the row to continue from
_HITS = 255  # largest count per document
_BLOCK = 512  # documents between two looks at the clock


Data = dict[str, Any]


class View:
    """The versions of a desk as plain data; expensive parts are built once, in the worker thread.

    Parameters
    ----------
    desk : Desk
    title : str
    labels : sequence of n str, default None
        True classes, to compare with; "" where unknown.
    fields : mapping of name to n str, default none
        Further columns, to filter and colour by.
    skipped : sequence of (where, reason), default none
        Inputs that are not documents.
    others : mapping of name to n str, default none
        Columns shown only with an opened document.
    trust : bool, default True
        Whether to measure the trust in the groups when the worker is idle.
    levels : sequence of int, default none
        Numbers of groups of the levels that name the branches of the tree; the largest is the finest level.
    profile : mapping, default None
        The fields of the `Profile` that chose the number of groups.
    several : float, default 0.05
        The least probability of a further group of a document.
    coded : callable, default none
        Returns a summary with the codes of its groups, from those of the version before, by number.

    Attributes
    ----------
    number : int or None, the number of the version shown; None before the first
    first_look : bool, whether the version shown is a preview that the first groups replace
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
        levels: Sequence[int] = (),
        profile: Data | None = None,
        several: float = MULTI,
        coded: Callable[[Summary, Mapping[int, int]], Summary] = lambda summary, before: summary,
    ) -> None:
        self._several, self._reading, self._asking, self._coded = several, Lock(), Lock(), coded
        self._levels, self._profile = levels, profile
        self._skipped, self._others = skipped, dict(others or {})
        self.title, self._desk, self._labels, self._fields = title, desk, labels, dict(fields or {})
        self._lock = Lock()
        self._shown: Version | None = None
        self.number: int | None = None
        self.first_look = False
        self._parts: dict[str, str] = {}
        self._hashes: dict[str, str] = {}
        self._place: Array | None = None  # of version 1, which all versions share, or tidied
        self._first_place: Array = np.zeros((0, 2))
        self._halves: KnownHalves = {}
        self._preview: Array | None = None
        self._lasting: dict[str, str] | None = None
        self._ranges: list[str] = []  # names of the numeric columns with many values
        self._pages: Pages | None = None
        self._promise, self._codes, self._earlier_codes = "", dict[int, int](), dict[int, int]()
        self._scores: Array = np.zeros(0)
        self._lines, self._classes = dict[int, Data](), np.array([str(label or "") for label in labels or [""]])
        self._questions, self._passed = Questions(), set[str]()
        self._verdicts: Verdicts | None = None
        self._junk_seen: tuple[Version, float | None] | None = None  # of the version of the last question
        self._pockets: list[Pocket] | None = None  # of the first version; the rows stay
        self._measures_trust = trust
        # By model, as a rename or an undo has the same model and labels again.
        self._trust: WeakKeyDictionary[Any, tuple[Array, Data]] = WeakKeyDictionary()
        self._without_trust: Summary | None = None  # the summary shown, until its trust is measured
        desk.listen(self._follow)
        if desk.version is not None:
            self._follow({"kind": "version"})
        desk.rest()

    @property
    def behind(self) -> bool:
        """Whether the current version is not shown yet."""
        return self._shown is not self._desk.version

    @property
    def trust_follows(self) -> bool:
        """Whether the trust in the groups has not been measured yet."""
        return self._without_trust is not None

    def measured(self, version: Version) -> Data:
        """Return the trust in a version's groups and the map positions (None if unknown), and the codes."""
        labels, trust = self._trust.get(version.model.clusterer_, (None, None))
        same = labels is not None and np.array_equal(labels, version.labels)
        return {"trust": trust if same else None, "place": self._place, "codes": self._earlier_codes}

    def parts(self) -> dict[str, str]:
        """Return the parts of the page by name, in base64; {} before the first version."""
        return self._parts

    def hashes(self) -> dict[str, str] | None:
        """Return a short hash of each part; the page loads a part only if its hash changed."""
        return self._hashes or None

    def pages(self) -> Pages:
        """Return the documents of the shown version."""
        self._version()
        assert self._pages is not None
        return self._pages

    def line(self, number: int) -> Data:
        """Return the history entry of a version."""
        if number not in self._lines:
            self._lines[number] = line(self._desk.versions, number - 1, self._classes)
        notes = [in_codes(note, self._codes) for note in self._lines[number]["notes"]]
        return {"number": number, "name": self._desk.name_of(number), **self._lines[number], "notes": notes}

    def put_off(self, name: Any) -> None:
        """Skip a question in this session: a document id, or a group such as "group:3"."""
        if not isinstance(name, str):
            raise InputError(f"{name!r:.40} is not a valid question: give a document id, or a group such as 'group:3'")
        self._passed.add(name)

    def proposals(self, most: int) -> Data:
        """Return the next questions and the labelled off-topic share; none while the groups follow a decision.

        The page then asks again on "answered".
        """
        version, log = self._version(), self._desk.log
        if self.first_look or self._desk.busy or self.behind:
            return {"proposals": [], "looking": True, "junk_seen": None, "promise": ""}
        several = [*map(_plain_group, version.proposed)], [*map(_plain_pocket, self._open_pockets(log))]
        new, junk = ([one for one in some if one["name"] not in self._passed] for some in several)
        with self._asking:
            assert self._verdicts is not None
            found = self._questions.next(version, self._verdicts, log, set(self._passed), most=most)
            if self._junk_seen is None or self._junk_seen[0] is not version:
                self._junk_seen = version, junk_seen(version, self._scores)
        return {
            "proposals": [*new, *(_plain_proposal(version, proposal) for proposal in found)][:most] + junk[:1],
            "looking": False,
            "junk_seen": self._junk_seen[1],
            "promise": self._promise,
        }

    def _open_pockets(self, decisions: Sequence[Decision]) -> list[Pocket]:
        """Return the pockets that no decision concerns."""
        named = {document for decision in decisions for document in getattr(decision, "documents", ())}
        return [pocket for pocket in self._pockets or () if named.isdisjoint(pocket.documents)]

    def tidy(self) -> None:
        """Move the parts of groups that were merged together on the map."""
        version = self._version()
        if version.documents is not None and self._place is not None:
            rows = version.documents.kept
            self._show_places(tidied(self._first_place, self._desk.at(1).labels[rows], version.labels[rows]))

    def receipt(self, which: int) -> Data:
        """Return the receipt of decision `which` of the log; `waiting` if it is not ready.

        Another page may undo the decision at the same time.
        """
        log, version = self._desk.log, self._version()
        if not 0 <= which < len(log) or log[which] not in version.decisions:
            return {"waiting": True}
        found = version.receipt(log[which])
        moved, n_moved = found.moved or [], None if found.moved is None else len(found.moved)
        return {
            "moved": [asdict(move) for move in moved[:_MOVED]],
            "n_moved": n_moved,
            "honoured": found.honoured,
            "sentence": in_codes(found.sentence, self._codes),
            "contradicts": [in_codes(decision, self._codes) for decision in found.contradicts],
            "shared": found.shared,
        }

    def several(self, row: Any) -> Data | None:
        """Return the groups of a document and of its passages; None for a single group; `{"waiting": True}` if not yet
        known.

        The first call for a version fits six regressions for each group; a decision stops them, and the page asks again
        for the next version.
        """
        text, version = self.pages().text(row), self._version()
        if self.first_look or self._desk.busy or not self._reading.acquire(blocking=False):
            return {"waiting": True}
        try:
            with stoppable(lambda: self._desk.busy):
                at, model = version.ids.index(self.pages().rows([row])[0]["id"]), version.model
                held = held_groups(model.several_, version.labels, model.numbers_, self._several, version.state.pins)
                found = several_groups(model, [text], model.several_[[at]], held[[at]])[0]
        except OutgroupError as error:  # stopped, or fitted on vectors without an encoder
            return {"waiting": True} if isinstance(error, CancelledError) else None
        finally:
            self._reading.release()
        return None if found is None else asdict(found)

    def alike(self, text: Any) -> list[int]:
        """Return the rows that are clearly nearer to a text by meaning than others, nearest first.

        Their cosines with the text exceed the mean of all by three standard deviations. None without the encoder of
        meaning.
        """
        if not isinstance(text, str) or len(text) > _SEARCH:
            raise InputError(f"the search text is not valid: give at most {_SEARCH} characters")
        documents = self._version().documents
        encoder = None if documents is None else documents.representation.meaning
        if documents is None or encoder is None:
            return []
        cosines = documents.spaces.unaveraged @ encoder.encode([text])[0]
        near = np.flatnonzero(cosines > cosines.mean() + 3 * cosines.std())
        return [int(row) for row in near[np.argsort(-cosines[near], kind="stable")][:_ROWS]]

    def left_out(self, identity: Any) -> Data:
        """Return the text and group of a document without a row; raise InputError if there is none."""
        version = self._version()
        documents = version.documents
        row = documents.row_of.get(identity) if documents is not None and isinstance(identity, str) else None
        if documents is None or row is None:
            raise InputError("it has no text to show")
        text, group = shown_cell(documents.texts[row]), int(version.labels[row])
        return {"id": identity, "title": documents.titles[row] or identity, "text": text, "group": group}

    def preview(self, decision: Decision) -> Data:
        """Return how many other documents a decision would move, in words and with examples, or why it cannot be
        applied.

        Wait until the groups follow the earlier decisions.
        """
        self._desk.wait()
        version = self._desk.version
        if version is None or self.first_look:
            return {"count": 0, "moved": [], "sentence": "", "note": "", "right": None}
        found = self._desk.session.preview(version, decision)
        count = len(found.rows)
        places = np.linspace(0, count, min(_EXAMPLES, count), endpoint=False).astype(int).tolist()
        moved = [{"id": version.ids[found.rows[i]], "group": found.groups[i]} for i in places]
        sentence = f"{counted(count, 'document')} would move"
        if isinstance(decision, Word) and version.documents is not None:
            columns = [column for word in decision.words for column in version.documents.columns(word)]
            holding = int(np.count_nonzero(version.documents.with_columns(columns)))
            own = {word for word, pin in version.state.words.items() if pin.group == decision.group} | {*decision.words}
            few = ": it takes two labelled words of the group" if decision.group is not None and len(own) < 2 else ""
            words = " or ".join(decision.words)
            sentence = f"{counted(holding, 'document')} with {words}, {count:,} would move{few}"
        note = in_codes(found.note, self._codes)
        return {"count": count, "moved": moved, "sentence": sentence, "note": note, "right": found.right}

    def _version(self) -> Version:
        if self._shown is None:
            raise InputError("the first groups are not ready yet; try again in a moment")
        return self._shown

    def _follow(self, event: DeskEvent) -> None:
        if event["kind"] == "version":
            self._show()
        if event["kind"] == "rested" and self._shown is not None and not self.first_look:
            self._add_places(self._shown)
            self._add_trust(self._shown)
        if event["kind"] == "idle" and self._shown is not None and not self.first_look and self._pockets is None:
            self._pockets = pockets_of(self._desk.session.documents, self._shown.model)
            if self._pockets:
                self._desk.notify({"kind": "answered"})  # they are further questions

    def _add_places(self, version: Version) -> None:
        """Replace provisional map positions in a large collection."""
        if self._place is None:
            self._show_places(self._first_places(Partition.of(version, every=True)))

    def _show_places(self, place: Array) -> None:
        stop_if_asked()
        with self._lock:
            self._place, self._parts = place, self._parts | {"place": pack_places(place)}
            self._hashes = _hashes(self._parts)
        self._desk.notify({"kind": "placed"})

    def _add_trust(self, version: Version) -> None:
        """Rebuild the summary part with the trust in the groups."""
        if self._without_trust is None:
            return
        found = self.measured(version)["trust"] or trust_of(Partition.of(version)).to_dict()
        self._trust[version.model.clusterer_] = version.labels, found
        stop_if_asked()
        with self._lock:
            self._parts = self._parts | {"summary": pack_summary(with_trust(self._without_trust, found, version.names))}
            self._hashes, self._without_trust = _hashes(self._parts), None

    def _show(self) -> None:
        """Build the parts of the current version; the previous version is shown until they are ready."""
        with self._lock:
            version = self._desk.version
            if version is None or version is self._shown:
                return
            rough = version is self._desk.sketch
            parts = self._made(version, rough)
            self._parts, self._hashes, self._shown = parts, _hashes(parts), version
            self.first_look, versions = rough, self._desk.versions  # may already be without the preview
            self.number = next((i for i, other in enumerate(versions, 1) if other is version), 1)
            if len(versions) == 1:
                self._lines.clear()  # the first groups replaced a preview with the same number
            for number in range(1, self.number + 1):  # all versions of a reopened project
                self.line(number)

    def _made(self, version: Version, rough: bool) -> dict[str, str]:
        documents = version.documents
        assert documents is not None
        # 1. The version as arrays, with names of its groups.
        rows = np.flatnonzero(documents.kept).tolist()
        texts = [documents.texts[row] for row in rows]
        partition = named(Partition.of(version, every=True), texts)
        # 2. Places on the map: of the first version, or a fast preview.
        if not rough and len(rows) <= _MANY:
            self._place = self._first_places(partition) if self._place is None else self._place
        if self._place is None and self._preview is None:
            self._preview = _places(partition, max(_LANDMARKS, 3 * len(version.numbers)))
        # 3. The summary; its trust follows when the worker is idle.
        fields = {name: [values[row] for row in rows] for name, values in self._fields.items()}
        fields |= {} if self._labels is None else {"label": [self._labels[row] for row in rows]}
        why = documents.representation.missing
        summary = summarise(
            partition,
            fields=fields,
            place=self._preview if self._place is None else self._place,
            halves=self._halves,
            finest=0 if rough else max(self._levels, default=0),
            trust=self.measured(version)["trust"],
            details=False,
            skipped=[*((documents.ids[row], why) for row in np.flatnonzero(~documents.kept).tolist()), *self._skipped],
            profile=self._profile,
            run={"title": self.title},
        )
        summary = self._coded(summary, {} if self.first_look else self._earlier_codes)
        self._earlier_codes = {group.number: group.code for group in summary.groups if group.code is not None}
        self._codes = summary.codes
        if not rough:
            levels = levels_of(partition, texts, [group.name for group in summary.groups], self._levels)
            branches = [[(level.names[g], groups) for g, groups in level.groups.items()] for level in levels]
            summary = replace(summary, levels=branches)
        self._without_trust = None if rough or summary.trust or not self._measures_trust else summary
        # 4. Verdicts for questions, and the documents page by page.
        self._scores = junk_scores(version, partition.verdicts.off_topic_score)  # includes thrown-away documents
        self._verdicts = replace(
            partition.verdicts,
            scores=partition.verdicts.scores[:, list(version.numbers)],  # of the groups that there are
            off_topic_score=np.where(version.rows, self._scores, np.nan),
        )
        self._pages = Pages(partition, fields, self._others, rows)
        off_topic = summary.off_topic
        self._promise = promise(off_topic.threshold) if off_topic else ""
        # 5. The parts of the page; the lasting ones are packed once.
        if self._lasting is None:
            others = {
                name: [values[row] for row in rows] for name, values in self._others.items() if name not in fields
            }
            self._ranges = numeric(others)
            cells = {f"other-{i}": pack_cells(others[name]) for i, name in enumerate(self._ranges)}
            self._lasting = pack_fields(fields) | pack_lengths(texts, partition.titles) | cells
        in_order = replace(summary.documents, off_topic_score=self._scores[rows].astype(np.float32))
        shown = replace(summary, documents=in_order)
        return pack_numbers(shown, "All documents are here, in full.", self._ranges, self._ranges) | self._lasting

    def _first_places(self, partition: Partition) -> Array:
        """Return the map positions of version 1, which all versions share."""
        first = self._desk.at(1)
        if first.model is not None and first is not partition.version:
            partition = Partition.of(first, every=True)
        self._first_place = _places(partition)
        return self._first_place


def _places(partition: Partition, landmarks: int | None = None) -> Array:
    """Return map positions; few `landmarks` give a fast preview."""
    return layout(partition.X, partition.scores, np.maximum(partition.labels, 0), partition.aside, landmarks=landmarks)


def _plain_proposal(version: Version, proposal: Proposal) -> Data:
    """Return a question as plain data; missing values are None."""
    return {
        "id": version.ids[proposal.row] if proposal.row >= 0 else None,
        "kind": proposal.kind,
        "why": proposal.why,
        "group": proposal.group if proposal.group >= 0 else None,
        "rival": proposal.rival if proposal.rival >= 0 else None,
        "moves": proposal.moves,
    }


def _plain_several(kind: str, documents: Sequence[str], why: str, decision: Decision) -> Data:
    """Return a question about several documents as plain data; `decision` is a yes, `name` skips the question."""
    return {
        "id": None,
        "kind": kind,
        "group": None,
        "rival": None,
        "name": f"{kind}:{documents[0]}",
        "why": why,
        "documents": list(documents),
        "decision": decision.to_dict(),
    }


def _plain_group(group: ProposedGroup) -> Data:
    near = f"These new documents are nearer to one another than to earlier documents. Are they a group? {group}."
    return _plain_several("new", group.documents, near, group.decision)


def _plain_pocket(pocket: Pocket) -> Data:
    far = f"{counted(len(pocket.documents), 'document')} are alike and far from all others: {', '.join(pocket.words)}"
    return _plain_several("pocket", pocket.documents, f"{far}. Are they junk?", Label(pocket.documents, ()))


def _hashes(parts: Mapping[str, str]) -> dict[str, str]:
    return {name: hashlib.sha256(part.encode()).hexdigest()[:16] for name, part in parts.items()}


# --- Documents of a version, page by page


class Pages:
    """Entries, documents and search hits of n documents by row index; raises InputError for invalid requests.

    Parameters
    ----------
    partition : Partition
    fields : mapping of name to n str
        Further columns, to filter by.
    others : mapping of name to m str, default none
        Columns shown only with an opened document.
    at : sequence of n int, default all
        The row of each document in these columns.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from outgroup.summary.partition import Partition
    >>> partition = Partition(sp.eye(2, format="csr"), np.array([0, 1]), np.eye(2), np.eye(2), ["tea", "car"],
    ...             ["a", "b"], ["", ""], ["Tea, hot", "a car"])
    >>> pages = Pages(partition, {})
    >>> [row["title"] for row in pages.rows([1], ["a"])]
    ['a car', 'Tea, hot']
    >>> pages.find("tea", more=1, start=0)["to"]
    2
    """

    def __init__(
        self,
        partition: Partition,
        fields: Mapping[str, Sequence[str]],
        others: Mapping[str, Sequence[str]] | None = None,
        at: Sequence[int] | None = None,
    ) -> None:
        self._partition, self._fields, self.others = partition, fields, dict(others or {})
        self._at = range(len(partition.ids)) if at is None else at
        self._row_of = dict[str, int]()

    def __len__(self) -> int:
        return len(self._partition.ids)

    def rows(self, rows: Iterable[Any], ids: Iterable[Any] = ()) -> list[Data]:
        """Return list entries by row index and by id; unknown ids are skipped."""
        wanted = [*rows]
        self._check(wanted)
        found = (self.row_of(identity) for identity in ids)
        every = list(dict.fromkeys([*wanted, *(row for row in found if row is not None)]))
        if len(every) > _ROWS:
            raise InputError(f"{len(every)} documents are too many for a page: ask for at most {_ROWS}")
        return [self._partition.row(row) for row in every]

    def row_of(self, identity: Any) -> int | None:
        """Return the row index of a document id, or None."""
        if not self._row_of:
            self._row_of = {str(identity): row for row, identity in enumerate(self._partition.ids)}
        return self._row_of.get(identity) if isinstance(identity, str) else None

    def document(self, row: Any) -> Data:
        """Return the text, reasons, neighbours and columns of a document."""
        self._check([row])
        fields = [[name, values[row]] for name, values in self._fields.items() if values[row]]
        cells = ((name, values[self._at[row]]) for name, values in self.others.items())
        others = [[name, shown_cell(cell)] for name, cell in cells if cell.strip()]
        return self._partition.document(row) | {"fields": fields, "others": others}

    def text(self, row: Any) -> str:
        """Return the text of a document."""
        self._check([row])
        return clean(self._partition.texts[row]).strip()

    def find(self, text: Any, more: Any, start: Any) -> Data:
        """Search documents from `start` on within a time limit.

        With `more` >= 0, match words that start with `text` and have at most `more` further letters; with -1, match
        anywhere. Return `hits`, a bit per document from `start` to `to`, and `often`, the count of each hit as a
        byte, both in base64.
        """
        pattern = _pattern(text, more)
        if not isinstance(start, int) or not 0 <= start <= len(self):
            raise InputError(f"{start!r:.40} is not a valid row: give 0 to {len(self)}")
        found, until = list[int](), perf_counter() + _SECONDS
        for counts in self._holding(text.lower(), pattern, start):
            found += counts
            if perf_counter() > until:
                break
        often = np.array(found, dtype=np.uint8)
        hits = np.packbits(often > 0, bitorder="little")
        return {"hits": _packed(hits), "often": _packed(often[often > 0]), "to": start + len(found)}

    def _holding(self, piece: str, pattern: re.Pattern[str], start: int) -> Iterator[list[int]]:
        """Yield counts of matches in title, text and id, block by block.

        A pattern is slow: apply it only to texts that contain `piece`.
        """
        look = self._partition
        for first in range(start, len(self), _BLOCK):
            part = slice(first, first + _BLOCK)
            every = zip(look.titles[part], look.texts[part], look.ids[part], strict=True)
            whole = (f"{title or ''}\n{text}\n{identity}".lower() for title, text, identity in every)
            yield [sum(1 for _ in islice(pattern.finditer(text), _HITS)) if piece in text else 0 for text in whole]

    def _check(self, rows: Sequence[Any]) -> None:
        for row in rows:
            if not isinstance(row, int) or not 0 <= row < len(self):
                raise InputError(f"{row!r:.40} is not a valid row: give 0 to {len(self) - 1}")


def _packed(array: Array) -> str:
    return base64.b64encode(array.tobytes()).decode("ascii")


def _pattern(text: Any, more: Any) -> re.Pattern[str]:
    if not isinstance(text, str) or not 0 < len(text) <= _SEARCH:
        raise InputError(f"the search text is not valid: give 1 to {_SEARCH} characters")
    if not isinstance(more, int) or not -1 <= more <= _SEARCH:
        raise InputError(f"more={more!r:.40} is not valid: give 0 to {_SEARCH} further characters, or -1")
    piece = re.escape(text.lower())
    return re.compile(piece if more < 0 else rf"(?<!\w){piece}\w{{0,{more}}}(?!\w)")


# --- History of versions


def line(versions: Sequence[Version], place: int, classes: Array) -> Data:
    """Return the history entry of the version at index `place`, without its name.

    `moved` counts the documents that differ from the version above; `origin` is the version it started from, and
    `again` means that its decisions equal those of `origin`; `nmi` is with the `classes` (n,) str, "" where unknown.
    """
    version, above = versions[place], versions[place - 1] if place else None
    origin, known = version.origin, (classes != "") & (version.labels >= 0)
    place_of = {other.number: i for i, other in enumerate(versions[: place + 1], 1)}
    return {
        "decisions": len(version.decisions),
        "moved": None if above is None else int(np.count_nonzero(version.labels != above.labels)),
        "origin": None if origin is None else place_of.get(origin.number),
        "again": origin is not None and origin.decisions == version.decisions,
        "last": version.decisions[-1].to_dict() if version.decisions else None,
        "seconds": round(version.seconds, 3),
        "notes": list(version.notes),
        "made": None if version.made is None else version.made.isoformat(),
        "nmi": nmi(classes[known], version.labels[known]) if known.any() else None,
    }
