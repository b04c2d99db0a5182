"""Decode bytes in any encoding; decoding never fails, and marks invalid bytes."""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterable

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16: its mark begins with that of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\b\x1b")) + b"\x7f"
_BEYOND_ASCII = bytes(range(128, 256))
_LOOKED_AT = 8192
_ALPHABETS = "\u2000"  # alphabets lie below; two ASCII bytes read as UTF-16 mostly lie above
_ASCII = b"\\n" + bytes(sign for sign in range(128) if sign != 0x5C)  # the backslash is escaped
_NO_TEXT = {"Cc", "Cn", "Co", "Cs"}  # categories: control, unassigned, private use, surrogate

EXAMPLES = (
    "cp1250 (Polish, Czech), cp1253 (Greek), cp1254 (Turkish), cp1251 (Russian), gb18030 (Chinese), cp932 (Japanese), "
    "cp949 (Korean) or cp874 (Thai)"
)
"""Common encodings, for messages."""


def unicode_encoding(head: bytes) -> str | None:
    """Return the encoding by the byte order mark, or UTF-16 if the pattern of zero bytes indicates it; else None.

    Examples
    --------
    >>> unicode_encoding("tea".encode("utf-16")), unicode_encoding("black tea".encode("utf-16-be"))
    ('utf-16', 'utf-16-be')
    """
    marked = next((encoding for mark, encoding in _BYTE_ORDER_MARKS if head.startswith(mark)), None)
    if marked or b"\0" not in head[:_LOOKED_AT]:
        return marked
    return next((encoding for encoding in ("utf-16-le", "utf-16-be") if _is_text(head[:_LOOKED_AT], encoding)), None)


def _is_text(head: bytes, encoding: str) -> bool:
    """Return whether the bytes decode as UTF-16 to letters of an alphabet."""
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(head)  # the last character may be cut
    except UnicodeDecodeError:
        return False
    strange = any(unicodedata.category(sign) in _NO_TEXT and not sign.isspace() for sign in text)
    return len(text) >= 4 and not strange and 4 * sum(sign < _ALPHABETS for sign in text) >= 3 * len(text)


def is_noise(raw: bytes) -> bool:
    r"""Return whether the bytes near the beginning are not text in any encoding.

    More than one control character in ten is noise, or one in fifty if the bytes are not UTF-8. A few zero bytes in
    text pass: some programs write them.

    Examples
    --------
    >>> is_noise(b"id,text\n1,one \0 zero in a table\n"), is_noise(bytes(range(256)))
    (False, True)
    """
    head = raw[:_LOOKED_AT]
    controls = len(head) - len(head.translate(None, _CONTROLS))
    is_utf8 = _as_unicode(head.rstrip(_BEYOND_ASCII)) is not None  # the last character may be incomplete
    return not unicode_encoding(head) and (10 if is_utf8 else 50) * controls > len(head)


def decode(raw: bytes, declared: str | None = None, fallback: str = "") -> str:
    r"""Decode bytes to text with line feeds as line ends.

    Tries in order: the byte order mark; UTF-16 with zero bytes; UTF-8, if the bytes are valid or nearly valid (broken
    characters become U+FFFD); the declared encoding; the fallback; Windows-1252; Latin-1, which maps every byte.

    Parameters
    ----------
    raw : bytes
    declared : str, optional
        The encoding that the document declares; ignored if Python does not know it or it does not fit.
    fallback : str, default ""
        The encoding that the user gives; ignored if it does not fit.

    Examples
    --------
    >>> decode("crème\r\n".encode()), decode("crème".encode("latin-1"))
    ('crème\n', 'crème')
    >>> decode("crème brûlée".encode() + b"\xff") == "crème brûlée\ufffd"
    True
    """
    return decoded(raw, declared, fallback)[0]


def decoded(raw: bytes, declared: str | None = None, fallback: str = "") -> tuple[str, bool]:
    """Return the result of `decode`, and whether the encoding is a guess.

    Examples
    --------
    >>> decoded("crème".encode()), decoded("crème".encode("latin-1"))
    (('crème', False), ('crème', True))
    """
    unicode = _as_unicode(raw)
    text, guessed = _by_name(raw, declared, fallback) if unicode is None else (unicode, False)
    return plain(text), guessed


def guessed_in_words(count: str) -> str:
    """Return a note on texts with a guessed encoding, with a remedy."""
    return (
        f"{count} not UTF-8, and decoded as Windows-1252; if letters look wrong, give the encoding, such as "
        f"{EXAMPLES}: --encoding NAME, or in Python encoding='NAME'"
    )


_LEGACY = [*re.findall(r"\w+(?= \()", EXAMPLES), "big5", "euc_jp", "koi8_r", "cp866", "cp1255", "cp1256", "cp852"]


def misread(names: Iterable[str], wanted: str) -> str:
    """Return an encoding in which one of the names, decoded as Windows-1252, is the name `wanted`; "" if none is.

    Examples
    --------
    >>> misread(["id", "正文".encode("gb18030").decode("latin-1")], "正文"), misread(["id", "body"], "正文")
    ('gb18030', '')
    """
    if wanted.isascii():
        return ""
    raw = [name.encode(western, "ignore") for name in names for western in ("cp1252", "latin-1")]
    return next((legacy for legacy in _LEGACY if any(code.decode(legacy, "ignore") == wanted for code in raw)), "")


def is_known(encoding: str) -> bool:
    """Return whether Python knows the encoding, and it encodes ASCII unchanged, which the delimiters need.

    Examples
    --------
    >>> is_known("cp1250"), is_known("gb18030"), is_known("utf-16"), is_known("polish")
    (True, True, False, False)
    """
    try:
        return _ASCII.decode(encoding) == _ASCII.decode("ascii")
    except (LookupError, ValueError):
        return False


def plain(text: str) -> str:
    r"""Return the text with line feeds as line ends, without zero bytes, and with lone surrogates as U+FFFD.

    Examples
    --------
    >>> plain("one\r\ntwo\rth\0ree"), plain("\ud83d\ude00") == "\U0001f600", plain("\ud800") == "\ufffd"
    ('one\ntwo\nthree', True, True)
    """
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = text.replace("\0", "")
    return re.sub(r"\r\n?", "\n", text) if "\r" in text else text


def _as_unicode(raw: bytes) -> str | None:
    """Decode UTF-16, UTF-32 or UTF-8; return None if the bytes are none of these."""
    known = unicode_encoding(raw)
    if known:
        return raw.decode(known, "replace")
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return _nearly_utf8(raw)


def _nearly_utf8(raw: bytes) -> str | None:
    """Decode as UTF-8 with invalid characters marked; None if they outnumber the valid ones."""
    text = raw.decode("utf-8", "replace")
    beyond_ascii = len(text) - len(text.encode("ascii", "ignore"))
    return text if beyond_ascii > 2 * text.count("\ufffd") else None


def _by_name(raw: bytes, declared: str | None, fallback: str) -> tuple[str, bool]:
    for encoding, guessed in ((declared, False), (fallback, False), ("cp1252", True)):
        try:
            if encoding:
                return raw.decode(encoding), guessed
        except (UnicodeError, LookupError):
            continue
    return raw.decode("latin-1"), True
