"""The versions, kernels, threads and extras of this installation."""

from __future__ import annotations

import os
import platform
import re
from collections import defaultdict
from importlib.metadata import PackageNotFoundError, requires, version

from .._native.products import describe
from ..rows.threads import n_threads

_LIBRARIES = ("outgroup", "numpy", "scipy", "scikit-learn", "piqp")


def versions() -> dict[str, str]:
    """Return the versions of Python and the libraries that affect results, and the kernels in use, by name."""
    return {name: version(name) for name in _LIBRARIES} | {"python": platform.python_version(), "kernels": describe()}


def lines() -> list[str]:
    """Return a line each for versions, kernels, threads, and the extras that are installed and incomplete."""
    numbers = versions()
    kernels, missing = numbers.pop("kernels"), _missing()
    complete = [extra for extra, names in missing.items() if not names]
    return [
        ", ".join(f"{name} {number}" for name, number in numbers.items()),
        f"kernels: {kernels}",
        f"threads: {n_threads()} of {os.cpu_count() or 1} processors",
        f"extras: {', '.join(complete) or 'none'}",
        *(f"extra {extra}: missing {', '.join(names)}" for extra, names in missing.items() if names),
    ]


def _missing() -> dict[str, list[str]]:
    """Return the missing distributions of each extra that adds a feature."""
    names: dict[str, list[str]] = defaultdict(list)
    for requirement in requires("outgroup") or ():
        if match := re.match(r"([\w.-]+).*extra == ['\"]([\w-]+)['\"]", requirement):
            names[match[2]] += [] if _is_installed(match[1]) else [match[1]]
    return {extra: names[extra] for extra in sorted(names) if extra not in ("bench", "docs", "test", "test-all", "dev")}


def _is_installed(name: str) -> bool:
    try:
        return bool(version(name))
    except PackageNotFoundError:
        return False
