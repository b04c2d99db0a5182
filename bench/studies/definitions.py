"""Codebooks: groups from label names, or from names and one sentence, beside the nearest definition and no codebook.

`python -m bench codebook [COLLECTION ...]`: accuracy and NMI, the means of three draws of at most 3,000 documents. With
a codebook and with the nearest definition, a document is right in the code of its label; without a codebook, groups are
matched to labels one to one. The nearest definition has the highest cosine: of vectors where groups use them, else of
words. `definitions.toml` holds the codes.
"""

from __future__ import annotations

import tomllib
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from sklearn.preprocessing import normalize

from bench import data
from bench.tables import begin, line
from outgroup import DocumentClustering
from outgroup.metrics import accuracy, nmi

CODES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
DOCUMENTS, DRAWS = 3_000, 3
Scores = tuple[float, float]


def collection(name: str) -> tuple[list[str], np.ndarray]:
    """Return the texts with one label that has a code, and the places of their codes."""
    place = {label: number for number, label in enumerate(CODES[name])}
    found = []
    for row in data.records(data.folder() / f"{name}.jsonl.xz"):
        labels = row["labels"] if "labels" in row else [row["label"]]
        if len(labels) == 1 and labels[0] in place and row["text"].strip():
            found.append((row["text"], place[labels[0]]))
    return [text for text, _ in found], np.array([code for _, code in found])


def draw(texts: Sequence[str], y: np.ndarray, seed: int) -> tuple[list[str], np.ndarray]:
    rows = np.sort(np.random.default_rng(seed).permutation(len(texts))[:DOCUMENTS])
    return [texts[row] for row in rows.tolist()], y[rows]


def by_code(y: np.ndarray, codes: np.ndarray) -> Scores:
    return float(np.mean(codes == y)), float(nmi(y, codes))


def without(texts: list[str], y: np.ndarray, k: int) -> Scores:
    labels = DocumentClustering(k, random_state=0).fit(texts).labels_
    return float(accuracy(y, labels)), float(nmi(y, labels))


def measured(texts: list[str], y: np.ndarray, codes: dict[str, str]) -> tuple[Scores, Scores]:
    """Return the scores of the groups from the codes, and of the nearest definitions."""
    groups = DocumentClustering(codebook=codes, random_state=0).fit(texts)
    place = {name: number for number, name in enumerate(codes)}
    of_group = np.array([*(place.get(name or "", -1) for name in groups.names_ or ()), -1])
    representation, rows = groups.representation_, groups.spaces_
    given = [": ".join(filter(None, each)) for each in codes.items()]
    vectors = representation.vectors(given, None, "definitions")
    if vectors is None:
        scores = np.asarray((rows.words @ representation.vectorizer.transform(given).T).todense())
    else:
        scores = normalize(rows.unaveraged) @ vectors.T
    nearest = np.full(len(texts), -1)
    nearest[groups.kept_] = np.where(scores.max(axis=1) > 0, scores.argmax(axis=1), -1)
    return by_code(y, of_group[groups.labels_]), by_code(y, nearest)


def main(argv: Sequence[str]) -> None:
    warnings.simplefilter("ignore")
    begin(["collection", "codes", "codebook", "nearest definition", "no codebook"])
    for name in argv or CODES:
        texts, y = collection(name)
        found: dict[str, list[Sequence[Scores]]] = {"names": [], "names and a sentence": []}
        for seed in range(DRAWS):
            some, own = draw(texts, y, seed)
            bare = without(some, own, len(CODES[name]))
            for kind, rows in found.items():
                codes = {code: "" if kind == "names" else text for code, text in CODES[name].values()}
                rows.append((*measured(some, own, codes), bare))
        for kind, rows in found.items():
            line([name, kind, *(f"{acc:.3f} / {info:.3f}" for acc, info in np.mean(rows, axis=0).tolist())])
