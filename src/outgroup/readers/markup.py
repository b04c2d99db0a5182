"""Convert HTML to text in one pass; the time is linear even for malformed or hostile pages.

(HTMLParser of the standard library takes quadratic time on unclosed tags: minutes for a hundred kilobytes.)
"""

from __future__ import annotations

import html
import re

# Possessive repeats (*+) and "or the end" prevent rescans: an unclosed element takes the rest of the page, as in
# browsers. A quote opens an attribute value only after "="; inside the value ">" does not end the tag.
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
_FRONT = re.compile(r"---[ \t]*\n(?:[^\n]*\n)*?(?:---|\.\.\.)[ \t]*(?:\n|\Z)")  # YAML front matter
_FRONT_TITLE = re.compile(r"^title:[ \t]*([^\n]+)$", re.MULTILINE)
_HEADING = re.compile(r"\s*#{1,6}[ \t]+([^\n]+)")

# Evidence of HTML in a field: tags that do not occur by chance, and character references.
_KNOWN_TAG = re.compile(
    r"</(?:p|div|span|a|b|i|u|em|strong|[uo]l|li|h[1-6]|table|t[rdh]|tbody|blockquote|pre|code|font|center|su[pb]"
    r"|small|body|html|article|section)\s*>|<(?:[bh]r|wbr)\s*/?>|<p>|<(?:p|img)\s[^<>]*+>",
    re.IGNORECASE,
)
_ENTITY = re.compile(
    r"&(?:amp|nbsp|shy|zwnj|lt|gt|quot|apos|[lr][sd]quo|[nm]dash|hellip|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});"
)

_INLINE = re.compile(
    r"a|abbr|b|bdi|bdo|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup|tt|u|var|wbr",
    re.IGNORECASE,
)


def declared_encoding(raw: bytes) -> str | None:
    """Return the encoding that `<meta>` declares near the beginning of a page; None if there is none.

    Examples
    --------
    >>> declared_encoding(b'<html><meta charset="koi8-r">')
    'koi8-r'
    """
    match = _CHARSET.search(raw[:_HEAD])
    return match.group(1).decode() if match else None


def markdown_title(text: str) -> str:
    """Return the title of a Markdown text from its front matter or first heading; "" if it has none.

    Examples
    --------
    >>> markdown_title('---\\ntitle: "Tea"\\n---\\nBoil water.'), markdown_title("# Toast #\\nBurn it.")
    ('Tea', 'Toast')
    """
    head = text[:_HEAD]
    front = _FRONT.match(head)
    title = _FRONT_TITLE.search(front.group()) if front else None
    if title:
        return title.group(1).strip().strip("\"'").strip()
    heading = _HEADING.match(head, front.end() if front else 0)
    return heading.group(1).strip().rstrip("#").rstrip() if heading else ""


def html_to_text(page: str) -> tuple[str, str]:
    """Return the title of a page ("" if it has none) and its text, which includes the title.

    Removes scripts, styles, comments and tags; each block begins a new line.

    Examples
    --------
    >>> html_to_text("<title>Tea &amp; toast</title><style>p {}</style><p>Boil <b>wa</b>ter.<p>Wait.")
    ('Tea & toast', 'Tea & toast\\nBoil water.\\nWait.')
    """
    title = _TITLE.search(page)
    text = _MARKUP.sub(_line_break, " ".join(page.splitlines()))
    lines = (" ".join(html.unescape(line).split()) for line in text.split("\n"))
    return " ".join(html.unescape(title.group(1)).split()) if title else "", "\n".join(filter(None, lines))


def field_text(text: str) -> tuple[str, str]:
    """Return the text of a field without HTML, and whether "tags" or "references" were found; "" for neither.

    Text without tags keeps its lines.

    Examples
    --------
    >>> field_text("<p>Tea &amp; <b>milk</b></p>"), field_text("Tom &amp; Jerry"), field_text("a < b & c")
    (('Tea & milk', 'tags'), ('Tom & Jerry', 'references'), ('a < b & c', ''))
    """
    if has_tags(text):
        return html_to_text(text)[1], "tags"
    if "&" in text and _ENTITY.search(text):
        return html.unescape(text), "references"
    return text, ""


def has_tags(text: str) -> bool:
    """Return whether a text contains HTML tags, not just angle brackets."""
    return "<" in text and _KNOWN_TAG.search(text) is not None


def _line_break(match: re.Match[str]) -> str:
    return "" if _INLINE.fullmatch(match["tag"] or "") else "\n"
