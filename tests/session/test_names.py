"""Names of groups: decisions win, automatic names stay while a group changes little."""

import numpy as np

from outgroup import DocumentClustering
from outgroup.decisions import Label, Merge, Rename
from outgroup.session import Session
from outgroup.session.version import kept_names

TEA = ["green tea and milk", "some green tea", "milk in green tea"]
TRAINS = ["the night train", "a night train to town", "trains and a night train"]


def opened():
    session = Session(TEA + TRAINS, n_clusters=2, random_state=0)
    return session, session.fit()


def names_of(version):
    topics = DocumentClustering.of(version).topics
    return dict(zip(topics["group"], topics["name"], strict=True))


def test_automatic_names_are_phrases_of_the_texts():
    _, version = opened()
    names = names_of(version)
    assert "green tea" in names[int(version.labels[0])]
    assert "night train" in names[int(version.labels[3])]


def test_a_decided_name_wins():
    session, version = opened()
    number = int(version.labels[0])
    version.automatic_names.update({0: "x", 1: "y"})
    renamed = session.fit([Rename(number, "Drinks")], start=version)
    assert names_of(renamed)[number] == "Drinks"
    assert [*names_of(renamed).values()].count("Drinks") == 1


def test_an_unchanged_group_keeps_the_name_that_was_shown():
    session, version = opened()
    version.automatic_names.update({0: "one", 1: "two"})
    later = session.fit([Label("0", int(version.labels[0]))], start=version)
    assert (later.labels == version.labels).all()
    assert sorted(DocumentClustering.of(later).topics["name"]) == ["one", "two"]
    assert later.automatic_names == {0: "one", 1: "two"}


def test_a_changed_group_gets_a_new_name():
    session, version = opened()
    version.automatic_names.update({0: "one", 1: "two"})
    merged = session.fit([Merge((0, 1))], start=version)
    assert kept_names(merged) == {}
    assert np.all(merged.labels == 0)
