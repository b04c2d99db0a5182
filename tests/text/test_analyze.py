"""Tokens, stop words and stems, with and without the dictionaries of an extra."""

import json
import re
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outgroup.errors import InputError, MissingExtraError
from outgroup.text.tokenizer import (
    UNSPACED,
    likely_languages,
    pairs,
    runs,
    segmenter,
    stem,
    stop_words,
    tokenise,
)
from outgroup.text.tokens import nfkc
from outgroup.text.vectorizer import Vectorizer


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
        assert len(word) > 1 or UNSPACED.search(word)
        assert word == word.lower()
        assert not any(sign.isspace() or sign.isdecimal() or sign in "_'-" for sign in word)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("中国经济学家。茶", ["中国", "国经", "经济", "济学", "学家", "茶"]),
        ("東京のiPhone15、電車", ["東京", "京の", "iphone", "電車"]),
        ("コンピュータ", ["コン", "ンピ", "ピュ", "ュー", "ータ"]),
        ("ภาษาไทย", ["ภา", "าษ", "ษา", "าไ", "ไท", "ทย"]),
        ("ខ្មែរ ភាសា", ["ខ្មែរ", "ភាសា"]),
        ("မြန်မာ", ["မြန်", "န်မာ"]),
        ("ລາວ", ["ລາ", "າວ"]),
        ("한국어 단어", ["한국", "국어", "단어"]),
        ("カメラとcamera", ["カメ", "メラ", "ラと", "camera"]),
    ],
)
def test_scripts_without_blanks_are_cut_in_pairs_of_signs(text: str, words: list[str]) -> None:
    assert tokenise(text) == words


@given(st.text(st.sampled_from("中国経済のภาษน้ำខ្មែabé0")))
def test_no_letter_is_lost_in_pairs(text: str) -> None:
    for word in re.findall(r"\w+", unicodedata.normalize("NFKC", text)):
        assert "".join(piece for piece, _ in runs(word)) == word
        for piece, unspaced in runs(word):
            if unspaced:
                assert {*filter(str.isalnum, piece)} <= {*"".join(pairs(piece))} <= {*piece}


def test_porter() -> None:
    words = ["caresses", "ponies", "motoring", "relational", "hopefulness", "controlling"]
    assert stem(words, "porter") == ["caress", "poni", "motor", "relat", "hope", "control"]
    assert stem(["news", "new"]) == ["news", "new"]
    assert stem(["s"], "porter") == ["s"]  # the stemmer leaves nothing


def test_signs_that_nobody_sees_change_no_word() -> None:
    hidden = "co\u00adoper\u2060ation \ufeffo\ufb03ce \u202ele\ufe0ffts\u202c"
    assert tokenise(hidden) == ["cooperation", "office", "lefts"]
    ends = "an exam-\nple, exam\u00ad\r\n  ples, North-\nSouth a\u200bb"
    assert tokenise(ends, shortest=1) == ["an", "example", "examples", "north", "south", "a", "b"]
    hidden = "ta\u2063ble ch\U000e0061air so\u3164fa la\u206cmp d\U0001d173esk كتـــاب"
    assert tokenise(hidden) == ["table", "chair", "sofa", "lamp", "desk", "كتاب"]
    for end in ("\u00ac\n", "\u2011\n", "- \n  ", "-\r", "-\u2028"):
        assert tokenise(f"a window{end}sill") == ["windowsill"]
    assert tokenise("می\u200cخواهم ha\u200dllo") == ["می\u200cخواهم", "hallo"]


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("norwegian", "tid arbeid makt"),
        ("finnish", "aika uusi apu"),
        ("indonesian", "waktu baru masalah"),
        ("persian", "زمان مردم خوب"),
        ("czech", "nový dobrý strana"),
        ("romanian", "timp nou zi"),
        ("chinese", "人 好 年"),
    ],
)
def test_words_that_name_things_are_no_stop_words(language: str, words: str) -> None:
    assert not stop_words(language).intersection(words.split())


def test_a_language_is_known_by_its_function_words() -> None:
    sentences = json.loads((Path(__file__).parents[2] / "bench/studies/languages.json").read_text(encoding="utf-8"))
    for name in ("german", "russian", "arabic"):
        texts = [text for topic in sentences[name].values() for text in topic]
        assert next(iter(likely_languages(texts))) == name
        assert max(likely_languages(texts).values()) > 0.7
    assert likely_languages([text for topic in sentences["chinese"].values() for text in topic]) == {"chinese": 1.0}
    assert likely_languages(["", "12 34", "x"]) == {}
    assert likely_languages(["WARN slow query took 12 ms on table t5", "GET /api/v1/items"]) == {"english": 0.5}
    assert likely_languages([">>> f(x) = 2*x + 1", "The values of a are 0, 1 and 2"]) == {"english": 0.5}
    assert likely_languages([]) == {}


@pytest.mark.parametrize(
    "marks",
    [
        "\u0315" * 300 + "\u0316" * 300,
        ("\u0315" * 30 + "\uff9e") * 30,  # a letter that becomes a mark
        "\u0315\u0f73" * 300,
        "\U0001e8d0\U0001d165" * 300,
    ],
)
def test_only_a_few_combining_marks_in_a_row_stay(marks):
    normal = nfkc(f"tea a{marks}b")
    assert normal.startswith("tea a")
    assert normal.endswith("b")
    assert len(normal) <= 6 + 2 * 30
    assert tokenise(f"tea a{marks}b")[0] == "tea"


@given(st.text())
def test_texts_with_few_marks_have_their_normal_form(text):
    if not re.search(r"[^\w\s]{25}", text):
        assert nfkc(text) == unicodedata.normalize("NFKC", text)


@pytest.mark.parametrize(
    ("language", "library", "text", "word"),
    [
        ("zh", "rjieba", "我们讨论市场经济的发展。", "讨论"),
        ("japanese", "sudachipy", "新しい電車の時刻表を確認する。", "電車"),
        ("thai", "pythainlp", "รถไฟไปเชียงใหม่ออกตอนเช้า", "รถไฟ"),
    ],
)
@pytest.mark.filterwarnings("ignore")  # of the libraries' own
def test_words_of_a_dictionary(language: str, library: str, text: str, word: str) -> None:
    pytest.importorskip(library, reason="needs the extra segmentation", exc_type=ImportError)
    cut = segmenter(language)
    assert word in tokenise(text, cut=cut)
    assert "".join(cut(text)) == text
    vectorizer = Vectorizer(language=language, segmentation="words", min_df=1, max_df=1.0).fit([text, "tea"])
    assert {word, "tea"} <= set(vectorizer.vocabulary_)


def test_a_segmenter_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="no segmenter for khmer"):
        segmenter("km")
    monkeypatch.setitem(sys.modules, "rjieba", None)
    with pytest.raises(MissingExtraError, match=r"\.\[segmentation\]"):
        segmenter("chinese")
