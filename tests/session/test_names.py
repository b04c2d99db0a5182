"""Names of groups: decisions win, automatic names stay while a group changes little."""

from dataclasses import replace

import numpy as np

from outgroup import DocumentClustering
from outgroup.decisions import Label, Merge, Rename
from outgroup.session import Past, Session
from outgroup.session.version import kept_names
from outgroup.summary.names import names_of

TEA = ["green tea and milk", "some green tea", "milk in green tea"]
TRAINS = ["the night train", "a night train to town", "trains and a night train"]


def opened():
    session = Session(TEA + TRAINS, n_clusters=2, random_state=0)
    return session, session.fit()


def test_automatic_names_are_phrases_of_the_texts():
    session, version = opened()
    names = names_of(version, session.documents)
    assert "green tea" in names[int(version.labels[0])]
    assert "night train" in names[int(version.labels[3])]


def test_a_decided_name_wins():
    session, version = opened()
    number = int(version.labels[0])
    version.called.update({0: "x", 1: "y"})
    renamed = session.fit([Rename(number, "Drinks")], start=version)
    assert names_of(renamed, session.documents)[number] == "Drinks"
    assert list(DocumentClustering.of(renamed).topics["name"]).count("Drinks") == 1


def test_an_unchanged_group_keeps_the_name_that_was_shown():
    session, version = opened()
    version.called.update({0: "one", 1: "two"})
    later = session.fit([Label("0", int(version.labels[0]))], start=version)
    assert (later.labels == version.labels).all()
    assert sorted(DocumentClustering.of(later).topics["name"]) == ["one", "two"]
    assert later.called == {0: "one", 1: "two"}


def test_a_changed_group_gets_a_new_name():
    session, version = opened()
    version.called.update({0: "one", 1: "two"})
    merged = session.fit([Merge((0, 1))], start=version)
    assert kept_names(merged) == {}
    assert np.all(merged.labels == 0)


def test_a_group_may_change_by_a_tenth():
    _, version = opened()
    labels = np.repeat([0, 1], 50)
    before = replace(version, labels=labels, called={0: "one", 1: "two"})
    for moved, kept in ((4, {0: "one", 1: "two"}), (6, {})):
        after = replace(before, labels=np.where(np.arange(100) < moved, 1, labels), parent=before, called={})
        assert kept_names(after) == kept


def test_a_version_that_nobody_saw_is_skipped():
    _, version = opened()
    shown = replace(version, called={0: "one", 1: "two"})
    unseen = replace(version, parent=shown, called={})
    assert kept_names(replace(version, parent=unseen, called={})) == {0: "one", 1: "two"}


def test_a_saved_version_keeps_its_names(tmp_path):
    session, version = opened()
    version.called.update({0: "one", 1: "two"})
    content = Past.of(version, session.documents.texts).to_dict()
    past = Past.from_dict(content, version.model)
    assert past.called == {0: "one", 1: "two"}
    again = Session.after(past, session.documents.texts, ids=version.ids)
    assert again.begin().called == past.called
    session.save(tmp_path / "work.outgroup", version, embed_texts=True)
    with Session.open(tmp_path / "work.outgroup") as reopened:
        assert reopened.version.called == past.called


def test_new_documents_keep_names_and_a_new_name_differs_from_them():
    session, version = opened()
    tea = int(version.labels[0])
    version.called.update({tea: "night train, town", 1 - tea: "rails"})
    past = Past.of(version, session.documents.texts)
    texts = [*TEA, *TRAINS, *["a night train to town, trains"] * 9]
    later = Session.after(past, texts, ids=[str(i) for i in range(len(texts))]).begin()
    names = names_of(later, later.documents)
    assert names[tea] == "night train, town"
    assert names[1 - tea] not in ("", "night train, town")


def test_a_fitted_model_keeps_the_names_that_it_showed():
    groups = DocumentClustering(2, namer=lambda briefs: ["one", "two"], random_state=0).fit(TEA + TRAINS)
    assert sorted(groups.topics["name"]) == ["one", "two"]
    groups.namer = None
    assert sorted(groups.rename(0, "Drinks").topics["name"]) == ["Drinks", "two"]
