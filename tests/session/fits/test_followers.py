"""A document that is moved takes along those that lie with it, and no others."""

from dataclasses import replace

import numpy as np
import pytest

from outgroup.session import Session
from outgroup.session.fits.follow import follow
from outgroup.session.fits.followers import followers
from outgroup.steering.decisions import Belongs

SIZES = {"first": 60, "second": 60, "third": 60, "clump": 12}
NAMES = np.repeat(list(SIZES), list(SIZES.values()))


def vectors():
    """Three classes apart, and a clump of the second one that lies halfway to the first."""
    rng = np.random.default_rng(0)
    means = {"first": [1, 0, 0, 0], "second": [0, 1, 0, 0], "third": [0, 0, 1, 0], "clump": [0.6, 0.5, 0, 0.6]}
    X = np.array([means[name] for name in NAMES]) + 0.05 * rng.normal(size=(len(NAMES), 4))
    return (X / np.linalg.norm(X, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture(scope="module")
def session():
    texts = [f"{name} word{row % 7}" for row, name in enumerate(NAMES)]
    return Session(texts, n_clusters=3, embeddings=vectors(), neighbours=0)


@pytest.fixture(scope="module")
def state(session):
    """The clump is in the group of the first class."""
    labels = np.select([NAMES == "second", NAMES == "third"], [1, 2], 0).astype(np.int32)
    return replace(session.fit().state, labels=labels, numbers=(0, 1, 2))


def halve(members):
    return np.arange(len(members)) % 2


def test_a_clump_moves_as_one_and_nothing_else_does(session, state):
    clump = np.flatnonzero(NAMES == "clump")
    after = follow(state, Belongs(str(clump[3]), 1), session.documents, halve)
    assert np.flatnonzero(after.labels != state.labels).tolist() == clump.tolist()
    assert (after.labels[clump] == 1).all()


def test_who_is_labelled_stays(session, state):
    clump = np.flatnonzero(NAMES == "clump")
    stays = follow(state, Belongs(str(clump[0]), 0), session.documents, halve)
    assert (stays.labels == state.labels).all()
    after = follow(stays, Belongs(str(clump[3]), 1), session.documents, halve)
    assert np.flatnonzero(after.labels != state.labels).tolist() == clump[1:].tolist()


@pytest.mark.parametrize("group", [1, 2])
def test_a_document_amid_its_group_moves_alone(session, state, group):
    first = np.flatnonzero(NAMES == "first")
    after = follow(state, Belongs(str(first[5]), group), session.documents, halve)
    assert np.flatnonzero(after.labels != state.labels).tolist() == [first[5]]


def test_nothing_goes_along_where_a_group_is_empty_or_left_empty(session, state):
    like = np.flatnonzero(NAMES == "third")
    empty = replace(state, labels=np.where(state.labels == 1, 0, state.labels))
    assert not len(followers(session.documents, empty.labels, empty.pins, int(like[0]), 1, like[1:]))
    alone = replace(state, labels=np.where(NAMES == "third", 1, state.labels))
    alone.labels[like[:2]] = 2
    assert not len(followers(session.documents, alone.labels, alone.pins, int(like[0]), 1, like[1:2]))


def test_the_mean_of_all_is_found_once(session, state):
    clump = np.flatnonzero(NAMES == "clump")
    follow(state, Belongs(str(clump[3]), 1), session.documents, halve)
    known = session.documents.spaces.mean
    follow(state, Belongs(str(clump[4]), 1), session.documents, halve)
    assert session.documents.spaces.mean is known
    np.testing.assert_allclose(known, vectors().mean(axis=0), rtol=1e-5)


def test_a_fit_that_goes_on_is_compared_with_none(session):
    first = session.fit()
    second = session.fit([Belongs("3", int(first.labels[70]))], start=first)
    assert first.model.clusterer_.unsteered_objective_ == first.model.clusterer_.objective_
    assert second.model.clusterer_.unsteered_objective_ is None
    again = type(second.model.clusterer_).from_state(second.model.clusterer_.to_state())
    assert again.unsteered_objective_ is None
