"""Going on from an earlier result: what its folder keeps, and the version that later documents and decisions make."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ..errors import InputError, ModelError
from ..model import DocumentClustering
from ..report.sentences.wording import listed
from ..session import Changes, DecisionReceipt, Past, Session, Version
from ..steering.decisions import Decision
from ..steering.decisions.wording import sentence_of
from ..storage.json_values import parse_json
from .files import MODEL, SESSION
from .inputs import Material
from .progress import Steps

_SHOWN = 3  # documents of each kind that a line names


@dataclass(frozen=True)
class Step:
    """A version, what it differs in from the result before, and what became of each new decision."""

    version: Version
    before: Past | None
    changes: Changes | None
    receipts: tuple[DecisionReceipt, ...]


def read_past(folder: Path) -> Past:
    """Return what the folder of a result keeps; raises InputError, saying what to do, where that is not enough."""
    if folder.is_file():
        raise InputError(
            f"{folder} is a file; name the folder of a result (a project file is followed by `outgroup replay`)"
        )
    if not folder.is_dir():
        raise InputError(f"there is no result {folder} to go on from; name the folder that `outgroup cluster` wrote")
    try:
        content = parse_json((folder / SESSION).read_bytes())
    except OSError as error:
        raise InputError(
            f"{folder} keeps no {SESSION}, which going on needs: a result found in a stream (--memory) has none, and "
            "one of an older version is to be made again"
        ) from error
    except ValueError as error:
        raise ModelError(f"{folder / SESSION} is damaged ({error}); make the result again") from error
    try:
        return Past.from_dict(content, DocumentClustering.load(folder / MODEL))
    except ModelError as error:
        raise ModelError(f"{folder / SESSION}: {error}") from error


def go_on(past: Past, new: tuple[Decision, ...], material: Material, steps: Steps, seed: int) -> Step:
    """Return the version of the documents that follows from the result before and the new decisions."""
    steps("analysing")
    session = open_after(past, material, seed)
    begun = session.begin(on_step=steps.heard("fitting"))
    if new:
        followed = session.fit((*past.decisions, *new), start=begun, on_step=steps.heard("fitting"))
        version = replace(followed, notes=(*begun.notes, *followed.notes))
    else:
        version = replace(begun, number=begun.number + bool(begun.compare(past)))
    receipts = tuple(version.receipt(decision) for decision in dict.fromkeys(new) if decision in version.decisions)
    version = replace(version, notes=(*version.notes, *_again(past, receipts)))
    return Step(version, past, version.compare(past), receipts)


def _again(past: Past, receipts: tuple[DecisionReceipt, ...]) -> Iterator[str]:
    """Say which decisions moved documents though an earlier run had followed them: a split splits again."""
    again = [each.decision for each in receipts if each.moved and each.decision in past.decisions]
    found = [f'"{sentence_of(decision)}"' for decision in again]
    if found:
        yield (
            f"an earlier run had followed {listed(found)}, and documents moved once more: numbers of groups are those "
            "of the result before, so give decisions to one run alone"
        )


def step_record(step: Step) -> dict[str, Any]:
    """Return what a step says of itself, as plain values for run.json."""
    changes = None if step.changes is None else step.changes.to_dict()
    receipts = [asdict(receipt) | {"decision": receipt.decision.to_dict()} for receipt in step.receipts]
    return {"changes": changes, "receipts": receipts, "notes": list(step.version.notes)}


def lines(step: Step) -> Iterator[tuple[str, str]]:
    """Yield what changed in words, a head and a sentence each: documents first, then each decision."""
    if step.changes is not None:
        yield "Changed", f"{step.changes}{_named(step)}"
    for receipt in step.receipts:
        yield "Decided", str(receipt)
    told = tuple(f"{sentence_of(receipt.decision)}: " for receipt in step.receipts)
    for note in step.version.notes:
        if not note.startswith(told):
            yield "Note", note


def _named(step: Step) -> str:
    assert step.changes is not None
    moved = [f"{each.id} ({place(each.before)} to {place(each.after)})" for each in step.changes.moved]
    parts = [moved, [f"{each} (new)" for each in step.changes.new], [f"{each} (gone)" for each in step.changes.gone]]
    shown = [each for part in parts for each in part[:_SHOWN]]
    rest = sum(map(len, parts)) - len(shown)
    return f": {', '.join(shown)}{f' and {rest} more in run.json' if rest else ''}" if shown else ""


def place(group: int) -> str:
    return "none" if group < 0 else str(group)


def open_after(past: Past, material: Material, seed: int = 0) -> Session:
    """Return a session on what was read that goes on from `past`."""
    corpus = material.corpus
    return Session.after(
        past, corpus.texts, ids=corpus.ids, titles=corpus.titles, universum=material.universum,
        random_state=seed, **material.vectors,
    )  # fmt: skip


def begin(session: Session, log: tuple[Decision, ...], steps: Steps) -> Step:
    """Return the first version of a session that decisions steer."""
    return with_receipts(session.fit(log, on_step=steps.heard("fitting")))


def with_receipts(version: Version) -> Step:
    """Return the step of a version that no result was before: what became of each decision that stands."""
    return Step(version, None, None, tuple(version.receipt(decision) for decision in dict.fromkeys(version.lasting)))
