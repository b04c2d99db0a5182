"""Seeds in MaxMarginClustering: they number the groups, correct them, and change nothing that they confirm."""

import numpy as np
import pytest
import scipy.sparse as sp

from outgroup import MaxMarginClustering, SeededKMeans
from outgroup.errors import InputError, OutgroupWarning


@pytest.fixture
def topics(topics):
    """The same as sparse rows of unit length."""
    X, y = topics
    return sp.csr_matrix(X / np.linalg.norm(X, axis=1, keepdims=True)), y


def fitted(X, **given):
    return MaxMarginClustering(3, n_init=3, random_state=0).fit(X, **given)


@pytest.mark.parametrize("shift", [0, 1, 2])
def test_seeded_groups_keep_their_numbers(topics, shift):
    X, y = topics
    seeds = np.full(60, -1)
    seeds[::7] = ((y + shift) % 3)[::7]
    fit = fitted(X, seeds=seeds)
    assert np.array_equal(fit.labels_, (y + shift) % 3)
    assert np.array_equal(fit.predict(X), fit.labels_)


@pytest.mark.parametrize("estimator", [MaxMarginClustering, SeededKMeans])
@pytest.mark.parametrize("random_state", [1, 7, 14])
def test_a_group_with_words_alone_holds_their_documents(topics, estimator, random_state):
    X, y = topics
    X = X.multiply(X > 0.4).tocsr()  # no document has two words of another topic
    words = np.zeros((3, 12), dtype=bool)
    words[2, :4] = True
    found = estimator(3, random_state=random_state).fit(X, word_seeds=words).labels_
    assert set(found[y == 0]) == {2}
    assert len(set(zip(found.tolist(), y.tolist(), strict=True))) == 3


def test_breaking_a_label_costs_the_more_the_heavier_it_is(topics):
    X, y = topics
    seeds = np.full(60, -1)
    seeds[::10] = y[::10]
    wrong = np.array([1, 2, 3])
    seeds[wrong] = 2  # three documents of topic 0
    margins = []
    for weight in (0.01, 1.0, 100.0):
        fit = MaxMarginClustering(3, C=30.0, seed_weight=weight, random_state=0).fit(X, seeds=seeds)
        scores = fit.decision_function(X)[wrong]
        margins.append((scores[:, 2] - scores[:, :2].max(axis=1)).mean())
    assert margins[0] < margins[1] < margins[2]
    assert margins[0] < 0 < margins[2]


def test_a_labelled_document_is_where_it_was_put_and_predict_goes_by_its_score(topics):
    X, y = topics
    seeds = np.full(60, -1)
    seeds[::10] = y[::10]
    wrong = np.array([1, 2, 3])
    seeds[wrong] = 2  # three documents of topic 0
    fit = MaxMarginClustering(3, seed_weight=0.01, random_state=0).fit(X, seeds=seeds)
    assert np.array_equal(fit.labels_[seeds >= 0], seeds[seeds >= 0])
    scored = fit.predict(X)
    assert set(scored[wrong]) == {0}
    assert np.array_equal(fit.labels_[seeds < 0], scored[seeds < 0])


def test_a_labelled_row_that_looks_like_junk_is_where_it_was_put(topics):
    X, y = topics
    rng = np.random.default_rng(2)
    junk = np.abs(rng.normal(size=(80, 4)))
    junk = sp.csr_matrix(np.hstack([np.zeros((80, 12)), junk / np.linalg.norm(junk, axis=1, keepdims=True)]))
    own = sp.hstack([X, sp.csr_matrix((60, 4))], format="csr")
    rows, seeds = sp.vstack([own, junk[:20]], format="csr"), np.full(80, -1)
    seeds[:60:10], seeds[79] = y[::10], 1
    fit = MaxMarginClustering(3, seed_weight=0.1, random_state=0).fit(rows, universum=junk[20:], seeds=seeds)
    assert fit.labels_[79] == 1
    assert (fit.labels_[60:79] == -1).any()  # junk without a label goes
    scores = fit.off_topic_score(rows)
    assert scores[79] > scores[:60].max() + 1  # it looks like junk, and like no row of a group


def test_a_groups_own_weight_multiplies(topics):
    X, y = topics
    seeds = np.full(60, -1)
    seeds[::10] = y[::10]
    a = MaxMarginClustering(3, C=30.0, seed_weight=20.0, random_state=0).fit(X, seeds=seeds)
    b = MaxMarginClustering(3, C=30.0, seed_weight=5.0, random_state=0).fit(X, seeds=seeds, seed_weights=[4, 4, 4])
    assert np.array_equal(a.coef_, b.coef_)


def test_what_seeds_cost_is_told_in_the_terms_of_a_fit_without(topics):
    X, _ = topics
    free = fitted(X)
    assert free.unsteered_objective_ == free.objective_
    seeds = np.full(60, -1)
    seeds[:20] = np.arange(20) % 3  # a topic torn apart
    torn = fitted(X, seeds=seeds)
    assert torn.unsteered_objective_ > free.objective_
    assert torn.unsteered_objective_ != torn.objective_


def test_no_seed_at_all_changes_nothing(topics):
    X, _ = topics
    with pytest.warns(OutgroupWarning, match="labels no document: omit it"):
        fit = fitted(X, seeds=np.full(60, -1))
    assert np.array_equal(fit.coef_, fitted(X).coef_)


@pytest.mark.parametrize("state", [1, 4])
def test_labels_that_agree_with_the_groups_found_without_them_change_nothing(state):
    X = sp.random(90, 40, density=0.1, format="csr", random_state=3)
    groups = MaxMarginClustering(4, n_init=5, random_state=state)
    found = groups.fit(X).labels_
    seeds = np.full(90, -1)
    seeds[[np.flatnonzero(found == group)[0] for group in range(4)]] = range(4)
    assert np.array_equal(groups.fit(X, seeds=seeds).labels_, found)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"seeds": [0]}, "give 60 integers"),
        ({"seeds": np.full(60, 3)}, "labels go from 0 to 2"),
        ({"word_seeds": np.ones((2, 12))}, "give a row for each of 3 clusters"),
        ({"seeds": np.zeros(60, dtype=int), "seed_weights": [1.0]}, "3 positive numbers"),
    ],
)
def test_bad_seeds_are_refused_in_words(topics, given, message):
    with pytest.raises(InputError, match=message):
        fitted(topics[0], **given)


def ring(n=60):
    """Rows on a circle, whose opposite quarters are one group: both groups have the same centre."""
    turns = np.linspace(0, 2 * np.pi, n, endpoint=False)
    return np.column_stack([np.cos(turns), np.sin(turns)]), np.arange(n) // (n // 4) % 2


@pytest.mark.parametrize(
    ("graph", "said"), [(np.eye(59), "shape"), (-np.eye(60), "negative"), (np.full((60, 60), np.nan), "not finite")]
)
def test_a_graph_that_cannot_be_is_refused(graph, said):
    X, y = ring()
    with pytest.raises(InputError, match=said):
        MaxMarginClustering(2).fit(X, seeds=y, graph=graph)
