"""All groups corrected by a fair sample of labels: who moves, what is told, and what undoing brings back."""

from dataclasses import replace

import numpy as np
import pytest

from outgroup.cluster.base import numbers_by
from outgroup.decisions import Label, Regroup
from outgroup.session import Session

SIZE, WORDS = 60, ["tree", "oven", "press", "rain", "train", "lamp", "stone"]
CLASS = np.repeat(np.arange(3, dtype=np.int32), SIZE)
NAMES = np.array(["apple", "bread", "cider"])[CLASS]


def vectors():
    rng = np.random.default_rng(0)
    means = np.zeros((6, 9))
    for clump in range(6):
        means[clump, [clump // 2, 3 + clump]] = 0.5, 1.0  # clumps of one class are hardly more alike than others
    found = means[np.arange(3 * SIZE) // (SIZE // 2)] + 0.1 * rng.normal(size=(3 * SIZE, 9))
    return found.astype(np.float32)


@pytest.fixture(scope="module")
def session():
    texts = [f"{name} {WORDS[row % 7]}" for row, name in enumerate(NAMES)]
    return Session(texts, n_clusters=3, embeddings=vectors(), neighbours=0)


@pytest.fixture(scope="module")
def right(session):
    """The right group of each document."""
    first = session.fit()
    return numbers_by(CLASS, first.labels, 3)[CLASS]


@pytest.fixture(scope="module")
def wrong(session, right):
    """A version in which a half of the second class is in the group of the third."""
    labels = right.copy()
    labels[SIZE : SIZE + SIZE // 2] = right[-1]
    first = session.fit()
    return replace(first, state=replace(first.state, labels=labels))


@pytest.fixture(scope="module")
def labels(right):
    """Labels of documents drawn at random."""
    rows = np.random.default_rng(0).permutation(3 * SIZE)[:36]
    return [Label(str(row), int(right[row]), sample=True) for row in rows]


@pytest.fixture(scope="module")
def fits(session, labels, wrong):
    """The versions before and after the correction."""
    before = session.fit(labels, start=wrong)
    return before, session.fit([*labels, Regroup()], start=before)


def test_it_is_honoured_told_and_undone(session, labels, fits):
    before, after = fits
    assert all(after.groups[each.documents[0]] == each.groups[0] for each in labels)
    assert after.numbers == before.numbers
    receipt = after.receipt(Regroup())
    assert receipt.honoured
    assert len(receipt.moved) == np.count_nonzero(before.labels != after.labels)
    back = session.fit(labels, start=after)
    assert (back.labels == before.labels).all()


def test_a_fair_sample_puts_documents_without_a_label_right(fits, right):
    before, after = fits
    assert np.mean(before.labels == right) < 0.95 < np.mean(after.labels == right)


def test_corrections_alone_are_no_sample(session, labels, wrong):
    log = [*(Label(each.documents[0], each.groups[0]) for each in labels), Regroup()]
    before = session.fit(log[:-1], start=wrong)
    after = session.fit(log, start=before)
    assert len(after.notes) == 1
    assert (after.labels == before.labels).all()
    assert not after.receipt(Regroup()).honoured
