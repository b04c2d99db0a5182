"""A session: one collection, a log of decisions, and the versions that fits made of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile
from threading import Event
from typing import Any

from sklearn.base import clone

from ..cluster.max_margin import MaxMarginClustering
from ..cluster.profile import Choice, Profile
from ..errors import InputError, ModelError
from ..model.fitting import averaging, call, choose_groups, copied_clusterer, copied_vectorizer
from ..steering.decisions import Decision, in_force
from ..stopping import stop_if_asked, stoppable
from ..storage.project import Project
from ..text.collection import open_collection
from ..text.tables import holds_fields, texts_of
from .cold import by_name, heard
from .in_file import InFile
from .kept import DOCUMENT, UNIVERSUM, bodies, past_at, read_log
from .maker import Maker
from .past import Past, taken_back
from .sketch import sketch
from .version import Version
from .watch import OnStep, Watch


class Session(InFile):
    """One collection and what was decided about it: each `fit` makes a version of a log of decisions.

    The documents, their rows and their vocabulary are fixed when the session opens; no decision changes them. A version
    starts from the version before, so that groups keep their numbers and names, and only the groups that a decision
    touches move freely. The same log makes the same versions, in any process.

    Parameters
    ----------
    documents : sequence of n str, DataFrame, or sequence of records
        A table or records give ids and titles, too; where its fields have other names than "id", "title" and "text",
        give what `outgroup.text.tables.texts_of` makes of it.
    n_clusters : int, "auto" or (int, int)
        Number of groups of the first version; merging and splitting changes it. "auto", or the fewest and the most: a
        profile over such numbers chooses it, which is then the session's `profile`.
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
    neighbours : int or "auto", default "auto"
        How often rows are averaged with their nearest rows, as of `DocumentClustering`; the neighbours are found once,
        when the session opens.
    random_state : int, default 0
    postpone : bool, default False
        Whether the first fit, not the opening, finds the neighbours: what can be looked at before is a `sketch`.
    on_step : callable, default None
        Called with a `Progress` while the words are learned.

    Examples
    --------
    >>> from outgroup.decisions import Belongs
    >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's rails", "rails and rye"]
    >>> session = Session(texts, n_clusters=2)
    >>> first = session.fit()
    >>> train = first.groups["2"]
    >>> second = session.fit([Belongs("4", train)], start=first)
    >>> second.groups["4"] == train, second.parent is first
    (True, True)
    """

    profile: Profile | None = None
    _postponed: Any = None
    _maker: Maker

    def __init__(
        self,
        documents: Sequence[str],
        *,
        n_clusters: Choice,
        ids: Sequence[str] | None = None,
        titles: Sequence[str] | None = None,
        universum: Sequence[str] | None = None,
        clusterer: Any = None,
        vectorizer: Any = None,
        embeddings: Any = None,
        universum_embeddings: Any = None,
        neighbours: int | str = "auto",
        random_state: int = 0,
        postpone: bool = False,
        on_step: OnStep | None = None,
    ) -> None:
        if holds_fields(documents):
            corpus = texts_of(documents)
            documents, ids, titles = corpus.texts, ids or corpus.ids, titles or corpus.titles
        if universum is not None and holds_fields(universum):
            universum = texts_of(universum, name="universum").texts
        chosen = copied_vectorizer(vectorizer)
        self.clusterer = copied_clusterer(
            MaxMarginClustering(random_state=random_state) if clusterer is None else clusterer
        )
        self.random_state = random_state
        learn = partial(call, chosen.fit_transform, progress=Watch(on_step).of("analysing"))
        averaging(neighbours, None)  # a wrong value is told before anything is read
        with heard() as notes:
            self.documents = open_collection(
                documents, ids, titles, universum, chosen, embeddings=embeddings,
                universum_embeddings=universum_embeddings, learn=learn,
            )  # fmt: skip
            choosing = Watch(on_step).of("choosing the number of groups")
            self.profile = choose_groups(self.documents, n_clusters, self.clusterer, choosing)
            average = averaging(neighbours, getattr(self.clusterer, "n_clusters", None))
            self._postponed = average if postpone else None
            if not postpone:
                self.documents = self.documents.averaged(average, Watch(on_step).of("finding neighbours"))
        self._open(universum, notes)

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

    def sketch(self) -> Version:
        """Return a first look at the groups, in a moment: found from a part of the documents, and not to go on from.

        Returns
        -------
        Version

        Raises
        ------
        InputError
            There are fewer documents than groups.
        """
        return sketch(self.documents, int(self.clusterer.n_clusters), self.random_state)

    def _fit(self, log: tuple[Decision, ...], start: Version | None, watch: Watch) -> Version:
        stop_if_asked()
        self._complete(watch)
        watch("starting")
        lasting = in_force(log)
        base = self._maker.first(by_name(lasting), watch) if start is None else self._base(start, lasting, watch)
        rest = lasting[len(base.lasting) :]
        found = self._maker.next(base, base.state.settled(), rest, watch) if rest else base
        number = 1 if start is None else start.number + 1
        effects = found.effects if rest else ()  # what is only gone back to touched nothing on the way
        return replace(found, number=number, decisions=log, parent=start or found.parent, effects=effects)

    def _complete(self, watch: Watch) -> None:
        """Average rows with their neighbours where that was postponed."""
        if self._postponed is not None:
            self.documents = self.documents.averaged(self._postponed, watch.of("finding neighbours"))
            self._maker = Maker(self.documents, self.clusterer, self.random_state, self._maker.notes)
            self._postponed = None

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
            return self._maker.first(by_name(lasting), watch)
        common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(root.lasting, lasting, strict=False)))
        state = taken_back(root.state.settled(), root.lasting[common:], self.documents)
        return replace(self._maker.next(root, state, (), watch), decisions=root.lasting[:common])

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
        session.clusterer, session.random_state = clone(past.model.clusterer_), random_state
        with heard() as notes:
            session.documents = open_collection(
                documents, ids, titles, universum, representation.vectorizer, embeddings=embeddings,
                universum_embeddings=universum_embeddings, width=representation.width,
                average=averaging(representation.passes, None),
            )  # fmt: skip
        session._open(universum, notes, past)
        return session

    def _open(self, universum: Sequence[str] | None, notes: list[str], past: Past | None = None) -> None:
        self.past: Past | None = past
        self.project: Project | None = None
        self.version: Version | None = None
        self._universum = list(universum or ())
        self._maker = Maker(self.documents, self.clusterer, self.random_state, tuple(notes))
        self._seconds: dict[bool, float] = {}

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
            base = self._maker.earlier(past, state)
            found = self._maker.next(base, state, (), watch) if state.refit else base
        return replace(
            found, number=past.number, parent=None, base=None, seconds=watch.seconds, decisions=past.decisions,
            effects=(),
        )  # fmt: skip

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
            log = read_log(project)
            first, last = past_at(project, 0, log), past_at(project, -1, log)
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

    def _again(self, past: Past, parent: Version) -> Version:
        """Return a version of these documents as it was kept."""
        version = self._maker.earlier(past, past.state(self.documents))
        return replace(version, number=past.number, parent=parent, notes=())
