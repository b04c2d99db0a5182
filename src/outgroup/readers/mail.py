"""Read messages (.eml), mailboxes (.mbox) and chats that WhatsApp exports, with the standard library."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesFeedParser
from email.policy import Compat32
from email.utils import parsedate_to_datetime
from typing import Any

from .documents import LIMITS, Deadline, Document, Skip, UnreadableError
from .encoding import decoded, plain
from .fields import Fields
from .json_records import Row
from .markup import html_to_text
from .source import Source, check_is_text, whole_lines

_SENDER = b"From "
_ESCAPED = re.compile(rb"^>(>*From )", re.MULTILINE)
_COLUMNS = ("From", "To", "Date")
_PIECE = 1 << 16


_CHAT = re.compile(  # "01/03/2024, 09:05 - Ana: text" or "[01.03.24, 09:05:12] Ana: text"
    r"^[\u200e\u200f\ufeff]*(?!\d\S*\d \d+[:.]\d\d[:.])\[?("  # not "01/03/2024 09:05:12 - " of a log
    r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}(?:,|(?<=/\d\d)|(?<=/\d{4})) "
    r"\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?:\s?[AaPp]\.?\s?[Mm]\.?)?)(?:\]| -) (?:([^:\n]{1,80}): )?",
    re.MULTILINE,
)
_LEVEL = re.compile(r"\b(?:DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|FATAL)\b")  # of a log, in place of a sender


class _ShortHeaders(Compat32):
    """The default policy with headers of bounded length: the library parses parameters in quadratic time."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        if name.lower().startswith("content-"):
            value = ";".join(value.split(";", LIMITS.mail_parameters)[: LIMITS.mail_parameters])
        return name, value[: LIMITS.mail_header]


def message_document(raw: bytes, where: str, fields: Fields, identity: str = "") -> Document:
    """Return a message as a document: the subject is the title, the body without attachments is the text.

    The id is `identity`, or else the Message-ID. Raises UnreadableError if parsing fails.
    """
    try:
        message = _parsed(raw)
        text, guessed = _text(message, fields.encoding)
        headers = {name: _header(message, name) for name in ("Subject", "Message-ID", *_COLUMNS)}
    except UnreadableError:
        raise
    except Exception as error:  # hostile mail makes the library raise any exception; other messages must still be read
        raise UnreadableError(f"not a readable message: {type(error).__name__}") from error
    title = headers["Subject"]
    columns = {name.lower(): headers[name] for name in _COLUMNS} | {"date": _date(headers["Date"])}
    name = identity or headers["Message-ID"].strip("<> ") or where
    head = title if fields.join_title else ""
    return Document(where, name, text, title or where, None, head, columns, "guessed" * guessed)


def _parsed(raw: bytes) -> Message[Any, Any]:
    parser, deadline = BytesFeedParser(policy=_ShortHeaders()), Deadline()
    for start in range(0, len(raw), _PIECE):
        parser.feed(raw[start : start + _PIECE])
        deadline.check()
    return parser.close()


def mailbox_documents(source: Source, fields: Fields, prefix: str = "") -> Iterator[Document | Skip]:
    """Yield the messages of a mailbox; in a folder, ids are `prefix#number`, where `prefix` is its path."""
    check_is_text(source, mark=_SENDER)
    for number, raw in enumerate(_messages(source), start=1):
        where = f"{prefix}#{number}" if prefix else f"message {number}"
        source.budget.take(rows=1)
        if raw is None:
            yield Skip(where, LIMITS.too_long)
            continue
        try:
            yield message_document(raw, where, fields, where if prefix else "")
        except UnreadableError as error:
            yield Skip(where, str(error))


def holds_chat(text: str) -> bool:
    r"""Return whether the beginning of a file is a chat.

    >>> holds_chat("1/3/24, 9:05 - Ana: tea?\n1/3/24, 9:06 - Ben: milk\n"), holds_chat("1/3/24, 9:05 - tea")
    (True, False)
    """
    if _CHAT.match(text) is None:
        return False
    senders = [match[2] for match in _CHAT.finditer(text)]
    return 2 * sum(bool(sender) and not _LEVEL.search(sender) for sender in senders) >= len(senders)


def chat_rows(source: Source, fields: Fields) -> Iterator[Row]:
    """Yield the messages of a chat with their lines joined; skip notices, which have no sender."""
    row: dict[str, Any] = {}
    begun, pieces, size = 1, list[str](), 0

    def ended() -> Iterator[Row]:
        if size > LIMITS.document:
            yield begun, Skip(f"line {begun}", LIMITS.too_long)
        elif row:
            yield begun, row | {fields.text: "".join(pieces)}

    for number, line in enumerate(whole_lines(source, fields.encoding), start=1):
        if match := _CHAT.match(line):
            yield from ended()
            sent, sender = match.groups()
            begun, row, pieces, size = number, {"date": sent, "from": sender} if sender else {}, [], 0
            line = line[match.end() :]
            if not sender:
                yield number, Skip(f"line {number}", "a notice of the chat program")
        size += len(line) if row else 0
        if row and size <= LIMITS.document:
            pieces.append(line)
    yield from ended()


def _messages(source: Source) -> Iterator[bytes | None]:
    """Yield the bytes of messages; None for one that is too long. A message begins at "From " after an empty
    line.
    """
    message, blank, size, begun = list[bytes](), True, 0, False
    with source.open() as stream:
        while line := stream.readline(LIMITS.document):
            if blank and line.startswith(_SENDER):
                if begun:
                    yield _joined(message, size)
                message, size, begun = [], 0, True
            elif begun or line.strip():
                begun, size = True, size + len(line)
                if size <= LIMITS.document:
                    message.append(line)
            blank = not line.strip()
    if begun:
        yield _joined(message, size)


def _joined(message: list[bytes], size: int) -> bytes | None:
    return None if size > LIMITS.document else _ESCAPED.sub(rb"\1", b"".join(message))


def _text(message: Message[Any, Any], encoding: str) -> tuple[str, bool]:
    """Return the text of the plain parts, or else the HTML parts, and whether an encoding was guessed."""
    parts = []
    for number, part in enumerate(_walk(message)):
        if number >= LIMITS.mail_parts:
            raise UnreadableError(f"a message with more than {LIMITS.mail_parts} parts")
        if not part.is_multipart() and part.get_content_disposition() != "attachment":
            parts.append(part)
    texts = [_payload(part, encoding) for part in parts if part.get_content_type() == "text/plain"]
    if not any(text.strip() for text, _ in texts):
        pages = [_payload(part, encoding) for part in parts if part.get_content_type() == "text/html"]
        texts = [(html_to_text(page)[1], guessed) for page, guessed in pages]
    return "\n".join(text for text, _ in texts), any(guessed for _, guessed in texts)


def _walk(message: Message[Any, Any]) -> Iterator[Message[Any, Any]]:
    """Yield a message and all its parts, without attachments."""
    yield message
    for part in message.get_payload() if message.is_multipart() else ():
        if isinstance(part, Message) and part.get_content_disposition() != "attachment":
            yield from _walk(part)


def _payload(part: Message[Any, Any], encoding: str) -> tuple[str, bool]:
    raw = part.get_payload(decode=True)
    return decoded(raw, part.get_content_charset(), encoding) if isinstance(raw, bytes) else ("", False)


def _header(message: Message[Any, Any], name: str) -> str:
    value = str(message.get(name, ""))
    with suppress(ValueError, LookupError):  # unknown encoding or broken encoded word: keep it raw
        value = str(make_header(decode_header(value)))
    return " ".join(plain(value).split())


def _date(value: str) -> str:
    """Return the date of a mail in ISO 8601; unchanged if it cannot be parsed."""
    with suppress(ValueError, TypeError, IndexError, OverflowError):
        return parsedate_to_datetime(value).isoformat()
    return value
