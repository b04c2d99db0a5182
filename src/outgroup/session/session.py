"""A session: one collection, a log of decisions, and the versions that fits made of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from threading import Event
from typing import Any

from ..cluster.max_margin import MaxMarginClustering
from ..cluster.profile import Choice, Profile
from ..model.fitting import averaging, call, choose_groups, copied_clusterer, copied_vectorizer
from ..steering.decisions import Decision
from ..steering.decisions.log import log_of
from ..stopping import stop_if_asked, stoppable
from ..text.collection import open_collection
from ..text.inputs import Inputs
from ..text.representation import Representation
from .assignment import Assignment
from .fits.fitter import Fitter
from .fits.sketch import sketch
from .in_file import InFile
from .notes import warnings_as_notes
from .progress import OnStep, Reporter
from .version import Version

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
