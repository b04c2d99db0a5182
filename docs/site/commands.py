"""The help of every command as one page: `python docs/site/commands.py FILE` writes it, for the site and `make man`."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from typer.main import get_command

from outgroup.cli.main import app


def page(*, man: bool = False) -> str:
    """Return the page as reStructuredText with a section for each command, headed for the site or as a man page."""
    whole: Any = get_command(app)
    commands = [("outgroup", whole), *((f"outgroup {name}", each) for name, each in whole.commands.items())]
    lines = ["outgroup", "cluster documents, correct the groups", ":Manual section: 1"]
    name, title, section = (f"{'=' * 40}\n{lines[0]}\n{'=' * 40}", f"{'-' * 40}\n{lines[1]}\n{'-' * 40}", lines[2])
    head = f"{name}\n\n{title}\n\n{section}\n" if man else "Command line\n############\n"
    return "\n".join([head, ".. default-role:: literal\n", *(_section(*each) for each in commands)])


def _section(title: str, command: Any) -> str:
    lines = [title, "=" * len(title), "", _text(command.help or "")]
    for parameter in command.params:
        if getattr(parameter, "hidden", False):
            continue
        names = ", ".join(
            parameter.opts if parameter.opts[0].startswith("-") else [parameter.metavar or parameter.name]
        )
        kind = f" {parameter.metavar}" if parameter.metavar and names.startswith("-") else ""
        lines += ["", f"``{names}{kind}``", *_indented(_text(parameter.help or "No further help."))]
    return "\n".join(lines) + "\n"


def _text(said: str) -> str:
    """Return a text of the help, which is Markdown, as reStructuredText: paragraphs, and lists of one level."""
    said = re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``", said.replace("\b", "").replace("*", "\\*"))
    said = re.sub(r"^\\\* |^- ", "\n- ", said, flags=re.MULTILINE)
    return re.sub(r"\n{3,}", "\n\n", said).strip()


def _indented(text: str) -> list[str]:
    return [f"   {line}".rstrip() for line in text.splitlines()]


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(man=True), encoding="utf-8")
