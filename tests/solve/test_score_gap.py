"""What lies beyond a gap: all of a cloud of its own, and nothing where scores only get rarer."""

import numpy as np
import pytest

from outgroup.solve.threshold import Mixture, beyond_gap, rarer_beyond


def clouds(seed, junk, examples, apart, n=1000):
    """A third of a collection, or so, is a cloud of its own `apart` from the rest."""
    rng = np.random.default_rng(seed)
    return np.r_[rng.normal(size=n - junk), apart + rng.normal(size=junk)], apart + rng.normal(size=examples)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("junk", "examples"), [(300, 100), (500, 60), (100, 100), (20, 60)])
def test_all_of_a_cloud_of_its_own_goes_out(seed, junk, examples):
    scores, others = clouds(seed, junk, examples, 12)
    found = Mixture(scores, others)
    out = scores > found.threshold(0.03, 0.2)
    assert out[-junk:].mean() >= 0.98
    assert not out[:-junk].any()
    if junk >= 100:  # of 20 it cannot be told from some four
        assert found.share == pytest.approx(junk / 1000, rel=0.15)
        assert found.interval[0] >= 0.8 * junk / 1000


@pytest.mark.parametrize("apart", [0.5, 1.5, 3.0])
@pytest.mark.parametrize("seed", range(5))
def test_no_more_on_topic_ones_are_beyond_a_place_than_it_says(seed, apart):
    scores, examples = clouds(seed, 300, 100, apart, 3000)
    count, few = beyond_gap(scores, examples)
    lost = np.count_nonzero(np.argsort(-scores, kind="stable")[:count] < 2700)
    assert lost <= few


@pytest.mark.parametrize("seed", range(5))
def test_where_scores_only_get_rarer_there_is_no_gap(seed):
    rng = np.random.default_rng(seed)
    for draw in (rng.normal, rng.standard_cauchy, rng.exponential):
        count, few = beyond_gap(draw(size=2000), np.quantile(draw(size=2000), rng.uniform(0.5, 1, 100)))
        assert count - few <= 0.01 * 2000


def test_a_stretch_bounds_what_is_beyond_it_by_hand():
    # beyond the empty stretch of length 6 are 3 scores within 2: at most 4 * 8 / 6, and no more than there are
    found = rarer_beyond(np.array([10.0, 9.0, 8.0, 2.0, 1.0]))
    assert found[2] == 3
    wide = rarer_beyond(np.r_[np.linspace(10, 8, 30), 2.0, 1.0])
    assert wide[29] == pytest.approx(4 * 8 / 6)
