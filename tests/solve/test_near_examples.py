"""What spreads from examples over the neighbours: by hand, held out, and what it tells where scores do not."""

import numpy as np
import pytest

from outgroup.rows import as_rows
from outgroup.solve.off_topic import near_examples
from outgroup.solve.reject import Parts
from outgroup.solve.threshold import Mixture, evidence, junk_share


def around(centre, count, rng, width=0.2):
    return centre + width * rng.standard_normal((count, len(centre)))


@pytest.fixture
def kinds():
    """Rows around four axes, 300, 300, 40 and 40, and 60 examples: all of the third kind."""
    rng, axes = np.random.default_rng(0), np.eye(6)
    X = np.vstack([around(axes[kind], count, rng) for kind, count in enumerate((300, 300, 40, 40))])
    return X, np.repeat(np.arange(4), (300, 300, 40, 40)), around(axes[2], 60, rng)


def dealt(n, N, count=4, seed=0):
    rng = np.random.default_rng(seed)
    return Parts(rng.integers(count, size=n), rng.permutation(np.arange(N) % count), count)


def spread(near, folds):
    """What spreads over the neighbours alone."""
    return tuple(each[:, 0] for each in near.reach(folds))


def by_hand(X, U):
    """P of rows and examples together: the cosines of the 15 nearest, divided by their sum."""
    everything = np.vstack([X, U])
    everything /= np.linalg.norm(everything, axis=1, keepdims=True)
    cosines = everything @ everything.T
    np.fill_diagonal(cosines, 0)
    shares = np.where(cosines >= np.sort(cosines, axis=1)[:, [-15]], np.maximum(cosines, 0), 0)
    return shares / shares.sum(axis=1, keepdims=True)


def test_neighbours_are_the_15_nearest_of_rows_and_examples(kinds):
    X, _, U = kinds
    near = near_examples(as_rows(X), as_rows(U))
    np.testing.assert_array_equal(near.on, np.arange(680))
    np.testing.assert_allclose(near.shares.toarray(), by_hand(X, U), atol=1e-5)


def test_what_reaches_a_row_spreads_from_the_examples_of_other_folds(kinds):
    X, _, U = kinds
    P, folds = by_hand(X, U), dealt(680, 60)
    given = np.zeros((740, 4))
    given[680 + np.arange(60), folds.examples] = 0.1
    expected = given.copy()
    for _ in range(30):
        expected = 0.9 * P @ expected + given
    expected /= expected.sum(axis=0)
    own, examples = spread(near_examples(as_rows(X), as_rows(U)), folds)
    for row in (0, 310, 605, 639):
        assert own[row] == pytest.approx(np.delete(expected[row], folds.rows[row]).sum(), rel=1e-3, abs=1e-7)
    for row in (0, 59):
        assert examples[row] == pytest.approx(np.delete(expected[680 + row], folds.examples[row]).sum(), rel=1e-3)


def test_clusters_count_the_examples_of_other_folds(kinds):
    X, _, U = kinds
    near, folds = near_examples(as_rows(X), as_rows(U)), dealt(680, 60)
    own, examples = (each[:, 1] for each in near.reach(folds))

    def expected(member, fold):
        each = []
        for labels in near.clusters:
            with_it = labels == labels[member]
            others = np.count_nonzero(with_it[680:] & (folds.examples != fold))
            each.append((others + 0.5) / (with_it.sum() * 60 / 740 + 0.5))
        return np.prod(each) ** (1 / len(each))

    for row in (0, 310, 605):
        assert own[row] == pytest.approx(expected(row, folds.rows[row]))
    for row in (0, 59):
        assert examples[row] == pytest.approx(expected(680 + row, folds.examples[row]))


def test_neighbours_tell_apart_what_scores_alike():
    rng = np.random.default_rng(3)
    scores = np.r_[rng.normal(0, 1, 1700), rng.normal(4, 1, 300)]  # of which 100 alone are junk
    examples = rng.normal(4, 1, 200)
    beside = np.r_[np.zeros(1900), rng.uniform(0.2, 0.6, 100)][:, None], rng.uniform(0.2, 0.6, (200, 1))
    assert junk_share(scores, examples) > 0.08
    told, blind = Mixture(scores, examples, beside), Mixture(scores, examples)
    assert told.share == pytest.approx(0.05, abs=0.02)
    junk = np.arange(2000) >= 1900
    lost = [(each.evidence[0] > each.threshold(0.035, 0.2))[~junk].mean() for each in (told, blind)]
    assert lost[0] <= 0.05 < lost[1]


def test_evidence_never_falls_with_the_score_or_with_what_reaches():
    rng = np.random.default_rng(4)
    scores, examples = rng.normal(size=400), rng.normal(-2, 1, 80)  # examples score lower than the rest
    beside = rng.uniform(0, 0.2, (400, 1)), rng.uniform(0.1, 0.5, (80, 1))
    own, _ = evidence(scores, examples, *beside)
    order = np.lexsort((scores, beside[0][:, 0]))
    assert (np.diff(own[order]) >= -1e-9).all()
    same = evidence(np.array([0.0, 1.0, 2.0]), np.ones(5), np.full((3, 1), 0.2), np.full((5, 1), 0.2))[0]
    assert (np.diff(same) >= 0).all()
