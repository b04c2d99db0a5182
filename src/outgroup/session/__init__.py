"""Sessions: a collection, a log of decisions, and a version for each fit.

Start with `session` and `version`. `fitter` applies a log of decisions and fits the next version, and `changes`
compares two versions. `questions` proposes documents to label, `receipts` reports the effect of a decision, and
`past` and `project_file` are the saved forms.
"""

from .changes import Changes, Moved, changes
from .past import Past
from .receipts import DecisionReceipt
from .session import Session
from .version import Version

__all__ = [
    "Changes",
    "DecisionReceipt",
    "Moved",
    "Past",
    "Session",
    "Version",
    "changes",
]
