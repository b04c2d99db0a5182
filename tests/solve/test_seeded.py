"""Seeded k-means: the sources of supervision, their pool, and the steps."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from spherical_examples import unit_rows

from outgroup.rows import as_rows, threads
from outgroup.solve.seeded import (
    Opinion,
    Supervision,
    documents_source,
    generative_centres,
    held_out_error,
    pool,
    pool_weights,
    seeded_kmeans,
    start_free,
    vote_source,
    votes,
)


def said(sources, labelled, classes, strength, weights=None, rows=None):
    judges = as_rows(rows.take(labelled)) if len(labelled) else None
    columns = np.arange(rows.shape[1] if len(labelled) else 0)
    return Supervision(sources, labelled, classes, judges, columns, strength, weights)


def supervised(rows, seeds, k, words=None, presence=None, weights=None, strength=None):
    labelled = np.flatnonzero(seeds >= 0)
    sources = {"documents": documents_source(rows, seeds, k)}
    if words is not None:
        sources["words"] = vote_source(rows, presence, words, labelled)
    return said(sources, labelled, seeds[labelled], np.ones(k) if strength is None else strength, weights, rows)


def test_votes_by_hand():
    # words 0 and 1 are labelled for cluster 0, words 1 and 2 for cluster 1, word 3 for none
    words = np.array([[1, 1, 0, 0], [0, 1, 1, 0]], dtype=bool)
    presence = as_rows(np.array([[1.0, 1, 0, 1], [0, 0, 1, 0], [0, 0, 0, 1], [1, 1, 1, 0]]))
    expected = [[2 / 3, 1 / 3], [0, 1], [0, 0], [1 / 2, 1 / 2]]
    assert np.allclose(votes(presence, words), expected)


def test_a_vote_weighs_rows_by_their_shares_and_rows_without_labelled_words_by_nothing():
    X = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1]])
    words = np.array([[True, False, False], [False, True, False]])
    source = vote_source(as_rows(X), as_rows(X), words, np.array([1]))
    assert np.allclose(source.sums, [[1, 0, 0], [0, 1, 0]])
    assert np.allclose(source.own, [[0, 1]])


def test_the_generative_model_by_hand():
    # cluster 0: words 0, 1; cluster 1: words 1, 2; word 1 is for both, words 3-5 for none
    words = np.array([[1, 1, 0, 0, 0, 0], [0, 1, 1, 0, 0, 0]], dtype=bool)
    centres = generative_centres(words, 10.0)
    p, q = 1 / 3, 1 / 30
    rest = 1 * (1 - 1 / 10) / (3 * 3)  # q (1 - 1/r) / ((p + q) (m - p - q)) with p = 2, q = 1, m = 6
    assert np.allclose(centres, [[p, p, q, rest, rest, rest], [q, p, p, rest, rest, rest]])


@given(st.integers(0, 10_000), st.floats(1, 1e4))
def test_generative_centres_are_distributions_or_zero(seed, ratio):
    words = np.random.default_rng(seed).random((3, 7)) < 0.3
    centres = generative_centres(words, ratio)
    assert np.all(centres >= 0)
    assert np.allclose(centres.sum(axis=1), words.any(axis=1))


def test_generative_centres_when_everybody_labelled_all_words():
    words = np.array([[1, 1, 0], [0, 0, 1]], dtype=bool)
    assert np.allclose(generative_centres(words, 2.0), [[0.4, 0.4, 0.2], [0.25, 0.25, 0.5]])


def test_pool_weights_follow_the_paper_for_two_clusters_and_chance_counts_nothing_for_more():
    two = pool_weights({"documents": 0.1, "words": 0.2}, 100, 2)
    assert two["documents"] / two["words"] == pytest.approx(np.log(9) / np.log(4))
    assert pool_weights({"documents": 0.75, "words": 0.1}, 100, 4) == {"documents": 0.0, "words": 1.0}
    assert pool_weights({"documents": 0.9, "words": 0.8}, 100, 4) == {"documents": 0.5, "words": 0.5}


def test_pool_weights_of_three_sources_among_four_clusters_by_hand():
    # log((1 - e) / e) + log 3: log 3, 2 log 3 and 3 log 3
    weights = pool_weights({"documents": 1 / 2, "words": 1 / 4, "clusters": 1 / 10}, 100, 4)
    assert weights == pytest.approx({"documents": 1 / 6, "words": 2 / 6, "clusters": 3 / 6})


def test_pool_weights_without_errors_and_without_an_error_of_one_source():
    assert pool_weights({"words": None, "clusters": None}, 0, 3) == {"words": 0.5, "clusters": 0.5}
    mixed = pool_weights({"documents": None, "words": 0.1, "clusters": 0.3}, 10, 3)
    assert mixed["documents"] == mixed["words"] > mixed["clusters"]
    alone = pool_weights({"documents": None, "clusters": 0.3}, 3, 3)
    assert alone == {"documents": 0.5, "clusters": 0.5}


@given(st.lists(st.floats(0, 1), min_size=1, max_size=3), st.integers(0, 50), st.integers(1, 20))
def test_pool_weights_sum_to_one_and_fall_with_the_error(errors, n_labelled, k):
    weights = pool_weights(dict(zip("abc", errors, strict=False)), n_labelled, k)
    assert sum(weights.values()) == pytest.approx(1)
    by_error = [weights[name] for name in sorted(weights, key=lambda name: errors["abc".index(name)])]
    assert all(a >= b - 1e-12 for a, b in pairwise(by_error))


@given(st.integers(0, 1000))
def test_each_labelled_row_is_held_out_of_the_sums_that_judge_it(seed):
    X, k = unit_rows(14, 6, seed, density=0.8), 3
    seeds = np.random.default_rng(seed).integers(-1, k, 14).astype(np.int32)
    seeds[:6] = [0, 0, 1, 1, 2, 2]
    X[~X.any(axis=1), 0] = 1.0
    supervision = supervised(as_rows(X), seeds, k)
    wrong = []
    for i in np.flatnonzero(seeds >= 0):
        others = (seeds >= 0) & (np.arange(14) != i)
        means = np.array([X[others & (seeds == j)].sum(axis=0) for j in range(k)])
        wrong.append(np.argmax(means @ X[i] / np.linalg.norm(means, axis=1)) != seeds[i])
    found = held_out_error(supervision.sources["documents"], supervision)
    assert found == pytest.approx(np.mean(wrong))


def test_no_error_where_nothing_can_be_held_out():
    X = np.eye(4)
    alone = supervised(as_rows(X), np.array([0, 1, -1, -1], dtype=np.int32), 2)  # one labelled row a cluster
    assert held_out_error(alone.sources["documents"], alone) is None
    nobody = Opinion(np.eye(4)[:2], np.zeros((0, 2)))
    assert held_out_error(nobody, said({}, np.array([], int), np.array([], int), np.ones(2))) is None


def test_a_source_is_not_blamed_for_clusters_it_does_not_cover():
    X = np.eye(3)
    supervision = said({}, np.arange(3), np.array([0, 1, 2]), np.ones(3), rows=as_rows(X))
    source = Opinion(np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 0]]), np.zeros((3, 3)))
    assert held_out_error(source, supervision) == 0.0


def test_fixed_weights_pool_unit_vectors():
    sources = {
        "documents": Opinion(np.array([[5.0, 0]]), np.zeros((0, 1))),
        "words": Opinion(np.array([[0, 0.1]]), np.zeros((0, 1))),
    }
    supervision = said(sources, np.array([], int), np.array([], int), np.ones(1), {"documents": 3.0, "words": 4.0})
    pooled = pool(supervision, dict.fromkeys(sources), 2)
    assert np.allclose(pooled.centres, [[0.6, 0.8]])
    assert pooled.weights == {"documents": 3.0, "words": 4.0}


def test_strength_multiplies_the_seeds_of_a_cluster():
    nothing = np.array([], dtype=int)
    sources = {"documents": Opinion(np.eye(2), np.zeros((0, 2)))}
    supervision = said(sources, nothing, nothing, np.array([1.0, 3.0]), {"documents": 2.0, "clusters": 1.0})
    pooled = pool(supervision, {"documents": None}, 2)
    assert np.allclose(pooled.total, [[2, 0], [0, 6]])
    assert np.allclose(pooled.centres, np.eye(2))


@given(st.integers(0, 500))
def test_seeds_and_clusters_are_pooled_by_their_weights(seed):
    X = unit_rows(40, 8, seed, density=0.6)
    rows, seeds = as_rows(X), np.full(40, -1, dtype=np.int32)
    seeds[:6] = [0, 0, 1, 1, 2, 2]
    words = np.eye(3, 8, dtype=bool)
    supervision = supervised(rows, seeds, 3, words, as_rows((X > 0).astype(float)), strength=np.array([1.0, 2.0, 0.5]))
    first, second = (seeded_kmeans(rows, supervision, rng=np.random.default_rng(0), max_iter=m, tol=-1) for m in (1, 2))
    unit = lambda A: A / np.maximum(np.linalg.norm(A, axis=1, keepdims=True), 1e-300)  # noqa: E731
    heard = {name: unit(source.sums) for name, source in supervision.sources.items()}
    heard["clusters"] = unit(np.array([X[first.labels == j].sum(axis=0) for j in range(3)]))
    expected = sum(
        second.weights[name] * (1 if name == "clusters" else supervision.strength[:, None]) * centres
        for name, centres in heard.items()
    )
    assert np.allclose(second.centres, unit(expected))


def test_free_clusters_start_away_from_the_seeded_ones():
    X = np.repeat(np.eye(3), 5, axis=0)
    centres = start_free(as_rows(X), np.array([[1.0, 0, 0], [0, 0, 0], [0, 0, 0]]), np.random.default_rng(0))
    assert np.allclose(sorted(centres.argmax(axis=1)), [0, 1, 2])


def test_rows_of_zeros_start_no_cluster_while_others_are_left():
    X = np.vstack([np.zeros((50, 3)), np.eye(3)])
    for seed in range(5):
        centres = start_free(as_rows(X), np.zeros((3, 3)), np.random.default_rng(seed))
        assert np.linalg.matrix_rank(centres) == 3
    copies = start_free(as_rows(np.ones((4, 2)) / np.sqrt(2)), np.zeros((3, 2)), np.random.default_rng(0))
    assert np.allclose(copies, np.sqrt(0.5))


def test_one_step_assigns_to_the_seeds_alone():
    X = np.array([[1.0, 0], [0.8, 0.6], [0.6, 0.8], [0, 1]])
    rows, seeds = as_rows(X), np.array([0, -1, -1, 1], dtype=np.int32)
    fit = seeded_kmeans(rows, supervised(rows, seeds, 2), rng=np.random.default_rng(0), max_iter=1)
    assert fit.labels.tolist() == [0, 0, 1, 1]
    assert np.array_equal(fit.centres, fit.seed_centres)
    assert np.allclose(fit.centres, np.eye(2))


@given(st.integers(0, 1000), st.integers(1, 4))
def test_labels_are_the_nearest_centres_and_blocks_and_threads_change_nothing(seed, max_iter):
    X = unit_rows(30, 8, seed)
    seeds = np.random.default_rng(seed).integers(-1, 3, 30).astype(np.int32)
    seeds[:2] = [0, 1]
    fits = []
    for form, n in ((X, 1), (sp.csr_matrix(X), 1), (sp.csr_matrix(X), 3)):
        rows, words = as_rows(form), np.eye(3, 8, dtype=bool)
        supervision = supervised(rows, seeds, 3, words, as_rows((X > 0).astype(float)))
        with threads(n):
            fits.append(seeded_kmeans(rows, supervision, rng=np.random.default_rng(seed), max_iter=max_iter, tol=0))
    scores = X @ fits[0].centres.T
    assert np.allclose(scores[np.arange(30), fits[0].labels], scores.max(axis=1))
    assert np.array_equal(fits[1].labels, fits[2].labels)
    assert np.array_equal(fits[1].centres, fits[2].centres)
    assert fits[0].objective == pytest.approx(fits[1].objective)
