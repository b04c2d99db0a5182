"""PLSA against expectation maximisation written out."""

import numpy as np
import pytest
import scipy.sparse as sp

from bench.baselines import PLSA


@pytest.fixture(scope="module")
def counts():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 12)
    rates = 0.3 + 4.0 * (np.arange(9)[None, :] // 3 == y[:, None])
    return rng.poisson(rates), y


def likelihood(X, topics, words):
    return (X * np.log(topics @ words)).sum()


def expectation_maximisation(X, k, rng, steps=300):
    topics, words = rng.dirichlet(np.ones(k), len(X)), rng.dirichlet(np.ones(X.shape[1]), k)
    for _ in range(steps):
        share = topics[:, :, None] * words[None]
        expected = X[:, None, :] * share / share.sum(axis=1, keepdims=True)
        topics, words = expected.sum(axis=2), expected.sum(axis=0)
        topics, words = topics / topics.sum(axis=1, keepdims=True), words / words.sum(axis=1, keepdims=True)
    return likelihood(X, topics, words)


def test_the_factors_are_probabilities_and_the_likelihood_is_theirs(counts):
    X, _ = counts
    model = PLSA(3, random_state=0).fit(X)
    np.testing.assert_allclose(model.components_.sum(axis=1), 1)
    np.testing.assert_allclose(model.document_topics_.sum(axis=1), 1)
    assert model.log_likelihood_ == pytest.approx(likelihood(X, model.document_topics_, model.components_))


def test_it_is_as_likely_as_expectation_maximisation_makes_it(counts):
    X, _ = counts
    rng = np.random.default_rng(1)
    expected = max(expectation_maximisation(X, 3, rng) for _ in range(5))
    model = PLSA(3, n_init=5, tol=1e-7, max_iter=5000, random_state=0).fit(X)
    assert model.log_likelihood_ == pytest.approx(expected, rel=1e-3)


def test_topics_are_found_in_sparse_counts_and_empty_documents_are_borne(counts):
    X, y = counts
    X = sp.vstack([sp.csr_matrix(X), sp.csr_matrix((1, 9), dtype=X.dtype)]).tocsr()
    model = PLSA(3, n_init=5, random_state=0).fit(X)
    assert all(len(set(model.labels_[:-1][y == c])) == 1 for c in range(3))
    np.testing.assert_allclose(model.document_topics_[-1], 1 / 3)
