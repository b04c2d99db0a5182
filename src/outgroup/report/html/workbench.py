"""The page of the workbench: the modules of the report over a server instead of a file."""

from __future__ import annotations

from functools import lru_cache

from .bundle import PAGE, bundle
from .render import environment


def shell(title: str) -> str:
    """Return the page's HTML, in which its script fills in everything else."""
    return environment().get_template("workbench.html.j2").render(title=title)


def script() -> str:
    """Return the page's script: all modules as one."""
    return bundle("workbench")


@lru_cache
def style() -> str:
    """Return the page's styles."""
    return (PAGE / "page.css").read_text(encoding="utf-8")
