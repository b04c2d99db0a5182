"""Two documents that belong together, or do not: who moves, what follows, and what cannot be done."""

import numpy as np
import pytest

from outgroup.decisions import Label, Pair
from outgroup.errors import InputError
from outgroup.session import Session

SIZE = 30


@pytest.fixture(scope="module")
def session():
    """Two clear classes, and four documents between them that are alike: rows 0 to 29, 30 to 59, 60 to 63."""
    rng = np.random.default_rng(0)
    means = np.zeros((3, 12))
    means[0, 0] = means[1, 1] = 1.0
    means[2, :3] = 0.6, 0.55, 0.6
    of = np.repeat([0, 1, 2], [SIZE, SIZE, 4])
    rows = means[of] + rng.normal(size=(64, 12)) * np.array([0.1, 0.1, 0.02])[of, None]
    return Session([f"document {i}" for i in range(64)], n_clusters=2, embeddings=rows, neighbours=0)


@pytest.fixture(scope="module")
def first(session):
    found = session.fit()
    one, other = found.labels[[0, SIZE]].tolist()
    assert one != other
    assert (found.labels[60:] == one).all()
    return found


def test_the_less_sure_document_goes_to_the_other_one_and_those_like_it_follow(session, first):
    for pair in (("60", str(SIZE)), (str(SIZE), "60")):  # the order does not matter
        found = session.fit([Pair(pair, same=True)], start=first)
        assert (found.labels[60:] == first.labels[SIZE]).all()
        np.testing.assert_array_equal(found.labels[:60], first.labels[:60])
        receipt = found.receipt(found.decisions[0])
        assert receipt.honoured
        assert [each.id for each in receipt.moved] == ["60", "61", "62", "63"]


def test_documents_that_do_not_belong_together_part(session, first):
    found = session.fit([Pair(("0", "60"), same=False)], start=first)
    assert found.labels[0] == first.labels[0] != found.labels[60]
    assert found.receipt(found.decisions[0]).honoured
    kept = session.fit([Pair((str(SIZE), "60"), same=False)], start=first)
    np.testing.assert_array_equal(kept.labels, first.labels)
    assert not kept.state.pins  # they are apart, which tells no group


def test_a_labelled_document_is_the_surer_one(session, first):
    group = int(first.labels[SIZE])
    found = session.fit([Label("60", group), Pair(("60", "1"), same=True)], start=first)
    assert found.labels[1] == group
    junk = session.fit([Label("60", ()), Pair(("60", "61"), same=True)], start=first)
    assert junk.labels[60] == junk.labels[61] == -1


def test_pairs_that_cannot_be_followed_change_nothing_and_say_why(session, first):
    one, other = first.labels[[0, SIZE]].tolist()
    labels = [Label("0", one), Label(str(SIZE), other), Label("60", ()), Label("61", ())]
    before = session.fit(labels, start=first)
    for pair in (Pair(("0", str(SIZE)), same=True), Pair(("60", "61"), same=False)):
        found = session.fit([*labels, pair], start=before)
        np.testing.assert_array_equal(found.labels, before.labels)
        assert not found.receipt(pair).honoured
        assert pair.reason_in(found.notes[-1])


def test_a_pair_needs_two_documents():
    for wrong in ("a", ("a", "a"), ("a", "b", "c")):
        with pytest.raises(InputError, match="two different documents"):
            Pair(wrong, same=True)
    with pytest.raises(InputError, match="true or false"):
        Pair(("a", "b"), same="yes")
