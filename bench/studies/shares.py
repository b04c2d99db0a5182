"""Several groups of a document: `python -m bench shares [--draws N]`.

Reuters' ten topics with the most documents of one topic. The groups are these topics (the documents of one topic as
seeds), or they are found among all documents and each topic stands for one group (Hungarian matching). Micro-F1 of the
topics of documents with two or more of them: a group holds a document if its share passes a threshold, chosen on one
half of them and applied to the other. Beside `shares`: the probabilities of the whole text; and windows of 4 or 16
words, each compared with the class-based TF-IDF of the groups (cosines below .1 count nothing) and added up, the form
of BERTopic's `approximate_distribution`, with 4 as its default.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.feature_extraction.text import CountVectorizer

from bench import data
from bench.tables import show
from outgroup import DocumentClustering

K = 10
WINDOWS = (4, 16)
THRESHOLDS = np.linspace(0.02, 0.6, 59)
_LEAST = 0.1  # cosine of a window that counts
_WORD = re.compile(r"\b\w\w+\b")


def micro_f1(chosen: np.ndarray, true: np.ndarray) -> float:
    """Return the micro-F1 of chosen topics, (n, k) bool each.

    >>> micro_f1(np.array([[True, False]]), np.array([[True, True]]))
    0.6666666666666666
    """
    return float(2 * (chosen & true).sum() / (chosen.sum() + true.sum()))


def crossed_f1(shares: np.ndarray, true: np.ndarray) -> float:
    """Return the micro-F1 with a threshold for each half of the documents that is the best of the other half."""
    half = np.arange(len(true)) % 2 == 0
    best = [
        THRESHOLDS[np.argmax([micro_f1(shares[part] >= least, true[part]) for least in THRESHOLDS])]
        for part in (half, ~half)
    ]
    return micro_f1(shares >= np.where(half, best[1], best[0])[:, None], true)


def windowed(fitted: Sequence[str], labels: np.ndarray, texts: Sequence[str], width: int) -> np.ndarray:
    """Return the shares of groups in texts by windows of class-based TF-IDF, (n, k)."""
    counter = CountVectorizer(stop_words="english")
    counts = np.eye(K)[labels].T @ counter.fit_transform(fitted)
    idf = np.log1p(counts.sum() / K / counts.sum(axis=0))
    words = counts / counts.sum(axis=1, keepdims=True) * idf
    words /= np.linalg.norm(words, axis=1, keepdims=True)
    found = np.zeros((len(texts), K))
    for row, text in enumerate(texts):
        tokens = _WORD.findall(text.lower())
        each = [" ".join(tokens[at : at + width]) for at in range(max(1, len(tokens) - width + 1))]
        rows = counter.transform(each).multiply(idf).tocsr()
        lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
        cosines = (rows @ words.T) / np.where(lengths > 0, lengths, 1)[:, None]
        found[row] = np.where(cosines >= _LEAST, cosines, 0).sum(axis=0)
    return found / np.maximum(found.sum(axis=1, keepdims=True), 1e-12)


def matched(labels: np.ndarray, topics: np.ndarray) -> np.ndarray:
    """Return the group that stands for each topic, (k,)."""
    crossed = np.zeros((K, K))
    np.add.at(crossed, (topics, labels), 1)
    return np.asarray(linear_sum_assignment(crossed, maximize=True)[1])


def measured(
    one: Sequence[str], y: np.ndarray, several: Sequence[str], true: np.ndarray, found: bool, seed: int
) -> Any:
    """Return the figures of one fit."""
    fitted = [*one, *several] if found else one
    groups = DocumentClustering(K, random_state=seed).fit(fitted, seeds=None if found else y)
    inside = groups.labels_ >= 0
    own = inside[: len(one)]
    column = matched(groups.labels_[: len(one)][own], y[own]) if found else np.arange(K)
    told = [text for text, there in zip(fitted, inside, strict=True) if there]
    ways = {"shares": groups.shares(several), "whole text": groups.predict_proba(several)}
    ways |= {f"windows of {width}": windowed(told, groups.labels_[inside], several, width) for width in WINDOWS}
    return {name: crossed_f1(np.nan_to_num(each)[:, column], true) for name, each in ways.items()}


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench shares", description=__doc__)
    parser.add_argument("--draws", type=int, default=3)
    options = parser.parse_args(argv)
    rows = data.records(data.folder() / "reuters21578.jsonl.xz")
    often = Counter(row["labels"][0] for row in rows if len(row["labels"]) == 1)
    number = {topic: place for place, (topic, _) in enumerate(often.most_common(K))}
    held = [[number[topic] for topic in row["labels"] if topic in number] for row in rows]
    one = [i for i, row in enumerate(rows) if len(row["labels"]) == 1 and held[i]]
    several = [i for i in range(len(rows)) if len(held[i]) > 1]
    true = np.array([np.isin(np.arange(K), held[i]) for i in several])
    texts = [row["text"] for row in rows]
    y = np.array([held[i][0] for i in one])
    given = [texts[i] for i in one], y, [texts[i] for i in several], true
    table, names = [], list[str]()
    for name, found in {"topics as groups": False, "found groups": True}.items():
        draws = [measured(*given, found, seed) for seed in range(options.draws if found else 1)]
        names = list(draws[0])
        table.append([name, *(f"{np.mean([draw[each] for draw in draws]):.3f}" for each in names)])
    print(f"{len(one):,} documents of one topic, {len(several)} of several")
    show(["groups", *names], table)
