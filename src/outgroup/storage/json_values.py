"""Parse untrusted JSON; every defect raises ValueError."""

from __future__ import annotations

import json
from typing import Any


def parse_json(raw: str | bytes) -> Any:
    """Return the value of a JSON text.

    Raises ValueError, in words, also for text that is not UTF-8, and where values are nested too deep: code that walks
    through them would raise RecursionError.
    """
    try:
        found = json.loads(raw)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error
    level = [found]
    for _ in range(64):  # nested levels; files of outgroup have at most eight
        level = [each for each in level if type(each) is dict or type(each) is list]
        if not level:
            return found
        level = [part for each in level for part in (each.values() if type(each) is dict else each)]
    raise ValueError("it is nested too deep")
