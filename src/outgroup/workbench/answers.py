"""The answers of a chat model to the questions of the page, until a person has checked some of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any
from urllib.parse import urlsplit

from ..answering import CANNOT_TELL, SENT, Answer, ChatAnswerer, Question, checked, proved, questions_of, to_check
from ..errors import InputError
from ..session import Version
from .controller import Desk, Worker

_MOST = 200  # questions at a time


class ModelAnswers:
    """Asks a chat model the questions about the version of a desk, in a thread of its own.

    No answer is a decision before a person has answered some of the questions. The project file keeps the answers, so
    that no question is asked twice.

    Parameters
    ----------
    desk : Desk
    model : ChatAnswerer
    """

    def __init__(self, desk: Desk, model: ChatAnswerer) -> None:
        self._desk, self._model = desk, model
        self._questions, self._answers = list[Question](), dict[str, Answer]()
        self._asking, self._error, self._proved = False, "", list[str]()
        self._worker = Worker(self._end, self._end)

    def state(self) -> dict[str, Any]:
        """Return the model, its progress, and what the last check proved, as plain data."""
        replied, answers = self._replied(), [*self._answers.values()]
        host = urlsplit(self._model.base_url).netloc
        return {
            "model": self._model.model,
            "sent": f"For each of at most {_MOST} questions, {SENT} are sent to {host}.",
            "asking": self._asking,
            "questions": len(self._questions),
            "answered": len(replied),
            "cannot_tell": sum(answer.answer == CANNOT_TELL and not answer.error for answer in answers),
            "tokens": sum(answer.tokens for answer in answers),
            "error": self._error,
            "proved": self._proved,
        }

    def ask(self) -> None:
        """Ask the questions about the present version, in place of earlier ones.

        Raises InputError while the groups follow a decision.
        """
        version = self._desk.version
        if version is None or self._desk.sketch is not None or self._desk.busy:
            raise InputError("the groups follow a decision: try again in a moment")
        self._asking, self._error, self._proved = True, "", []
        self._questions, self._answers = [], {}
        self._worker.ask(lambda cancelled: self._ask(version, cancelled))

    def stop(self) -> None:
        """Ask no further questions; the answers so far stay."""
        self._worker.ask(lambda cancelled: None)

    def checks(self) -> list[dict[str, Any]]:
        """Return the questions for a person, without the answers of the model."""
        if self._asking:
            return []
        replied = self._replied()
        some = to_check(replied, {question.key: self._answers[question.key].answer for question in replied})
        return [{"key": question.key, "shown": question.shown, "answers": question.answers} for question in some]

    def use(self, person: Any) -> None:
        """Turn the answers of a `person`, and those of the model that pass the comparison with them, into decisions.

        Questions about a document that was decided since, or about a group that is gone, do not count. Raises
        InputError for an answer that is not possible.
        """
        replied = {question.key: question for question in self._replied()}
        if not isinstance(person, Mapping) or self._asking:
            raise InputError("the answers are not valid: give an object of answers by question, once the model is done")
        for key, answer in person.items():
            if key not in replied or answer not in replied[key].answers:
                raise InputError(f"{answer!r:.40} is no answer to a question that the model answered: check again")
        version = self._desk.version
        numbers = set() if version is None else {*version.numbers}
        decided = self._desk.decided
        open_ = [
            question
            for question in replied.values()
            if question.document not in decided and {*question.groups} <= numbers
        ]
        by_model = {question.key: self._answers[question.key].answer for question in open_}
        found = checked(open_, by_model, person)
        if found.decisions:
            self._desk.decide(found.decisions)
        self._proved, self._questions, self._answers = [*proved(found.kinds)], [], {}

    def _replied(self) -> list[Question]:
        answers = self._answers
        return [question for question in self._questions if question.key in answers and not answers[question.key].error]

    def _ask(self, version: Version, cancelled: Callable[[], bool]) -> None:
        questions, project = questions_of(self._desk.session, version, _MOST), self._desk.session.project
        if cancelled():
            return
        kept = {} if project is None else {key: Answer(**fields) for key, fields in project.answers.items()}
        model = f"{self._model.base_url}#{self._model.model}"
        known = {key: kept[key] for key in (question.key for question in questions) if key in kept}
        known = {key: answer for key, answer in known.items() if answer.model == model}
        self._questions, self._answers = questions, known
        for answers in self._model.in_batches([question for question in questions if question.key not in known]):
            if project is not None:
                project.keep_answers({key: asdict(answer) for key, answer in answers.items() if not answer.error})
            if cancelled():  # these answers belong to questions that are gone
                return
            self._answers = self._answers | answers
            self._desk.notify({"kind": "model"})

    def _end(self, error: Exception | None) -> None:
        """Note that all questions are asked, or why not."""
        self._asking, self._error = False, "" if error is None else str(error)
        self._desk.notify({"kind": "model"})
