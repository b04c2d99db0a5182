"""Tokens, stop words and stems."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outgroup.errors import InputError
from outgroup.text.analyze import LANGUAGES, stem, stop_words, tokenise


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The QUICK brown fox", ["the", "quick", "brown", "fox"]),
        ("don't x-ray 3rd snake_case", ["don", "ray", "rd", "snake", "case"]),
        ("", []),
        ("1 + 2 = 3, a b c", []),
        ("Ærø und Öl: Straße", ["ærø", "und", "öl", "straße"]),
        ("чай и молоко", ["чай", "молоко"]),
        ("area in m², ½ ﬁle", ["area", "in", "file"]),
        ("cafe\u0301 CAFÉ", ["café", "café"]),
        ("हिन्दी पाठ", ["हिन्दी", "पाठ"]),
        ("כַּלָב", ["כַּלָב"]),
        ("ice\u00a0cream\u2014now\x00then", ["ice", "cream", "now", "then"]),
    ],
)
def test_tokenise(text: str, words: list[str]) -> None:
    assert tokenise(text) == words


@given(st.text(st.characters(max_codepoint=127)))
def test_the_fast_way_through_ascii_gives_the_same_words(text: str) -> None:
    assert [*tokenise(text), "über"] == tokenise(text + "\nüber")


@given(st.text())
def test_words_are_letters_in_lower_case(text: str) -> None:
    for word in tokenise(text):
        assert len(word) > 1
        assert word == word.lower()
        assert not any(sign.isspace() or sign.isdecimal() or sign in "_'-" for sign in word)


def test_english_stop_words_are_words_the_tokeniser_makes() -> None:
    words = stop_words("english")
    assert {"the", "and", "don", "ve"} <= words
    assert [tokenise(word) for word in sorted(words) if len(word) > 1] == [
        [word] for word in sorted(words) if len(word) > 1
    ]
    assert not {"computer", "car", "god", "game", "won"} & words


def test_other_languages_have_no_list() -> None:
    assert stop_words("german") == frozenset()


def test_porter() -> None:
    words = ["caresses", "ponies", "motoring", "relational", "hopefulness", "controlling"]
    assert stem(words) == ["caress", "poni", "motor", "relat", "hope", "control"]


def test_other_stemmers() -> None:
    assert stem(["häuser", "hauses"], "german") == ["haus", "haus"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_stems_without_losing_a_word(language: str) -> None:
    stems = stem(["is", "ja", "running", "à", "чай"], language)
    assert len(stems) == 5
    assert all(stems)


def test_unknown_language() -> None:
    with pytest.raises(InputError, match=r"'klingon'.*english"):
        stem(["a"], "klingon")
    with pytest.raises(InputError, match="'klingon'"):
        stop_words("klingon")
