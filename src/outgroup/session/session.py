"""A session: one collection, a log of decisions, and the versions that fits made of it."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import takewhile
from threading import Event
from typing import Any

import numpy as np
from sklearn.base import clone

from ..cluster.max_margin import MaxMarginClustering
from ..cluster.spherical import SphericalKMeans
from ..errors import InputError, ModelError
from ..model import LABELLED_AWAY, DocumentClustering, spread
from ..steering.decisions import Decision, IgnoreWord, OffTopic, WordBelongs, in_force
from ..stopping import stop_if_asked, stoppable
from ..storage.project import Project
from ..text.tables import holds_fields, texts_of
from ..text.vectorize import Vectorizer
from ..types import Array
from .cold import Cold, by_name, cold_fit
from .collection import Arranged, Collection, open_collection
from .decision_receipt import Effect
from .kept import DOCUMENT, UNIVERSUM, bodies, kept_version, past_of, read_log, written
from .kept import texts_of as rows_of_texts
from .past import Past, taken_back
from .state import Label, State, follow
from .version import Version
from .warm import warm_fit
from .watch import OnStep, Watch


class Session:
    """One collection and what was decided about it: each `fit` makes a version of a log of decisions.

    The documents, their rows and their vocabulary are fixed when the session opens; no decision changes them. A version
    starts from the version before, so that groups keep their numbers and names, and only the groups that a decision
    touches move freely. The same log makes the same versions, in any process.

    Parameters
    ----------
    documents : sequence of n str, DataFrame, or sequence of records
        A table or records give ids and titles, too; where its fields have other names than "id", "title" and "text",
        give what `outgroup.text.tables.texts_of` makes of it.
    n_clusters : int
        Number of groups of the first version; merging and splitting changes it.
    ids, titles : sequences of n str, default None
        By default a document's id is its number, and it has no title.
    universum : sequence of str, default None
        Texts that belong to no group. Words are learned from `documents` alone.
    clusterer : default None, a `MaxMarginClustering(n_clusters, random_state=random_state)`
        Any clusterer of Outgroup; it is copied. Labels act on `MaxMarginClustering` best: others start from the version
        before as they can, and what cannot is fitted again and matched to the groups before.
    vectorizer : default None, a `Vectorizer()`
        It is copied, and learns its words from the documents.
    embeddings, universum_embeddings : arrays (n, d) and (N, d), default None
        A vector for each text: groups are found among these, and told by words.
    random_state : int, default 0

    Examples
    --------
    >>> from outgroup.steering.decisions import Belongs
    >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's rails", "rails and rye"]
    >>> session = Session(texts, n_clusters=2)
    >>> first = session.fit()
    >>> train = first.groups["2"]
    >>> second = session.fit([Belongs("4", train)], start=first)
    >>> second.groups["4"] == train, second.parent is first
    (True, True)
    """

    def __init__(
        self,
        documents: Sequence[str],
        *,
        n_clusters: int,
        ids: Sequence[str] | None = None,
        titles: Sequence[str] | None = None,
        universum: Sequence[str] | None = None,
        clusterer: Any = None,
        vectorizer: Any = None,
        embeddings: Any = None,
        universum_embeddings: Any = None,
        random_state: int = 0,
    ) -> None:
        if holds_fields(documents):
            corpus = texts_of(documents)
            documents, ids, titles = corpus.texts, ids or corpus.ids, titles or corpus.titles
        if universum is not None and holds_fields(universum):
            universum = texts_of(universum, name="universum").texts
        chosen = Vectorizer() if vectorizer is None else clone(vectorizer, safe=False)
        given = MaxMarginClustering(n_clusters, random_state=random_state) if clusterer is None else clusterer
        self.clusterer = clone(given, safe=False).set_params(n_clusters=n_clusters)
        self.random_state = random_state
        self.documents = open_collection(
            documents, ids, titles, universum, chosen, embeddings=embeddings,
            universum_embeddings=universum_embeddings, learn=chosen.fit_transform,
        )  # fmt: skip
        self.past: Past | None = None
        self.project: Project | None = None
        self.version: Version | None = None
        self._universum = list(universum or ())
        self._seconds: dict[bool, float] = {}
        self._quiet: dict[frozenset[str], Collection] = {}

    def fit(
        self,
        decisions: Iterable[Decision] = (),
        start: Version | None = None,
        *,
        on_step: OnStep | None = None,
        cancel: Event | Callable[[], bool] | None = None,
    ) -> Version:
        """Return the version that a log of decisions makes, from the version `start` or from nothing.

        Parameters
        ----------
        decisions : the whole log, with what `start` has of it, and with its undos
            Undoing goes back to the version before what is undone, exactly.
        start : Version, default None
            The version from which the fit goes on. Without one the groups are found first, around the documents and
            words that decisions put to groups by *name*; a group's *number* is one of a version, so decisions on
            numbers are followed from there.
        on_step : called with a `Progress` at each step
        cancel : a threading.Event, or a function that says whether to end; asked at each pass over the rows

        Returns
        -------
        Version
            A decision that cannot be followed, such as one on a document that is gone, is one of its notes.

        Raises
        ------
        CancelledError
            `cancel` said so.
        InputError
            The collection cannot be grouped so.
        """
        watch = Watch(on_step, self._seconds.get(start is None))
        with stoppable(cancel.is_set if isinstance(cancel, Event) else cancel):
            version = self._fit(tuple(decisions), start, watch)
        self._seconds[start is None] = watch.seconds
        return replace(version, seconds=watch.seconds)

    def _fit(self, log: tuple[Decision, ...], start: Version | None, watch: Watch) -> Version:
        stop_if_asked()
        watch("starting")
        lasting = in_force(log)
        base = self._first(by_name(lasting), watch) if start is None else self._base(start, lasting, watch)
        rest = lasting[len(base.lasting) :]
        found = self._next(base, base.state.settled(), rest, watch) if rest else base
        number = 1 if start is None else start.number + 1
        return replace(found, number=number, decisions=log, parent=start or found.parent)

    def _base(self, start: Version, lasting: tuple[Decision, ...], watch: Watch) -> Version:
        """Return the version to go on from: the nearest before `start` of which nothing is taken back."""
        step = start
        while step.lasting != lasting[: len(step.lasting)]:
            if step.parent is None:
                return self._retracted(step, lasting, watch)
            step = step.parent
        return step

    def _retracted(self, root: Version, lasting: tuple[Decision, ...], watch: Watch) -> Version:
        """Return a first version again without some of its own decisions."""
        if self.past is None:
            return self._first(by_name(lasting), watch)
        common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(root.lasting, lasting, strict=False)))
        state = taken_back(root.state.settled(), root.lasting[common:], self.documents)
        return replace(self._next(root, state, (), watch), decisions=root.lasting[:common])

    @classmethod
    def after(
        cls,
        past: Past,
        documents: Sequence[str],
        *,
        ids: Sequence[str],
        titles: Sequence[str] | None = None,
        universum: Sequence[str] | None = None,
        embeddings: Any = None,
        universum_embeddings: Any = None,
        random_state: int = 0,
    ) -> Session:
        """Return a session on the same or later documents that goes on from an earlier version, its words and groups.

        Parameters
        ----------
        past : Past
        documents : sequence of n str
        ids : sequence of n str
        titles : sequence of n str, default None
        universum : sequence of str, default None
        embeddings, universum_embeddings : arrays, default None
            As for the constructor.
        random_state : int, default 0

        Returns
        -------
        Session
            Its `begin` makes the first version.
        """
        session = cls.__new__(cls)
        representation = past.model.representation_
        session.clusterer, session.random_state, session.past = clone(past.model.clusterer_), random_state, past
        session.project, session.version, session._universum = None, None, list(universum or ())
        session.documents = open_collection(
            documents, ids, titles, universum, representation.vectorizer, embeddings=embeddings,
            universum_embeddings=universum_embeddings, width=representation.width,
        )  # fmt: skip
        session._seconds, session._quiet = {}, {}
        return session

    def begin(self, *, on_step: OnStep | None = None, cancel: Event | Callable[[], bool] | None = None) -> Version:
        """Return the version that an `after` session starts from: where nothing is new or gone, the earlier one itself.

        New documents go to a group, and the groups are found again from where they are.

        Parameters
        ----------
        on_step : callable, default None
            Called with a `Progress` at each step.
        cancel : threading.Event or callable, default None
            Says whether to end.

        Returns
        -------
        Version
        """
        if self.past is None:
            return self.fit(on_step=on_step, cancel=cancel)
        watch, past = Watch(on_step), self.past
        state = past.state(self.documents)
        with stoppable(cancel.is_set if isinstance(cancel, Event) else cancel):
            arranged = self._arranged(state)
            base = self._version(
                past.model.clusterer_, arranged, arranged.spaces.order(), past.numbers, state, past.decisions,
                state.notes, state.labels,
            )  # fmt: skip
            found = self._next(base, state, (), watch) if state.refit else base
        return replace(
            found, number=past.number, parent=None, seconds=watch.seconds, decisions=past.decisions, effects=()
        )

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        documents: Sequence[str] | None = None,
        universum: Sequence[str] | None = None,
        embeddings: Any = None,
        universum_embeddings: Any = None,
    ) -> Session:
        """Return the session of a project file, which it holds until `close`.

        `version` is the one to go on from, and `log` holds all decisions. Undoing what was decided before goes on from
        the first version.

        Parameters
        ----------
        path : path
        documents, universum : sequences of str, default None
            Needed where the file keeps no texts; they must be the same.
        embeddings, universum_embeddings : arrays, default None
            As for the constructor.

        Returns
        -------
        Session

        Raises
        ------
        ModelError
            The file cannot be opened, also while another process has it open.
        InputError
            Texts are needed, or are others.
        """
        project = Project.open(path)
        try:
            versions, log = project.versions(), read_log(project)
            first, last = (past_of(project.version(each.number), log) for each in (versions[0], versions[-1]))
            texts, examples = bodies(project, DOCUMENT, documents), bodies(project, UNIVERSUM, universum)
            rows = project.texts(DOCUMENT)
            session = cls.after(
                first, texts, ids=[row.id for row in rows], titles=[row.title for row in rows],
                universum=examples or None, embeddings=embeddings, universum_embeddings=universum_embeddings,
                random_state=int(project.settings()["random_state"]),
            )  # fmt: skip
            session.project = project
            begun = session.begin()
            session.version = begun if last.number == first.number else session._again(last, begun)
        except (IndexError, KeyError, ValueError) as error:
            project.close()
            raise error if isinstance(error, InputError) else ModelError(f"{path} is damaged: {error}") from error
        return session

    @property
    def log(self) -> tuple[Decision, ...]:
        """All decisions of the project file; without one, those of the version."""
        if self.project is not None:
            return read_log(self.project)
        return () if self.version is None else self.version.decisions

    def save(self, path: str | os.PathLike[str], version: Version, *, embed_texts: bool = False) -> None:
        """Write a project file of a version, its decisions and the first version before it.

        Parameters
        ----------
        path : path
            It must not exist.
        version : Version
        embed_texts : bool, default False
            Whether to keep the texts beside ids, titles and digests.

        Raises
        ------
        OutputError
            The file exists or cannot be written.
        """
        texts = rows_of_texts(self.documents, self._universum, embed_texts)
        with Project.create(path, {"random_state": str(self.random_state)}, texts) as project:
            project.append(written(version.decisions))
            for each in dict.fromkeys((version.first, version)):
                project.keep(kept_version(each, self.documents.texts))

    def decide(self, decisions: Sequence[Decision]) -> None:
        """Add decisions to the log of the project file: when it returns, they are on the disk.

        Parameters
        ----------
        decisions : sequence of Decision

        Raises
        ------
        InputError
            There is no project file.
        OutputError
            It cannot be written.
        """
        self._opened().append(written(decisions))

    def keep(self, version: Version) -> None:
        """Keep a version in the project file, as the one to go on from.

        Parameters
        ----------
        version : Version

        Raises
        ------
        InputError
            There is no project file.
        OutputError
            It cannot be written.
        """
        project = self._opened()
        project.keep(kept_version(version, self.documents.texts))
        project.forget_models((project.versions()[0].number, version.number))
        self.version = version

    def close(self) -> None:
        """Let go of the project file, if there is one."""
        if self.project is not None:
            self.project.close()

    def _opened(self) -> Project:
        if self.project is None:
            raise InputError("this session has no project file; save it, and open the file with Session.open")
        return self.project

    def _again(self, past: Past, parent: Version) -> Version:
        """Return a version of these documents as it was kept."""
        state = past.state(self.documents)
        arranged = self._arranged(state)
        version = self._version(
            past.model.clusterer_, arranged, arranged.spaces.order(), past.numbers, state, past.decisions, (),
            state.labels,
        )  # fmt: skip
        return replace(version, number=past.number, parent=parent)

    def _first(self, named: tuple[Decision, ...], watch: Watch) -> Version:
        """Fit from nothing, around what was labelled by name."""
        ignored = frozenset(each.word for each in named if isinstance(each, IgnoreWord))
        cold = cold_fit(self._without(ignored), self.clusterer, named, watch)
        numbers = tuple(range(len(cold.clusterer.coef_)))
        state = self._cold_state(cold, named, ignored, numbers)
        arranged = cold.arranged
        return self._version(cold.clusterer, arranged, cold.order, numbers, state, named, notes=cold.notes)

    def _cold_state(
        self, cold: Cold, named: tuple[Decision, ...], ignored: frozenset[str], numbers: tuple[int, ...]
    ) -> State:
        n, placed, row_of = len(self.documents), cold.placed, self.documents.row_of
        labels = spread(cold.labels, cold.arranged.inside, -1, np.int32)
        names = {} if placed is None else {g: name for g, name in enumerate(placed.names) if name is not None}
        gone = [each.document for each in named if isinstance(each, OffTopic)]
        away = frozenset(row_of[document] for document in gone if document in row_of)
        number_of = {name: number for number, name in names.items()}
        labelled = [each for each in named if isinstance(each, WordBelongs)]
        words = {each.word: Label(number_of[str(each.group)], each.weight) for each in labelled}
        pins = {}
        if placed is not None and placed.seeds is not None:
            rows = np.flatnonzero(cold.arranged.inside)
            pins = {int(rows[i]): Label(int(placed.seeds[i])) for i in np.flatnonzero(placed.seeds >= 0).tolist()}
        return State(labels, numbers, np.zeros(n, dtype=bool), names, pins, words, away, ignored)

    def _next(self, base: Version, state: State, rest: tuple[Decision, ...], watch: Watch) -> Version:
        """Follow more decisions from a version, or from what its state has become."""
        state = state.weighed()
        state, effects = self._followed(state, rest)
        if not state.refit:
            names = [state.names.get(number) for number in base.numbers]
            model = copy.copy(base.model)
            model.names_ = names if any(names) else None
            return replace(
                base, model=model, state=state, effects=effects, parent=base, notes=state.notes or base.notes
            )
        arranged = self._arranged(state)
        order = arranged.spaces.order()
        clusterer, numbers, notes = warm_fit(self.clusterer, base.model, state, arranged, order, watch)
        labels = _labels(clusterer, arranged, order, numbers)
        if not notes:  # it went on from where the documents were
            labels = _held(labels, state)
        found = self._version(clusterer, arranged, order, numbers, state, rest, (*state.notes, *notes), labels)
        return replace(found, effects=effects, parent=base)

    def _followed(self, state: State, rest: tuple[Decision, ...]) -> tuple[State, tuple[Effect, ...]]:
        """Return the state after more decisions, and what each of them touched."""
        effects, touched, free = [], state.touched, state.free
        for decision in rest:
            documents = self._without(state.ignored)
            after = follow(
                replace(state, touched=frozenset(), free=np.zeros_like(free)), decision, documents, self._halve
            )
            put = np.flatnonzero(after.labels != state.labels)
            note = after.notes[-1] if len(after.notes) > len(state.notes) else ""
            effects.append(Effect(decision, after.touched, put, np.flatnonzero(after.free), note))
            touched, free = (touched | after.touched) & set(after.numbers), free | after.free
            state = after
        return replace(state, touched=frozenset(touched), free=free), tuple(effects)

    def _halve(self, members: Array) -> Array:
        """Divide documents in two by spherical k-means, which needs no rows but theirs."""
        place = np.cumsum(self.documents.kept) - 1
        rows = self.documents.spaces.take(np.sort(place[members]))
        order = rows.order()
        found = SphericalKMeans(2, random_state=self.random_state).fit(rows.space[order])
        return np.asarray(found.labels_)[np.argsort(order)]

    def _without(self, ignored: frozenset[str]) -> Collection:
        """Return the documents without the words that are ignored; the latest are kept at hand."""
        if ignored not in self._quiet:
            columns = frozenset(column for word in ignored for column in self.documents.columns(word))
            self._quiet = {frozenset(): self.documents, ignored: self.documents.without(columns)}
        return self._quiet[ignored]

    def _arranged(self, state: State) -> Arranged:
        return Arranged.of(self._without(state.ignored), state.away)

    def _version(
        self, clusterer: Any, arranged: Arranged, order: Array, numbers: tuple[int, ...], state: State,
        decisions: tuple[Decision, ...], notes: tuple[str, ...], labels: Array | None = None,
    ) -> Version:  # fmt: skip
        """Return the version of a fit: labelled documents are where a person put them, the others where it did.

        `labels` (n,) are given where the fit saw other documents.
        """
        labels = _labels(clusterer, arranged, order, numbers) if labels is None else labels.copy()
        place = {number: g for g, number in enumerate(numbers)}
        for row, label in state.pins.items():
            labels[row] = label.group
        names = [state.names.get(number) for number in numbers]
        model = DocumentClustering.around(
            clusterer, arranged.documents.representation, arranged.spaces,
            np.array([place.get(number, -1) for number in labels.tolist()], dtype=np.int32),
            order=order, examples=arranged.examples, names=names if any(names) else None,
            skipped=arranged.skipped(LABELLED_AWAY),
        )  # fmt: skip
        return Version(
            1, self.documents.ids, labels, numbers, model, replace(state, labels=labels), decisions, notes=notes,
            documents=self.documents,
        )  # fmt: skip


def _labels(clusterer: Any, arranged: Arranged, order: Array, numbers: tuple[int, ...]) -> Array:
    """Return the number of the group of each of n documents, where a clusterer put them; -1 for none."""
    own = np.asarray(clusterer.labels_)[np.argsort(order)]
    return spread(np.where(own < 0, -1, np.asarray(numbers, dtype=np.int32)[own]), arranged.inside, -1, np.int32)


def _held(labels: Array, state: State) -> Array:
    """Return the labels of a fit, where documents move only to a group that was given one, or are free to go."""
    called = np.isin(labels, list(state.calling)) | state.free | (labels < 0) | (state.labels < 0)
    return np.where(called, labels, state.labels).astype(np.int32)
