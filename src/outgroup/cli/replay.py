"""Compare two results, and replay a project on new documents."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..decisions import Decision
from ..document_clustering import ProposedGroup
from ..errors import InputError, warn
from ..readers.corpus import READ
from ..readers.documents import Corpus
from ..session import Changes, Past, changes
from ..session.changes import other_ids
from ..session.past import UNKNOWN, SessionRecord
from ..session.project_file import UNIVERSUM, corpus_of, files_of, first_past, kept_corpus, read_log, vectors_of
from ..storage.atomic import new_folder
from ..storage.json_values import checked, read_json
from ..storage.project import Project
from .assignments import SESSION, with_groups
from .cluster import on, out_folder
from .material import Material, made_with, read
from .output import Steps
from .result import RESULT, Outcome, Step, open_after, outcome_of, place, proposed_lines, with_receipts, write
from .settings import ReplayedSettings, ReplaySettings

_SHOWN = 20  # documents of each kind in the output


@dataclass(frozen=True)
class Differences:
    """Changes between two results: documents, edited texts, renamed groups, and open proposed groups of the later
    result.
    """

    changes: Changes
    renamed: dict[int, tuple[str | None, str | None]]
    edited: list[str]
    proposed: tuple[ProposedGroup, ...]


def differences(before: Path, after: Path) -> Differences:
    """Compare two results.

    Raises InputError for a path that is not a result. Warns if neither result continues the other, or if the documents
    differ.
    """
    (then, digests, former, first, _), (now, later, names, second, proposed) = _assigned(before), _assigned(after)
    found = changes(then, now, names)
    if then.keys().isdisjoint(now):
        message = f"{before} and {after} have no document id in common, so all documents count as removed or new"
        warn(message)
    for message in other_ids(digests, later):
        warn(message)
    if found.moved and first == second == 1:
        fault = "neither result continues the other, so the same number may mean different groups"
        warn(f"{fault}; to keep group numbers, cluster with --from {before}")
    both = {number: (former.get(number), names.get(number)) for number in sorted({*former, *names})}
    edited = [each for each, text in later.items() if digests.get(each, text) != text]
    renamed = {number: each for number, each in both.items() if each[0] != each[1]}
    return Differences(found, renamed, edited, proposed)


def differences_json(found: Differences) -> str:
    """Return the differences as JSON; a removed name is null."""
    names = {number: now for number, (_, now) in found.renamed.items()}
    proposed = [each.to_dict() for each in found.proposed]
    more = {"renamed": names, "edited": found.edited, "proposed": proposed}
    return json.dumps(found.changes.to_dict() | more, indent=1)


def differences_lines(found: Differences) -> list[str]:
    """Return the differences as lines: counts, groups, documents, proposed groups."""
    changes, edited = found.changes, found.edited
    other = f", {len(edited):,} edited" if edited else ""
    lines = [f"{changes}{other}", *(_named(number, *names) for number, names in found.renamed.items())]
    for group in changes.groups:
        if group.joined or group.left or group.new or group.gone:
            name = f" ({group.name})" if group.name else ""
            lines.append(
                f"group {group.number}{name}: {group.before} to {group.after} documents; {group.joined} joined, "
                f"{group.left} left, {group.new} new, {group.gone} gone"
            )
    each = [
        [f"{moved.id}: {place(moved.before)} to {place(moved.after)}" for moved in changes.moved],
        [f"{identity}: new" for identity in changes.new],
        [f"{identity}: gone" for identity in changes.gone],
        [f"{identity}: edited" for identity in edited],
    ]
    for some in each:
        lines += some[:_SHOWN] + ([f"... and {len(some) - _SHOWN} more"] if len(some) > _SHOWN else [])
    return [*lines, *proposed_lines(found.proposed)]


def _named(number: int, before: str | None, now: str | None) -> str:
    return f"group {number} lost its name {before}" if now is None else f"group {number} is now named {now}"


def _assigned(
    folder: Path,
) -> tuple[dict[str, int], dict[str, str], dict[int, str], int, tuple[ProposedGroup, ...]]:
    """Return groups and text digests by document id, group names, version and proposed groups of a result."""
    if not folder.exists():
        raise InputError(f"the folder {folder} does not exist: give the folders of two results of `outgroup cluster`")
    try:
        content = with_groups(read_json(folder / SESSION, dict), folder)
        checked(content, SessionRecord)
        groups = {each: group for each, (group, _) in content["documents"].items()}
        digests = {each: text for each, (_, text) in content["documents"].items() if text != UNKNOWN}
        names = {int(number): name for number, name in content["names"].items()}
        proposed = tuple(map(ProposedGroup.from_dict, content.get("proposed", ())))
        return groups, digests, names, content["version"], proposed
    except OSError as error:
        raise InputError(f"{folder} has no {SESSION}: give the folders of two results of `outgroup cluster`") from error
    except ValueError as error:
        raise InputError(f"{folder / SESSION} is damaged ({error}); create the result again") from error


@dataclass(frozen=True)
class Origin:
    """First version, decisions and settings of a project, and its off-topic examples with vectors, if stored."""

    first: Past
    log: tuple[Decision, ...]
    settings: dict[str, Any]
    examples: Corpus | None
    vectors: Any


def read_origin(path: Path, *, examples: bool) -> Origin:
    """Read a project file; with `examples`, also its off-topic examples.

    Raises ModelError for an unreadable file, and InputError for missing examples.
    """
    with Project.open(path) as project:
        log = read_log(project)
        found = _examples(project) if examples else None
        vectors = None if found is None else vectors_of(project, UNIVERSUM, found)
        settings = made_with(project)
        return Origin(first_past(project, log), log, settings, found, vectors)


def _examples(project: Project) -> Corpus | None:
    has_source = kept_corpus(project, UNIVERSUM) is not None or "universum" in files_of(project)
    return corpus_of(project, UNIVERSUM) if has_source and project.texts(UNIVERSUM) else None


def replay(settings: ReplaySettings, steps: Steps) -> tuple[Outcome, Path]:
    """Apply the decisions of a project to new documents, starting from its first groups; write a result folder."""
    origin = read_origin(settings.project, examples=settings.universum is None)
    given = {name: value for name in READ if (value := getattr(settings, name, None)) is not None}
    reading = ReplayedSettings(
        settings.docs,
        made=settings.command,
        universum=settings.universum,
        out=settings.out,
        embeddings=settings.embeddings,
        threads=settings.threads,
        force=settings.force,
        quiet=settings.quiet,
        **(origin.settings | given | {"table": settings.table, "by": ""}),
    )
    target = out_folder(reading)
    with new_folder(target, RESULT, replace=settings.force) as folder:
        material = read(reading, steps)
        with on(settings.threads):
            step = _followed(origin, material, steps)
            outcome = outcome_of(reading, material, step, steps)
        write(outcome, folder, steps)
    return outcome, target


def _followed(origin: Origin, material: Material, steps: Steps) -> Step:
    if origin.examples is not None:
        vectors = material.vectors | {"universum_embeddings": origin.vectors}
        material = replace(material, universum=origin.examples.texts, vectors=vectors)
    steps("analysing")
    session = open_after(origin.first, material)
    begun = session.begin(on_step=steps.of_session("fitting"))
    version = session.fit(origin.log, start=begun, on_step=steps.of_session("fitting"))
    step = with_receipts(version)
    return replace(step, version=replace(version, notes=(*begun.notes, *version.notes)))
