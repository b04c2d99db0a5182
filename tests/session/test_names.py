"""Names of groups: decisions win, automatic names stay while a group changes little."""

import numpy as np

from outgroup.decisions import Merge, Rename
from outgroup.session import Session
from outgroup.session.reporting import kept_names, names_of

TEA = ["green tea and milk", "some green tea", "milk in green tea"]
TRAINS = ["the night train", "a night train to town", "trains and a night train"]


def opened():
    session = Session(TEA + TRAINS, n_clusters=2, random_state=0)
    return session, session.fit()


def test_automatic_names_are_phrases_of_the_texts():
    session, version = opened()
    names = names_of(version, session.documents, version, {})
    assert "green tea" in names[int(version.labels[0])]
    assert "night train" in names[int(version.labels[3])]


def test_a_decided_name_wins():
    session, version = opened()
    number = int(version.labels[0])
    renamed = session.fit([Rename(number, "Drinks")], start=version)
    assert names_of(renamed, session.documents, version, {0: "x", 1: "y"})[number] == "Drinks"


def test_an_unchanged_group_keeps_the_name_that_was_shown():
    _, version = opened()
    assert kept_names(version, version, {0: "one", 1: "two"}) == {0: "one", 1: "two"}


def test_a_changed_group_gets_a_new_name():
    session, version = opened()
    merged = session.fit([Merge((0, 1))], start=version)
    assert 0 not in kept_names(merged, version, {0: "one", 1: "two"})
    assert np.all(merged.labels == 0)
