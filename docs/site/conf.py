"""The pages of this project as a site: `make site` writes it to build/site.

Sphinx reads the pages where they stand, the README among them, so that their links are those that one follows in a
checkout; only what they have no need of is made here: the contents at the side, and a page for each public name.
"""

import re
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
NAME = re.compile(r"^\| `(outgroup\.[\w.]+)` \|", re.MULTILINE)
OTHERS = ("object", "tuple", "Exception", "BaseEstimator", "ClusterMixin", "TransformerMixin")  # theirs is not told

project = "Outgroup"
copyright = "the Outgroup developers"
version = release = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc"]
root_doc = "docs/site/index"
default_role = "code"  # in docstrings a name stands between single backticks
include_patterns = ["*.md", "docs/**"]
exclude_patterns = ["docs/site/templates/**"]
templates_path = ["templates"]
myst_heading_anchors = 3
numpydoc_show_class_members = False
autodoc_typehints = "none"  # the docstrings say shapes and units, which types do not
autodoc_default_options = {"members": True, "inherited-members": ", ".join(OTHERS)}
html_theme = "furo"
html_title = f"Outgroup {version}"
html_additional_pages = {"index": "first.html"}


def named_on(page: str) -> dict[str, list[str]]:
    """Return the classes and functions of each module that the page of the API lists; no methods."""
    found: dict[str, list[str]] = {}
    for module, part in re.findall(r"^## ([\w.]+)\n(.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE):
        found[module] = [name for name in NAME.findall(part) if name.rpartition(".")[0] == module]
    return found


def reference(modules: dict[str, list[str]]) -> str:
    """Return the page from which a page for each name is made."""
    parts = [f"{module}\n{'-' * len(module)}\n\n.. autosummary::\n   :toctree: names\n\n" + _listed(names)
             for module, names in modules.items() if names]  # fmt: skip
    return "Reference\n=========\n\n" + "\n".join(parts)


def _listed(names: list[str]) -> str:
    return "".join(f"   {name}\n" for name in names)


def setup(app: Any) -> None:
    """Write the page of references, which Sphinx reads next, and let names on the page of the API lead to theirs."""
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    (ROOT / "docs" / "site" / "reference.rst").write_text(reference(named_on(page)), encoding="utf-8")
    app.connect("source-read", _linked)
    app.connect("autodoc-skip-member", _is_of_scikit_learn)


def _linked(app: Any, page: str, source: list[str]) -> None:
    if page == "docs/api":
        source[0] = NAME.sub(lambda found: f"| {{py:obj}}`{_short(found[1])} <{found[1]}>` |", source[0])
    if page == "docs/decisions/README":  # the page links to them; the contents at the side need them as a list
        source[0] += "\n```{toctree}\n:hidden:\n:glob:\n\n0*\n```\n"


def _short(name: str) -> str:
    """Return a name without its module: `fit` of which class is said."""
    return ".".join(name.split(".")[-2:]) if name.split(".")[-2][0].isupper() else name.rpartition(".")[2]


def _is_of_scikit_learn(app: Any, what: str, name: str, thing: Any, skip: bool, options: Any) -> bool | None:
    return True if re.fullmatch(r"[sg]et_(\w+_request|output|metadata_routing|params)", name) else None
