"""The page: well formed, self-contained, and nothing from a document becomes part of it."""

import base64
import hashlib
import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from outgroup.report.html import PAGE, render
from outgroup.summary.summarise import by_column

from .conftest import choice

VOID = {"meta", "link", "br", "img", "input", "hr"}
HOSTILE = [
    *("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "'--><svg onload=alert(1)>"),
    *("{{7*7}}{% raw %}", "%s%n{0}", "=cmd()|' /C calc'!A0"),
    "]]></style></title><base href=//evil.example>",
    "\u202egnp.exe\u2028line\x00\x1b[31m\ud800",
]


class Page(HTMLParser):
    """Elements, attributes, ids and text of a page; fails on tags that do not match."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.text, self.scripts, self.open = Counter(), [], [], [], []
        self.parts = {}
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        self.attributes += [(tag, name, value) for name, value in attrs]
        self.part = dict(attrs).get("id", "")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] == ["script"] and self.part.startswith("part-"):
            self.parts[self.part.removeprefix("part-")] = data
        else:
            (self.scripts if self.open[-1:] == ["script"] else self.text).append(data)

    def values(self, name):
        return [value for _, own, value in self.attributes if own == name]


def test_the_page_is_well_formed_and_its_links_lead_somewhere(full):
    page = Page(render(full()))
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    assert {"explore", "groups", "labels", "off-topic", "skipped", "again"} <= set(ids)
    assert all(href[0] == "#" and (href[1:] in ids or href[1:].startswith("group=")) for href in page.values("href"))
    assert set(page.values("aria-labelledby")) <= set(ids)
    assert page.tags["h1"] == page.tags["main"] == 1


def test_nothing_is_loaded_from_elsewhere_and_only_our_script_may_run(full):
    html = render(full())
    page = Page(html)
    assert not page.values("src")
    assert not page.tags["link"]
    assert "@import" not in html
    assert "url(" not in html
    assert not re.search(r"(?<!:)//\w+\.\w", "".join(page.text) + "".join(page.scripts))
    digest = base64.b64encode(hashlib.sha256("".join(page.scripts).encode()).digest()).decode()
    (policy,) = [value for tag, name, value in page.attributes if (tag, name) == ("meta", "content") and "src" in value]
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy


def test_the_libraries_of_the_page_are_those_released():
    vendor = PAGE / "vendor"
    sums = re.findall(r"^    (\w{64})  (\S+)$", (vendor / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert {name for _, name in sums} == {file.name for file in vendor.glob("*.mjs")}
    for digest, name in sums:
        assert hashlib.sha256((vendor / name).read_bytes()).hexdigest() == digest


def hostile(full, given, nasty):
    n = 30
    summary = full(
        n,
        3,
        ids=[f"{nasty}{i}" for i in range(n)],
        titles=[nasty] * n,
        texts=[f"{nasty} {text}" for text in given(n, 3)["texts"]],
        feature_names=[f"{nasty}{i}" for i in range(18)],
        true_labels=[f"{nasty}{i % 3}" for i in range(n)],
        skipped=[(nasty, nasty)],
        duplicates=[[nasty, nasty]],
        threshold=choice(nasty, 0.5),
        names=[nasty] * 3,
        universum={"count": 3, "source": nasty},
        run=dict.fromkeys(("title", "date", "command"), nasty)
        | {"parameters": {nasty: [nasty, {nasty: None}]}, "versions": {nasty: nasty}, "timings": {nasty: 1.0}},
    )
    by = by_column(nasty, "", [nasty, "c"], np.arange(n) % 2, np.arange(n), np.arange(n) % 3, 3)
    return replace(summary, by=by, skip_reasons=[(nasty, 1)])


@pytest.mark.parametrize("nasty", HOSTILE)
def test_text_from_documents_is_text(full, given, nasty):
    html = render(hostile(full, given, nasty))
    page, plain = Page(html), Page(render(hostile(full, given, "plain")))
    page.tags.pop("mark", None)  # words are marked where they stand in a text: as many as there are
    plain.tags.pop("mark", None)
    assert page.tags == plain.tags
    assert {(tag, name) for tag, name, _ in page.attributes} == {(tag, name) for tag, name, _ in plain.attributes}
    assert not [name for _, name, _ in page.attributes if name.startswith("on")]
    assert page.scripts == plain.scripts
    html.encode("utf-8")
    if nasty.isprintable():
        assert "".join(page.text).count(nasty) > 15
    else:
        assert not re.search(r"[\x00\x1b\u202e]", html)


@pytest.mark.parametrize(("n", "k"), [(1, 1), (2, 1), (2, 2), (30, 30), (200, 50)])
def test_odd_sizes(full, n, k):
    html = render(full(n, k))
    assert Page(html).tags["article"] == k
    assert not re.search(r"\b(nan|NaN|inf|None|Undefined)\b", "".join(Page(html).text))
