"""`python -m bench representations [COLLECTION ...] [--draws N] [--size N]`: groups by words, by vectors, and by both.

`DocumentClustering` on random draws of each collection: by words alone, by words and the vectors of the encoder as
"auto" chooses them, by the same vectors alone, and by given all-MiniLM-L6-v2 vectors where the collection has them.
NMI and ARI are means and deviations over the draws; `ratio` is how well vectors predict the words of a text relative to
its other words, `characters` the excerpts that "auto" reads (0: words alone). Seconds are of the processor.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter
from typing import Any

import numpy as np

from bench import data
from bench.tables import show
from outgroup import DocumentClustering, SphericalKMeans
from outgroup.metrics import adjusted_rand, nmi
from outgroup.text.encoder import MEANING, MeaningEncoder

FILES = {
    "20 Newsgroups": "20news-18828",
    "banking77": "banking77",
    "Classic4": "classic4",
    "WebKB": "webkb-all",
    "Reuters": "reuters21578",
    "RCV1 bags": "rcv1-top",
}
VECTORS = {"20 Newsgroups": "ng20-minilm.npy", "banking77": "banking77-minilm.npy"}
FEWEST = 100
"""Documents of a class; documents of smaller classes, or of several, are left out."""


def main(arguments: list[str]) -> None:
    """Print a row for each representation of the collections named, or of all."""
    parser = argparse.ArgumentParser(prog="python -m bench representations", description=__doc__)
    parser.add_argument("collections", nargs="*", choices=[*FILES, []], default=[])
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--size", type=int, default=4000)
    options = parser.parse_args(arguments)
    rows = []
    for name in options.collections or FILES:
        measures: dict[str, list[dict[str, float]]] = {}
        for draw in range(options.draws):
            for way, measured in _draw(name, draw, options.size).items():
                measures.setdefault(way, []).append(measured)
        for way, draws in measures.items():
            rows.append([name, way, *(_mean([one[key] for one in draws]) for key in draws[0])])
            print(rows[-1], flush=True)
    show(["collection", "rows", "NMI", "ARI", "ratio", "characters", "seconds"], rows)


def _draw(name: str, draw: int, size: int) -> dict[str, dict[str, float]]:
    """Return the measures of each representation on a random draw."""
    texts, classes, place = _documents(name)
    drawn = np.random.default_rng(draw).permutation(len(texts))[:size]
    texts, y = [texts[row] for row in drawn], np.unique(classes[drawn], return_inverse=True)[1]
    k = int(y.max()) + 1
    model, auto = DocumentClustering(k, random_state=draw), {}
    found = {"words": _measured(y, DocumentClustering(k, encoder=None, random_state=draw).fit, texts)}
    found["auto"] = auto = _measured(y, model.fit, texts)
    choice = model.representation_.choice
    assert choice is not None
    auto["ratio"], auto["characters"] = choice.ratio, choice.encoder.characters if choice.encoder else 0
    encoder = choice.encoder or MeaningEncoder(MEANING.budgets[-1])
    vectors = encoder.encode(texts)
    found["vectors"] = _measured(y, SphericalKMeans(k, random_state=draw).fit, vectors)
    if name in VECTORS:
        given = np.load(data.folder() / VECTORS[name], mmap_mode="r")[place[drawn]].astype(np.float32)
        found["given, both"] = _measured(y, DocumentClustering(k, random_state=draw).fit, texts, embeddings=given)
        found["given"] = _measured(y, SphericalKMeans(k, random_state=draw).fit, given)
    return found


def _documents(name: str) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Return the texts with one class of 100 documents or more, their classes, and their places in the file."""
    records = data.records(data.folder() / f"{FILES[name]}.jsonl.xz")
    labels = [one.get("labels") or [one.get("label")] for one in records]
    counts = Counter(own[0] for own in labels if len(own) == 1)
    kept = [row for row, own in enumerate(labels) if len(own) == 1 and own[0] and counts[own[0]] >= FEWEST]
    texts = [re.sub(r"^\n", "", f"{records[row].get('title') or ''}\n{records[row]['text']}") for row in kept]
    return texts, np.array([labels[row][0] for row in kept]), np.array(kept)


def _measured(y: np.ndarray, fit: Any, *given: Any, **more: Any) -> dict[str, float]:
    began = time.process_time()
    labels = fit(*given, **more).labels_
    seconds = time.process_time() - began
    return {"NMI": nmi(y, labels), "ARI": adjusted_rand(y, labels), "ratio": 0, "characters": 0, "seconds": seconds}


def _mean(values: list[float]) -> str:
    return f"{np.mean(values):.3f} ± {np.std(values):.3f}" if max(values) < 10 else f"{np.mean(values):.0f}"
