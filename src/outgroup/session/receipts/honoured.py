"""Whether a version does what was decided, and how."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from ...report.sentences.wording import counted, listed
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
        return True, "documents moved where they and the documents like them fit best"
    then = first_with(version, decision) or version  # others may have been merged and split since
    return True, f"{counted(len(then.numbers), 'group')} in all"


def _document(version: Version, decision: log.Belongs) -> tuple[bool, str]:
    assert version.documents is not None
    row = version.documents.row_of[decision.document]
    pin = version.state.pins.get(row)
    if pin is None or _later(version, decision, partial(same_document, version)):
        return False, _REPLACED
    own, where = version.own(row), f"in group {pin.group}{_since(version, decision, decision.group, row)}"
    if own == pin.group:
        return True, f"{where}, and by what the groups have learned, too"
    return False, f"{where} because you said so; by what the groups have learned it would be in group {own}"


def _since(version: Version, decision: log.Decision, group: log.Group | None, row: int) -> str:
    """Return since when a labelled document is in another group than the one that it was labelled for, if it is."""
    numbers = {name: number for number, name in version.names.items()}
    return "" if numbers.get(group, group) == version.state.pins[row].group else _moved_since(version, decision, [row])


def _moved_since(version: Version, decision: log.Decision, rows: Sequence[int]) -> str:
    """Return which split or merge came last of those after a decision that took one of its documents along."""
    later = version.lasting[last_place(version, decision) + 1 :]
    taken = [each for each in later if isinstance(each, log.Split | log.Merge) and _moved_with(version, each, rows)]
    return f" since {_what_happened(taken[-1])}" if taken else ""


def _what_happened(decision: log.Split | log.Merge) -> str:
    if isinstance(decision, log.Split):
        return f"group {decision.group} was split"
    return f"groups {' and '.join(map(str, decision.groups))} were merged"


def _moved_with(version: Version, decision: log.Decision, rows: Sequence[int]) -> bool:
    """Whether a decision took one of these documents along into another group."""
    first = first_with(version, decision)
    effect = None if first is None else effect_of(first, decision)
    return effect is not None and not effect.note and bool(np.isin(rows, effect.put).any())


def _new_group(version: Version, decision: log.NewGroup) -> tuple[bool, str]:
    """Return whether the documents are where they began a group, or where later decisions took that, and how many of
    them would be there by their own content."""
    later = version.lasting[last_place(version, decision) + 1 :]
    gone = set[str]().union(*(put_elsewhere(version, decision, other) for other in later))
    still = [row_of(version, each) for each in decision.documents if each not in gone]
    rows = [row for row in still if row is not None and row in version.state.pins]
    if not rows:
        return False, _REPLACED
    homes = [version.state.pins[row].group for row in rows]
    owns = [version.own(row) for row in rows]
    said = f"{_places(version, homes)}{_moved_since(version, decision, rows)}; {_by_content(homes, owns)}"
    return homes == owns, said + _without(len(decision.documents) - len(rows))


def _places(version: Version, homes: Sequence[int]) -> str:
    """Return which group the documents that began one are, or in which groups they are by now."""
    groups = sorted({*homes})
    if len(groups) == 1:
        return f"group {groups[0]} has {counted(int(np.count_nonzero(version.labels == groups[0])), 'document')}"
    return f"those that began it are in {listed([f'group {group} ({homes.count(group)})' for group in groups])}"


def _by_content(homes: Sequence[int], owns: Sequence[int]) -> str:
    """Return how many documents would be where they are by their own content, and what to do where none would."""
    n, there = len(homes), sum(home == own for home, own in zip(homes, owns, strict=True))
    share = "all" if there == n else there or "none"
    who = "the one that began it" if n == 1 else f"{share} of the {n} that began it"
    if there:
        return f"by content alone {who} would be there, too"
    where, like = (f"in group {owns[0]}", "it") if n == 1 else ("there", "them")
    more = f": put two or three more like {like} into group {homes[0]}" if len({*homes}) == 1 else ""
    return f"by content alone {who} would be {where}{more}"


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
    rows = np.flatnonzero(np.asarray(abs(version.model.spaces_.words[:, columns]).sum(axis=1)).ravel())
    inside = int(np.count_nonzero(version.labels[version.rows][rows] == label.group))
    verb = "is" if inside == 1 else "are"
    said = f"{inside:,} of the {counted(len(rows), 'document')} with it {verb} in group {label.group}"
    others = sum(other.group == label.group for other in version.state.words.values())
    return True, said if others > 1 else f"{said}; documents move once they hold two words of the group"


def _later(version: Version, decision: log.Decision, alike: Callable[[log.Decision, log.Decision], bool]) -> bool:
    """Whether a later decision took the place of this one."""
    return any(alike(decision, other) for other in version.lasting[last_place(version, decision) + 1 :])
