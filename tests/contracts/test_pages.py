"""What the pages tell people to type, open or follow is there: commands, options, files, links, decisions."""

import re
import shlex
from pathlib import Path

import pytest
from typer.main import get_command

from outgroup.cli.main import app

ROOT = Path(__file__).parents[2]
PAGES = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
}
COMMANDS = get_command(app).commands
HELPED = [app.registered_callback, *app.registered_commands]
FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"`([^`\n]+)`")


def said(page):
    """The commands of a page: the lines of its shell blocks, and what stands in code by itself."""
    text = PAGES[page]
    blocks = [body for kind, body in FENCE.findall(text) if kind in ("sh", "")]
    lines = [line for body in blocks for line in body.replace("\\\n", " ").splitlines()]
    return [*lines, *CODE.findall(FENCE.sub("", text).replace("\\|", "|"))]


def words_of(line):
    """The words of each program that a line of the shell starts."""
    whole = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
    whole.whitespace_split = True
    found = [[]]
    for word in whole:
        found = [*found, []] if set(word) <= set("|&;") else [*found[:-1], [*found[-1], word]]
    return found


def options(command):
    return {name for parameter in COMMANDS[command].params for name in parameter.opts} | {"--help", "-h"}


def unknown(words):
    """What of the words of `outgroup ...` no such command knows."""
    if len(words) < 2 or not words[1].islower() or words[1].startswith("-"):
        return []
    if words[1] not in COMMANDS:
        return [words[1]]
    return [word for word in words[2:] if re.match(r"--?[a-z]", word) and word.split("=")[0] not in options(words[1])]


@pytest.mark.parametrize("page", PAGES)
def test_commands_and_their_options_are_there(page):
    lines = [line for line in said(page) if re.search(r"(^|[ /])outgroup [a-z]", line) and "import" not in line]
    found = [words for line in lines for words in words_of(line) if words and words[0].endswith("outgroup")]
    assert [word for words in found for word in unknown(words)] == []


@pytest.mark.parametrize("command", HELPED, ids=lambda it: it.callback.__name__)
def test_the_examples_of_help_are_there(command):
    lines = [code for code in CODE.findall(command.callback.__doc__) if code.startswith("outgroup ")]
    assert [word for line in lines for words in words_of(line) for word in unknown(words)] == []
