"""Convert records to documents by field roles, and suggest names for missing fields."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache, partial
from math import isnan
from shlex import quote
from typing import Any, NamedTuple

from ..errors import CorpusError, InputError
from .documents import LIMITS, STRIPPERS, Document, Skip, numbered
from .encoding import EXAMPLES, decode, is_known, misread, plain
from .markup import field_text

# --- Roles of fields, and documents from records

_LONGEST_NAME = 100  # characters of a name in a message; a survey question may be a name
_ROLES = ("id", "title", "label")
"""Roles of fields besides the text."""

_MISSING_LABELS = frozenset(
    {"na", "#na", "<na>", "nan", "nat", "none", "null", "#null!", "nil", "\\n", "-", "--", ".", "?"} | {"n/a", "#n/a"}
)
"""Labels, in lower case, that programs write for a missing value."""


class MissingFieldError(CorpusError):
    """A requested field is missing; `known` are the fields of the input."""

    def __init__(self, message: str, known: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.known = list(known)


class Roles(NamedTuple):
    """The fields for id, title, label and text, and the other fields as (name, displayed name).

    `within` is True if a field with a role may be nested in another field.
    """

    id: str
    title: str
    label: str
    texts: list[str]
    others: list[tuple[str, str]]
    within: bool


@dataclass(frozen=True)
class Fields:
    """The requested fields; the text field must exist, and so must other fields with names that are not defaults.

    A name matches exactly, or else ignoring case if exactly one field does; else `a.b` is the field `b` of the object
    `a`, or of each object of the list `a`.
    """

    text: str = "text"
    id: str = "id"
    title: str = "title"
    label: str = "label"
    join_title: bool = True
    html: str = "text"  # or "keep"
    encoding: str = ""  # of texts that are not Unicode
    sheet: str = ""  # of a spreadsheet; "": the first one with the text field
    strip: tuple[str, ...] = ()  # parts of mails to remove

    def __post_init__(self) -> None:
        for role in ("text", *_ROLES):
            if not isinstance(name := getattr(self, role), str):
                raise InputError(f"{role} is a {type(name).__name__}; give the name of a field, several as 'a,b'")
        if self.html not in ("text", "keep"):
            raise InputError(f"html is {self.html!r}; give 'text' (remove tags from fields) or 'keep'")
        if unknown := set(self.strip) - set(STRIPPERS):
            raise InputError(f"cannot strip {sorted(unknown)}: give a list of some of {', '.join(STRIPPERS)}")
        if self.encoding and not is_known(self.encoding):
            raise InputError(
                f"encoding is {self.encoding!r}; give the Python name of an encoding for texts that are not Unicode: "
                f"{EXAMPLES}"
            )

    def texts(self, known: Collection[str]) -> list[str]:
        """Return the text fields: the name as a whole if it is a field, else its parts between commas."""
        exact = name_among(known, self.text)
        if exact in known or "," not in self.text:
            return [exact]
        return [name_among(known, name.strip()) for name in self.text.split(",") if name.strip()] or [self.text]

    def requested(self, known: Collection[str]) -> list[tuple[str, str]]:
        """Return the roles with their requested fields."""
        return [("text", name) for name in self.texts(known)] + [
            (role, name_among(known, getattr(self, role))) for role in _ROLES
        ]

    def require(self, known: Iterable[str], source: str) -> None:
        """Raise CorpusError, with the known fields, if a requested field is missing."""
        known = list(known)
        for role, name in self.requested(known):
            if not holds(known, name) and (role == "text" or name not in (role, "")):
                encoding = misread(known, name)
                remedy = f"; give --encoding {encoding}, or in Python encoding={encoding!r}"
                advice = f"the fields are {_quoted(known)}{remedy if encoding else hint(role, name, known)}"
                if any(len(field) > _LONGEST_NAME for field in known):
                    advice = (
                        f"its first row, {_quoted(known)}, does not look like field names; add a row of names above it"
                    )
                raise MissingFieldError(f"{source}: no field {name!r} for the {role}; {advice}", known)

    def header(self, names: list[str], source: str) -> list[str]:
        """Return the names of a header as `unambiguous`; raise CorpusError as `require`."""
        self.require(names, source)
        return self.unambiguous(names, source)

    def unambiguous(self, header: list[str], source: str) -> list[str]:
        """Return the names of a header, with a number appended to duplicates.

        Raises CorpusError if a name with a role is a duplicate: it is ambiguous.
        """
        for role, name in self.requested(header):
            if header.count(name) > 1:
                raise CorpusError(f"{source}: two columns are named {name!r}, the {role}; rename one of them")
        return numbered(header, "{} ({})")


@lru_cache(64)  # records usually share their fields
def _roles(fields: Fields, known: tuple[str, ...]) -> Roles:
    """Return the roles of the `known` fields."""
    identity, title, label = (name_among(known, name) for name in (fields.id, fields.title, fields.label))
    used = (identity, title, *(texts := fields.texts(known)))
    others = [(name, plain(str(name))) for name in known if name not in used]
    within = any("." in name and name not in known for name in (*used, label))
    return Roles(identity, title, label, texts, others, within)


def _quoted(known: list[str]) -> str:
    cut = (name if len(name) <= _LONGEST_NAME else name[:_LONGEST_NAME] + "…" for name in known[:20])
    return ", ".join(map(repr, cut))


def name_among(known: Collection[str], wanted: str) -> str:
    """Return the only known name that matches `wanted`, apart from case and white space.

    Returns `wanted` if none or several match.

    >>> name_among(["ID", "Text"], "text"), name_among(["Text", "TEXT"], "text"), name_among(["Text", "text"], "text")
    ('Text', 'text', 'text')
    """
    if wanted in known:
        return wanted
    alike = {name for name in known if name.casefold().split() == wanted.casefold().split()}
    if len(alike) == 1:
        return alike.pop()
    head, dot, rest = wanted.partition(".")
    return f"{name_among(known, head)}.{rest}" if dot else wanted


def holds(known: Collection[str], name: str) -> bool:
    """Return whether the field, or an outer field that may contain it, is known."""
    return outer(known, name) in known


def outer(known: Collection[str], name: str) -> str:
    """Return the field of this name, or an outer field that may contain it.

    >>> outer(["a", "b.c"], "a.x"), outer(["a", "b.c"], "b.c")
    ('a', 'b.c')
    """
    return name if name in known else name.partition(".")[0]


def value_of(row: Mapping[str, Any], name: str) -> Any:
    """Return the value of a field, None if it is missing; for a field inside lists, all its values.

    >>> value_of({"a": [{"b": "tea"}, {"b": "milk"}], "c": 1}, "a.b"), value_of({"c": 1}, "c.d")
    (['tea', 'milk'], None)
    """
    if name in row or "." not in name:
        return row.get(name)
    head, _, rest = name.partition(".")
    return _within(row.get(head), rest)


class Texts(list[Any]):
    """Values from the items of a list, later joined to one text."""


def _within(value: Any, name: str) -> Any:
    value = _in_json(value)
    if isinstance(value, dict):
        return value_of(value, name)
    if not isinstance(value, list):
        return None
    values = [_within(item, name) for item in value]
    present = [item for part in values for item in (part if isinstance(part, Texts) else [part]) if item is not None]
    return Texts(present) if present else None


def _in_json(value: Any) -> Any:
    """Return the object or the list in a cell of JSON; another value as it is."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        with suppress(ValueError, RecursionError):
            return json.loads(value)
    return value


def document(row: dict[str, Any], number: int | str, unit: str, fields: Fields) -> Document | Skip:
    """Convert a record to a document or a skip; `unit` and `number` give its position, such as "line" and 7."""
    roles = _roles(fields, tuple(row))
    get = partial(value_of, row) if roles.within else row.get  # the common case takes a third of the time
    inside, label = [get(name) for name in roles.texts], get(roles.label)
    try:
        identity, title = words(get(roles.id)), words(get(roles.title))
        label = None if label is None else words(label)
        columns = _others(row, roles.others) if roles.others else {}
    except RecursionError:
        return Skip(f"{unit} {number}", "a field is nested too deeply")
    label = "" if label is not None and label.strip().casefold() in _MISSING_LABELS else label
    where = identity or f"{unit} {number}"
    if wrong := _wrong(row, roles.texts, inside, fields, title):
        return Skip(where, wrong, columns=columns)
    texts = [title, *map(_text, inside)]
    if sum(map(len, texts)) > LIMITS.document:
        return Skip(where, LIMITS.too_long, columns=columns)
    (title, *before, text), note = (texts, "") if fields.html == "keep" else _without_html(texts)
    head = [title, *before] if fields.join_title and roles.title not in roles.texts else before
    title = title or _first_as_title(before)
    return Document(where, identity or str(number), text, title, label, "\n\n".join(filter(None, head)), columns, note)


def _first_as_title(before: list[str]) -> str:
    """Return the first of several text fields as a title if it is a short line; else ""."""
    first = before[0].strip() if before else ""
    return first if len(first) <= 200 and "\n" not in first else ""


def _without_html(texts: list[str]) -> tuple[list[str], str]:
    """Return texts without HTML, and whether "tags" or "references" were found; "" for neither."""
    if not any("<" in text or "&" in text for text in texts):  # the common case
        return texts, ""
    read = [field_text(text) for text in texts]
    return [text for text, _ in read], max(html for _, html in read)


def words(value: Any) -> str:
    """Return a value as text: "" for null and NaN, lists joined by commas, objects as JSON."""
    if isinstance(value, str):
        return value if value.isascii() and "\r" not in value and "\0" not in value else plain(value)
    if value is None or (isinstance(value, float) and isnan(value)):
        return ""
    if isinstance(value, bytes):
        return decode(value)
    if isinstance(value, list):
        return ", ".join(map(words, value))
    if isinstance(value, dict):
        with suppress(TypeError, ValueError):  # an object of a program: keys that are not strings, or a cycle
            return plain(json.dumps(value, ensure_ascii=False, default=words))
    return plain(str(value))


def _text(value: Any) -> str:
    """Return the text of a field; values from several list items are separated by empty lines."""
    if isinstance(value, Texts):
        return "\n\n".join(filter(None, map(_text, value)))
    if isinstance(value, str) or not _is_rich(value):
        return words(value)
    sign = "" if any(isinstance(piece, dict) for piece in value) else "\n"
    return sign.join(words(piece["text"] if isinstance(piece, dict) else piece) for piece in value)


def _is_rich(value: Any) -> bool:
    """Return whether a value is a text in pieces: its paragraphs, or runs with a format, as chat programs write it."""
    pieces = value if isinstance(value, list) else [None]
    return all(isinstance(piece.get("text") if isinstance(piece, dict) else piece, str) for piece in pieces)


def _wrong(row: dict[str, Any], names: list[str], values: list[Any], fields: Fields, title: str) -> str:
    """Return why the values of the text fields are unusable; "" if they are usable."""
    for name, value in zip(names, values, strict=True):
        if isinstance(value, str):  # the common case
            if value[:1] == "{" and isinstance(inside := _in_json(value), dict):
                return unfit(name, inside)
            continue
        for item in value if isinstance(value, Texts) else [value]:
            if isinstance(item, (list, dict)) and not _is_rich(item):
                return unfit(name, item)
    missing = values.count(None) == len(values) and not any(name in row for name in names)
    if missing and not (fields.join_title and title):
        return f"no field {fields.text!r}"
    return ""


def _others(row: dict[str, Any], others: list[tuple[str, str]]) -> dict[str, str]:
    """Return the fields `others` of a record as texts, without vectors and bytes."""
    columns = [(title, row[name]) for name, title in others if not _is_array(row[name])]
    return {title: as_cell(value) for title, value in columns[: LIMITS.columns + 1]}


def _is_array(value: Any) -> bool:
    holds_numbers = isinstance(value, list) and any(isinstance(item, int | float) for item in value)
    return holds_numbers or isinstance(value, bytes)


def as_cell(value: Any) -> str:
    """Return a value as text, cut to the cell limit of spreadsheets."""
    cell = words(value)
    return cell if len(cell) <= LIMITS.cell else cell[: LIMITS.cell - 1] + "…"


# --- Suggestions for a missing field, or one that is not a text

_OF_TEXTS = """
    text body content message description abstract comment answer question note testo tekst текст 文本 本文 内容
    beschreibung descri описание inhalt conten conteúdo conteudo nachricht mensaje mensagem messag сообщение
    kommentar coment комментарий antwort respuesta resposta réponse reponse risposta ответ
"""
"""Parts of names of text fields in large languages, likeliest first, English before others. A common prefix occurs
once: `text` covers texto and texte, `descri` covers descripción and descrizione."""


def hint(role: str, wanted: str, known: list[str]) -> str:
    """Return a hint on the field for a role; "" if nothing fits."""
    likely = next(_likely(role, wanted, known), None)
    if role != "text" or not known:
        none = "; '' means no label" if role == "label" else ""
        return f"{none}; did you mean {likely!r}?" if likely else none
    likely = likely or "NAME"
    alone = ", or add a row of names above if this is a text" if len(known) == 1 else ""
    return f"; give the field with the text: --text {quote(likely)}, or in Python text={likely!r}{alone}"


def names_of(record: Mapping[str, Any], depth: int = 3) -> Iterator[str]:
    """Yield the names of all fields, and of texts inside objects or lists of objects.

    >>> list(names_of({"id": 7, "body": {"size": 3, "text": "tea"}, "notes": [{"by": "me"}]}))
    ['id', 'body', 'body.text', 'notes', 'notes.by']
    """
    for name, value in record.items():
        yield name
        first = value[0] if isinstance(value, list) and value else value
        if isinstance(first, dict) and depth > 1:
            texts = {inner: one for inner, one in first.items() if isinstance(one, str | dict | list)}
            yield from (f"{name}.{inner}" for inner in names_of(texts, depth - 1))


def _likely(role: str, wanted: str, known: list[str]) -> Iterator[str]:
    """Yield likely fields, the best first: similar names, then usual names of text fields.

    Nested fields replace the fields that contain them.
    """
    around = {name.rpartition(".")[0] for name in known}
    known = [name for name in known if name not in around]
    yield from _named(wanted, known)
    if wanted != role:
        yield from get_close_matches(wanted, known)
    if role == "text":
        yield from (name for part in _OF_TEXTS.split() for name in _named(part, known))
    if len(known) == 1:
        yield known[0]


def _named(part: str, known: list[str]) -> list[str]:
    return [name for name in known if part.lower() in name.lower()]


def unfit(name: str, value: Any) -> str:
    """Return why an object or a list is not a text, with a text inside it as a suggestion."""
    kind, first = ("an object", value) if isinstance(value, dict) else ("a list", next(iter(value), None))
    texts = [inner for inner, one in first.items() if isinstance(one, str)] if isinstance(first, dict) else []
    likely = next((inner for part in _OF_TEXTS.split() for inner in _named(part, texts)), next(iter(texts), None))
    hint = f"; give a field inside it, such as {name}.{likely}" if likely else ""
    return f"the field {name!r} contains {kind}, not a string{hint}"
