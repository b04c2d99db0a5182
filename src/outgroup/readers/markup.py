"""HTML to text, in one pass whose time is linear in the page, however wrong or hostile the page is.

(The standard library's HTMLParser takes quadratic time on unclosed tags: minutes for a hundred kilobytes.)
"""

from __future__ import annotations

import html
import re

# Possessive repeats (*+) and "or the end" let no part of the page be scanned twice: what opens and never closes takes
# the rest, as in browsers. A quote opens an attribute's value only after "=", and in it ">" does not end the tag.
_ATTRIBUTES = r"(?:[^>=]|=\s*+(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z))?+)*+(?:>|\Z)"
_MARKUP = re.compile(
    rf"<!--.*?(?:-->|\Z)"
    rf"|<(?:script|style)(?=[\s/>]){_ATTRIBUTES}.*?(?=</(?:script|style)[\s/>]|\Z)"
    rf"|</?+(?P<tag>[a-z][^\s/>]*+){_ATTRIBUTES}"
    rf"|<[!?/][^>]*+(?:>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_TITLE = re.compile(rf"<title(?=[\s/>]){_ATTRIBUTES}(.*?)(?:</title|\Z)", re.IGNORECASE | re.DOTALL)
_CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_HEAD = 2048
_FRONT = re.compile(r"---[ \t]*\n(?:[^\n]*\n)*?(?:---|\.\.\.)[ \t]*(?:\n|\Z)")  # what a note says of itself, as YAML
_SAID = re.compile(r"^title:[ \t]*([^\n]+)$", re.MULTILINE)
_HEADING = re.compile(r"\s*#{1,6}[ \t]+([^\n]+)")

# Signs of HTML in a field that need not hold any: tags that nobody writes by chance, and characters by name or number.
_KNOWN_TAG = re.compile(
    r"</(?:p|div|span|a|b|i|u|em|strong|[uo]l|li|h[1-6]|table|t[rdh]|tbody|blockquote|pre|code|font|center|su[pb]"
    r"|small|body|html|article|section)\s*>|<[bh]r\s*/?>|<p>|<(?:p|img)\s[^<>]{0,1000}>",
    re.IGNORECASE,
)
_ENTITY = re.compile(r"&(?:amp|nbsp|lt|gt|quot|apos|[lr][sd]quo|[nm]dash|hellip|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")

_INLINE = {
    "a",
    "abbr",
    "b",
    "bdi",
    "bdo",
    "cite",
    "code",
    "del",
    "dfn",
    "em",
    "font",
    "i",
    "ins",
    "kbd",
    "mark",
    "q",
    "s",
}
_INLINE |= {"samp", "small", "span", "strike", "strong", "sub", "sup", "tt", "u", "var", "wbr"}


def declared_encoding(raw: bytes) -> str | None:
    """Return the encoding that the page's `<meta>` names near its beginning, None where there is none.

    Examples
    --------
    >>> declared_encoding(b'<html><meta charset="koi8-r">')
    'koi8-r'
    """
    found = _CHARSET.search(raw[:_HEAD])
    return found.group(1).decode() if found else None


def markdown_title(text: str) -> str:
    """Return the title that a text in Markdown gives itself: by its front matter, or by a heading that it begins with.

    Examples
    --------
    >>> markdown_title('---\\ntitle: "Tea"\\n---\\nBoil water.'), markdown_title("# Toast #\\nBurn it.")
    ('Tea', 'Toast')
    """
    head = text[:_HEAD]
    front = _FRONT.match(head)
    said = _SAID.search(front.group()) if front else None
    if said:
        return said.group(1).strip().strip("\"'").strip()
    heading = _HEADING.match(head, front.end() if front else 0)
    return heading.group(1).strip().rstrip("#").rstrip() if heading else ""


def html_to_text(page: str) -> tuple[str, str]:
    """Return the page's title, empty when it has none, and all of its text, the title's included.

    Scripts, styles, comments and tags are left out; each block begins a new line.

    Examples
    --------
    >>> html_to_text("<title>Tea &amp; toast</title><style>p {}</style><p>Boil <b>wa</b>ter.<p>Wait.")
    ('Tea & toast', 'Tea & toast\\nBoil water.\\nWait.')
    """
    titled = _TITLE.search(page)
    text = _MARKUP.sub(_line_break, " ".join(page.splitlines()))
    lines = (" ".join(html.unescape(line).split()) for line in text.split("\n"))
    return " ".join(html.unescape(titled.group(1)).split()) if titled else "", "\n".join(filter(None, lines))


def field_text(text: str) -> tuple[str, bool]:
    """Return a field's text without HTML, and whether there was any; text without a tag keeps its lines.

    Examples
    --------
    >>> field_text("<p>Tea &amp; <b>milk</b></p>"), field_text("Tom &amp; Jerry"), field_text("a < b & c")
    (('Tea & milk', True), ('Tom & Jerry', True), ('a < b & c', False))
    """
    if has_tags(text):
        return html_to_text(text)[1], True
    if "&" in text and _ENTITY.search(text):
        return html.unescape(text), True
    return text, False


def has_tags(text: str) -> bool:
    """Return whether a text has tags of HTML that nobody writes by chance."""
    return "<" in text and _KNOWN_TAG.search(text) is not None


def _line_break(found: re.Match[str]) -> str:
    return "" if (found["tag"] or "").lower() in _INLINE else "\n"
