"""Names of groups: `python -m bench names [--draws N] [--print]`.

Recall of the content words of a class's label in the name of the group that holds most of it, with the encoder and by
words alone, and of as many words of a class-based TF-IDF, on the same groups. `--print` lists all names.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer

from bench import data
from bench.tables import show
from outgroup import DocumentClustering
from outgroup.naming import group_words
from outgroup.text.encoder import MEANING, MeaningEncoder
from outgroup.text.tokenizer import stem, stop_words

_WORD = re.compile(r"[^\W\d_]+")
_STOP = stop_words("english")

# What a class is about, in words; the files hold codes.
NEWS = {
    "comp.graphics": "graphics", "comp.os.ms-windows.misc": "windows", "comp.sys.ibm.pc.hardware": "pc hardware",
    "comp.sys.mac.hardware": "mac hardware", "comp.windows.x": "windows x", "misc.forsale": "sale",
    "rec.autos": "autos", "rec.motorcycles": "motorcycles", "rec.sport.baseball": "baseball",
    "rec.sport.hockey": "hockey", "sci.crypt": "cryptography", "sci.electronics": "electronics",
    "sci.med": "medicine", "sci.space": "space", "soc.religion.christian": "religion christian",
    "talk.politics.guns": "politics guns", "talk.politics.mideast": "politics mideast",
    "talk.politics.misc": "politics", "talk.religion.misc": "religion", "alt.atheism": "atheism",
}  # fmt: skip
ABSTRACTS = {
    "MED": "medical",
    "CISI": "information library",
    "CRAN": "aerodynamics",
    "CACM": "algorithms computers",
}
WIRE = {
    "earn": "earnings", "acq": "acquisitions", "money-fx": "money exchange", "grain": "grain", "crude": "crude oil",
    "trade": "trade", "interest": "interest", "ship": "shipping", "wheat": "wheat", "corn": "corn",
}  # fmt: skip
PAGES = ("course", "department", "faculty", "project", "student")


class Collection(NamedTuple):
    """Texts, and the label of each in words."""

    texts: list[str]
    labels: list[str]


def _records(name: str) -> list[dict[str, Any]]:
    return data.records(data.folder() / f"{name}.jsonl.xz")


def _banking() -> Collection:
    rows = _records("banking77")
    return Collection([row["text"] for row in rows], [row["label"].replace("_", " ") for row in rows])


def _news() -> Collection:
    rows = _records("20news-18828")
    texts = [re.sub(r"\AFrom:.*\n", "", row["text"]) for row in rows]
    return Collection(texts, [NEWS[row["label"]] for row in rows])


def _pages(name: str) -> Callable[[], Collection]:
    def rows() -> Collection:
        kept = [row for row in _records(name) if row["label"] in PAGES]
        return Collection([row["text"] for row in kept], [row["label"] for row in kept])

    return rows


def _abstracts() -> Collection:
    rows = _records("classic4")
    texts = [f"{row['title']}. {row['text']}" for row in rows]
    return Collection(texts, [ABSTRACTS[row["label"].upper()] for row in rows])


def _wire() -> Collection:
    found = Collection([], [])
    for row in _records("reuters21578"):
        topics = [label for label in row["labels"] or [] if label in WIRE]
        if len(topics) == 1:
            found.texts.append(f"{row['title']}. {row['text']}")
            found.labels.append(WIRE[topics[0]])
    return found


COLLECTIONS: dict[str, Callable[[], Collection]] = {
    "banking77": _banking,
    "20 Newsgroups": _news,
    "webkb-all": _pages("webkb-all"),
    "webkb-wc": _pages("webkb-wc"),
    "Classic4": _abstracts,
    "Reuters, ten topics": _wire,
}


def content(text: str) -> list[str]:
    """Return the stems of the words of a text without stop words."""
    return stem([word for word in _WORD.findall(text.lower()) if word not in _STOP])


def recall(label: str, name: list[str]) -> float:
    """Return the share of a label's words in a name; a word and a longer one that begins with it are the same."""

    def same(one: str, other: str) -> bool:
        return one == other or (min(len(one), len(other)) >= 4 and (one.startswith(other) or other.startswith(one)))

    words = content(label)
    return float(np.mean([any(same(word, other) for other in name) for word in words])) if words else float("nan")


def by_frequency(counts: Any, labels: np.ndarray, k: int) -> np.ndarray:
    """Return the class-based TF-IDF of each word, (k, V): tf log(1 + A / f), A the mean number of words of a group."""
    members = sp.csr_matrix((np.ones(len(labels)), (labels, np.arange(len(labels)))), shape=(k, len(labels)))
    total = np.asarray((members @ counts).todense())
    weight = np.log(1 + total.sum() / k / np.maximum(total.sum(axis=0), 1))
    return np.asarray(total / np.maximum(total.sum(axis=1, keepdims=True), 1) * weight)


def measured(given: Collection, seed: int) -> tuple[dict[str, list[float]], list[tuple[str, str]]]:
    """Return recall of the names and of the ranking, uniqueness and length; and the label and name of each group."""
    k = len(set(given.labels))
    found = DocumentClustering(k, encoder=None, random_state=seed).fit(given.texts).labels_
    inside = np.flatnonzero(found >= 0)
    texts, labels = [given.texts[row] for row in inside], found[inside]
    of = np.array(given.labels, dtype=object)[inside]
    groups = np.unique(labels).tolist()
    most = {group: max(set(own := of[labels == group].tolist()), key=own.count) for group in groups}
    encode = MeaningEncoder(MEANING.names).encode
    names, by_words = (list(map(str, group_words(texts, labels, k, encode=used))) for used in (encode, None))
    counter = CountVectorizer(stop_words=sorted(_STOP), token_pattern=r"[^\W\d_]{2,}")
    counts = counter.fit_transform(texts)
    vocabulary = counter.get_feature_names_out()
    order = np.argsort(-by_frequency(counts, labels, k), axis=1)
    score: dict[str, list[float]] = {"names": [], "by words": [], "c-TF-IDF": [], "words": []}
    for group in groups:
        words = _WORD.findall(names[group])
        score["names"].append(recall(most[group], content(names[group])))
        score["by words"].append(recall(most[group], content(by_words[group])))
        score["words"].append(len(words))
        own = vocabulary[order[group][: len(words)]].tolist()
        score["c-TF-IDF"].append(recall(most[group], stem(own)))
    score["unique"] = [len({names[group].lower() for group in groups}) / len(groups)]
    return score, [(most[group], names[group]) for group in groups]


_COLUMNS = ("names", "by words", "c-TF-IDF", "unique", "words")


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench names", description=__doc__)
    parser.add_argument("--draws", type=int, default=3, help="fits of each collection")
    parser.add_argument("--print", action="store_true", help="list the names of the first draw")
    options = parser.parse_args(argv)
    table, listed = [], []
    for name, collection in COLLECTIONS.items():
        given = collection()
        draws = [measured(given, seed) for seed in range(options.draws)]
        listed += [f"\n{name}", *(f"  {label:40} {called}" for label, called in draws[0][1])]
        means = {key: float(np.nanmean([np.nanmean(score[key]) for score, _ in draws])) for key in draws[0][0]}
        table.append([name, *(f"{means[key]:.3f}" for key in _COLUMNS)])
    columns = list(zip(*table, strict=True))[1:]
    table.append(["mean", *(f"{np.mean([float(each) for each in column]):.3f}" for column in columns)])
    show(["collection", *_COLUMNS[:-1], "words a name"], table)
    if options.print:
        print("\n".join(listed))
