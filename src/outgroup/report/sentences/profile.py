"""Why there are so many groups: what each number does, and what the candidates would merge or split."""

from __future__ import annotations

from typing import Any

from ..facts import Tree
from .wording import counted, figure, listed

_FINEST = ": the smallest groups that neighbours tell apart."
_SHOWN = 4  # merges or splits that a sentence names
FIGURES = ("modularity", "bits", "silhouette", "stability", "coherence", "cosine")

Profile = dict[str, Any]
"""The fields of a `Profile`, as plain data."""


def candidate_lines(profile: Profile, tree: Tree, groups: int) -> list[tuple[int, str]]:
    """What each candidate would do with the groups that were found: its number and a sentence, from few to many."""
    finest = max(profile["points"], key=lambda each: each["bits"])["n_clusters"]
    return [(k, _said(k, tree, groups) + (_FINEST if k == finest > groups else ".")) for k in profile["candidates"]]


def _said(k: int, tree: Tree, groups: int) -> str:
    if k == groups:
        return "these groups"
    if k < groups:
        merges = tree.merges[: groups - k]
        pairs = [f"{each.a} with {each.b}" for each in merges if max(each.a, each.b) < groups]
        return f"would merge {_some(pairs, len(merges))}"
    more, possible = k - groups, [each.group for each in tree.splits]
    if more <= len(possible) and more < groups:
        return f"would split {_some(possible[:more], more)}"
    if len(possible) < groups:  # the others hold one text again and again, or no words
        return f"would split {_some(possible, len(possible))} more than once" if possible else "would split some groups"
    parts = round(k / groups)
    return f"would split every group, {'some of them twice' if parts < 3 else f'into {parts} on average'}"


def _some(parts: list[Any], count: int) -> str:
    shown = [str(part) for part in parts[:_SHOWN]]
    return listed(shown if count <= len(shown) else [*shown, f"{count - len(shown)} more"])


def profile_rows(profile: Profile) -> list[tuple[str, ...]]:
    """A profile as a table: numbers of groups, with a star at the chosen one and a dot at candidates, and figures."""
    sign = dict.fromkeys(profile["candidates"], "·") | {profile["chosen"]: "*"}
    return [
        (f"{sign.get(each['n_clusters'], '')}{each['n_clusters']}", *(figure(each[name], 3) for name in FIGURES))
        for each in profile["points"]
    ]


def profile_line(profile: Profile) -> str:
    """What was tried and chosen, in a sentence."""
    tried = [each["n_clusters"] for each in profile["points"]]
    others = [k for k in profile["candidates"] if k != profile["chosen"]]
    also = f"; also worth a look: {listed(others)}" if others else ""
    by = f"of {min(tried)} to {max(tried)} that were tried on {counted(profile['rows'], 'document')}"
    return f"{profile['chosen']} groups were chosen, {by}{also}.{_why_no_more(profile, tried)}"


def _why_no_more(profile: Profile, tried: list[int]) -> str:
    if profile.get("different"):
        return f" No more than {profile['different']} of the documents are different ones."
    return " More were not tried, and may be better." if profile["chosen"] == max(tried) > min(tried) else ""
