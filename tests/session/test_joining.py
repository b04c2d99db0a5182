"""A group that documents begin takes what is clearly more like them than like its own group, and nothing else."""

import json
from copy import copy
from dataclasses import asdict, replace

import numpy as np
import pytest

from outgroup.decisions import Label, Merge, NewGroup, Split
from outgroup.decisions.state import Step, joining
from outgroup.session import Session
from outgroup.session.past import Past
from outgroup.session.questions import Questions
from outgroup.summary.findings import trust_of
from outgroup.summary.partition import Partition
from outgroup.summary.sentences import group_sentences

SIZES = {"first": 60, "second": 60, "third": 24}
NAMES = np.repeat(list(SIZES), list(SIZES.values()))
THIRD = np.flatnonzero(NAMES == "third")


def vectors():
    """Three classes apart; half of the third lies a little towards the first, half towards the second."""
    rng = np.random.default_rng(0)
    means = {"first": [1, 0, 0, 0], "second": [0, 1, 0, 0], "third": [0, 0, 1, 0]}
    X = np.array([means[name] for name in NAMES], dtype=float) + 0.05 * rng.normal(size=(len(NAMES), 4))
    X[THIRD[::2], 0] += 0.3
    X[THIRD[1::2], 1] += 0.3
    return (X / np.linalg.norm(X, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture(scope="module")
def session():
    texts = [f"{name} word{row % 7}" for row, name in enumerate(NAMES)]
    return Session(texts, n_clusters=2, embeddings=vectors(), neighbours=0)


@pytest.fixture(scope="module")
def first(session):
    """The third class is in both groups."""
    version = session.fit()
    assert set(version.labels[THIRD].tolist()) == {0, 1}
    return version


def moved(before, after):
    return np.flatnonzero(before.labels != after.labels)


@pytest.mark.parametrize("count", [1, 3])
def test_a_theme_that_is_in_no_one_group_becomes_one(session, first, count):
    decision = NewGroup(tuple(map(str, THIRD[:count])), "third")
    second = session.fit([decision], start=first)
    assert (second.numbers, second.names) == ((0, 1, 2), {2: "third"})
    assert moved(first, second).tolist() == THIRD.tolist()
    receipt = second.receipt(decision)
    who = "its first document" if count == 1 else "all of its 3 first documents"
    assert receipt.honoured
    assert receipt.said == f"group 2 has 24 documents; without labels, {who} would also be there"
    assert len(receipt.moved) == 24


def test_what_comes_later_goes_on_from_it_and_undo_goes_back(session, first):
    begun = NewGroup((str(THIRD[0]),))
    second = session.fit([begun], start=first)
    third = session.fit([begun, Merge((0, 2))], start=second)
    assert third.numbers == (0, 1)
    assert (third.labels[THIRD] == 0).all()
    back = session.fit([], start=second)
    np.testing.assert_array_equal(back.labels, first.labels)


def test_the_same_log_from_nothing_makes_the_same_groups(session, first):
    log = [NewGroup((str(THIRD[0]), str(THIRD[1])), "third"), Label("0", "third")]
    step = session.fit(log[:1], start=first)
    np.testing.assert_array_equal(session.fit(log, start=step).labels[THIRD], session.fit(log).labels[THIRD])


def test_a_labelled_document_joins_only_where_it_is_named(session, first):
    stays = [Label(str(THIRD[2]), int(first.labels[THIRD[2]]))]
    labelled = session.fit(stays, start=first)
    second = session.fit([*stays, NewGroup((str(THIRD[0]),))], start=labelled)
    assert second.labels[THIRD[2]] == first.labels[THIRD[2]]
    both = [*stays, NewGroup((str(THIRD[0]), str(THIRD[2])))]
    named = session.fit(both, start=labelled)
    assert named.labels[THIRD[2]] == 2
    assert not named.receipt(stays[0]).honoured
    assert named.receipt(both[1]).contradicts == [f"another decision on one of these documents: {stays[0].place}"]


def test_who_says_that_a_document_stays_in_the_new_group_says_nothing_against_it(session, first):
    log = [NewGroup(tuple(map(str, THIRD[:3])), "third")]
    version = session.fit(log, start=first)
    for said in (Label(str(THIRD[0]), 2), Label(str(THIRD[1]), "third")):
        log.append(said)
        version = session.fit(log, start=version)
        assert version.receipt(said).contradicts == []
    receipt = version.receipt(log[0])
    assert receipt.honoured
    assert receipt.contradicts == []


def test_a_receipt_is_of_the_documents_that_nothing_later_put_elsewhere(session, first):
    log = [NewGroup((str(THIRD[0]), str(THIRD[2]), "none"), "third"), NewGroup((str(THIRD[0]),), "fourth")]
    version = session.fit(log, start=session.fit(log[:1], start=first))
    begun = version.receipt(log[0])
    assert begun.said.startswith("group 2 has ")
    assert begun.said.endswith("; 2 documents of the decision are in another group or missing")
    assert begun.contradicts == ["another decision on one of these documents: group fourth"]
    log.append(Label(str(THIRD[0]), ()))
    version = session.fit(log, start=version)
    assert version.receipt(log[1]).said == "another decision replaced it"


def test_who_begins_a_group_with_too_little_hears_what_to_do(session, first):
    """The decision stands, and the group's direction is that of others."""
    rows = np.flatnonzero(NAMES == "first")[:2].tolist()
    home = int(first.labels[rows[0]])
    for begun, said in [
        (rows[:1], f"its first document would be in group {home}: put two or three similar documents into group 2"),
        (rows, "none of its 2 first documents would be there: put two or three similar documents into group 2"),
    ]:
        decision = NewGroup(tuple(map(str, begun)))
        version = lean(session.fit([decision], start=first), 2)
        receipt = version.receipt(decision)
        assert not receipt.honoured
        assert receipt.said.endswith(f"; without labels, {said}")


def lean(version, group):
    """A version whose model puts nothing into a group."""
    clusterer = copy(version.model.clusterer_)
    clusterer.intercept_ = np.where(np.arange(3) == group, -9.0, 0.0)
    model = copy(version.model)
    model.clusterer_ = clusterer
    return replace(version, model=model)


def test_a_receipt_follows_its_documents_through_splits_and_merges(session, first):
    log = [NewGroup(tuple(map(str, THIRD)), "third")]
    version = session.fit(log, start=first)
    log.append(Split(2))
    version = session.fit(log, start=version)
    sizes = [int((version.labels[THIRD] == group).sum()) for group in (2, 3)]
    assert sum(sizes) == 24
    said = f"its first documents are in group 2 ({sizes[0]}) and group 3 ({sizes[1]}) since group 2 was split"
    receipt = version.receipt(log[0])
    assert receipt.said == f"{said}; without labels, all of its 24 first documents would also be there"
    assert receipt.honoured
    log.append(Merge((3, 2)))
    said = session.fit(log, start=version).receipt(log[0]).said
    assert said.startswith("group 3 has 24 documents since groups 3 and 2 were merged; without labels, all ")


def test_groups_that_a_person_parted_are_not_said_to_be_mixed_nor_asked_to_be_one(session, first):
    log = [NewGroup(tuple(map(str, THIRD[:3])), "third")]
    begun = session.fit(log, start=first)
    assert begun.state.apart == {frozenset({0, 2}), frozenset({1, 2})}
    log.append(Split(0))
    split = session.fit(log, start=begun)
    assert split.state.apart == begun.state.apart | {frozenset({0, 3}), frozenset({2, 3})}
    log.append(Merge((1, 2)))
    merged = session.fit(log, start=split)
    assert merged.state.apart == {frozenset({0, 1}), frozenset({0, 3}), frozenset({1, 3})}
    past = Past.from_dict(json.loads(json.dumps(Past.of(merged, session.documents.texts).to_dict())), merged.model)
    assert past.state(session.documents).apart == merged.state.apart
    assert session.fit(log[:-3], start=merged).state.apart == set()


def test_a_begun_group_is_not_said_to_be_mixed_with_the_one_that_it_came_from(session, first):
    """Fits that know of no decision find the two as one."""
    begun = session.fit([NewGroup(tuple(map(str, THIRD))), NewGroup(("5", "6", "7"))], start=first)
    home = int(first.labels[5])
    unknown = trust_of(Partition.of(replace(begun, state=replace(begun.state, apart=frozenset())))).groups[3]
    assert (unknown.word, unknown.mixed_with) == ("mixed", home)
    told = trust_of(Partition.of(begun)).groups[3]
    assert told == replace(unknown, word="loose")
    assert f"from group {home}." in group_sentences(asdict(told))[1]


def test_the_halves_of_a_group_are_not_asked_to_be_one(session, first):
    split = session.fit([NewGroup(tuple(map(str, THIRD))), Split(0)], start=first)
    asked = Questions().next(split, split.assess(), (), most=60)
    ways = {(each.group, each.rival) for each in asked if each.kind == "typical"}
    assert ways
    assert all(frozenset(way) not in split.state.apart for way in ways)
    together = replace(split, state=replace(split.state, apart=frozenset()))
    asked = Questions().next(together, split.assess(), (), most=60)
    assert {(0, 3), (3, 0)} & {(each.group, each.rival) for each in asked if each.kind == "typical"}


def test_a_document_amid_its_group_takes_nothing_from_the_others(session, first):
    second = session.fit([NewGroup(("5",))], start=first)
    assert set(NAMES[moved(first, second)]) == {"first"}
    assert set(first.labels[moved(first, second)]) == {first.labels[5]}


@pytest.mark.parametrize(
    ("decision", "why"),
    [
        (NewGroup(("none",)), "no document has this id"),
        (NewGroup(tuple(map(str, range(144)))), "group 0 would have no documents: rename it instead"),
    ],
)
def test_what_cannot_be_is_a_note_and_changes_nothing(session, first, decision, why):
    second = session.fit([decision], start=first)
    assert second.notes[-1].endswith(f": {why}")
    assert second.numbers == first.numbers
    np.testing.assert_array_equal(second.labels, first.labels)


def test_a_name_is_given_once(session, first):
    second = session.fit([NewGroup(("130",), "new"), NewGroup(("3",), "new")], start=first)
    assert second.notes[-1] == "3 is a new group called new: group 2 has that name; choose another"


def test_documents_that_are_not_there_are_left_out(session, first):
    second = session.fit([NewGroup(("none", str(THIRD[0])))], start=first)
    assert moved(first, second).tolist() == THIRD.tolist()


def test_no_group_is_left_empty_by_what_joins(session, first):
    labels = np.where(NAMES == "third", 1, 0).astype(np.int32)
    state = replace(first.state, labels=labels)
    after = NewGroup((str(THIRD[0]),))._follow(Step(state, session.documents))
    assert (after.labels == 1).any()
    assert not len(joining(session.documents, labels, {}, THIRD[:23]))


def test_what_is_off_topic_joins_only_where_it_is_named(session, first):
    labels = first.labels.copy()
    labels[THIRD[:4]] = -1
    state = replace(first.state, labels=labels)
    after = NewGroup((str(THIRD[0]), str(THIRD[5])))._follow(Step(state, session.documents))
    assert after.labels[THIRD[0]] == 2
    assert (after.labels[THIRD[1:4]] == -1).all()
