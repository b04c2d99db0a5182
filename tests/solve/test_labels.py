"""What labels do to groups: a fair sample corrects them all, a correction its neighbours, words their documents."""

import numpy as np
import pytest
import scipy.sparse as sp

from outgroup.solve.labels import label_space, moved_by_words, moved_near, regrouped

K, SIZE = 3, 60
Y = np.repeat(np.arange(K), SIZE)
NONE = np.full(len(Y), -1)


def classes(seed=0, noise=0.25):
    """Three classes of rows of unit length about the axes."""
    rng = np.random.default_rng(seed)
    X = np.hstack([np.eye(K)[Y], np.zeros((len(Y), 5))]) + noise * rng.random((len(Y), K + 5))
    return X / np.linalg.norm(X, axis=1, keepdims=True)


X = classes()
MERGED = np.minimum(Y, 1)  # two classes in one group, one group without a row


def sampled(y, count, seed=0):
    pins = NONE.copy()
    rows = np.random.default_rng(seed).permutation(len(y))[:count]
    pins[rows] = y[rows]
    return pins


def corrected(found, pins, rows=X, near=None, k=K):
    return regrouped(label_space(rows, near), found, pins, k, np.random.default_rng(0))


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, lambda X: X.astype(np.float32)])
def test_right_labels_move_a_merged_class_apart(form):
    found = corrected(MERGED, sampled(Y, 36), form(X))
    np.testing.assert_array_equal(found.labels, Y)
    assert found.changed
    assert found.right_before < found.right_after == 1
    assert found.n_labels == 36


def test_classes_without_labels_keep_their_groups():
    for unlabelled in range(K):
        found = Y.copy()
        wrong = np.flatnonzero((unlabelled + 1) % K == Y)[:30]
        found[wrong] = (unlabelled + 2) % K
        pins = np.where(unlabelled == Y, -1, sampled(Y, 90))
        after = corrected(found, pins)
        assert after.changed
        np.testing.assert_array_equal(after.labels, Y)


def test_rows_in_no_group_stay_there():
    found = MERGED.copy()
    found[::9] = -1
    pins = np.where(found >= 0, sampled(Y, 60), -1)
    after = corrected(found, pins)
    assert after.changed
    np.testing.assert_array_equal(after.labels < 0, found < 0)


def test_the_move_of_one_label_is_that_of_the_formula_by_hand():
    rows, groups = classes(0, 1.0), np.where(np.arange(len(Y)) % 7 == 0, (Y + 1) % K, Y)
    space = label_space(rows, None)
    F, power = np.asarray(space.rows, dtype=float), space.power(K)
    G = np.maximum(F @ F.T, 0) ** power
    assert np.isclose((G.sum() - len(G)) / len(G) / (len(G) - 1), 0.1 / K, rtol=0.01)
    centres = np.stack([F[groups == g].sum(axis=0) for g in range(K)])
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    logits = space.scale(groups, centres) * (F @ centres.T)
    p = np.exp(logits[0]) / np.exp(logits[0]).sum()
    after = (logits + 2 * G[:, [0]] / 2 * (np.eye(K)[0] - p)).argmax(axis=1)
    expected = np.flatnonzero((after != logits.argmax(axis=1)) & (after != groups))
    moved, _ = moved_near(space, groups, K, {0: 0}, [0])
    assert sorted(moved.tolist()) == [each for each in expected.tolist() if each]


def test_documents_move_by_two_words_of_a_group_alone():
    counts, pins = np.zeros((len(Y), K)), np.zeros(len(Y), dtype=bool)
    rows = X.copy()
    rows[:4] = X[60:64]  # of the second class, in the group of the first
    counts[0, 1], counts[1, 1], counts[2, [0, 1]], counts[3, 1] = 1, 2, 2, 2
    pins[3] = True
    after = moved_by_words(rows, counts, Y, pins)
    assert np.flatnonzero(after != Y).tolist() == [1, 2]
    assert after[[1, 2]].tolist() == [1, 1]


def test_less_than_thirty_labels_or_a_lead_by_chance_change_nothing():
    X = np.repeat(np.eye(2), 60, axis=0) + 0.1 * np.random.default_rng(0).random((120, 2))
    found, right = np.repeat([0, 1, 1], [30, 30, 60]), np.repeat([0, 1], 60)
    few = np.where(np.arange(120) % 5 == 0, right, -1)
    assert not regrouped(label_space(X, None), found, few, 2, np.random.default_rng(0)).changed
    many = np.where(np.arange(120) % 3 == 0, right, -1)
    assert regrouped(label_space(X, None), found, many, 2, np.random.default_rng(0)).changed
    by_chance = np.where(many >= 0, np.random.default_rng(1).integers(0, 2, 120), -1)
    assert not regrouped(label_space(X, None), found, by_chance, 2, np.random.default_rng(0)).changed
