"""The words of texts as numbers: with kernels and without them, and what stands between words."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from outgroup._native import by_scipy
from outgroup._native.products import kernels, using
from outgroup.text import tokens as table
from outgroup.text.tokens import ADDRESS, APART, APOSTROPHE, BLANK, HYPHEN, Tokens

others = [
    "\r\n",
    "\u2028",
    "\xa0",
    "ﬁ",
    "京",
    "น้ำ",
    "हि",
    "\u200d",
    "\U0001d49c",
    "\ud800",
    "+",
    "++",
    "#",
    "\u00ad",
    "-\n",
]
others += ["aB3" * 20, "data;base64," + "x" * 50]
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


def test_what_stands_before_a_word_is_kept() -> None:
    tokens = Tokens.of(["the mother-in-law's  tea, 2 cups\nof it: see www.example.org or a@example.org today"])
    found = dict(zip([tokens.forms[word] for word in tokens.words], tokens.gaps.tolist(), strict=True))
    kinds = {"mother": BLANK, "in": HYPHEN, "s": APOSTROPHE, "tea": BLANK, "cups": APART, "of": BLANK, "see": APART}
    assert found.items() >= kinds.items()
    assert {word for word, gap in found.items() if gap >= ADDRESS} == {"www", "example", "org", "a"}


def test_equal_lines_have_equal_keys() -> None:
    tokens = Tokens.of(["Sent from my  phone\n\nhi\nSent from my phones", "  Sent from my phone \r\nx"])
    assert tokens.line_ends.tolist() == [4, 6]
    first, blank, short, other, again, shorter = tokens.lines.tolist()
    assert (blank, short, shorter) == (0, 1, 1)
    assert first == again != other
