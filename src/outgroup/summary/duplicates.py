"""Near-duplicates: texts that differ in case, digits and punctuation only; exact ones are `Corpus.duplicates`."""

from __future__ import annotations

import re
from collections.abc import Sequence

_LETTERS = 40  # fewest letters of a text that may be a near-duplicate: in short ones digits and signs matter
_OTHER_ASCII = bytes(sign for sign in range(128) if not chr(sign).isalpha())


def near_duplicates(ids: Sequence[str], texts: Sequence[str]) -> list[list[str]]:
    """Return the ids of each set of near-duplicates; sets of exact duplicates are left out.

    >>> text = "the parcel is on its way and arrives on Monday morning"
    >>> near_duplicates(["a", "b", "c", "d"], [f"17: {text}", "Tea", f"9 - {text}", "Tea"])
    [['a', 'c']]
    """
    alike: dict[str, dict[str, list[str]]] = {}
    for identity, text in zip(ids, texts, strict=True):
        alike.setdefault(near_duplicates_key(text), {}).setdefault(text, []).append(identity)
    return [[identity for same in equal.values() for identity in same] for equal in alike.values() if len(equal) > 1]


def near_duplicates_key(text: str) -> str:
    """Return the lower-case letters of a text, a key that near-duplicates share; short texts stay unchanged.

    >>> near_duplicates_key("Order 17: the parcel is on its way and arrives on Monday.") == near_duplicates_key(
    ...     "ORDER 9 - the parcel is on its way, and arrives on Monday")
    True
    >>> near_duplicates_key("Line 1")
    'Line 1'
    """
    if text.isascii():  # ten times as fast
        letters = text.encode().translate(None, _OTHER_ASCII).decode().lower()
    else:
        letters = re.sub(r"[\W\d_]+", "", text.casefold())
    return letters if len(letters) >= _LETTERS else text
