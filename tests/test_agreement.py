"""Agreement of two coders against published values, plain loops and scikit-learn."""

from itertools import product
from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from outgroup.agreement import Agreement, masi
from outgroup.errors import InputError

SETS = st.frozensets(st.sampled_from("abcd"), min_size=1)


def agreement(first, second):
    return Agreement.of(dict(enumerate(first)), dict(enumerate(second)))


@pytest.mark.parametrize(
    ("first", "second", "alpha"), [("aabbdcccedda", "babbbccceddd", 0.692), ("0100000010", "1110010000", 0.095)]
)
def test_alpha_is_that_of_published_examples(first, second, alpha):
    """K. Krippendorff: Computing Krippendorff's alpha-reliability, 2011, sections A and B."""
    assert round(agreement(first, second).alpha.value, 3) == alpha


@given(st.lists(st.tuples(SETS, SETS), min_size=1, max_size=40))
def test_alpha_is_one_minus_observed_by_expected_distance(pairs):
    found = agreement(*zip(*pairs, strict=True))
    every = [codes for pair in pairs for codes in pair]
    observed = np.mean([masi(*pair) for pair in pairs])
    expected = sum(masi(a, b) for a, b in product(every, every)) / (len(every) * (len(every) - 1))
    if expected == 0:
        assert isnan(found.alpha.value)
    else:
        assert found.alpha.value == pytest.approx(1 - observed / expected)
        assert found.alpha.low <= found.alpha.high <= 1 + 1e-12


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=2, max_size=20))
def test_kappa_is_that_of_scikit_learn(pairs):
    first, second = zip(*pairs, strict=True)
    if len({*first, *second}) > 1:
        assert agreement(first, second).kappa == pytest.approx(cohen_kappa_score(first, second))


@given(SETS, SETS)
def test_masi_is_a_symmetric_distance(one, other):
    assert masi(one, other) == masi(other, one)
    assert (masi(one, other) == 0) == (one == other)
    assert (masi(one, other) == 1) == one.isdisjoint(other)


def test_documents_of_one_coder_do_not_count_and_differences_are_listed():
    found = Agreement.of({"a": ["x"], "b": ["x", "y"], "c": ["x"], "d": []}, {"b": ["x"], "a": ["x"], "d": ["y"]})
    assert found.documents == ("a", "b")
    assert (found.only_first, found.only_second, found.same) == (1, 1, 0.5)
    assert found.confusions == {(frozenset("xy"), frozenset("x")): ["b"]}
    x, y = found.codes
    assert (x.code, x.first, x.second, x.both, isnan(x.alpha.value)) == ("x", 2, 2, 2, True)
    assert (y.code, y.first, y.second, y.both) == ("y", 1, 0, 0)


def test_no_common_document_is_an_error():
    with pytest.raises(InputError, match="no document"):
        Agreement.of({"a": ["x"]}, {"b": ["x"]})
