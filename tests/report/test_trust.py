"""How far groups can be trusted, in words: on the page, in the terminal, and where nobody asked."""

import io

from report_examples import summed
from rich.console import Console

from outgroup.report.html import render
from outgroup.report.terminal import terminal
from outgroup.summary.sentences import group_sentences, nearly_empty, trust_word
from outgroup.summary.summarise import clusters_json, with_trust


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


def test_a_group_says_how_often_it_was_found_and_what_that_means():
    said = " ".join(group_sentences(figures(0, "mixed", mixed_with=7)))
    assert "Found again in 12 of 20 fits" in said
    assert "group 7" in said
    assert "20 % nearer to its centre" in said
    assert trust_word(figures(0, "mixed", mixed_with=7)) == "mixed with group 7"
    assert "farther from" in " ".join(group_sentences(figures(0, "leftovers", silhouette=-0.1)))
    assert "words" not in group_sentences(figures(0, "loose", coherence=None))[-1]


def test_leftovers_are_marked_unless_they_have_a_given_name(given):
    summary = summed(**given(30, 3))
    found = trust(figures(0, "tight"), figures(1, "leftovers"), figures(2, "leftovers"))
    names = [group.name for group in summary.groups]
    marked = with_trust(summary, found, {2})
    assert [group.name for group in marked.groups] == [names[0], f"{names[1]} (mixed)", names[2]]
    assert [group.name for group in with_trust(marked, found, {2}).groups] == [group.name for group in marked.groups]


def test_small_groups_are_named_and_groups_of_a_usual_size_are_not():
    assert nearly_empty([(0, 10), (1, 3)]) == ""
    assert nearly_empty([(0, 600), (1, 600), (2, 5), (3, 1), (4, 0), (5, 0)]) == (
        "Groups 4 and 5 are empty; groups 2 and 3 have only 1 to 5 documents each."
    )
    assert nearly_empty([(0, 600), (7, 1)]) == "Group 7 has only 1 document."
    assert nearly_empty([(0, 1), (1, 1), (2, 2)]) == ""


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


def test_without_trust_the_starts_speak_and_empty_groups_are_named_first(given):
    parts = given(12, 3)
    parts["labels"][:] = 0
    shown = printed(summed(**parts))
    assert shown.startswith("Groups 1 and 2 are empty.")
    assert "Starts" in shown
    assert "trust" not in clusters_json(summed(**parts))[0]
