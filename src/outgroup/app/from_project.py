"""What a project file that is opened again works on: what is named anew, what it keeps, or what lies where it lay."""

from __future__ import annotations

from ..session.saved.sources import DOCUMENT, FILES, UNIVERSUM, file_of, kept_corpus
from ..storage.project import Project
from ..text.reading.documents import Corpus
from .inputs import Material, documents, examples, material_of
from .progress import Steps
from .settings.workbench import WorkbenchSettings


def material_of_project(said: WorkbenchSettings, settings: WorkbenchSettings, steps: Steps) -> Material:
    """Return the material of a project, by its `settings` and those that were `said` now.

    Raises InputError where texts are not to be had.
    """
    assert settings.project is not None
    with Project.open(settings.project) as project:
        found = {role: _kept(project, role, said) for role in FILES}
    corpus = found[DOCUMENT] or documents(settings, steps)
    return material_of(settings, corpus, found[UNIVERSUM] or examples(settings, steps), steps)


def _kept(project: Project, role: str, said: WorkbenchSettings) -> Corpus | None:
    """Return the texts that a project keeps where none are named; None where there are none, or they are to be read."""
    if getattr(said, FILES[role][0]) is not None:
        return None
    kept = kept_corpus(project, role)
    if kept is None:
        file_of(project, role)  # says so where they are not there
    return kept
