"""What a result depends on: told by `outgroup --version`, and kept in its record."""

from __future__ import annotations

import platform
from importlib.metadata import version

from .._native.products import describe

_LIBRARIES = ("outgroup", "numpy", "scipy", "scikit-learn", "piqp")


def versions() -> dict[str, str]:
    """Return what a result depends on, by name: libraries, and who does the sparse products."""
    return {name: version(name) for name in _LIBRARIES} | {"python": platform.python_version(), "kernels": describe()}
