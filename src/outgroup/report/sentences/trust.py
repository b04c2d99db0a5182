"""How far groups can be trusted, in sentences that need no statistics: the same on page, terminal and notebook."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from .wording import counted, empty, figure, listed, percent

Figures = dict[str, Any]
"""The fields of a `GroupTrust`, or of a `Trust`, as plain data."""

_SELDOM = 0.5  # of the fits: a group that fewer of them found is loose because it holds together
_FEW = 50  # times smaller than the average group: nearly empty
_MEANT = {
    "tight": "It comes again and holds together.",
    "loose": "Its core comes again, but documents at its edge could as well be elsewhere.",
    "seldom": "Other fits seldom find it, but its documents hold together: look at those at its edge.",
    "parted": "A decision parted it from group {mixed_with}; these fits know nothing of that, and often put the two "
    "together: look at the documents between them.",
    "leftovers": "It seems to collect what fits nowhere else: do not read it as one topic.",
    "mixed": "Its documents often go with those of group {mixed_with}: compare the two, then merge them or tell them "
    "apart by labels.",
}
GLOSSARY = {
    "tight": "Found again in most fits on parts of the documents, and its documents lie near its centre.",
    "loose": "Found again, or of documents that lie near its centre; those at its edge could as well be elsewhere.",
    "mixed": "Its documents often go with those of another group: the line between the two is not sure.",
    "leftovers": "Seldom found again and of little in common: it collects what fits nowhere else.",
}
"""What the words for a group's trust mean, for those who read one for the first time."""

_SAID = {  # of one group, of several
    "tight": ("is tight", "are tight"),
    "loose": ("is loose", "are loose"),
    "mixed": ("is mixed with another", "are mixed with another"),
    "leftovers": ("collects leftovers", "collect leftovers"),
}


def trust_word(figures: Figures | None) -> str | None:
    """
    >>> trust_word({"word": "mixed", "mixed_with": 7}), trust_word({"word": "tight"}), trust_word(None)
    ('mixed with group 7', 'tight', None)
    """
    if figures is None or figures["word"] is None:
        return None
    return f"mixed with group {figures['mixed_with']}" if figures["word"] == "mixed" else str(figures["word"])


def group_sentences(figures: Figures | None, whole: Figures | None = None) -> list[str]:
    """How far one group can be trusted, and by what.

    Where the `whole` has words that meet less often than by chance, as very short texts have, a group is not told its
    own: it would read like a fault of the group.
    """
    if figures is None or figures["word"] is None:
        return []
    said = [f"Found again in {figures['found_again']} of {figures['fits']} fits on parts of the documents."]
    said.append(_MEANT[_meaning(figures)].format(**figures))
    near, way = figures["silhouette"], "nearer to" if figures["silhouette"] >= 0 else "farther from"
    said.append(f"A document of it is on average {percent(abs(near))} {way} its centre than to the next group's.")
    apart = f"apart from group {figures['nearest']}, the nearest, {figure(figures['apart'])}"
    parts = [f"tightness {figure(figures['tightness'])}", apart]
    if figures["coherence"] is not None and not _seldom_meet(whole):
        parts.append(f"coherence of its words {figure(figures['coherence'])}")
    return [*said, f"{', '.join(parts).capitalize()}."]


def _meaning(figures: Figures) -> str:
    """Return which sentence tells what the word for a group means."""
    word = str(figures["word"])
    if word == "loose" and figures["mixed_with"] is not None:
        return "parted"
    return "seldom" if word == "loose" and figures["found_again"] < _SELDOM * figures["fits"] else word


def trust_lines(trust: Figures) -> list[tuple[str, str]]:
    """How far all groups can be trusted, a head and a sentence each."""
    said = [("Trust", _counts(trust["groups"]))]
    share, way = abs(trust["silhouette"]), "nearer to" if trust["silhouette"] >= 0 else "farther from"
    if len(trust["groups"]) > 1:
        said[0] = ("Trust", f"{said[0][1]} Each was looked for in {trust['fits']} fits on parts of the documents.")
        sentence = f"{figure(trust['silhouette'])}: a document is on average {percent(share)} {way} its own group "
        said.append(("Silhouette", sentence + "than to the next."))
    if trust["coherence"] is not None:
        said.append(("Coherence", f"{figure(trust['coherence'])}: {_meeting(trust)}"))
    if trust["diversity"] is not None and len(trust["groups"]) > 1:
        rest = "no two groups share one" if trust["diversity"] == 1 else "the others stand for several groups"
        said.append(
            ("Diversity", f"{percent(trust['diversity'])} of the groups' first words are different ones; {rest}.")
        )
    return said + [("Note", note) for note in trust["notes"]]


def _counts(groups: Sequence[Figures]) -> str:
    """
    >>> _counts([{"word": "tight", "number": 0}, {"word": "leftovers", "number": 1}])
    'Of 2 groups 1 is tight and 1 collects leftovers (group 1).'
    >>> _counts([{"word": "tight", "number": 0}] * 3)
    'All 3 groups are tight.'
    """
    of = Counter(each["word"] for each in groups)
    if len(groups) == 1:
        return "There is one group alone: nothing to compare it with."
    if len(of) == 1:
        all_of = "Both" if len(groups) == 2 else f"All {len(groups)}"
        return f"{all_of} groups {_SAID[groups[0]['word']][1]}."
    parts = [f"{of[word]} {said[of[word] > 1]}" for word, said in _SAID.items() if of[word]]
    rest = [each["number"] for each in groups if each["word"] == "leftovers"]
    if rest:
        parts[-1] += f" (group{'' if len(rest) == 1 else 's'} {listed(rest)})"
    return f"Of {len(groups)} groups {listed(parts)}."


def _meeting(trust: Figures) -> str:
    if _seldom_meet(trust):
        said = "few of a group's first words stand in one document together (0 would be chance, \u22121 never)."
        return f"{said} That is usual of very short texts, and says nearly nothing of the groups."
    often = "more often than" if trust["coherence"] > 0 else "no more often than"
    return f"the first words of a group meet in documents {often} by chance (0; 1 would be always)."


def _seldom_meet(whole: Figures | None) -> bool:
    return whole is not None and whole["coherence"] is not None and bool(whole["coherence"] < 0)


def nearly_empty(sizes: Sequence[tuple[int, int]]) -> str:
    """Which of the groups, (number, documents), are empty or nearly so, in one sentence; "" where none is.

    >>> nearly_empty([(0, 300), (1, 0), (2, 2)]), nearly_empty([(0, 900), (1, 2), (2, 1)])
    ('Group 1 is empty; group 2 has only 2 documents.', 'Groups 1 and 2 have only 1 or 2 documents each.')
    """
    full = [size for _, size in sizes if size]
    mean = sum(full) / max(len(full), 1)
    few = {number: size for number, size in sizes if size and (_FEW * size <= mean or (size == 1 and mean >= 10))}
    parts = [empty([number for number, size in sizes if not size]).rstrip("."), _small(few)]
    said = "; ".join(filter(None, parts))
    return f"{said[0].upper()}{said[1:]}." if said else ""


def _small(few: dict[int, int]) -> str:
    """
    >>> _small({3: 1}), _small({3: 1, 8: 1})
    ('group 3 has only 1 document', 'groups 3 and 8 have only 1 document each')
    """
    if not few:
        return ""
    least, most = min(few.values()), max(few.values())
    if len(few) == 1:
        return f"group {next(iter(few))} has only {counted(most, 'document')}"
    range_ = "" if least == most else f"{least} {'or' if most == least + 1 else 'to'} "
    return f"groups {listed(list(few))} have only {range_}{counted(most, 'document')} each"
