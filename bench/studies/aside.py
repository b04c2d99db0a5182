"""Junk set aside: `python -m bench aside COLLECTION [--draws N] [--method max-margin|spherical] [--neighbours]`.

Over paired draws of what is hidden: how much goes out, and whether the groups of the on-topic documents are those that
the collection without junk has (adjusted Rand index with the same clusterer's fit of it): with the junk flagged only,
set aside, and for a second seed on the collection without junk. With `--neighbours` rows are averaged with those beside
them, as `neighbours="auto"` does, and so are examples; those of the clean collection as they are in the whole one. A
group's first ten words are of junk where more than five of them are in a larger share of the hidden junk than of the
on-topic documents in the group.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from scipy import stats

from bench.data.hidden import ASIDE, Hidden
from bench.tables import show
from outgroup import MaxMarginClustering, SphericalKMeans
from outgroup.metrics import adjusted_rand, nmi
from outgroup.summary.words import GroupedRows, distinctive

_WAYS = ("flagged only", "set aside", "without junk, second seed")
_METHODS = {"max-margin": MaxMarginClustering, "spherical": SphericalKMeans}


def main(argv: list[str]) -> None:
    """Print the table of one collection."""
    parser = argparse.ArgumentParser(prog="python -m bench aside", description=__doc__)
    parser.add_argument("collection", choices=ASIDE)
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--method", choices=_METHODS, default="max-margin")
    parser.add_argument("--neighbours", action="store_true")
    given = parser.parse_args(argv)
    found = []
    for seed in range(given.draws):
        each = ASIDE[given.collection].draw(seed)
        found.append(_measured(each.averaged() if given.neighbours else each, _METHODS[given.method], seed))
        print(seed, {name: np.round(value, 3) for name, value in found[-1].items()}, flush=True)
    beside = ", neighbours" if given.neighbours else ""
    _tell(found, f"{given.collection}, {given.method}{beside}, {given.draws} draws")


def _tell(found: list[dict[str, Any]], title: str) -> None:
    means = {name: np.array([each[name] for each in found]) for name in found[0]}
    header = ["groups of the on-topic documents", "agreement with the clean collection (ARI)", "NMI", "groups of junk"]
    rows = [
        [way, float(means["ari"][:, i].mean()), float(means["nmi"][:, i].mean()), float(means["words"][:, i].mean())]
        for i, way in enumerate(_WAYS)
    ]
    show(header, rows, title)
    gain = means["ari"][:, 1] - means["ari"][:, 0]
    half = stats.t.ppf(0.975, max(len(gain) - 1, 1)) * gain.std(ddof=min(1, len(gain) - 1)) / np.sqrt(len(gain))
    lost = f"{means['lost'].mean():.1%} (at most {means['lost'].max():.1%})"
    print(f"junk out {means['recall'].mean():.1%}, on-topic out {lost}; agreement "
          f"{gain.mean():+.3f} (95 % {gain.mean() - half:+.3f} to {gain.mean() + half:+.3f})")  # fmt: skip


def _measured(each: Hidden, method: Any, seed: int) -> dict[str, Any]:
    clean = method(each.k, random_state=seed).fit(each.X[~each.junk]).labels_
    second = method(each.k, random_state=1000 + seed).fit(each.X[~each.junk]).labels_
    flagged = method(each.k, random_state=seed, set_aside=False).fit(each.rows, universum=each.universum)
    apart = method(each.k, random_state=seed).fit(each.rows, universum=each.universum)
    own = [groups.predict(each.X, off_topic=False)[~each.junk] for groups in (flagged, apart)]
    y, out = each.y[~each.junk], apart.labels_ < 0
    return {
        "recall": out[each.junk].mean(),
        "lost": out[~each.junk].mean(),
        "ari": [adjusted_rand(clean, labels) for labels in (*own, second)],
        "nmi": [nmi(y, labels) for labels in (*own, second)],
        "words": [_of_junk(each, flagged.labels_), _of_junk(each, apart.labels_), 0],
    }


def _of_junk(each: Hidden, labels: np.ndarray) -> int:
    """Return how many groups have first words of junk."""
    inside = labels >= 0
    k = int(labels.max()) + 1
    names = [str(column) for column in range(each.words.shape[1])]
    words = distinctive(GroupedRows.of(each.words, labels, k, inside), np.zeros((k, each.words.shape[1])), names, 10)
    present = each.words[each.junk] != 0
    count = 0
    for group, told in enumerate(words):
        columns = [int(word) for word, _ in told]
        own = each.words[(labels == group) & ~each.junk] != 0
        if columns and own.shape[0]:
            more = present[:, columns].mean(axis=0) > own[:, columns].mean(axis=0)
            count += int(np.asarray(more).sum() > len(columns) / 2)
        elif columns:
            count += 1
    return count
