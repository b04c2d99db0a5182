"""Print the evidence for the Vectorizer's defaults: NMI of a spherical k-means for one change at a time.

    python -m bench vectorizer-defaults [FOLDER WITH THE COLLECTIONS]

Every setting meets the same starts. A cell is the mean NMI (geometric) over the starts, ± its standard error in
thousandths, and in brackets the number of words; notes: the mean over samples of 200 or 30 notes of 60 words.
"""

from __future__ import annotations

import json
import lzma
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from bench import data
from outgroup.errors import InputError
from outgroup.metrics import nmi
from outgroup.text.vectorizer import Vectorizer

Task = tuple[list[str], list[str]]  # texts, classes

BASE: dict[str, Any] = {
    "min_df": "auto", "max_df": 0.5, "max_features": 20_000, "selection": "document_frequency", "sublinear_tf": True,
}  # fmt: skip
CHANGES: list[dict[str, Any]] = [
    {},
    {"sublinear_tf": False},
    *({"min_df": value} for value in (1, 2, 3, 5)),
    *({"max_df": value} for value in (0.2, 0.35, 0.7, 1.0)),
    *({"max_features": value} for value in (5_000, 10_000, 50_000)),
    *(
        {"max_features": limit, "selection": selection}
        for limit in (1_000, 2_000)
        for selection in ("document_frequency", "total_frequency", "mutual_information")
    ),
    *({"stop_words": None, "max_df": value} for value in (0.2, 0.5, 1.0)),
]
STARTS, SAMPLES, STARTS_OF_A_SAMPLE, NOTE_WORDS = 16, 20, 4, 60


def load(folder: Path, name: str) -> list[dict[str, Any]]:
    with lzma.open(folder / f"{name}.jsonl.xz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def news(folder: Path) -> tuple[Task, Task]:
    rows = load(folder, "20news-18828")
    texts, groups = [row["text"] for row in rows], [row["label"] for row in rows]
    main = [(text, group.split(".")[0]) for text, group in zip(texts, groups, strict=True)]
    four = [(text, group) for text, group in main if group in {"comp", "rec", "sci", "talk"}]
    return (texts, groups), ([text for text, _ in four], [group for _, group in four])


def reuters(folder: Path) -> Task:
    """The ten largest topics, documents of one topic alone."""
    rows = [row for row in load(folder, "reuters21578") if len(row["labels"]) == 1 and row["text"]]
    largest = {topic for topic, _ in Counter(row["labels"][0] for row in rows).most_common(10)}
    rows = [row for row in rows if row["labels"][0] in largest]
    return [row["text"] for row in rows], [row["labels"][0] for row in rows]


def classic(folder: Path) -> Task:
    rows = [row for row in load(folder, "classic4") if row["text"]]
    return [f"{row['title']}\n{row['text']}" for row in rows], [row["label"] for row in rows]


def notes(task: Task, size: int, seed: int) -> Task:
    """A small collection: the first words of the bodies (no headers, no quoted lines) of a few documents."""
    order = np.random.default_rng(seed).permutation(len(task[0]))
    short = []
    for index in order:
        body = task[0][index].partition("\n\n")[2] or task[0][index]
        words = re.sub(r"(?m)^.*(?:^[>|:]|writes:|wrote:|In article).*$", "", body).split()[:NOTE_WORDS]
        short += [(" ".join(words), task[1][index])] if len(words) == NOTE_WORDS else []
    return [text for text, _ in short[:size]], [label for _, label in short[:size]]


def spherical_kmeans(X: Any, k: int, seed: int, steps: int = 30) -> np.ndarray:
    """Batch spherical k-means from k-means++ seeds: labels of shape (n,)."""
    rng = np.random.default_rng(seed)
    chosen = [int(rng.integers(X.shape[0]))]
    nearest = np.zeros(X.shape[0])
    for _ in range(k - 1):
        nearest = np.maximum(nearest, (X @ X[chosen[-1]].toarray().ravel()))
        distance = np.clip(1 - nearest, 1e-9, None)
        chosen.append(int(rng.choice(X.shape[0], p=distance / distance.sum())))
    centres, labels = X[chosen].toarray(), np.full(X.shape[0], -1)
    for _ in range(steps):
        before, labels = labels, np.asarray(X @ centres.T).argmax(axis=1)
        if (before == labels).all():
            break
        for cluster in range(k):
            total = np.asarray(X[labels == cluster].sum(axis=0)).ravel()
            centres[cluster] = total / (np.linalg.norm(total) or 1)
    return labels


def scores(task: Task, setting: dict[str, Any], starts: int) -> tuple[list[float], int]:
    try:
        X = Vectorizer(**setting).fit_transform(task[0])
    except InputError:
        return [float("nan")] * starts, 0
    k = len(set(task[1]))
    return [nmi(task[1], spherical_kmeans(X, k, seed)) for seed in range(starts)], X.shape[1]


def tasks(folder: Path) -> dict[str, list[Task]]:
    twenty, four = news(folder)
    documents = {"news 20": twenty, "news 4": four, "reuters 10": reuters(folder), "classic 4": classic(folder)}
    few = {
        f"{size} notes, {name}": [notes(documents[name], size, seed) for seed in range(SAMPLES)]
        for size in (200, 30)
        for name in ("reuters 10", "classic 4")
    }
    return {name: [task] for name, task in documents.items()} | few


def cell(collections: list[Task], setting: dict[str, Any]) -> str:
    """Mean NMI, its standard error in thousandths (over samples where there are several), and the number of words."""
    starts = STARTS if len(collections) == 1 else STARTS_OF_A_SAMPLE
    results = [scores(task, setting, starts) for task in collections]
    values = np.array([value for value, _ in results])
    independent = values.ravel() if len(collections) == 1 else values.mean(axis=1)
    error = 1000 * independent.std(ddof=1) / np.sqrt(len(independent))
    return f"{independent.mean():.3f} ± {error:.0f} ({np.mean([width for _, width in results]):.0f})"


def main(argv: list[str]) -> None:
    folder = Path(argv[0]) if argv else data.folder()
    columns = tasks(folder)
    print(header(columns), flush=True)
    for change in CHANGES:
        cells = [cell(collections, BASE | change) for collections in columns.values()]
        name = ", ".join(f"{key}={value}" for key, value in change.items()) or "default"
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def header(columns: dict[str, list[Task]]) -> str:
    return "| setting | " + " | ".join(columns) + " |\n" + "|---" * (len(columns) + 1) + "|"


if __name__ == "__main__":
    main(sys.argv[1:])
