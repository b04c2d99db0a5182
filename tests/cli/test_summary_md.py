"""`summary.md` of a result: what a Markdown reader sees of groups, quotes, intervals and columns."""

from pathlib import Path

import pytest
from commands import printed, records, table
from factories import KITCHEN, TRAINS
from markdown_it import MarkdownIt
from scipy.stats import binomtest

TEXTS = (KITCHEN + TRAINS) * 5


def read():
    """The tokens and the tables, as rows of cells, of the file."""
    tokens = MarkdownIt().enable("table").parse(Path("docs-clusters/summary.md").read_text(encoding="utf-8"))
    tables, inside = [], False
    for token in tokens:
        if token.type == "table_open":
            tables.append([])
        elif token.type == "tr_open":
            tables[-1].append([])
        inside = token.type in ("th_open", "td_open") or (inside and token.type == "inline")
        if inside and token.type == "inline":
            text = "".join(part.content for part in token.children)
            tables[-1][-1].append(text)
    return tokens, tables


def test_sizes_shares_and_intervals(here):
    records("docs.jsonl", TEXTS)
    printed("cluster", "docs.jsonl", "-k", 2)
    tokens, (sizes,) = read()
    rows = table("docs-clusters/assignments.csv")
    for code, name, size, share, span, _ in sizes[1:]:
        own = [row for row in rows if row["code"] == code]
        low, high = binomtest(len(own), len(rows)).proportion_ci(method="wilson")
        assert (own[0]["name"], size) == (name, str(len(own)))
        assert share == f"{100 * len(own) / len(rows):.0f} %"
        assert span == f"{100 * low:.0f} % to {100 * high:.0f} %"
    assert sum(token.type == "heading_open" and token.tag == "h2" for token in tokens) == 2
    quotes = [token for token in tokens if token.type == "blockquote_open"]
    assert len(quotes) == 2


def test_text_of_documents_is_never_markup(here):
    signs = "<script>alert(1)</script> | *b* _i_ [x](javascript:1) ![p](http://x) `c` # h &amp; ~s~ \x1b[31m"
    records("docs.jsonl", [f"- {text} {signs}" for text in TEXTS], when=lambda i: "2024|*x*" if i % 2 else "# y")
    printed("cluster", "docs.jsonl", "-k", 2, "--quick", "--by", "when")
    tokens, tables = read()
    kinds = {part.type for token in tokens for part in [token, *(token.children or [])]}
    assert not kinds & {"html_block", "html_inline", "link_open", "image", "code_inline", "em_open", "strong_open"}
    assert not kinds & {"bullet_list_open", "ordered_list_open", "fence"}
    assert len(tables) == 2
    assert tables[1][0] == ["group", "# y", "2024|*x*"]


def test_the_last_period_gives_a_recent_quote_and_time_a_change(here):
    records("docs.jsonl", [f"{text} {i}" for i, text in enumerate(TEXTS)], when=lambda i: f"{2020 + i // 10}-05-01")
    printed("cluster", "docs.jsonl", "-k", 2, "--quick", "--by", "when")
    tokens, tables = read()
    text = "\n".join(token.content for token in tokens if token.type == "inline")
    latest = tables[1][0][-1]
    assert text.count(f"recent, {latest}") == 2
    assert text.count("first half of the time") == 2
    *shares, bases = (row[1:] for row in tables[1][1:])
    assert sorted(bases) == ["0"] * 6 + ["10"] * 2
    columns = zip(*shares, strict=True)
    shares = [[float(cell.removesuffix(" %")) for cell in column] for column in columns if set(column) != {"–"}]
    assert [sum(column) for column in shares] == [
        pytest.approx(100, abs=1)
    ] * 2  # of eight quarters, two have documents
