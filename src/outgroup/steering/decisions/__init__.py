"""What a person decides about groups, as values: read, written, undone.

A log of decisions is a sequence of them, in the order in which they were made. A group is given by its number, or by
the name that it has or shall have.

>>> log = [Belongs("d1", 3), IgnoreWord("said"), Undo(), Rename(3, "trains")]
>>> in_force(log)
(Belongs(document='d1', group=3, weight=1.0), Rename(group=3, name='trains'))
>>> print(to_json_lines(log), end="")
{"kind": "belongs", "document": "d1", "group": 3}
{"kind": "ignore-word", "word": "said"}
{"kind": "undo"}
{"kind": "rename", "group": 3, "name": "trains"}
"""

from __future__ import annotations

from .checks import Group
from .files import from_seeds, read_decisions, to_json_lines, to_toml, write_decisions
from .log import in_force
from .parse import parse
from .values import (
    KINDS,
    Belongs,
    Decision,
    IgnoreWord,
    Merge,
    NewGroup,
    OffTopic,
    Regroup,
    Rename,
    Split,
    Undo,
    WordBelongs,
)

__all__ = [
    "KINDS",
    "Belongs",
    "Decision",
    "Group",
    "IgnoreWord",
    "Merge",
    "NewGroup",
    "OffTopic",
    "Regroup",
    "Rename",
    "Split",
    "Undo",
    "WordBelongs",
    "from_seeds",
    "in_force",
    "parse",
    "read_decisions",
    "to_json_lines",
    "to_toml",
    "write_decisions",
]
