"""The start that labels choose: around themselves, or at the groups that are found without them."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from outgroup.cluster._choice import ChosenByLabels, _best
from outgroup.cluster._numbers import numbers_by

# Two views of twelve rows: features 0 and 1 part even rows from odd ones, 2 and 3 the first half from the second.
EVEN, HALF = np.arange(12) % 2, (np.arange(12) >= 6).astype(int)
X = np.hstack([np.eye(2)[EVEN], np.eye(2)[HALF]]) + 0.01 * np.random.default_rng(0).normal(size=(12, 4))


def labelled(truth, rows):
    pins = np.full(12, -1)
    pins[rows] = truth[rows]
    return pins


def chosen(pins, free, given=None):
    start = ChosenByLabels(X, 2, {"seeds": pins} if given is None else given, pins, lambda rng: free.astype(np.int32))
    (made,) = start.starts(np.random.default_rng(0), 7)
    return made(np.random.default_rng(0))


@pytest.mark.parametrize("truth", [EVEN, HALF])
def test_the_groups_that_the_labels_confirm_are_taken(truth):
    pins = labelled(truth, [0, 1, 2, 3, 8, 9, 10, 11])
    assert np.array_equal(chosen(pins, EVEN), truth)
    assert np.array_equal(chosen(pins, 1 - HALF), truth)


def test_labels_spread_over_the_neighbours_are_taken_where_neither_centres_nor_groups_know_them():
    turns = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    truth = np.arange(60) // 15 % 2  # opposite quarters of a circle: both groups have the same centre
    circle = np.column_stack([np.cos(turns), np.sin(turns)])
    pins = np.where(np.arange(60) % 3 == 1, truth, -1)
    alternate = (np.arange(60) % 2).astype(np.int32)
    start = ChosenByLabels(circle, 2, {"seeds": pins}, pins, lambda rng: alternate)
    (made,) = start.starts(np.random.default_rng(0), 7)
    assert (made.way, made.most) == ("seeds, spread over the neighbours and groups found without them", None)
    assert np.mean(made(np.random.default_rng(0)) == truth) > 0.8

    def drifts(labels, pins, most):
        return labels if most == 1 else alternate

    start = ChosenByLabels(circle, 2, {"seeds": pins}, pins, lambda rng: alternate, drifts)
    (made,) = start.starts(np.random.default_rng(0), 7)
    assert made.way == "seeds, spread over the neighbours and groups found without them, one step"
    assert made.most == 1


def test_what_no_seed_names_begins_at_the_groups_that_are_found_without_seeds():
    thirds, words = np.arange(12) // 4, np.zeros((3, 3), dtype=bool)
    words[2, 0] = True
    rows, seen = np.eye(3)[thirds], []

    def free(rng):
        seen.append(True)
        return thirds.astype(np.int32)

    (made,) = ChosenByLabels(rows, 3, {"word_seeds": words}, np.full(12, -1), free).starts(np.random.default_rng(0), 7)
    assert np.array_equal(made(np.random.default_rng(0)), np.array([2, 0, 1])[thirds])
    words[:] = np.eye(3, dtype=bool)  # every group has a word: none is looked for
    (made,) = ChosenByLabels(rows, 3, {"word_seeds": words}, np.full(12, -1), free).starts(np.random.default_rng(0), 7)
    assert np.array_equal(made(np.random.default_rng(0)), thirds)
    assert seen == [True]


def test_one_label_a_group_cannot_judge_and_takes_what_is_found_without():
    pins = labelled(EVEN, [0, 11])
    assert np.array_equal(chosen(pins, 1 - EVEN), EVEN)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_a_group_that_words_alone_name_is_the_one_that_holds_them(form):
    thirds = np.arange(12) // 4
    pins, words = labelled(thirds, [0]), np.zeros((3, 3), dtype=bool)
    words[1, 2] = True  # group 1 has no labelled document, and a word of the last third
    given = {"seeds": pins, "word_seeds": words}
    start = ChosenByLabels(form(np.eye(3)[thirds]), 3, given, pins, lambda rng: thirds.astype(np.int32))
    (made,) = start.starts(np.random.default_rng(0), 7)
    assert np.array_equal(made(np.random.default_rng(0)), np.array([0, 2, 1])[thirds])
    words[0, 1] = True  # a labelled document says more than a word
    (made,) = start.starts(np.random.default_rng(0), 7)
    assert np.array_equal(made(np.random.default_rng(0)), np.array([0, 2, 1])[thirds])


def test_words_alone_grow_their_groups():
    words = np.zeros((2, 4), dtype=bool)
    words[0, 2] = words[1, 3] = True
    found = chosen(np.full(12, -1), EVEN, {"word_seeds": words})
    assert len(set(zip(found.tolist(), HALF.tolist(), strict=True))) == 2


def named(labels, pins, k):
    return np.where(pins >= 0, pins, numbers_by(labels, pins, k)[labels])


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(0, 10))
def test_named_keeps_the_partition_apart_from_the_labelled_documents(seed, k, n_pins):
    rng = np.random.default_rng(seed)
    labels, pins = rng.integers(k, size=20), np.full(20, -1)
    rows = rng.choice(20, n_pins, replace=False)
    pins[rows] = rng.integers(k, size=n_pins)
    found = named(labels, pins, k)
    assert np.array_equal(found[rows], pins[rows])
    free = pins < 0
    pairs = set(zip(labels[free].tolist(), found[free].tolist(), strict=True))
    assert len(pairs) == len({old for old, _ in pairs}) == len({new for _, new in pairs})
    again = named(rng.permutation(k)[labels], pins, k)
    assert (again[free] >= 0).all()


def test_groups_found_without_labels_are_judged_under_the_numbers_that_the_other_labels_give_them():
    rows, rng = np.arange(12), np.random.default_rng(0)
    start = ChosenByLabels(X, 2, {"seeds": EVEN}, EVEN, lambda rng: EVEN)
    assert start._rightly(EVEN, rows, rng).all()
    assert start._rightly(1 - EVEN, rows, rng).all()  # numbers are not what is asked
    strays = np.where(np.arange(12) < 2, 1 - EVEN, EVEN)
    assert start._rightly(strays, rows, rng).tolist() == [False, False, *[True] * 10]
    lone = ChosenByLabels(X, 3, {}, np.where(rows == 0, 2, EVEN), lambda rng: EVEN)
    found = np.where(rows == 0, 2, EVEN)
    assert lone._rightly(found, rows, rng)[1:].all()


def test_labels_that_spread_alone_must_be_clearly_ahead_of_those_joined_with_groups():
    def right(count):
        return np.arange(20) < count

    joined, spread, grown = ("joined", None), ("spread", None), ("grown", None)
    assert _best({joined: right(10), spread: right(11), grown: right(5)}) == joined
    assert _best({joined: right(10), spread: right(12), grown: right(5)}) == spread
    assert _best({joined: right(10), ("joined", 1): right(11), spread: right(12), grown: right(5)}) == ("joined", 1)
    assert _best({joined: right(10), spread: right(11), grown: right(11)}) == grown
    assert _best({grown: right(0)}) == grown


@pytest.mark.parametrize(("form", "ways"), [(np.asarray, 4), (sp.csr_matrix, 2)])
def test_vectors_alone_may_stop_at_the_first_step(form, ways):
    start = ChosenByLabels(form(np.abs(X)), 2, {}, labelled(EVEN, [0, 1]), lambda rng: EVEN)
    assert len(start._over_neighbours) == ways
