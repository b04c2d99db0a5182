"""One collection, a person's decisions, and the versions that fits made of them.

Begin with `session` and `version`; `state` is what a log of decisions says, and `fits` makes versions of it. `verdicts`
is what a version says of each document, `changes` what differs between two. `questions` says what to look at next,
`receipts` what a decision did, `saved` what files keep, and `reporting` what a page or a table shows.
"""

from .assignment import Assignment
from .changes import Changes, GroupChange, Moved, changes
from .progress import Progress
from .receipts.decision import DecisionReceipt
from .saved.past import Past
from .session import Session
from .version import Version

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
