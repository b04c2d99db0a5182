"""Each Python block of the pages compiles, its names exist, and examples with prompts run."""

import ast
import doctest
import importlib
import inspect
import re
from pathlib import Path

import pytest

import outgroup

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(?:python|py|pycon)\n(.*?)^```", re.DOTALL | re.MULTILINE)
MADE = {"groups": "DocumentClustering", "session": "Session", "version": "Version", "fit": "DocumentClustering.fit"}
IMPORTS = """
from outgroup.codebook import Codebook
from outgroup.decisions import Label, Merge, NewGroup, Rename, Split, Word
from outgroup.rows.dask import disk_rows
from outgroup.rows.device import device_rows
from outgroup.rows.disk import DiskRows
from outgroup.session import Past, Session, Version
from outgroup.readers.corpus import read_corpus
from outgroup.readers.tables import texts_of
"""  # what the page of tasks has no room to say
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


def test_there_are_blocks():
    assert len(blocks()) > 5
    assert all((ROOT / page).is_file() for page in ("README.md", "docs/api.md"))


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


def test_the_python_of_the_tasks_is_there():
    lines = (ROOT / "docs" / "tasks.md").read_text(encoding="utf-8").splitlines()
    cells = [line.rsplit("|", 2)[1] for line in lines if line.startswith("| ")]
    codes = [code for cell in cells for code in re.findall(r"`([^`]+\))`", cell)]
    whole = [re.sub(r"\b(groups|session|version)(?=\.)|^fit", lambda said: MADE[said[0]], code) for code in codes]
    tree = ast.parse(IMPORTS + "\n".join(whole))
    assert {dotted(call.func).split(".")[0] for call in calls(tree)} <= set(names_of(tree))
    assert len(codes) > 30
    check(tree)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if "\n>>> " in page.read_text(encoding="utf-8")], ids=lambda it: it.stem
)
def test_the_examples_of_a_page_run(page):
    found = doctest.testfile(str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.attempted > 5
    assert found.failed == 0
