"""Commands and options on the pages exist; Python blocks compile, and examples run."""

import ast
import doctest
import importlib
import inspect
import re
import shlex
from pathlib import Path

import pytest
from typer.main import get_command

import outgroup
from outgroup.cli.main import app

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(?:python|py|pycon)\n(.*?)^```", re.DOTALL | re.MULTILINE)
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def blocks():
    return [
        pytest.param(page.parent, source(text), id=f"{page.relative_to(ROOT)}-{number}")
        for page in PAGES
        for number, text in enumerate(FENCE.findall(page.read_text(encoding="utf-8")))
    ]


def source(text):
    """The statements of a block: those of a plain one, or those after the prompts of an example."""
    if ">>>" not in text:
        return text
    return "".join(example.source for example in doctest.DocTestParser().get_examples(text))


def imported(tree):
    """What the import statements of a block bind; raises where there is no such module or name."""
    bound = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            bound |= {(a.asname or a.name).split(".")[0]: importlib.import_module(a.name) for a in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = importlib.import_module(node.module)
            bound |= {a.asname or a.name: getattr(module, a.name) for a in node.names}
    return bound


def calls(tree):
    """The calls of a block whose function is a name, dotted or of what a class made: `Name(...).fit` counts."""
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call) and dotted(node.func)]


def dotted(node):
    if isinstance(node, ast.Attribute):
        before = dotted(node.value)
        return before and f"{before}.{node.attr}"
    if isinstance(node, ast.Call):
        return dotted(node.func)
    return node.id if isinstance(node, ast.Name) else None


@pytest.mark.parametrize(("folder", "text"), blocks())
def test_a_code_block_compiles_and_its_names_are_there(folder, text, monkeypatch):
    monkeypatch.syspath_prepend(folder)  # a page may import what lies beside it
    check(ast.parse(text))


def check(tree):
    """See that what is called by a name of this package is there, and takes the keywords that it is given."""
    known = names_of(tree)
    for call in calls(tree):
        first, *rest = dotted(call.func).split(".")
        found = known.get(first)
        for part in rest:
            found = getattr(found, part) if inspect.isclass(found) or inspect.ismodule(found) else None
        if getattr(found, "__module__", "").startswith("outgroup") and not any(k.arg is None for k in call.keywords):
            taken = inspect.signature(found).parameters
            assert {keyword.arg for keyword in call.keywords} <= set(taken), ast.unparse(call)


def names_of(tree):
    return {name: getattr(outgroup, name) for name in outgroup.__all__} | {"outgroup": outgroup} | imported(tree)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if "\n>>> " in page.read_text(encoding="utf-8")], ids=lambda it: it.stem
)
def test_the_examples_of_a_page_run(page):
    found = doctest.testfile(str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.attempted > 5
    assert found.failed == 0


COMMANDS = get_command(app).commands
HELPED = [each.callback for each in (app.registered_callback, *app.registered_commands)]
BLOCK = re.compile(r"^ *```(\w*)\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"`([^`\n]+)`")


def commands_of(text):
    """The commands of a page or a help text: the lines of its shell blocks, and what stands in code by itself."""
    blocks = [body for kind, body in BLOCK.findall(text) if kind in ("sh", "")]
    lines = [line for body in blocks for line in body.replace("\\\n", " ").splitlines()]
    return [*lines, *CODE.findall(BLOCK.sub("", text).replace("\\|", "|"))]


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
    """Return the words that no command has."""
    if len(words) < 2 or not words[1].islower() or words[1].startswith("-"):
        return []
    if words[1] not in COMMANDS:
        return [words[1]]
    return [word for word in words[2:] if re.match(r"--?[a-z]", word) and word.split("=")[0] not in options(words[1])]


TEXTS = {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in PAGES}
TEXTS |= {callback.__name__: callback.__doc__ for callback in HELPED}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_commands_and_their_options_are_there(text):
    lines = [line for line in commands_of(text) if re.search(r"(^|[ /])outgroup [a-z]", line) and "import" not in line]
    found = [words for line in lines for words in words_of(line) if words and words[0].endswith("outgroup")]
    assert [word for words in found for word in unknown(words)] == []
