"""The words of texts as numbers: with kernels and without them, and what stands between words."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from outgroup._native import by_scipy
from outgroup._native.products import kernels, using
from outgroup.text import tokens as table
from outgroup.text.tokens import Tokens

others = [*"ﬁ京#\u2028\xa0\u200d\U0001d49c\ud800\u00ad", "\r\n", "น้ำ", "हि", "+", "++", "-\n"]
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
