"""A record becomes a document: the roles of its fields, and hints where a field is missing."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property, partial
from math import isnan
from shlex import quote
from typing import Any, NamedTuple

from ..errors import CorpusError
from .documents import LONGEST_CELL, LONGEST_DOCUMENT, MOST_COLUMNS, TOO_LONG, Document, Skip
from .encoding import decode, plain
from .markup import field_text

# --- A record becomes a document: which of its fields is what, and the others as columns beside the text

_NAMES_SHOWN = 20
_LONGEST_NAME = 100  # characters of a name in a message; survey questions are names, too
_ROLES = ("id", "title", "label")
"""What a field may be beside the text."""
_LONGEST_TITLE = 200  # characters
_REMEMBERED = 64  # different sets of names


class MissingFieldError(CorpusError):
    """No record has a field that was asked for; `known` are those there are."""

    def __init__(self, said: str, known: Iterable[str] = ()) -> None:
        super().__init__(said)
        self.known = list(known)


class Roles(NamedTuple):
    """The names that one record has for its id, title, label and texts, and those of its other fields, each with how it
    is shown; `within` says whether one of the first may lie within a field."""

    id: str
    title: str
    label: str
    texts: list[str]
    others: list[tuple[str, str]]
    within: bool


@dataclass(frozen=True)
class Fields:
    """Which field of a record is what. `text` must exist; the others must where they are not the usual names.

    A field that no record has by its very name is the only one that differs from it in capitals alone, if there is one;
    else `a.b` is the field `b` of the object `a`, or of each object of the list `a`.
    """

    text: str = "text"
    id: str = "id"
    title: str = "title"
    label: str = "label"
    join_title: bool = True
    keep_html: bool = False
    encoding: str = ""  # of texts that are no Unicode
    sheet: str = ""  # of a spreadsheet; "": the first one with the field of the text

    def texts(self, known: Collection[str]) -> list[str]:
        """Return the fields of the text: several with commas between them, unless one has such a name itself."""
        whole = name_among(known, self.text)
        if whole in known or "," not in self.text:
            return [whole]
        return [name_among(known, name.strip()) for name in self.text.split(",") if name.strip()] or [self.text]

    def asked(self, known: Collection[str]) -> list[tuple[str, str]]:
        """Return each role and the field that has it."""
        return [("text", name) for name in self.texts(known)] + [
            (role, name_among(known, getattr(self, role))) for role in _ROLES
        ]

    @cached_property
    def _known_roles(self) -> dict[tuple[str, ...], Roles]:
        return {}

    def roles(self, known: tuple[str, ...]) -> Roles:
        """Return which of a record's fields is what; the records of a collection have much the same names."""
        found = self._known_roles.get(known)
        if found is None:
            if len(self._known_roles) >= _REMEMBERED:
                self._known_roles.clear()
            found = self._known_roles[known] = self._roles(known)
        return found

    def _roles(self, known: tuple[str, ...]) -> Roles:
        identity, title, label = (name_among(known, name) for name in (self.id, self.title, self.label))
        used = (identity, title, *(texts := self.texts(known)))
        others = [(name, plain(str(name))) for name in known if name not in used]
        within = any("." in name and name not in known for name in (*used, label))
        return Roles(identity, title, label, texts, others, within)

    def require(self, known: Iterable[str], source: str) -> None:
        """Raise a CorpusError that names the fields there are, unless all that were asked for are among them."""
        known = list(known)
        for role, name in self.asked(known):
            if not holds(known, name) and (role == "text" or name != role):
                said = f"the fields are {_shown(known)}{hint(role, name, known)}"
                if any(len(field) > _LONGEST_NAME for field in known):
                    said = (
                        f"its first row, {_shown(known)}, seems to be no names of fields; write a row of these above it"
                    )
                raise MissingFieldError(f"{source}: no field {name!r} for the {role}; {said}", known)

    def unambiguous(self, header: list[str], source: str) -> list[str]:
        """Return the names of a header, a number behind those that come again.

        Raises CorpusError where one that has a role comes again: nobody can say which column is meant.
        """
        roles = {name: role for role, name in reversed(self.asked(header))}
        taken, names, counts = set(header), dict[str, None](), dict[str, int]()
        for name in header:
            if name in names and name in roles:
                raise CorpusError(f"{source}: two columns are named {name!r}, the {roles[name]}; rename one of them")
            new, count = name, counts.get(name, 2)
            while new in names or (new != name and new in taken):
                new, count = f"{name} ({count})", count + 1
            names[new], counts[name] = None, count
        return [*names]


def _shown(known: list[str]) -> str:
    cut = (name if len(name) <= _LONGEST_NAME else name[:_LONGEST_NAME] + "…" for name in known[:_NAMES_SHOWN])
    return ", ".join(map(repr, cut))


def name_among(known: Collection[str], asked: str) -> str:
    """Return the name by which a field that is `asked` for is known, itself where none or several may be meant.

    >>> name_among(["ID", "Text"], "text"), name_among(["Text", "TEXT"], "text"), name_among(["Text", "text"], "text")
    ('Text', 'text', 'text')
    """
    if asked in known:
        return asked
    alike = {name for name in known if name.casefold() == asked.casefold()}
    if len(alike) == 1:
        return alike.pop()
    head, dot, rest = asked.partition(".")
    return f"{name_among(known, head)}.{rest}" if dot else asked


def holds(known: Collection[str], name: str) -> bool:
    """Return whether a field is known, or the one that may hold it."""
    return name in known or outer(known, name) in known


def outer(known: Collection[str], name: str) -> str:
    """Return the field of a record that a name stands for, or that which holds what it stands for.

    >>> outer(["a", "b.c"], "a.x"), outer(["a", "b.c"], "b.c")
    ('a', 'b.c')
    """
    return name if name in known else name.partition(".")[0]


def value_of(row: Mapping[str, Any], name: str) -> Any:
    """Return the value of a field, or None; of a field within lists, all values that there are.

    >>> value_of({"a": [{"b": "tea"}, {"b": "milk"}], "c": 1}, "a.b"), value_of({"c": 1}, "c.d")
    (Texts(['tea', 'milk']), None)
    """
    if name in row or "." not in name:
        return row.get(name)
    head, _, rest = name.partition(".")
    return _within(row.get(head), rest)


class Texts(list[Any]):
    """What was found within the items of a list: together they are one text."""

    def __repr__(self) -> str:
        return f"Texts({super().__repr__()})"


def _within(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        return value_of(value, name)
    if not isinstance(value, list):
        return None
    each = [_within(item, name) for item in value]
    found = [one for part in each for one in (part if isinstance(part, Texts) else [part]) if one is not None]
    return Texts(found) if found else None


def document(row: dict[str, Any], number: int | str, unit: str, fields: Fields) -> Document | Skip:
    """Return a record as a document, or why it is none; `number` and `unit` say where it stands."""
    roles = fields.roles(tuple(row))
    get = partial(value_of, row) if roles.within else row.get  # nearly always: it takes a third of the time
    inside, label = [get(name) for name in roles.texts], get(roles.label)
    try:
        identity, title = words(get(roles.id)), words(get(roles.title))
        label = None if label is None else words(label)
        columns = _others(row, roles.others) if roles.others else {}
    except RecursionError:
        return Skip(f"{unit} {number}", "a field of it is nested too deep to be read")
    where = identity or f"{unit} {number}"
    if wrong := _wrong(row, roles.texts, inside, fields, title):
        return Skip(where, wrong, columns=columns)
    given = [title, *map(_text, inside)]
    if sum(map(len, given)) > LONGEST_DOCUMENT:
        return Skip(where, TOO_LONG, columns=columns)
    (title, *before, text), html = (given, False) if fields.keep_html else _without_html(given)
    head = [title, *before] if fields.join_title and roles.title not in roles.texts else before
    title = title or _first_as_title(before)
    return Document(where, identity or str(number), text, title, label, "\n\n".join(filter(None, head)), columns, html)


def _first_as_title(before: list[str]) -> str:
    """Return the first of several fields of the text where it reads like a title, a short line; else ""."""
    first = before[0].strip() if before else ""
    return first if len(first) <= _LONGEST_TITLE and "\n" not in first else ""


def _without_html(given: list[str]) -> tuple[list[str], bool]:
    """Return texts without HTML, and whether there was any."""
    for said in given:
        if "<" in said or "&" in said:
            read = [field_text(said) for said in given]
            return [said for said, _ in read], any(found for _, found in read)
    return given, False  # nearly all: a collection has a hundred thousand of them


def words(value: Any) -> str:
    """Return a field's value as text: nothing for null and NaN, a list's items with commas, an object as JSON."""
    if isinstance(value, str):
        return value if value.isascii() and "\r" not in value else plain(value)
    if value is None or (isinstance(value, float) and isnan(value)):
        return ""
    if isinstance(value, bytes):
        return decode(value)
    if isinstance(value, list):
        return ", ".join(map(words, value))
    if isinstance(value, dict):
        return plain(_as_json(value))
    return plain(str(value))


def _as_json(value: dict[Any, Any]) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=words)
    except (TypeError, ValueError):  # a program's own: its keys are no texts, or it holds itself
        return str(value)


def _text(value: Any) -> str:
    """Return what a field of the text says; of several objects in a list, one below the other."""
    return "\n\n".join(filter(None, map(words, value))) if isinstance(value, Texts) else words(value)


def _wrong(row: dict[str, Any], names: list[str], values: list[Any], fields: Fields, title: str) -> str:
    """Return why a record, whose fields of the text have these values, has no usable one, "" where it has."""
    for name, value in zip(names, values, strict=True):
        if isinstance(value, str):  # nearly always
            continue
        for each in value if isinstance(value, Texts) else [value]:
            if isinstance(each, (list, dict)):
                return unfit(name, each)
    missing = values.count(None) == len(values) and not any(name in row for name in names)
    if missing and not (fields.join_title and title):
        return f"no field {fields.text!r}"
    return ""


def _others(row: dict[str, Any], others: list[tuple[str, str]]) -> dict[str, str]:
    """Return the `others` of a record's fields that stay beside the text, as texts: vectors and bytes are none."""
    kept = [(shown, row[name]) for name, shown in others if not _is_array(row[name])]
    return {shown: as_cell(value) for shown, value in kept[: MOST_COLUMNS + 1]}


def _is_array(value: Any) -> bool:
    holds_numbers = isinstance(value, list) and any(isinstance(each, int | float) for each in value)
    return holds_numbers or isinstance(value, bytes)


def as_cell(value: Any) -> str:
    """Return a field's value as the text of a cell, which is short enough for a spreadsheet."""
    said = words(value)
    return said if len(said) <= LONGEST_CELL else said[: LONGEST_CELL - 1] + "…"


# --- What somebody may have meant who named a field that is not there, or one that is no text

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
