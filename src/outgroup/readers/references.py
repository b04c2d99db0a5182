"""Read references: tagged records (RIS, PubMed, Web of Science, EndNote) and BibTeX, told apart by their content."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import chain
from typing import Any

from ..errors import CorpusError
from .documents import LIMITS
from .fields import Fields
from .json_records import Row, requiring
from .source import Source, whole_lines

_FORMS = (  # the line that begins a record, and a line with a tag and its value
    (re.compile(r"TY {1,2}- "), re.compile(r"([A-Z][A-Z0-9]) {1,2}-(?: (.*)|)")),  # RIS
    (re.compile(r"PMID *- "), re.compile(r"([A-Z]{2,4}) {0,2}- (.*)")),
    (re.compile(r"PT [A-Z]\s"), re.compile(r"([A-Z][A-Z0-9])(?: (.*)|)")),  # Web of Science
    (re.compile(r"%0 "), re.compile(r"%(\S)(?: (.*)|)")),  # EndNote
)
_BEGINNING = re.compile(
    r"\s*(?:%0 [^\n]*\n%\S |(?:FN [^\n]*\n(?:VR [^\n]*\n)?)?PT [A-Z]\r?\n|"
    r"(?:%[^\n]*\s+)*@(?:(?i:comment|preamble|string)\s*\{|\w+\s*\{\s*[^\s,{}()\"]*\s*,))|"
    r"(?:.*?^)?(?:TY {1,2}- |PMID *- )[^\n]*\n\s*[A-Z][A-Z0-9]{1,3} {0,2}-\s",  # a single such line may be prose
    re.MULTILINE | re.DOTALL,
)
_ENDS = {"ER", "EF"}

_ROLES = {
    "text": ("AB", "N2", "X", "abstract"),
    "title": ("TI", "T1", "T", "title"),
    "id": ("DO", "DI", "R", "PMID", "UT", "AN", "ID", "M", "key"),
}
"""The tags for the text, the title and the id by default, the first that a record has."""

_Record = dict[str, list[str]]
_Lines = Iterator[tuple[int, str]]


def holds_references(text: str) -> bool:
    r"""Return whether the beginning of a file has references.

    >>> holds_references("TY  - JOUR\nTI  - Tea\n"), holds_references("@article{tea,"), holds_references("TY is late")
    (True, True, False)
    """
    return _BEGINNING.match(text) is not None


def reference_rows(source: Source, fields: Fields) -> Iterator[Row]:
    """Yield the references: values by tag, several of a tag joined by semicolons.

    Without such fields, `text`, `title` and `id` are the abstract, the title, and the DOI or another number. Raises
    CorpusError for a file without references, or for an incomplete one.
    """
    records = ({name: "; ".join(values) for name, values in record.items()} for record in _records(source, fields))
    yield from requiring(enumerate((_with_roles(record, fields) for record in records), start=1), source, fields)


def _records(source: Source, fields: Fields) -> Iterator[_Record]:
    """Yield the records after the lines of a database above the first one."""
    lines, empty = enumerate(whole_lines(source, fields.encoding), start=1), True
    for at, line in lines:
        line = line.removeprefix("\ufeff")
        if line.lstrip().startswith("@"):
            return (yield from _entries(source, at, _bounded(source, chain([(at, line)], lines))))
        for begins, tagged in _FORMS:
            if begins.match(line):
                return (yield from _tagged(source, chain([(at, line)], lines), begins, tagged))
        empty = empty and not line.strip()
    if not empty:
        raise CorpusError(
            f"{source.name} holds no reference in the form of RIS, PubMed, Web of Science, EndNote or BibTeX"
        )


def _with_roles(record: dict[str, str], fields: Fields) -> dict[str, Any]:
    """Return a record with the default fields in place of their first tags."""
    row: dict[str, Any] = dict(record)
    requested = {fields.id, fields.title, fields.label, *fields.texts(record)}
    for role, tags in _ROLES.items():
        tag = next((tag for tag in tags if tag in row and tag not in requested), None)
        if getattr(fields, role) == role and role not in row:
            row[role] = "" if tag is None else row.pop(tag)
    return row


def _tagged(source: Source, lines: _Lines, begins: re.Pattern[str], tagged: re.Pattern[str]) -> Iterator[_Record]:
    """Yield tagged records; a line without a tag continues the value above it."""
    pieces, size = list[tuple[str, list[str]]](), 0
    for at, line in lines:
        match = tagged.fullmatch(line.rstrip())
        if begins.match(line) or (match and match[1] in _ENDS):
            if pieces:
                yield _joined(pieces)
            pieces, size = [], 0
        elif not pieces and match:
            raise CorpusError(f"{source.name}, line {at}: a reference without its first line, such as TY")
        size += len(line)
        if size > LIMITS.document:
            raise CorpusError(f"{source.name}, line {at}: a reference is {LIMITS.too_long}; its end is missing")
        if match and match[1] not in _ENDS:
            pieces.append((match[1], [(match[2] or "").strip()]))
        elif pieces and line.strip() and not match:
            pieces[-1][1].append(line.strip())
    if pieces:
        yield _joined(pieces)


def _joined(pieces: list[tuple[str, list[str]]]) -> _Record:
    record: _Record = {}
    for tag, parts in pieces:
        record.setdefault(tag, []).append(" ".join(parts))
    return record


# --- BibTeX

_ENTRY = re.compile(r"[ \t,]*@\s*(\w+)\s*([{(])\s*([^\s,{}()\"]*)")
_LINE = re.compile(f"^{_ENTRY.pattern}", re.MULTILINE)  # not after a percent sign or prose
_NOT_ENTRIES = {"comment", "preamble", "string"}


def _bounded(source: Source, lines: _Lines) -> str:
    pieces, size = list[str](), 0
    for at, line in lines:
        size += len(line)
        if size > LIMITS.document:
            raise CorpusError(
                f"{source.name}, line {at}: BibTeX may have at most {LIMITS.document:,} characters; split the file"
            )
        pieces.append(line)
    return "".join(pieces)


def _entries(source: Source, first: int, text: str) -> Iterator[_Record]:
    """Yield the entries with their types and keys, without definitions; text between them is a comment."""
    at = 0
    while entry := _ENTRY.match(text, at) or _LINE.search(text, at):
        at, kind = entry.end(), entry[1].lower()
        if kind in _NOT_ENTRIES:
            at = _end_of(text, entry.start(2)) if entry[2] == "{" else at
            continue
        record: _Record = {"type": [kind], "key": [entry[3]]}
        while field := _FIELD.match(text, at):
            value, at = _value(text, field.end())
            record.setdefault(field[1].lower(), [_readable(value)])
        end = _END.match(text, at)
        if end is None:
            place = f"{source.name}, line {first + text[: entry.start()].count(chr(10))}"
            if not text[at:].strip():
                raise CorpusError(f"{place}: the braces {{...}} of this entry are not closed; is the file complete?")
            rest = text[at : at + 40].strip()
            raise CorpusError(f"{place}: the entry {entry[3]!r:.60} has no field at {rest!r}; write NAME = {{VALUE}},")
        at = end.end()
        yield record


_FIELD = re.compile(r"[\s,]*([\w:.+/-]+)\s*=\s*")
_END = re.compile(r"[\s,]*[})]")
_JOIN = re.compile(r"\s*#\s*")
_PLAIN = re.compile(r"[^\s,{}\"#]+")


def _value(text: str, at: int) -> tuple[str, int]:
    """Return a value in brackets, in quotes or without both, with values joined to it by "#", and its end."""
    values = []
    while True:
        end = _end_of(text, at)
        values.append(text[at + 1 : end - 1] if text[at : at + 1] in ("{", '"') else text[at:end])
        rest = _JOIN.match(text, end)
        if rest is None:
            return "".join(values), end
        at = rest.end()


def _end_of(text: str, at: int) -> int:
    begins = text[at : at + 1]
    if begins not in ("{", '"'):
        match = _PLAIN.match(text, at)
        return match.end() if match else at
    depth = 0
    for place in _SIGNS.finditer(text, at + (begins == '"')):
        depth += {"{": 1, "}": -1}.get(place.group(), 0)
        if depth == 0 and place.group() == ("}" if begins == "{" else '"'):
            return place.end()
    return len(text)


_SIGNS = re.compile(r"(?<!\\)[{}\"]")
_MARKS = "\u0300\u0301\u0302\u0308\u0303\u0304\u0307\u0306\u030c\u030b\u0327\u0328"
_ACCENTS = dict(zip("`'^\"~=.uvHck", _MARKS, strict=True))
_ACCENT = re.compile(r"\\(?:([`'^\"~=.])|([uvHck])(?![a-zA-Z]))\s*\{?\\?([A-Za-z])\}?")
_LETTERS = dict(zip(("ss", "ae", "AE", "oe", "OE", "o", "O", "aa", "AA", "l", "L"), "ßæÆœŒøØåÅłŁ", strict=True))
_COMMAND = re.compile(r"\\([A-Za-z]+)\s*")


def _readable(value: str) -> str:
    """Return a value of BibTeX as plain text.

    >>> _readable(r"The {DNA} of M{\\"u}ller \\& {\\ss}")
    'The DNA of Müller & ß'
    """
    if "\\" in value:
        value = _ACCENT.sub(lambda match: match[3] + _ACCENTS[match[1] or match[2]], value)
        value = _COMMAND.sub(lambda match: _LETTERS.get(match[1], ""), value)
        value = re.sub(r"\\([^\w\s])", r"\1", value)
    return unicodedata.normalize("NFC", " ".join(value.replace("{", "").replace("}", "").split()))
