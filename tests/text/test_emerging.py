"""Words that new texts hold far more often than earlier ones."""

import numpy as np
import pytest

from outgroup import Vectorizer
from outgroup.text.vectorizer import emerging_words

EARLIER = [f"bread butter oven flour dough{number % 7}" for number in range(60)]


def found(new, *, earlier=EARLIER, known=None, **kwargs):
    texts = [*earlier, *new]
    vectorizer = Vectorizer(max_df=1.0).fit(known or texts)
    return emerging_words(texts, np.arange(len(texts)) >= len(earlier), vectorizer, **kwargs)


def test_a_word_of_new_texts_alone_is_named_with_its_shares_and_the_rows_that_hold_it():
    [word] = found(["bread and a railway"] * 6 + ["bread butter oven"] * 4)
    assert (word.word, word.now, word.before) == ("railway", 0.6, 0.0)
    assert word.known
    assert word.rows.tolist() == list(range(60, 66))


def test_what_rose_more_stands_first_and_at_most_so_many_are_named():
    new = ["railway station ticket"] * 8 + ["railway station"] * 4 + ["railway"] * 4
    assert [each.word for each in found(new)] == ["railway", "station", "ticket"]
    assert [each.word for each in found(new, most=2)] == ["railway", "station"]


def test_a_word_that_the_vocabulary_does_not_have_is_named_as_people_write_it():
    [word] = found(["bread and Railways"] * 10, known=EARLIER)
    assert (word.word, word.known) == ("railways", False)


def test_a_word_of_fewer_than_five_new_texts_is_no_theme():
    assert found(["bread and a railway"] * 4 + ["bread butter"] * 2) == []
    assert len(found(["bread and a railway"] * 5 + ["bread butter"] * 2)) == 1


def test_a_word_of_fewer_than_a_hundredth_of_the_new_texts_is_no_theme():
    earlier = ["bread butter"] * 4000
    assert found(["bread and a railway"] * 9 + ["bread butter"] * 991, earlier=earlier) == []
    assert len(found(["bread and a railway"] * 10 + ["bread butter"] * 990, earlier=earlier)) == 1


def test_a_word_that_is_not_twice_as_frequent_is_not_named():
    earlier = ["railway bread"] * 400 + ["bread butter"] * 600
    assert found(["railway bread"] * 760 + ["bread butter"] * 240, earlier=earlier) == []  # .76 for .40: no chance
    [word] = found(["railway bread"] * 820 + ["bread butter"] * 180, earlier=earlier)
    assert word.word == "railway"


@pytest.mark.parametrize("new", [[], ["a railway"]])
def test_without_some_new_texts_nothing_is_named(new):
    assert found(new) == []


def test_without_earlier_texts_nothing_is_named():
    assert emerging_words(EARLIER, np.ones(60, dtype=bool), Vectorizer().fit(EARLIER)) == []


def test_where_nothing_differs_hardly_ever_a_word_is_named():
    rng = np.random.default_rng(0)
    words = np.array([f"{a}{b}x" for a in "bcdfghklmn" for b in "aeiou"])
    named = 0
    for _ in range(40):
        texts = [" ".join(rng.choice(words, size=6)) for _ in range(300)]
        named += bool(emerging_words(texts, rng.random(300) < 0.2, Vectorizer().fit(texts)))
    assert named <= 2  # of 40; one in a hundred at most is the promise
