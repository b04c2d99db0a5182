"""How many groups, in words, as a table and as a picture."""

from dataclasses import replace

from report_examples import printed, summed

from outgroup.report.html import render
from outgroup.summary.sentences import candidate_lines


def profile(**changes):
    points = [{"n_clusters": k, "modularity": 0.3, "bits": 0.1 * k, "stability": 0.5} for k in range(2, 7)]
    return {"points": points, "candidates": [2, 3, 4, 6], "chosen": 3, "rows": 30} | changes


def test_candidates_say_by_which_criterion_they_are_the_best():
    few = [
        each | {"stability": 0.1 * (each["n_clusters"] == 3), "modularity": -each["n_clusters"]}
        for each in profile()["points"]
    ]
    said = dict(candidate_lines(profile(points=few, candidates=[2, 3, 6])))
    assert [k for k in said if said[k].startswith("most stable")] == [3]
    assert [k for k in said if "clearest borders" in said[k]] == [2]
    assert [k for k in said if "smallest groups" in said[k]] == [6]


def test_it_is_on_the_page_and_in_the_terminal(given):
    summary = replace(summed(**given(30, 3)), profile=profile(candidates=[2, 3, 6]))
    assert "\n  6 groups " in printed(summary)
    assert "every number tried (5)" in render(summary)
