"""TOML files that people write: read whole, and what is wrong with one is said in a sentence."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from ..errors import InputError, in_words


def read_toml(path: Path) -> dict[str, Any]:
    """Return what a TOML file holds; raises InputError, naming the file, where it cannot be read or is none."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not a TOML file: {in_words(error)}") from error
