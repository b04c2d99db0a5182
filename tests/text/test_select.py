"""Measures of a word's worth, by hand."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from outgroup.text.counts import best_columns, mutual_information
from outgroup.text.vectorizer import Vectorizer

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
