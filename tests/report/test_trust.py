"""How far groups can be trusted, in words: on the page, in the terminal, and where nobody asked."""

import io

from report_examples import summed
from rich.console import Console

from outgroup.report.html import render
from outgroup.report.terminal import terminal
from outgroup.summary.summarise import clusters_json


def figures(number, word, **changes):
    found = {
        "number": number, "size": 10, "found_again": 12, "fits": 20, "jaccard": 0.6, "tightness": 0.4, "apart": 0.5,
        "nearest": 1 - number, "silhouette": 0.2, "coherence": 0.3, "score": 0.12, "word": word, "mixed_with": None,
    }  # fmt: skip
    return found | changes


def trust(*groups, **changes):
    found = {"groups": list(groups), "silhouette": 0.2, "coherence": 0.3, "diversity": 0.9, "fits": 20, "empty": []}
    return found | {"notes": []} | changes


def printed(summary):
    out = io.StringIO()
    terminal(summary, Console(file=out, width=160))
    return out.getvalue()


def test_trust_is_on_the_page_in_the_terminal_and_in_the_json(given):
    groups = [figures(0, "tight"), figures(1, "loose"), figures(2, "mixed", mixed_with=1, nearest=1)]
    summary = summed(**given(30, 3), trust=trust(*groups))
    page, shown = render(summary), printed(summary)
    assert "mixed with group 1" in page
    assert "Found again in 12 of 20 fits" in page
    assert "tight 12/20" in shown
    assert "mixed with 1 12/20" in shown
    assert [each["trust"]["word"] for each in clusters_json(summary)] == ["tight", "loose", "mixed with group 1"]
    assert summary.for_page()["groups"][1]["figures"]["found_again"] == 12
    assert summary.for_page()["trust"]["diversity"] == 0.9
