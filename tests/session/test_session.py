"""A session: versions follow each other, only what a decision touches moves, and undoing goes back exactly."""

import json
import subprocess
import sys
from dataclasses import replace
from threading import Event

import numpy as np
import pytest
from forks import ran

from outgroup.cluster.cpm3c import CPM3C
from outgroup.cluster.max_margin import MaxMarginClustering
from outgroup.cluster.seeded import SeededKMeans
from outgroup.cluster.spherical import SphericalKMeans
from outgroup.decisions import Label, Level, Merge, Rename, Split, Word
from outgroup.demo import documents_path, off_topic_path
from outgroup.document_clustering import DocumentClustering
from outgroup.errors import CancelledError, InputError
from outgroup.session import Session
from outgroup.session.changes import changes
from outgroup.session.past import Past
from outgroup.text.representation import Spaces


def records(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


DOCUMENTS = records(documents_path())
TEXTS, IDS = [each["text"] for each in DOCUMENTS], [each["id"] for each in DOCUMENTS]
OFF = [each["text"] for each in records(off_topic_path())]


def opened(**options):
    return Session(TEXTS, **{"n_clusters": 5, "ids": IDS, "encoder": None} | options)


@pytest.fixture(scope="module")
def session():
    return opened()


@pytest.fixture(scope="module")
def first(session):
    return session.fit()


@pytest.fixture(scope="module")
def steered():
    """A session with examples of what is off-topic, and its first version."""
    session = opened(universum=OFF)
    return session, session.fit()


def kept(before, after, rows):
    return np.mean(before.labels[rows] == after.labels[rows])


def test_the_first_version_is_what_the_model_finds(first):
    model = DocumentClustering(5, encoder=None, random_state=0).fit(TEXTS)
    np.testing.assert_array_equal(first.labels, model.labels_)
    assert (first.number, first.parent, first.decisions, first.numbers) == (1, None, (), (0, 1, 2, 3, 4))


def test_without_a_decision_nothing_moves(session, first):
    again = session.fit(start=first)
    np.testing.assert_array_equal(again.labels, first.labels)
    assert not again.compare(first)
    assert again.number == 2


@pytest.mark.parametrize(("before", "after"), [({"a": 0}, {}), ({}, {"a": 0}), ({"a": 0}, {"a": 1})])
def test_a_document_that_is_gone_new_or_moved_is_a_change(before, after):
    assert changes(before, after)
    assert not changes(before, before)


@pytest.mark.parametrize("group", range(5))
def test_three_labels_leave_the_other_groups_as_they_are(session, first, group):
    elsewhere = np.flatnonzero(first.labels != group)
    documents = [IDS[row] for row in elsewhere[:: len(elsewhere) // 3][:3]]
    second = session.fit([Label(each, group) for each in documents], start=first)
    assert all(second.groups[each] == group for each in documents)
    assert kept(first, second, [row for row in elsewhere if IDS[row] not in documents]) >= 0.97
    assert {moved.id for moved in second.compare(first).moved} >= set(documents)


def test_labels_that_the_weights_do_not_bear_out_weigh_more_until_they_do(session, first):
    chosen = [IDS[row] for row in np.flatnonzero(first.labels == 0)[:3]]
    log = [Label(each, 1) for each in chosen]
    version = session.fit(log, start=first)
    assert [version.receipt(decision).honoured for decision in log] == [True] * 3


def test_a_merge_is_one_group_under_the_first_number(session, first):
    second = session.fit([Merge((3, 1))], start=first)
    assert second.numbers == (0, 2, 3, 4)
    np.testing.assert_array_equal(second.labels, np.where(first.labels == 1, 3, first.labels))


def test_a_split_gives_the_smaller_half_a_new_number(session, first):
    merged = session.fit([Merge((3, 1))], start=first)
    second = session.fit([Merge((3, 1)), Split(3)], start=merged)
    assert second.numbers == (0, 2, 3, 4, 5)
    assert 0 < np.sum(second.labels == 5) <= np.sum(second.labels == 3)
    others = merged.labels != 3
    np.testing.assert_array_equal(second.labels[others], merged.labels[others])


@pytest.mark.parametrize("count", [1, 3, 5, 7])
def test_a_level_has_so_many_groups_and_undo_has_the_groups_before(session, first, count):
    second = session.fit([Level(count)], start=first)
    pairs = {*zip(first.labels.tolist(), second.labels.tolist(), strict=True)}
    assert len(second.numbers) == count
    assert len(pairs) == max(count, 5)  # a group is merged whole, or split
    assert second.receipt(Level(count)).honoured
    np.testing.assert_array_equal(session.fit((), start=second).labels, first.labels)


def test_a_level_is_the_level_of_the_tree_and_of_the_table(session, first):
    groups = DocumentClustering.of(first)
    for count, level in zip((2, 4, 6, 9), groups.levels((2, 4, 6, 9)), strict=True):
        np.testing.assert_array_equal(session.fit([Level(count)], start=first).labels, level)


def test_labels_and_names_follow_a_level(session, first):
    log = [Rename(3, "all of it"), Label(IDS[0], 3), Level(1)]
    version = session.fit(log, start=first)
    assert (version.numbers, version.groups[IDS[0]], dict(version.names)) == ((0,), 0, {0: "all of it"})


def test_a_level_above_the_different_documents_is_left_out_with_a_note():
    session = Session(["a train to town", "a train to town", "green tea", "green tea"], n_clusters=2)
    version = session.fit([Level(3)])
    assert version.numbers == (0, 1)
    assert "2 groups only" in version.notes[-1]


def test_a_group_of_one_document_is_left_as_it_is_and_the_note_says_so():
    session = Session(TEXTS[:6], n_clusters=2)
    alone = [Label("0", 0), *(Label(str(row), 1) for row in range(1, 6)), Split(0)]
    version = session.fit(alone)
    assert version.numbers == (0, 1)
    assert "group 0 has one document, which cannot be split" in version.notes[-1]


@pytest.mark.parametrize("decision", [Merge((0, 1)), Split(0)])
def test_a_merge_or_a_split_moves_no_document_between_other_groups(steered, decision):
    session, first = steered
    second = session.fit([decision], start=first)
    inside = (first.labels >= 0) & (second.labels >= 0) & ~np.isin(first.labels, (0, 1))
    np.testing.assert_array_equal(second.labels[inside], first.labels[inside])


def test_off_topic_documents_leave_and_become_examples(session, first):
    second = session.fit([Label(IDS[0], ()), Label(IDS[5], ())], start=first)
    assert second.groups[IDS[0]] == second.groups[IDS[5]] == -1
    assert second.model.n_universum_ == 2
    assert second.model.vectorizer_ is first.model.vectorizer_
    back = session.fit([Label(IDS[0], ()), Label(IDS[5], ()), Label(IDS[0], 2)], start=second)
    assert (back.groups[IDS[0]], back.model.n_universum_) == (2, 1)


def test_off_topic_documents_join_the_universum_that_is_given(steered):
    session, first = steered
    assert session.fit([Label(IDS[0], ())], start=first).model.n_universum_ == first.model.n_universum_ + 1


def test_a_merge_leaves_as_many_documents_aside_as_there_were(steered):
    session, first = steered
    second = session.fit([Merge((0, 1))], start=first)
    assert (second.labels == -1).sum() == (first.labels == -1).sum() > 0
    assert kept(first, second, first.labels == -1) >= 0.95


def test_after_a_word_was_ignored_weights_and_threshold_hold_for_what_follows(steered):
    session, first = steered
    second = session.fit([Word("train")], start=first)
    third = session.fit([Word("train"), Label(IDS[0], 2)], start=second)
    assert third.model.clusterer_.C_ == second.model.clusterer_.C_
    assert third.model.clusterer_.off_topic_["value"] == second.model.clusterer_.off_topic_["value"]


def test_the_threshold_is_placed_anew_once_a_tenth_of_the_examples_came_since(steered):
    session, first = steered
    inside = [IDS[row] for row in np.flatnonzero(first.labels >= 0)[:12]]
    junk = [Label(each, ()) for each in inside]
    second = session.fit(junk[:6], start=first)
    third = session.fit(junk, start=second)
    values = [each.model.clusterer_.off_topic_["value"] for each in (first, second, third)]
    assert values[0] == values[1] != values[2]
    assert (second.threshold_examples, third.threshold_examples) == (len(OFF), len(OFF) + 12)


def test_many_more_examples_than_an_earlier_version_had_place_the_threshold_anew():
    some = slice(0, len(TEXTS), 2)
    past = Past.of(Session(TEXTS[some], n_clusters=5, ids=IDS[some], universum=OFF[:20]).fit(), TEXTS[some])
    same = Session.after(past, TEXTS[some], ids=IDS[some], universum=OFF[:20]).begin()
    assert same.model.clusterer_.off_topic_ == past.model.clusterer_.off_topic_
    more = Session.after(past, TEXTS, ids=IDS, universum=OFF).begin()
    labels = np.array([each["label"] for each in DOCUMENTS])
    assert np.isin(np.flatnonzero(labels == "off-topic"), np.flatnonzero(more.labels == -1)).mean() > 0.9


def test_an_ignored_word_counts_nowhere(session, first):
    second = session.fit([Word("train")], start=first)
    column = first.documents.columns("train")
    assert second.model.spaces_.words[:, column].nnz == 0
    assert first.model.spaces_.words[:, column].nnz > 0
    assert (np.asarray(second.model.vectorizer_.transform(["train"]).data) == 0).all()
    np.testing.assert_array_equal(second.model.predict(TEXTS), second.model.decision_function(TEXTS).argmax(axis=1))


def test_a_word_is_ignored_where_the_examples_share_no_word_with_the_documents():
    texts = ["bread butter oven", "train town rail", "bread oven flour", "rail town signal"]
    with Session(texts, n_clusters=2, universum=["tax form"]) as session:
        first = session.fit()
        assert session.fit([Word("oven")], start=first).state.ignored == {"oven"}


def test_a_model_predicts_the_numbers_of_its_version(session, first):
    merged = session.fit([Merge((2, 0))], start=first)
    assert merged.model.numbers_.tolist() == list(merged.numbers) == [1, 2, 3, 4]
    np.testing.assert_array_equal(merged.model.labels_, merged.labels)
    assert set(merged.model.predict(TEXTS).tolist()) == {1, 2, 3, 4}
    again = DocumentClustering(4, encoder=None, random_state=0).fit(TEXTS, init=merged.model)
    assert set(again.labels_.tolist()) == {0, 1, 2, 3}


def test_words_move_no_document_against_its_content(session, first):
    words = ["oven", "dough", "cheese", "bread", "knead"]
    held = sum(first.documents.with_columns(first.documents.columns(word)).astype(int) for word in words)
    home = int(np.bincount(first.labels[held > 1]).argmax())
    target = (home + 1) % 5
    log = [Word(word, target) for word in words]
    one = session.fit(log[:1], start=first)
    np.testing.assert_array_equal(one.labels, first.labels)
    assert one.receipt(log[0]).honoured
    all_ = session.fit(log, start=one)
    assert (all_.labels == first.labels)[held > 1].mean() > 0.5
    np.testing.assert_array_equal(all_.labels[held < 2], first.labels[held < 2])


def test_a_name_follows_its_group(session, first):
    log = [Rename(1, "rails"), Label(IDS[0], "rails"), Merge((0, "rails"))]
    second = session.fit(log[:2], start=first)
    assert (dict(second.names), second.groups[IDS[0]]) == ({1: "rails"}, 1)
    third = session.fit(log, start=second)
    assert dict(third.names) == {0: "rails"}
    assert third.model.names_ == ["rails", None, None, None]


@pytest.mark.parametrize("decision", [Label(IDS[3], 4), Label(IDS[3], ()), Merge((0, 2)), Split(4), Rename(0, "x")])
def test_undoing_goes_back_exactly(session, first, decision):
    second = session.fit([decision], start=first)
    third = session.fit([], start=second)
    np.testing.assert_array_equal(third.labels, first.labels)
    assert (third.numbers, third.names, third.parent is second) == (first.numbers, first.names, True)


def test_what_cannot_be_followed_is_a_note(session, first):
    log = [Label("nobody", 1), Label(IDS[0], 9), Label(IDS[0], "nowhere"), Word("xyzzy"), Merge((0, 7))]
    second = session.fit(log, start=first)
    np.testing.assert_array_equal(second.labels, first.labels)
    assert len(second.notes) == len(log)
    reasons = ("no document", "no group 9", "'nowhere'", "vocabulary", "no group 7")
    for decision, words in zip(log, reasons, strict=True):
        found = second.receipt(decision)
        assert not found.honoured
        assert words in found.said
        assert found.said.startswith("not followed: ")


def test_a_receipt_says_what_moved_and_what_is_contradicted(session, first):
    here, there = Label(IDS[0], 1), Label(IDS[0], 2)
    second = session.fit([here, there], start=first)
    found = second.receipt(there)
    assert found.honoured
    assert found.contradicts == ["another decision on this document: group 1"]
    assert IDS[0] in {moved.id for moved in found.moved}
    assert (second.receipt(here).honoured, second.receipt(here).said) == (False, "another decision replaced it")
    twice = session.fit([here, Label(IDS[0], 0), here, there], start=first).receipt(there)
    assert twice.contradicts == [f"another decision on this document: group {group}" for group in (1, 0)]
    with pytest.raises(InputError, match="not in the log"):
        first.receipt(here)


def test_a_label_that_the_content_of_its_document_does_not_bear_out_is_told_as_that(session, first):
    row = int(np.flatnonzero(first.labels == 0)[0])
    lightly = Label(IDS[row], 1, 1e-6)
    second = session.fit([lightly], start=first)
    assert (second.labels[row], second.own(row)) == (1, 0)
    said = "in group 1 by your decision; the model predicts group 0"
    assert (second.receipt(lightly).honoured, second.receipt(lightly).said) == (False, said)


def test_a_receipt_says_that_its_document_came_to_another_group_by_a_split_or_a_merge(session, first):
    rows = np.flatnonzero(first.labels == 1)[:8]
    log = [Label(IDS[row], 1) for row in rows] + [Split(1)]
    halved = session.fit(log, start=first)
    ended = {IDS[row]: halved.labels[row] for row in rows}
    assert set(ended.values()) == {1, 5}
    for decision in log[:-1]:
        since = "in group 5 since group 1 was split" if ended[decision.documents[0]] == 5 else "in group 1"
        said = halved.receipt(decision).said
        assert said.startswith(since)
        assert said.removeprefix(since).startswith(("; the model predicts the same", " by your decision"))
    moved = next(each for each in log[:-1] if ended[each.documents[0]] == 5)
    whole = session.fit([*log, Merge((0, 5))], start=halved)
    assert whole.receipt(moved).said.startswith("in group 0 since groups 0 and 5 were merged")


def test_a_receipt_of_a_named_group_says_so_too(session, first):
    rows = np.flatnonzero(first.labels == 1)[:8]
    named = session.fit([Rename(1, "all of it")], start=first)
    log = [*named.decisions, *(Label(IDS[row], "all of it") for row in rows), Split("all of it")]
    halved = session.fit(log, start=named)
    said = {int(halved.labels[row]): halved.receipt(Label(IDS[row], "all of it")).said for row in rows}
    assert said[5].startswith("in group 5 since group all of it was split")
    assert said[1].startswith(("in group 1; the model", "in group 1 by your"))


def test_a_stop_word_is_called_so_where_it_cannot_be_followed(session, first):
    log = [Word("the"), Word("The", 1)]
    second = session.fit(log, start=first)
    assert [note.split(": ")[-1] for note in second.notes] == ["it is a stop word, which is already ignored"] * 2


def test_a_version_counts_the_groups_that_hold_documents(first):
    assert "in 5 groups after" in repr(first)
    labels = np.where(first.labels == 3, 2, first.labels)
    assert "in 4 groups, 1 empty, after" in repr(replace(first, labels=labels))


def test_all_that_moved_did_because_of_the_only_new_decision(session, first):
    gone, other = (int(np.flatnonzero(first.labels == group)[0]) for group in (0, 1))
    second = session.fit([Label(IDS[gone], ())], start=first)
    labels = second.labels.copy()
    labels[other] = -1  # another document is beyond the threshold since
    found = replace(second, labels=labels).receipt(Label(IDS[gone], ()))
    assert [moved.id for moved in found.moved] == [IDS[row] for row in sorted((gone, other))]
    assert found.said.endswith("; 1 more document is similar to the examples and became off-topic, too")
    assert "like the examples" not in second.receipt(Label(IDS[gone], ())).said


def test_after_an_undo_a_receipt_still_says_what_its_own_decision_moved(session, first):
    here = Label(IDS[np.flatnonzero(first.labels == 0)[0]], 1)
    there = Label(IDS[np.flatnonzero(first.labels == 1)[0]], ())
    second = session.fit([here], start=first)
    third = session.fit([here, there], start=second)
    fourth = session.fit([here], start=third)
    assert fourth.receipt(here).moved == second.receipt(here).moved != []
    assert session.fit([here], start=fourth).receipt(here).moved == second.receipt(here).moved


def test_so_it_does_where_both_were_followed_in_one_step(session, first):
    """What is undone is then a part of a step, and the rest is followed anew."""
    here = Label(IDS[np.flatnonzero(first.labels == 0)[0]], 1)
    there = Label(IDS[np.flatnonzero(first.labels == 1)[0]], ())
    both = session.fit([here, there], start=first)
    back = session.fit([here], start=both)
    assert back.parent is both
    assert back.receipt(here).moved == session.fit([here], start=first).receipt(here).moved != []


def test_a_version_and_a_receipt_print_in_a_line(session, first):
    merged = session.fit([Merge((0, 1)), Rename(77, "none")], start=first)
    assert repr(merged) == "<Version 2: 284 documents in 4 groups after 2 decisions, 1 note>"
    moved = len(merged.receipt(Merge((0, 1))).moved)
    said = f"groups 0 and 1 are one: they became group 0; 4 groups in all; {moved} documents moved"
    assert str(merged.receipt(Merge((0, 1)))) == said
    assert len(repr(merged.receipt(Merge((0, 1))))) < 200
    assert repr(merged.compare(first)) == f"<Changes: {moved} documents moved>"


def test_groups_by_name_are_found_around_their_documents():
    texts, ids = TEXTS[::3], IDS[::3]
    trains = [each["id"] for each in DOCUMENTS[::3] if each["label"] == DOCUMENTS[0]["label"]][:4]
    log = [*(Label(each, "trains") for each in trains), Label(ids[-1], ())]
    session = Session(texts, n_clusters=5, ids=ids, encoder=None)
    version = session.fit(log)
    assert version.names[0] == "trains"
    assert [version.groups[each] for each in trains] == [0] * 4
    assert version.groups[ids[-1]] == -1
    model = DocumentClustering(5, encoder=None, random_state=0).fit(texts, ids=ids, seeds={"trains": trains})
    others = ~np.isin(ids, trains)
    np.testing.assert_array_equal(session.fit(log[:-1]).labels[others], model.labels_[others])


def test_a_log_with_numbers_goes_on_from_the_groups_without_it(session, first):
    log = [Label(IDS[0], 3), Merge((0, 1))]
    np.testing.assert_array_equal(session.fit(log).labels, session.fit(log, start=first).labels)


@pytest.mark.parametrize("clusterer", [SphericalKMeans(5, random_state=0), SeededKMeans(5, random_state=0)])
def test_other_clusterers_go_on_as_they_can(clusterer):
    session = opened(clusterer=clusterer)
    first = session.fit()
    second = session.fit([Label(IDS[0], 2), Split(1)], start=first)
    assert second.groups[IDS[0]] == 2
    assert sorted(second.numbers) == [0, 1, 2, 3, 4, 5]
    assert kept(first, second, np.isin(first.labels, (0, 3, 4))) > 0.8


@pytest.mark.parametrize("make", [CPM3C, MaxMarginClustering, SeededKMeans, SphericalKMeans])
def test_junk_stays_out_after_a_decision_whatever_the_clusterer(make):
    session = opened(universum=OFF, clusterer=make(5, random_state=0))
    first = session.fit()
    out = np.flatnonzero(first.labels < 0)
    scores = first.model.off_topic_score(TEXTS)
    farthest = [Label(IDS[row], ()) for row in out[np.argsort(-scores[out])][:16]]
    inside = IDS[int(np.flatnonzero(first.labels == 0)[0])]
    assert len(out) >= 32
    for log, start in (([Label(inside, 1)], first), (farthest, first), (farthest, None)):
        assert np.count_nonzero(session.fit(log, start=start).labels[out] >= 0) <= 1  # one lies at the threshold


def test_a_fit_ends_when_it_is_asked_to(session, first):
    asked = Event()
    asked.set()
    with pytest.raises(CancelledError, match="cancelled"):
        session.fit([Merge((0, 1))], start=first, cancel=asked)
    calls = iter([False] * 4)
    with pytest.raises(CancelledError):
        session.fit([Merge((0, 1))], start=first, cancel=lambda: next(calls, True))
    assert session.fit([Merge((0, 1))], start=first, cancel=lambda: False).numbers == (0, 2, 3, 4)


def test_fits_put_texts_in_order_once(monkeypatch):
    """Half a million take a third of a second, in which nothing else is answered."""
    session, asked, order = opened(), [], Spaces.order
    monkeypatch.setattr(Spaces, "order", lambda self, *given: (asked.append(len(self)), order(self, *given))[1])
    session.fit([Label(IDS[0], 1)], start=session.fit())
    assert asked == [len(session.documents.spaces)]


def test_steps_are_told_with_an_estimate_of_what_is_left():
    heard = []
    opened().fit(on_step=heard.append)
    assert [each.step for each in heard][:2] == ["starting", "fitting"]
    assert heard[-1].done == heard[-1].total
    assert heard[-1].left == 0


def test_wrong_collections_are_told():
    with pytest.raises(InputError, match="ids must be 2 unique"):
        Session(["a cat", "a dog"], n_clusters=1, ids=["x", "x"])
    with pytest.raises(InputError, match="titles"):
        Session(["a cat", "a dog"], n_clusters=1, titles=["x"])
    with pytest.raises(InputError, match="list of strings"):
        Session("a cat", n_clusters=1)


def test_what_is_no_log_or_no_version_is_told_in_words(session, first):
    for wrong, said in (
        (Merge((0, 1)), "decisions is a single Merge; give a list"),
        (["merge 0 1"], "is a str, not"),
        ([Split(0), {"kind": "undo"}], r"decisions\[1\] is a dict"),
    ):
        with pytest.raises(InputError, match=said):
            session.fit(wrong, start=first)
    with pytest.raises(InputError, match="int, not a version"):
        session.fit([], start=1)


@pytest.mark.parametrize("texts", [TEXTS[:-1], TEXTS[::-1]])
def test_a_version_of_other_documents_is_told(first, texts, tmp_path):
    """Its groups were taken for those of the documents in their places."""
    other = Session(texts, n_clusters=5, ids=IDS[: len(texts)])
    with pytest.raises(InputError, match="other documents"):
        other.fit([Split(0)], start=first)
    with pytest.raises(InputError, match="to other documents"):
        other.save(tmp_path / "work.outgroup", first)


def test_a_version_of_another_session_on_the_same_documents_is_gone_on_from(first):
    again = opened().fit([Rename(0, "first")], start=first)
    assert np.array_equal(again.labels, first.labels)


REPLAY = """
import hashlib, json, sys
from outgroup.demo import documents_path
from outgroup import MaxMarginClustering
from outgroup.session import Session
from outgroup.decisions import parse
rows = [json.loads(line) for line in open(documents_path(), encoding="utf-8")][::3]
clusterer = MaxMarginClustering(5, n_init=1, gap=0.01, off_topic_rate=None, random_state=0)
session = Session([row["text"] for row in rows], n_clusters=5, clusterer=clusterer, ids=[row["id"] for row in rows])
log = [parse(each) for each in json.load(open(sys.argv[1]))]
version = session.fit()
digest = hashlib.sha256()
for end in range(40, len(log) + 40, 40):
    version = session.fit(log[:end], start=version)
    digest.update(version.labels.tobytes() + version.model.clusterer_.coef_.tobytes())
print(digest.hexdigest(), version.numbers)
"""


def random_log(count, seed):
    rng = np.random.default_rng(seed)
    words = ["train", "bread", "star", "river", "said"]

    def one():
        document, group, other = IDS[::3][rng.integers(len(IDS[::3]))], int(rng.integers(7)), int(rng.integers(7))
        word = words[rng.integers(len(words))]
        kinds = [
            *[Label(document, group)] * 4,
            *[Label(document, ()), Word(word, group), Word(word), Rename(group, f"name {other}")],
            *[Merge((group, other)) if group != other else Split(group), Split(group)],
        ]
        return kinds[rng.integers(len(kinds))]

    return [one() for _ in range(count)]


def test_a_log_of_200_decisions_replays_to_the_same_bytes_in_another_process(tmp_path):
    """Of two interpreters: one begins with it, and the other loaded the libraries for many commands."""
    file = tmp_path / "log.json"
    file.write_text(json.dumps([each.to_dict() for each in random_log(200, 3)]))
    command = [sys.executable, "-c", REPLAY, str(file)]
    one, other = subprocess.run(command, capture_output=True, text=True, check=True), ran(file, start=REPLAY)
    assert other.returncode == 0, other.stderr
    assert one.stdout == other.stdout
    assert one.stdout.strip()


def test_a_merge_across_which_a_document_was_moved_is_told_as_a_contradiction(session, first):
    moved, merged, apart = Label(IDS[np.flatnonzero(first.labels == 0)[0]], 1), Merge((1, 0)), Merge((3, 2))
    second = session.fit([moved], start=first)
    third = session.fit([moved, apart, merged], start=second)
    assert third.receipt(merged).contradicts == [f"document {moved.documents[0]!r} was moved from group 0 to group 1"]
    assert third.receipt(moved).contradicts == ["groups 0 and 1 were merged"]
    assert third.receipt(apart).contradicts == []
    assert session.fit([merged, moved], start=first).receipt(merged).contradicts == []  # the label came later


def test_a_receipt_names_the_groups_that_a_merge_and_a_split_came_to(session, first):
    merged = session.fit([Merge((3, 1))], start=first)
    assert merged.receipt(Merge((3, 1))).said == "they became group 3; 4 groups in all"
    halved = session.fit([Merge((3, 1)), Split(0)], start=merged)
    assert halved.receipt(Split(0)).said == "it became groups 0 and 5; 5 groups in all"
    assert halved.receipt(Merge((3, 1))).said == "they became group 3; 4 groups in all"  # when it was followed
    every = Merge(tuple(range(5)))
    assert session.fit([every], start=first).receipt(every).said == "they became group 0; 1 group in all"


def test_what_was_thrown_away_without_a_row_is_skipped_for_that():
    session = Session(
        ["bread and butter", "butter on bread", "a train to town", "the town's rails", "..."], n_clusters=2
    )
    version = session.fit([Label("4", ()), Label("3", ())])
    why = dict(version.model.skipped_)
    assert why[3] == "labelled off-topic"
    assert "word" in why[4]
    assert version.shown[0].tolist() == [True, True, True, True, False]


@pytest.mark.filterwarnings("error::sklearn.exceptions.ConvergenceWarning")
def test_a_group_of_equal_texts_is_split_and_questioned_without_a_warning():
    session = Session([*["bread and butter"] * 6, *["a train to town"] * 6], n_clusters=2)
    second = session.fit([Split(0)], start=session.fit())
    assert len(second.numbers) == 3
