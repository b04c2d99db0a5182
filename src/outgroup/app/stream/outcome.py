"""The result of a stream: assignments in parts, the report from a sample and the exact sizes."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...cluster.profile import Profile
from ...model import DocumentClustering
from ...report.facts import Summary
from ...rows.blocks import group_sizes
from ...session import Past
from ...session.reporting.arrays_by_number import ByNumber
from ...session.reporting.summary import shown_by
from ...session.reporting.trust import trust_of
from ...text.collection import Arranged, Collection
from ...text.reading.documents import Corpus
from ...text.reading.reasons import all_in_words, reasons
from ...text.representation import NO_WORD, Representation, Spaces
from ...types import Array
from ..progress import Steps
from ..result import Outcome, record_of, summary_of_run, write_beside
from ..settings.large import LargeSettings
from .choice import checks_trust, needed
from .doubles import Doubles
from .judging import Judge, Written
from .kept import SAMPLED
from .material import StreamMaterial
from .results import table_of
from .results import write as write_table


def write(
    settings: LargeSettings, material: StreamMaterial, clusterer: Any, profile: Profile | None, folder: Path,
    steps: Steps,
) -> Outcome:  # fmt: skip
    """Fill the result's folder: assignments in parts, and the rest from a sample and the exact sizes."""
    steps("summing up")
    labels, clusterer.labels_ = clusterer.labels_, clusterer.labels_[:0]
    corpus, numbers = _sample(material)
    model = _model(material, clusterer, corpus, labels[numbers], numbers)
    skipped = Counter(reason for _, kept in material.kept() for _, reason, _ in kept.skipped)
    skipped[NO_WORD] += int(np.count_nonzero(~material.has_row))
    shown = shown_by(model, corpus.texts)
    trust = _trust(model, shown, material, labels, steps) if checks_trust(settings) else None
    record = _record(settings, material, record_of(settings, corpus, model, shown.rows, steps), +skipped)
    record |= {"trust": trust, "profile": None if profile is None else profile.to_dict()}
    record["correct"] = None  # by the workbench, which needs all documents in memory
    summary = summary_of_run(corpus, model, shown, record, {})
    steps("writing")
    flagged, over = _assignments(settings, material, model, labels, summary, folder, steps)
    summary = _exact(summary, labels, flagged, over, record)
    outcome = Outcome(corpus, model, shown.verdicts, summary, record, Past.of_model(model, corpus.ids, corpus.texts))
    write_beside(outcome, folder)
    return outcome


def _assignments(
    settings: LargeSettings, material: StreamMaterial, model: DocumentClustering, labels: Array, summary: Summary,
    folder: Path, steps: Steps,
) -> tuple[Array, Array]:  # fmt: skip
    """Write the table of all documents; return how many are flagged, by group (k,), and beyond each threshold."""
    flagged = np.zeros(len(summary.groups), dtype=np.int64)
    over = np.zeros(len(summary.off_topic.thresholds) if summary.off_topic else 0, dtype=np.int64)
    kind, names = table_of(settings), [group.name for group in summary.groups]
    judge = Judge(DocumentClustering.from_state(model.to_state()), kind, names)
    blocks = material.judged(judge, labels)
    write_table(kind, folder, _contents(blocks, flagged, over, len(material.blocks), steps))
    return flagged, over


def _trust(
    model: DocumentClustering, shown: ByNumber, material: StreamMaterial, labels: Array, steps: Steps
) -> dict[str, Any]:
    """Return how far the groups can be trusted: by passes over all rows, and by fits on parts of a sample."""
    every = (material.rows, labels)
    return trust_of(model, shown, every=every, progress=steps.of("checking the groups")).to_dict()


def _sample(material: StreamMaterial) -> tuple[Corpus, Array]:
    """Return the documents that the report shows, and their rows."""
    found = material.drawn(SAMPLED)
    numbers, shown = [number for number, _ in found], [each for _, each in found]
    texts, ids, titles = ([getattr(each, name) for each in shown] for name in ("text", "id", "title"))
    known = None if not any(each.label for each in shown) else [each.label or "" for each in shown]
    return Corpus(ids, texts, titles, known), material.row_of[numbers]


def _model(
    material: StreamMaterial, clusterer: Any, corpus: Corpus, labels: Array, numbers: Array
) -> DocumentClustering:
    X = material.rows.sample(numbers)
    clusterer.labels_ = labels
    kept, order = np.ones(len(labels), dtype=bool), np.arange(len(labels))
    spaces = Spaces(corpus.texts, X, X)
    shown = Collection(corpus.ids, corpus.titles, corpus.texts, Representation(material.words), spaces, kept, None)
    return DocumentClustering.around(clusterer, Arranged.of(shown, frozenset()), labels, order=order)


def _exact(summary: Summary, labels: Array, flagged: Array, over: Array, record: dict[str, Any]) -> Summary:
    """Return the summary of the sample with the sizes of all documents."""
    sizes, n = group_sizes(labels, len(summary.groups)).tolist(), len(labels)
    said = [f"{size:,} of all {n:,} documents are in this group." for size in sizes]
    groups = [
        replace(
            group, size=size, share=round(size / max(sum(sizes), 1), 6), off_topic=int(flagged[group.number]),
            sentences=[sentence, *group.sentences],
        )
        for group, size, sentence in zip(summary.groups, sizes, said, strict=True)
    ]  # fmt: skip
    off_topic = summary.off_topic
    if off_topic is not None:
        count = int(np.count_nonzero(labels < 0)) + int(flagged.sum())
        counted = zip(off_topic.thresholds, over.tolist(), strict=True)
        off_topic = replace(off_topic, count=count, thresholds=[replace(each, flagged=n) for each, n in counted])
    why = all_in_words(record["skipped_by_reason"].items())
    run = summary.run | {"sample_of": n}
    return replace(
        summary, n_documents=n, groups=groups, off_topic=off_topic, skip_reasons=why, run=run, profile=record["profile"]
    )


def _record(
    settings: LargeSettings, material: StreamMaterial, record: dict[str, Any], skipped: Counter[str]
) -> dict[str, Any]:
    found = reasons(("", reason) for reason in skipped.elements())
    n = material.rows.shape[0]
    stream = {"sample": min(SAMPLED, n), "memory_needed": needed(settings, n), "memory_peak": _peak(False)}
    stream["memory_peak_counting"] = _peak(True)
    return record | {
        "documents": n,
        "skipped": sum(skipped.values()),
        "skipped_by_reason": dict(found),
        "stream": stream,
    }


def _contents(blocks: Iterator[Written], flagged: Array, over: Array, n_blocks: int, steps: Steps) -> Iterator[Any]:
    """Yield what is written of each block; what is `flagged`, by group (k,), and `over` each threshold is added up, and
    ids that come again are told in the end."""
    doubles = Doubles()
    for number, block in enumerate(blocks, start=1):
        doubles.see(block.ids)
        flagged += block.flagged
        if len(over):
            over += block.over
        yield block.content
        steps("writing", number, n_blocks)
    doubles.warn()


def _peak(others: bool) -> int | None:
    """Return the most memory that this process, or one of its `others`, has held, in bytes, where the system tells."""
    try:
        import resource
    except ImportError:
        return None
    scale = 1 if os.uname().sysname == "Darwin" else 1024
    return resource.getrusage(resource.RUSAGE_CHILDREN if others else resource.RUSAGE_SELF).ru_maxrss * scale
