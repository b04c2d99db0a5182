"""What to look at next: each kind by hand, and nothing twice."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from outgroup.decisions import Label
from outgroup.session import Session
from outgroup.session.questions import KINDS, Known, MisplacedParts, MixedGroups, Questions, _judged, propose
from outgroup.solve.cosines import centred_cosines, nearest_groups, sums

SCORES = np.array([[5.0, 0, 0], [4, 0, 0], [1, 0.9, 0], [0, 3, 0], [0, 1, 0.5], [0, 0, 2.0], [0, 0, 0.1]])
MANY = np.repeat(SCORES, 10, axis=0)  # so that few of them are drawn


def kinds(found):
    return {kind: [each.row for each in found if each.kind == kind] for kind in KINDS}


def proposed(scores, off_topic_score=None, *, most=10, **known):
    return propose(scores, off_topic_score, Known(**known), most=most)


def test_each_kind_by_hand():
    junk = np.repeat([0, 0, 0, 0, 0, 0, 9.0], 10)
    found = kinds(proposed(MANY, junk, most=100))
    assert found["typical"][:3] == [0, 30, 50]
    assert found["off-topic"][0] // 10 == 6


def test_groups_that_look_like_two_take_turns_with_documents():
    found = proposed(SCORES, mixed=[2, 0], most=100)
    assert [(each.row, each.kind, each.group) for each in found if each.row < 0] == [(-1, "mixed", 2), (-1, "mixed", 0)]


def test_a_group_of_two_parts_looks_like_two_until_it_is_judged_again():
    X, labels, mixed = np.repeat(np.eye(3), 10, axis=0), np.repeat([0, 0, 1], 10), MixedGroups()
    assert mixed.order(X, labels, [0, 1]) == [0]
    labels[10:20] = 1
    assert mixed.order(X, labels, [0, 1]) == [1]
    assert MixedGroups().order(np.repeat(np.eye(2), 3, axis=0), np.zeros(6, int), [0]) == []


def test_parts_take_turns_and_those_of_documents_in_no_group_are_left_out():
    grouped = np.array([True] * 6 + [False])
    found = proposed(SCORES, grouped=grouped, parts=[(6, 2, 0), (4, 1, 2)], most=100)
    assert [(each.row, each.group, each.rival) for each in found if each.kind == "part"] == [(4, 1, 2)]


def test_the_kinds_take_turns():
    scores, parts = np.random.default_rng(0).random((600, 3)), [(row, 0, 1) for row in range(30)]
    found = [each.kind for each in proposed(scores, np.arange(600.0), mixed=[2, 1], parts=parts, most=10)]
    assert found[:5] == ["typical", "part", "part", "mixed", "part"]
    assert found[5:] == ["part", "typical", "part", "part", "off-topic"]
    none_left = [each.kind for each in proposed(scores, np.arange(600.0), mixed=[2], parts=parts[:1], most=8)]
    assert none_left == ["typical", "part", "mixed", "typical", "off-topic", "typical", "off-topic", "off-topic"]


def test_the_kinds_go_on_with_their_turns_from_one_question_to_the_next():
    given = {"mixed": [2], "parts": [(4, 1, 2), (1, 0, 1), (6, 2, 0)]}
    found = [proposed(SCORES, **given, turn=turn, most=1)[0].kind for turn in (0, 1, 2, 3, 4, 11)]
    assert found == ["typical", "part", "part", "mixed", "part", "part"]


def test_of_two_groups_that_are_nearest_to_each_other_one_is_asked_about_and_the_other_after_all():
    nearest = [(0, 1), (1, 0), (2, 1)]
    found = [each.group for each in proposed(MANY, nearest=nearest, most=100) if each.kind == "typical"]
    assert found == [0, 2, 1]
    found = [each.group for each in proposed(MANY, nearest=nearest, touched=[0], most=100) if each.kind == "typical"]
    assert found == [2, 1]


def test_groups_that_nobody_looked_at_come_in_the_order_that_is_given():
    found = [each for each in proposed(MANY, nearest=[(2, 0), (0, 1)], most=100) if each.kind == "typical"]
    assert [(each.row, each.group, each.rival) for each in found] == [(50, 2, 0), (0, 0, 1), (30, 1, -1)]


def test_a_part_that_is_known_is_not_asked_about_again():
    """One group holds two topics; of one of them a part lies in another group, as after a decision."""
    topics = np.array([[1.0, 0.6, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0.9, 0.9], [0, 0, 0.1, 1]])
    of = np.repeat(np.arange(5), 30)
    embeddings = topics[of] + 0.03 * np.random.default_rng(0).random((150, 4))
    first = Session(["tea", "milk", "water"] * 50, n_clusters=4, neighbours=0, embeddings=embeddings).fit()
    here, there = int(first.labels[0]), int(first.labels[60])
    assert here == first.labels[30] != there

    def asked(version, log, passed=()):
        found = Questions().next(version, version.assess(), log, passed, most=100)
        return [each for each in found if each.kind == "part" and of[each.row] == 0], kinds(found)["typical"]

    parts, typical = asked(first, [])
    assert of[typical[0]] in {3, 4}, "of the two that are nearest to each other"
    labels = first.labels.copy()
    labels[[parts[0].row, 0, 1, 2]] = there
    moved = replace(first, labels=labels)
    assert asked(moved, [])[0]
    assert not asked(moved, [Label(str(parts[0].row), there)])[0]
    assert asked(moved, [], [str(parts[0].row)])[0], "what is put off is no answer"


def test_a_part_that_lies_nearer_to_another_group_comes_first():
    rng = np.random.default_rng(0)
    X = np.repeat(np.eye(4), [60, 30, 60, 60], axis=0) + 0.02 * rng.random((210, 4))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    labels = np.repeat([5, 5, 7, 9], [60, 30, 60, 60])
    labels[150:165] = 5  # a quarter of group 9 went astray
    for rows in (X, sp.csr_matrix(X)):
        first = MisplacedParts().order(rows, labels, [5, 7, 9])[0]
        assert (first.group, first.rival) == (5, 9)
        assert set(first.rows.tolist()) == set(range(150, 165))
        assert first.row in first.rows
        assert first.margin < 0


def test_the_rival_of_a_part_is_another_group_by_hand():
    X = np.eye(3)[[0, 0, 1, 1, 2, 2]]
    halves = [(np.array([0, 1]), 4), (np.array([2, 3]), 4)]
    found = _judged(X, np.array([4, 4, 4, 4, 7, 7]), [4, 7], halves)
    assert [(each.row, each.group, each.rival) for each in found] == [(0, 4, 7), (2, 4, 7)]
    assert [each.margin for each in found] == pytest.approx([0, 0])  # -1/2 to the other half, -1/2 to the rival


def test_equal_rows_are_one_part():
    X = np.array([[1.0, 0.6, 0.0], [1, 0, 0], [0, 0, 1]])
    X = np.repeat(X / np.linalg.norm(X, axis=1, keepdims=True), 90, axis=0)
    found = MisplacedParts().order(X, np.repeat([0, 0, 1], 90), [0, 1])
    assert [each.rows.tolist() for each in found] == [list(range(start, start + 90)) for start in (0, 90)]


def test_parts_with_equal_margins_come_in_the_order_of_their_rows():
    X = np.repeat(np.eye(4), 60, axis=0)
    found = MisplacedParts().order(X, np.repeat([1, 0, 1, 0], 60), [0, 1])
    assert [each.row for each in found] == [0, 60, 120, 180]


def test_parts_stay_until_a_tenth_of_their_group_has_changed():
    X, labels, parts = np.repeat(np.eye(4), 30, axis=0), np.repeat([0, 0, 1, 1], 30), MisplacedParts()
    first = [each.rows.tolist() for each in parts.order(X, labels, [0, 1])]
    left = first[0][0]
    labels[left] = 1 - labels[left]
    stayed = [each.rows.tolist() for each in parts.order(X, labels, [0, 1])]
    assert sorted(stayed) == sorted([row for row in rows if row != left] for rows in first)
    labels[:10] = 1
    assert sorted(first) != sorted(each.rows.tolist() for each in parts.order(X, labels, [0, 1]))


def test_the_rest_of_a_group_is_what_its_parts_leave():
    rng = np.random.default_rng(3)
    X, labels = rng.random((120, 6)), np.repeat([0, 1], 60)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    middle = X.mean(axis=0)

    def seen(rows):
        mean = X[rows].mean(axis=0) - middle
        return mean / np.linalg.norm(mean)

    for part in MisplacedParts().order(sp.csr_matrix(X), labels, [0, 1]):
        rest = np.setdiff1d(np.flatnonzero(labels == part.group), part.rows)
        other = np.flatnonzero(labels == part.rival)
        np.testing.assert_allclose(part.margin, seen(part.rows) @ (seen(rest) - seen(other)))


def test_no_parts_of_one_group_or_of_few_documents():
    assert MisplacedParts().order(np.eye(3), np.zeros(3, int), [0]) == []
    assert MisplacedParts().order(np.eye(6), np.repeat([0, 1], 3), [0, 1]) == []


def test_a_group_that_is_whole_has_no_parts():
    X, labels = np.repeat(np.eye(3), [20, 30, 30], axis=0), np.repeat([0, 1], [20, 60])
    assert {part.group for part in MisplacedParts().order(X, labels, [0, 1])} == {1}


def test_cosines_from_the_middle_are_those_of_centred_means():
    rng = np.random.default_rng(1)
    X, centre = rng.random((9, 5)), rng.random(5)
    (A, a), (B, b) = sums(X, [np.array([0, 1]), np.array([2])]), sums(X, [np.array([3, 4, 5]), np.array([7, 8])])
    means = [
        np.array([X[rows].mean(axis=0) - centre for rows in sets]) for sets in (([0, 1], [2]), ([3, 4, 5], [7, 8]))
    ]
    unit = [each / np.linalg.norm(each, axis=1, keepdims=True) for each in means]
    found = centred_cosines(sp.csr_matrix(A), a, sp.csr_matrix(B), b, centre)
    np.testing.assert_allclose(found, unit[0] @ unit[1].T)
    np.testing.assert_allclose(found, centred_cosines(A, a, B, b, centre))


def test_opposite_groups_are_nearest_to_each_other():
    assert sorted(nearest_groups(np.eye(2), np.arange(2), [0, 1], np.full(2, 0.5))) == [(0, 1), (1, 0)]


def test_touched_groups_and_seen_documents_are_left_alone():
    found = proposed(MANY, seen=range(20, 40), touched=[0], most=100)
    assert not {2, 3} & {each.row // 10 for each in found}
    assert kinds(found)["typical"] == [50, 40]


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(0, 12))
def test_no_document_twice_and_only_those_that_take_part(seed, k, most):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(15, k))
    scores[rng.random(15) < 0.3] = np.nan
    seen = rng.integers(15, size=3).tolist()
    rows = [each.row for each in proposed(scores, rng.normal(size=15), seen=seen, most=most)]
    assert len(rows) == len(set(rows)) <= most
    assert not set(rows) & set(seen)
    assert np.isfinite(scores[rows]).all()
    free = len(set(np.flatnonzero(np.isfinite(scores).all(axis=1))) - set(seen))
    assert len(rows) == min(most, free)  # each is off-topic to some degree


def test_what_is_set_aside_is_proposed_as_off_topic_alone():
    grouped = np.array([True, True, False, True, True, True, True])
    found = kinds(proposed(SCORES, np.arange(7.0), grouped=grouped, most=100))
    assert 2 in found["off-topic"]
    assert 2 not in found["typical"]


def test_nothing_to_look_at():
    assert proposed(np.full((3, 2), np.nan)) == []


def test_parts_and_halves_are_those_of_the_same_documents_after_others_are_gone():
    X, labels = np.repeat(np.eye(4), 30, axis=0), np.repeat([0, 0, 1, 1], 30)
    parts, mixed, documents = MisplacedParts(), MixedGroups(), np.arange(120)
    before = {frozenset(part.rows.tolist()) for part in parts.order(X, labels, [0, 1], documents)}
    mixed.order(X, labels, [0, 1], documents)
    left = np.setdiff1d(documents, [0, 1])
    with pytest.MonkeyPatch.context() as patch:  # nothing is looked for anew: two of sixty documents went
        patch.setattr("outgroup.session.questions._parts", None)
        patch.setattr("outgroup.session.questions._smaller", None)
        after = parts.order(X[left], labels[left], [0, 1], left)
        assert mixed.order(X[left], labels[left], [0, 1], left)
    assert {frozenset(left[part.rows].tolist()) for part in after} == {part - {0, 1} for part in before}


def test_parts_are_looked_at_as_far_as_they_are_proposed():
    scores, left = np.random.default_rng(0).random((100, 3)), iter([(row, 0, 1) for row in range(100)])
    assert "part" in {each.kind for each in proposed(scores, parts=left, most=6)}
    assert len(list(left)) > 90
