"""Tokens, stop words and stems."""

import json
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outgroup.errors import InputError
from outgroup.text import tokenizer
from outgroup.text.counts import Analyser
from outgroup.text.languages import LANGUAGES, language_name
from outgroup.text.tokenizer import (
    UNSPACED,
    likely_languages,
    pairs,
    runs,
    signs,
    stem,
    stop_words,
    tokenise,
)
from outgroup.text.tokens import nfkc


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


def test_english_stop_words_are_words_the_tokeniser_makes() -> None:
    words = stop_words("english")
    assert {"the", "and", "don", "ve"} <= words
    assert [tokenise(word) for word in sorted(words) if len(word) > 1] == [
        [word] for word in sorted(words) if len(word) > 1
    ]
    assert not {"computer", "car", "god", "game", "won"} & words


@pytest.mark.parametrize("language", sorted(set(LANGUAGES) - {"burmese", "khmer", "lao"}))
def test_every_language_has_its_stop_words(language: str) -> None:
    assert len(stop_words(language)) > 20
    assert all(word == word.lower() and not word.isspace() for word in stop_words(language))


def test_stop_words_of_languages() -> None:
    assert {"und", "nicht", "für"} <= stop_words("german")
    assert {"и", "не", "с"} <= stop_words("ru")
    assert {"我们"} <= stop_words("chinese")  # longer words of its list are cut, and their pairs occur in other words
    assert all(len(signs(word)) <= 2 for word in stop_words("chinese") if UNSPACED.search(word))
    assert {"није", "nije", "њему"} <= stop_words("serbian")


@pytest.mark.parametrize(
    ("given", "name"),
    [("german", "german"), ("de", "german"), ("DE", "german"), ("de-AT", "german"), ("zh_Hant_TW", "chinese"),
     ("nb", "norwegian"), ("no", "norwegian"), (" English ", "english"), ("dutch_porter", "dutch_porter")],
)  # fmt: skip
def test_a_language_by_name_or_code(given: str, name: str) -> None:
    assert language_name(given) == name


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
            if unspaced and signs(piece):
                assert set("".join(signs(piece))) == set("".join(pairs(piece)))


def test_numbers_and_short_words_on_request() -> None:
    assert tokenise("mp3 in 2024: ok a 7", numbers=True) == ["mp3", "in", "2024", "ok"]
    assert tokenise("mp3 é in ２０２４", numbers=True) == ["mp3", "in", "2024"]
    assert tokenise("a bc def", shortest=3) == tokenise("é bc def", shortest=3) == ["def"]
    assert tokenise("a é", shortest=1) == ["a", "é"]


def test_porter() -> None:
    words = ["caresses", "ponies", "motoring", "relational", "hopefulness", "controlling"]
    assert stem(words, "porter") == ["caress", "poni", "motor", "relat", "hope", "control"]
    assert stem(["news", "new"]) == ["news", "new"]


def test_signs_that_nobody_sees_change_no_word() -> None:
    assert tokenise("co\u00adoper\u2060ation \ufeffo\ufb03ce \u202ele\ufe0ffts\u202c") == [
        "cooperation",
        "office",
        "lefts",
    ]
    assert tokenise("an exam-\nple, exam\u00ad\r\n  ples, North-\nSouth a\u200bb", shortest=1) == [
        *("an", "example", "examples", "north", "south", "a", "b")
    ]
    assert tokenise("می\u200cخواهم ha\u200dllo") == ["می\u200cخواهم", "hallo"]


def test_names_of_languages_keep_their_signs() -> None:
    text = "C++, C# or F#; C++17 and i++; a+b #tag x#y"
    assert tokenise(text) == ["c++", "c#", "or", "f#", "c++", "and", "i++", "tag"]


def test_encoded_pictures_have_no_words() -> None:
    data = "iVBORw0KGgoAAAANSUhEUgAAAAUA" * 4
    assert tokenise(f"see ![](data:image/png;base64,{data}) the\n{data}\ncup") == ["see", "the", "cup"]
    assert len(tokenise("https://example.org/" + "many/parts/" * 9)) == 21


def test_capitals_by_language() -> None:
    turkish, english = (
        Analyser(language, None).tally(["ISPARTA IŞIK İSTANBUL", "ısparta ışık istanbul"]) for language in ("tr", "en")
    )
    assert turkish.forms == ["ısparta", "ışık", "istanbul"]
    assert "isparta" in english.forms


def test_korean_words_share_pairs_whatever_their_particle() -> None:
    assert tokenise("서울에서 서울은") == ["서울", "울에", "에서", "서울", "울은"]


@pytest.mark.parametrize(
    ("language", "content", "function"),
    [
        ("german", "zeit menschen", "und der nicht"),
        ("spanish", "trabajo empleo", "el que pero"),
        ("italian", "vita tempo", "che non della"),
        ("french", "vie personnes", "le dans avec"),
        ("portuguese", "trabalho tempo", "não uma para"),
        ("russian", "деньги работа", "и что который"),
    ],
)
def test_lists_hold_function_words_only(language: str, content: str, function: str) -> None:
    assert not stop_words(language) & {*content.split()}
    assert stop_words(language) >= {*function.split()}


def test_a_word_that_stems_to_nothing_stays() -> None:
    assert stem(["εις", "λόγος"], "greek")[0] == "εις"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_stems_without_losing_a_word(language: str) -> None:
    stems = stem(["is", "ja", "running", "à", "чай"], language)
    assert len(stems) == 5
    assert all(stems)


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


def test_lines_that_machines_write_are_in_no_language() -> None:
    disks = [f"disk usage {80 + i % 20}% on /var/{place}" for i in range(30) for place in ("log", "lib", "til")]
    hosts = [f"2024-05-{i % 9 + 1} opp-no{i:02}.internal [INFO] com.acme.web.Worker - ok" for i in range(60)]
    assert likely_languages(disks) == likely_languages(hosts) == {}


def test_unknown_language() -> None:
    with pytest.raises(InputError, match=r"'klingon': choose one of .*english \(en\)"):
        stem(["a"], "klingon")
    with pytest.raises(InputError, match="'klingon'"):
        stop_words("klingon")


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


def test_every_sign_that_becomes_a_mark_is_bounded():
    points = (chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    marks = [sign for sign in points if unicodedata.combining(unicodedata.normalize("NFKC", sign)[0])]
    assert len(marks) > 900
    most = 2 + 2 * 30  # a mark may become two
    assert [sign for sign in marks if len(nfkc("ﬁ" + (sign + "\u0316\u0315") * 60)) > most] == []


@given(st.text())
def test_texts_with_few_marks_have_their_normal_form(text):
    if not re.search(r"[^\w\s]{25}", text):
        assert nfkc(text) == unicodedata.normalize("NFKC", text)


def test_a_word_without_end_is_not_stemmed():
    longest = tokenizer.TOKENIZER.stemmed
    assert stem(["tea" * longest + "ing", "drinking"]) == ["tea" * longest + "ing", "drink"]
    assert stem(["a" * (longest - 3) + "ing"]) == ["a" * (longest - 3)]
