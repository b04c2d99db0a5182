"""The main job: read a collection, fit a session, write the result folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import typer

from ..demo import documents_path, off_topic_path
from ..errors import InputError, warn
from ..places import Address, Place
from ..storage.atomic import check_place, new_folder
from .documents import InMemory
from .in_files import open_in_files
from .material import folder_of
from .output import Steps
from .result import RESULT, Outcome, namer_of, write_rest
from .settings import ClusterSettings
from .start import start_of

# --- The main job


def cluster(settings: ClusterSettings, steps: Steps) -> tuple[Outcome, Path]:
    """Cluster a collection and write the result folder; return the outcome and the folder.

    Raises OutgroupError for invalid options, unreadable input or an unwritable result.
    """
    target = out_folder(settings)
    check_place(target, RESULT, replace=settings.force)
    # 1. Start: the earlier result, the codebook and the decisions, because reading the documents may take long.
    start = start_of(settings)
    opened = open_in_files(start, target, steps) if start.in_files else nullcontext(InMemory(start, steps))
    # The files of a run stay until its result is in place, so that a killed run can be resumed.
    with opened as documents, new_folder(target, RESULT, replace=settings.force) as folder:
        # 2. Read: documents and off-topic examples.
        documents.read()
        # 3. Represent: TF-IDF rows of the words, or vectors; the number of groups.
        documents.represent()
        # 4. Decide: the definitions of codes and the given decisions.
        decisions = start.decisions if start.past else (*documents.seeds(), *start.decisions)
        # 5. Fit: from scratch or from the earlier result; decisions by name come first (`Fitter.fit_log`).
        step = documents.fit(decisions)
        for note in () if step.decided else step.version.notes:
            warn(note)
        # 6. Summarise: trust, names, map, findings.
        outcome = documents.summarise(step)
        # 7. Write: the table of all documents, then the files with their exact counts.
        outcome = documents.write_table(outcome, folder)
        write_rest(outcome, folder)
    return outcome, target


# --- What a namer may be sent


def agree_to_name(settings: ClusterSettings) -> None:
    """Ask for confirmation of the data that --namer sends; raise InputError for a namer that cannot be asked."""
    if settings.namer is not None:
        namer_of(settings)  # raises now, not after the fit
        sent = "ten words and the first 300 characters of five documents"
        agree_to_send(
            f"To name each group, {sent} and the names of the other groups are sent", settings.namer, settings.yes
        )


def agree_to_send(message: str, model: str, yes: bool) -> None:
    """State the data that are sent to a chat model, and ask for confirmation once.

    Raises InputError for a no, and without a terminal unless `yes` is set.
    """
    message = f"{message} to {urlsplit(model).netloc}"
    if yes:
        warn(message)
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InputError(f"{message}: add --yes to confirm without a terminal")
    if not typer.confirm(f"{message}. Continue?", err=True):
        raise InputError("stopped; nothing was sent or written")


# --- The place of the result


def out_folder(settings: ClusterSettings) -> Path:
    """Return the result folder; raise InputError if it overlaps with an input."""
    target = folder_of(settings)
    apart(target, inputs_of(settings))
    return target


def inputs_of(settings: ClusterSettings) -> dict[str, Place | None]:
    """Return the paths of the inputs by role."""
    return {
        "documents": settings.docs,
        "off-topic examples": settings.universum,
        "codebook": settings.codebook,
        "decisions": settings.steer,
    }


def apart(target: Path, inputs: Mapping[str, Place | None], what: str = "result", option: str = "--out") -> None:
    """Raise InputError if the target lies inside an input, or an input lies inside the target."""
    for name, given in inputs.items():
        if given is None or isinstance(given, Address):
            continue  # results are always local
        path = Path(os.path.realpath(given))  # accepts loops, unlike `resolve`
        if target == path or path in target.parents:
            raise InputError(f"{target}, the {what}, would lie inside the {name}: give another path with {option}")
        if target in path.parents:
            raise InputError(f"the {name} lie inside {target}, the {what}: give another path with {option}")


# --- The demo: the main job on the bundled documents

_HIDDEN = "off-topic"  # the label of the bundled documents that belong to no topic


def demo_settings(out: Path) -> ClusterSettings:
    """Return the settings of the demo; it replaces its earlier result."""
    return ClusterSettings(documents_path(), k=5, universum=off_topic_path(), out=out, force=True)


def off_topic_sentence(outcome: Outcome) -> str:
    """Return a sentence that counts correct and wrong off-topic documents."""
    hidden = np.array([label == _HIDDEN for label in outcome.corpus.labels or ()])
    verdicts = outcome.verdicts
    if verdicts.off_topic is None:
        return ""
    count, first = int(hidden.sum()), np.argsort(-verdicts.off_topic_score, kind="stable")[: hidden.sum()]
    right, wrong = int(verdicts.off_topic[hidden].sum()), int(verdicts.off_topic[~hidden].sum())
    return (
        f"{count} of these {len(hidden)} documents are off-topic. From {outcome.model.n_universum_} other off-topic "
        f"examples, without any label, {right} of the {count} were set aside, and {wrong} of the {(~hidden).sum()} "
        f"on-topic documents by mistake. Of the {count} highest off-topic scores, {hidden[first].sum()} belong to "
        "off-topic documents."
    )
