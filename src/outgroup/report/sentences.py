"""Figures in sentences, the same on page, terminal and notebook."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..types import Array
from .clean import clean
from .facts import By, OffTopicFacts, Receipt, Summary, ThresholdFacts, Tree

# --- How figures are put into words, the same on page and terminal

_SMALL = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
MEANINGS = {
    "Stability": "How far other starts of the fit agree with the one that was kept: 1 is fully, 0 no more than chance.",
    "Tight groups": "Groups that were found again in at least three of four fits on parts of the documents, and hold "
    "together.",
    "Accuracy": "The share of documents whose group is matched with their label; each group is matched with one label.",
    "NMI": "Normalised mutual information: how much the groups tell of the labels, from 0 to 1.",
    "Adjusted Rand": "Pairs of documents that groups and labels keep together or apart alike: 1 is all, 0 is chance.",
    "Off-topic": "Documents that look like the off-topic examples more than like any group.",
    "Skipped": "Documents that are in no result, each with its reason.",
    "Same text": "Sets of documents with exactly the same text; all were kept.",
}
"""What the figures at the top of the page mean."""
_STABILITY = [
    (0.9, "other starts end in nearly the same groups, which does not say that these are right"),
    (0.7, "other starts end in much the same groups, with some documents elsewhere"),
    (0.4, "other starts put many documents elsewhere; more starts or another number of groups may help"),
    (-1.0, "other starts find other groups; do not lean on these without a second look"),
]


def counted(n: int, one: str) -> str:
    """
    >>> counted(1, "group"), counted(1200, "document")
    ('1 group', '1,200 documents')
    """
    return f"{n:,} {one}{'' if n == 1 else 's'}"


def figure(value: float | None, digits: int = 2) -> str:
    """A number for people: fixed digits, a true minus, a dash where there is none."""
    if value is None or not math.isfinite(value):
        return "–"
    shown = f"{round(value, digits) + 0.0:,.{digits}f}" if abs(value) < 1e15 else f"{value:.{digits}e}"
    return shown.replace("-", "−")


def digits(values: Iterable[float | None]) -> int:
    """How many decimals show two digits of the largest of `values`.

    >>> digits([0.031, None, 0.004])
    3
    """
    largest = max((abs(value) for value in values if value is not None), default=0.0)
    return 2 if largest == 0.0 else min(8, max(2, 1 - math.floor(math.log10(largest))))


def percent(share: float) -> str:
    """
    >>> percent(0.256), percent(0.004), percent(0.0)
    ('26 %', '0.4 %', '0 %')
    """
    return f"{100 * share:.1f} %" if 0 < share < 0.01 else f"{100 * share:.0f} %"


UNTOLD = "cannot be told"


def expected(share: float | None, low: float | None = None, high: float | None = None) -> str:
    """What to expect: a share, or from what to what it lies where it is not known more closely.

    >>> expected(0.9), expected(None, 0.6, 0.95), expected(None)
    ('90 %', '60 to 95 %', 'cannot be told')
    """
    if share is not None:
        return percent(share)
    if low is None or high is None:
        return UNTOLD
    return f"{percent(low).removesuffix(' %')} to {percent(high)}"


def when(date: str) -> str:
    """
    >>> when("2026-05-01T08:30+02:00"), when("1 May")
    ('2026-05-01 08:30', '1 May')
    """
    return date[:16].replace("T", " ") if re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d", date) else date


def empty(numbers: list[int]) -> str:
    """
    >>> empty([3]), empty([1, 2, 5])
    ('Group 3 is empty.', 'Groups 1, 2 and 5 are empty.')
    """
    if len(numbers) < 2:
        return f"Group {numbers[0]} is empty." if numbers else ""
    return f"Groups {listed(numbers)} are empty."


def listed(parts: Sequence[Any]) -> str:
    """
    >>> listed([1, 2, 5]), listed(["one"])
    ('1, 2 and 5', 'one')
    """
    said = [str(part) for part in parts]
    return " and ".join(filter(None, [", ".join(said[:-1]), *said[-1:]]))


def stability(summary: Summary) -> str:
    """How far the result can be trusted to come again, in a sentence."""
    n, value = len(summary.restarts), summary.stability
    if len(summary.groups) == 1:
        return "One group of all documents is what every start finds."
    if value is None and summary.trust is not None:
        return (
            f"There was one start. Each group was looked for in {summary.trust['fits']} fits on parts of the documents."
        )
    if value is None:
        return "There was one start, so the stability of the groups is unknown."
    who = f"{_SMALL[n] if 1 < n < len(_SMALL) else n} restarts agree" if n > 1 else "the restarts agree"
    meaning = next(words for least, words in _STABILITY if value >= least or least < 0)
    return f"{who[0].upper()}{who[1:]} at {figure(value)}: {meaning}."


def same_text(summary: Summary) -> str:
    """How many documents have exactly the same text as another one."""
    documents, texts = sum(map(len, summary.duplicates)), len(summary.duplicates)
    return f"{counted(documents, 'document')} share {counted(texts, 'text')}" if texts else ""


def certificate(last: dict[str, Any]) -> str:
    """How well the fit's last step was solved, in a sentence."""
    said = f"The kept result ends at an objective of {figure(last.get('objective'), 4)}"
    gap = last.get("gap")
    return said + (f"; its last step was solved to a proven gap of {gap:.1g}." if gap is not None else ".")


def universum(summary: Summary) -> str | None:
    """What the Universum was, or None."""
    if not summary.universum or not summary.universum.get("count"):
        return None
    source = summary.universum.get("source")
    return counted(summary.universum["count"], "off-topic example") + (f" from {source}" if source else "")


# --- What the off-topic verdicts promise, and what to do about them, in sentences: the same on page and terminal

_ENOUGH = 0.75  # of the off-topic documents that there seem to be: then no more is asked for
FROM = 10  # examples for a verdict
ALL_FROM = 50  # examples for a threshold that takes out more than its rate
_DOUBTFUL = 0.5  # expected share of right verdicts below which they need a second look


def found(summary: Summary) -> str:
    """How many documents are off-topic, whether they are still in groups, and what of it a person decided."""
    off_topic = summary.off_topic
    back = "" if off_topic is None else _given_back(off_topic)
    if off_topic is None or off_topic.count == 0:
        return f"No document was {'set aside as' if back else 'found to be'} off-topic.{back}"
    aside = summary.n_aside if off_topic.aside else off_topic.count
    what = "set aside" if off_topic.aside else "flagged"
    said = f"{aside:,} of {summary.n_documents:,} documents ({percent(aside / summary.n_documents)})"
    said = f"{said} {_were(aside)} {what} as off-topic{_by_whom(off_topic.thrown_away, aside)}.{back}"
    others = off_topic.count - aside
    return f"{said} {others:,} more {_were(others)} flagged, and left in the groups." if others else said


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def _by_whom(thrown: int, aside: int) -> str:
    """Say how many of the documents that are set aside a person threw away; "" for none.

    >>> _by_whom(3, 12), _by_whom(3, 3)
    (": 3 by a person's decisions, 9 by the threshold", ", by a person's decisions")
    """
    if thrown in (0, aside):
        return ", by a person's decisions" if thrown else ""
    return f": {thrown:,} by a person's decisions, {aside - thrown:,} by the threshold"


def _given_back(off_topic: OffTopicFacts) -> str:
    """Say why the threshold flags more than it sets aside; "" where it does not."""
    back = off_topic.taken_back
    if off_topic.used is None or not back:
        return ""
    said = f" The threshold flags {off_topic.used.flagged:,}, but {back:,} of these"
    return f"{said} {_were(back)} given to a group by a person's decisions."


def taking_back(summary: Summary) -> str:
    """How to undo it for one document, or for all; empty where nothing was set aside."""
    if summary.off_topic is None or not summary.off_topic.aside or not summary.off_topic.count:
        return ""
    return (
        "To take one back, press y on it in the workbench, or in report.html, which saves a steering.toml for "
        "--from RESULT --steer: a labelled document is never set aside. --keep-off-topic leaves those that the "
        "threshold flags in their groups."
    )


def promise(used: ThresholdFacts) -> str:
    """What a threshold promises, and on what condition."""
    rate, mistaken = percent(used.rate), "of the on-topic documents are flagged by mistake"
    if used.method == "conformal":
        unconditional = "whatever the off-topic ones are like: so hardly more than that share of all can be flagged"
        return f"At most {rate} {mistaken}, {unconditional}."
    condition = "if the off-topic ones among the documents are like the examples"
    return f"By estimate at most {rate} {mistaken}, {condition}: no guarantee."


def advice(summary: Summary) -> str:
    """How much of the collection looks off-topic, and what to do where the threshold in force flags far less or more.

    Empty where nothing was looked for.
    """
    used = summary.off_topic.used if summary.off_topic else None
    if summary.off_topic is None or used is None:
        return ""
    if used.share is None and used.share_high is None:
        return _too_few(summary.off_topic, used)
    flagged = used.flagged / summary.n_documents
    looks = f"{_about(used)} of the collection looks off-topic"
    if used.share is not None and flagged < _ENOUGH * used.share:
        return (
            f"{looks}, but only {percent(flagged)} was flagged. {_more(summary.off_topic, used, summary.n_documents)}"
        )
    if used.precision is not None and used.precision < _DOUBTFUL:
        lower = f"--off-topic-rate {used.rate / 2:g}"
        return f"{looks}, and {percent(flagged)} was flagged: look at them before you leave any out, or try {lower}."
    return f"{looks}, and {percent(flagged)} was flagged. {_sureness(used)}".rstrip()


def _too_few(off_topic: OffTopicFacts, used: ThresholdFacts) -> str:
    """Why nothing can be told of how much is off-topic, and what would help."""
    if used.value is None:
        return f"Fewer than {FROM} examples set nothing aside: give {FROM} at least, better {ALL_FROM}."
    untold = "How much of the collection is off-topic cannot be told"
    if off_topic.thrown_away:
        return f"{untold} by documents that a person picked: give others as --universum, better {ALL_FROM}."
    return f"{untold} by so few examples: give 20 or more, better {ALL_FROM}."


def _about(used: ThresholdFacts) -> str:
    if used.share is not None:
        return f"About {percent(used.share)}"
    return expected(None, used.share_low, used.share_high)


def _sureness(used: ThresholdFacts) -> str:
    """How many of the verdicts are right by estimate, and how much of what is like the examples they reach."""
    if not used.flagged:
        return ""
    right = expected(used.precision, used.precision_low, used.precision_high)
    if right == UNTOLD:
        right = "How many of these are right cannot be told: look at the least sure."
    else:
        right = f"By estimate {right} of these are right."
    reached = expected(used.recall, used.recall_low, used.recall_high)
    return right if reached == UNTOLD else f"{right} Of what is like the examples, {reached} is flagged."


def _more(off_topic: OffTopicFacts, used: ThresholdFacts, n: int) -> str:
    """How to find more: by the other threshold if it flags more, else by a higher rate."""
    most = max(off_topic.thresholds, key=lambda each: each.flagged)
    if most.flagged > used.flagged:
        return f"To flag {percent(most.flagged / n)}, run again with --off-topic-threshold {most.method}."
    few = all(each.method == "conformal" for each in off_topic.thresholds)
    enough = f"{ALL_FROM} examples or more, by which all goes out that is likely junk" if few else "more examples"
    return f"Give {enough}, or allow more mistakes, such as with --off-topic-rate {min(0.5, 2 * used.rate):g}."


# --- How far groups can be trusted, in sentences that need no statistics: the same on page, terminal and notebook

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


# --- Why there are so many groups: what each number does, and what the candidates would merge or split

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


# --- Groups over time, or by a category: what their counts say in one line

_FEWEST = 10  # documents of a half, a category or a column, for a share of them to be told


def by_line(summary: Summary) -> str:
    """Return what stands out: the group that grew most over time, or that is most of one category."""
    by = summary.by
    if by is None or not by.labels:
        return "" if by is None else by.wrong
    parts = [_over_time(by, summary) if by.unit else _by_category(by, summary), by.wrong]
    return " ".join(part for part in parts if part)


def by_table(summary: Summary) -> dict[str, Any] | None:
    """Return what a page shows of it: a head, the line, and each group's counts with how dark each is.

    That is its share of the column, as if a column had ten documents at least: of one document it would be the darkest.
    """
    if summary.by is None or not summary.by.labels:
        return None
    totals = [sum(column) for column in zip(*summary.by.counts, strict=True)]
    rows = [
        (group, [(count, count / max(total, _FEWEST)) for count, total in zip(counts, totals, strict=True)])
        for group, counts in zip(summary.groups, summary.by.counts, strict=True)
    ]
    head = "Over time" if summary.by.unit else f"By {summary.by.column}"
    few = f"; where that has fewer than {_FEWEST} documents, its share of {_FEWEST}" if min(totals) < _FEWEST else ""
    shade = f"A cell's shade is the group's share of its column{few}."
    return {"head": head, "line": by_line(summary), "shade": shade, "rows": rows}


def _over_time(by: By, summary: Summary) -> str:
    counts = np.array(by.counts)
    span = f"By {by.unit} of {by.column}, {by.labels[0]} to {by.labels[-1]}."
    half = _half(counts.sum(axis=0))
    before, after = counts[:, :half].sum(axis=1), counts[:, half:].sum(axis=1)
    if min(before.sum(), after.sum()) < _FEWEST:
        return span
    change = after / after.sum() - before / before.sum()
    best = int(change.argmax())
    if change[best] <= 0:
        return span
    early, late = percent(before[best] / before.sum()), percent(after[best] / after.sum())
    name = summary.groups[best].name
    return f"{span} Grew most: {name} ({early} of the first half, {late} of the second)."


def _half(totals: Array) -> int:
    """Return how many periods hold the first half of the documents: at least one, and not all."""
    reached = int(np.searchsorted(np.cumsum(totals), totals.sum() / 2)) + 1
    return max(1, min(reached, len(totals) - 1))


def _by_category(by: By, summary: Summary) -> str:
    counts = np.array(by.counts, dtype=float)
    totals = counts.sum(axis=0)
    said = f"By {by.column}: {counted(len(by.labels), 'value')}."
    if not (totals >= _FEWEST).any() or len(by.labels) < 2:
        return said
    lead = counts / np.maximum(totals, 1) - counts.sum(axis=1, keepdims=True) / max(1, totals.sum())
    lead[:, totals < _FEWEST] = -1
    group, value = np.unravel_index(int(lead.argmax()), lead.shape)
    share = percent(counts[group, value] / totals[value])
    overall = percent(counts[group].sum() / totals.sum())
    name = summary.groups[int(group)].name
    return f"{said} Stands out: {name} is {share} of {by.labels[int(value)]} ({overall} of all)."


# --- The steering receipt in words

_RECEIPT_SHOWN = 5  # documents or words that a line names


def receipt_lines(given: Receipt) -> list[tuple[str, str]]:
    """Return the receipt in words, as heads and sentences, for a terminal or a page."""
    lines = []
    if given.documents:
        lines.append(("Seeds", _documents_said(given)))
    if given.words:
        lines.append(("Words", _words_said(given)))
    if given.contradictions:
        shown = "; ".join(given.contradictions[:_RECEIPT_SHOWN]) + (
            "; ..." if len(given.contradictions) > _RECEIPT_SHOWN else ""
        )
        lines.append(("At odds", shown))
    if given.changed is not None:
        lines.append(("Steering", _change_said(given)))
    return [(head, clean(said)) for head, said in lines]


def _documents_said(given: Receipt) -> str:
    lost = [each for each in given.documents if each.ended != each.group]
    said = f"{given.honoured} of {counted(len(given.documents), 'labelled document')} ended in their group"
    named = [f"{each.id} ({given.names[each.group]}) in {given.names[each.ended]}" for each in lost[:_RECEIPT_SHOWN]]
    return said + (f"; elsewhere: {', '.join(named)}{', ...' if len(lost) > _RECEIPT_SHOWN else ''}" if lost else "")


def _words_said(given: Receipt) -> str:
    best = sorted(given.words, key=lambda each: (each.place, each.group))
    named = [
        f"{each.word} ({given.names[each.group]}: no. {each.place}, in {each.ended} of its {each.documents})"
        for each in best[:_RECEIPT_SHOWN]
    ]
    weak = sum(each.weight <= 0 for each in given.words)
    said = f"{counted(len(given.words), 'labelled word')}, the strongest: {', '.join(named)}"
    return said + (f"; {weak} speak against their group" if weak else "")


def _change_said(given: Receipt) -> str:
    said = (
        f"{given.changed} of {counted(given.n_documents, 'document')} changed group against the same run without seeds"
    )
    if given.objective is None or given.objective_without is None:
        return said
    return f"{said}; the objective is {figure(given.objective, 3)}, and was {figure(given.objective_without, 3)}"
