"""A session's project file: every decision is on the disk when it is made, and a version to go on from is kept."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from ..errors import DAMAGE, InputError, ModelError, OutputError
from ..steering.decisions import Decision
from ..steering.decisions.checks import name_of_version
from ..steering.decisions.log import log_of
from ..storage.atomic import new_path
from ..storage.project import KeptVersion, Project
from .assignment import Assignment
from .from_past import FromPast
from .progress import Reporter
from .saved.past import Past
from .saved.sources import Given, inputs_of, to_keep
from .saved.versions import first_past, history, kept_version, model_of, read_log, written
from .saved.versions import kept_texts as rows_of_texts
from .version import Version, without_models


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
