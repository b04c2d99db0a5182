"""What new documents speak of that earlier ones hardly did, as notes of the version that takes them in."""

from __future__ import annotations

import numpy as np

from ...report.sentences.wording import counted, listed, percent
from ...text.words.emerging import EmergingWord, emerging_words
from ...types import Array
from ..progress import Reporter
from ..version import Version

_MOST = 0.5  # of a word's new documents are in one group, or they are in several


def notes_on_new(version: Version, new: Array, reporter: Reporter) -> tuple[str, ...]:
    """Return what is new in the documents that are `new` (n,): words that rose, where they went, and what is not known.

    Groups hold what they held, so that a theme of its own among new documents would go unseen.
    """
    documents = version.documents
    assert documents is not None
    representation = documents.representation
    found = emerging_words(documents.texts, new, representation.vectorizer, progress=reporter.of("reading what is new"))
    if not found:
        return ()
    groups = [_group_of(each, version.labels) for each in found]
    risen = [f"{each.word} ({_shares(each)}; {_where(group)})" for each, group in zip(found, groups, strict=True)]
    said = f"more often than the earlier ones, {counted(int(new.sum()), 'new document')} speak of {listed(risen)}"
    unknown = [each.word for each in found if not each.known] if representation.width is None else []
    return (f"{said}; if that is a theme of its own, {_advice(groups)}", *([_unknown(unknown)] if unknown else []))


def _group_of(word: EmergingWord, labels: Array) -> int | None:
    """Return the group that most new documents with a word are in, None where they are in several or in none."""
    own = labels[word.rows]
    groups, counts = np.unique(own[own >= 0], return_counts=True)
    most = int(counts.argmax()) if len(groups) else 0
    return int(groups[most]) if len(groups) and counts[most] > _MOST * len(own) else None


def _advice(groups: list[int | None]) -> str:
    own = sorted({group for group in groups if group is not None})
    ways = [f"split group{'s' if len(own) > 1 else ''} {listed(own)}"] if own else []
    return " or ".join([*ways, "begin a group with some of these documents"])


def _shares(word: EmergingWord) -> str:
    return f"{percent(word.now)}, before {percent(word.before)}"


def _where(group: int | None) -> str:
    return "in no one group" if group is None else f"mostly in group {group}"


def _unknown(words: list[str]) -> str:
    are, them = ("is no word", "it") if len(words) == 1 else ("are no words", "them")
    return (
        f"{listed(words)} {are} of these groups, whose words are those of the first run: "
        f"find groups anew to let {them} count"
    )
