"""Texts as callers give them, their order, and what is said of those that are none."""

import math
import random

import numpy as np
import pytest

import outgroup
from outgroup import Vectorizer
from outgroup.errors import InputError
from outgroup.session import Session
from outgroup.text.texts import as_texts, text_order


class NAType:
    """As pandas has it: a comparison with it is neither true nor false."""

    def __ne__(self, other):
        return self

    def __bool__(self):
        raise TypeError


class NaTType:
    """As pandas has it, among dates."""


@pytest.mark.parametrize("given", [("a", "b"), np.array(["a", "b"]), np.array(["a", "b"], dtype=object), iter("ab")])
def test_whatever_holds_texts_is_a_list_of_them(given):
    assert as_texts(given, "texts") == ["a", "b"]


@pytest.mark.parametrize("hole", [None, math.nan, np.nan, NAType(), NaTType()])
def test_a_hole_is_named_or_left_out(hole):
    with pytest.raises(InputError, match=r"texts\[1\] is .*missing='skip'"):
        as_texts(["a", hole, "b"], "texts")
    assert as_texts(["a", hole, "b"], "texts", "skip") == ["a", "", "b"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (None, "texts must be a list of strings, not None"),
        ("tea", "not a single str"),
        (3, "not a int"),
        (["tea", 3], r"texts\[1\] is a int, not a text"),
        ([["tea"]], r"texts\[0\] is a list"),
    ],
)
@pytest.mark.parametrize("missing", ["error", "skip"])
def test_what_is_no_text_is_named(given, words, missing):
    with pytest.raises(InputError, match=words):
        as_texts(given, "texts", missing)


@pytest.mark.parametrize("given", [{"tea", "cup"}, frozenset(["tea", "cup"]), {"d1": "tea", "d2": "cup"}])
def test_texts_without_an_order_are_refused_by_whatever_takes_texts(given):
    taking = [
        Vectorizer().fit_transform,
        outgroup.DocumentClustering(2).fit,
        lambda texts: Session(texts, n_clusters=2),
        lambda texts: outgroup.DocumentClustering(2).fit(["tea", "cup"], universum=texts),
    ]
    for take in taking:
        with pytest.raises(InputError, match=f"is a {type(given).__name__}"):
            take(given)


@pytest.mark.parametrize("western", ["latin-1", "cp1252"])
def test_texts_that_were_encoded_twice_are_noted(western):
    texts = ["le café crème", "une crêpe au café", "le train à l'été", "à la gare", "plain words", "plain trains"]
    broken = [each.encode().decode(western) for each in texts]
    noted, clean = (Session(each, n_clusters=2, encoder=None).fit().notes for each in (broken, texts))
    assert [note for note in noted if note.startswith("4 texts seem to be UTF-8")]
    assert not [note for note in clean if "UTF-8" in note]


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
