"""The pages of this project as a site: `make site` writes it to build/site.

Sphinx reads the pages in place, including the README, so that their links also work in a checkout. This file adds the
contents at the side and a page for each public name.
"""

import inspect
import re
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
MODULE = re.compile(r"^\| `(outgroup[\w.]*)` \|", re.MULTILINE)
# Inherited members of these classes are left out.
OTHERS = ("object", "tuple", "Exception", "BaseEstimator", "ClusterMixin", "TransformerMixin")

project = "Outgroup"
copyright = "the Outgroup developers"
version = release = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc"]
root_doc = "docs/site/index"
default_role = "code"  # in docstrings a name stands between single backticks
include_patterns = ["*.md", "docs/**", "bench/reports/*.md"]
exclude_patterns = ["docs/site/templates/**"]
templates_path = ["templates"]
myst_heading_anchors = 3
numpydoc_show_class_members = False
autodoc_typehints = "none"  # the docstrings say shapes and units, which types do not
autodoc_default_options = {"members": True, "inherited-members": ", ".join(OTHERS)}
html_theme = "furo"
html_title = f"Outgroup {version}"
html_additional_pages = {"index": "first.html"}


def public_names(module: str) -> list[str]:
    """Return the classes and functions that a module offers, `DocumentClustering` first: its `__all__`, or its own."""
    found = import_module(module)
    own = [name for name, thing in vars(found).items() if getattr(thing, "__module__", "") == module and name[0] != "_"]
    things = {f"{module}.{name}": getattr(found, name) for name in getattr(found, "__all__", own)}
    names = [name for name, thing in things.items() if inspect.isclass(thing) or inspect.isfunction(thing)]
    return sorted(names, key=lambda name: not name.endswith(".DocumentClustering"))


def reference(page: str) -> str:
    """Return the page from which Sphinx makes a page for each public name of the modules in a table of `page`."""
    return "Reference\n=========\n\n" + "\n".join(_section(module) for module in MODULE.findall(page))


def _section(module: str) -> str:
    listed = "".join(f"   {name}\n" for name in public_names(module))
    return f"{module}\n{'-' * len(module)}\n\n.. autosummary::\n   :toctree: names\n\n{listed}"


def setup(app: Any) -> None:
    """Write the page of references, which Sphinx reads next."""
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    (ROOT / "docs" / "site" / "reference.rst").write_text(reference(page), encoding="utf-8")
    app.connect("source-read", _linked)
    app.connect("autodoc-skip-member", _is_of_scikit_learn)


def _linked(app: Any, page: str, source: list[str]) -> None:
    if page == "docs/decisions/README":  # the page links to them; the contents at the side need them as a list
        source[0] += "\n```{toctree}\n:hidden:\n:glob:\n\n0*\n```\n"


def _is_of_scikit_learn(app: Any, what: str, name: str, thing: Any, skip: bool, options: Any) -> bool | None:
    return True if re.fullmatch(r"[sg]et_(\w+_request|output|metadata_routing|params)", name) else None
