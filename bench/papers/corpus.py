"""Every method on a collection of one's own: `python -m bench corpus FILE --universum-labels a,b`."""

from __future__ import annotations

import argparse
import statistics
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.data import Texts, counts
from bench.methods.bundle import Bundle, Start
from bench.methods.registry import METHODS
from bench.tables import show
from bench.timing import once
from outgroup import Vectorizer, metrics
from outgroup.readers.corpus import read_corpus

COMPARED = [name for name, method in METHODS.items() if method.compared]
HEADER = ["method", "accuracy", "majority", "NMI", "Rand", "NMI, mean ± sd of the starts", "seconds a start"]


def main(argv: list[str]) -> None:
    """Read the collection, run the methods, print the table."""
    options = _options(argv)
    bundle = read(options.file, [label for label in options.universum_labels.split(",") if label])
    n, N = bundle.X.shape[0], 0 if bundle.universum is None else bundle.universum.shape[0]
    print(f"{n} documents in {bundle.k} classes, {bundle.X.shape[1]} words, {N} documents of the Universum")
    names = [name for name in options.methods.split(",") if name] or COMPARED
    rows = []
    for name in names:
        rows.append(row(name, bundle, options.starts))
        print(f"  {name}: {rows[-1][-1]}", flush=True)
    show(HEADER, rows, f"Without labels: defaults, {options.starts} starts, the one of most groups and lowest own loss")


def _options(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench corpus", description=__doc__)
    parser.add_argument("file", type=Path, help="JSON lines with text and label (also .gz, .xz)")
    parser.add_argument("--universum-labels", default="", metavar="A,B", help="classes that are off-topic")
    parser.add_argument("--starts", type=int, default=10, help="default 10")
    parser.add_argument("--methods", default="", metavar="A,B", help=f"of: {', '.join(COMPARED)}")
    options = parser.parse_args(argv)
    unknown = set(filter(None, options.methods.split(","))) - set(COMPARED)
    if unknown:
        parser.error(f"unknown methods: {', '.join(sorted(unknown))}")
    if options.starts < 1:
        parser.error("--starts must be at least 1")
    return options


def read(path: Path, off_topic: list[str]) -> Bundle:
    """Return the collection as rows, counts, classes and Universum; documents without class or word are left out."""
    corpus = read_corpus(path, join_title=False, html="keep")
    if corpus.labels is None:
        raise SystemExit(f"{path} has no labels: accuracy needs the field 'label'")
    missing = set(off_topic) - set(corpus.labels)
    if missing:
        raise SystemExit(f"no document of {path} has the label {', '.join(sorted(missing))}")
    pairs = [pair for pair in zip(corpus.texts, corpus.labels, strict=True) if pair[1]]
    inside = [pair for pair in pairs if pair[1] not in off_topic]
    universum = [text for text, label in pairs if label in off_topic]
    return as_bundle(Texts([text for text, _ in inside], [label for _, label in inside], universum))


def as_bundle(task: Texts) -> Bundle:
    """Return a task's rows with their counts in the same words."""
    vectorizer = Vectorizer(language="porter")
    rows = task.rows(vectorizer)
    tallied = counts(vectorizer, task.texts)
    return Bundle(rows.X, rows.y, rows.universum, tallied[np.diff(tallied.indptr) > 0])


def row(name: str, bundle: Bundle, n_starts: int) -> list[Any]:
    """Run a method's starts; return its line of the table, with the reason where it did not run."""
    method = METHODS[name]
    why_not = method.why_not(bundle)
    if why_not:
        return [name, None, None, None, None, "", why_not]
    starts: list[Start] = []
    count = n_starts if method.random else 1

    def begin(seed: int) -> None:
        starts.append(method.start(bundle, seed))

    try:
        seconds = [once(partial(begin, seed)) for seed in range(count)]
    except Exception as error:  # one method's failure is a line of the table, not the end of the others
        return [name, None, None, None, None, "", f"failed: {error}"]
    best = min(starts, key=lambda start: start.preference)
    return [name, *_agreement(bundle.y, best.labels), _spread(bundle.y, starts), statistics.median(seconds)]


def _agreement(y: np.ndarray, labels: np.ndarray) -> tuple[float, float, float, float]:
    majority = metrics.accuracy(y, labels, matching="majority")
    return metrics.accuracy(y, labels), majority, metrics.nmi(y, labels), metrics.rand(y, labels)


def _spread(y: np.ndarray, starts: list[Start]) -> str:
    values = [metrics.nmi(y, start.labels) for start in starts]
    return f"{np.mean(values):.3f} ± {np.std(values, ddof=1):.3f}" if len(values) > 1 else f"{values[0]:.3f}"
