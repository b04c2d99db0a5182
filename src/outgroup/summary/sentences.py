"""Sentences about figures, shared by page, terminal and notebook."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import counted, listed, percent
from ..types import Array
from .records import By, Group, Summary, ThresholdFacts

# --- Figures in words


def figure(value: float | None, digits: int = 2) -> str:
    """Format a number with fixed digits and a true minus sign; None, NaN and infinity give a dash."""
    if value is None or not math.isfinite(value):
        return "–"
    shown = f"{round(value, digits) + 0.0:,.{digits}f}" if abs(value) < 1e15 else f"{value:.{digits}e}"
    return shown.replace("-", "−")


def digits(values: Iterable[float | None]) -> int:
    """Return the number of decimals that shows two significant digits of the largest value.

    >>> digits([0.031, None, 0.004])
    3
    """
    largest = max((abs(value) for value in values if value is not None), default=0.0)
    return 2 if largest == 0.0 else min(8, max(2, 1 - math.floor(math.log10(largest))))


UNKNOWN = "unknown"


def expected(share: float | None, low: float | None = None, high: float | None = None) -> str:
    """Format an expected share: a value, an interval, or "unknown".

    >>> expected(0.9), expected(None, 0.6, 0.95), expected(None)
    ('90 %', '60 to 95 %', 'unknown')
    """
    if share is not None:
        return percent(share)
    if low is None or high is None:
        return UNKNOWN
    return f"{percent(low).removesuffix(' %')} to {percent(high)}"


def when(date: str) -> str:
    """
    >>> when("2026-05-01T08:30+02:00"), when("1 May")
    ('2026-05-01 08:30', '1 May')
    """
    return date[:16].replace("T", " ") if re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d", date) else date


_GROUPS = re.compile(r"“[^”]*”|\b[Gg]roups? \d+(?:(?:, | and )\d+)*")


def in_codes(text: str, codes: Mapping[int, int]) -> str:
    """Return a sentence with the codes of groups in place of their numbers; quoted text stays.

    >>> in_codes("Groups 1 and 2 have only 3 documents each.", {1: 12, 2: 20})
    'Groups 12 and 20 have only 3 documents each.'
    >>> in_codes("Group 1: “in group 1”", {1: 12})
    'Group 12: “in group 1”'
    """

    def coded(numbers: re.Match[str]) -> str:
        if numbers[0].startswith("“"):
            return numbers[0]
        return re.sub(r"\d+", lambda number: str(codes.get(int(number[0]), number[0])), numbers[0])

    return _GROUPS.sub(coded, text) if codes else text


def with_codes(summary: Summary) -> Summary:
    """Return the summary with codes of groups in its sentences."""
    codes, groups = summary.codes, []
    for group in summary.groups:
        sentences = [in_codes(sentence, codes) for sentence in group.sentences]
        groups.append(replace(group, trust=group.trust and in_codes(group.trust, codes), sentences=sentences))
    changes = [(head, in_codes(text, codes)) for head, text in summary.changes]
    return replace(summary, groups=groups, changes=changes)


def same_text(summary: Summary) -> str:
    """Return a sentence with the numbers of duplicates and near-duplicates; "" if there are none."""
    documents, texts = sum(map(len, summary.duplicates)), len(summary.duplicates)
    near, kinds = sum(map(len, summary.near_duplicates)), len(summary.near_duplicates)
    exact = f"{counted(documents, 'document')} share {counted(texts, 'text')}" if texts else ""
    nearly = f"{counted(near, 'document')} share {counted(kinds, 'text')}, apart from case, digits and punctuation"
    return "; ".join(filter(None, [exact, nearly if kinds else ""]))


def amount(summary: Summary, head: int, cut: int, left: Sequence[str]) -> str:
    """State how much text a page has: `cut` texts are cut to `head` characters, and the columns `left` are left out."""
    n, of = len(summary.documents), summary.run.get("sample_of") or 0
    if of > n:
        return (
            f"A sample: {n:,} documents drawn at random from {of:,}. Sizes on this page are those of the sample; the "
            "figures of groups refer to all documents."
        )
    full = f"{n - cut:,} in full; of the other {cut:,} the first {head} letters." if cut else "in full."
    without = f" Of their columns {', '.join(left)} {'is' if len(left) == 1 else 'are'} not." if left else ""
    return f"This file has all {n:,} documents, {full}{without}"


def pocket_line(summary: Summary) -> str:
    """Describe the clearest pocket, and count the others; "" if there are none."""
    if not summary.pockets:
        return ""
    first, rest = summary.pockets[0], len(summary.pockets) - 1
    words = ", ".join(first.words[:6]) or "no words"
    example = " ".join(first.examples[0].split())[:40].rstrip()
    more = f"; {counted(rest, 'more such pocket')} in report.html" if rest else ""
    return f"{counted(len(first.documents), 'document')} far from all others: {words}; such as “{example}”{more}"


def repeated(summary: Summary) -> str:
    """Describe lines that occur in many documents; "" if there are none."""
    if not summary.repeated_lines:
        return ""
    line, count = summary.repeated_lines[0]
    rest = len(summary.repeated_lines) - 1
    text = f"“{line[:60]}” occurs in {count:,} of {counted(summary.n_documents, 'document')}"
    text += f", and {counted(rest, 'more line')} in many" if rest else ""
    return f"{text}; in Python, Vectorizer(drop_repeated_lines=True) ignores such lines"


# --- Off-topic verdicts in sentences


FEWEST_EXAMPLES = 10  # for a verdict
MIXTURE_EXAMPLES = 50  # for a threshold that may flag more than its rate
_NEARLY_EMPTY = 50  # times smaller than the average group
_SHARE_OF = 10  # documents of a half, a category or a column, to state a share
SHADE = f"The shade of a cell is its share of the column’s total, or of {_SHARE_OF} if the total is smaller."
_CHANCE = 0.05  # p of a chi-square test; from here on, no group is named


def found(summary: Summary) -> str:
    """Count the off-topic documents: set aside, only flagged, and decided by the user."""
    if (off_topic := summary.off_topic) is None:
        return "No document was found to be off-topic."
    used, kept, back = off_topic.threshold, off_topic.taken_back, ""
    if used is not None and kept:  # by decisions
        back = f" The threshold flags {used.flagged:,} documents; decisions keep {kept:,} of these in a group."
    if off_topic.count == 0:
        return f"No document was {'set aside as' if back else 'found to be'} off-topic.{back}"
    aside = summary.n_aside if off_topic.aside else off_topic.count
    what = "set aside" if off_topic.aside else "flagged"
    line = f"{aside:,} of {summary.n_documents:,} documents ({percent(aside / summary.n_documents)})"
    line = f"{line} {_were(aside)} {what} as off-topic{_causes(off_topic.discarded, aside)}.{back}"
    others = off_topic.count - aside
    return f"{line} {others:,} more {_were(others)} flagged and stay in their groups." if others else line


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def _causes(thrown: int, aside: int) -> str:
    """Count the documents set aside by cause: decisions or threshold; "" without decisions.

    >>> _causes(3, 12), _causes(3, 3)
    (': 3 by decisions, 9 by the threshold', ', by decisions')
    """
    if thrown in (0, aside):
        return ", by decisions" if thrown else ""
    return f": {thrown:,} by decisions, {aside - thrown:,} by the threshold"


def taking_back(summary: Summary) -> str:
    """Explain how to undo setting aside one or all documents; "" if none is set aside."""
    if summary.off_topic is None or not summary.off_topic.aside or not summary.off_topic.count:
        return ""
    return (
        "To put a document back into its group, press y on it in the workbench or in report.html, then run again "
        "with --from RESULT --steer steering.toml; labelled documents are never set aside."
    )


def promise(used: ThresholdFacts | None) -> str:
    """State the guarantee of a threshold, and its condition; "" without a threshold that a document can exceed."""
    if used is None or used.value is None:
        return ""
    rate, mistaken = percent(used.rate), "of the on-topic documents are flagged by mistake"
    if used.method == "conformal":
        unconditional = "for any kind of off-topic document, so little more than this share of all documents is flagged"
        return f"At most {rate} {mistaken}, {unconditional}."
    condition = "if the off-topic documents resemble the examples"
    return f"At most {rate} {mistaken}, {condition}; this is an estimate, not a guarantee."


def advice(summary: Summary) -> str:
    """Compare the estimated with the flagged off-topic share; suggest options if they differ, and more examples if
    there are few.

    Return "" if the run had no off-topic verdicts.
    """
    off_topic = summary.off_topic
    if off_topic is None or (used := off_topic.threshold) is None:
        return ""
    least, better = FEWEST_EXAMPLES, MIXTURE_EXAMPLES
    if used.value is None:
        return f"Fewer than {least} examples set no document aside: give at least {least}, preferably {better}."
    looks = f"{_about(used)} of the collection looks off-topic"
    flagged = used.flagged / summary.n_documents
    if used.share is None and used.share_high is None:
        line = "The off-topic share is unknown with so few examples."
        if off_topic.discarded:
            line = "The off-topic share is unknown, because the examples were chosen, not drawn at random."
    elif used.share is not None and flagged < 0.75 * used.share:
        line = f"{looks}, but only {percent(flagged)} was flagged."
    elif used.precision is not None and used.precision < 0.5:
        line = f"{looks}, and {percent(flagged)} was flagged: check these documents before you remove them."
    else:
        line = f"{looks}, and {percent(flagged)} was flagged. {_precision_recall(used)}".rstrip()
    count = (summary.universum or {}).get("count") or 0
    if not 0 < count < better:
        return line
    return f"{line} Few examples find only some off-topic documents: give a random sample of {better} or more."


def _about(used: ThresholdFacts) -> str:
    if used.share is not None:
        return f"About {percent(used.share)}"
    return expected(None, used.share_low, used.share_high)


def _precision_recall(used: ThresholdFacts) -> str:
    """State the estimated precision and recall of the threshold."""
    if not used.flagged:
        return ""
    right = expected(used.precision, used.precision_low, used.precision_high)
    if right == UNKNOWN:
        right = "The precision is unknown: check the flagged documents with the lowest scores."
    else:
        right = f"An estimated {right} of these are off-topic."
    reached = expected(used.recall, used.recall_low, used.recall_high)
    return (
        right
        if reached == UNKNOWN
        else f"{right} An estimated {reached} of the documents similar to the examples are flagged."
    )


# --- Trust in groups, in sentences

Figures = dict[str, Any]
"""The fields of a `GroupTrust`, or of a `Trust`, as plain data."""

GLOSSARY = {
    "tight": "Most fits on samples find the group again, and its documents are near its centre.",
    "loose": "The group is stable or coherent, but not both; documents at its edge could belong to other groups.",
    "mixed": "Other fits often put documents of this group in one other group: the border between both is uncertain.",
    "leftovers": "Fits seldom find the group again, and it is not coherent: it collects documents that fit no other "
    "group.",
}
"""Meaning of each trust word."""
_WITH_ANOTHER = {
    "mixed": "Other fits often put documents of this group in group {mixed_with}: compare both groups, then merge "
    "them, or separate them by labels.",
    "loose": "A decision separated this group from group {mixed_with}. Fits without the decision often join both: "
    "check the documents between them.",
}

_VERBS = {  # singular, plural
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
    """Return sentences about the stability and coherence of a group.

    Omit the coherence of words if that of the `whole` is negative, as in very short texts.
    """
    if figures is None or figures["word"] is None:
        return []
    lines = [f"Found again in {figures['found_again']} of {figures['fits']} fits on samples."]
    meant = GLOSSARY if figures["mixed_with"] is None else GLOSSARY | _WITH_ANOTHER
    lines.append(meant[figures["word"]].format(**figures))
    near, way = figures["silhouette"], "nearer to" if figures["silhouette"] >= 0 else "farther from"
    lines.append(f"On average a document is {percent(abs(near))} {way} its centre than to the next group's.")
    apart = f"separation from group {figures['nearest']}, the nearest, {figure(figures['apart'])}"
    parts = [f"tightness {figure(figures['tightness'])}", apart]
    if figures["coherence"] is not None and not _seldom_meet(whole):
        parts.append(f"coherence of its words {figure(figures['coherence'])}")
    return [*lines, f"{', '.join(parts).capitalize()}."]


def trust_lines(summary: Summary) -> list[tuple[str, str]]:
    """Return headings and sentences about the trust in all groups; [] without it."""
    if (trust := summary.trust) is None:
        return []
    lines = [("Trust", in_codes(_counts(trust["groups"]), summary.codes))]
    share, way = abs(trust["silhouette"]), "nearer to" if trust["silhouette"] >= 0 else "farther from"
    if len(trust["groups"]) > 1:
        lines[0] = ("Trust", f"{lines[0][1]} Tested by {trust['fits']} fits on samples.")
        sentence = f"{figure(trust['silhouette'])}: a document is on average {percent(share)} {way} its own group "
        lines.append(("Silhouette", sentence + "than to the next."))
    if trust["coherence"] is not None:
        lines.append(("Coherence", f"{figure(trust['coherence'])}: {_meeting(trust)}"))
    if trust["diversity"] is not None and len(trust["groups"]) > 1:
        rest = "no two groups share a word" if trust["diversity"] == 1 else "the other words occur in several groups"
        lines.append(("Diversity", f"{percent(trust['diversity'])} of the groups' first words are distinct; {rest}."))
    return lines + [("Note", note) for note in trust["notes"]]


def _counts(groups: Sequence[Figures]) -> str:
    """
    >>> _counts([{"word": "tight", "number": 0}, {"word": "leftovers", "number": 1}])
    'Of 2 groups, 1 is tight and 1 collects leftovers (group 1).'
    >>> _counts([{"word": "tight", "number": 0}] * 3)
    'All 3 groups are tight.'
    """
    of = Counter(group["word"] for group in groups)
    if len(groups) == 1:
        return "There is only one group."
    if len(of) == 1:
        all_of = "Both" if len(groups) == 2 else f"All {len(groups)}"
        return f"{all_of} groups {_VERBS[groups[0]['word']][1]}."
    parts = [f"{of[word]} {verbs[of[word] > 1]}" for word, verbs in _VERBS.items() if of[word]]
    rest = [group["number"] for group in groups if group["word"] == "leftovers"]
    if rest:
        parts[-1] += f" (group{'' if len(rest) == 1 else 's'} {listed(rest)})"
    return f"Of {len(groups)} groups, {listed(parts)}."


def _meeting(trust: Figures) -> str:
    if _seldom_meet(trust):
        rarely = "the first words of a group rarely occur in the same document (0 is chance, \u22121 is never)."
        return f"{rarely} This is usual for very short texts, and does not mean that the groups are bad."
    often = "more often than" if trust["coherence"] > 0 else "no more often than"
    return f"the first words of a group occur in the same document {often} by chance (0 is chance, 1 is always)."


def _seldom_meet(whole: Figures | None) -> bool:
    return whole is not None and whole["coherence"] is not None and bool(whole["coherence"] < 0)


def nearly_empty(summary: Summary) -> str:
    """Name the empty and nearly empty groups; "" if there are none."""
    sizes = {summary.code(group.number): group.size for group in summary.groups if not group.gone}
    mean = sum(sizes.values()) / max(sum(map(bool, sizes.values())), 1)
    none = [number for number, size in sizes.items() if not size]
    few = {n: size for n, size in sizes.items() if 0 < _NEARLY_EMPTY * size <= mean or size == 1 <= mean / 10}
    parts = [f"{_numbered(none)} {'is' if len(none) == 1 else 'are'} empty."] * bool(none)
    if few:
        most = counted(max(few.values()), "document")
        parts.append(f"{_numbered([*few])} {f'has only {most}' if len(few) == 1 else f'have at most {most} each'}.")
    return " ".join(parts)


def _numbered(groups: list[int]) -> str:
    """
    >>> _numbered([3]), _numbered([1, 2, 5])
    ('Group 3', 'Groups 1, 2 and 5')
    """
    return f"Group{'s' * (len(groups) > 1)} {listed(groups)}"


# --- The choice of the number of groups

_REASONS = {
    "stability": "most stable",
    "modularity": "clearest borders",
    "bits": "smallest groups that the neighbour graph supports",
}
FIGURES = ("modularity", "bits", "stability")

Profile = dict[str, Any]
"""The fields of a `Profile`, as plain data."""


def candidate_lines(profile: Profile) -> list[tuple[int, str]]:
    """Return each candidate number with the criteria by which it is the best of them, in ascending order."""
    best = {name: _best(profile, name) for name in _REASONS}
    reasons = {k: "; ".join(_REASONS[name] for name in best if best[name] == k) for k in profile["candidates"]}
    return [(k, f"{text or 'between the others'}.") for k, text in reasons.items()]


def _best(profile: Profile, name: str) -> int | None:
    """Return the best candidate by a criterion, for bits only if no other number is better; None if all are equal."""
    points = [point for point in profile["points"] if name == "bits" or point["n_clusters"] in profile["candidates"]]
    if len({point[name] for point in points}) < 2:
        return None
    return int(max(points, key=lambda point: point[name])["n_clusters"])


def profile_rows(profile: Profile) -> list[tuple[str, ...]]:
    """Return the profile as rows: the number of groups (* chosen, · candidate), then its criteria."""
    sign = dict.fromkeys(profile["candidates"], "·") | {profile["chosen"]: "*"}
    return [
        (f"{sign.get(point['n_clusters'], '')}{point['n_clusters']}", *(figure(point[name], 3) for name in FIGURES))
        for point in profile["points"]
    ]


def profile_line(profile: Profile) -> str:
    """State the chosen number, the range tried and the other candidates."""
    tried = [point["n_clusters"] for point in profile["points"]]
    others = [k for k in profile["candidates"] if k != profile["chosen"]]
    also = f"; also worth a look: {listed(others)}" if others else ""
    by = f"from {min(tried)} to {max(tried)}, tried on {counted(profile['rows'], 'document')}"
    return f"{profile['chosen']} groups were chosen {by}{also}.{_why_no_more(profile, tried)}"


def _why_no_more(profile: Profile, tried: list[int]) -> str:
    if profile.get("different"):
        return f" Only {profile['different']} of the documents are distinct."
    at_end = profile["chosen"] == max(tried) > min(tried)
    return " Larger numbers of groups were not tried, and may be better." if at_end else ""


# --- Groups over time or by category


def by_line(summary: Summary) -> str:
    """Name the group that grew most over time, or is most over-represented in a category."""
    by = summary.by
    if by is None or not by.labels:
        return "" if by is None else by.wrong
    parts = [_over_time(by, summary) if by.unit else _by_category(by, summary), *by_notes(summary)]
    return " ".join(part for part in parts if part)


def differs(by: By) -> bool:
    """Return whether the groups differ over the column by more than chance; True without a test."""
    return by.test is None or by.test.p < _CHANCE


def by_notes(summary: Summary) -> list[str]:
    """Return notes on the counts of a column: several groups, documents without a value, values that are not dates."""
    several = "A document with several groups counts in each of them." if summary.several else ""
    blank, by = "", summary.by
    if by is not None and by.unknown:
        without = f"{counted(by.unknown, 'document')} without a {'date' if by.unit else 'value'}"
        blank = f"{without} {'is' if by.unknown == 1 else 'are'} left out."
    return [note for note in (several, blank, by.wrong if by else "") if note]


def several_line(summary: Summary) -> str:
    """State the precision and the recall of further groups, or how to measure them; "" without several groups."""
    found = summary.several
    if found is None:
        return ""
    least = f"groups with a probability of at least {found['least']:g}"
    if "recall" not in found:
        return f"{least}; label 20 documents with several groups to measure precision and recall"
    there = f"of the further groups of {found['documents']} labelled documents, {percent(found['recall'])} are found"
    return f"{least}; {there}; {percent(found['precision'])} of the found ones are right (cross-validation)"


def chi_square_line(by: By) -> str:
    """State the chi-square test of groups against a column; "" if there is none."""
    if by.test is None:
        return ""
    p = "p < .001" if by.test.p < 0.001 else f"p = {by.test.p:.3f}".replace("0.", ".")
    few = " Many expected counts are below 5, so p is only approximate." if by.test.few > 0.2 else ""
    of = f" (weighted by {by.weight})" if by.weight else ""
    line = (
        f"Chi-square test of the table{of}: {figure(by.test.statistic, 1)} with {by.test.df} degrees of freedom, {p}."
    )
    return line + few


def by_rows(summary: Summary) -> list[tuple[Group, list[tuple[float, float]]]]:
    """Return the counts of each group by a column with their shades, the shares of the column; [] without."""
    if summary.by is None or not summary.by.labels:
        return []
    totals = [max(sum(column), _SHARE_OF) for column in zip(*summary.by.counts, strict=True)]
    counts = summary.by.counts
    return [
        (group, [(count, count / total) for count, total in zip(counts[group.number], totals, strict=True)])
        for group in summary.full
    ]


def _over_time(by: By, summary: Summary) -> str:
    span = f"By {by.unit} of {by.column}, {by.labels[0]} to {by.labels[-1]}."
    shares = shares_of_halves(by)
    if shares is None or not differs(by):
        return span
    before, after = shares
    best = int((after - before).argmax())
    if after[best] <= before[best]:
        return span
    early, late, name = percent(before[best]), percent(after[best]), summary.groups[best].name
    return f"{span} Grew most: {name} ({early} of the first half, {late} of the second)."


def shares_of_halves(by: By) -> tuple[Array, Array] | None:
    """Return the share of each group in the first and in the second half of the periods, (k,) each; None for
    categories, and for halves with too few documents.
    """
    counts = np.array(by.counts)
    if not by.unit:
        return None
    half = _half(counts.sum(axis=0))
    before, after = counts[:, :half].sum(axis=1), counts[:, half:].sum(axis=1)
    if min(before.sum(), after.sum()) < _SHARE_OF:
        return None
    return before / before.sum(), after / after.sum()


def _half(totals: Array) -> int:
    """Return the number of periods that contain the first half of the documents; at least one, not all."""
    reached = int(np.searchsorted(np.cumsum(totals), totals.sum() / 2)) + 1
    return max(1, min(reached, len(totals) - 1))


def _by_category(by: By, summary: Summary) -> str:
    counts = np.array(by.counts, dtype=float)
    totals = counts.sum(axis=0)
    head = f"By {by.column}: {counted(len(by.labels), 'value')}."
    if not (totals >= _SHARE_OF).any() or len(by.labels) < 2 or not differs(by):
        return head
    lead = counts / np.maximum(totals, 1) - counts.sum(axis=1, keepdims=True) / max(1, totals.sum())
    lead[:, totals < _SHARE_OF] = -1
    group, value = np.unravel_index(int(lead.argmax()), lead.shape)
    share = percent(counts[group, value] / totals[value])
    overall = percent(counts[group].sum() / totals.sum())
    name = summary.groups[int(group)].name
    return f"{head} Stands out: {name} is {share} of {by.labels[int(value)]} ({overall} of all)."
