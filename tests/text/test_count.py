"""Counting of words."""

from collections import Counter

import numpy as np
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from outgroup.text.counts import Analyser, merge_columns

texts_of_few_words = st.lists(st.lists(st.sampled_from(["tea", "milk", "cup", "the", "an"])).map(" ".join), min_size=1)


@given(texts_of_few_words)
def test_counts_are_those_of_a_counter(texts: list[str]) -> None:
    tally = Analyser(stop_words=["the"]).tally(texts)
    assert tally.counts.shape == (len(texts), len(tally.terms))
    assert tally.counts.has_canonical_format
    for text, row in zip(texts, tally.counts.toarray(), strict=True):
        words = [word for word in text.split() if word != "the"] or text.split()  # stop words alone stay
        expected = Counter(words)
        assert dict(zip(tally.terms, row.tolist(), strict=True)) == {term: expected[term] for term in tally.terms}


@given(st.data())
def test_merged_columns_are_a_product_with_a_zero_one_matrix(data: st.DataObject) -> None:
    n, m, width = 4, 6, 3
    dense = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n * m, max_size=n * m))).reshape(n, m)
    target = np.array(data.draw(st.lists(st.integers(-1, width - 1), min_size=m, max_size=m)))
    merged = merge_columns(sp.csr_matrix(dense), target, width)
    np.testing.assert_array_equal(merged.toarray(), dense @ (target[:, None] == np.arange(width)))
    assert merged.has_sorted_indices
