"""What somebody may have meant who named a field that is not there, or one that is no text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from shlex import quote
from typing import Any

_OF_TEXTS = (
    "text", "body", "content", "message", "description", "abstract", "comment", "answer", "question", "note",
    "testo", "tekst", "текст", "文本", "本文", "内容", "beschreibung", "descri", "описание", "inhalt", "conten",
    "conteúdo", "conteudo", "nachricht", "mensaje", "mensagem", "messag", "сообщение", "kommentar", "coment",
    "комментарий", "antwort", "respuesta", "resposta", "réponse", "reponse", "risposta", "ответ",
)  # fmt: skip
"""Parts of names of fields that hold texts, as large languages have them: English ones first, the likeliest first of
these. What two languages begin alike stands once: `text` is in texto and texte, `descri` in descripción and
descrizione."""


def hint(role: str, asked: str, known: list[str]) -> str:
    """Return how to name the field of a role, with that which is likely meant; "" where nothing can be said."""
    likely = next(_likely(role, asked, known), None)
    if role != "text" or not known:
        return f"; did you mean {likely!r}?" if likely else ""
    likely = likely or "NAME"
    return f"; say which one holds it: --text {quote(likely)}, or in Python text={likely!r}"


def names_of(record: Mapping[str, Any], depth: int = 3) -> Iterator[str]:
    """Yield the names of a record's fields, and of the texts within those that are objects or lists of objects.

    >>> list(names_of({"id": 7, "body": {"size": 3, "text": "tea"}, "notes": [{"by": "me"}]}))
    ['id', 'body', 'body.text', 'notes', 'notes.by']
    """
    for name, value in record.items():
        yield name
        first = value[0] if isinstance(value, list) and value else value
        if isinstance(first, dict) and depth > 1:
            texts = {inner: one for inner, one in first.items() if isinstance(one, str | dict | list)}
            yield from (f"{name}.{inner}" for inner in names_of(texts, depth - 1))


def _likely(role: str, asked: str, known: list[str]) -> Iterator[str]:
    """Yield the fields that may be meant, the likeliest first: those named like what was asked for, or like texts.

    Of those that hold others these are meant.
    """
    around = {name.rpartition(".")[0] for name in known}
    known = [name for name in known if name not in around]
    yield from _named(asked, known)
    if asked != role:
        yield from get_close_matches(asked, known)
    if role == "text":
        yield from (name for part in _OF_TEXTS for name in _named(part, known))
    if len(known) == 1:
        yield known[0]


def _named(part: str, known: list[str]) -> list[str]:
    return [name for name in known if part.lower() in name.lower()]


def unfit(name: str, value: Any) -> str:
    """Return why an object or a list is no text, and a text in it that may be meant."""
    kind, first = ("an object", value) if isinstance(value, dict) else ("a list", next(iter(value), None))
    texts = [inner for inner, one in first.items() if isinstance(one, str)] if isinstance(first, dict) else []
    likely = next((inner for part in _OF_TEXTS for inner in _named(part, texts)), next(iter(texts), None))
    hint = f"; name a field of it, such as {name}.{likely}" if likely else ""
    return f"the field {name!r} holds {kind}, not a string{hint}"
