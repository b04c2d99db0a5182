"""Names of groups: decisions win, automatic names stay while a group changes little."""

import pytest

from outgroup import DocumentClustering
from outgroup.decisions import Label, Merge, Rename
from outgroup.session import Session

TEA = ["green tea and milk", "some green tea", "milk in green tea"]
TRAINS = ["the night train", "a night train to town", "trains and a night train"]


@pytest.fixture(scope="module")
def opened():
    session = Session(TEA + TRAINS, n_clusters=2, random_state=0)
    first = session.fit()
    first.automatic_names.update({0: "one", 1: "two"})  # as shown
    return session, first


def names_of(version):
    topics = DocumentClustering.of(version).topics
    return dict(zip(topics["group"], topics["name"], strict=True))


def test_automatic_names_are_phrases_of_the_texts():
    version = Session(TEA + TRAINS, n_clusters=2, random_state=0).fit()
    names = names_of(version)
    assert "green tea" in names[int(version.labels[0])]
    assert "night train" in names[int(version.labels[3])]


def test_a_decided_name_wins(opened):
    session, first = opened
    assert names_of(session.fit([Rename(1, "Drinks")], start=first)) == {0: "one", 1: "Drinks"}


def test_an_unchanged_group_keeps_the_name_that_was_shown_and_a_changed_one_gets_another(opened):
    session, first = opened
    later = session.fit([Label("0", int(first.labels[0]))], start=first)
    assert names_of(later) == later.automatic_names == {0: "one", 1: "two"}
    assert names_of(session.fit([Merge((0, 1))], start=first))[0] not in ("one", "two")
