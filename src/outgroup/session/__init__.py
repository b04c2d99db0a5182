"""One collection, a person's decisions, and the versions that fits made of them."""

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
