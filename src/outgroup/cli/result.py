"""The result folder: write it, print its summary, continue from it."""

from __future__ import annotations

import json
import math
import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from itertools import count
from pathlib import Path
from textwrap import shorten
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..cluster.profile import Profile
from ..codebook import Codebook, numbers_of
from ..decisions import to_toml
from ..decisions.kinds import ProposedGroup
from ..errors import counted, warn
from ..model import Model
from ..naming import ChatNamer
from ..readers.corpus import reading_of
from ..readers.documents import Corpus, all_in_words, reasons
from ..report.html import render
from ..report.markdown import markdown
from ..report.terminal import terminal
from ..rows.threads import ordered_map
from ..session import Changes, DecisionReceipt, Past, Version
from ..session.version import Verdicts
from ..storage import state as storage
from ..storage.folders import Kind
from ..summary.clean import clean
from ..summary.duplicates import near_duplicates
from ..summary.findings import held_groups, pockets_of, several_groups, trust_of
from ..summary.map import layout
from ..summary.names import Level, levels_of, named
from ..summary.partition import Partition
from ..summary.records import Documents, Pocket, Summary
from ..summary.summarise import clusters_json, described, skipped, summary_of
from ..text.collection import LABELLED_AWAY
from ..text.representation import Representation
from ..text.tokens import Tokens, repeated_lines
from ..types import Array
from . import assignments
from .assignments import GROUPS, OFF_TOPIC, PAGE, RUN, SESSION, CsvTable
from .installation import versions
from .material import (
    Chosen,
    Columns,
    Material,
    as_given,
    at,
    called,
    filterable,
    hide_rare_forms,
    name_of,
    shown_alone,
    without_texts,
)
from .options import as_option, as_text, chat_of
from .output import Steps
from .settings import ClusterSettings
from .tables import FORMATS, HOW, SNIPPET, shown_corpus, write_form

# --- The result folder

CODEBOOK, SUMMARY, NAMING = "codebook.csv", "summary.md", "naming.csv"
RESULT = Kind(
    "outgroup-run",
    RUN,
    frozenset({*(form.name for form in FORMATS.values()), GROUPS, CODEBOOK, SUMMARY, NAMING, PAGE, SESSION, RUN})
    | {f"{storage.MODEL}/{name}" for name in storage.KIND.names},
    HOW,
)

_LINES = 20  # repeated lines that run.json lists
_LISTED = 0.01  # probability of a group, to be listed
_CERTIFICATE = ("objective_", "lower_bound_", "C_", "C_universum_")
# Fields of a record on the page.
_SHOWN_FIELDS = ("title", "source", "date", "command", "next", "parameters", "versions", "timings")


@dataclass(frozen=True)
class Outcome:
    """The output of a job; `record` is the content of run.json."""

    corpus: Corpus
    model: Model
    verdicts: Verdicts
    summary: Summary
    record: dict[str, Any]
    past: Past
    step: Step | None
    labels: Array
    frame: Codebook | None
    further: Columns  # columns of the table on request
    namer: ChatNamer | None
    reasons: dict[str, str]  # why documents without a row were skipped, by id
    kept: dict[str, Any] = field(default_factory=dict)  # entries of session.json in place of those of `past`


def outcome_of(
    settings: ClusterSettings, material: Material, found: Step, steps: Steps, measured: Mapping[str, Any] | None = None
) -> Outcome:
    """Summarise a version; `measured` may have known results: trust in the groups, their codes, map positions."""
    if settings.redact:
        found = _redacted(found, material)
    version, measured = found.version, measured or {}
    step = found if found.decided or version.proposed else None
    # 1. The version as arrays by group number; a redacted one has no texts and no columns.
    model, namer = version.model, namer_of(settings)
    corpus, by = (without_texts(material.corpus), None) if settings.redact else (material.corpus, material.by)
    partition = Partition.of(version, corpus)
    filters = _filters(corpus, partition, by, step)
    counts = counts_of_levels(settings, found.profile)
    # 2. Side by side: pockets, places on the map, trust, names and near-duplicates.
    rows = np.flatnonzero(partition.rows).tolist()

    def checked() -> dict[str, Any]:
        return trust_of(partition, progress=steps.of("checking the groups")).to_dict()

    shape = partition.X, partition.scores, partition.home, partition.aside
    jobs: list[Callable[[], Any]] = [
        lambda: [] if settings.quick else pockets_of(corpus, model),
        lambda: measured["place"] if "place" in measured else layout(*shape),
        lambda: measured.get("trust") or (None if settings.quick else checked()),
        lambda: named(partition, at(corpus.texts, rows), namer),
        lambda: near_duplicates(material.corpus.ids, material.corpus.texts),
    ]
    pockets, place, trust, partition, near = ordered_map(lambda job: job(), jobs)
    # 3. The record of the run: options, versions of packages, certificate.
    steps("summing up")
    past = Past.of(version, material.corpus.texts)
    record = record_of(settings, material.corpus, partition, steps) | {
        "version": past.number,
        "trust": trust,
        "outliers": None if settings.outliers == "none" else int(model.outliers_.sum()),
        "profile": found.profile and found.profile.to_dict(),
    }
    # 4. The summary of groups and documents.
    finest = max(counts, default=0)
    summary = summary_of(
        partition,
        corpus,
        fields=filters,
        run={name: record[name] for name in _SHOWN_FIELDS},
        changes=[] if step is None else list(lines(step, corpus)),
        skip_reasons=all_in_words(record["skipped_by_reason"].items()),
        place=place,
        finest=finest,
        **{name: record[name] for name in ("duplicates", "universum", "trust", "profile")},
    )
    # 5. Columns on request: in the table, and for the documents of the page.
    several = None if settings.multi is None else several_of(version, settings.multi)
    levels = levels_of(partition, at(corpus.texts, rows), [group.name for group in summary.groups], counts)
    scores = model.outlier_score_ if settings.outliers == "flag" else None
    columns = further_columns(model, scores, several, levels)
    own = {name: at(values, rows) for name, values in columns.items()}
    apart = _apart(partition.ids, {"Junk?": pockets, "Proposed": version.proposed})
    documents = _with_columns(summary.documents, own, apart, shown_alone(corpus, filters, rows))
    if several is not None:
        texts = [clean(text).strip() for text in documents.texts]
        parted = several_groups(model, texts, *(each[rows] for each in several))
        documents = replace(documents, several={row: each for row, each in enumerate(parted) if each is not None})
    # 6. Findings in the whole collection, and counts with weights; the record repeats them.
    document, group = np.arange(len(rows)), partition.labels
    if several is not None:  # a document counts in each of its groups
        document, place = several[1][rows].nonzero()
        group = model.numbers_[place]
    summary = replace(
        summary,
        documents=documents,
        levels=[[(level.names[g], groups) for g, groups in level.groups.items()] for level in levels],
        repeated_lines=[] if settings.redact else _repeated_lines(model, corpus)[:_LINES],
        near_duplicates=near,
        pockets=pockets,
        several=None if settings.multi is None else measured_several(model, settings.multi),
        by=None
        if by is None
        else by.count(rows, document, group, len(partition.coef), partition.weights, settings.weight),
    )
    summary = coded(summary, measured.get("codes") or earlier_codes(settings), material.frame)
    record |= _counted(summary) | {"changes": step and step_record(step)}
    reasons = {corpus.ids[row]: why for row, why in model.skipped_}
    given = version.labels, material.frame, columns, namer, reasons
    return Outcome(corpus, model, partition.verdicts, summary, record, past, step, *given)


def _repeated_lines(model: Model, corpus: Corpus) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] | None = getattr(model.vectorizer_, "repeated_lines_", None)
    return repeated_lines(Tokens.of(corpus.texts)) if found is None else found


def earlier_codes(settings: ClusterSettings) -> dict[int, int]:
    """Return the codes of the groups of the earlier result, by number; {} without one."""
    return {} if settings.from_ is None else assignments.group_codes(settings.from_)


def coded(summary: Summary, earlier: Mapping[int, int], frame: Codebook | None = None) -> Summary:
    """Return the summary with the codes of its groups: `earlier` ones, those of the codebook, or new ones."""
    names = {group.number: group.name for group in summary.groups if not group.gone}
    codes = numbers_of(names, earlier, frame)
    known: dict[int | None, str] = {code.number: code.description for code in (frame.codes if frame else ())}
    groups = []
    for each in summary.groups:
        code = codes.get(each.number)
        groups.append(replace(each, code=code, description=known.get(code, "") or each.description))
    return replace(summary, groups=groups, special_codes=frame.special if frame else {})


def namer_of(settings: ClusterSettings) -> ChatNamer | None:
    return None if settings.namer is None else ChatNamer(*chat_of(settings.namer))


def several_of(version: Version, least: float, p: Array | None = None) -> tuple[Array, Array]:
    """Return the probability of each group for each document, (n, k), and the groups of each, (n, k) bool."""
    p, numbers = version.model.several_ if p is None else p, version.model.numbers_
    return p, held_groups(p, version.labels, numbers, least, version.state.pins)


def measured_several(model: Model, least: float) -> dict[str, Any]:
    """Return the bound of several groups, and precision and recall of further groups if enough labels have some."""
    found = model._several_held_out(least)
    return {"least": least} | ({} if found is None else found._asdict())


def further_columns(
    model: Model, scores: Array | None, several: tuple[Array, Array] | None, levels: Sequence[Level]
) -> Columns:
    """Return the columns on request of n documents: outlier scores, `several` groups as of `several_of`, and levels."""
    found: Columns = {} if scores is None else _outlier_columns(scores, model.outlier_threshold_)
    if several is not None:
        found |= _several_columns(model.numbers_.tolist(), several)
    for number, level in enumerate(levels, start=1):
        names = level.names | {-1: ""}
        found[f"level_{number}"] = ["" if group < 0 else str(group) for group in level.labels.tolist()]
        found[f"level_{number}_name"] = [names[group] for group in level.labels.tolist()]
    return found


def _outlier_columns(scores: Array, threshold: float) -> Columns:
    """Return the columns of outliers, from the scores of n documents; nan for a document without a row."""
    words = np.where(np.isnan(scores), "", np.where(scores > threshold, "yes", "no"))
    return {
        "outlier": words.tolist(),
        "outlier_score": ["" if math.isnan(score) else f"{score:.4f}" for score in scores.tolist()],
    }


def counts_of_levels(settings: ClusterSettings, profile: Profile | None) -> list[int]:
    """Return the numbers of groups of the levels: those of --levels, else the other candidates of the profile."""
    if settings.levels or profile is None:
        return [int(count) for count in settings.levels.split(",") if count]
    return [k for k in profile.candidates if k != profile.chosen]


def _apart(ids: Sequence[str], lists: Mapping[str, Sequence[Pocket | ProposedGroup]]) -> Columns:
    """Return a column for each kind of list: the name of the list that holds the document, or "" for none."""
    found: Columns = {}
    for name, groups in lists.items():
        called = {document: each.called for each in groups for document in each.documents}
        found |= {name: [called.get(identity, "") for identity in ids]} if called else {}
    return found


def _with_columns(documents: Documents, columns: Columns, apart: Columns, others: Columns) -> Documents:
    """Return the documents of the page with the optional columns, as filters or among the `others`."""
    names = {name.removesuffix("_name"): values for name, values in columns.items() if name.endswith("_name")}
    filters = names | {name: columns[name] for name in ("outlier",) if name in columns}
    alone = {name: columns[name] for name in ("outlier_score", "probabilities") if name in columns}
    taken = {*documents.fields, *filters, *others}
    apart = {name: values for name, values in apart.items() if name not in taken}
    return replace(documents, fields=documents.fields | filters | apart, others=others | alone, asides=[*apart])


def _several_columns(numbers: Sequence[int], several: tuple[Array, Array]) -> Columns:
    """Return the columns of several groups: the groups of each document, a column for each, and probabilities from
    1 %.
    """
    p, held = several
    known, p = ~np.isnan(p[:, 0]), np.nan_to_num(p)
    order = np.argsort(-p, axis=1, kind="stable").tolist()
    found = {
        "groups": ["; ".join(str(numbers[g]) for g in best if held[row, g]) for row, best in enumerate(order)],
        "probabilities": [
            "; ".join(f"{numbers[g]}: {p[row, g]:.2f}" for g in best if p[row, g] >= _LISTED)
            for row, best in enumerate(order)
        ],
    }
    for g, number in enumerate(numbers):
        found[f"group_{number}"] = np.where(known | held.any(axis=1), held[:, g].astype(int).astype(str), "").tolist()
    return found


def _counted(summary: Summary) -> dict[str, Any]:
    """Return the counts and findings of a summary as plain values for run.json."""
    agreement, off_topic = summary.agreement, summary.off_topic
    return {
        "repeated_lines": [list(each) for each in summary.repeated_lines],
        "near_duplicates": summary.near_duplicates,
        "pockets": [asdict(each) for each in summary.pockets],
        "agreement": agreement and {k: v for k, v in asdict(agreement).items() if isinstance(v, float)},
        "off_topic": off_topic and {k: v for k, v in asdict(off_topic).items() if k != "documents"},
        "by": summary.by and asdict(summary.by),
        "several": summary.several,
    }


def table_of(outcome: Outcome) -> CsvTable:
    """Return the table of the documents of an outcome."""
    return assignments.assignments(
        shown_corpus(outcome.corpus, outcome.record["parameters"]),
        outcome.verdicts,
        outcome.model.representation_.missing,
        [group.name for group in outcome.summary.groups],
        outcome.reasons,
        outcome.labels,
        outcome.further,
        {group.number: group.code for group in outcome.summary.groups if group.code is not None},
        outcome.summary.special_codes,
    )


def write_rest(outcome: Outcome, folder: Path) -> None:
    """Write all files except the table."""
    session = outcome.past.to_dict() | outcome.kept
    (folder / SESSION).write_text(json.dumps(session, ensure_ascii=False) + "\n", encoding="utf-8")
    _write_json(folder / GROUPS, [group | {"version": outcome.past.number} for group in clusters_json(outcome.summary)])
    texts = dict(zip(outcome.corpus.ids, outcome.corpus.texts, strict=True))
    groups = outcome.summary.groups
    parents = min(outcome.summary.levels, key=len, default=[])
    book = Codebook.of_groups(groups, texts, outcome.frame, parents)
    book.write(folder / CODEBOOK)
    definitions = {code.number: code.description for code in book.codes}
    meanings = {group.number: definitions.get(code, "") for group in groups if (code := group.code) is not None}
    (folder / SUMMARY).write_text(markdown(outcome.summary, meanings), encoding="utf-8")
    if outcome.namer is not None:
        _write_audit(outcome.namer, outcome.summary, folder / NAMING)
    page = render(outcome.summary)
    (folder / PAGE).write_text(page, encoding="utf-8")
    (folder / storage.MODEL).mkdir()
    notes = _notes(outcome.summary, outcome.past.numbers, outcome.record)
    storage.write(folder / storage.MODEL, outcome.model.to_state() | notes)
    _write_json(folder / RUN, outcome.record)


def _write_audit(namer: ChatNamer, summary: Summary, path: Path) -> None:
    """Write everything that was sent to a namer, and its answers; warn about groups without an answer."""
    columns = ("prompt", "answer", "attempts", "error")
    rows = ((each["number"], *(each.get(name, "") for name in columns)) for each in namer.sent)
    write_form(path, ("cluster", *columns), rows, replace=False)
    failed = [each for each in namer.sent if not each["answer"]]
    if failed:
        count, why = len(namer.sent) - len(failed), failed[0]["error"] or "an empty answer"
        warn(f"the namer named {count} of {len(namer.sent)} groups ({why}); phrases name the others")


def _notes(summary: Summary, numbers: Sequence[int], record: dict[str, Any]) -> dict[str, Any]:
    """Return the metadata saved with a model: the descriptions of the groups `numbers`, and the fields that were
    read.
    """
    groups = [summary.groups[number] for number in numbers]
    reading = reading_of(record["parameters"])
    fields = {name: reading[name] for name in ("text", "title")} | {"html": "text", "join_title": True}
    return {"description": described(groups), "fields": fields}


def record_of(settings: ClusterSettings, corpus: Corpus, partition: Partition, steps: Steps) -> dict[str, Any]:
    """Return the record of a run."""
    model, left_out = partition.version.model, skipped(partition, corpus)
    groups = model.clusterer_
    return {
        "format": RESULT.format,
        "title": called(settings.docs),
        "source": as_text(settings.docs),
        "date": datetime.now().astimezone().isoformat(timespec="minutes"),
        "command": settings.command,
        "next": from_here(settings, "cluster", "--steer", "steering.toml", "--out", str(free(as_given(settings)))),
        "correct": None
        if str(settings.docs) == "-"
        else from_here(settings, "workbench"),  # standard input cannot be read again
        "parameters": settings.parameters,
        "versions": versions(),
        "timings": steps.timings,
        "documents": len(partition.ids),
        "skipped": len(left_out),
        "skipped_by_reason": dict(reasons(left_out)),
        "duplicates": corpus.duplicates(),
        "neighbours": model.representation_.passes,
        "encoder": None if (meaning := model.representation_.meaning) is None else meaning.to_state(vectors=False),
        "universum": _universum(settings, model),
        **{name.rstrip("_"): float(getattr(groups, name)) for name in _CERTIFICATE if hasattr(groups, name)},
    }


def from_here(settings: ClusterSettings, verb: str, *options: str) -> str:
    """Return the command that continues from this result."""
    again = ["outgroup", verb, as_text(settings.docs), "--from", as_text(as_given(settings))]
    for name in ("embeddings", "universum", "universum_embeddings", "codebook"):  # `--from` does not read these
        value = getattr(settings, name)
        again += [] if value is None else as_option(name, as_text(value))
    return shlex.join([*again, *options])


def free(folder: Path) -> Path:
    """Return a free path for the next result: the name of `folder` with a number from 2 on."""
    name, _, number = folder.name.rpartition("-")
    name, start = (name, int(number) + 1) if name and number.isdecimal() and len(number) < 4 else (folder.name, 2)
    return next(path for each in count(start) if not os.path.lexists(path := folder.with_name(f"{name}-{each}")))


def _universum(settings: ClusterSettings, model: Model) -> dict[str, Any] | None:
    if not model.n_universum_:
        return None
    labelled = any(why == LABELLED_AWAY for _, why in model.skipped_)
    paths = (settings.universum, settings.steer if labelled else None)
    sources = [name_of(path) for path in paths if path is not None]
    return {"count": model.n_universum_, "source": " and ".join(sources)}


def _filters(corpus: Corpus, partition: Partition, by: Chosen | None, step: Step | None) -> Columns:
    """Return the filter columns of the shown documents: columns with few values, off-topic, and changes."""
    rows = np.flatnonzero(partition.rows).tolist()
    found = filterable(corpus, by, rows)
    if partition.away is not None:
        out = ["by the threshold" if label < 0 else "" for label in partition.labels.tolist()]
        found[OFF_TOPIC] = [
            LABELLED_AWAY if away else how for away, how in zip(partition.away.tolist(), out, strict=True)
        ]
    if step is not None and step.changes is not None:
        change = {each.id: f"moved from {place(each.before)}" for each in step.changes.moved}
        change |= dict.fromkeys(step.changes.new, "new")
        found["change"] = [change.get(identity, "") for identity in partition.ids]
    return {name: values for name, values in found.items() if any(values)}


def _write_json(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n", encoding="utf-8")


# --- Continuation of an earlier result


@dataclass(frozen=True)
class Step:
    """A version, its changes from an earlier result if there is one, and the receipts of new decisions.

    A first version without decisions is not `decided`; it may have the profile that chose the number of groups.
    """

    version: Version
    changes: Changes | None = None
    receipts: tuple[DecisionReceipt, ...] = ()
    decided: bool = True
    profile: Profile | None = None


def step_record(step: Step) -> dict[str, Any]:
    """Return changes, receipts and notes as plain values for run.json."""
    changes = None if step.changes is None else step.changes.to_dict()
    receipts = [asdict(receipt) | {"decision": receipt.decision.to_dict()} for receipt in step.receipts]
    proposed = [each.to_dict() for each in step.version.proposed]
    return {"changes": changes, "receipts": receipts, "notes": list(step.version.notes), "proposed": proposed}


def _redacted(step: Step, material: Material) -> Step:
    """Return a step without rare words: its proposed groups have words that occur in five texts."""
    version = step.version
    texts = (*material.corpus.texts, *(material.universum or ()))
    frequent = hide_rare_forms(version.model.vectorizer_, texts)
    proposed = tuple(
        replace(
            group,
            name=group.name * frequent.issuperset(re.findall(r"\w+", group.name.lower())),
            words=tuple(word for word in group.words if word.lower() in frequent),
        )
        for group in version.proposed
    )
    return replace(step, version=replace(version, state=replace(version.state, proposed=proposed)))


def proposed_lines(proposed: Sequence[ProposedGroup]) -> Iterator[str]:
    """Yield lines that describe proposed groups, each with a decision to copy into a file for `--steer`."""
    for each in proposed:
        yield f"\nProposed group: {each}"
        yield to_toml([each.decision])


def lines(step: Step, corpus: Corpus) -> Iterator[tuple[str, str]]:
    """Yield (heading, sentence) pairs: changed documents, decisions, notes, proposed groups."""
    if step.changes is not None:
        yield "Changed", f"{step.changes}{_named_from_result(step, corpus)}"
    missed = not_followed(step)
    for receipt in step.receipts:
        why = missed.get(str(receipt.decision))
        if why is not None:
            yield "Not followed:", f"{receipt.decision}: {why}"
        else:
            yield "Decided", str(receipt)
    shown = tuple(f"{receipt.decision}: " for receipt in step.receipts)
    for note in step.version.notes if step.decided else ():  # else a warning
        if not note.startswith(shown):
            yield "Note", note
    texts = dict(zip(corpus.ids, corpus.texts, strict=True)) if step.version.proposed else {}
    for each in step.version.proposed:
        quotes = [shorten(texts.get(document, ""), SNIPPET, placeholder=" …") for document in each.documents[:3]]
        yield "Proposed", "; ".join([str(each), *(f"“{quote}”" for quote in quotes if quote)])


def not_followed(step: Step) -> dict[str, str]:
    """Return the decisions that could not be applied, as sentences, with reasons."""
    notes = [(each.decision, note) for each in step.receipts for note in step.version.notes]
    return {str(decision): why for decision, note in notes if (why := decision.reason_in(note))}


def _named_from_result(step: Step, corpus: Corpus) -> str:
    assert step.changes is not None
    titles = zip(corpus.ids, corpus.titles, strict=True)
    called = {each: f"{each} “{shorten(title, 40, placeholder=' …')}”" for each, title in titles if title}
    moved = [
        f"{called.get(each.id, each.id)} ({place(each.before)} to {place(each.after)})" for each in step.changes.moved
    ]
    new = [f"{called.get(each, each)} (new)" for each in step.changes.new]
    parts = [moved, new, [f"{each} (gone)" for each in step.changes.gone]]
    shown = [each for part in parts for each in part[:3]]
    rest = sum(map(len, parts)) - len(shown)
    return f": {', '.join(shown)}{f' and {rest} more in run.json' if rest else ''}" if shown else ""


def place(group: int) -> str:
    return "none" if group < 0 else f"group {group}"


# --- Output on the terminal


def as_plain(outcome: Outcome, folder: Path) -> dict[str, Any]:
    """Return the record, the output path and the groups as plain values."""
    return outcome.record | {"out": str(folder), "groups": clusters_json(outcome.summary)}


def show(outcome: Outcome, folder: Path) -> None:
    """Print the changes, the groups and the path of the report."""
    console = Console(highlight=False)
    if outcome.step is not None:
        said = Table.grid(padding=(0, 1, 0, 0))
        for head, sentence in lines(outcome.step, outcome.corpus):
            said.add_row(Text(f"{head:<9}", style="bold"), Text(clean(sentence)))
        console.print(said)
        if outcome.step.version.proposed:
            accepted = to_toml([each.decision for each in outcome.step.version.proposed])
            console.print(Text(f"\nTo accept, give --steer a file of\n\n{clean(accepted).strip()}"), soft_wrap=True)
        console.print()
    terminal(outcome.summary, console)
    console.print()
    if made := _rows(outcome.model.representation_):
        console.print(Text.assemble((f"{'Rows':<10}", "bold"), made), soft_wrap=True)
    if outcome.record.get("outliers") is not None:
        mode = (
            "flagged" if outcome.record["parameters"]["outliers"] == "flag" else "set aside, with the reason in skipped"
        )
        n = len(outcome.corpus)
        line = f"{outcome.record['outliers']:,} of {counted(n, 'document')} {mode}: far from all others"
        console.print(Text.assemble((f"{'Outliers':<10}", "bold"), line), soft_wrap=True)
    for head, value in (("Report", str(folder / PAGE)), ("Correct", outcome.record["correct"])):
        if value:
            console.print(Text.assemble((f"{head:<10}", "bold"), clean(value)), soft_wrap=True)


def _rows(rows: Representation) -> str:
    """Describe the rows in which groups were found: words alone, or words and meaning, and their averages."""
    parts = [] if rows.choice is None else [str(rows.choice)]
    if rows.choice is None and rows.meaning is not None:  # of an earlier result
        parts = [f"words and meaning: the first {rows.meaning.characters} characters"]
    return "; ".join(parts + ([f"averaged with neighbours {counted(rows.passes, 'time')}"] if rows.passes else []))
