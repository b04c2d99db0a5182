"""Read JSON records: an object per line, or an array of objects."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..errors import CorpusError, in_words, warn
from .documents import LIMITS, Skip
from .fields import Fields, holds, names_of, value_of, words
from .source import Source, lines, repaired, text_stream

Row = tuple[int | str, dict[str, Any] | Skip]
"""The line, row or item number of a record, and its fields."""

_PIECE = 1 << 16
_IDS = 20  # texts by id, at least: a record may have fewer fields
_NAMES = 100  # known names, above which nested names are no longer collected
_DECODER = json.JSONDecoder()
_SIGN = re.compile(r"[^\s\ufeff]")
_BEGINS = re.compile(r'\{\s*(?:["}]|$)|\[\s*(?:[\[{"\]]|null\b|$)')  # not a line such as "[worker-3] disk full"
_CUT = re.compile(r"u[\da-fA-F]*|[-+.\deE]*|tr?u?|fa?l?s?|nu?l?")  # an escape, a number or a word


def holds_json(text: str) -> bool:
    r"""Return whether the beginning of a file is JSON: its first value, up to a line end, or as far as it goes.

    >>> holds_json('{"text": "tea"}\n'), holds_json('[{"text": "te'), holds_json('{"text": "tea"} in the log')
    (True, True, False)
    """
    if not _BEGINS.match(text):
        return False
    try:
        end = _DECODER.raw_decode(text)[1]
    except json.JSONDecodeError as error:
        return error.msg.startswith("Unterminated string") or _CUT.fullmatch(text, error.pos) is not None
    except (ValueError, RecursionError):  # a number or a depth beyond the limits of Python
        return True
    return text[end:].lstrip(" \t\r")[:1] in ("", "\n", "[", "{", ",")  # more values may follow


def line_rows(source: Source, fields: Fields) -> Iterator[Row]:
    """Yield the objects of a JSON Lines file."""
    yield from requiring(_in_lines(source, fields), source, fields)


def requiring(rows: Iterable[Row], source: Source, fields: Fields) -> Iterator[Row]:
    """Yield rows, and raise CorpusError at their end if none of them has a requested field."""
    known: dict[str, None] = {}
    for number, row in rows:
        if isinstance(row, dict):
            known.update(dict.fromkeys(row if len(known) > _NAMES else names_of(row)))
        yield number, row
    if known:
        fields.require(known, source.name)


def _in_lines(source: Source, fields: Fields) -> Iterator[Row]:
    for number, line in lines(source, fields.encoding):
        if line is None:
            yield number, Skip(f"line {number}", LIMITS.too_long)
        elif line.strip():
            place = f"{source.name}, line {number}"
            yield number, _record(_read(_DECODER.decode, line, place, _SEVERAL), fields, place)


_SEVERAL = "; if a value has several lines, rename the file to .json"


def file_rows(source: Source, fields: Fields) -> Iterator[Row]:
    """Yield the items of arrays and the objects of a file, or of the arrays of records in its object."""
    with source.open() as stream, text_stream(stream) as text:
        values = _Values(text, source.name)
        is_stream = values.peek() == "[" or _is_a_record(values, fields)
    items = _items(source) if is_stream else enumerate(_items_within(source, fields), start=1)
    yield from requiring(_records(items, source, fields), source, fields)


def _is_a_record(first: _Values, fields: Fields) -> bool:
    """Return whether a file begins with a record, rather than with an object that contains the list of records."""
    try:
        record = first.value(1)
    except CorpusError:
        return False
    if not isinstance(record, dict):
        return False
    is_only = not first.peek()
    if is_only and next(_lists_of_records(record, fields), None) is not None:
        return False
    return any(holds(record, name) and not isinstance(value_of(record, name), dict) for name in fields.texts(record))


def _records(items: Iterable[tuple[int, Any]], source: Source, fields: Fields) -> Iterator[Row]:
    """Yield numbered items as records; lists are the rows of a table, the first of them its header."""
    header: list[str] = []
    for number, item in items:
        if not isinstance(item, list):
            yield number, _record(item, fields, f"{source.name}, item {number}")
        elif not header:
            header = fields.header(list(map(words, item)), source.name)
        elif len(item) == len(header):
            yield number, dict(zip(header, item, strict=True))
        else:
            raise CorpusError(
                f"{source.name}, item {number}: {len(item)} values, but the first list, the header, has {len(header)}"
            )


def _items(source: Source) -> Iterator[tuple[int, Any]]:
    """Yield the items of arrays and the values beside them; only one item is in memory at a time."""
    with source.open() as stream, text_stream(stream) as text:
        values, number = _Values(text, source.name), 1
        while sign := values.peek():
            if sign != "[":
                yield number, values.value(number)
                number += 1
                continue
            values.skip("[", number)
            while values.peek() != "]":
                yield number, values.value(number)
                number += 1
                if values.peek() != "]":  # a comma may also end the list
                    values.skip(",", number)
            values.skip("]", number)


def _items_within(source: Source, fields: Fields) -> list[Any]:
    """Return the items in objects, together at most as long as one document: those of their lists of records, at any
    depth, the rows of a table that pandas wrote by column, by key or in parts, or texts by their ids.
    """
    with source.open() as stream, text_stream(stream) as text:
        size = len(text.read(LIMITS.document + 1))
    if size > LIMITS.document:
        most = f"JSON in another structure may have at most {LIMITS.document:,} characters"
        raise CorpusError(f"{source.name}: {_ARRAY}; {most}")
    values = [value for _, value in _items(source)] or [{"": []}]
    if len(values) > 1:  # one after another: records, or objects with lists of them
        return [
            item for value in values for part in list(_lists_of_records(value, fields)) or [[value]] for item in part
        ]
    value = values[0]
    if not isinstance(value, dict):
        raise CorpusError(f"{source.name}: {_ARRAY}, found a {type(value).__name__}")
    if isinstance(value.get("columns"), list) and isinstance(value.get("data"), list):
        return [value["columns"], *value["data"]]
    if value and all(isinstance(part, dict) for part in value.values()):
        column = value.get(fields.texts(value)[0])
        if column is not None and all(part.keys() == column.keys() for part in value.values()):
            return [{name: part.get(key) for name, part in value.items()} for key in column]
        if any(_has_text(part, fields) for part in value.values()):
            return [{fields.id: key} | part for key, part in value.items()]
    if value and fields.text == Fields.text and all(isinstance(part, str | None) for part in value.values()):
        if len(value) < _IDS:
            raise CorpusError(f"{source.name}: {_ARRAY} or JSON Lines, found an object of {len(value)} texts")
        warn(f"{source.name}: the values of the object were read as texts, and its names as ids")
        return [{fields.id: key, fields.text: part} for key, part in value.items()]
    lists = list(_lists_of_records(value, fields))
    if len(lists) > 1:
        warn(f"{source.name}: {len(lists):,} lists of records were read as one collection")
    elif not lists:
        lists = [part for part in value.values() if isinstance(part, list)]
        if len(lists) != 1:
            return [value]
    return [item for part in lists for item in part]


def _lists_of_records(value: Any, fields: Fields, depth: int = 8) -> Iterator[list[Any]]:
    """Yield the lists whose items have the text field."""
    if isinstance(value, list) and any(_has_text(item, fields) for item in value):
        yield value
    elif isinstance(value, list | dict) and depth:
        for part in value if isinstance(value, list) else value.values():
            yield from _lists_of_records(part, fields, depth - 1)


def _has_text(item: Any, fields: Fields) -> bool:
    return isinstance(item, dict) and any(holds(item, name) for name in fields.texts(item))


_ARRAY = 'expected an array such as [{"text": ...}, ...]'


class _Values:
    """A buffer over the text of values; it holds a piece of the text, or a long item."""

    def __init__(self, text: Any, name: str) -> None:
        self._text, self._name, self._buffer, self._at = text, name, "", 0

    def peek(self) -> str:
        """Return the next character that is not white space; "" at the end."""
        while True:
            match = _SIGN.search(self._buffer, self._at)
            if match:
                self._at = match.start()
                return match.group()
            self._at = len(self._buffer)
            if not self._more(_PIECE):
                return ""

    def skip(self, sign: str, number: int) -> None:
        if self.peek() != sign:
            place = f"{self._name}, item {number}"
            raise CorpusError(f"{place}: invalid JSON: {sign!r} is missing; is the file complete?")
        self._at += 1

    def value(self, number: int) -> Any:
        """Parse the value that begins at the next character."""
        self.peek()
        size = _PIECE
        while True:
            try:
                value, end = _DECODER.raw_decode(self._buffer, self._at)
            except (ValueError, RecursionError):
                value, end = None, len(self._buffer)
            if end < len(self._buffer):  # a number at the end may be incomplete
                self._at = end
                return value
            if len(self._buffer) - self._at > LIMITS.document or not self._more(size):
                self._at, rest = end, self._buffer[self._at :]
                return _read(_DECODER.raw_decode, rest, f"{self._name}, item {number}")[0]
            size *= 2

    def _more(self, size: int) -> bool:
        piece = repaired(self._text.read(size))
        self._buffer, self._at = self._buffer[self._at :] + piece, 0
        return bool(piece)


def _record(value: Any, fields: Fields, place: str) -> dict[str, Any]:
    """Return an object, or a text alone as one; else raise an error with its `place`."""
    if isinstance(value, dict):
        return value
    if value is None or isinstance(value, str):
        return {fields.text: value}
    found = "a list; rename the file to .json" if isinstance(value, list) else f"a {type(value).__name__}"
    raise CorpusError(f'{place}: expected an object such as {{"text": ...}}, found {found}')


def _read(parse: Callable[[str], Any], text: str, place: str, remedy: str = "") -> Any:
    try:
        return parse(text)
    except json.JSONDecodeError as error:
        extra = error.msg == "Extra data"
        wrong = "more text follows the value" if extra else error.msg
        rows = "; put the values into an array, or one a line into a .jsonl file"
        remedy = remedy or (rows if extra else "; is the file complete?")
        raise CorpusError(f"{place}: invalid JSON at column {error.colno}: {wrong}{remedy}") from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, thousands of brackets
        raise CorpusError(f"{place}: unreadable JSON: {in_words(error)}") from error
