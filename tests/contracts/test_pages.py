"""What the pages tell people to type, open or follow is there: commands, options, files, links, decisions."""

import re
import shlex
from pathlib import Path

import pytest
from typer.main import get_command

from bench.__main__ import COMMANDS as MEASUREMENTS
from outgroup.cli.main import app

ROOT = Path(__file__).parents[2]
PAGES = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
}
SOURCES = [str(path) for folder in ("src", "tests", "bench", "docs") for path in (ROOT / folder).rglob("*.py")]
COMMANDS = get_command(app).commands
HELPED = [app.registered_callback, *app.registered_commands]
FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^()\s]+)\)")
FILE = re.compile(r"(?<![\w/.:-])(?:src|tests|bench|docs|deploy)/[\w/.-]*[\w/]")
MODULE = re.compile(r"(?<![\w/.:*-])[\w/]+\.py\b")  # seen from a package: solve/master.py
TARGET = re.compile(r"^([a-z]+):", re.MULTILINE)


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


def anchors(page):
    """The names that its headings can be reached by."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", PAGES[page]), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES)
def test_commands_and_their_options_are_there(page):
    lines = [line for line in said(page) if re.search(r"(^|[ /])outgroup [a-z]", line) and "import" not in line]
    found = [words for line in lines for words in words_of(line) if words and words[0].endswith("outgroup")]
    assert [word for words in found for word in unknown(words)] == []


@pytest.mark.parametrize("command", HELPED, ids=lambda it: it.callback.__name__)
def test_the_examples_of_help_are_there(command):
    lines = [code for code in CODE.findall(command.callback.__doc__) if code.startswith("outgroup ")]
    assert [word for line in lines for words in words_of(line) for word in unknown(words)] == []


@pytest.mark.parametrize("page", PAGES)
def test_options_that_are_named_alone_are_there(page):
    measured = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "bench").rglob("*.py"))
    known = {name for command in COMMANDS for name in options(command)} | {*re.findall(r'"(--[a-z-]+)"', measured)}
    alone = [code.split()[0].split("=")[0] for code in said(page) if re.match(r"--[a-z]", code)]
    assert [option for option in alone if option not in known | {"--version"}] == []


@pytest.mark.parametrize("page", PAGES)
def test_measurements_and_targets_of_make_are_there(page):
    text = "\n".join(said(page))
    named = {*re.findall(r"python -m bench ([a-z][\w-]*)", text)}
    targets = {*re.findall(r"(?<![\w-])make ([a-z]+)", text)}
    assert named - set(MEASUREMENTS) == set()
    assert targets - {*TARGET.findall((ROOT / "Makefile").read_text(encoding="utf-8"))} == set()


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    links = [link for link in LINK.findall(FENCE.sub("", PAGES[page])) if not re.match(r"\w+:", link)]
    assert [link for link in links if not leads(page, *link.split("#"))] == []


def leads(page, path, anchor=""):
    to = (ROOT / page).parent / path if path else ROOT / page
    where = str(to.resolve().relative_to(ROOT))
    return to.is_file() and (not anchor or where not in PAGES or anchor in anchors(where))


@pytest.mark.parametrize("page", [page for page in PAGES if "/decisions/0" not in page])  # those are of their day
def test_files_that_are_named_are_there(page):
    codes = CODE.findall(FENCE.sub("", PAGES[page]))
    files = {name for code in codes for name in FILE.findall(code)}
    modules = {name for code in codes for name in MODULE.findall(code)}
    assert [name for name in sorted(files) if not [*ROOT.glob(f"{name.rstrip('/')}*")]] == []
    assert [name for name in sorted(modules) if not any(path.endswith(f"/{name}") for path in SOURCES)] == []
