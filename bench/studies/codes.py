"""Codes in the next wave: `python -m bench codes [--draws N] [--only NAME ...]`.

Wave 1 has some documents and their groups as codes; wave 2 has the same and 30 % new ones. The share of the old
documents that keep their code: with `--from` (`Session.after`), and with the codebook alone, whose keywords and
examples start the groups anew. Beside it, the share of codes that keep their name with `--from`, and the agreement
(adjusted Rand index) of the groups of two fits without either.
"""

from __future__ import annotations

import argparse
import warnings
from dataclasses import replace

import numpy as np
from sklearn.metrics import adjusted_rand_score

from bench import data
from bench.tables import show
from outgroup import DocumentClustering
from outgroup.session import Past, Session

COLLECTIONS = {
    "banking77": ("banking77.jsonl.xz", 40),
    "20 Newsgroups": ("20news-18828.jsonl.xz", 20),
    "Classic4": ("classic4.jsonl.xz", 12),
    "Reuters": ("reuters21578.jsonl.xz", 20),
}
"""The file and the number of groups of each collection."""

_WAVE = 1_000  # documents of wave 1
_NEW = 0.3  # of them, new in wave 2


def measured(texts: list[str], k: int, seed: int) -> dict[str, float]:
    """Return the figures of one draw of two waves."""
    rng = np.random.default_rng(seed)
    drawn = rng.permutation(len(texts))[: round(_WAVE * (1 + _NEW))]
    ids = [str(row) for row in drawn]
    second = [texts[row] for row in drawn]
    first = DocumentClustering(k, random_state=seed).fit(second[:_WAVE], ids=ids[:_WAVE])
    book = first.codebook()
    named = {code.number: code.name for code in book.codes}
    codes = np.array([named.get(label, "") for label in first.labels_.tolist()])
    past = replace(Past.of_model(first, ids[:_WAVE], second[:_WAVE]), called=named)
    version = Session.after(past, second, ids=ids, random_state=seed).begin()
    started = DocumentClustering(len(book.starting), random_state=seed)
    started.fit(second, ids=ids, **book.seeds(second, ids, vectorizer=first.vectorizer_))
    names = np.array([*(started.names_ or []), ""], dtype=object)[started.labels_]
    anew = DocumentClustering(k, random_state=seed).fit(second, ids=ids).labels_
    coded = first.labels_ >= 0
    return {
        "--from": float(np.mean(version.labels[:_WAVE][coded] == first.labels_[coded])),
        "names kept": float(np.mean([version.called.get(number) == name for number, name in named.items()])),
        "--codebook": float(np.mean(names[:_WAVE][coded] == codes[coded])),
        "ARI of two fits": float(adjusted_rand_score(first.labels_, anew[:_WAVE])),
    }


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench codes", description=__doc__)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=[*COLLECTIONS], default=[*COLLECTIONS], metavar="NAME")
    options = parser.parse_args(argv)
    table, names = [], list[str]()
    for name in options.only:
        file, k = COLLECTIONS[name]
        texts = [row["text"] for row in data.records(data.folder() / file) if row["text"].strip()]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            draws = [measured(texts, k, seed) for seed in range(options.draws)]
        names = list(draws[0])
        table.append([name, *(f"{np.mean([draw[each] for draw in draws]):.3f}" for each in names)])
    show(["collection", *names], table)
