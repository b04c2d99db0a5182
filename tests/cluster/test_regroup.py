"""Groups found again around labels: rows move where the weights and their neighbours say so, and no others."""

import numpy as np
import pytest
import scipy.sparse as sp

from outgroup.cluster.max_margin import MaxMarginClustering
from outgroup.cluster.regroup import Nearby, found_again, supported
from outgroup.cluster.warm_start import WarmStart
from outgroup.rows import as_rows, nearest
from outgroup.solve.neighbours.graph import joined

K, SIZE = 3, 60
Y = np.repeat(np.arange(K), SIZE)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    found = np.hstack([np.eye(K)[Y], np.zeros((K * SIZE, 5))]) + 0.15 * rng.normal(size=(K * SIZE, K + 5))
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def started(labels, pins, **more):
    return WarmStart(labels, np.zeros(len(labels), bool), pins, np.ones(len(labels)), **more)


def astray(*some):
    """The partition with some rows in the next group."""
    labels = Y.copy()
    labels[list(some)] = (Y[list(some)] + 1) % K
    return labels


def again(rows, start, **more):
    return found_again(MaxMarginClustering(K, random_state=0), rows, start, K, **more)


def test_rows_that_went_astray_come_back(rows):
    labels, pins = astray(3, 4, 5, 70, 71, 130), np.full(len(Y), -1)
    pins[[0, 60, 120]] = 0, 1, 2
    for each in (rows, sp.csr_matrix(rows)):
        assert (again(each, started(labels, pins)).labels_ == Y).all()


def test_labelled_rows_stay_where_they_were_put(rows):
    pins = np.full(len(Y), -1)
    pins[[3, 70]] = 1, 2  # a person's word against all else
    found = again(rows, started(Y, pins))
    assert found.labels_[[3, 70]].tolist() == [1, 2]
    assert (np.delete(found.labels_, [3, 70]) == np.delete(Y, [3, 70])).all()


def test_who_is_in_no_group_stays_out_of_the_question(rows):
    labels, inside = astray(3, 70), np.ones(len(Y), dtype=bool)
    inside[3] = False
    found = again(rows, started(labels, np.full(len(Y), -1), inside=inside, row_weights=np.ones(len(Y))))
    assert found.labels_[[3, 70]].tolist() == [labels[3], Y[70]]


def test_examples_of_junk_are_heard(rows):
    junk = -np.abs(rows[:12])
    found = again(rows, started(Y, np.full(len(Y), -1)), universum=junk / np.linalg.norm(junk, axis=1, keepdims=True))
    assert (found.labels_ == Y).mean() > 0.9
    assert found.reject_coef_.shape == (K + 1, rows.shape[1])


def between_groups(rows, some):
    """Return the rows, `some` of group 1 a little nearer to it than to group 0, and who is near whom: rows of group 0
    are near these, and each other row is near itself."""
    X, steps = rows.copy(), np.eye(len(Y))
    X[some] = np.r_[0.65, 0.75, np.zeros(K + 3)] / np.hypot(0.65, 0.75)
    steps[some] = np.isin(np.arange(len(Y)), range(10))
    return X, sp.csr_matrix(steps)


@pytest.mark.parametrize("pin", [-1, 1])
def test_who_lies_between_two_groups_goes_with_its_neighbours_where_these_are_asked(rows, pin):
    X, near = between_groups(rows, SIZE)
    pins = np.full(len(Y), -1)
    pins[[30, SIZE, 130]] = 0, pin, 2
    left, asked = (again(X, started(Y, pins), near=near, ask=ask).labels_ for ask in (False, True))
    np.testing.assert_array_equal(left, Y)
    np.testing.assert_array_equal(np.flatnonzero(asked != Y), [] if pin == 1 else [SIZE])


@pytest.mark.parametrize("count", [20, 21])
def test_a_group_takes_in_a_third_of_what_it_had_or_nothing(rows, count):
    X, near = between_groups(rows, np.arange(SIZE, SIZE + count))
    found = again(X, started(Y, np.full(len(Y), -1)), near=near, ask=True)
    np.testing.assert_array_equal(np.flatnonzero(found.labels_ != Y), SIZE + np.arange(20 if count == 20 else 0))


def test_a_labelled_row_goes_where_it_was_put_whatever_its_group_takes_in(rows):
    X, near = between_groups(rows, np.arange(SIZE, SIZE + 21))
    pins = np.full(len(Y), -1)
    pins[SIZE] = 0  # one of 21 that would go there, and are too many
    found = again(X, started(Y, pins), near=near, ask=True)
    assert found.labels_[SIZE] == 0


def test_where_a_group_would_be_left_empty_nobody_is_asked(rows, monkeypatch):
    labels = np.where(Y == 2, 1, Y)
    labels[0] = 2  # the others of group 0 are near it
    near = sp.csr_matrix(np.vstack([np.r_[0.0, np.ones(10), np.zeros(len(Y) - 11)], np.eye(len(Y))[1:]]))
    monkeypatch.setattr("outgroup.cluster.regroup._best", lambda fitted, X: labels)  # weights alone move no row
    start = started(labels, np.full(len(Y), -1), row_weights=np.ones(len(Y)))
    assert (again(rows, start, near=near, ask=True).labels_ == labels).all()


def test_labels_speak_for_so_many_rows_of_both_groups():
    before, pins = np.repeat([0, 1, 2], [300, 300, 200]), np.full(800, -1)
    after = before.copy()
    after[:60], after[60:100], after[300:420] = 1, 2, 0  # 60 and 40 rows leave the first group, 120 come
    after[799], pins[799] = 0, 0  # where a person put it
    pins[[500, 501]] = 1
    found = supported(before, after, pins, 3)
    np.testing.assert_array_equal(found[:60], 0)  # of one and two labels one counts: 50 rows
    np.testing.assert_array_equal(found[60:100], 2)
    np.testing.assert_array_equal(found[300:420], 1)
    assert found[799] == 0
    pins[298] = 0
    np.testing.assert_array_equal(supported(before, after, pins, 3)[:60], 1)


def test_in_large_groups_a_label_speaks_for_more():
    before = np.repeat([0, 1], 1000)
    after = np.where(np.arange(2000) < 50, 1, before)
    pins = np.full(2000, -1)
    np.testing.assert_array_equal(supported(before, after, pins, 2), after)
    many = [np.repeat(each, 10) for each in (before, after, pins)]  # 500 rows move, of groups of 10,000
    np.testing.assert_array_equal(supported(*many, 2), many[1])
    np.testing.assert_array_equal(supported(many[0], np.where(np.arange(20000) < 501, 1, many[0]), many[2], 2), many[0])


def test_moves_that_no_label_speaks_for_are_not_followed(rows, monkeypatch):
    monkeypatch.setattr("outgroup.cluster.regroup._OF_A_LABEL", 4)
    monkeypatch.setattr("outgroup.cluster.regroup._OF_A_GROUP", 0)
    few, many = astray(3, 4, 5), astray(*range(3, 15))
    pins = np.full(len(Y), -1)
    pins[[0, 60, 120]] = 0, 1, 2
    monkeypatch.setattr("outgroup.cluster.regroup._Search._learned_from_spread", lambda *_: Y)
    for labels, found in ((few, Y), (many, many)):
        monkeypatch.setattr("outgroup.cluster.regroup._best", lambda fitted, X, found=found: found)
        assert (again(rows, started(labels, pins)).labels_ == found).all()


def test_a_row_is_not_its_own_neighbour():
    X = np.array([[1.0, 0.0], [0.9, 0.1], [0.8, 0.2], [0.0, 1.0]])
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    assert Nearby(X).most(np.array([0, 3]), np.array([1, 0, 0, 1]), 2).tolist() == [0, 0]


def test_neighbours_are_looked_for_once(rows, monkeypatch):
    asked = []
    monkeypatch.setattr(
        "outgroup.cluster.regroup.nearest",
        lambda some, *of, **how: asked.append(some.shape[0]) or nearest(some, *of, **how),
    )
    nearby = Nearby(sp.csr_matrix(rows))
    assert nearby.most(np.array([3, 70, 130]), Y, K).tolist() == [0, 1, 2]
    assert nearby.most(np.array([70, 71, 3]), (Y + 1) % K, K).tolist() == [2, 2, 1]
    assert nearby.most(np.array([71, 3]), Y, K).tolist() == [1, 0]
    assert asked == [3, 1]


def test_labels_that_spread_over_neighbours_turn_groups_that_cut_across_classes(monkeypatch):
    """Two classes, each on an arc of its own, and groups of a half of either: their weights see nothing wrong."""
    angle, size = np.linspace(0, 1.2, 40), 40
    arc = np.column_stack([np.cos(angle), np.sin(angle)])
    X = np.block([[arc, np.zeros((size, 2))], [np.zeros((size, 2)), arc]])
    classes, halves = np.repeat([0, 1], size), np.tile(np.repeat([0, 1], size // 2), 2)
    pins = np.full(2 * size, -1)
    pins[[2, 18, 22, 37]], pins[[42, 58, 62, 77]] = 0, 1

    def right(**given):
        found = found_again(MaxMarginClustering(2, random_state=0), X, started(halves, pins), 2, **given)
        return np.mean(found.labels_ == classes)

    spread = right(), right(near=joined(nearest(as_rows(X), count=5)))
    monkeypatch.setattr("outgroup.cluster.regroup.walk_over", lambda *_: None)
    assert min(spread) > right() + 0.1
