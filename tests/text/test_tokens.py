"""The words of texts as numbers: with kernels and without them, and what stands between words."""

import re
from base64 import b64encode, urlsafe_b64encode
from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from outgroup._native import by_scipy
from outgroup._native.products import kernels, using
from outgroup.text import tokens as table
from outgroup.text.tokens import Tokens

others = [*"ﬁ京#\u2028\xa0\u200d\U0001d49c\ud800\u00ad", "\r\n", "น้ำ", "हि", "+", "++", "-\n"]
others += ["aB3" * 20, "aB3x" * 4, "data:a/b;base64,", "12ab-", "deadbeef1"]
signs = st.sampled_from([*"aZé9ß Σ\n\t-'.,@_:/w", *others])
texts = st.lists(st.one_of(st.text(), st.lists(signs, max_size=60).map("".join)), max_size=6)


def words(tokens: Tokens) -> list[list[str]]:
    return [[tokens.forms[word] for word in part] for part in np.split(tokens.words, tokens.ends)][:-1]


@pytest.mark.skipif(kernels() is None, reason="installed without kernels")
@given(texts, st.booleans())
@example(["www.example.org/a and me@example.org or www.", "a.b.c.d e.g. 1.2.3 x_y.z.w"], False)
@example(["Z#9", "c++17"], True)
@example(["9www.a", "_www.a", "क\u200dwww.b", "Z#9", "c++17"], False)
def test_kernels_find_what_expressions_find(given: list[str], numbers: bool) -> None:
    native = Tokens.of(given, numbers)
    with using(by_scipy):
        plain = Tokens.of(given, numbers)
    assert native.forms == plain.forms
    for name in ("words", "gaps", "ends", "line_ends"):
        assert getattr(native, name).tolist() == getattr(plain, name).tolist()
    assert equal_lines(native) == equal_lines(plain)


SIGNS = np.random.default_rng(0).bytes(300)
BASE64 = b64encode(SIGNS).decode()
LINES = "\n".join(BASE64[start : start + 76] for start in range(0, 400, 76))
TOKEN = ".".join(urlsafe_b64encode(part).decode().rstrip("=") for part in (b'{"alg":"HS256"}', SIGNS[:90], SIGNS[:32]))


@pytest.mark.parametrize(
    "native", [pytest.param(True, marks=pytest.mark.skipif(kernels() is None, reason="none")), False]
)
@pytest.mark.parametrize(
    "data",
    [
        f'"{BASE64}"',
        f"[tea]({BASE64})",
        f"{LINES}\n",
        LINES.replace("\n", "\r\n "),
        urlsafe_b64encode(SIGNS).decode(),
        f"({TOKEN})",
        "<data:image/svg+xml,%3Csvg%20viewBox='0%200%209%209'%3E%3Cpath%20d='M0%200h9'/%3E%3C/svg%3E>",
        f"data:image/png;base64,{'A' * 90}",
        "<9f86d081884c7d65>",
        "0B8E4E6A-52d1-4c59-9a07-7b1e2c3d4f50;",
        "9f86d081884c7d65/" * 200_000,  # hours if each digest seeks the end of all
        "9f86d081884c7d65/data:a/b," * 100_000,
    ],
    ids=range(12),
)
def test_data_have_no_words(data: str, native: bool) -> None:
    with nullcontext() if native else using(by_scipy):
        found = words(Tokens.of([f"red {data} cup"], numbers=True))[0]
    assert found in (["red", "cup"], ["red", "tea", "cup"])


@pytest.mark.parametrize(
    "text",
    [
        "[deleted] C++ R2D2 covid19 decade 1234567890123456",
        "Kühlschranktürdichtungsaustauschanleitungsverfassungswettbewerb",
        "data:a/" * 300_000,
        "https://example.org/Tea/2024/How-to-Brew-a-Cup/SomeLongPageName2?page=AllTheTeasOfTheWorld",
        "தேயிலைத்தோட்டங்களிலிருந்து kahvinkeittimenpuhdistusohjeenkirjoituskilpailu",
        f"{LINES}\nThanks\nR2D2",
    ],
    ids=range(6),
)
def test_long_words_are_no_data(text: str) -> None:
    after = text.removeprefix(LINES)
    assert words(Tokens.of([text], numbers=True)) == [re.findall(r"C\+\+|[^\W_\u0b80-\u0bff]+|[\u0b80-\u0bff]+", after)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Nord-\nund Ostsee", ["Nord", "und", "Ostsee"]),
        ("pre- \n and postwar", ["pre", "and", "postwar"]),
        ("Ein-\r\nbzw. Ausgang", ["Ein", "bzw", "Ausgang"]),
        ("pre-\nandroid rot-\nunder", ["preandroid", "rotunder"]),
    ],
)
def test_a_conjunction_is_no_rest_of_a_word(text: str, found: list[str]) -> None:
    assert words(Tokens.of([text])) == [found]


def equal_lines(tokens: Tokens) -> list[int]:
    """The first equal line of each, -1 for a blank line and -2 for a short one."""
    keys = tokens.lines.tolist()
    return [~key if key in (0, 1) else keys.index(key) for key in keys]


@given(texts)
def test_blocks_change_nothing(given: list[str]) -> None:
    whole = Tokens.of(given)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table, "_BLOCK", 1)
        parts = Tokens.of(given)
    assert words(parts) == words(whole)
    assert parts.gaps.tolist() == whole.gaps.tolist()
    assert parts.line_ends.tolist() == whole.line_ends.tolist()
