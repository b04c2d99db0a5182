"""Words that new texts hold far more often than earlier ones."""

import numpy as np

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


def test_a_word_that_is_not_twice_as_frequent_is_not_named():
    earlier = ["railway bread"] * 400 + ["bread butter"] * 600
    assert found(["railway bread"] * 760 + ["bread butter"] * 240, earlier=earlier) == []  # .76 for .40: no chance
    [word] = found(["railway bread"] * 820 + ["bread butter"] * 180, earlier=earlier)
    assert word.word == "railway"


def test_where_nothing_differs_hardly_ever_a_word_is_named():
    rng = np.random.default_rng(0)
    words = np.array([f"{a}{b}x" for a in "bcdfghklmn" for b in "aeiou"])
    named = 0
    for _ in range(40):
        texts = [" ".join(rng.choice(words, size=6)) for _ in range(300)]
        named += bool(emerging_words(texts, rng.random(300) < 0.2, Vectorizer().fit(texts)))
    assert named <= 2  # of 40; one in a hundred at most is the promise
