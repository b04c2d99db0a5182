"""A session: a collection, a log of decisions, and the versions that they produce."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from numbers import Real
from pathlib import Path
from time import perf_counter
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from ..cluster.max_margin import MaxMarginClustering
from ..cluster.neighbour_average import NeighbourAverage
from ..cluster.profile import Choice, Profile
from ..decisions import Decision
from ..decisions.base import name_of
from ..decisions.log import log_of, name_of_version
from ..errors import DAMAGE, InputError, ModelError, OutputError
from ..pipeline import (
    check_choices,
    choose_n_clusters,
    copied_clusterer,
    copied_vectorizer,
    is_number,
    learned_rows,
    neighbour_average,
    step_of,
    with_sample_weight,
    without_outliers,
)
from ..readers.in_memory import inputs_in
from ..stopping import stop_if_asked, stoppable
from ..storage.atomic import new_file
from ..storage.json_values import are_numbers
from ..storage.lines import REMEDY
from ..text.collection import Collection, Inputs, open_collection
from ..text.representation import Representation
from ..text.texts import as_texts, is_missing
from ..types import Progress, no_op
from .fitter import Fitter, GivenGroups, Preview, warnings_as_notes
from .past import Past
from .project_file import Project, create, inputs_of, with_relative_paths
from .version import Version, without_models


class Session:
    """A collection and its decisions; each `fit` turns a log of decisions into a version.

    The documents, their rows and their vocabulary are fixed when the session opens. A version starts from the previous
    one: groups keep their numbers and names, and only documents of affected groups move. The same log gives the same
    versions, in any process.

    Parameters
    ----------
    documents : sequence of n str, DataFrame, or sequence of records
        A table or records also give ids and titles. For fields with other names than "id", "title" and "text", give
        the result of `outgroup.readers.in_memory.texts_of`.
    n_clusters : int, "auto", (int, int) or None
        Number of groups of the first version; merges and splits change it. "auto", or the minimum and the maximum: a
        profile chooses it, the session's `profile`. None: that of the clusterer.
    ids, titles : sequences of n str, default None
        By default the id of a document is its number, and its title is empty.
    universum : sequence of str, default None
        Texts that belong to no group. Words are learned from `documents` alone.
    clusterer : default None, a `MaxMarginClustering(n_clusters, random_state=random_state)`
        Any clusterer; the session copies it. Clusterers other than `MaxMarginClustering` find the first groups
        only: a `MaxMarginClustering` continues from their labels.
    vectorizer : default None, a `Vectorizer(language="auto")`
        The session copies it, and fits it on the documents.
    embeddings, universum_embeddings : arrays (n, d) and (N, d), default None
        A vector for each text: groups are found among the vectors, and described by words.
    encoder : "auto" or None, default "auto"
        As in `DocumentClustering`.
    sample_weight : (n,) numbers from 0 to 1e9, default None
        The weight of each document in fits, as in `DocumentClustering.fit`. A project file does not keep weights.
    neighbours : int or "auto", default "auto"
        Number of passes that average rows with their nearest rows, as in `DocumentClustering`. The neighbours are found
        once, when the session opens.
    outliers : {"none", "flag", "set aside"}, default "none"
        As in `DocumentClustering`; "flag" has no effect here.
    labels : sequence of n int or str, default None
        The groups of the first version, as in `DocumentClustering.from_labels`, instead of a fit from scratch.
    random_state : int, default 0
    postpone : bool, default False
        Find the neighbours in the first fit, not when the session opens; a `sketch` is available before.
    progress : callable, default none
        Called with a step, its finished units, and all its units (None if unknown), while the vocabulary is learned.

    Examples
    --------
    >>> from outgroup.decisions import Label
    >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's rails", "rails and rye"]
    >>> session = Session(texts, n_clusters=2)
    >>> first = session.fit()
    >>> train = first.groups["2"]
    >>> second = session.fit([Label("4", train)], start=first)
    >>> second.groups["4"] == train, second.parent is first
    (True, True)
    """

    clusterer: Any
    random_state: int
    past: Past | None
    project: Project | None
    version: Version | None
    versions: tuple[Version, ...]
    _universum: list[str]
    _fitter: Fitter
    profile: Profile | None = None
    _average: NeighbourAverage | None = None

    def __init__(
        self,
        documents: Any,
        *,
        n_clusters: Choice | None,
        ids: Iterable[object] | None = None,
        titles: Iterable[object] | None = None,
        universum: Any = None,
        clusterer: Any = None,
        vectorizer: Any = None,
        embeddings: Any = None,
        universum_embeddings: Any = None,
        encoder: Any = "auto",
        sample_weight: Any = None,
        neighbours: Any = "auto",
        outliers: str = "none",
        labels: Any = None,
        random_state: int = 0,
        postpone: bool = False,
        progress: Progress = no_op,
    ) -> None:
        inputs = inputs_in(documents, ids, titles, universum, embeddings, universum_embeddings)
        chosen = copied_vectorizer(vectorizer)
        self.clusterer = copied_clusterer(
            MaxMarginClustering(random_state=random_state) if clusterer is None else clusterer
        )
        self.random_state = random_state
        neighbour_average(neighbours)  # check the value before anything is read
        groups, n = None, len(as_texts(inputs.documents, "documents"))
        if labels is not None:
            if inputs.examples:
                raise InputError("labels and universum cannot be combined: give off-topic documents the label -1")
            groups = given_groups(labels, n)
            n_clusters = len({*groups[0].tolist()} - {-1})
        if is_number(n_clusters):
            self.clusterer.set_params(n_clusters=int(n_clusters))
        own = getattr(self.clusterer, "n_clusters", None)
        k = own if n_clusters is None and is_number(own) else n_clusters
        check_choices(k, outliers, n)
        with warnings_as_notes() as notes:
            # 1. Rows: TF-IDF rows of the words, and unit rows of the embeddings, if any; outliers out on request.
            known = with_sample_weight(learned_rows(inputs, Representation(chosen, encoder), progress), sample_weight)
            known = without_outliers(known, outliers)
            # 2. Number of groups: k as given, or the choice of the profile.
            self.profile = choose_n_clusters(known, n_clusters, self.clusterer, progress)
            # 3. Average: rows with their nearest rows, in `neighbours` passes.
            self._average = neighbour_average(neighbours, self.clusterer)
            self._open(known, inputs.examples, groups=groups)
            if not postpone:
                self._complete(progress)
        self._fitter.notes = tuple(notes)

    def fit(
        self,
        decisions: Iterable[Decision] = (),
        start: Version | None = None,
        *,
        progress: Progress = no_op,
        cancel: Callable[[], bool] | None = None,
    ) -> Version:
        """Return the version for a log of decisions, from the version `start` or from scratch.

        Parameters
        ----------
        decisions : iterable of Decision
            The whole log, with the decisions of `start`. Without some of these (see `decisions.undo`), the fit starts
            from the last version before them.
        start : Version, default None
            The version to start from. Without one, the first fit uses the labels of groups by *name*; decisions on
            group *numbers*, which refer to a version, apply after it.
        progress : callable, default none
            Called with a step, its finished units, and all its units (None if unknown).
        cancel : callable, default None
            Cancels the fit once it returns True, such as `threading.Event().is_set`; called at each pass over the rows.

        Returns
        -------
        Version
            Its notes list the decisions that could not be applied, such as one on a missing document.

        Raises
        ------
        CancelledError
            `cancel` returned True.
        InputError
            The clusterer cannot be fitted on the collection, `decisions` holds another value, or `start` is not a
            version of these documents.
        """
        # 1. Check the log and the version to start from.
        log = log_of(decisions)
        if start is not None:
            self._check_own(start, "start")
        since = perf_counter()
        with stoppable(cancel):
            stop_if_asked()
            # 2. Average rows with their neighbours, if that was postponed.
            self._complete(progress)
            # 3. Apply the decisions to the state, and fit the clusterer from there.
            version = self._fitter.fit_log(log, start, progress)
        # 4. Number the version above all versions of the project file.
        saved = self.versions[-1].number if self.versions else 0
        number = max(version.number, saved + 1)
        return replace(version, number=number, seconds=perf_counter() - since, made=datetime.now(UTC))

    def _fit_first(self, progress: Progress = no_op, **arguments: Any) -> Version:
        """Return the first version with seeds, a start and steps as `fit_groups` takes them, and keep it."""
        since = perf_counter()
        self._complete(progress)
        version = self._fitter.first_version((), progress, **arguments)
        self.version = replace(version, seconds=perf_counter() - since, made=datetime.now(UTC))
        return self.version

    def preview(self, version: Version, decision: Decision) -> Preview:
        """Return the documents that a decision would move immediately; no fit is needed.

        Parameters
        ----------
        version : Version
        decision : Decision

        Returns
        -------
        Preview
            `rows` and their new `groups`; `note`, the reason that the decision cannot be applied; `right`, for a
            `Regroup`: the number of labels of the random sample, and the share right before and after.

        Raises
        ------
        InputError
            `version` is not a version of these documents.

        Examples
        --------
        >>> from outgroup.decisions import Merge
        >>> from outgroup.session import Session
        >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's rails"]
        >>> session = Session(texts, n_clusters=2)
        >>> len(session.preview(session.fit(), Merge([0, 1])).rows)
        2
        """
        self._check_own(version, "version")
        return self._fitter.preview(version, decision)

    def sketch(self) -> Version:
        """Return provisional groups, fast, from a sample of the documents; no fit can start from them.

        Returns
        -------
        Version

        Raises
        ------
        InputError
            There are fewer documents than groups.
        """
        return self._fitter.sketch(int(self.clusterer.n_clusters))

    def begin(self, *, progress: Progress = no_op, cancel: Callable[[], bool] | None = None) -> Version:
        """Return the first version of a continued session: the earlier version itself if the documents are the same.

        Otherwise new documents get a group, and the groups are fitted again from the earlier labels.

        Parameters
        ----------
        progress : callable, default none
            Called with a step, its finished units, and all its units (None if unknown).
        cancel : callable, default None
            As for `fit`.

        Returns
        -------
        Version
        """
        if self.past is None:
            return self.fit(progress=progress, cancel=cancel) if self.version is None else self.version
        since = perf_counter()
        with stoppable(cancel):
            return replace(self._fitter.continue_from(self.past, progress), seconds=perf_counter() - since)

    @classmethod
    def after(
        cls,
        past: Past,
        documents: Any,
        *,
        ids: Iterable[object] | None = None,
        titles: Iterable[object] | None = None,
        universum: Any = None,
        embeddings: Any = None,
        universum_embeddings: Any = None,
        sample_weight: Any = None,
        outliers: str = "none",
        random_state: int = 0,
    ) -> Self:
        """Return a session on the same or later documents that continues an earlier version and keeps its vocabulary
        and groups.

        Parameters
        ----------
        past : Past
        documents : sequence of n str or Collection
            A collection has rows and off-topic examples, and keeps them.
        ids : sequence of n str, default None
            By default the numbers of the documents.
        titles : sequence of n str, default None
        universum : sequence of str, default None
        embeddings, universum_embeddings, sample_weight : arrays, default None
            As for the constructor.
        outliers : str, default "none"
            As for the constructor.
        random_state : int, default 0

        Returns
        -------
        Session
            Its `begin` returns the first version.
        """
        session, before = cls.__new__(cls), past.model.representation_
        session.clusterer, session.random_state = clone(past.model.clusterer_), random_state
        with warnings_as_notes() as notes:
            if isinstance(documents, Collection):
                known, examples = documents, [] if documents.universum is None else documents.universum.texts
            else:
                check_choices(None, outliers, 0)
                inputs = Inputs(documents, ids, titles, universum, embeddings, universum_embeddings)
                same = Representation(
                    before.vectorizer, before.meaning, before.width, names_by_meaning=before.names_by_meaning
                )
                known = without_outliers(open_collection(inputs, same), outliers).averaged(
                    neighbour_average(before.passes)
                )
                examples = inputs.examples
            session._open(with_sample_weight(known, sample_weight), examples, past)
        session._fitter.notes = tuple(notes)
        return session

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        documents: Any = None,
        universum: Any = None,
        embeddings: Any = None,
        universum_embeddings: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """Open the session of a project file; the file is locked until `close` or the end of a `with` block.

        `version` is the current version, `log` holds all decisions, and `versions` all saved versions. Earlier versions
        have no model; a fit from one of them finds its model again.

        Parameters
        ----------
        path : path
        documents, universum : sequences of str, default None
            The same texts as before; by default those in the project file.
        embeddings, universum_embeddings : arrays, default None
            As for the constructor; a project file does not keep them.
        sample_weight : (n,) numbers, default None
            As for the constructor.

        Returns
        -------
        Session

        Raises
        ------
        ModelError
            The file cannot be opened, or another process has it open.
        InputError
            Texts are missing, or differ from the saved ones.

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
            first = project.first_version()
            session = cls.after(
                first,
                **inputs_of(project, documents, universum),
                embeddings=embeddings,
                universum_embeddings=universum_embeddings,
                sample_weight=sample_weight,
                random_state=project.settings["random_state"],
            )
            session._go_on(project, first)
        except BaseException as error:
            project.close()
            if isinstance(error, DAMAGE) and not isinstance(error, InputError):
                raise ModelError(f"{path} is damaged: {error!s:.200}; {REMEDY}") from error
            raise
        return session

    @property
    def documents(self) -> Collection:
        """The documents with their rows."""
        return self._fitter.documents

    @property
    def log(self) -> tuple[Decision, ...]:
        """The decisions in the project file or, without a file, of the version."""
        if self.project is not None:
            return self.project.log
        return () if self.version is None else self.version.decisions

    @property
    def version_names(self) -> dict[int, str]:
        """The names of versions in the project file, by version number."""
        return {} if self.project is None else dict(self.project.names)

    def name_version(self, number: int, name: str) -> None:
        """Name a version in the project file; groups and decisions do not change.

        Parameters
        ----------
        number : int
        name : str
            One line; "" removes the name.

        Raises
        ------
        InputError
            The session has no project file, the file has no such version, or the name is not valid.
        OutputError
            The file cannot be written.

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
        ...         {v.number: again.version_names.get(v.number) for v in again.versions}
        {1: 'as it came'}
        """
        project = self._opened()
        if number not in (known := [v.number for v in self.versions]):
            raise InputError(f"there is no version {number!r:.40}; the file has versions {known[0]} to {known[-1]}")
        project.name(number, name_of_version(number, name))

    def save(
        self,
        path: str | os.PathLike[str],
        version: Version,
        *,
        embed_texts: bool = False,
        reading: Mapping[str, Any] | None = None,
    ) -> None:
        """Write a version, its decisions and all earlier versions, with their names, to a project file.

        Parameters
        ----------
        path : path
            Must not exist.
        version : Version
        embed_texts : bool, default False
            Whether to save the texts in addition to ids, titles and digests.
        reading : mapping, default None
            The settings of the program that reads the texts, for `outgroup workbench`. Plain values, and paths for
            "docs", "universum", "embeddings" and "universum_embeddings", which are stored relative to `path`.

        Raises
        ------
        OutputError
            The file exists or cannot be written.
        InputError
            `version` is not a version of these documents.
        """
        self._check_own(version, "version")
        path = Path(path)
        settings = {"random_state": self.random_state, "reading": with_relative_paths(reading or {}, path)}
        if path.is_symlink():  # it may come with the documents of a stranger, and lead anywhere
            raise OutputError(f"{path} exists, and is a link: move it away, or choose another name")
        with new_file(path, how="move the file") as file:
            create(
                file.buffer, settings, self.documents, self._universum, version, self.version_names, embed=embed_texts
            )

    def replace_log(self, log: Sequence[Decision]) -> None:
        """Write a log to the project file and flush it to disk: with new decisions, or without some (`decisions.undo`).

        Parameters
        ----------
        log : sequence of Decision
            The earlier decisions stay in the file for its earlier versions.

        Raises
        ------
        InputError
            The session has no project file, or `log` holds another value.
        OutputError
            The file cannot be written.
        """
        self._opened().replace_log(log_of(log))

    def keep(self, version: Version) -> None:
        """Save a version in the project file as the current version; `open` fits its model again from the groups.

        Parameters
        ----------
        version : Version

        Raises
        ------
        InputError, OutputError
            As for `replace_log`, or `version` is not one of these documents, or has the number of another saved one.
        """
        project = self._opened()
        self._check_own(version, "version")
        self._check_number(version)
        project.keep(version)
        self.version = version
        self.versions = (*(without_models(v) for v in self.versions if v.number != version.number), version)

    def close(self) -> None:
        """Close the project file, if there is one."""
        if self.project is not None:
            self.project.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        place = "" if self.project is None else f" in {str(self.project.path)!r}"
        return f"<Session of {len(self.documents):,} documents{place}>"

    def _open(
        self, documents: Collection, universum: list[str], past: Past | None = None, groups: GivenGroups | None = None
    ) -> None:
        self.past, self.project, self.version, self.versions = past, None, None, ()
        self._universum = universum
        self._fitter = Fitter(documents, self.clusterer, self.random_state, past=past, given=groups)

    def _check_own(self, version: Any, name: str) -> None:
        """Raise InputError unless `version` belongs to these documents."""
        if not isinstance(version, Version):
            message = f"{name} is a {type(version).__name__}, not a version: give the result of `fit` or `begin`"
            raise InputError(f"{message}, or None" if name == "start" else message)
        documents = version.documents
        if version.ids != self.documents.ids or (documents is not None and documents.texts != self.documents.texts):
            raise InputError(
                f"{name} belongs to other documents: give a version of this session, or continue it with these "
                "documents: Session.after(Past.of(version, its_texts), texts, ids=ids)"
            )

    def _complete(self, progress: Progress) -> None:
        """Average the rows with their neighbours, once."""
        if self._average is not None:
            self._fitter.documents = self.documents.averaged(self._average, step_of(progress, "finding neighbours"))
            self._average = None

    def _check_number(self, version: Version) -> None:
        """Raise InputError if the file contains a different version with this number."""
        if any(v.number == version.number and v.decisions != version.decisions for v in self.versions):
            raise InputError(
                f"another version {version.number} is already saved: save each version before the next fit, so that "
                "numbers are unique"
            )

    def _go_on(self, project: Project, first: Past) -> None:
        """Restore the versions of an open project file, beginning with its `first` version."""
        self.project = project
        *before, last = project.history(self._fitter.continue_from(first))
        self.version = self._fitter.restore(last) if last.model is None else last
        self.versions = (*before, self.version)

    def _opened(self) -> Project:
        if self.project is None:
            raise InputError("this session has no project file: save it, then open the file with Session.open")
        return self.project


# --- Groups of another method

_NO_GROUP = "-1"  # as HDBSCAN and BERTopic write it


def given_groups(labels: Any, n: int) -> GivenGroups:
    """Return the groups of n labels, integers or strings; strings become names, in alphabetical order.

    Raises InputError if there are not n labels, one is missing or not valid, or no document has a group.

    >>> given_groups([4, -1, 4.0, "0"], 4)
    (array([ 4, -1,  4,  0], dtype=int32), {})
    >>> given_groups(["tea", "-1", "bread"], 3)[1]
    {0: 'bread', 1: 'tea'}
    """
    if isinstance(labels, str) or not isinstance(labels, Iterable):
        raise InputError(f"labels={labels!r:.60} is not valid: give one label per document, {n} in all")
    labels = [int(float(label)) if isinstance(label, Real) and float(label).is_integer() else label for label in labels]
    texts = ["" if is_missing(label) or np.ndim(label) else str(label).strip() for label in labels]
    if len(texts) != n:
        raise InputError(f"there are {len(texts)} labels for {n} documents: give one label per document")
    if "" in texts:
        raise InputError(f"document {texts.index('')} has no label: give its group, or -1 if it belongs to none")
    texts = [re.sub(r"^(-?\d+)\.0+$", r"\1", text) for text in texts]
    for row, (label, text) in enumerate(zip(labels, texts, strict=True)):
        wrong = not text.isdecimal() if isinstance(label, Real) else re.fullmatch(r"-\d+|-?\d*\.\d+", text)
        if wrong and text != _NO_GROUP:
            raise InputError(f"the label {text:.60} of document {row} is not valid: give whole numbers from -1")
    kinds = sorted({*texts} - {_NO_GROUP})
    if not kinds:
        raise InputError("no document is in a group: give at least one label other than -1")
    number_of, names = {kind: number for number, kind in enumerate(kinds)}, dict[int, str]()
    if all(re.fullmatch(r"[0-9]{1,99}", kind) for kind in kinds):
        number_of = {kind: int(kind) for kind in kinds}
        if not are_numbers(numbers := [*{*number_of.values()}], len(numbers)):
            raise InputError(f"the label {max(numbers)} is too large: give small numbers, or strings as names")
    else:
        names = {number: name_of(kind, "labels") for kind, number in number_of.items()}
    number_of[_NO_GROUP] = -1
    return np.array([number_of[text] for text in texts], dtype=np.int32), names
