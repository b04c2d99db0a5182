"""Thresholds keep their promise, by count and by simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from outgroup.solve.threshold import calibrate, choose, conformal_threshold, junk_share, mixture_threshold

scores = arrays(float, st.integers(1, 60), elements=st.floats(-5, 5))


@given(scores=scores, rate=st.sampled_from([0.01, 0.05, 0.1, 0.5]))
def test_conformal_flags_at_most_the_rate_of_what_it_was_set_on(scores, rate):
    assert (scores > conformal_threshold(scores, rate)).mean() <= rate


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
    for _ in range(100):
        collection, off = mixture(rng, 1500, junk)
        thresholds = calibrate(collection, 3 + rng.normal(size=examples), 0.05)
        value = choose(thresholds, method)["value"]
        observed.append((collection[~off] > value).mean())
    # 3 standard deviations of a mean over about 1,500 documents are 0.017
    assert np.mean(observed) <= 0.05
    assert np.mean(np.array(observed) > 0.05 + 0.017) <= 0.01


def test_mixture_finds_what_conformal_cannot():
    rng = np.random.default_rng(1)
    collection, off = mixture(rng, 4000, 0.1, shift=4.0)
    plain, careful = calibrate(collection, 4 + rng.normal(size=300), 0.05)
    recall = [(collection[off] > t.value).mean() for t in (plain, careful)]
    assert recall[0] < 0.55
    assert recall[1] > 0.7
    assert careful.recall == pytest.approx(recall[1], abs=0.05)
    assert careful.precision == pytest.approx(off[collection > careful.value].mean(), abs=0.15)


@pytest.mark.parametrize("junk", [0.0, 0.05, 0.3, 0.8])
def test_share_of_junk_is_estimated_carefully(junk):
    rng = np.random.default_rng(2)
    draws = [(mixture(rng, 3000, junk, 4.0)[0], 4 + rng.normal(size=400)) for _ in range(20)]
    plain, careful = (np.array([junk_share(*draw, z) for draw in draws]) for z in (0.0, 1.645))
    assert 0.85 * junk <= plain.mean() <= junk + 0.02
    assert (careful <= plain).all()
    assert np.mean(careful > junk + 0.005) <= 0.05


def test_precision_and_recall_to_expect_are_near_what_comes():
    rng = np.random.default_rng(4)
    wrong = []
    for _ in range(50):
        collection, off = mixture(rng, 3000, 0.1)
        for t in calibrate(collection, 3 + rng.normal(size=20), 0.05):
            flagged = collection > t.value
            wrong.append([t.precision - off[flagged].mean(), t.recall - flagged[off].mean()])
    precision, recall = np.abs(wrong).mean(axis=0)
    assert precision < 0.12  # by the examples above the threshold alone: 0.126
    assert recall < 0.1


def test_what_to_expect_is_a_share_wherever_the_threshold():
    collection, examples = np.r_[np.zeros(80), np.ones(20)], np.ones(10)
    for rate in (0.01, 0.05, 0.3, 0.9):
        for t in calibrate(collection, examples, rate):
            assert 0 <= t.recall <= 1
            assert t.precision is None or 0 <= t.precision <= 1


def test_equal_examples_are_no_error():
    collection = np.r_[np.zeros(90), np.ones(10)]
    assert junk_share(collection, np.ones(9)) == pytest.approx(0.1)
    assert junk_share(collection, np.full(9, 2.0)) == 0.0
    assert junk_share(np.ones(9), np.ones(9)) == 0.95


def test_fewer_examples_make_the_estimate_more_careful():
    rng = np.random.default_rng(3)
    collection, _ = mixture(rng, 3000, 0.3, 4.0)
    few, many = (junk_share(collection, 4 + rng.normal(size=n), z=1.645) for n in (10, 1000))
    assert few < many


@given(scores=scores, examples=scores, rate=st.sampled_from([0.05, 0.2]))
def test_mixture_never_flags_less_than_conformal(scores, examples, rate):
    assert mixture_threshold(scores, examples, rate) <= conformal_threshold(scores, rate)


def test_without_examples_nothing_is_expected():
    threshold = choose(calibrate(np.arange(100.0), None, 0.05), "mixture")
    assert threshold["method"] == "conformal"
    assert threshold["flagged"] == 4
    assert threshold["share"] is threshold["precision"] is threshold["recall"] is None


@pytest.mark.parametrize("number", [2, 20, 49, 50, 51])
def test_a_mixture_needs_fifty_examples(number):
    rng = np.random.default_rng(5)
    thresholds = calibrate(rng.normal(size=200), 3 + rng.normal(size=number), 0.05)
    assert [each.method for each in thresholds] == (["conformal", "mixture"] if number >= 50 else ["conformal"])


def test_a_share_of_junk_and_a_mixture_by_hand():
    """Each frequency of the examples with its confidence limit on the side that flags less."""
    z, n = 1.645, 5000
    collection = np.r_[np.zeros(160), np.ones(40)]  # a fifth scores 1, as half of the examples do
    examples = np.r_[np.zeros(2500), np.ones(2500)]
    error = z * (np.sqrt(0.5 * 0.5 / n) + 1 / (2 * n))
    assert junk_share(collection, examples) == pytest.approx(0.2 / 0.5)
    assert junk_share(collection, examples, z) == pytest.approx(0.2 / (0.5 + error))
    share = 0.2 / (0.5 + error)
    left = (0.2 - share * (0.5 - error)) / (1 - share)  # on-topic documents above 0, at the most
    for rate in (1.98 * left, 2.02 * left):
        assert mixture_threshold(collection, examples, rate) == (0.0 if rate / 2 > left else 1.0)


def test_the_same_frequencies_of_more_examples_flag_more():
    rng = np.random.default_rng(6)
    collection, examples = mixture(rng, 2000, 0.3)[0], 3 + rng.normal(size=50)
    few, many = (mixture_threshold(collection, np.repeat(examples, times), 0.05) for times in (1, 100))
    assert many < few
