"""A log of decisions: what makes one, which of it stand, and of which documents they speak."""

from __future__ import annotations

from collections.abc import Iterable

from ...errors import InputError
from .values import Belongs, Decision, NewGroup, OffTopic, Undo


def log_of(decisions: Iterable[Decision]) -> tuple[Decision, ...]:
    """Return decisions as a log; raises InputError for what is no list of them, and names it.

    >>> from outgroup.decisions import Merge
    >>> log_of([Merge((0, 1))])
    (Merge(groups=(0, 1)),)
    """
    if isinstance(decisions, Decision):
        raise InputError(f"decisions is a single {type(decisions).__name__}; give a list of them")
    log = tuple(decisions)
    for place, each in enumerate(log):
        if not isinstance(each, Decision):
            raise InputError(
                f"decisions[{place}] is a {type(each).__name__}, no decision; give one such as "
                "outgroup.decisions.Merge((0, 1)), or what outgroup.decisions.parse makes of plain values"
            )
    return log


def in_force(log: Iterable[Decision]) -> tuple[Decision, ...]:
    """Return the decisions of a log that no undo took back, in their order.

    Parameters
    ----------
    log : iterable of Decision
        In the order in which they were made.

    Returns
    -------
    tuple of Decision

    Examples
    --------
    >>> from outgroup.decisions import Rename, Split
    >>> in_force([Split(0), Undo(), Rename(1, "food")])
    (Rename(group=1, name='food'),)
    """
    left: list[Decision] = []
    for decision in log:
        if not isinstance(decision, Undo):
            left.append(decision)
        elif left:
            left.pop()
    return tuple(left)


def documents_in(decision: Decision) -> tuple[str, ...]:
    """Return the documents of which a decision says where they belong.

    >>> from outgroup.decisions import Split
    >>> documents_in(NewGroup(("d1", "d7"))), documents_in(OffTopic("d2")), documents_in(Split(0))
    (('d1', 'd7'), ('d2',), ())
    """
    if isinstance(decision, NewGroup):
        return decision.documents
    return (decision.document,) if isinstance(decision, Belongs | OffTopic) else ()
