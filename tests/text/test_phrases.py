"""Phrases: pairs of words that chance does not explain, found by hand, counted, and carried through a model."""

from collections import Counter
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from outgroup.text.counts import count_phrases, find_phrases
from outgroup.text.vectorizer import Vectorizer

TEXTS = [
    "my credit card is lost", "a new credit card please", "the credit card was declined", "credit card fees abroad",
    "card games and credit", "lost luggage abroad", "declined invitations", "new games please", "fees for luggage",
    "a letter of credit", "a card for my aunt", "games abroad", "my aunt lost games", "please send invitations",
]  # fmt: skip


def words_of(rows: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    words = np.array([word for row in rows for word in row], dtype=np.int32)
    return words, np.cumsum([len(row) for row in rows])


def test_what_goes_together_by_chance_alone_is_no_phrase() -> None:
    random = np.random.default_rng(0)
    found = find_phrases(*words_of(random.integers(0, 20, (500, 20)).tolist()), 20, 2)
    assert len(found) == 0


def test_words_that_avoid_each_other_are_no_phrase() -> None:
    rows = [[0, 1, 0, 1], [2, 3, 2, 3]] * 200 + [[0, 3], [0, 3]]
    assert find_phrases(*words_of(rows), 4, 2).tolist() == [[0, 1], [1, 0], [2, 3], [3, 2]]


def test_a_planted_phrase_is_found_alone() -> None:
    random = np.random.default_rng(1)
    rows = [[20, 21, *row, 20, 3, 21] for row in random.integers(0, 20, (300, 20)).tolist()]
    assert find_phrases(*words_of(rows), 22, 2).tolist()[-1] == [20, 21]
    assert [21, 20] not in find_phrases(*words_of(rows), 22, 2).tolist()


@given(st.lists(st.lists(st.integers(-1, 3), max_size=9), min_size=1), st.sets(st.tuples(*[st.integers(0, 3)] * 2)))
def test_counts_are_those_of_a_counter(rows: list[list[int]], phrases: set[tuple[int, int]]) -> None:
    asked = np.array(list(phrases), dtype=np.int64).reshape(-1, 2)
    counts = count_phrases(*words_of(rows), asked, 4).toarray()
    for row, counted in zip(rows, counts, strict=True):
        seen = Counter(pairwise(row))
        assert counted.tolist() == [seen[phrase] for phrase in phrases]


@given(st.permutations(TEXTS))
def test_the_order_changes_nothing(texts: list[str]) -> None:
    expected = Vectorizer(phrases=True, min_df=2).fit(TEXTS)
    vectorizer = Vectorizer(phrases=True, min_df=2)
    X = vectorizer.fit_transform(texts)
    assert vectorizer.vocabulary_ == expected.vocabulary_
    assert (vectorizer.transform(texts) != X).nnz == 0
