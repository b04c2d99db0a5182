"""Let a chat model answer the questions about a result, and turn the answers that pass a check into decisions."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..answering import CANNOT_TELL, SENT, Answer, ChatAnswerer, Question, checked, proved, questions_of, to_check
from ..decisions import write_decisions
from ..errors import InputError, OutgroupError, OutputError, counted, listed, warn
from ..readers.corpus import read_corpus
from ..readers.fields import MissingFieldError
from ..summary.clean import unshielded
from .cluster import agree_to_send, apart
from .documents import session_after
from .material import called, read
from .options import as_text, chat_of
from .output import Steps
from .result import free, from_here
from .settings import AnswerSettings, ClusterSettings
from .start import start_of
from .tables import write_form

ANSWERS, CHECK, STEERING = "answers.csv", "check.csv", "steering.toml"
_COLUMNS = (
    *("id", "kind", "document", "groups", "now", "answer", "source", "model", "tokens", "reason", "error"),
    *("checked", "applied", "prompt"),
)


def agree_to_ask(settings: AnswerSettings) -> None:
    """Ask for confirmation of the texts that are sent; raise InputError for options that do not suffice."""
    if settings.model is None and settings.check is None:
        raise InputError("give --model URL#MODEL to ask a model, or --check FILE to use its answers")
    if settings.model is not None:
        ChatAnswerer(*chat_of(settings.model))  # raises now, not after the fit
        agree_to_send(f"For each of {settings.most} questions, {SENT} are sent", settings.model, settings.yes)


def answer(settings: AnswerSettings, steps: Steps) -> dict[str, Any]:
    """Ask the questions that have no answer yet, write the files of the folder, and return the record of the run."""
    folder = settings.out or Path(f"{called(settings.docs)}-answers")
    apart(
        Path(os.path.realpath(folder)), {"documents": settings.docs, "result": settings.from_}, "folder of the answers"
    )
    names = ("universum", "universum_embeddings", "embeddings", "encoder", "codebook")
    given = ClusterSettings(settings.docs, from_=settings.from_, **{name: getattr(settings, name) for name in names})
    start = start_of(given)
    given, past = start.settings, start.past
    assert past is not None
    # 1. The questions about the result, and the answers of an earlier run.
    earlier = _read(folder / ANSWERS, "prompt") if (folder / ANSWERS).exists() else {}
    material = read(given, start.frame, steps)
    session = session_after(past, given, material, steps)
    version = session.begin(progress=steps.of_session())
    questions = questions_of(session, version, max(settings.most, len(earlier)))
    known = {each.key: _known(each, earlier[each.key]) for each in questions if each.key in earlier}
    if len(known) < len(earlier) or any(settings.model not in (None, each.model) for each in known.values()):
        raise InputError(
            f"{folder / ANSWERS} has answers about another result, or of another model: give another --out"
        )
    answers = {key: each for key, each in known.items() if not each.error}
    # 2. The questions without an answer, a few at a time.
    left = [each for each in questions[: settings.most] if each.key not in answers]
    if settings.model is not None:
        steps("asking", 0, len(left))
        try:
            for new in ChatAnswerer(*chat_of(settings.model)).in_batches(left):
                answers |= new
                _write_answers(folder, questions, answers)
                steps("asking", sum(each.key in answers for each in left), len(left))
        except OutgroupError as error:
            warn(str(error))
    # 3. The questions for a person, and what the answers to them prove.
    replied = [each for each in questions if each.key in answers and not answers[each.key].error]
    said = {each.key: answers[each.key].answer for each in replied}
    form, columns = folder / CHECK, ("id", "kind", "document", "question", "possible answers", "answer")
    filled = form.exists() and any(row.get("answer") for row in _read(form, "question").values())
    if replied and not filled:  # an earlier one may be of fewer answers
        rows = (
            (each.key, each.kind, each.document, each.shown, ", ".join(each.answers), "")
            for each in to_check(replied, said)
        )
        write_form(form, columns, rows, replace=True)
    person = {} if settings.check is None else _checked(settings.check, replied)
    found = checked(replied, said, person)
    record: dict[str, Any] = {
        "out": as_text(folder),
        "questions": len(replied),
        "asked": sum(each in replied for each in left),
        "failed": len(answers) - len(replied),
        "cannot_tell": sum(answers[each.key].answer == CANNOT_TELL for each in replied),
        "tokens": sum(each.tokens for each in answers.values()),
        "kinds": found.kinds,
    }
    here = replace(given, out=settings.from_)
    if settings.check is None:
        _write_answers(folder, questions, answers)
        again = ("--check", as_text(folder / CHECK), "--out", as_text(folder))
        return record | {"decisions": None, "next": from_here(here, "answer", *again)}
    # 4. The decisions: the answers of the person, and those of the model of the kinds that pass.
    write_decisions(found.decisions, folder / STEERING, replace=True)
    _write_answers(folder, questions, answers, person, found.used)
    steer = ("--steer", as_text(folder / STEERING), "--out", as_text(free(settings.from_)))
    return record | {"decisions": len(found.decisions), "next": from_here(here, "cluster", *steer)}


def in_words(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines about a run: the answers, the kinds that pass, and the next command."""
    asked = f"{counted(record['questions'], 'answer')}, {record['asked']} of them new"
    yield f"{asked}; {record['cannot_tell']} cannot tell; {record['tokens']:,} tokens"
    if record["failed"]:
        yield f"{counted(record['failed'], 'question')} without a reply: run the same command again to ask them"
    if not record["questions"]:
        return
    if record["decisions"] is None:
        yield f"The answers are proposals. Fill in the column answer of {CHECK}, then run:"
    else:
        yield from proved(record["kinds"])
        yield f"{counted(record['decisions'], 'decision')} in {STEERING}. To apply them, run:"
    yield f"  {record['next']}"


def _checked(path: Path, questions: Sequence[Question]) -> dict[str, str]:
    """Return the answers of a person by question, without blank ones.

    Raises InputError for an answer that is not possible, and if no row is a question about the result.
    """
    rows, known = _read(path, "question"), {each.key: each for each in questions}
    if not rows.keys() & known.keys():
        raise InputError(f"{path} has no question about this result that has an answer in {ANSWERS}: check --out")
    given = {key: " ".join(rows[key].get("answer", "").lower().split()) for key in known if key in rows}
    for key, said in given.items():
        if said and said not in known[key].answers:
            raise InputError(f"{path}, {key}: the answer {said!r:.60} is not one of {listed(known[key].answers)}")
    return {key: said for key, said in given.items() if said}


# --- Files: tables of questions, by their keys


def _read(path: Path, text: str) -> dict[str, dict[str, str]]:
    try:
        corpus = read_corpus(path, text=text, html="keep")
    except MissingFieldError as error:
        raise InputError(f"{path} was not made by outgroup answer: it has no column {text!r}; give {CHECK}") from error
    each = zip(corpus.ids, range(len(corpus)), strict=True)
    return {key: {name: unshielded(cells[row]) for name, cells in corpus.columns.items()} for key, row in each}


def _known(question: Question, row: Mapping[str, str]) -> Answer:
    """Return the answer in a row; one that is not possible is "cannot tell"."""
    said, tokens = row.get("answer", ""), row.get("tokens", "")
    said = said if said in question.answers else CANNOT_TELL
    price = int(tokens) if tokens.isdecimal() and len(tokens) < 10 else 0
    return Answer(row.get("model", ""), said, row.get("reason", ""), price, row.get("error", ""))


def _write_answers(
    folder: Path,
    questions: Sequence[Question],
    answers: Mapping[str, Answer],
    person: Mapping[str, str] | None = None,
    applied: set[str] | None = None,
) -> None:
    """Write a row for each answer, with that of a person, and whether it became a decision."""
    rows = []
    for each in (each for each in questions if each.key in answers):
        given, groups = answers[each.key], "; ".join(map(str, each.groups))
        state = "proposal" if applied is None else "yes" if each.key in applied else "no"
        asked = (each.key, each.kind, each.document, groups, each.now, given.answer, "model", given.model)
        rows.append(
            (*asked, given.tokens, given.reason, given.error, (person or {}).get(each.key, ""), state, each.prompt)
        )
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot write {folder}: {error.strerror}; choose another path with --out") from error
    write_form(folder / ANSWERS, _COLUMNS, rows, replace=True)
