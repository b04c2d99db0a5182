"""Seeded k-means: the sources of supervision, their pool, and the steps."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from spherical_examples import unit_rows

from outgroup.rows import as_rows, threads
from outgroup.solve.seeded import (
    Supervision,
    documents_source,
    generative_centres,
    held_out_error,
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
    assert np.allclose(source.shares, [[0, 1]])


def test_the_generative_model_by_hand():
    # cluster 0: words 0, 1; cluster 1: words 1, 2; word 1 is for both, words 3-5 for none
    words = np.array([[1, 1, 0, 0, 0, 0], [0, 1, 1, 0, 0, 0]], dtype=bool)
    centres = generative_centres(words, 10.0)
    p, q = 1 / 3, 1 / 30
    rest = 1 * (1 - 1 / 10) / (3 * 3)  # q (1 - 1/r) / ((p + q) (m - p - q)) with p = 2, q = 1, m = 6
    assert np.allclose(centres, [[p, p, q, rest, rest, rest], [q, p, p, rest, rest, rest]])


def test_pool_weights_follow_the_paper_for_two_clusters_and_chance_counts_nothing_for_more():
    two = pool_weights({"documents": 0.1, "words": 0.2}, 100, 2)
    assert two["documents"] / two["words"] == pytest.approx(np.log(9) / np.log(4))
    assert pool_weights({"documents": 0.75, "words": 0.1}, 100, 4) == {"documents": 0.0, "words": 1.0}
    assert pool_weights({"documents": 0.9, "words": 0.8}, 100, 4) == {"documents": 0.5, "words": 0.5}


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
