"""The lowest values of rows of many columns, in spans or at once."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from outgroup.summary.words import lowest


@given(seed=st.integers(0, 1000), m=st.integers(1, 400), count=st.integers(1, 6), ties=st.booleans())
def test_they_are_those_of_sorted_rows(seed, m, count, ties):
    values = np.random.default_rng(seed).normal(size=(3, m))
    values = np.round(values) if ties else values
    columns = lowest(values, count)
    assert columns.shape == (3, min(count, m))
    assert all(len(set(row)) == len(row) for row in columns.tolist())
    found = np.sort(np.take_along_axis(values, columns, axis=1), axis=1)
    assert np.array_equal(found, np.sort(values, axis=1)[:, :count])
