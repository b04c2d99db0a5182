"""A session: one collection, a log of decisions, and the versions that fits made of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any, Self

from sklearn.base import clone

from ..cluster.max_margin import MaxMarginClustering
from ..cluster.profile import Choice, Profile
from ..decisions import Decision, log_of, name_of_version
from ..document_clustering import averaging, call, choose_groups, copied_clusterer, copied_vectorizer
from ..errors import DAMAGE, InputError, ModelError, OutputError
from ..stopping import stop_if_asked, stoppable
from ..storage.atomic import new_path
from ..storage.project import KeptVersion, Project
from ..text.collection import Collection, open_collection
from ..text.representation import Representation
from ..text.tables import Inputs
from .past import Past
from .project_file import Given, first_past, history, inputs_of, kept_version, model_of, read_log, to_keep, written
from .project_file import kept_texts as rows_of_texts
from .refit import Fitter, OnStep, Reporter, sketch, warnings_as_notes
from .version import Assignment, Version, without_models

# --- A session that goes on from an earlier version, on the same or on later documents


class FromPast:
    """The part of `Session` that says what it holds, and begins from what it held before."""

    documents: Collection
    clusterer: Any
    random_state: int
    past: Past | None
    project: Project | None
    version: Version | None
    versions: tuple[Assignment, ...]
    _universum: list[str]
    _fitter: Fitter
    _seconds: dict[bool, float]

    @classmethod
    def after(
        cls,
        past: Past,
        documents: Any,
        *,
        ids: Iterable[object],
        titles: Iterable[object] | None = None,
        universum: Any = None,
        embeddings: Any = None,
        universum_embeddings: Any = None,
        random_state: int = 0,
    ) -> Self:
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
        inputs = Inputs(documents, ids, titles, universum, embeddings, universum_embeddings)
        session, before = cls.__new__(cls), past.model.representation_
        session.clusterer, session.random_state = clone(past.model.clusterer_), random_state
        with warnings_as_notes() as notes:
            average = averaging(before.passes, None)
            representation = Representation(before.vectorizer, width=before.width, average=average)
            session.documents = open_collection(inputs, representation)
        session._open(inputs.examples, notes, past)
        return session

    def _open(self, universum: list[str], notes: list[str], past: Past | None = None) -> None:
        self.past = past
        self.project = None
        self.version, self.versions = None, ()
        self._universum = universum
        self._fitter = Fitter(self.documents, self.clusterer, self.random_state, tuple(notes), past)
        self._seconds = {}

    def _check_own(self, version: Any, name: str) -> None:
        """Raise InputError for what is no version of these documents: its groups would be taken for those of others."""
        if not isinstance(version, Assignment):
            said = f"{name} is a {type(version).__name__}, no version; give what `fit` or `begin` returned"
            raise InputError(f"{said}, or None" if name == "start" else said)
        theirs = version.documents if isinstance(version, Version) else None
        if version.ids != self.documents.ids or (theirs is not None and theirs.texts != self.documents.texts):
            raise InputError(
                f"{name} is of other documents; give one of this session, or open a session on these that "
                "goes on from it: Session.after(Past.of(version, its_texts), texts, ids=ids)"
            )


# --- A session's project file: every decision is on the disk when it is made, and a version to go on from is kept


class InFile(FromPast):
    """The part of `Session` that reads and writes its project file."""

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        documents: Given = None,
        universum: Given = None,
        embeddings: Any = None,
        universum_embeddings: Any = None,
    ) -> Self:
        """Return the session of a project file, which it holds until `close` or the end of a `with`.

        `version` is the one to go on from, `log` holds all decisions, and `versions` all versions that were kept: of
        the earlier ones the groups, from which a fit finds the model again where one goes back to them.

        Parameters
        ----------
        path : path
        documents, universum : sequences of str, or paths, default None
            They must be the same; a path is read as it was then. By default those that the file keeps, or those that
            lie where they lay: the file says where, seen from its own folder.
        embeddings, universum_embeddings : arrays, default None
            As for the constructor; by default those of the `.npy` file or column that were used.

        Returns
        -------
        Session

        Raises
        ------
        ModelError
            The file cannot be opened, also while another process has it open.
        InputError
            Texts are needed, not there any more, or others.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from outgroup.decisions import Rename
        >>> from outgroup.session import Session
        >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's rails"]
        >>> session = Session(texts, n_clusters=2)
        >>> with TemporaryDirectory() as folder:
        ...     named = session.fit([Rename(0, "bread")], start=session.fit())
        ...     session.save(f"{folder}/work.outgroup", named, embed_texts=True)
        ...     with Session.open(f"{folder}/work.outgroup") as again:
        ...         again.version.number, len(again.versions), again.log
        (2, 2, (Rename(group=0, name='bread'),))
        """
        project = Project.open(path)
        try:
            log = read_log(project)
            first = first_past(project, log)
            given = inputs_of(project, (documents, universum), (embeddings, universum_embeddings))
            session = cls.after(first, **given, random_state=int(project.settings()["random_state"]))
            session._go_on(project, first, log)
        except BaseException as error:
            project.close()
            if isinstance(error, DAMAGE) and not isinstance(error, InputError):
                raise ModelError(f"{path} is damaged: {error!s:.200}; restore a copy of it") from error
            raise
        return session

    @property
    def log(self) -> tuple[Decision, ...]:
        """All decisions of the project file; without one, those of the version."""
        if self.project is not None:
            return read_log(self.project)
        return () if self.version is None else self.version.decisions

    @property
    def version_names(self) -> dict[int, str]:
        """What versions of the project file are called that have a name, by their number."""
        return {} if self.project is None else self.project.version_names()

    def name_version(self, number: int, name: str) -> None:
        """Call a version of the project file so; groups and decisions stay as they are.

        Parameters
        ----------
        number : int
        name : str
            One line; "" takes the name back.

        Raises
        ------
        InputError
            There is no project file, no such version in it, or the name is of no use.
        OutputError
            It cannot be written.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from outgroup.session import Session
        >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's rails"]
        >>> session = Session(texts, n_clusters=2)
        >>> with TemporaryDirectory() as folder:
        ...     session.save(f"{folder}/work.outgroup", session.fit(), embed_texts=True)
        ...     with Session.open(f"{folder}/work.outgroup") as again:
        ...         again.name_version(1, "as it came")
        ...         {each.number: again.version_names.get(each.number) for each in again.versions}
        {1: 'as it came'}
        """
        project = self._opened()
        if number not in (known := [each.number for each in self.versions]):
            raise InputError(f"there is no version {number!r:.40}; the file has {known[0]} to {known[-1]}")
        project.name_version(number, name_of_version(number, name))

    def save(
        self, path: str | os.PathLike[str], version: Version, *, embed_texts: bool = False,
        reading: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        """Write a project file of a version, its decisions and all versions before it, with what these are called.

        Parameters
        ----------
        path : path
            It must not exist.
        version : Version
        embed_texts : bool, default False
            Whether to keep the texts beside ids, titles and digests.
        reading : mapping, default None
            How the documents were read, such as {"docs": "tickets.csv", "text": "subject,body"}: `open` and `outgroup
            replay` read so; and what else was asked for, such as {"k": 12}. Plain values, and paths for "docs",
            "universum", "embeddings" and "universum_embeddings".

        Raises
        ------
        OutputError
            The file exists or cannot be written.
        InputError
            `version` is none of these documents.
        """
        self._check_own(version, "version")
        if os.path.lexists(path):
            raise OutputError(f"{path} exists; choose another name, or move it away")
        path = Path(path)
        texts = rows_of_texts(self.documents, self._universum, embed_texts)
        settings = {"random_state": str(self.random_state), "reading": to_keep(reading or {}, path)}
        with new_path(path) as part, Project.create(part, settings, texts, called=path) as project:
            project.append(written(version.decisions))
            for each in version.chain:
                project.keep(kept_version(each, model=each in (version.first, version)))
                if name := self.version_names.get(each.number):
                    project.name_version(each.number, name)

    def decide(self, decisions: Sequence[Decision]) -> None:
        """Add decisions to the log of the project file: when it returns, they are on the disk.

        Parameters
        ----------
        decisions : sequence of Decision

        Raises
        ------
        InputError
            There is no project file, or `decisions` holds something else.
        OutputError
            It cannot be written.
        """
        self._opened().append(written(log_of(decisions)))

    def keep(self, version: Version, *, model: bool = True) -> None:
        """Keep a version in the project file, as the one to go on from.

        Parameters
        ----------
        version : Version
        model : bool, default True
            Whether to keep its model, too. It takes the most time and room, and is found again from the groups when
            the file is opened without it.

        Raises
        ------
        InputError, OutputError
            As for `decide`, or `version` is none of these documents, or has the number of another one that is kept.
        """
        project = self._opened()
        self._check_own(version, "version")
        self._check_number(version)
        project.keep(kept_version(version, model=model or version.parent is None))  # all are found from the first one
        self.version = version
        self.versions = (*(without_models(each) for each in self.versions if each.number != version.number), version)

    def _check_number(self, version: Version) -> None:
        """Raise InputError where another version has the number: it would be lost."""
        if any(each.number == version.number and each.decisions != version.decisions for each in self.versions):
            raise InputError(
                f"another version {version.number} is kept already; keep a version before the next fit, so that this "
                "has a number of its own"
            )

    def close(self) -> None:
        """Let go of the project file, if there is one."""
        if self.project is not None:
            self.project.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _go_on(self, project: Project, first: Past, log: Sequence[Decision]) -> None:
        """Take over the versions of a project file that was opened, of which `first` is the first one."""
        self.project = project
        *before, last = history(project, self._fitter.resumed(first, Reporter(None)), log)
        self.version = self._whole(last, project.version(last.number))
        self.versions = (*before, self.version)

    def _whole(self, last: Assignment, kept: KeptVersion) -> Version:
        """Return the last version with its model, which is found again where it was not kept."""
        if isinstance(last, Version):
            return last
        clusterer = None if kept.model is None else model_of(kept).clusterer_
        if clusterer is not None and len(clusterer.coef_) != len(last.numbers):
            raise ValueError(f"the groups of version {kept.number} are not those of its model")
        return self._fitter.restored(last, Reporter(None), clusterer)

    def _opened(self) -> Project:
        if self.project is None:
            raise InputError("this session has no project file; save it, and open the file with Session.open")
        return self.project


# --- A session: one collection, a log of decisions, and the versions that fits made of it

Cancel = Event | Callable[[], bool] | None
"""An event, or a function, that says whether to end."""


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

    def __init__(
        self,
        documents: Any,
        *,
        n_clusters: Choice,
        ids: Iterable[object] | None = None,
        titles: Iterable[object] | None = None,
        universum: Any = None,
        clusterer: Any = None,
        vectorizer: Any = None,
        embeddings: Any = None,
        universum_embeddings: Any = None,
        neighbours: int | str = "auto",
        random_state: int = 0,
        postpone: bool = False,
        on_step: OnStep | None = None,
    ) -> None:
        inputs = Inputs(documents, ids, titles, universum, embeddings, universum_embeddings).without_fields()
        chosen = copied_vectorizer(vectorizer)
        self.clusterer = copied_clusterer(
            MaxMarginClustering(random_state=random_state) if clusterer is None else clusterer
        )
        self.random_state = random_state
        learn = partial(call, chosen.fit_transform, progress=Reporter(on_step).of("analysing"))
        averaging(neighbours, None)  # a wrong value is told before anything is read
        with warnings_as_notes() as notes:
            self.documents = open_collection(inputs, Representation(chosen), learn=learn)
            choosing = Reporter(on_step).of("choosing the number of groups")
            self.profile = choose_groups(self.documents, n_clusters, self.clusterer, choosing)
            self._postponed = averaging(neighbours, getattr(self.clusterer, "n_clusters", None))
            if not postpone:
                self._average(Reporter(on_step))
        self._open(inputs.examples, notes)

    def fit(
        self,
        decisions: Iterable[Decision] = (),
        start: Assignment | None = None,
        *,
        on_step: OnStep | None = None,
        cancel: Cancel = None,
    ) -> Version:
        """Return the version that a log of decisions makes, from the version `start` or from nothing.

        Parameters
        ----------
        decisions : the whole log, with what `start` has of it, and with its undos
            Undoing goes back to the version before what is undone, exactly.
        start : Version or Assignment, default None
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
            The collection cannot be grouped so, `decisions` holds something else, or `start` is no version of these
            documents.
        """
        log = log_of(decisions)
        if start is not None:
            self._check_own(start, "start")
        reporter = Reporter(on_step, self._seconds.get(start is None))
        with _stoppable(cancel):
            stop_if_asked()
            self._complete(reporter)
            version = self._fitter.follow_log(log, start, reporter)
        self._seconds[start is None] = reporter.seconds
        kept = self.versions[-1].number if self.versions else 0  # who goes back and on takes no other one's number
        number = max(version.number, kept + 1)
        return replace(version, number=number, seconds=reporter.seconds, made=datetime.now(UTC))

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

    def begin(self, *, on_step: OnStep | None = None, cancel: Cancel = None) -> Version:
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
        with _stoppable(cancel):
            return self._fitter.resumed(self.past, Reporter(on_step))

    def __repr__(self) -> str:
        kept = "" if self.project is None else f" in {str(self.project.path)!r}"
        return f"<Session of {len(self.documents):,} documents{kept}>"

    def _complete(self, reporter: Reporter) -> None:
        """Find the neighbours of rows where that was postponed."""
        if self._postponed is not None:
            self._average(reporter)
            self._fitter = Fitter(self.documents, self.clusterer, self.random_state, self._fitter.notes, self.past)

    def _average(self, reporter: Reporter) -> None:
        self.documents = self.documents.averaged(self._postponed, reporter.of("finding neighbours"))
        self._postponed = None


def _stoppable(cancel: Cancel) -> AbstractContextManager[None]:
    return stoppable(cancel.is_set if isinstance(cancel, Event) else cancel)
