"""Lines that stand in many texts: signatures, disclaimers, notes on cookies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from hashlib import blake2b

SHARE = 0.01  # of the texts that hold a repeated line, at least
LEAST = 10  # texts that hold it, at least
SHORTEST = 10  # characters of it


def repeated_lines(texts: Sequence[str]) -> list[tuple[str, int]]:
    """Return the lines in at least 1 % of the texts, and in 10, with the number of texts, the most frequent first.

    Equal texts count once, texts of one line not at all, nor do lines of fewer than 10 characters. Runs of spaces are
    one space.

    >>> texts = [f"Order {number}\\nSent from my  phone" for number in range(12)] + ["Sent from my phone"]
    >>> repeated_lines(texts)
    [('Sent from my phone', 12)]
    """
    distinct = set(texts)
    lines = (dict.fromkeys(filter(None, map(_plain, text.splitlines()))) for text in distinct if "\n" in text)
    counts = Counter(line for each in lines if len(each) > 1 for line in each if len(line) >= SHORTEST)
    least = max(LEAST, SHARE * len(distinct))
    return sorted(
        ((line, count) for line, count in counts.items() if count >= least), key=lambda each: (-each[1], each)
    )


def digest(line: str) -> str:
    """Return a digest of a line, so that a model recognises the line without storing it."""
    return blake2b(_plain(line).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def without_lines(text: str, dropped: Collection[str]) -> str:
    """Return a text of several lines without those of the digests `dropped`.

    >>> without_lines("Tea\\nSent from my phone", {digest("Sent from my phone")})
    'Tea'
    """
    lines = text.splitlines()
    return "\n".join(line for line in lines if digest(line) not in dropped) if len(lines) > 1 else text


def _plain(line: str) -> str:
    return " ".join(line.split())
