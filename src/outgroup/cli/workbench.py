"""The workbench's job: a collection is read or a project opened, a server runs, and results come back."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from ..decisions import Decision
from ..errors import InputError, OutputError
from ..readers.documents import Corpus
from ..report.sentences import counted
from ..session import Past, Session, Version
from ..session.project_file import DOCUMENT, FILES, UNIVERSUM, file_of, kept_corpus
from ..session.version import groups_in_words
from ..storage.atomic import new_folder
from ..storage.project import Project
from ..workbench.controller import Desk
from ..workbench.guards import check_password
from ..workbench.server import LOOPBACK, Routes, serve
from ..workbench.views import View
from .cluster import apart, decisions_of, inputs_of, on, open_session, out_folder, past_of
from .material import (
    Material,
    as_before,
    as_in_project,
    asked_of,
    called,
    documents,
    examples,
    filterable,
    material_of,
    read,
    shown_alone,
)
from .options import as_text
from .output import Steps
from .result import RESULT, open_after, outcome_of, with_receipts, write
from .settings import WorkbenchSettings

# --- The workbench's job: a collection is read and a session opened; the server does the rest, and results come back

_EXPORT = replace(RESULT, advice="end the workbench and start it with --force to replace it")  # said in the browser


@dataclass(frozen=True)
class Bench:
    """All that a workbench needs to run."""

    settings: WorkbenchSettings
    material: Material
    desk: Desk
    password: str | None
    written: set[Path] = field(default_factory=set)

    def run(self, say: Callable[[str], None]) -> None:
        """Serve until Ctrl-C."""
        settings = self.settings
        if (project := self.desk.session.project) is not None:
            say(self._goes_on(project))
        view = self.view()
        with self.desk.session, self.desk, on(settings.threads):  # SQLite takes its journal away where it is let go of
            serve(
                Routes(self.desk, view, self.export), host=settings.host, port=settings.port, password=self.password,
                browser=not settings.no_browser, say=say,
            )  # fmt: skip
        say(self._ended())

    def view(self) -> View:
        """Return the versions as the page wants them."""
        corpus, settings = self.material.corpus, self.settings
        skipped, fields = [(each.where, each.reason) for each in corpus.skipped], filterable(corpus)
        others = shown_alone(corpus, fields)
        return View(
            self.desk, called(settings.docs), corpus.labels, fields, skipped, others, trust=not settings.quick
        )  # fmt: skip

    def _goes_on(self, project: Project) -> str:
        """Say what a project that was opened again has."""
        version, made = self.desk.version, len(self.desk.lasting)
        count = "0 groups" if version is None else groups_in_words(version)
        return f"{as_text(project.path)} goes on where it stood: {count} after {counted(made, 'decision')}."

    def _ended(self) -> str:
        """Say where the decisions are that were made."""
        if (kept := self.desk.session.project) is not None:
            return f"Every decision is in {as_text(kept.path)}."
        made = len(self.desk.lasting)
        if not made or self.written:
            return "Ended."
        return f"{counted(made, 'decision')} {'ends' if made == 1 else 'end'} with it; --project keeps them."

    def export(self, version: Version, trust: dict[str, Any] | None = None) -> Path:
        """Write a version as the result folder that `outgroup cluster` would; returns where. `trust` are the fields of
        a `Trust` of its groups, where they are known.

        This workbench's own export there is replaced; an earlier result only where `--force` was said.
        """
        steps, target = Steps(Console(stderr=True), quiet=True), out_folder(self.settings)
        with new_folder(target, _EXPORT, replace=self.settings.force or target in self.written) as folder:
            step = with_receipts(version)
            outcome = outcome_of(self.settings, self.material, version, steps, step=step, trust=trust)
            write(outcome, folder, steps)
        self.written.add(target)
        return target


def open_workbench(settings: WorkbenchSettings, steps: Steps) -> Bench:
    """Read the collection and open the session; raises InputError for what cannot be used, before anything is read."""
    password = _password(settings)
    if settings.project is not None:
        _check_place(settings.project)
        if settings.project.exists():
            return _opened(settings.project, settings, password, steps)
    if settings.docs is None:
        raise InputError(_no_documents(settings.project))
    log = decisions_of(settings)
    settings = settings if settings.from_ is None else as_before(settings)
    opened = _begun if settings.from_ is None else partial(_gone_on, past_of(settings))
    _check_apart(settings, out_folder(settings))
    material = read(settings, steps)
    steps("analysing")
    return Bench(settings, material, opened(settings, material, log, steps), password)


def _opened(project: Path, said: WorkbenchSettings, password: str | None, steps: Steps) -> Bench:
    """Open the workbench of a project that exists."""
    _nothing_else(said)
    settings = as_in_project(said, project)
    apart(out_folder(settings), {"project": project})
    material = material_of_project(said, settings, steps)
    steps("analysing")
    return Bench(settings, material, _kept(project, material), password)


def _no_documents(project: Path | None) -> str:
    new = "" if project is None else f"; there is no {project} yet that would know them"
    return f"DOCS is missing: name the documents, as in outgroup workbench tickets.csv -k 12{new}"


def _gone_on(
    past: Past, settings: WorkbenchSettings, material: Material, log: tuple[Decision, ...], steps: Steps
) -> Desk:
    """Go on from an earlier result: the log is followed where a project file is to keep what comes of it."""
    session = open_after(past, material, settings.seed)
    first, log = session.begin(), (*past.decisions, *log)
    if settings.project is None:
        return Desk(session, log, before=[first])
    steps("fitting")
    version = first if first.decisions == log else session.fit(log, start=first)
    session.save(settings.project, version, embed_texts=settings.embed_texts, reading=asked_of(settings))
    return _kept(settings.project, material)


def _begun(settings: WorkbenchSettings, material: Material, log: tuple[Decision, ...], steps: Steps) -> Desk:
    """Open a session from nothing: a first look is shown while the groups are found."""
    session = open_session(settings, material, steps, postpone=isinstance(settings.k, int))
    if settings.project is None:
        return Desk(session, log, sketch=session.sketch)
    project, embed = settings.project, settings.embed_texts

    def made(version: Version) -> None:
        first = session.project is None
        if first:  # the first groups make the file
            session.save(project, version, embed_texts=embed, reading=asked_of(settings))
            session.project = Project.open(project)
        session.keep(version, model=first)  # without the first model nothing is found again, whatever ends this then

    return Desk(session, log, sketch=session.sketch, keep=session.decide, made=made, rested=session.keep)


def _kept(project: Path, material: Material) -> Desk:
    """Open a project file again: its decisions and the version that it went on to."""
    corpus = material.corpus
    session = Session.open(project, documents=corpus.texts, universum=material.universum, **material.vectors)
    return Desk(
        session, session.log, before=session.versions, keep=session.decide, made=_kept_at_once(session),
        rested=session.keep,
    )  # fmt: skip


def _kept_at_once(session: Session) -> Callable[[Version], None]:
    """Return what keeps a version before anybody hears of it: without its model, which takes longer."""
    return partial(session.keep, model=False)


def _check_place(project: Path) -> None:
    """Raise OutputError where no decision could be kept."""
    folder = project.absolute().parent
    if not folder.is_dir():
        raise OutputError(f"there is no folder {project.parent} for {project.name}; make it first")
    for place in (project, folder) if project.exists() else (folder,):  # SQLite puts a journal beside its file
        if not os.access(place, os.W_OK):
            raise OutputError(
                f"{place} cannot be written to, and {project.name} would keep no decision; work on a copy"
            )


def _check_apart(settings: WorkbenchSettings, out: Path) -> None:
    """Raise InputError where a new project would lie among what is read, or where the result would go."""
    if settings.project is not None:
        place = Path(os.path.realpath(settings.project))
        apart(place, inputs_of(settings) | {"result": settings.from_}, "project", "--project")
        apart(out, {"project": place})


def _nothing_else(settings: WorkbenchSettings) -> None:
    """Raise InputError for decisions or results to begin from beside a project that has its own."""
    for name, given in {"--from": settings.from_, "--steer": settings.steer, "--seeds": settings.seeds}.items():
        if given is not None:
            raise InputError(f"{settings.project} exists and is gone on with; leave {name} out, or name a new file")


def _password(settings: WorkbenchSettings) -> str | None:
    if settings.host in LOOPBACK:
        return None
    if not settings.i_know:
        raise InputError(
            f"--host {settings.host} lets other machines in, over a connection that is not encrypted; leave it out, or "
            "add --i-know and choose a password"
        )
    password = str(typer.prompt("Password for the workbench", hide_input=True, confirmation_prompt=True))
    check_password(password)
    return password


# --- What a project file that is opened again works on: what is named anew, what it keeps, or what lies where it lay


def material_of_project(said: WorkbenchSettings, settings: WorkbenchSettings, steps: Steps) -> Material:
    """Return the material of a project, by its `settings` and those that were `said` now.

    Raises InputError where texts are not to be had.
    """
    assert settings.project is not None
    with Project.open(settings.project) as project:
        found = {role: _kept_from_project(project, role, said) for role in FILES}
    corpus = found[DOCUMENT] or documents(settings, steps)
    return material_of(settings, corpus, found[UNIVERSUM] or examples(settings, steps), steps)


def _kept_from_project(project: Project, role: str, said: WorkbenchSettings) -> Corpus | None:
    """Return the texts that a project keeps where none are named; None where there are none, or they are to be read."""
    if getattr(said, FILES[role][0]) is not None:
        return None
    kept = kept_corpus(project, role)
    if kept is None:
        file_of(project, role)  # says so where they are not there
    return kept
