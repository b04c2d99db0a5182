"""The workbench job: read a collection or open a project, run the server, export results."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any
from zlib import crc32

import typer
from rich.console import Console

from ..answering import ChatAnswerer
from ..codebook import Codebook
from ..decisions import Decision
from ..errors import InputError, OutgroupError, counted
from ..places import Address
from ..readers.documents import Corpus
from ..session import Past, Session, Version
from ..session.project_file import DOCUMENT, FILES, UNIVERSUM, Project, file_of, stored_corpus
from ..session.version import groups_in_words
from ..storage.atomic import new_folder
from ..storage.folders import check_parent
from ..workbench.answers import ModelAnswers
from ..workbench.controller import Desk
from ..workbench.guards import check_password
from ..workbench.server import LOOPBACK, Routes, serve
from ..workbench.views import View
from .cluster import apart, inputs_of, out_folder
from .documents import new_session, seeds_of_codes, session_after, with_receipts
from .material import Material, called, documents, examples, filterable, material_of, read, shown_alone
from .options import as_text, chat_of, option
from .output import Steps
from .result import RESULT, coded, counts_of_levels, earlier_codes, outcome_of, table_of, write_rest
from .settings import WorkbenchSettings
from .start import as_in_project, asked_of, start_of
from .tables import write_table

_EXPORT = replace(
    RESULT, advice="stop the workbench and restart it with --force to replace the file"
)  # shown in the browser


@dataclass(frozen=True)
class Bench:
    """Settings, material and session of a running workbench."""

    settings: WorkbenchSettings
    material: Material
    desk: Desk
    password: str | None
    reopened: bool = False  # from an existing project
    written: set[Path] = field(default_factory=set)

    def run(self, say: Callable[[str], None]) -> None:
        """Serve until Ctrl-C."""
        settings = self.settings
        say(self._begun())
        view, model = self.view(), _model(settings)
        with self.desk.session, self.desk:
            serve(
                Routes(self.desk, view, self.export, None if model is None else ModelAnswers(self.desk, model)),
                host=settings.host,
                port=settings.port,
                preferred=_port(settings.project),
                password=self.password,
                browser=not settings.no_browser,
                say=say,
            )
        say(self._ended())

    def view(self) -> View:
        """Return the view of the versions for the page."""
        corpus, settings = self.material.corpus, self.settings
        skipped = [(each.where, each.reason) for each in corpus.skipped]
        fields = filterable(corpus, self.material.by)
        others, profile = shown_alone(corpus, fields), self.desk.session.profile
        options: dict[str, Any] = {"levels": counts_of_levels(settings, profile), "trust": not settings.quick}
        options |= {} if profile is None else {"profile": profile.to_dict()}
        earlier, frame = earlier_codes(settings), self.material.frame
        options |= {"coded": lambda summary, before: coded(summary, before or earlier, frame)}
        options |= {} if settings.multi is None else {"several": settings.multi}
        return View(self.desk, called(settings.docs), corpus.labels, fields, skipped, others, **options)

    def _begun(self) -> str:
        """Return a sentence that says where decisions are stored."""
        if (place := self.settings.project) is None:
            return "No decision is stored: Export writes the groups, steering.toml the decisions."
        if self.reopened:
            count = "0 groups" if (version := self.desk.version) is None else groups_in_words(version)
            return f"{as_text(place)} continues: {count} after {counted(len(self.desk.log), 'decision')}."
        stored = "every decision and the texts" if self.settings.embed_texts else "every decision"
        return f"{as_text(place)} stores {stored}; delete the file to delete them."

    def _ended(self) -> str:
        """Return a sentence that names the file of decisions."""
        if (kept := self.desk.session.project) is not None:
            return f"Every decision is in {as_text(kept.path)}."
        made = len(self.desk.log)
        if not made or self.written:
            return "Ended."
        return f"Ended without saving {counted(made, 'decision')}; start with --project FILE to save decisions."

    def export(self, version: Version, measured: Mapping[str, Any] | None = None) -> Path:
        """Export a version as a result folder, as `outgroup cluster` does; return its path.

        `measured` holds the fields of a computed `Trust`, the codes of the groups, and the places on the map. Replaces
        exports of this workbench, and other results only with `--force`.
        """
        steps, target = Steps(Console(stderr=True), quiet=True), out_folder(self.settings)
        with new_folder(target, _EXPORT, replace=self.settings.force or target in self.written) as folder:
            outcome = outcome_of(self.settings, self.material, with_receipts(version), steps, measured)
            write_table(table_of(outcome), outcome.summary, self.settings.table, folder)
            write_rest(outcome, folder)
        self.written.add(target)
        return target


def open_workbench(settings: WorkbenchSettings, steps: Steps) -> Bench:
    """Read the collection and open the session; raise InputError for invalid options before reading."""
    _model(settings)  # raises now, not after the fit
    password = _password(settings)
    named, settings = settings.project, _with_project(settings)
    if (project := settings.project) is not None and project.exists():
        if named is None:  # the project of this result continues it
            settings = replace(settings, from_=None)
        try:
            return _opened(project, settings, password, steps)
        except OutgroupError as error:
            if named is None:
                error.add_note(f"{project} stores an earlier session: use --project FILE or --no-project")
            raise
    if project is not None:
        check_parent(project.absolute())
    if settings.docs is None:
        new = "" if project is None else f"; {project} does not exist yet"
        raise InputError(f"DOCS is missing: give the documents, as in outgroup workbench tickets.csv -k 12{new}")
    start = start_of(settings)
    settings = start.settings
    if settings.project is not None and settings.outliers == "set-aside":  # the file does not store which they are
        raise InputError("--outliers set-aside is not valid with --project: omit one of them")
    _check_apart(settings, out_folder(settings))
    material = read(settings, start.frame, steps)
    opened = _new_desk if start.past is None else partial(_continued_desk, start.past)
    return Bench(settings, material, opened(settings, material, start.decisions, steps), password)


def _with_project(settings: WorkbenchSettings) -> WorkbenchSettings:
    """Return the settings with a project that stores the texts, unless they name one, or none is possible.

    It lies beside the documents, or beside the result of --from; in the current folder for addresses, standard input
    and read-only folders.
    """
    docs = settings.docs
    if settings.no_project and settings.project is not None:
        raise InputError("--project and --no-project cannot be combined: omit one of them")
    # A project does not store which documents are set aside.
    if settings.no_project or settings.project is not None or docs is None or settings.outliers == "set-aside":
        return settings
    start = docs if settings.from_ is None else settings.from_
    places = [Path(f"{called(start)}.outgroup")]
    if not isinstance(start, Address) and (start.is_file() or start.is_dir()):
        beside = f"{os.path.abspath(start)}.outgroup"
        places.insert(0, Path(beside if start.is_absolute() else os.path.relpath(beside)))
    inputs = inputs_of(settings) | {"result": settings.from_}
    for place in places:
        with suppress(InputError):
            apart(Path(os.path.realpath(place)), inputs)
            if os.access(place.absolute().parent, os.W_OK):
                return replace(settings, project=place, embed_texts=True)
    return settings


def _opened(project: Path, given: WorkbenchSettings, password: str | None, steps: Steps) -> Bench:
    """Open the workbench on an existing project."""
    for name in ("from_", "steer"):  # --codebook only gives codes
        if getattr(given, name) is not None:
            raise InputError(f"{project} already has a session: omit {option(name)}, or give a new project file")
    settings = as_in_project(given, project)
    apart(out_folder(settings), {"project": project})
    material = material_of_project(given, settings, steps)
    steps("analysing")
    return Bench(settings, material, _kept(project, material), password, reopened=True)


def _continued_desk(
    past: Past, settings: WorkbenchSettings, material: Material, log: tuple[Decision, ...], steps: Steps
) -> Desk:
    """Continue an earlier result; with a project file, first apply its log and save the version."""
    session = session_after(past, settings, material, steps)
    first, log = session.begin(), (*past.decisions, *log)
    if settings.project is None:
        return Desk(session, log, before=[first])
    steps("fitting")
    version = first if first.decisions == log else session.fit(log, start=first)
    session.save(settings.project, version, embed_texts=settings.embed_texts, reading=asked_of(settings))
    return _kept(settings.project, material)


def _new_desk(settings: WorkbenchSettings, material: Material, log: tuple[Decision, ...], steps: Steps) -> Desk:
    """Open a new session; the page shows provisional groups during the first fit."""
    session = new_session(settings, material, steps, postpone=isinstance(settings.k, int))
    log, sketch = (*seeds_of_codes(material), *log), None if settings.labels else session.sketch
    if settings.project is None:
        return Desk(session, log, sketch=sketch)
    project, embed = settings.project, settings.embed_texts

    def made(version: Version) -> None:
        if session.project is None:  # the first version creates the file
            session.save(project, version, embed_texts=embed, reading=asked_of(settings))
            session.project = Project.open(project)
        session.keep(version)

    return Desk(session, log, sketch=sketch, keep=session.replace_log, on_version=made, on_idle=session.keep)


def _kept(project: Path, material: Material) -> Desk:
    """Reopen a project file with its decisions and its last version."""
    corpus = material.corpus
    session = Session.open(project, documents=corpus.texts, universum=material.universum, **material.vectors)
    return Desk(
        session,
        session.log,
        before=session.versions,
        keep=session.replace_log,
        on_version=session.keep,
        on_idle=session.keep,  # with the names of groups that a page showed
    )


def _check_apart(settings: WorkbenchSettings, out: Path) -> None:
    """Raise InputError if a new project file overlaps with the input or the result folder."""
    if settings.project is not None:
        place = Path(os.path.realpath(settings.project))
        apart(place, inputs_of(settings) | {"result": settings.from_}, "project", "--project")
        apart(out, {"project": place})


def _port(project: Path | None) -> int:
    """Return the port of a project, below those that systems give away; 0 without one.

    At the same port the browser keeps the settings of the page, and an open page goes on after a restart.
    """
    return 0 if project is None else 20_000 + crc32(os.fsencode(os.path.realpath(project))) % 10_000


def _model(settings: WorkbenchSettings) -> ChatAnswerer | None:
    return None if settings.model is None else ChatAnswerer(*chat_of(settings.model))


def _password(settings: WorkbenchSettings) -> str | None:
    if settings.host in LOOPBACK:
        return None
    if not settings.i_know:
        raise InputError(
            f"--host {settings.host} allows other machines over an unencrypted connection: omit it, or add --i-know "
            "and choose a password"
        )
    password = str(typer.prompt("Password for the workbench", hide_input=True, confirmation_prompt=True))
    check_password(password)
    return password


# --- Material of a project: given paths, stored texts, or stored paths


def material_of_project(given: WorkbenchSettings, settings: WorkbenchSettings, steps: Steps) -> Material:
    """Return the input of a project, by its stored `settings` and the options `given`.

    Raises InputError if the texts are not available.
    """
    assert settings.project is not None
    with Project.open(settings.project) as project:
        found = {role: _kept_from_project(project, role, given) for role in FILES}
    corpus = found[DOCUMENT] or documents(settings, steps)
    frame = None if settings.codebook is None else Codebook.read(settings.codebook)
    return material_of(settings, frame, corpus, found[UNIVERSUM] or examples(settings, steps), steps)


def _kept_from_project(project: Project, role: str, given: WorkbenchSettings) -> Corpus | None:
    """Return the texts stored in the project; None if they must be read from the path."""
    if getattr(given, FILES[role][0]) is not None:
        return None
    kept = stored_corpus(project, role)
    if kept is None:
        file_of(project, role)  # raises for a missing file
    return kept
