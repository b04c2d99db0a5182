"""How many groups, in words, as a table and as a picture."""

import io

from report_examples import summed
from rich.console import Console

from outgroup.report.html import picture, render
from outgroup.report.terminal import terminal
from outgroup.summary.records import GroupSplit, Merging, Tree
from outgroup.summary.sentences import candidate_lines

TREE = Tree([Merging(0, 2, 0.1), Merging(1, 3, 0.2)], [GroupSplit(1, 0.2, [3, 3], [[], []])])


def profile(**changes):
    points = [
        {
            "n_clusters": k,
            "modularity": 0.3,
            "bits": 0.1 * k,
            "cosine": 0.1 * k,
            "stability": 0.5,
            "silhouette": 0.2 - 0.01 * k,
        }
        | {"coherence": None}
        for k in range(2, 7)
    ]
    return {"points": points, "candidates": [2, 3, 4, 6], "chosen": 3, "rows": 30} | changes


def test_candidates_say_what_they_would_merge_or_split():
    every = Tree(TREE.merges, [GroupSplit(group, 0.2, [3, 3], [[], []]) for group in (1, 0, 2)])
    said = dict(candidate_lines(profile(), every, ["tea", "", "trains"]))
    assert said[2].endswith("; would merge tea with trains.")
    assert said[3] == "between the others; these groups."
    assert said[4] == "would split 1."
    assert said[6].endswith("; would split every group, some groups twice.")
    assert dict(candidate_lines(profile(), every, ["", "", ""]))[3].endswith("these groups.")
    points = [*profile()["points"], profile()["points"][-1] | {"n_clusters": 10}]
    [_, (_, many)] = candidate_lines(profile(points=points, candidates=[3, 10]), every, ["", "", ""])
    assert many.endswith("would split every group, into 3 on average.")


def test_candidates_say_by_which_criterion_they_are_the_best():
    few = [
        each | {"stability": 0.1 * (each["n_clusters"] == 3), "modularity": -each["n_clusters"]}
        for each in profile()["points"]
    ]
    said = dict(candidate_lines(profile(points=few, candidates=[2, 3, 6]), TREE, ["tea", "rye", "trains"]))
    assert [k for k in said if said[k].startswith("most stable; ")] == [3]
    assert [k for k in said if "clearest borders" in said[k]] == [2]
    assert [k for k in said if "smallest groups" in said[k]] == [6]


def test_the_picture_leaves_out_what_is_not_known_and_stays_inside():
    drawn = picture(profile())
    assert [curve.name for curve in drawn.curves] == ["modularity", "bits", "silhouette", "stability", "cosine"]
    assert all(0 <= x <= 640 and 0 <= y <= 240 for curve in drawn.curves for x, y, _ in curve.points)
    assert [(k, chosen) for _, k, chosen in drawn.candidates if chosen] == [(3, True)]


def test_it_is_on_the_page_and_in_the_terminal(given):
    from dataclasses import replace

    summary = replace(summed(**given(30, 3)), profile=profile(candidates=[2, 3, 6]))
    out = io.StringIO()
    terminal(summary, Console(file=out, width=120))
    assert "from 2 to 6" in out.getvalue()
    assert "\n  6 groups " in out.getvalue()
    page = render(summary)
    assert "How many groups" in page
    assert '<path class="curve c0"' in page
