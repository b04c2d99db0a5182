"""Six languages, three topics, eight sentences each: are the topics found, by default and with the language named?"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from bench.tables import begin, line
from outgroup import DocumentClustering, Vectorizer
from outgroup.errors import MissingExtraError
from outgroup.metrics import accuracy, nmi

SENTENCES = Path(__file__).with_name("languages.json")
UNSPACED = ("chinese", "japanese", "thai")


def main(argv: list[str]) -> None:
    """Print a Markdown table: accuracy and NMI, means over seeds."""
    parser = argparse.ArgumentParser(prog="python -m bench languages", description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    seeds = range(parser.parse_args(argv).seeds)
    texts = json.loads(SENTENCES.read_text(encoding="utf-8"))
    begin(["language", "words", "skipped", "accuracy", "NMI", "first words of the groups"])
    for language, topics in texts.items():
        for name, options in _ways(language):
            line([language, name, *_row(topics, options, seeds)])


def _ways(language: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the settings to compare: as English, the language named, and words of a dictionary."""
    ways: list[tuple[str, dict[str, Any]]] = [("default", {}), (f"`--language {language}`", {"language": language})]
    if language in UNSPACED:
        ways.append(("`--segmentation words`", {"language": language, "segmentation": "words"}))
    return ways


def _row(topics: dict[str, list[str]], options: dict[str, Any], seeds: range) -> list[str]:
    texts = [text for each in topics.values() for text in each]
    truth = np.repeat(np.arange(len(topics)), [len(each) for each in topics.values()])
    try:
        fits = [_fit(texts, options, seed, len(topics)) for seed in seeds]
    except MissingExtraError as error:
        return [str(error), "", "", ""]
    kept = [fit.labels_ >= 0 for fit in fits]
    found = [(accuracy(truth[k], f.labels_[k]), nmi(truth[k], f.labels_[k])) for f, k in zip(fits, kept, strict=True)]
    means = np.mean(found, axis=0)
    words = "; ".join(", ".join(each) for each in _words(fits[0]))
    return [f"{len(texts) - int(kept[0].sum())}", f"{means[0]:.2f}", f"{means[1]:.2f}", words]


def _fit(texts: list[str], options: dict[str, Any], seed: int, k: int) -> DocumentClustering:
    return DocumentClustering(k, encoder=None, vectorizer=Vectorizer(**options), random_state=seed).fit(texts)


def _words(model: DocumentClustering, count: int = 3) -> list[list[str]]:
    names = model.vectorizer_.get_feature_names_out()
    return [[str(names[at]) for at in np.argsort(-row)[:count]] for row in model.word_coef_]
