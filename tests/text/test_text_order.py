"""The order of texts is that of Python, and other threads run while it is found."""

import random

import numpy as np
import pytest

from outgroup.text.texts import text_order

ALPHABETS = ["ab", "a\0b", "a\u00e9\u6f22\U0001f600\ud800", "xyz "]


@pytest.mark.parametrize("alphabet", ALPHABETS)
@pytest.mark.parametrize("begin", ["", "z" * 70])
def test_it_is_that_of_a_plain_sort_and_of_equal_texts_by_what_comes_then(alphabet, begin):
    rng = random.Random(0)
    for count in (0, 1, 2, 60):
        texts = [begin + "".join(rng.choices(alphabet, k=rng.choice([0, 1, 2, 70]))) for _ in range(count)]
        then = np.array(rng.choices(range(-1, 3), k=count), dtype=np.int32)
        keys = list(zip(texts, then.tolist(), strict=True))
        assert text_order(texts).tolist() == sorted(range(count), key=texts.__getitem__)
        assert text_order(texts, then).tolist() == sorted(range(count), key=keys.__getitem__)
