"""The pages of this project as a site: `make site` writes it to build/site.

Sphinx reads the pages in place, including the README, so that their links also work in a checkout. This file adds the
contents at the side, a page for each public name, the help of the commands, and the output of the first steps.
"""

import inspect
import os
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parents[2]
HERE = ROOT / "docs" / "site"
MODULE = re.compile(r"^\| `(outgroup[\w.]*)` \|", re.MULTILINE)
SHELL = re.compile(r"^```sh\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
# Inherited members of these classes are left out.
OTHERS = ("object", "tuple", "Exception", "BaseEstimator", "ClusterMixin", "TransformerMixin")

project = "Outgroup"
copyright = "the Outgroup developers"
version = release = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
root_doc = "docs/site/index"
default_role = "code"  # in docstrings a name stands between single backticks
include_patterns = ["*.md", "docs/**", "bench/reports/*.md"]
exclude_patterns = ["docs/site/templates/**", "docs/gallery/**"]
templates_path = ["templates"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
numpydoc_show_class_members = False
autodoc_typehints = "none"  # the docstrings say shapes and units, which types do not
autodoc_default_options = {"members": True, "inherited-members": ", ".join(OTHERS)}
copybutton_exclude = ".linenos, .gp, .go"
sphinx_gallery_conf = {
    "examples_dirs": ["docs/gallery"],
    "gallery_dirs": ["docs/site/gallery"],
    "subsection_order": ["docs/gallery/lessons", "docs/gallery/jobs"],
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "show_memory": False,
    "download_all_examples": False,
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_title = f"Outgroup {version}"
html_logo = html_favicon = "static/logo.svg"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_search_scorer = str(HERE / "static" / "scorer.js")
html_additional_pages = {"index": "first.html"}
html_theme_options = {"logo": {"text": "Outgroup"}, "show_prev_next": False, "secondary_sidebar_items": ["page-toc"]}


def public_names(module: str) -> list[str]:
    """Return the classes and functions that a module offers, `DocumentClustering` first: its `__all__`, or its own."""
    found = import_module(module)
    own = [name for name, thing in vars(found).items() if getattr(thing, "__module__", "") == module and name[0] != "_"]
    things = {f"{module}.{name}": getattr(found, name) for name in getattr(found, "__all__", own)}
    names = [name for name, thing in things.items() if inspect.isclass(thing) or inspect.isfunction(thing)]
    return sorted(names, key=lambda name: not name.endswith(".DocumentClustering"))


def reference(page: str) -> str:
    """Return the page from which Sphinx makes a page for each public name of the modules in a table of `page`."""
    return "Every name\n==========\n\n" + "\n".join(_section(module) for module in MODULE.findall(page))


def _section(module: str) -> str:
    listed = "".join(f"   {name}\n" for name in public_names(module))
    return f"{module}\n{'-' * len(module)}\n\n.. autosummary::\n   :toctree: names\n\n{listed}"


def with_outputs(page: str) -> str:
    """Return a page with the output of each of its blocks of commands below it, all run in one folder."""
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    surroundings = os.environ | {"PATH": path, "NO_COLOR": "1", "COLUMNS": "80"}
    with TemporaryDirectory() as folder:

        def ran(block: re.Match[str]) -> str:
            done = subprocess.run(
                ["bash", "-euc", block[1]], cwd=folder, env=surroundings, capture_output=True, text=True
            )
            said = (done.stdout + done.stderr).replace(os.path.realpath(folder), ".")
            if done.returncode:
                raise RuntimeError(f"a command of the page failed:\n{block[1]}{said}")
            lines = "\n".join(line.rstrip() for line in said.strip("\n").splitlines())
            return block[0] + (f"\n```text\n{lines}\n```\n" if lines else "")

        return SHELL.sub(ran, page)


def setup(app: Any) -> None:
    """Write the pages of names and of commands, which Sphinx reads next."""
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    (HERE / "reference.rst").write_text(reference(page), encoding="utf-8")
    spec = spec_from_file_location("commands", HERE / "commands.py")
    commands = module_from_spec(spec)
    spec.loader.exec_module(commands)
    (HERE / "commands.rst").write_text(commands.page(), encoding="utf-8")
    app.connect("source-read", _linked)
    app.connect("autodoc-skip-member", _is_of_scikit_learn)


def _linked(app: Any, page: str, source: list[str]) -> None:
    if page == "docs/decisions/README":  # the page links to them; the contents at the side need them as a list
        source[0] += "\n```{toctree}\n:hidden:\n:glob:\n\n0*\n```\n"
    if page in ("docs/five_minutes", "docs/two_waves"):
        source[0] = with_outputs(source[0])


def _is_of_scikit_learn(app: Any, what: str, name: str, thing: Any, skip: bool, options: Any) -> bool | None:
    return True if re.fullmatch(r"[sg]et_(\w+_request|output|metadata_routing|params)", name) else None
