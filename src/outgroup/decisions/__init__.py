"""Decisions on groups as immutable values (corrections, renames, merges, splits), and files of decisions.

A log is a sequence of decisions in chronological order. A group is given by its number or by its present or new name.

>>> log = [Label("d1", 3), Word("said"), Rename(3, "trains")]
>>> undo(log, 1)
(Label(documents=('d1',), groups=(3,), weight=1.0), Rename(group=3, name='trains'))
>>> print(to_toml(log[1:2]), end="")
[[decision]]
kind = "word"
words = ["said"]

Start with `kinds`: a class for each kind of decision, with its checks, effect, sentence and receipt. `base` has their
base class, `state` the groups that they change, `history` their effects in versions, and `log` logs and files.
"""

from .base import Decision
from .kinds import Define, Label, Level, Lock, Merge, NewGroup, NotAGroup, Pair, Regroup, Rename, Split, Word
from .log import KINDS, from_seeds, parse, read_decisions, to_toml, undo, write_decisions
from .state import Group

__all__ = [
    "KINDS",
    "Decision",
    "Define",
    "Group",
    "Label",
    "Level",
    "Lock",
    "Merge",
    "NewGroup",
    "NotAGroup",
    "Pair",
    "Regroup",
    "Rename",
    "Split",
    "Word",
    "from_seeds",
    "parse",
    "read_decisions",
    "to_toml",
    "undo",
    "write_decisions",
]
