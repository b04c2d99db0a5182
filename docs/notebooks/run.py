"""Notebooks as pages: `python docs/notebooks/run.py` runs every one and writes its page beside it.

A notebook is a Python file with cells: `# %% [markdown]` begins one of text, `# %%` one of code. Jupyter opens it by
Jupytext, an editor such as VS Code by itself.
"""

from __future__ import annotations

import io
import re
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
NAMES = ("tickets", "survey", "papers")


def cells(source: str) -> list[tuple[str, str]]:
    """Return the cells as (kind, content), "markdown" or "code"."""
    found = re.split(r"^# %%(.*)\n", source, flags=re.MULTILINE)[1:]
    kinds = ["markdown" if "[markdown]" in head else "code" for head in found[::2]]
    return [
        (kind, _plain(body) if kind == "markdown" else body.strip())
        for kind, body in zip(kinds, found[1::2], strict=True)
    ]


def page(name: str) -> str:
    """Run a notebook and return its page: text, code, and what the code printed."""
    space: dict[str, Any] = {"__name__": "notebook"}
    sys.path.insert(0, str(FOLDER))
    try:
        parts = [_shown(kind, body, space) for kind, body in cells((FOLDER / f"{name}.py").read_text(encoding="utf-8"))]
    finally:
        sys.path.remove(str(FOLDER))
    return "\n\n".join(parts) + "\n"


def _plain(body: str) -> str:
    return re.sub(r"^# ?", "", body.strip(), flags=re.MULTILINE)


def _shown(kind: str, body: str, space: dict[str, Any]) -> str:
    if kind == "markdown":
        return body
    said = io.StringIO()
    with redirect_stdout(said):
        exec(compile(body, "<cell>", "exec"), space)  # our own files alone
    printed = f"\n\n```text\n{said.getvalue().rstrip()}\n```" if said.getvalue() else ""
    return f"```python\n{body}\n```{printed}"


if __name__ == "__main__":
    for each in sys.argv[1:] or NAMES:
        (FOLDER / f"{each}.md").write_text(page(each), encoding="utf-8")
        print(f"{each}.md")
