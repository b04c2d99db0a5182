"""One collection, a person's decisions, and the versions that fits made of them."""

from .changes import Changes, GroupChange, Moved, changes
from .decision_receipt import DecisionReceipt
from .past import Past
from .session import Session
from .version import Version
from .watch import Progress

__all__ = [
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
