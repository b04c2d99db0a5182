"""`python -m bench steer words [--collections NAME ...] [--draws N] [--groups N]`: what five words do to a group.

A person gives five words to a group: those that tell its class best. Of the documents of other groups that hold two of
them and are nearer to the group than the median of its members, the table shows how many move there; of all documents
that move, how many are put right and wrong. Groups are numbered by the classes (Hungarian matching); each draw is
another first result, with some groups at random. Sums over groups and draws.
"""

from __future__ import annotations

import argparse

import numpy as np
from sklearn.preprocessing import normalize

from bench.studies.labelled_words import telling
from bench.studies.steer import CASES, begun
from bench.studies.steer_people import numbered
from bench.tables import show
from outgroup.decisions import WordBelongs

FIVE = 5


def moved(name: str, draw: int, count: int) -> np.ndarray:
    """Return the numbers of documents that should move, of these that moved, and that were put right and wrong."""
    session, y, first = begun(name, draw)
    home, rows = numbered(y, first), np.flatnonzero(first.rows)
    spaces, labels = first.model.spaces_, first.labels[rows]
    words, names = telling(spaces.words, y[rows], FIVE), first.model.representation_.names
    total = np.zeros(4, dtype=int)
    for kind in np.random.default_rng(draw).permutation(len(words))[:count]:
        group = int(home[y == kind][0])
        if group < 0 or not (labels == group).any():
            continue
        chosen = np.flatnonzero(words[kind])
        holds = np.asarray((spaces.words[:, chosen] != 0).sum(axis=1)).ravel() >= 2
        centre = normalize(np.asarray(spaces.space[labels == group].mean(axis=0)).reshape(1, -1)).ravel()
        cosines = np.asarray(spaces.space @ centre).ravel()
        should = holds & (labels != group) & (cosines >= np.median(cosines[labels == group]))
        after = session.fit([WordBelongs(names[column], group) for column in chosen], start=first).labels[rows]
        right, now_right = labels == home[rows], after == home[rows]
        total += [
            np.count_nonzero(should),
            np.count_nonzero(should & (after == group)),
            np.count_nonzero(now_right & ~right),
            np.count_nonzero(right & ~now_right),
        ]
    return total


def main(argv: list[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench steer words", description=__doc__)
    parser.add_argument("--collections", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--draws", type=int, default=3, help="default 3")
    parser.add_argument("--groups", type=int, default=4, help="of each draw; default 4")
    given = parser.parse_args(argv)
    rows = []
    for name in given.collections:
        sums = np.sum([moved(name, draw, given.groups) for draw in range(given.draws)], axis=0)
        rows.append([name, *sums.tolist()])
        print(rows[-1], flush=True)
    show(["collection", "near, two words", "of these moved", "put right", "put wrong"], rows)
