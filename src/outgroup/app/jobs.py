"""The main jobs, from files to files: find groups in a collection, and put new documents into them."""

from __future__ import annotations

import json
import math
import os
import platform
import shlex
import warnings
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from .._native.products import describe
from ..cluster.max_margin import MaxMarginClustering
from ..cluster.spherical import SphericalKMeans
from ..errors import InputError, OutgroupWarning
from ..model import LABELLED_AWAY, DocumentClustering
from ..report import Summary, clusters_json, render
from ..report.facts import By
from ..rows import threads
from ..session import Past, Session
from ..session.assess import Verdicts, judge
from ..session.by_number import ByNumber, at_numbers, by_number
from ..session.receipt import steering_receipt
from ..session.summary import shown_by, skipped, summary_of
from ..session.trust import trust_of
from ..steering.decisions import read_decisions
from ..steering.seeds import read_seeds
from ..storage import state as storage
from ..storage.atomic import Kind, new_file, new_folder, restore
from ..text.reading.corpus import Corpus, read_corpus
from ..text.reading.reasons import reason_in_words, reasons
from ..text.representation import NO_WORD
from . import assignments
from .by import Chosen, choose
from .later import SESSION, Step, as_before, begin, go_on, lines, place, step_record
from .options import as_text, option
from .progress import Steps
from .settings import AssignSettings, ClusterSettings
from .vectors import embeddings, of_universum
from .words import vectorizer

RUN, MODEL, GROUPS = "run.json", "model", "clusters.json"
RESULT = Kind(
    "outgroup-run",
    RUN,
    frozenset({"assignments.csv", "assignments.parquet", "clusters.json", "report.html", SESSION, RUN}),
    "add --force to replace it",
    {MODEL: storage.KIND.names},
)

_PACKED = (".gz", ".xz", ".zst", ".zip")
_SUFFIXES = (*_PACKED, ".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".xlsx", ".ods", ".mbox", ".eml")
READ = ("text", "id", "title", "no_title", "html", "strip")  # how documents become texts: the same for new documents
_CERTIFICATE = ("objective_", "lower_bound_", "C_", "C_universum_")
_TOLD = ("title", "source", "date", "command", "next", "parameters", "versions", "timings")  # of a run, on its page
_LIBRARIES = ("outgroup", "numpy", "scipy", "scikit-learn", "piqp")


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


def cluster(settings: ClusterSettings, steps: Steps) -> tuple[Outcome, Path]:
    """Find the groups of a collection and write the result's folder; returns both.

    Raises OutgroupError for whatever cannot be used, read or written.
    """
    target = out_folder(settings)
    with new_folder(target, RESULT, replace=settings.force) as folder:
        with on(settings.threads):
            outcome = find(settings, steps)
        write(outcome, folder, steps)
    return outcome, target


def out_folder(settings: ClusterSettings) -> Path:
    """Return where the result goes; raises InputError where it would lie among what is read, or take its place."""
    target = Path(os.path.realpath(settings.out or f"{called(settings.docs)}-clusters"))
    inputs = {"documents": settings.docs, "off-topic examples": settings.universum, "seeds": settings.seeds}
    inputs["decisions"] = settings.steer
    _apart(target, inputs)
    return target


def _apart(target: Path, inputs: Mapping[str, Path | None]) -> None:
    """Raise InputError where a result would lie among the inputs, for the next run to read, or an input in it."""
    for name, given in inputs.items():
        path = None if given is None else Path(os.path.realpath(given))  # unlike `resolve`, it bears loops
        if path is not None and (target == path or path in target.parents):
            raise InputError(f"the result would lie among the {name}, in {target}; choose another place with --out")
        if path is not None and target in path.parents:
            raise InputError(f"the {name} lie in {target}, where the result would go; choose another place with --out")


@dataclass(frozen=True)
class Material:
    """What a job reads: the documents, what they are counted by, the off-topic examples, and the vectors of both."""

    corpus: Corpus
    by: Chosen | None
    universum: list[str] | None
    vectors: dict[str, Any]


def read(settings: ClusterSettings, steps: Steps) -> Material:
    """Read all that the settings name."""
    reading = reading_of({name: getattr(settings, name) for name in READ})
    corpus = read_corpus(settings.docs, label=settings.label, progress=steps.of("reading"), **reading)
    by = choose(corpus, settings.by, settings.label)
    vectors: dict[str, Any] = {}
    vectors["embeddings"] = embeddings(settings.embeddings, settings.encoder, settings.docs, corpus, steps)
    universum = None
    if settings.universum is not None:
        progress = steps.of("reading off-topic examples")
        examples = read_corpus(settings.universum, progress=progress, **without_roles(reading))
        tell_of_skips(examples)
        universum, vectors["universum_embeddings"] = examples.texts, of_universum(settings, examples, steps)
    return Material(corpus, by, universum, vectors)


def find(settings: ClusterSettings, steps: Steps) -> Outcome:
    """Read, analyse, fit and sum up."""
    settings = settings if settings.from_ is None else as_before(settings)
    material = read(settings, steps)
    corpus = material.corpus
    if settings.from_ is not None or settings.steer is not None:
        return _in_session(settings, material, steps)
    seeds = None if settings.seeds is None else read_seeds(settings.seeds)
    model = _unfitted(settings).fit(
        corpus.texts, universum=material.universum, seeds=seeds, ids=corpus.ids, progress=steps, **material.vectors
    )
    again = None if seeds is None else steps.of("fitting without the seeds")
    steered = steering_receipt(model, corpus.ids, again)
    shown = shown_by(model)
    return _outcome(
        settings,
        corpus,
        model,
        shown,
        material.by,
        Past.of_model(model, corpus.ids, corpus.texts, seeds),
        None,
        steered,
        steps,
    )


def open_session(settings: ClusterSettings, material: Material) -> Session:
    """Return a session on what was read, with the words and the clusterer that the settings ask for."""
    corpus = material.corpus
    return Session(
        corpus.texts, n_clusters=settings.k, ids=corpus.ids, titles=corpus.titles, universum=material.universum,
        clusterer=clusterer_of(settings), vectorizer=vectorizer(settings), random_state=settings.seed,
        **material.vectors,
    )  # fmt: skip


def _in_session(settings: ClusterSettings, material: Material, steps: Steps) -> Outcome:
    """Find the groups that follow from an earlier result, or from decisions."""
    if settings.seeds is not None:
        raise InputError("--seeds begins from nothing; give its decisions as --steer, which takes such a file, too")
    if settings.from_ is not None:
        step = go_on(settings, material.corpus, material.universum, material.vectors, steps)
    else:
        steps("analysing")
        session = open_session(settings, material)
        steps("fitting")
        assert settings.steer is not None
        step = begin(session, read_decisions(settings.steer))
    return of_step(settings, material, step, steps)


def of_step(settings: ClusterSettings, material: Material, step: Step, steps: Steps) -> Outcome:
    """Return what a version comes to."""
    version, corpus = step.version, material.corpus
    past = Past.of(version, corpus.texts)
    return _outcome(settings, corpus, version.model, by_number(version), material.by, past, step, None, steps)


def _outcome(
    settings: ClusterSettings, corpus: Corpus, model: DocumentClustering, shown: ByNumber, by: Chosen | None,
    past: Past, step: Step | None, steered: Any, steps: Steps,
) -> Outcome:  # fmt: skip
    trust = None if settings.quick else trust_of(model, shown, progress=steps.of("checking the groups")).to_dict()
    steps("summing up")
    record = record_of(settings, corpus, model, steps) | {"version": past.number, "trust": trust}
    summary = replace(
        summary_of_run(corpus, model, shown, record, _columns(corpus, shown, by, step)),
        receipt=steered,
        by=_by(by, shown),
        changes=[] if step is None else list(lines(step)),
        skip_reasons=[(reason_in_words(why, count), count) for why, count in record["skipped_by_reason"].items()],
    )
    agreement = summary.agreement and {k: v for k, v in asdict(summary.agreement).items() if isinstance(v, float)}
    off_topic = summary.off_topic and {k: v for k, v in asdict(summary.off_topic).items() if k != "documents"}
    steering = steered and steered.to_dict()
    counted = summary.by and asdict(summary.by)
    found = {"agreement": agreement, "off_topic": off_topic, "steering": steering, "by": counted}
    found["changes"] = step and step_record(step)
    return Outcome(corpus, model, shown.verdicts, summary, record | found, past, step)


def write(outcome: Outcome, folder: Path, steps: Steps) -> None:
    """Fill the result's folder: assignments.csv, clusters.json, report.html, model, session.json, run.json."""
    steps("writing")
    corpus, state = outcome.corpus, outcome.model.to_state()
    with (folder / "assignments.csv").open("w", encoding="utf-8", newline="") as file:
        without = {corpus.ids[row]: why for row, why in outcome.model.skipped_}
        names = [group.name for group in outcome.summary.groups]
        labels = None if outcome.step is None else outcome.step.version.labels
        table = assignments.assignments(corpus, outcome.verdicts, NO_WORD, names, without, labels)
        assignments.write(table, file)
    groups = [group for group in clusters_json(outcome.summary) if group["cluster"] in outcome.past.numbers]
    write_json(folder / GROUPS, [group | {"version": outcome.past.number} for group in groups])
    page = render(outcome.summary, outcome.record["parameters"]["report_size"])
    (folder / "report.html").write_text(page, encoding="utf-8")
    (folder / MODEL).mkdir()
    storage.write(folder / MODEL, state)
    (folder / SESSION).write_text(json.dumps(outcome.past.to_dict(), ensure_ascii=False) + "\n", encoding="utf-8")
    write_json(folder / RUN, outcome.record)


@contextmanager
def assigned_file(settings: AssignSettings) -> Iterator[TextIO]:
    """Give the file that `--out` names, to write assignments to; only such a file is ever replaced, and no input.

    Raises InputError or OutputError where it must not be written.
    """
    assert settings.out is not None
    _apart(Path(os.path.realpath(settings.out)), {"documents": settings.docs, "model's files": settings.model})
    with new_file(settings.out, replace=settings.force, ours=assignments.written_here) as file:
        yield file


def assign(settings: AssignSettings, steps: Steps) -> assignments.Table:
    """Return a row for each document of a collection: its group among those of a saved model, and the verdict."""
    restore(settings.model, RESULT)
    folder = settings.model / MODEL if (settings.model / MODEL).is_dir() else settings.model
    model = DocumentClustering.load(folder)
    given = {name: value for name in READ if (value := getattr(settings, name)) is not None}
    corpus = read_corpus(settings.docs, progress=steps.of("reading"), **reading_of(as_clustered(folder) | given))
    vectors = embeddings(settings.embeddings, settings.encoder, settings.docs, corpus, steps)
    steps("assigning")
    with on(settings.threads):
        verdicts = at_numbers(judge(model, *model.represent(corpus.texts, embeddings=vectors)), numbers_of(folder))
    return assignments.assignments(corpus, verdicts, NO_WORD, names_of(folder, model))


def as_clustered(model: Path) -> dict[str, Any]:
    """Return how the documents behind a model were read, where its result's folder says so."""
    try:
        parameters = json.loads((model.parent / RUN).read_bytes())["parameters"]
        return {name: parameters[name] for name in READ if isinstance(parameters.get(name), str | bool)}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def names_of(folder: Path, model: DocumentClustering) -> list[str]:
    """Return the groups' names as their result's folder has them, else those that a person gave."""
    try:
        groups = json.loads((folder.parent / GROUPS).read_bytes())
        name_of = {int(group["cluster"]): str(group["name"]) for group in groups}
        return [name_of.get(number, "") for number in range(max(name_of) + 1)]
    except (OSError, ValueError, KeyError, TypeError):
        return [name or "" for name in model.names_ or []]


def numbers_of(folder: Path) -> list[int] | None:
    """Return the number of each group of a model, where its result's folder says so: merging leaves gaps."""
    try:
        return [int(number) for number in json.loads((folder.parent / SESSION).read_bytes())["numbers"]]
    except (OSError, ValueError, KeyError, TypeError):
        return None


def reading_of(given: dict[str, Any]) -> dict[str, Any]:
    """Return settings as `read_corpus` takes them."""
    options = {name: str(value) for name, value in given.items() if name not in ("strip", "no_title")}
    return options | {"strip": _parts(str(given.get("strip", ""))), "join_title": given.get("no_title") is not True}


def tell_of_skips(examples: Corpus) -> None:
    """Warn of off-topic examples that could not be read: no table shows them."""
    if examples.skipped:
        why = "; ".join(
            reason_in_words(*each) for each in reasons((skip.where, skip.reason) for skip in examples.skipped)
        )
        said = f"{len(examples.skipped)} of the off-topic examples were skipped: {why}"
        warnings.warn(said, OutgroupWarning, stacklevel=2)


def without_roles(reading: dict[str, Any]) -> dict[str, Any]:
    """Return how to read another collection, whose documents need no ids and may have no titles."""
    return {name: value for name, value in reading.items() if name not in ("id", "title")}


def on(count: int | None) -> AbstractContextManager[None]:
    return nullcontext() if count is None else threads(count)


def _parts(given: str) -> list[str]:
    return [part.strip() for part in given.split(",") if part.strip()]


def called(docs: Path) -> str:
    """Return what a collection is called: the name of its file or folder, as far as it is text."""
    return "documents" if str(docs) == "-" else _stem(as_text(os.path.basename(os.path.realpath(docs))))


def _stem(name: str) -> str:
    while name.lower().endswith(_SUFFIXES):
        name = name[: name.rindex(".")]
    return name or "documents"


def _unfitted(settings: ClusterSettings) -> DocumentClustering:
    return DocumentClustering(settings.k, vectorizer=vectorizer(settings), clusterer=clusterer_of(settings))


def clusterer_of(settings: ClusterSettings) -> MaxMarginClustering | SphericalKMeans:
    found: dict[str, Any] = {
        "n_init": settings.n_init or ("auto" if settings.method == "max-margin" else 1),
        "off_topic_rate": settings.off_topic_rate,
        "off_topic_threshold": settings.off_topic_threshold,
        "set_aside": not settings.keep_off_topic,
        "random_state": settings.seed,
    }
    if settings.method == "max-margin":
        return MaxMarginClustering(
            settings.k,
            **found,
        )
    if settings.seeds is not None:
        raise InputError("--method spherical takes no --seeds; leave them out, or use max-margin")
    names = ("off_topic_rate", "off_topic_threshold", "keep_off_topic")
    unused = [option(name) for name in names if getattr(settings, name) != getattr(ClusterSettings, name)]
    if unused and settings.universum is None:
        raise InputError(f"without --universum, --method spherical makes no use of {' or '.join(unused)}")
    return SphericalKMeans(settings.k, **found)


def record_of(settings: ClusterSettings, corpus: Corpus, model: DocumentClustering, steps: Steps) -> dict[str, Any]:
    groups = model.clusterer_
    restarts = [restart | {"objective": float(restart["objective"])} for restart in groups.restarts_]
    return {
        "format": RESULT.format,
        "title": called(settings.docs),
        "source": as_text(settings.docs),
        "date": datetime.now().astimezone().isoformat(timespec="minutes"),
        "command": settings.command,
        "next": _next(settings),
        "parameters": settings.parameters,
        "versions": versions(),
        "timings": steps.timings,
        "documents": int(model.kept_.sum()),
        "skipped": len(model.skipped_) + len(corpus.skipped),
        "skipped_by_reason": dict(reasons(skipped(corpus, model))),
        "duplicates": corpus.duplicates(),
        "universum": _universum(settings, model),
        **{name.rstrip("_"): float(getattr(groups, name)) for name in _CERTIFICATE if hasattr(groups, name)},
        "stability": float(groups.stability_) if math.isfinite(groups.stability_) else None,
        "restarts": restarts,
    }


def _next(settings: ClusterSettings) -> str:
    """Return the command of the next run: from this result, steered by what was decided on its page."""
    again = ["outgroup", "cluster", as_text(settings.docs), "--from", as_text(out_folder(settings))]
    return shlex.join([*again, "--steer", "steering.toml"])


def versions() -> dict[str, str]:
    """Return what a result depends on, by name: libraries, and who does the sparse products."""
    return {name: version(name) for name in _LIBRARIES} | {"python": platform.python_version(), "kernels": describe()}


def _universum(settings: ClusterSettings, model: DocumentClustering) -> dict[str, Any] | None:
    if not model.n_universum_:
        return None
    labelled = any(why == LABELLED_AWAY for _, why in model.skipped_)
    paths = (settings.universum, *((settings.seeds, settings.steer) if labelled else ()))
    sources = [as_text(os.path.basename(os.path.realpath(path))) for path in paths if path is not None]
    return {"count": model.n_universum_, "source": " and ".join(sources)}


def _by(chosen: Chosen | None, shown: ByNumber) -> By | None:
    rows = np.flatnonzero(shown.rows).tolist()
    return None if chosen is None else chosen.count(rows, shown.labels, len(shown.coef))


def _columns(corpus: Corpus, shown: ByNumber, by: Chosen | None, step: Step | None) -> dict[str, list[str]]:
    """Return the further columns of the documents that are shown: what they are counted by, and what changed."""
    rows, found = np.flatnonzero(shown.rows).tolist(), {}
    if by is not None and by.values is not corpus.labels:
        found[by.column] = by.named(rows)
    if step is not None and step.changes is not None:
        said = {each.id: f"moved from {place(each.before)}" for each in step.changes.moved}
        said |= dict.fromkeys(step.changes.new, "new")
        found["change"] = [said.get(corpus.ids[row], "") for row in rows]
    return found if any(map(any, found.values())) else {}


def summary_of_run(
    corpus: Corpus, model: DocumentClustering, shown: ByNumber, record: dict[str, Any], columns: dict[str, list[str]]
) -> Summary:
    told = {name: record[name] for name in ("duplicates", "restarts", "stability", "universum")}
    told["trust"] = record.get("trust")  # a stream has none
    return summary_of(corpus, model, shown, fields=columns, run={name: record[name] for name in _TOLD}, **told)


def write_json(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n", encoding="utf-8")
