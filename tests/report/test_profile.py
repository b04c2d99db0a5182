"""How many groups, in words, as a table and as a picture."""

import io

from report_examples import summed
from rich.console import Console

from outgroup.report.html import render
from outgroup.report.terminal import terminal


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


def test_it_is_on_the_page_and_in_the_terminal(given):
    from dataclasses import replace

    summary = replace(summed(**given(30, 3)), profile=profile(candidates=[2, 3, 150]))
    out = io.StringIO()
    terminal(summary, Console(file=out, width=120))
    assert "from 2 to 6" in out.getvalue()
    assert "\n  150 groups would " in out.getvalue()
    page = render(summary)
    assert "How many groups" in page
    assert '<path class="curve c0"' in page
