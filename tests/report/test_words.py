"""Passages and the words marked in them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outgroup.summary.words import called, marked, passage, shared_lines, top_words


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


@given(st.lists(st.integers(-2, 3), min_size=1, max_size=40), st.integers(0, 12))
def test_top_words_are_the_first_of_all_in_order(weights, count):
    weights = np.array(weights, dtype=float)
    order = [i for i in np.argsort(-weights, kind="stable").tolist() if weights[i] > 0]
    assert top_words(weights, range(40), count) == [(str(i), weights[i]) for i in order[:count]]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2024-05-24T11:50:44.965Z db-no03.prod.internal [INFO] com.acme.Worker - GC pause 684ms", "GC pause 684ms"),
        ("[12/05/24, 09:15:22] Anna: does the 9:15 train run?", "Anna: does the 9:15 train run?"),
        ('127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a.gif HTTP/1.0" 200', '"GET /a.gif HTTP/1.0" 200'),
        ("On 2024-05-31 09:15", "On 2024-05-31 09:15"),
        ("Hello, 2024-05-31 09:15 is when it broke", "Hello, 2024-05-31 09:15 is when it broke"),
        ("$12.50 was charged twice", "$12.50 was charged twice"),
        ("3 apples and 1/2 cup of sugar", "3 apples and 1/2 cup of sugar"),
        ("https://example.com/a/2024-05-31", "https://example.com/a/2024-05-31"),
    ],
)
def test_first_words_are_those_behind_stamps_of_time(text, shown):
    assert called("", text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("From: kim@example.org\nSubject: Re: tents\n\nWhich one is light?", "Re: tents"),
        ("Subject: Tents,\n by the lake\nFrom: kim@example.org\n\nWhich one?", "Tents, by the lake"),
        ("Received: from a\n\tby b\nSubject: tents\n", "tents"),
        ("From: kim@example.org\nSubject:\n\nWhich one?", "From: kim@example.org Subject: Which one?"),
        ("Which one is light?\nSubject: tents", "Which one is light? Subject: tents"),
        ("From: kim@example.org\n\nSubject: tents", "From: kim@example.org Subject: tents"),
    ],
)
def test_a_mail_without_a_title_is_called_by_its_subject(text, shown):
    assert called("", text) == shown


def test_a_line_with_which_many_texts_begin_says_nothing_of_one():
    salutation, thanks = "Sehr geehrte  Damen und Herren,", "vielen Dank."
    letters = [f"{salutation}\r\n\r\n {thanks}\nBestellung {n} fehlt.\nMit Gruss" for n in range(3)]
    others = [f"Frage {n}" for n in range(54)]
    shared = shared_lines(letters + others)
    assert shared == {"Sehr geehrte Damen und Herren,", thanks}  # 3 of 57 are more than a twentieth
    assert called("", letters[2], shared) == "Bestellung 2 fehlt. Mit Gruss"
    assert shared_lines([*letters, *others, "a", "b", "c"]) == shared_lines(letters[:2]) == frozenset()
    assert called("", salutation, shared) == "Sehr geehrte Damen und Herren,"
    assert called("", f"\n{thanks}\n{salutation}", shared) == f"{thanks} Sehr geehrte Damen und Herren,"
    assert called("Brief", letters[0], shared) == "Brief"
