"""A job's result: what it found, and the folder with it that people and later jobs read."""

from __future__ import annotations

import json
import math
import os
import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from ..cluster.profile import Profile
from ..model import DocumentClustering
from ..places import Address
from ..report.facts import By, Summary, plain
from ..report.html.render import render
from ..report.receipt_facts import Receipt
from ..report.summary import clusters_json, described
from ..session import Past, Version
from ..session.reporting.arrays_by_number import ByNumber, by_number
from ..session.reporting.summary import skipped, summary_of
from ..session.reporting.trust import trust_of
from ..session.verdicts import Verdicts
from ..storage import state as storage
from ..storage.atomic import Kind
from ..text.collection import LABELLED_AWAY
from ..text.reading.documents import Corpus
from ..text.reading.fields import as_cell
from ..text.reading.options import READ, reading_of
from ..text.reading.reasons import all_in_words, reasons
from ..text.representation import NO_WORD
from ..types import Array
from . import assignments, xlsx
from .assignments import OFF_TOPIC
from .beside import at, filterable, shown_alone
from .by_column import Chosen
from .files import GROUPS, MODEL, PAGE, RUN, SESSION, TABLES
from .from_result import Step, lines, place, step_record
from .inputs import Material, called, name_of
from .library_versions import versions
from .progress import Steps
from .settings.cluster import ClusterSettings
from .settings.earlier import ReplaySettings
from .settings.options import as_option, as_text

HOW = "add --force to replace it"
RESULT = Kind(
    "outgroup-run",
    RUN,
    frozenset({*TABLES.values(), GROUPS, PAGE, SESSION, RUN}),
    HOW,
    {MODEL: storage.KIND.names},
)

_CERTIFICATE = ("objective_", "lower_bound_", "C_", "C_universum_")
_TOLD = ("title", "source", "date", "command", "next", "parameters", "versions", "timings")  # of a run, on its page


@dataclass(frozen=True)
class Outcome:
    """What a job found; `record` is the content of run.json."""

    corpus: Corpus
    model: DocumentClustering
    verdicts: Verdicts
    summary: Summary
    record: dict[str, Any]
    past: Past
    step: Step | None = None
    labels: Array | None = None


def outcome_of(
    settings: ClusterSettings, material: Material, version: Version, steps: Steps, *, step: Step | None = None,
    steered: Receipt | None = None, profile: Profile | None = None, trust: dict[str, Any] | None = None,
) -> Outcome:  # fmt: skip
    """Sum up what a version comes to; `step` says how it went on from an earlier one, `steered` what seeds did, `trust`
    how far its groups can be trusted, the fields of a `Trust`, where that is known already."""
    corpus, model, shown = material.corpus, version.model, by_number(version)
    if trust is None and not settings.quick:
        trust = trust_of(model, shown, progress=steps.of("checking the groups")).to_dict()
    steps("summing up")
    past = Past.of(version, corpus.texts)
    record = record_of(settings, corpus, model, shown.rows, steps) | {"version": past.number, "trust": trust}
    record["profile"] = None if profile is None else profile.to_dict()
    fields = _columns(corpus, shown, material.by, step)
    told = summary_of_run(corpus, model, shown, record, fields)
    others = shown_alone(corpus, fields, np.flatnonzero(shown.rows).tolist())
    summary = replace(
        told,
        documents=replace(told.documents, others=others),
        receipt=steered,
        by=_by(material.by, shown),
        profile=record["profile"],
        changes=[] if step is None else list(lines(step)),
        skip_reasons=all_in_words(record["skipped_by_reason"].items()),
    )
    found = _counted(summary) | {"changes": step and step_record(step)}
    return Outcome(corpus, model, shown.verdicts, summary, record | found, past, step, version.labels)


def _counted(summary: Summary) -> dict[str, Any]:
    """Return what a summary counts, as plain values for run.json."""
    agreement = summary.agreement and {k: v for k, v in asdict(summary.agreement).items() if isinstance(v, float)}
    off_topic = summary.off_topic and {k: v for k, v in asdict(summary.off_topic).items() if k != "documents"}
    steering = summary.receipt and summary.receipt.to_dict()
    return {
        "agreement": agreement,
        "off_topic": off_topic,
        "steering": steering,
        "by": summary.by and asdict(summary.by),
    }


def write(outcome: Outcome, folder: Path, steps: Steps) -> None:
    """Fill the result's folder: assignments.csv or .xlsx, clusters.json, report.html, model, session.json, run.json."""
    steps("writing")
    _write_table(outcome, folder)
    (folder / SESSION).write_text(json.dumps(outcome.past.to_dict(), ensure_ascii=False) + "\n", encoding="utf-8")
    write_beside(outcome, folder)


def _write_table(outcome: Outcome, folder: Path) -> None:
    """Write which document went where, as the settings ask; a table for a stream alone is CSV."""
    corpus, told = outcome.corpus, outcome.record["parameters"]
    without = {corpus.ids[row]: why for row, why in outcome.model.skipped_}
    names = [group.name for group in outcome.summary.groups]
    shown = _with_texts(corpus, told["table"]) if told["with_text"] else corpus
    table = assignments.assignments(shown, outcome.verdicts, NO_WORD, names, without, outcome.labels)
    if told["table"] == "xlsx":
        with (folder / TABLES["xlsx"]).open("wb") as workbook:
            xlsx.write(table, workbook, folder)
    else:
        with (folder / TABLES["csv"]).open("w", encoding="utf-8", newline="") as file:
            assignments.write(table, file)


def _with_texts(corpus: Corpus, kind: str | None) -> Corpus:
    """Return the documents with their texts as the last column; a workbook says which of them it cuts."""
    name = "text as read" if "text" in corpus.columns else "text"
    texts = corpus.texts if kind == "xlsx" else [*map(as_cell, corpus.texts)]
    return replace(corpus, columns=corpus.columns | {name: texts})


def write_beside(outcome: Outcome, folder: Path) -> None:
    """Write what every result has beside its table of documents: groups, page, model and record."""
    groups = [group for group in clusters_json(outcome.summary) if group["cluster"] in outcome.past.numbers]
    _write_json(folder / GROUPS, [group | {"version": outcome.past.number} for group in groups])
    page = render(outcome.summary, outcome.record["parameters"]["report_size"])
    (folder / PAGE).write_text(page, encoding="utf-8")
    (folder / MODEL).mkdir()
    notes = _notes(outcome.summary, outcome.past.numbers, outcome.record)
    storage.write(folder / MODEL, outcome.model.to_state() | notes)
    _write_json(folder / RUN, outcome.record)


def _notes(summary: Summary, numbers: Sequence[int], record: dict[str, Any]) -> dict[str, Any]:
    """Return what a model keeps beside itself: what its groups, which have these `numbers`, are, and what was read."""
    groups = [summary.groups[number] for number in numbers]
    reading = reading_of({name: record["parameters"][name] for name in READ})
    fields = {name: reading[name] for name in ("text", "title", "html", "join_title")}
    return {"description": described(groups), "fields": fields}


def record_of(
    settings: ClusterSettings, corpus: Corpus, model: DocumentClustering, rows: Array, steps: Steps
) -> dict[str, Any]:  # fmt: skip
    """Return the record of a run, of which the documents that are `rows` (n,) bool are in the result."""
    groups, left_out = model.clusterer_, skipped(corpus, model, rows)
    return {
        "format": RESULT.format,
        "title": called(settings.docs),
        "source": as_text(settings.docs),
        "date": datetime.now().astimezone().isoformat(timespec="minutes"),
        "command": settings.command,
        "next": _from_here(settings, "cluster", "--steer", "steering.toml"),
        "correct": None if str(settings.docs) == "-" else _from_here(settings, "workbench"),  # it was read, and is gone
        "parameters": settings.parameters,
        "versions": versions(),
        "timings": steps.timings,
        "documents": int(rows.sum()),
        "skipped": len(left_out),
        "skipped_by_reason": dict(reasons(left_out)),
        "duplicates": corpus.duplicates(),
        "neighbours": model.neighbours_,
        "universum": _universum(settings, model),
        **{name.rstrip("_"): float(getattr(groups, name)) for name in _CERTIFICATE if hasattr(groups, name)},
        "stability": float(groups.stability_) if math.isfinite(groups.stability_) else None,
        "restarts": plain(groups.restarts_),
    }


def _from_here(settings: ClusterSettings, verb: str, *options: str) -> str:
    """Return the command that goes on from this result: to correct it, or steered by what was decided on its page."""
    again = ["outgroup", verb, as_text(settings.docs), "--from", as_text(_as_given(settings))]
    given = {name: getattr(settings, name) for name in ("embeddings", "universum_embeddings")}
    if isinstance(settings.universum, Address):
        given["universum"] = as_text(settings.universum)
    for name, value in given.items():  # which are read where they are given
        again += [] if value is None else as_option(name, value)
    return shlex.join([*again, *options])


def _universum(settings: ClusterSettings, model: DocumentClustering) -> dict[str, Any] | None:
    if not model.n_universum_:
        return None
    labelled = any(why == LABELLED_AWAY for _, why in model.skipped_)
    paths = (settings.universum, *((settings.seeds, settings.steer) if labelled else ()))
    sources = [name_of(path) for path in paths if path is not None]
    return {"count": model.n_universum_, "source": " and ".join(sources)}


def _by(chosen: Chosen | None, shown: ByNumber) -> By | None:
    rows = np.flatnonzero(shown.rows).tolist()
    return None if chosen is None else chosen.count(rows, shown.labels, len(shown.coef))


def _columns(corpus: Corpus, shown: ByNumber, by: Chosen | None, step: Step | None) -> dict[str, list[str]]:
    """Return the further columns of the documents that are shown: those of few values, what they are counted by, and
    what changed."""
    rows = np.flatnonzero(shown.rows).tolist()
    found = {name: at(values, rows) for name, values in filterable(corpus).items()}
    if by is not None and by.values is not corpus.labels:
        found[by.column] = by.named(rows)
    if shown.verdicts.away is not None:
        out = ["by the threshold" if label < 0 else "" for label in shown.labels.tolist()]
        away = shown.verdicts.away[rows].tolist()
        found[OFF_TOPIC] = [LABELLED_AWAY if gone else said for gone, said in zip(away, out, strict=True)]
    if step is not None and step.changes is not None:
        said = {each.id: f"moved from {place(each.before)}" for each in step.changes.moved}
        said |= dict.fromkeys(step.changes.new, "new")
        found["change"] = [said.get(corpus.ids[row], "") for row in rows]
    return {name: values for name, values in found.items() if any(values)}


def summary_of_run(
    corpus: Corpus, model: DocumentClustering, shown: ByNumber, record: dict[str, Any], columns: dict[str, list[str]]
) -> Summary:
    facts = {name: record[name] for name in ("duplicates", "restarts", "stability", "universum")}
    facts["trust"] = record["trust"]
    return summary_of(corpus, model, shown, fields=columns, run={name: record[name] for name in _TOLD}, **facts)


def _write_json(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def folder_of(settings: ClusterSettings | ReplaySettings) -> Path:
    """Return the folder of the result."""
    return Path(os.path.realpath(_named(settings)))


def _as_given(settings: ClusterSettings) -> Path:
    """Return the folder of the result for a command that names the documents, too: both from where it was run, or
    neither."""
    relative = not isinstance(settings.docs, Address) and not os.path.isabs(settings.docs)
    return _named(settings) if relative else folder_of(settings)


def _named(settings: ClusterSettings | ReplaySettings) -> Path:
    return settings.out or Path(f"{called(settings.docs)}-clusters")
