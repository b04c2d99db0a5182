"""Nights of new documents: `python -m bench watch [--draws N] [--nights N] [--only NAME ...] [PART ...]`.

quiet: alarms a year and proposed groups a night where nothing changes. reuters: the same on the days of Reuters after
the first 30 % of its documents. new: after 20 quiet nights a class that the fit has not seen brings 20, 50 or 200
documents a night. Columns: the share of draws in which a proposed group with mostly such documents, or an alarm, comes
in the first night, or in the first two. words: after 20 quiet nights a quarter, half or all of the documents of one
group count as documents without its first words; no text is changed. Columns: the share of draws in which the alarm for
that group comes in two nights, and in ten. Nights have 100 ordinary documents (`--size`).
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from bench import data
from bench.studies.outliers import _read, _texts, _vectors
from bench.tables import show
from outgroup import SphericalKMeans, Vectorizer
from outgroup.cli.assign import first_words, without_words
from outgroup.cli.watch import Night, watched
from outgroup.cluster.strangeness import Strangeness
from outgroup.text.encoder import MeaningEncoder

_QUIET = 20  # nights before a class appears
_EVERY = 365.0


class Stream(NamedTuple):
    """A fit, and the rows of later documents with their labels and their rows of words; `first` are the columns of the
    first words of each group."""

    groups: Any
    known: Strangeness
    X: Any
    labels: np.ndarray
    words: Any
    first: np.ndarray

    def night(self, rows: np.ndarray) -> tuple[Night, list[np.ndarray]]:
        """Return the counts of a night, and the rows of its proposed groups."""
        X, every = self.X[rows], range(len(self.first))
        score, labels = self.known.score(X), self.groups.predict(X)
        groups = {str(g): int(np.count_nonzero(labels == g)) for g in every}
        wordless = {str(g): without_words(self.words[rows[labels == g]], self.first[g]) for g in every}
        night = Night(len(rows), int((score > self.known.threshold).sum()), groups, wordless)
        return night, [rows[each] for each in self.known.themes(X, score)]


def _alarms(nights: Sequence[Night]) -> list[Sequence[str]]:
    """Return the alarms of each night."""
    found: list[Night] = []
    for night in nights:
        found.append(watched(found, night, _EVERY))
    return [night.alarms for night in found]


def _opened(name: str, k: int, fit: np.ndarray, later: np.ndarray, labels: np.ndarray, seed: int) -> Stream:
    """Fit the rows `fit`; `name` ends in ", vectors" for embeddings and in ", meaning" for the encoder's vectors."""
    own = name.split(",")[0]
    texts, vectorizer = _texts(_FILES[own]), Vectorizer()
    F = known = vectorizer.fit_transform([texts[row] for row in fit])
    X = words = vectorizer.transform([texts[row] for row in later])
    if name != own:
        vectors = _meaning(own) if "meaning" in name else _vectors({"banking77": "banking77", "news": "ng20"}[own])
        F, X = vectors[fit], vectors[later]
    kept = np.flatnonzero(np.asarray(abs(X).sum(axis=1)).ravel() > 0)
    F, X, words = normalize(F), normalize(X[kept]), sp.csr_matrix(words)[kept]
    groups = SphericalKMeans(k, n_init=1, local_search=None, random_state=seed).fit(F)
    members = sp.csr_matrix((np.ones(len(fit)), (groups.labels_, np.arange(len(fit)))), shape=(k, len(fit)))
    first = first_words((members @ known).toarray())
    X = sp.csr_matrix(X) if sp.issparse(X) else X
    return Stream(groups, Strangeness.reference(F), X, labels[later[kept]], words, first)


@cache
def _meaning(own: str) -> np.ndarray:
    return MeaningEncoder(300).encode(_texts(_FILES[own]))


_FILES = {"banking77": "banking77", "news": "20news-18828", "Reuters": "reuters21578"}
_CLASSES = {"banking77": 77, "news": 20}
_SPACES = ("banking77, vectors", "banking77, meaning", "banking77", "news, vectors", "news, meaning", "news")


def _labels(name: str) -> np.ndarray:
    return np.array([str(row["label"]) for row in _read(_FILES[name.split(",")[0]])])


def quiet(options: Any) -> None:
    table = []
    for name in options.only:
        found = []
        for seed in range(options.draws):
            rng, labels = np.random.default_rng(seed), _labels(name)
            order = rng.permutation(len(labels))
            half = len(order) // 2
            stream = _opened(name, len(np.unique(labels)), order[:half], order[half:], labels, seed)
            nights = [stream.night(rng.choice(len(stream.labels), options.size)) for _ in range(options.nights)]
            raised = sum(map(bool, _alarms([night for night, _ in nights])))
            unlike = np.mean([night.unlike / night.documents for night, _ in nights])
            found.append((raised * 365 / options.nights, np.mean([len(each) for _, each in nights]), unlike))
        table.append([name, *(f"{value:.3f}" for value in np.mean(found, axis=0))])
    show(["quiet", "alarms a year", "proposed a night", "unlike"], table)


def reuters(options: Any) -> None:
    """Print the days of Reuters: news that drifts."""
    rows = _read("reuters21578")
    when = np.array([datetime.strptime(row["date"].strip()[:11].strip(), "%d-%b-%Y").toordinal() for row in rows])
    order = np.argsort(when, kind="stable")
    first, later = order[: int(0.3 * len(order))], order[int(0.3 * len(order)) :]
    labels = when.astype(str)
    stream = _opened("Reuters", 20, first, later, labels, 0)
    days = [np.flatnonzero(stream.labels == day) for day in dict.fromkeys(stream.labels.tolist())]
    nights = [stream.night(day) for day in days if len(day) >= 20]
    raised = _alarms([night for night, _ in nights])
    shares = [night.unlike / night.documents for night, _ in nights]
    show(
        ["Reuters", "days", "documents", "days with an alarm", "proposed a day", "unlike"],
        [
            [
                *("by date", len(nights), len(stream.labels), sum(map(bool, raised))),
                *(f"{np.mean([len(each) for _, each in nights]):.3f}", f"{np.mean(shares):.3f}"),
            ]
        ],
    )


def new(options: Any) -> None:
    table = []
    for name in options.only:
        labels = _labels(name)
        classes = np.unique(labels)
        for size in (20, 50, 200):
            told = []
            for seed in range(4 * options.draws):
                rng = np.random.default_rng(seed)
                unseen = classes[rng.integers(len(classes))]
                order = rng.permutation(len(labels))
                fit = order[: len(order) // 2]
                fit, later = fit[labels[fit] != unseen], order[len(order) // 2 :]
                later = np.concatenate([later, order[: len(order) // 2][labels[order[: len(order) // 2]] == unseen]])
                stream = _opened(name, len(classes) - 1, fit, later, labels, seed)
                ordinary = np.flatnonzero(stream.labels != unseen)
                pool = rng.permutation(np.flatnonzero(stream.labels == unseen))
                nights, first = [], np.inf
                for night in range(_QUIET + 2):
                    rows = rng.choice(ordinary, options.size, replace=False)
                    start = (night - _QUIET) * size
                    some = pool[start : start + size] if night >= _QUIET else pool[:0]
                    if night >= _QUIET and not len(some):
                        some = rng.choice(pool, min(size, len(pool)), replace=False)
                    counts, themes = stream.night(np.concatenate([rows, some]))
                    nights.append(counts)
                    if night >= _QUIET and any(np.mean(stream.labels[each] == unseen) > 0.5 for each in themes):
                        first = min(first, night - _QUIET + 1)
                raised = [night - _QUIET + 1 for night, each in enumerate(_alarms(nights)) if each]
                alarm = min((night for night in raised if night > 0), default=np.inf)
                told.append((first <= 1, first <= 2, alarm <= 1, alarm <= 2))
            table.append([f"{name}, {size} a night", *(f"{value:.2f}" for value in np.mean(told, axis=0))])
    show(["new class", "proposed in 1", "in 2", "alarm in 1", "in 2"], table)


def words(options: Any) -> None:
    table = []
    for name in ("banking77", "news"):
        labels = _labels(name)
        for share in (0.25, 0.5, 1.0):
            told = []
            for seed in range(4 * options.draws):
                rng = np.random.default_rng(seed)
                order = rng.permutation(len(labels))
                half = len(order) // 2
                stream = _opened(name, _CLASSES[name], order[:half], order[half:], labels, seed)
                largest = np.argsort(-np.bincount(stream.groups.labels_, minlength=_CLASSES[name]))
                group = str(rng.choice(largest[: len(largest) // 2]))  # one of a usual size
                nights = []
                for night in range(_QUIET + 10):
                    counts, _ = stream.night(rng.choice(len(stream.labels), options.size))
                    if night >= _QUIET:
                        without = counts.wordless[group]
                        without += int(rng.binomial(counts.groups[group] - without, share))
                        counts = replace(counts, wordless=dict(counts.wordless) | {group: without})
                    nights.append(counts)
                raised = [i - _QUIET + 1 for i, each in enumerate(_alarms(nights)) if f"words:{group}" in each]
                after = min((night for night in raised if night > 0), default=np.inf)
                told.append((after <= 2, after <= 10))
            table.append([f"{name}, {share:.0%} of a group", *(f"{value:.2f}" for value in np.mean(told, axis=0))])
    show(["words change", "alarm in 2", "in 10"], table)


PARTS = {"quiet": quiet, "reuters": reuters, "new": new, "words": words}


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench watch", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help="quiet, reuters, new or words; by default all")
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--nights", type=int, default=365)
    parser.add_argument("--size", type=int, default=100)
    parser.add_argument("--only", nargs="+", choices=_SPACES, default=_SPACES, metavar="NAME")
    options = parser.parse_args(argv)
    data.folder()
    for part in options.parts or PARTS:
        if part not in PARTS:
            parser.error(f"{part!r} is not valid: give {', '.join(PARTS)}")
        PARTS[part](options)
