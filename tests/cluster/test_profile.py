"""The choice of a number of groups: planted numbers, ranges that cannot be, and rows with nothing to choose by."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from factories import TOPICS, around_axes
from rows_examples import ListedRows

from outgroup import DocumentClustering, SphericalKMeans
from outgroup.cli.options import groups as asked
from outgroup.cluster.profile import k_profile, numbers
from outgroup.errors import InputError
from outgroup.session import Session
from outgroup.solve.n_clusters import around, candidates


@pytest.mark.parametrize("k", [3, 5, 8])
def test_a_planted_number_is_chosen(k):
    assert k_profile(around_axes(k, 30, 30)[0], (2, 12)).chosen == k


@pytest.mark.parametrize("copies", [20, 200, 400])
def test_copies_of_a_row_count_as_one_small_group(copies):
    X = around_axes(4, 25, 30)[0]
    alone = k_profile(X, "auto").chosen
    assert alone == 4
    same = np.eye(30)[np.full(copies, 29)]
    assert k_profile(np.vstack([same, X]), "auto").chosen == alone + 1
    within = np.vstack([X, X[np.zeros(copies, dtype=int)]])
    assert k_profile(within, "auto").chosen >= alone
    assert k_profile(np.vstack([same, X]), (3, 60)).chosen >= alone  # a range that needs more rows than the distinct


def near(k, chosen):
    return any(abs(each - k) <= 0.2 * k for each in chosen)


@pytest.mark.parametrize("best", range(2, 41))
def test_every_number_between_candidates_lies_within_a_fifth_of_one(best):
    ks = list(range(2, 41))
    found, chosen = around(ks, [-abs(k - best) for k in ks])
    assert chosen == best
    assert best in found
    assert len(found) == 3
    assert found == sorted(set(found))
    assert all(near(k, found) for k in range(found[0], found[-1] + 1))
    wider = [found[0] - 1, *found[1:]], [*found[:-1], found[-1] + 1]
    for other, new in zip(wider, (found[0] - 1, found[-1] + 1), strict=True):
        inner = new >= 2 and new <= 40 and best not in (found[0], found[-1])
        assert not inner or not all(near(k, other) for k in range(other[0], other[-1] + 1))


def test_candidates_are_numbers_that_were_tried():
    ks = [5, 6, 8, 11, 15, 20, 27, 36, 48]
    assert around(ks, [-abs(k - 15) for k in ks]) == ([11, 15, 20], 15)
    assert around(ks, range(9)) == ([27, 36, 48], 48)
    assert around(ks, range(9, 0, -1)) == ([5, 8, 11], 5)


@pytest.mark.parametrize(
    ("finest", "found"), [(5, [11, 15, 20]), (20, [11, 15, 20]), (27, [15, 20, 27]), (48, [15, 27, 48])]
)
def test_what_bits_see_beyond_is_a_candidate_and_so_is_halfway(finest, found):
    ks = [5, 6, 8, 11, 15, 20, 27, 36, 48]
    assert candidates(ks, [-abs(k - 15) for k in ks], [-abs(k - finest) for k in ks]) == (found, found[1])


def nested(outer, inner, each, d=32):
    """Rows of `outer` subjects, of `inner` small ones each."""
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((outer, 1, d)) + 0.55 * rng.standard_normal((outer, inner, d))
    X = np.repeat(centres.reshape(-1, d), each, axis=0)
    return X + 0.6 * rng.standard_normal(X.shape)


def test_sixty_small_groups_are_seen_where_modularity_sees_few():
    profile = k_profile(nested(6, 10, 80), (2, 150))
    assert profile.chosen < 30
    assert near(60, profile.candidates)
    assert profile.candidates[1] == profile.chosen


def test_groups_of_noise_keep_unseen_neighbours_together_no_more_than_its_directions_do():
    X = np.random.default_rng(0).standard_normal((400, 60))
    assert max(each.modularity for each in k_profile(X, (2, 12)).points) < 0.1


def test_two_numbers_are_enough():
    assert around([2, 3], [0.1, 0.3]) == ([2, 3], 3)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, ListedRows])
def test_no_more_groups_are_tried_than_there_are_different_rows(form):
    X = np.eye(5)
    for different in (2, 3):
        profile = k_profile(form(X[np.arange(60) % different]), "auto")
        assert [each.n_clusters for each in profile.points] == list(range(2, different + 1))
        assert profile.chosen == different == max(profile.candidates)
        model = SphericalKMeans("auto", random_state=0).fit(form(X[np.arange(60) % different]))
        assert model.n_clusters_ == different


def test_words_are_told_of_and_progress_counts():
    heard = []
    X = around_axes(3, 30, 30)[0]
    words = sp.csr_matrix(X > 0.05)
    profile = k_profile(X, (2, 4), words=words, progress=lambda done, total: heard.append((done, total)))
    assert [each.n_clusters for each in profile.points] == [2, 3, 4]
    assert all(each.coherence is not None for each in profile.points)
    assert heard == [(done, 6) for done in range(1, 7)]
    with pytest.raises(InputError, match="words has 3 rows"):
        k_profile(X, (2, 4), words=words[:3])
    assert profile == k_profile(X, (2, 4), words=words)


def test_long_ranges_are_tried_in_steps_of_one_ratio():
    found = numbers((5, 200), 1000)
    assert (found[0], found[-1]) == (5, 200)
    assert all(after / before < 1.3 for before, after in pairwise(found))


@pytest.mark.parametrize("wrong", [(40, 5), (1, 5), (5, 5), (2, 51), "many", (2, 3, 4), None])
def test_ranges_that_cannot_be_are_refused(wrong):
    with pytest.raises(InputError, match=r"not a valid range|is not valid|too few|a smaller range"):
        k_profile(around_axes(2, 50, 30)[0], wrong)


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


def test_documents_in_as_many_groups_as_the_profile_chose_are_saved_as_such():
    model = DocumentClustering((2, 5), random_state=0).fit(TOPICS)
    assert model.profile_.chosen == model.clusterer_.n_clusters == len(np.unique(model.labels_))
    assert DocumentClustering.from_state(model.to_state()).n_clusters == model.profile_.chosen
    assert DocumentClustering(3, random_state=0).fit(TOPICS).profile_ is None


def test_a_session_chooses_once_and_goes_on_with_that():
    session = Session(TOPICS, n_clusters="auto")
    assert len(session.fit().numbers) == session.profile.chosen


COLOURS, WOODS = ("umber", "violet", "white", "yellow"), ("ash", "birch", "cedar", "dogwood")


@pytest.mark.parametrize("neighbours", [1, 3])
def test_the_number_is_chosen_by_the_rows_as_they_come_and_known_before_they_are_averaged(neighbours):
    texts = [f"{a} {b} {topic}" for topic in ("bread oven", "train rail", "rose soil") for a in COLOURS for b in WOODS]
    plain, averaged = (
        DocumentClustering((2, 5), neighbours=each, random_state=0).fit(texts) for each in (0, neighbours)
    )
    sessions = [Session(texts, n_clusters=(2, 5), neighbours=neighbours, postpone=later) for later in (False, True)]
    assert [averaged.profile_, *(session.profile for session in sessions)] == [plain.profile_] * 3
    given = DocumentClustering(plain.profile_.chosen, neighbours=neighbours, random_state=0).fit(texts)
    np.testing.assert_array_equal(given.labels_, averaged.labels_)


def topics(k, n, seed, share=0.5):
    """Rows of 80 words drawn from `k` topics that share half of their words' weight with one background."""
    rng = np.random.default_rng(seed)
    background, y = rng.dirichlet(np.full(2000, 0.05)), rng.integers(0, k, n)
    words = [share * background + (1 - share) * rng.dirichlet(np.full(2000, 0.02)) for _ in range(k)]
    X = np.log1p([rng.multinomial(80, words[j]) for j in y])
    X *= np.log(n / np.maximum((X > 0).sum(axis=0), 1))
    return sp.csr_matrix(X / np.linalg.norm(X, axis=1, keepdims=True)), y


@pytest.mark.parametrize("k", [2, 5, 11])
def test_spherical_k_means_counts_planted_topics(k):
    X, y = topics(k, 60 * k, seed=k)
    model = SphericalKMeans("auto", random_state=0).fit(X)
    assert model.n_clusters_ == len(model.cluster_centers_) == k
    assert all(len(set(y[model.labels_ == j])) == 1 for j in range(k))
    assert SphericalKMeans.from_state(model.to_state()).n_clusters_ == k
