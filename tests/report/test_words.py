"""Passages and the words marked in them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outgroup.summary.words import called, marked, passage


def test_the_passage_with_the_weightiest_words_is_shown():
    text = "nothing here " * 60 + "the rocket reached its orbit at dawn " + "and so on " * 60
    shown = passage(text, [("orbit", 1.0), ("rocket", 0.5), ("nothing", 0.01)])
    assert "rocket reached its orbit" in shown
    assert shown.startswith("… ")
    assert shown.endswith(" …")
    assert len(shown) < 260


def test_other_forms_of_a_word_are_marked_and_words_inside_words_are_not():
    assert [piece for piece, hit in marked("Cars carry scars; a CAR.", [("car", 1.0)]) if hit] == ["Cars", "CAR"]
    assert [piece for piece, hit in marked("computers computing art", [("computer", 1.0)]) if hit] == [
        "computers",
        "computing",
    ]


@given(st.text(max_size=300), st.lists(st.text(min_size=1, max_size=12), max_size=8))
def test_marking_loses_nothing_whatever_the_words(text, words):
    weighted = [(word, 1.0 / (i + 1)) for i, word in enumerate(words)]
    assert "".join(piece for piece, _ in marked(text, weighted)) == text
    passage(text, weighted)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2024-05-24T11:50:44.965Z db-no03.prod.internal [INFO] com.acme.Worker - GC pause 684ms", "GC pause 684ms"),
        ('127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a.gif HTTP/1.0" 200', '"GET /a.gif HTTP/1.0" 200'),
        ("On 2024-05-31 09:15", "On 2024-05-31 09:15"),
        ("Hello, 2024-05-31 09:15 is when it broke", "Hello, 2024-05-31 09:15 is when it broke"),
        ("https://example.com/a/2024-05-31", "https://example.com/a/2024-05-31"),
    ],
)
def test_first_words_are_those_behind_stamps_of_time(text, shown):
    assert called("", text) == shown
