"""The house's directions: which package may import which, no circle, nothing upward, extras imported late."""

import ast
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import outgroup

ROOT = Path(outgroup.__file__).parent
LEAVES = {"errors", "metrics", "places", "stopping", "types"}
_BELOW = {
    "_native": "",
    "rows": "_native storage",
    "solve": "rows _native",
    "cluster": "solve rows",
    "storage": "",
    "demo": "",
    "readers": "text",
    "text": "_native rows",
    "seeds": "storage",
    "decisions": "seeds storage text cluster solve rows",
    "universum": "rows solve",
    "chat": "",
    "naming": "chat text",
    "pipeline": "text seeds cluster rows",
    "agreement": "",
    "codebook": "summary seeds readers storage",
    "model": "storage readers pipeline naming decisions text cluster solve",
    "session": "model naming pipeline decisions seeds text readers cluster solve rows storage",
    "summary": "session model decisions naming pipeline text readers cluster solve rows",
    "answering": "chat decisions naming session storage summary",
    "report": "summary rows",
    "notebook": "report summary readers",
    "document_clustering": "notebook report codebook summary session model pipeline decisions text readers cluster "
    "rows storage",
    "workbench": "answering session decisions summary report",
    "collection": "session pipeline decisions text readers cluster rows storage",
    "cli": "agreement answering chat collection workbench pipeline session model codebook naming decisions "
    "seeds text readers cluster rows _native storage summary report demo",
}
MAY_IMPORT = {name: set(below.split()) for name, below in _BELOW.items()}
"""What a package may import beside its own modules and the leaves, from the bottom of the house to the command line."""
_LATE = (
    "pyarrow matplotlib torch cupy dask rjieba sudachipy pythainlp openpyxl xlsxwriter zstandard pyreadstat pandas "
    "distributed starlette uvicorn model2vec narwhals fsspec httpx2"
)
EXTRAS = set(_LATE.split())


def module_name(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def sources():
    return {module_name(path): path for ending in ("*.py", "*.pyi") for path in sorted(ROOT.rglob(ending))}


MODULES = sources()


def above(name):
    """A module's name and those of the packages that it lies in."""
    parts = name.split(".")
    return {".".join(parts[:length]) for length in range(1, len(parts) + 1)}


def absolute(node, name):
    """The dotted name, within outgroup, that a `from ... import` starts from, or None outside."""
    if node.level == 0:
        return node.module.partition(".")[2] if node.module.split(".")[0] == "outgroup" else None
    parts = name.split(".") if name else []
    base = parts[: len(parts) + (MODULES[name].name == "__init__.py") - node.level]
    return ".".join([*base, node.module] if node.module else base)


def targets(node, name):
    """The modules of outgroup that one import statement names."""
    if isinstance(node, ast.Import):
        return {alias.name.partition(".")[2] for alias in node.names if alias.name.split(".")[0] == "outgroup"}
    start = absolute(node, name)
    joined = [] if start is None else [f"{start}.{alias.name}".lstrip(".") for alias in node.names]
    return {target if target in MODULES else start for target in joined}


@cache
def statements(name, *, late):
    """The import statements of a module; those inside functions are `late`."""
    found, waiting = [], [ast.parse(MODULES[name].read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.append(node)
        elif late or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.expr):
            waiting += ast.iter_child_nodes(node)
    return found


@cache
def imports(name, *, late):
    return {target for node in statements(name, late=late) for target in targets(node, name)} - {name}


def package(name):
    return name.split(".")[0]


def test_the_parser_sees_what_is_there():
    assert "rows.base" in imports("rows.sparse", late=False)
    assert "_native.products" in imports("rows.sparse", late=False)
    assert "errors" in imports("rows.base", late=False)
    assert len(MODULES) > 20


def test_packages_import_only_what_lies_below_them():
    """Leaves import leaves alone, and no package imports the public face."""
    wrong = [
        f"{name} imports {target or 'outgroup'}"
        for name in MODULES
        if package(name) not in ("", "__main__")
        for target in imports(name, late=True)
        if package(target) not in {package(name)} | MAY_IMPORT.get(package(name), set()) | LEAVES
    ]
    assert wrong == []


def test_every_package_has_its_rule():
    assert {package(name) for name in MODULES} - set(MAY_IMPORT) - LEAVES == {"", "__main__"}


def test_there_is_no_circle():
    """The packages that an import loads count."""
    graph = {name: loaded(name) for name in MODULES if name}
    tuple(TopologicalSorter(graph).static_order())  # raises CycleError, which names the circle


def loaded(name):
    """What a module imports, with the packages that lie above that, but for those that it lies in and does not ask."""
    packages = {each for target in imports(name, late=True) for each in above(target)} - above(name)
    starts = {absolute(node, name) for node in statements(name, late=True) if isinstance(node, ast.ImportFrom)}
    return packages & set(MODULES) | {each for each in starts if each and MODULES[each].name == "__init__.py"} - {name}


def early(names, packages):
    """The imports of some packages from outside, but for those inside functions, by module."""
    found = [
        (name, each)
        for name in names
        for node in statements(name, late=False)
        for each in ([alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""])
    ]
    return [(name, each) for name, each in found if above(each) & set(packages)]


def test_extras_are_imported_late():
    assert early(MODULES, EXTRAS) == []


def test_workers_load_no_scikit_learn():
    """A process that only folds, or counts words, begins in a third of the time."""
    needed, waiting = {name for name in MODULES if package(name) in {"rows", "_native"}}, ["collection.parts"]
    while waiting:
        name = waiting.pop()
        if name and name in MODULES and name not in needed:
            needed.add(name)
            waiting += [*imports(name, late=False), name.rpartition(".")[0]]
    assert early(needed, ["sklearn", "scipy.stats"]) == []
