"""One collection, a person's decisions, and the versions that fits made of them."""

from .assignment import Assignment
from .changes import Changes, GroupChange, Moved, changes
from .decision_receipt import DecisionReceipt
from .past import Past
from .session import Session
from .version import Version
from .watch import Progress

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
