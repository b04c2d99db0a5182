"""Decisions on many documents and on groups that are done, numbers that return to no group, and ten decisions."""

import json

import numpy as np
import pytest

from outgroup.decisions import Label, Lock, Merge, NewGroup, Regroup, Split, Word
from outgroup.demo import documents_path
from outgroup.session import Session
from outgroup.session.past import Past

DOCUMENTS = [json.loads(line) for line in documents_path().read_text(encoding="utf-8").splitlines()]
TEXTS, IDS, CLASSES = ([each[name] for each in DOCUMENTS] for name in ("text", "id", "label"))


@pytest.fixture(scope="module")
def session():
    return Session(TEXTS, n_clusters=5, ids=IDS, encoder=None)


@pytest.fixture(scope="module")
def first(session):
    return session.fit()


def of(version, group, count=None):
    return [IDS[row] for row in np.flatnonzero(version.labels == group)[:count]]


def test_one_decision_places_all_its_documents(session, first):
    chosen = of(first, 0, 30)
    log = [Label(chosen, 1)]
    second = session.fit(log, start=first)
    assert all(second.groups[each] == 1 for each in chosen)
    others = [row for row, each in enumerate(IDS) if each not in chosen]
    np.testing.assert_array_equal(first.labels[others], second.labels[others])
    receipt = second.receipt(log[0])
    assert receipt.honoured
    assert {moved.id for moved in receipt.moved} >= set(chosen)


def test_a_group_whose_documents_all_move_is_merged_and_one_that_is_all_junk_stays(session, first):
    whole = of(first, 3)
    second = session.fit([Label(whole, 1)], start=first)
    assert second.numbers == (0, 1, 2, 4)
    assert {second.groups[each] for each in whole} == {1}
    third = session.fit([Label(whole, ())], start=first)
    np.testing.assert_array_equal(third.labels, first.labels)
    assert "group 3 would have no documents" in third.notes[-1]


def decisions_that_move(first):
    """Decisions that would take documents out of group 0."""
    yield [Word(word, 1) for word in ("match", "team")]
    yield [NewGroup(of(first, 1, 3))]
    yield [Label(each, 0) for each in of(first, 1, 3)]
    yield [Word("team"), Label(of(first, 3, 1)[0], ())]
    yield [*(Label(each, 3, sample=True) for each in of(first, 2, 8)), Regroup()]


@pytest.mark.parametrize("case", range(5))
def test_no_fit_moves_a_document_of_a_group_that_is_done(session, first, case):
    done = session.fit([Lock(0)], start=first)
    log = [*list(decisions_that_move(first))[case]]
    second = session.fit([Lock(0), *log], start=done)
    inside = first.labels == 0
    np.testing.assert_array_equal(second.labels[inside], first.labels[inside])


def test_no_number_returns_to_another_group(session, first):
    log = [Merge((3, 1)), Merge((3, 4)), Split(3), NewGroup(of(first, 0, 3))]
    version = first
    for count in range(1, 5):
        version = session.fit(log[:count], start=version)
    assert version.numbers == (0, 2, 3, 5, 6)
    assert version.state.used == 7


def test_a_document_without_a_known_word_is_placed_by_hand_and_steers_nothing(tmp_path):
    texts = [*TEXTS[:60], "... --- ..."]
    session = Session(texts, n_clusters=3, encoder=None)
    first = session.fit()
    assert first.groups["60"] == -1
    second = session.fit([Label("60", 1)], start=first)
    np.testing.assert_array_equal(second.labels, [*first.labels[:-1], 1])
    assert second.receipt(second.decisions[0]).honoured
    third = session.fit([Label("60", 1), Split(0)], start=second)
    assert third.groups["60"] == 1
    past = Past.of(third, texts)
    assert Session.after(past, texts, ids=third.ids).begin().groups == third.groups
    session.save(tmp_path / "work.outgroup", third, embed_texts=True)
    with Session.open(tmp_path / "work.outgroup") as again:
        assert again.version.groups["60"] == 1
    assert session.fit([], start=second).groups["60"] == -1
