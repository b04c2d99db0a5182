"""Groups found again around what was said: who may move, what is told, and what undoing brings back."""

import numpy as np
import pytest

from outgroup.cluster.spherical import SphericalKMeans
from outgroup.session import Session
from outgroup.session.questions.ask import AGAIN, ENOUGH, ask_next
from outgroup.session.questions.misplaced_parts import MisplacedParts
from outgroup.session.questions.mixed_groups import MixedGroups
from outgroup.steering.decisions import Belongs, Merge, Regroup, Undo

SIZE, WORDS = 60, ["tree", "oven", "press", "rain", "train", "lamp", "stone"]
NAMES = np.repeat(["apple", "bread", "cider"], SIZE)


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
def labels(session):
    """Nine labels of each class, for the groups that have most of it."""
    first, said = session.fit(), []
    taken = {}
    for name in ("apple", "bread", "cider"):
        counts = np.bincount(first.labels[name == NAMES], minlength=3)
        taken[name] = next(int(g) for g in np.argsort(-counts) if int(g) not in taken.values())
        rows = np.flatnonzero(name == NAMES)[:: SIZE // 9][:9]
        said += [Belongs(str(row), taken[name]) for row in rows]
    return said


def test_it_is_honoured_told_and_undone(session, labels):
    before = session.fit(labels, start=session.fit())
    after = session.fit([*labels, Regroup()], start=before)
    assert all(after.groups[each.document] == each.group for each in labels)
    assert after.numbers == before.numbers
    receipt = after.receipt(Regroup())
    assert receipt.honoured
    assert len(receipt.moved) == np.count_nonzero(before.labels != after.labels)
    back = session.fit([*labels, Regroup(), Undo()], start=after)
    assert (back.labels == before.labels).all()


def test_groups_go_on_from_it(session, labels):
    after = session.fit([*labels, Regroup()], start=session.fit(labels, start=session.fit()))
    merged = session.fit([*labels, Regroup(), Merge((0, 1))], start=after)
    assert len(merged.numbers) == 2
    assert (np.isin(after.labels, [0, 1]) == (merged.labels == 0)).all()


def test_without_a_label_nothing_can_be_found_again(session):
    first = session.fit()
    after = session.fit([Regroup()], start=first)
    assert "no document is labelled" in after.notes[0]
    assert (after.labels == first.labels).all()


def test_spherical_groups_go_on_freely():
    session = opened(clusterer=SphericalKMeans(3, random_state=0))
    first = session.fit()
    log = [Belongs("0", 1), Regroup()]
    after = session.fit(log, start=first)
    assert after.groups["0"] == 1
    assert after.receipt(Regroup()).honoured


def test_it_is_asked_once_enough_was_said(session, labels):
    version = session.fit(labels, start=session.fit())

    def asked(log, passed=()):
        found = ask_next(version, version.assess(), log, passed, mixed=MixedGroups(), parts=MisplacedParts(), most=5)
        return [each.kind for each in found if each.kind == "again"], len(found)

    assert len(labels) >= ENOUGH
    assert asked(labels) == (["again"], 5)
    assert asked(labels[: ENOUGH - 1]) == ([], 5)
    assert asked([*labels, Regroup()]) == ([], 5)
    assert asked(labels, [AGAIN]) == ([], 5)
