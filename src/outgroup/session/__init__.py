"""One collection, a person's decisions, and the versions that fits made of them.

Begin with `session` and `version`. `apply` resolves a log of decisions and what each one does, `refit` makes the next
version of it, and `changes` compares two. `questions` proposes what to look at next, `receipts` tells what a decision
did, `past` and `project_file` are what files keep, and `reporting` is what a page or a table shows.
"""

from .changes import Changes, GroupChange, Moved, changes
from .past import Past
from .receipts import DecisionReceipt
from .refit import Progress
from .session import Session
from .version import Assignment, Version

__all__ = [
    "Assignment",
    "Changes",
    "DecisionReceipt",
    "GroupChange",
    "Moved",
    "Past",
    "Progress",
    "Session",
    "Version",
    "changes",
]
