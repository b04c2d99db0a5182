"""A group that documents begin takes what is clearly more like them than like its own group, and nothing else."""

import re

import numpy as np
import pytest

from outgroup.decisions import Merge, NewGroup, Split
from outgroup.session import Session

SIZES = {"first": 60, "second": 60, "third": 24}
NAMES = np.repeat(list(SIZES), list(SIZES.values()))
THIRD = np.flatnonzero(NAMES == "third")


def vectors():
    """Three classes apart; half of the third lies a little towards the first, half towards the second."""
    rng = np.random.default_rng(0)
    means = {"first": [1, 0, 0, 0], "second": [0, 1, 0, 0], "third": [0, 0, 1, 0]}
    X = np.array([means[name] for name in NAMES], dtype=float) + 0.05 * rng.normal(size=(len(NAMES), 4))
    X[THIRD[::2], 0] += 0.3
    X[THIRD[1::2], 1] += 0.3
    return (X / np.linalg.norm(X, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture(scope="module")
def session():
    texts = [f"{name} word{row % 7}" for row, name in enumerate(NAMES)]
    return Session(texts, n_clusters=2, embeddings=vectors(), neighbours=0)


@pytest.fixture(scope="module")
def first(session):
    """The third class is in both groups."""
    version = session.fit()
    assert set(version.labels[THIRD].tolist()) == {0, 1}
    return version


def moved(before, after):
    return np.flatnonzero(before.labels != after.labels)


@pytest.mark.parametrize("count", [1, 3])
def test_a_theme_that_is_in_no_one_group_becomes_one(session, first, count):
    decision = NewGroup(tuple(map(str, THIRD[:count])), "third")
    second = session.fit([decision], start=first)
    assert (second.numbers, second.names) == ((0, 1, 2), {2: "third"})
    assert moved(first, second).tolist() == THIRD.tolist()
    receipt = second.receipt(decision)
    assert receipt.honoured
    assert re.findall(r"[0-9]+", receipt.sentence) == ["2", "24", str(count), str(count)]
    assert len(receipt.moved) == 24


def test_groups_that_a_person_parted_are_not_said_to_be_mixed_nor_asked_to_be_one(session, first):
    log = [NewGroup(tuple(map(str, THIRD[:3])), "third")]
    begun = session.fit(log, start=first)
    assert begun.state.apart == {frozenset({0, 2}), frozenset({1, 2})}
    log.append(Split(0))
    split = session.fit(log, start=begun)
    assert split.state.apart == begun.state.apart | {frozenset({0, 3}), frozenset({2, 3})}
    log.append(Merge((1, 2)))
    merged = session.fit(log, start=split)
    assert merged.state.apart == {frozenset({0, 1}), frozenset({0, 3}), frozenset({1, 3})}
    assert session.fit(log[:-3], start=merged).state.apart == set()
