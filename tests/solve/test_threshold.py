"""Thresholds keep their promise, by count and by simulation."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from outgroup.solve.threshold import (
    JUNK,
    Mixture,
    conformal_threshold,
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


def test_too_few_documents_for_the_rate_flag_nothing():
    assert conformal_threshold(np.arange(10.0), 0.05) == np.inf


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
