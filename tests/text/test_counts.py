"""Counting of words, and measures of a word's worth, by hand."""

from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from outgroup.text.counts import Analyser, best_columns, merge_columns, mutual_information
from outgroup.text.vectorizer import Vectorizer

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


COUNTS = sp.csr_matrix([[4, 1, 0, 1], [0, 1, 1, 0], [0, 1, 1, 0]])


@given(arrays(np.int64, (5, 4), elements=st.integers(0, 5)))
def test_mutual_information_adds_up_to_that_of_words_and_documents(counts: np.ndarray) -> None:
    if not counts.sum():
        return
    joint = counts / counts.sum()
    independent = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
    expected = (joint[joint > 0] * np.log(joint[joint > 0] / independent[joint > 0])).sum()
    assert mutual_information(sp.csr_matrix(counts)).sum() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("measure", "kept"), [("document_frequency", [1, 2]), ("mutual_information", [0, 2])])
def test_each_measure_keeps_other_words(measure: str, kept: list[int]) -> None:
    assert best_columns(COUNTS, np.ones(4, dtype=bool), measure, 2).tolist() == kept


def test_what_most_texts_repeat_word_for_word_is_no_stop_word() -> None:
    texts = ["No comment, thank you!"] * 60 + ["late parcel", "broken parcel", "late refund", "broken refund"] * 5
    known = Vectorizer().fit(texts).vocabulary_
    assert {"comment", "parcel", "refund"} <= set(known)
    common = [f"parcel {word}" for word in ("late", "lost", "wet", "broken")] * 10
    assert "parcel" not in Vectorizer().fit(common + texts[:20]).vocabulary_
    assert Vectorizer().fit(["tea time"] * 50).vocabulary_.keys() == {"tea", "time"}
    assert "comment" not in Vectorizer(max_df=40).fit(texts).vocabulary_
