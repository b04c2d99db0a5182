"""Frequencies of blocks of texts are those of all texts at once, and bounded."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outgroup.errors import InputError
from outgroup.text.counts import Frequencies
from outgroup.text.vectorizer import Vectorizer

WORDS = ["bread", "breads", "butter", "trains", "train", "town", "the", "tea", "Tee", "towns"]


@given(
    texts=st.lists(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), min_size=1, max_size=30),
    size=st.integers(1, 7),
)
def test_blocks_of_texts_teach_what_all_texts_at_once_do(texts, size):
    blocks = (texts[first : first + size] for first in range(0, len(texts), size))
    whole, parts = (Vectorizer(max_features=3, max_df=1.0) for _ in range(2))
    try:
        X = whole.fit_transform(texts)
    except InputError:
        with pytest.raises(InputError, match="no usable words"):
            parts.fit_blocks(blocks)
        return
    parts.fit_blocks(blocks)
    assert parts.vocabulary_ == whole.vocabulary_
    assert np.array_equal(parts.idf_, whole.idf_)
    assert parts.get_feature_names_out().tolist() == whole.get_feature_names_out().tolist()
    assert (parts.transform(texts) != X).nnz == 0


def test_the_rarest_are_forgotten_beyond_the_limit():
    seen = Frequencies(most=3)
    seen.add(2, ["a", "b", "c"], [2, 2, 1], ["a", "b", "c"], [2, 2, 1])
    seen.add(1, ["d", "a"], [1, 1], ["d", "a"], [1, 1])
    assert seen.documents == {"a": 3}
    assert seen.forms == {"a": 3}


@pytest.mark.parametrize(
    ("options", "blocks", "problem"),
    [
        ({"drop_repeated_lines": True}, [["a b"]], "all texts at once"),
        ({"selection": "mutual_information"}, [["a b"]], "all texts at once"),
        ({"language": "auto"}, [["a b"]], "all texts at once"),
        ({}, [], "no texts"),
    ],
)
def test_blocks_that_teach_nothing_are_refused(options, blocks, problem):
    with pytest.raises(InputError, match=problem):
        Vectorizer(**options).fit_blocks(blocks)
