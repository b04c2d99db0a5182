"""A result's folder: written by a job, shown on the terminal, and continued by later jobs."""

from __future__ import annotations

import json
import math
import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.text import Text

from ..cluster.profile import Profile
from ..decisions import Decision, sentence_of
from ..document_clustering import DocumentClustering
from ..errors import InputError, ModelError
from ..places import Address
from ..readers.corpus import READ, reading_of
from ..readers.documents import Corpus, all_in_words, reasons
from ..readers.fields import as_cell
from ..report.clean import clean
from ..report.facts import By, Receipt, Summary, plain
from ..report.html import render
from ..report.sentences import listed
from ..report.summary import clusters_json, described
from ..report.terminal import terminal
from ..session import Changes, DecisionReceipt, Past, Session, Version
from ..session.reporting import ByNumber, by_number, skipped, summary_of, trust_of
from ..session.version import Verdicts
from ..storage import state as storage
from ..storage.folders import Kind
from ..storage.json_values import parse_json
from ..text.collection import LABELLED_AWAY
from ..text.representation import NO_WORD, Representation
from ..types import Array
from . import assignments, xlsx
from .assignments import GROUPS, MODEL, OFF_TOPIC, PAGE, RUN, SESSION, TABLES
from .library_versions import versions
from .material import Chosen, Material, at, called, filterable, name_of, shown_alone
from .options import as_option, as_text
from .output import Steps, stdout
from .settings import ClusterSettings, ReplaySettings

# --- A job's result: what it found, and the folder with it that people and later jobs read

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


# --- Going on from an earlier result: what its folder keeps, and the version that later documents and decisions make

_SHOWN = 3  # documents of each kind that a line names


@dataclass(frozen=True)
class Step:
    """A version, what it differs in from the result before, and what became of each new decision."""

    version: Version
    before: Past | None
    changes: Changes | None
    receipts: tuple[DecisionReceipt, ...]


def read_past(folder: Path) -> Past:
    """Return what the folder of a result keeps; raises InputError, saying what to do, where that is not enough."""
    if folder.is_file():
        raise InputError(
            f"{folder} is a file; name the folder of a result (a project file is followed by `outgroup replay`)"
        )
    if not folder.is_dir():
        raise InputError(f"there is no result {folder} to go on from; name the folder that `outgroup cluster` wrote")
    try:
        content = parse_json((folder / SESSION).read_bytes())
    except OSError as error:
        raise InputError(
            f"{folder} keeps no {SESSION}, which going on needs: a result found in a stream (--memory) has none, and "
            "one of an older version is to be made again"
        ) from error
    except ValueError as error:
        raise ModelError(f"{folder / SESSION} is damaged ({error}); make the result again") from error
    try:
        return Past.from_dict(content, DocumentClustering.load(folder / MODEL))
    except ModelError as error:
        raise ModelError(f"{folder / SESSION}: {error}") from error


def go_on(past: Past, new: tuple[Decision, ...], material: Material, steps: Steps, seed: int) -> Step:
    """Return the version of the documents that follows from the result before and the new decisions."""
    steps("analysing")
    session = open_after(past, material, seed)
    begun = session.begin(on_step=steps.heard("fitting"))
    if new:
        followed = session.fit((*past.decisions, *new), start=begun, on_step=steps.heard("fitting"))
        version = replace(followed, notes=(*begun.notes, *followed.notes))
    else:
        version = replace(begun, number=begun.number + bool(begun.compare(past)))
    receipts = tuple(version.receipt(decision) for decision in dict.fromkeys(new) if decision in version.decisions)
    version = replace(version, notes=(*version.notes, *_again(past, receipts)))
    return Step(version, past, version.compare(past), receipts)


def _again(past: Past, receipts: tuple[DecisionReceipt, ...]) -> Iterator[str]:
    """Say which decisions moved documents though an earlier run had followed them: a split splits again."""
    again = [each.decision for each in receipts if each.moved and each.decision in past.decisions]
    found = [f'"{sentence_of(decision)}"' for decision in again]
    if found:
        yield (
            f"an earlier run had followed {listed(found)}, and documents moved once more: numbers of groups are those "
            "of the result before, so give decisions to one run alone"
        )


def step_record(step: Step) -> dict[str, Any]:
    """Return what a step says of itself, as plain values for run.json."""
    changes = None if step.changes is None else step.changes.to_dict()
    receipts = [asdict(receipt) | {"decision": receipt.decision.to_dict()} for receipt in step.receipts]
    return {"changes": changes, "receipts": receipts, "notes": list(step.version.notes)}


def lines(step: Step) -> Iterator[tuple[str, str]]:
    """Yield what changed in words, a head and a sentence each: documents first, then each decision."""
    if step.changes is not None:
        yield "Changed", f"{step.changes}{_named_from_result(step)}"
    for receipt in step.receipts:
        yield "Decided", str(receipt)
    told = tuple(f"{sentence_of(receipt.decision)}: " for receipt in step.receipts)
    for note in step.version.notes:
        if not note.startswith(told):
            yield "Note", note


def _named_from_result(step: Step) -> str:
    assert step.changes is not None
    moved = [f"{each.id} ({place(each.before)} to {place(each.after)})" for each in step.changes.moved]
    parts = [moved, [f"{each} (new)" for each in step.changes.new], [f"{each} (gone)" for each in step.changes.gone]]
    shown = [each for part in parts for each in part[:_SHOWN]]
    rest = sum(map(len, parts)) - len(shown)
    return f": {', '.join(shown)}{f' and {rest} more in run.json' if rest else ''}" if shown else ""


def place(group: int) -> str:
    return "none" if group < 0 else str(group)


def open_after(past: Past, material: Material, seed: int = 0) -> Session:
    """Return a session on what was read that goes on from `past`."""
    corpus = material.corpus
    return Session.after(
        past, corpus.texts, ids=corpus.ids, titles=corpus.titles, universum=material.universum,
        random_state=seed, **material.vectors,
    )  # fmt: skip


def begin(session: Session, log: tuple[Decision, ...], steps: Steps) -> Step:
    """Return the first version of a session that decisions steer."""
    return with_receipts(session.fit(log, on_step=steps.heard("fitting")))


def with_receipts(version: Version) -> Step:
    """Return the step of a version that no result was before: what became of each decision that stands."""
    return Step(version, None, None, tuple(version.receipt(decision) for decision in dict.fromkeys(version.lasting)))


# --- What a job found, on the terminal or as JSON


def tell(outcome: Outcome, folder: Path, settings: ClusterSettings | ReplaySettings) -> None:
    """Print what a job found as its settings ask: in words, as JSON, or not at all."""
    if settings.json:
        with stdout() as out:
            out.write(_as_json(outcome, folder) + "\n")
    elif not settings.quiet:
        show(outcome, folder)


def _as_json(outcome: Outcome, folder: Path) -> str:
    """Return the record of a run, where its result lies, and its groups."""
    summary = outcome.record | {"out": str(folder), "groups": clusters_json(outcome.summary)}
    return json.dumps(summary, indent=1)


def show(outcome: Outcome, folder: Path) -> None:
    """Print what a job found: what changed, the groups, and where the report is."""
    console = Console(highlight=False)
    if outcome.step is not None:
        for head, said in lines(outcome.step):
            console.print(Text.assemble((f"{head:<10}", "bold"), clean(said)))
        console.print()
    there = [group for group in outcome.summary.groups if group.number in outcome.past.numbers]  # merging frees numbers
    terminal(replace(outcome.summary, groups=there), console)
    console.print()
    if outcome.model.neighbours_:
        console.print(
            Text.assemble((f"{'Rows':<10}", "bold"), _averaged(outcome.model.representation_)), soft_wrap=True
        )
    for head, said in (("Report", str(folder / PAGE)), ("Correct", outcome.record["correct"])):
        if said:
            console.print(Text.assemble((f"{head:<10}", "bold"), clean(said)), soft_wrap=True)


def _averaged(rows: Representation) -> str:
    times = {1: "once", 2: "twice"}.get(rows.passes, f"{rows.passes} times")
    nearest = "nearest, by vectors and by words," if rows.hears_words else "nearest,"
    said = f"each averaged with its {nearest} {times}, before groups were looked for; --neighbours 0 leaves that out"
    return said if rows.width else f"{said}. A model's vectors tell more of short texts than words do: see --encoder"
