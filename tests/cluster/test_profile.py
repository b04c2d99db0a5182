"""The choice of a number of groups: planted numbers, ranges that cannot be, and rows with nothing to choose by."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from rows_examples import ListedRows

from outgroup import DocumentClustering
from outgroup.app.options import groups as asked
from outgroup.cluster.profile import k_profile, numbers
from outgroup.errors import InputError
from outgroup.session import Session
from outgroup.solve.in_memory.profile import Measured, _centres, _near, _prominence, candidates


def planted(k, each=30, d=30, spread=0.3):
    rng = np.random.default_rng(0)
    y = np.arange(k * each) % k
    X = np.eye(d)[y] + spread * rng.standard_normal((len(y), d)) / np.sqrt(d)
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def curve(ks, silhouettes, stabilities):
    figures = zip(ks, silhouettes, stabilities, strict=True)
    return [Measured(k, 0.0, silhouette, stability, np.zeros(1)) for k, silhouette, stability in figures]


@pytest.mark.parametrize("k", [3, 5, 8])
def test_a_planted_number_is_chosen(k):
    assert k_profile(planted(k), (2, 12)).chosen == k


def test_the_peak_of_each_stretch_is_a_candidate_and_the_highest_is_chosen():
    ks = list(range(2, 12))
    found = curve(ks, [0.1, 0.1, 0.5, 0.1, 0.1, 0.1, 0.1, 0.3, 0.1, 0.1], [0.5] * 10)
    assert candidates(found) == ([4, 9], 4)


def test_a_slope_that_goes_on_is_no_peak_and_two_are_left_all_the_same():
    ks = list(range(2, 12))
    best, chosen = candidates(curve(ks, [0.1 * np.exp(k) for k in ks], [0.5] * 10))
    assert len(best) == 2
    assert chosen in best


def test_silhouettes_of_cosines_by_hand():
    scores = np.array([[0.9, 0.5, 0.1], [0.2, 0.6, 0.6], [-0.5, 0.0, 1.0]], dtype=np.float32)
    assert _near(scores) == pytest.approx(((0.9 + 0.6 + 1.0) / 3, (0.4 / 0.5 + 0 + 1.0) / 3))


def test_centres_are_those_that_sweeps_leave_where_batch_steps_stand_still():
    X = np.array([[1.0, 0.0], [np.cos(0.9), np.sin(0.9)], [0.0, 1.0]])  # the paper's example 3.1
    for rows in (X, sp.csr_matrix(X)):
        centres = _centres(rows, np.array([0, 0, 1]), 2, np.random.default_rng(0))
        assert (X @ centres.T).max(axis=1).sum() == pytest.approx(2.888559, abs=1e-6)


def test_two_numbers_are_enough():
    assert candidates(curve([2, 3], [0.1, 0.3], [0.2, 0.9]))[1] == 3


def test_equal_rows_still_give_a_number_above_one():
    profile = k_profile(np.tile([1.0, 0.0], (40, 1)), "auto")
    assert profile.chosen >= 2
    assert all(each.silhouette == 0 for each in profile.points)


def test_sparse_dense_and_rows_elsewhere_say_the_same():
    X = planted(4)
    found = [k_profile(rows, (2, 6)).chosen for rows in (X, sp.csr_matrix(X), ListedRows(X))]
    assert found == [4, 4, 4]


def test_words_are_told_of_and_progress_counts():
    heard = []
    X = planted(3)
    words = sp.csr_matrix(X > 0.05)
    profile = k_profile(X, (2, 4), words=words, progress=lambda done, total: heard.append((done, total)))
    assert [each.n_clusters for each in profile.points] == [2, 3, 4]
    assert all(each.coherence is not None for each in profile.points)
    assert heard == [(done, 9) for done in range(1, 10)]
    assert profile == k_profile(X, (2, 4), words=words)


def test_long_ranges_are_tried_in_steps_of_one_ratio():
    found = numbers((5, 200), 1000)
    assert (found[0], found[-1]) == (5, 200)
    assert all(after / before < 1.3 for before, after in pairwise(found))


@pytest.mark.parametrize("wrong", [(40, 5), (1, 5), (5, 5), (2, 51), "many", (2, 3, 4), None])
def test_ranges_that_cannot_be_are_refused(wrong):
    with pytest.raises(InputError, match="groups"):
        k_profile(planted(2, each=50), wrong)


def test_five_documents_are_too_few():
    with pytest.raises(InputError, match="5 documents"):
        k_profile(np.eye(5), "auto")


@pytest.mark.parametrize(
    ("said", "meant"), [("8", 8), (8, 8), ("auto", "auto"), ("5-40", (5, 40)), (" 5-40 ", (5, 40))]
)
def test_what_the_command_line_can_ask_for(said, meant):
    assert asked(said) == meant


@pytest.mark.parametrize("said", ["0", "-3", "40-5", "1-9", "5-", "five", "5-5", "", "1e3"])
def test_what_it_cannot(said):
    with pytest.raises(Exception, match="5-40"):
        asked(said)


TEXTS = [f"{a} {b} {topic}" for topic in ("bread oven", "train rail", "rose soil") for a in "uvwx" for b in "ghkm"]


def test_documents_in_as_many_groups_as_the_profile_chose_are_saved_as_such():
    model = DocumentClustering((2, 5), random_state=0).fit(TEXTS)
    assert model.profile_.chosen == model.clusterer_.n_clusters == len(np.unique(model.labels_))
    assert DocumentClustering.from_state(model.to_state()).n_clusters == model.profile_.chosen
    assert DocumentClustering(3, random_state=0).fit(TEXTS).profile_ is None


def test_a_session_chooses_once_and_goes_on_with_that():
    session = Session(TEXTS, n_clusters="auto")
    assert len(session.fit().numbers) == session.profile.chosen


@pytest.mark.parametrize(
    ("values", "shares"),
    [
        ([3, 1, 2, 1, 5, 4], [0.5, 0, 0.25, 0, 1, 0]),
        ([4, 0, 2, 1, 3], [1, 0, 0.25, 0, 0]),  # the way to 3 is by 1, the way to 4 by 0
        ([1, 2, 2, 1], [0, 0, 1, 0]),
        ([2, 2, 2], [0, 0, 0]),
        ([1, 2, 3], [0, 0, 0]),
        ([3, 2, 1], [1, 0, 0]),
    ],
)
def test_a_peak_stands_above_the_way_to_higher_ground(values, shares):
    assert _prominence(np.array(values, dtype=float)).tolist() == shares


def test_no_more_than_three_peaks_are_candidates():
    ks = list(range(2, 40, 3))
    silhouettes = [0.1 + 0.4 * (i % 3 == 1) + 0.01 * i for i in range(len(ks))]
    found, chosen = candidates(curve(ks, silhouettes, [0.5] * len(ks)))
    assert len(found) == 3
    assert chosen == found[-1] == ks[10]
