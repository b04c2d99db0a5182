"""Phrases: pairs of words that chance does not explain, found by hand, counted, and carried through a model."""

import json
from collections import Counter
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from outgroup.text.counts import count_phrases, find_phrases
from outgroup.text.tokenizer import tokenise
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


def test_too_rare_and_without_texts() -> None:
    assert len(find_phrases(*words_of([[0, 1], [0, 1], [2, 3]]), 4, 3)) == 0
    assert find_phrases(*words_of([[], [5]]), 6, 1).shape == (0, 2)


@given(st.lists(st.lists(st.integers(-1, 3), max_size=9), min_size=1), st.sets(st.tuples(*[st.integers(0, 3)] * 2)))
def test_counts_are_those_of_a_counter(rows: list[list[int]], phrases: set[tuple[int, int]]) -> None:
    asked = np.array(list(phrases), dtype=np.int64).reshape(-1, 2)
    counts = count_phrases(*words_of(rows), asked, 4).toarray()
    for row, counted in zip(rows, counts, strict=True):
        seen = Counter(pairwise(row))
        assert counted.tolist() == [seen[phrase] for phrase in phrases]


def test_a_phrase_is_a_column_shown_as_words() -> None:
    vectorizer = Vectorizer(phrases=True, min_df=2)
    X = vectorizer.fit_transform(TEXTS)
    phrase = vectorizer.vocabulary_["credit card"]
    assert vectorizer.get_feature_names_out()[phrase] == "credit card"
    assert np.flatnonzero(X[:, [phrase]].toarray()).tolist() == [0, 1, 2, 3]
    assert {"credit", "card"} <= vectorizer.vocabulary_.keys()
    assert list(vectorizer.vocabulary_) == sorted(vectorizer.vocabulary_)
    assert vectorizer.transform(["CREDIT cards", "credit of a card", "card credit"])[:, [phrase]].nnz == 1


def test_stop_words_are_in_no_phrase_and_break_none_off_from_the_next_text() -> None:
    vectorizer = Vectorizer(phrases=True, min_df=1, max_df=1.0).fit(["the tea of the house"] * 30 + ["milk", "tea"] * 9)
    assert not any(" " in term for term in vectorizer.vocabulary_)


@given(st.permutations(TEXTS))
def test_the_order_changes_nothing(texts: list[str]) -> None:
    expected = Vectorizer(phrases=True, min_df=2).fit(TEXTS)
    vectorizer = Vectorizer(phrases=True, min_df=2)
    X = vectorizer.fit_transform(texts)
    assert vectorizer.vocabulary_ == expected.vocabulary_
    assert (vectorizer.transform(texts) != X).nnz == 0


def test_phrases_survive_their_state() -> None:
    vectorizer = Vectorizer(phrases=True, min_df=2).fit(TEXTS)
    state = vectorizer.to_state()
    idf = state.pop("idf")
    again = Vectorizer.from_state({**json.loads(json.dumps(state)), "idf": idf})
    assert (again.transform(TEXTS) != vectorizer.transform(TEXTS)).nnz == 0


def test_other_options_of_words() -> None:
    settings = {"min_df": 1, "max_df": 1.0}
    assert "mp3" in Vectorizer(**settings, keep_numbers=True).fit(["an mp3", "2024 tea"]).vocabulary_
    assert list(Vectorizer(**settings, min_length=4).fit(["tea milk"]).vocabulary_) == ["milk"]
    assert list(Vectorizer(**settings, language="zh").fit(["茶", "经济学"]).vocabulary_) == ["济学", "经济", "茶"]
    assert all(len(tokenise(term)) == 1 for term in Vectorizer(**settings).fit(TEXTS).vocabulary_)
