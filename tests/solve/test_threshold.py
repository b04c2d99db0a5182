"""Thresholds keep their promise, by count and by simulation, and what lies beyond a gap."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from outgroup.solve.threshold import (
    JUNK,
    Mixture,
    beyond_gap,
    conformal_threshold,
    rarer_beyond,
    slope_of,
    threshold_for,
)


def calibrated(scores, examples, rate):
    return [threshold_for(scores, Mixture(scores, examples), rate, method) for method in ("conformal", "mixture")]


scores = arrays(float, st.integers(1, 60), elements=st.floats(-5, 5))


def test_conformal_promise_for_a_new_document_is_exact():
    # all orders of n held-out scores and a new one are equally likely: count them for n = 19 and a rate of 0.1
    ranks = np.arange(20.0)
    thrown_out = [new > conformal_threshold(np.delete(ranks, int(new)), 0.1) for new in ranks]
    assert np.mean(thrown_out) == 0.1


def mixture(rng, n, junk, shift=3.0):
    """Scores of a collection with a share of junk, which of them are junk, and held-out examples of junk."""
    off = rng.random(n) < junk
    return rng.normal(size=n) + shift * off, off


@pytest.mark.parametrize("junk", [0.0, 0.1, 0.4])
@pytest.mark.parametrize("examples", [20, 200])
@pytest.mark.parametrize("method", ["conformal", "mixture"])
def test_on_topic_documents_thrown_out_stay_below_the_rate(junk, examples, method):
    rng = np.random.default_rng(0)
    observed = []
    for number in range(100):
        collection, off = mixture(rng, 1500, junk)
        given = collection, 3 + rng.normal(size=examples), 0.05
        mixed = method == "mixture" and examples >= 50
        found = Mixture(*given[:2])
        value = found.threshold(JUNK.aim * 0.05, JUNK.likely) if mixed else conformal_threshold(collection, 0.05)
        if number == 0:  # what it tells besides takes far longer, and is tested below
            assert value == threshold_for(given[0], found, 0.05, method).value
        observed.append((collection[~off] > value).mean())
    # 3 standard deviations of a mean over about 1,500 documents are 0.017
    assert np.mean(observed) <= 0.05
    assert np.mean(np.array(observed) > 0.05 + 0.017) <= 0.01


def test_mixture_finds_what_conformal_cannot():
    rng = np.random.default_rng(1)
    collection, off = mixture(rng, 4000, 0.1, shift=4.0)
    plain, careful = calibrated(collection, 4 + rng.normal(size=300), 0.05)
    recall = [(collection[off] > t.value).mean() for t in (plain, careful)]
    assert recall[0] < 0.55
    assert recall[1] > 0.7
    assert careful.recall == pytest.approx(recall[1], abs=0.05)
    precision = off[collection > careful.value].mean()
    assert careful.precision_low - 0.05 <= precision <= careful.precision_high + 0.05


def test_the_interval_of_the_share_holds_the_truth_in_nine_cases_of_ten():
    """Samples drawn again are put lower than the truth: their own quantiles held it in seven of ten."""
    rng, held = np.random.default_rng(7), []
    for junk, examples in product((0.04, 0.1, 0.2), (60, 200)):
        for _ in range(10):
            collection, off = mixture(rng, 3000, junk)
            low, high = Mixture(collection, 3 + rng.normal(size=examples)).interval
            held.append(low <= off.mean() <= high)
    assert np.mean(held) >= 0.82


@pytest.mark.parametrize("junk", [0.02, 0.1, 0.3])
@pytest.mark.parametrize("examples", [20, 200])
def test_precision_and_recall_to_expect_are_near_what_comes(junk, examples):
    rng = np.random.default_rng(4)
    right = []
    for _ in range(10):
        collection, off = mixture(rng, 3000, junk)
        for t in calibrated(collection, 3 + rng.normal(size=examples), 0.05):
            flagged = collection > t.value
            if flagged.any():
                right += [near(t, "precision", off[flagged].mean()), near(t, "recall", flagged[off].mean())]
    assert np.mean(right) >= 0.8  # of collections nine in ten


def near(t, name, truth):
    """Whether the truth is within .10 of a figure, or in the interval that is told, or nothing is told."""
    said, low, high = (getattr(t, name + end) for end in ("", "_low", "_high"))
    if said is not None:
        return abs(said - truth) <= 0.1
    return low is None or low - 1e-9 <= truth <= high + 1e-9


@given(scores=scores, examples=scores, rate=st.sampled_from([0.05, 0.2]))
def test_what_goes_out_is_likely_junk_and_few_on_topic_documents(scores, examples, rate):
    found = Mixture(scores, examples)
    value = found.threshold(rate, 0.25)
    above = scores > value
    assert (found.posterior[above] >= 0.25).all()
    assert found.on_topic_among(above) <= rate + 1e-9


@pytest.mark.parametrize("number", [2, 20, 49, 50, 51])
def test_a_mixture_needs_fifty_examples(number):
    rng = np.random.default_rng(5)
    threshold = calibrated(rng.normal(size=200), 3 + rng.normal(size=number), 0.05)[1]
    assert threshold.method == ("mixture" if number >= 50 else "conformal")


@pytest.mark.parametrize("apart", [2.0, 3.0, 4.0])
def test_the_slope_is_that_of_the_planted_logistic_function(apart):
    rng, share = np.random.default_rng(0), 0.2
    scores = np.r_[rng.normal(size=4000), apart + rng.normal(size=1000)]  # log odds: apart * score + constant
    mixture = Mixture(scores, apart + rng.normal(size=1000))
    even = apart / 2 + np.log((1 - share) / share) / apart
    assert slope_of(mixture, int((scores > even).sum())) == pytest.approx(apart, rel=0.35)


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
