"""Read TOML files, with errors that name the file and the defect, and write values."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from ..errors import InputError, in_words


def read_toml(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file; raises InputError with the file name if unreadable or invalid."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not a TOML file: {in_words(error)}") from error


def toml_value(value: Any) -> str:
    """Return a string, a number or a list of them as TOML: JSON, but for one control character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
