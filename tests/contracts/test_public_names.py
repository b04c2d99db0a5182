"""Every public name has a complete docstring, in numpydoc's sections, and a page in the generated reference."""

import importlib.util
import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

import outgroup
from outgroup.rows import Rows

ROOT = Path(__file__).parents[2]
MODULES = ["outgroup"] + [
    f"outgroup.{name}" for name in ("metrics", "universum", "codebook", "decisions", "session", "rows", "stopping")
]
HEADING = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)


def members(module):
    """The classes and functions that a module offers: its `__all__`, or what is defined in it."""
    own = [name for name, thing in vars(module).items() if getattr(thing, "__module__", "") == module.__name__]
    names = getattr(module, "__all__", None) or [name for name in own if not name.startswith("_")]
    found = {name: getattr(module, name) for name in names}
    return {name: thing for name, thing in found.items() if inspect.isclass(thing) or inspect.isfunction(thing)}


def public():
    """Each public class, function and method: its dotted name and itself, once each."""
    found = {}
    for path in MODULES:
        for name, thing in members(import_module(path)).items():
            found[f"{path}.{name}"] = thing
    for path, thing in list(found.items()):
        if inspect.isclass(thing) and not issubclass(thing, Exception):
            found |= {f"{path}.{name}": method for name, method in methods(thing).items()}
    return found


def methods(cls):
    """The methods that somebody would call and that this project wrote; a verb of rows is described once, in `Rows`."""
    return {
        name: function
        for name, function in inspect.getmembers(cls)
        if not name.startswith("_")
        and callable(function)
        and (cls is Rows or name not in vars(Rows))
        and getattr(inspect.unwrap(function), "__module__", "").startswith("outgroup")
    }


def sections(doc):
    """The text of each section by its heading; what comes before the first is the summary, under ""."""
    parts = HEADING.split(inspect.cleandoc(doc))
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def parameters(thing):
    signature = inspect.signature(thing)
    return [
        name
        for name, parameter in signature.parameters.items()
        if name not in ("self", "cls") and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]


def described(section):
    """The names that stand before a colon at the left edge, several with commas between them."""
    lines = [line.split(" :")[0] for line in section.splitlines() if line and not line.startswith(" ")]
    return {name.strip().lstrip("*") for line in lines for name in line.split(",")}


def wanting(thing):
    """What is missing in a docstring, in words."""
    found = sections(thing.__doc__ or "")
    if not found[""].split("\n\n")[0].rstrip().endswith((".", ":")):
        yield "a first sentence"
    missing = set(parameters(thing)) - described(found.get("Parameters", "") + found.get("Attributes", ""))
    if missing:
        yield f"parameters {sorted(missing)}"
    returns = inspect.signature(thing).return_annotation
    if inspect.isfunction(inspect.unwrap(thing)) and returns not in (None, "None") and not found.get("Returns"):
        yield "what it returns"
    if inspect.isclass(thing) and not getattr(thing, "_is_protocol", False) and ">>>" not in (thing.__doc__ or ""):
        yield "an example"


@pytest.mark.parametrize("name", public())
def test_a_public_docstring_is_complete(name):
    assert list(wanting(public()[name])) == []


def test_what_a_fit_of_documents_leaves_is_described():
    groups = outgroup.DocumentClustering(2, random_state=0).fit(["tea cup", "cup tea", "train town", "town train"])
    left = {name for name in dir(groups) if name.endswith("_") and not name.startswith("_")}
    assert left == described(sections(outgroup.DocumentClustering.__doc__)["Attributes"])


@pytest.mark.parametrize("path", MODULES)
def test_each_public_name_has_a_page_in_the_reference(path):
    pages = site().reference((ROOT / "docs" / "api.md").read_text(encoding="utf-8")).split()
    assert [name for name in members(import_module(path)) if f"{path}.{name}" not in pages] == []


def site():
    """The configuration of the site, which generates the reference."""
    made = importlib.util.spec_from_file_location("site_configuration", ROOT / "docs" / "site" / "conf.py")
    module = importlib.util.module_from_spec(made)
    made.loader.exec_module(module)
    return module
