"""The steering receipt in words."""

from __future__ import annotations

from ..clean import clean
from ..receipt_facts import Receipt
from .wording import counted, figure

_SHOWN = 5  # documents or words that a line names


def receipt_lines(given: Receipt) -> list[tuple[str, str]]:
    """Return the receipt in words, as heads and sentences, for a terminal or a page."""
    lines = []
    if given.documents:
        lines.append(("Seeds", _documents_said(given)))
    if given.words:
        lines.append(("Words", _words_said(given)))
    if given.contradictions:
        shown = "; ".join(given.contradictions[:_SHOWN]) + ("; ..." if len(given.contradictions) > _SHOWN else "")
        lines.append(("At odds", shown))
    if given.changed is not None:
        lines.append(("Steering", _change_said(given)))
    return [(head, clean(said)) for head, said in lines]


def _documents_said(given: Receipt) -> str:
    lost = [each for each in given.documents if each.ended != each.group]
    said = f"{given.honoured} of {counted(len(given.documents), 'labelled document')} ended in their group"
    named = [f"{each.id} ({given.names[each.group]}) in {given.names[each.ended]}" for each in lost[:_SHOWN]]
    return said + (f"; elsewhere: {', '.join(named)}{', ...' if len(lost) > _SHOWN else ''}" if lost else "")


def _words_said(given: Receipt) -> str:
    best = sorted(given.words, key=lambda each: (each.place, each.group))
    named = [
        f"{each.word} ({given.names[each.group]}: no. {each.place}, in {each.ended} of its {each.documents})"
        for each in best[:_SHOWN]
    ]
    weak = sum(each.weight <= 0 for each in given.words)
    said = f"{counted(len(given.words), 'labelled word')}, the strongest: {', '.join(named)}"
    return said + (f"; {weak} speak against their group" if weak else "")


def _change_said(given: Receipt) -> str:
    said = (
        f"{given.changed} of {counted(given.n_documents, 'document')} changed group against the same run without seeds"
    )
    if given.objective is None or given.objective_without is None:
        return said
    return f"{said}; the objective is {figure(given.objective, 3)}, and was {figure(given.objective_without, 3)}"
