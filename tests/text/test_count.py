"""Counting of words, block by block."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from outgroup.text import counts as count
from outgroup.text.counts import Forms, count_blocks, merge_columns, token_blocks
from outgroup.text.tokenizer import tokenise

texts_of_few_words = st.lists(st.lists(st.sampled_from(["tea", "milk", "cup", "the", "an"])).map(" ".join), min_size=1)


def count_forms(texts: Any, dropped: Iterable[str] = (), progress: Any = None) -> tuple[list[str], Any]:
    forms = Forms(dropped)
    counts = count_blocks(token_blocks(texts, forms, progress=progress), forms)
    return forms.words, counts


@given(texts_of_few_words, st.integers(1, 10))
def test_counts_are_those_of_a_counter_whatever_the_blocks(texts: list[str], block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(count, "_TOKENS_AT_ONCE", block)
        forms, counts = count_forms(texts, dropped=["the"])
    assert counts.shape == (len(texts), len(forms))
    assert counts.has_canonical_format
    for text, row in zip(texts, counts.toarray(), strict=True):
        expected = Counter(word for word in tokenise(text) if word != "the")
        assert dict(zip(forms, row.tolist(), strict=True)) == {form: expected[form] for form in forms}


def test_no_texts_and_no_words() -> None:
    assert count_forms([])[1].shape == (0, 0)
    forms, counts = count_forms(["", "1 2 3", "the"], dropped=["the"])
    assert (forms, counts.shape) == ([], (3, 0))


@given(st.data())
def test_merged_columns_are_a_product_with_a_zero_one_matrix(data: st.DataObject) -> None:
    n, m, width = 4, 6, 3
    dense = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n * m, max_size=n * m))).reshape(n, m)
    target = np.array(data.draw(st.lists(st.integers(-1, width - 1), min_size=m, max_size=m)))
    merged = merge_columns(sp.csr_matrix(dense), target, width)
    np.testing.assert_array_equal(merged.toarray(), dense @ (target[:, None] == np.arange(width)))
    assert merged.has_sorted_indices
