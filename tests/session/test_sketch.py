"""A first look at a collection: every document in a group, in a moment; the first fit is what it would be without."""

import numpy as np
import pytest

from outgroup.session import Session

WORDS = ["bread butter knife oven flour", "train town station ticket rails", "rose weed spade hedge lawn"]


@pytest.fixture(scope="module")
def texts():
    rng = np.random.default_rng(0)
    return [" ".join(rng.choice(WORDS[row % 3].split(), 4)) for row in range(1200)]


def test_a_first_look_finds_plain_groups(texts):
    version = Session(texts, n_clusters=3, postpone=True).sketch()
    assert [len(set(version.labels[start::3].tolist())) for start in range(3)] == [1, 1, 1]
    assert (version.numbers, len(set(version.labels.tolist())), version.parent) == ((0, 1, 2), 3, None)
    assert version.notes == ("provisional groups, from a sample of the documents",)
    assert version.assess().off_topic is None


def test_postponed_neighbours_make_the_same_first_version(texts):
    before, later = (
        Session(texts, n_clusters=3, universum=["a car", "rails"], encoder=None, postpone=each)
        for each in (False, True)
    )
    assert (before.documents.representation.passes, later.documents.representation.passes) == (1, 0)
    later.sketch()
    first, second = before.fit(), later.fit()
    assert later.documents.representation.passes == 1
    np.testing.assert_array_equal(first.labels, second.labels)
    np.testing.assert_array_equal(first.model.clusterer_.coef_, second.model.clusterer_.coef_)
    again = later.fit(start=second)
    np.testing.assert_array_equal(second.labels, again.labels)
