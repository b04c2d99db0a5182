"""All groups corrected by a fair sample of labels: who moves, what is told, and what undoing brings back."""

from dataclasses import replace

import numpy as np
import pytest

from outgroup.cluster.base import numbers_by
from outgroup.cluster.spherical import SphericalKMeans
from outgroup.decisions import Label, Merge, Regroup
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


def opened(**options):
    texts = [f"{name} {WORDS[row % 7]}" for row, name in enumerate(NAMES)]
    return Session(texts, n_clusters=3, embeddings=vectors(), neighbours=0, **options)


@pytest.fixture(scope="module")
def session():
    return opened()


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
    return replace(first, labels=labels, state=replace(first.state, labels=labels))


@pytest.fixture(scope="module")
def labels(right):
    """Labels of documents drawn at random."""
    rows = np.random.default_rng(0).permutation(3 * SIZE)[:36]
    return [Label(str(row), int(right[row]), sample=True) for row in rows]


def test_it_is_honoured_told_and_undone(session, labels, wrong):
    before = session.fit(labels, start=wrong)
    after = session.fit([*labels, Regroup()], start=before)
    assert all(after.groups[each.documents[0]] == each.groups[0] for each in labels)
    assert after.numbers == before.numbers
    receipt = after.receipt(Regroup())
    assert receipt.honoured
    assert len(receipt.moved) == np.count_nonzero(before.labels != after.labels)
    back = session.fit(labels, start=after)
    assert (back.labels == before.labels).all()


def test_groups_go_on_from_it(session, labels):
    after = session.fit([*labels, Regroup()], start=session.fit(labels, start=session.fit()))
    merged = session.fit([*labels, Regroup(), Merge((0, 1))], start=after)
    assert len(merged.numbers) == 2
    assert (np.isin(after.labels, [0, 1]) == (merged.labels == 0)).all()


def test_a_fair_sample_puts_documents_without_a_label_right(session, labels, right, wrong):
    before = session.fit(labels, start=wrong)
    after = session.fit([*labels, Regroup()], start=before)
    assert np.mean(before.labels == right) < 0.95 < np.mean(after.labels == right)


def test_corrections_alone_are_no_sample(session, labels, wrong):
    log = [*(Label(each.documents[0], each.groups[0]) for each in labels), Regroup()]
    before = session.fit(log[:-1], start=wrong)
    after = session.fit(log, start=before)
    assert len(after.notes) == 1
    assert (after.labels == before.labels).all()
    assert not after.receipt(Regroup()).honoured


def test_without_a_label_no_document_moves(session):
    first = session.fit()
    after = session.fit([Regroup()], start=first)
    assert len(after.notes) == 1
    assert (after.labels == first.labels).all()


def test_labels_that_confirm_the_groups_move_no_document(session, labels):
    first = session.fit()
    agreed = [Label(each.documents[0], first.groups[each.documents[0]], sample=True) for each in labels]
    after = session.fit([*agreed, Regroup()], start=session.fit(agreed, start=first))
    assert len(after.notes) == 1
    assert (after.labels == first.labels).all()


def test_spherical_groups_go_on_freely(labels, right):
    session = opened(clusterer=SphericalKMeans(3, random_state=0))
    first = session.fit()
    mine = numbers_by(right, first.labels, 3)
    log = [*(Label(each.documents[0], int(mine[each.groups[0]]), sample=True) for each in labels), Regroup()]
    after = session.fit(log, start=session.fit(log[:-1], start=first))
    assert all(after.groups[each.documents[0]] == each.groups[0] for each in log[:-1])
    assert np.mean(first.labels == mine[right]) <= np.mean(after.labels == mine[right])
