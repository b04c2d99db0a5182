"""How far groups can be trusted, in words: on the page, in the terminal, and where nobody asked."""

from report_examples import printed, summed

from outgroup.report.html import render
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


def test_markup_and_control_codes_are_not_obeyed_by_a_terminal(full):
    nasty = "[red]x[/red][/]\x1b[31m"
    text = printed(full(titles=[nasty] * 30, skipped=[(nasty, nasty)], names=[nasty] * 3))
    assert "[red]x[/red][/]" in text
    assert "\x1b" not in text


def test_trust_is_on_the_page_in_the_terminal_and_in_the_json(given):
    groups = [figures(0, "tight"), figures(1, "loose"), figures(2, "mixed", mixed_with=1, nearest=1)]
    summary = summed(**given(30, 3), trust=trust(*groups))
    shown = printed(summary)
    assert "mixed with group 1" in render(summary)
    assert "tight 12/20" in shown
    assert "mixed with 1 12/20" in shown
    assert [each["trust"]["word"] for each in clusters_json(summary)] == ["tight", "loose", "mixed with group 1"]
    assert summary.for_page()["groups"][1]["figures"]["found_again"] == 12
    assert summary.for_page()["trust"]["diversity"] == 0.9
