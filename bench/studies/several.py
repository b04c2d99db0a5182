"""Several groups of a document: `python -m bench several [--draws N]`.

Micro-F1 of the topics of Reuters' documents with two or more of the ten most frequent topics. The groups are these
topics, learnt from the documents of one topic; or they are found among all, and each topic stands for one group
(Hungarian matching). A threshold is chosen on one half of the documents and applied to the other; `at 0.05` has a fixed
one. Windows of words are compared with the class-based TF-IDF of the groups (cosines below .1 count nothing) and added
up, the form of BERTopic's `approximate_distribution`, whose default is 4 words.
"""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import normalize

from bench import data
from bench.tables import show
from outgroup import DocumentClustering

K, LEAST = 10, 0.05


def micro_f1(chosen: Any, true: Any) -> float:
    """Return the micro-F1 of chosen topics, (n, k) bool each.

    >>> micro_f1(np.array([[True, False]]), np.array([[True, True]]))
    0.6666666666666666
    """
    return float(2 * (chosen & true).sum() / (chosen.sum() + true.sum()))


def crossed_f1(p: Any, true: Any) -> float:
    """Return the micro-F1 with a threshold for each half of the documents that is the best of the other half."""
    half, choices = np.arange(len(true)) % 2 == 0, np.linspace(0.01, 0.6, 60)
    best = [choices[np.argmax([micro_f1(p[own] >= least, true[own]) for least in choices])] for own in (half, ~half)]
    return micro_f1(p >= np.where(half, best[1], best[0])[:, None], true)


def windowed(fitted: list[str], labels: Any, texts: list[str], width: int) -> Any:
    """Return the shares of groups in texts by windows of class-based TF-IDF, (n, k)."""
    counter = CountVectorizer(stop_words="english")
    counts = np.eye(K)[labels].T @ counter.fit_transform(fitted)
    idf = np.log1p(counts.sum() / K / counts.sum(axis=0))
    words, cut, found = normalize(normalize(counts, norm="l1") * idf), counter.build_tokenizer(), []
    for text in texts:
        tokens = cut(text.lower())
        each = [" ".join(tokens[at : at + width]) for at in range(max(1, len(tokens) - width + 1))]
        cosines = np.asarray(normalize(counter.transform(each).multiply(idf).tocsr()) @ words.T)
        found.append(np.where(cosines >= 0.1, cosines, 0).sum(axis=0))
    return normalize(found, norm="l1")


def measured(one: list[str], topics: Any, several: list[str], true: Any, found: bool, seed: int) -> dict[str, float]:
    """Return the figures of one fit."""
    texts = [*one, *several] if found else one
    groups = DocumentClustering(K, random_state=seed).fit(texts, seeds=None if found else topics)
    inside = np.flatnonzero(groups.labels_ >= 0)
    own, crossed = inside[inside < len(one)], np.zeros((K, K))
    np.add.at(crossed, (topics[own], groups.labels_[own]), 1)
    column = linear_sum_assignment(crossed, maximize=True)[1]  # the group that stands for each topic
    p = groups.several_[-len(several) :] if found else groups.predict_several(several)
    ways = {"several": p, "whole text": groups.predict_proba(several)}
    told = [texts[row] for row in inside]
    ways |= {f"windows of {n}": windowed(told, groups.labels_[inside], several, n) for n in (4, 16)}
    fixed = {f"at {LEAST}": micro_f1(np.nan_to_num(p)[:, column] >= LEAST, true)}
    return fixed | {name: crossed_f1(np.nan_to_num(each)[:, column], true) for name, each in ways.items()}


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench several", description=__doc__)
    parser.add_argument("--draws", type=int, default=3)
    draws, rows = parser.parse_args(argv).draws, data.records(data.folder() / "reuters21578.jsonl.xz")
    often = Counter(row["labels"][0] for row in rows if len(row["labels"]) == 1).most_common(K)
    number = {topic: place for place, (topic, _) in enumerate(often)}
    held = [[number[topic] for topic in row["labels"] if topic in number] for row in rows]
    one = [i for i, row in enumerate(rows) if len(row["labels"]) == 1 and held[i]]
    several = [i for i in range(len(rows)) if len(held[i]) > 1]
    true, y = np.array([np.isin(np.arange(K), held[i]) for i in several]), np.array([held[i][0] for i in one])
    given, table = [[rows[i]["text"] for i in own] for own in (one, several)], []
    for name, found in {"topics as groups": False, "found groups": True}.items():
        each = [measured(given[0], y, given[1], true, found, seed) for seed in range(draws)]
        table.append([name, *(f"{np.mean([draw[way] for draw in each]):.3f}" for way in each[0])])
    print(f"{len(one):,} documents of one topic, {len(several)} of several")
    show(["groups", *each[0]], table)
