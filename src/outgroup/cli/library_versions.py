"""Versions of the libraries behind a result, for `outgroup --version` and run.json."""

from __future__ import annotations

import platform
from importlib.metadata import version

from .._native.products import describe

_LIBRARIES = ("outgroup", "numpy", "scipy", "scikit-learn", "piqp")


def versions() -> dict[str, str]:
    """Return the versions of the libraries and of Python, and the kernels in use, by name."""
    return {name: version(name) for name in _LIBRARIES} | {"python": platform.python_version(), "kernels": describe()}
