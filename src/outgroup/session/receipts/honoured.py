"""Whether a version does what was decided, and how."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from ...report.sentences.wording import counted
from ...steering import decisions as log
from .contradictions import put_elsewhere, same_document, same_word
from .effects import Version, effect_of, first_with, last_place, row_of

_REPLACED = "another decision took its place"


def honoured_by(version: Version, decision: log.Decision) -> tuple[bool, str]:
    """Return whether a version does what was decided, and how."""
    if isinstance(decision, log.Belongs | log.OffTopic) and row_of(version, decision.document) is None:
        return False, "no document has this id"
    if isinstance(decision, log.NewGroup):
        return _new_group(version, decision)
    if isinstance(decision, log.Belongs):
        return _document(version, decision)
    if isinstance(decision, log.OffTopic):
        gone = bool(version.labels[row_of(version, decision.document)] < 0)
        return gone, "in no group, and an example of what belongs to none" if gone else _REPLACED
    if isinstance(decision, log.WordBelongs):
        return _word(version, decision)
    if isinstance(decision, log.IgnoreWord):
        return decision.word in version.state.ignored, "it counts in no document"
    if isinstance(decision, log.Rename):
        named = decision.name in version.names.values()
        return named, "the group has this name" if named else "the group has another name since"
    if isinstance(decision, log.Regroup):
        return True, "documents moved where the groups' words and their neighbours both say so"
    count = len(version.numbers)
    return True, f"there {'is' if count == 1 else 'are'} {counted(count, 'group')}"


def _document(version: Version, decision: log.Belongs) -> tuple[bool, str]:
    assert version.documents is not None
    row = version.documents.row_of[decision.document]
    pin = version.state.pins.get(row)
    if pin is None or _later(version, decision, partial(same_document, version)):
        return False, _REPLACED
    own, where = version.own(row), f"in group {pin.group}{_since(version, decision, decision.group, row)}"
    if own == pin.group:
        return True, f"{where}, and by its own content, too"
    return False, f"{where} because you said so; by its own content it would be in group {own}"


def _since(version: Version, decision: log.Decision, group: log.Group | None, row: int) -> str:
    """Return since when a labelled document is in another group than the one that it was labelled for, if it is."""
    numbers = {name: number for number, name in version.names.items()}
    if numbers.get(group, group) == version.state.pins[row].group:
        return ""
    later = version.lasting[last_place(version, decision) + 1 :]
    taken = [each for each in later if isinstance(each, log.Split | log.Merge) and _moved_with(version, each, row)]
    if not taken:
        return ""
    return f" since {_what_happened(taken[-1])}"


def _what_happened(decision: log.Split | log.Merge) -> str:
    if isinstance(decision, log.Split):
        return f"group {decision.group} was split"
    return f"groups {' and '.join(map(str, decision.groups))} were merged"


def _moved_with(version: Version, decision: log.Decision, row: int) -> bool:
    """Whether a decision took a document along into another group."""
    first = first_with(version, decision)
    effect = None if first is None else effect_of(first, decision)
    return effect is not None and not effect.note and row in effect.put


def _new_group(version: Version, decision: log.NewGroup) -> tuple[bool, str]:
    """Return whether the documents are a group, and how many of them would be in it by their own content."""
    later = version.lasting[last_place(version, decision) + 1 :]
    gone = set[str]().union(*(put_elsewhere(version, decision, other) for other in later))
    still = [row_of(version, each) for each in decision.documents if each not in gone]
    rows = [row for row in still if row in version.state.pins]
    if not rows:
        return False, _REPLACED
    group = version.state.pins[rows[0]].group
    own = sum(version.own(row) == group for row in rows)
    size = counted(int(np.count_nonzero(version.labels == group)), "document")
    by_content = "it would" if len(decision.documents) == own == 1 else f"{own} of the {len(rows)} would"
    said = f"group {group} has {size}; by content alone {by_content} be in it, too"
    return own == len(rows), said + _without(len(decision.documents) - len(rows))


def _without(gone: int) -> str:
    """Return how many of the documents that were to begin a group do not, or do no more; "" where all do."""
    if not gone:
        return ""
    return f"; {counted(gone, 'document')} of those named {'is' if gone == 1 else 'are'} elsewhere or not there"


def _word(version: Version, decision: log.WordBelongs) -> tuple[bool, str]:
    assert version.documents is not None
    label = version.state.words.get(decision.word)
    if label is None or _later(version, decision, same_word):
        return False, _REPLACED
    columns = version.documents.columns(decision.word)
    if not columns:
        return False, "the word is not in the vocabulary"
    weights = np.asarray(version.model.word_coef_)[:, columns].sum(axis=1)
    best = version.numbers[int(weights.argmax())]
    rows = np.flatnonzero(np.asarray(abs(version.model.spaces_.words[:, columns]).sum(axis=1)).ravel())
    inside = int(np.count_nonzero(version.labels[version.rows][rows] == label.group))
    said = f"{inside} of the {len(rows)} documents with it are in group {label.group}"
    return best == label.group, said if best == label.group else f"{said}; it speaks more for group {best}"


def _later(version: Version, decision: log.Decision, alike: Callable[[log.Decision, log.Decision], bool]) -> bool:
    """Whether a later decision took the place of this one."""
    return any(alike(decision, other) for other in version.lasting[last_place(version, decision) + 1 :])
