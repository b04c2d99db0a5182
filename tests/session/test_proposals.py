"""The next questions: in the order of the documents that an answer moves, junk last, and nothing twice."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outgroup.decisions import Label, Split
from outgroup.session import Session
from outgroup.session.questions import KINDS, Questions

TOPICS = np.array([[1.0, 0, 0, 0, 0], [0.8, 0.6, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0]])
OF = np.repeat(np.arange(4), 40)
NUMBERS = range(3)


def begun(labels, noise=0.25, k=3):
    """A session of four topics, two of them similar, and its first version with the given groups."""
    embeddings = TOPICS[OF] + noise * np.random.default_rng(0).normal(size=(len(OF), 5))
    session = Session(["tea", "milk", "water", "rice"] * 40, n_clusters=k, neighbours=0, embeddings=embeddings)
    version, labels = session.fit(), np.asarray(labels, dtype=np.int32)
    return session, replace(version, state=replace(version.state, labels=labels))


GROUPS = np.array([0, 0, 1, 2])[OF]
"""The two similar topics are one group."""


def asked(version, log=(), passed=(), most=500):
    return Questions().next(version, version.assess(), log, passed, most=most)


def of_kind(kind, found):
    return [each for each in found if each.kind == kind]


@pytest.fixture(scope="module")
def first():
    return begun(GROUPS)


def test_a_topic_in_two_groups_is_asked_about_first_until_it_is_answered():
    labels = np.array([0, 1, 2, 2])[OF]
    labels[20:40] = 1
    _, version = begun(labels)
    found = of_kind("typical", asked(version))
    assert {found[0].group, found[0].rival} == {0, 1}
    assert found[0].moves == min(np.count_nonzero(labels == group) for group in (0, 1))
    ways = [{each.group, each.rival} for each in found]
    assert ways.count({0, 1}) == 1
    answer = Label(version.ids[found[0].row], found[0].group)
    assert {0, 1} not in [{each.group, each.rival} for each in of_kind("typical", asked(version, [answer]))]
    assert {0, 1} not in [{each.group, each.rival} for each in of_kind("typical", asked(version, [Split(0)]))]


def test_an_answer_moves_the_documents_that_its_question_promises(first):
    session, version = first
    labels = version.labels.copy()
    labels[80:92] = 2
    version = replace(version, state=replace(version.state, labels=labels))
    found = of_kind("document", asked(version))
    assert {each.row for each in found[:3]} & set(range(80, 92))
    assert max(each.moves for each in found) > 1
    for each in found[:30]:
        moved = session.preview(version, Label(version.ids[each.row], each.rival))
        assert each.moves == 1 + np.count_nonzero(np.array(moved.groups) == each.rival)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 20), st.integers(0, 12))
def test_no_document_twice_and_none_that_was_answered_or_skipped(first, seed, count, most):
    _, version = first
    ids = np.random.default_rng(seed).permutation(version.ids)
    log, passed = [Label(each, 0) for each in ids[:count]], ids[count : count + 5].tolist()
    found = asked(version, log, passed, most)
    rows = [version.ids[each.row] for each in found if each.row >= 0]
    assert len(rows) == len(set(rows))
    assert len(found) <= most
    assert set(ids[: count + 5]).isdisjoint(rows)
    assert all(each.kind in KINDS and each.group in NUMBERS for each in found)
    assert [each.worth for each in found] == sorted((each.worth for each in found), reverse=True)
