"""HTML to text."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outgroup.readers.markup import field_text, html_to_text


@pytest.mark.parametrize(
    ("page", "title", "text"),
    [
        ("plain", "", "plain"),
        ("<title>A</title><title>B</title>x", "A", "A\nB\nx"),
        ("<p>one<p>two<br>three", "", "one\ntwo\nthree"),
        ("&lt;script&gt; &eacute;&#233;&#xe9;", "", "<script> ééé"),
        ("<script>if (a < b) x('</p>')</script><style>p {}</style>seen<!-- not -->", "", "seen"),
        ("a < b and <unknown attr='>'>c", "", "a < b and\nc"),
        ("<a title='it>s' href=it's>link</a>ed", "", "linked"),
        ("text <!-- never closed <p>", "", "text"),
        ("<!DOCTYPE html><?php x ?></3>text", "", "text"),
        ("<scripted>seen</scripted><script>not</script><script/>nor", "", "seen"),
    ],
)
def test_pages(page: str, title: str, text: str) -> None:
    assert html_to_text(page) == (title, text)


def test_a_picture_in_the_text_is_a_tag() -> None:
    assert field_text(f"tea <img src='data:image/png;base64,{'iVBORw0KGg' * 200}'> cup") == ("tea\ncup", "tags")


@given(st.text(st.sampled_from("<>/!-abp='&;# script")))
def test_any_page_gives_text(page: str) -> None:
    title, text = html_to_text(page)
    assert "\n" not in title
    assert "\n\n" not in text


@pytest.mark.parametrize(
    "piece", ["<", "<a ", "<!--", "&", "<p>", "<script>", "</script ", "<![CDATA[", "<a b='", "&#"]
)
def test_hostile_pages_take_bounded_time(piece: str) -> None:
    start = time.process_time()
    html_to_text(piece * (400_000 // len(piece)))
    assert time.process_time() - start < 2  # a quadratic expression would take minutes
