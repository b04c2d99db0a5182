"""Does a test notice? `python -m bench mutants [--every N]`: one wrong line at a time, and the share that is caught.

Each mutant names a function (in any module), a piece of its text, the replacement, and the folders of tests that should
fail. It replaces the text when the module is imported: no file changes.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib.abc
import importlib.machinery
import importlib.util
import io
import os
import resource
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[1] / "src"
SECONDS = 100  # of the processor for the tests of one mutant: a descent may never end
PRELOADED = ("scipy.sparse", "scipy.optimize", "sklearn.cluster", "hypothesis", "piqp", "pyarrow")  # by all forks


@dataclass(frozen=True)
class Mutant:
    """In a function, such as "Master.solve", the text `old` becomes `new`; tests in `folders` should notice."""

    function: str
    old: str
    new: str
    folders: str

    def __str__(self) -> str:
        return f"{self.function}: {' '.join(self.old.split())} -> {' '.join(self.new.split())}"


def _group(folders: str, *mutants: tuple[str, str, str]) -> list[Mutant]:
    return [Mutant(*each, folders) for each in mutants]


MUTANTS = [
    *_group(
        "tests/solve/test_cutting_plane.py",
        ("minimise", "bound = max(bound, lower)", "bound = lower + 1e-3"),
        ("minimise", "dict(enumerate(cuts))", "dict(enumerate(cuts[:1]))"),
        ("_closed", "value - bound <= tol", "value - bound >= tol"),
        ("value_of", "/ 2 + sum(", "+ sum("),
    ),
    *_group(
        "tests/solve/test_seeded.py tests/solve/test_spherical.py",
        ("keep_one", "[-1]] = empty[0]", "[0]] = empty[0]"),
        ("_log_odds", "+ np.log(max(k - 1, 1))", ""),
    ),
    *_group(
        "tests/contracts/test_risks.py tests/solve",
        (
            "MarginObjective._descend",
            "anchor = margin.hold(labels)\n            moved",
            "anchor = labels\n            moved",
        ),
        ("MarginObjective._descend", "master.drop(0)", "master.drop(len(others))"),
        ("MarginRisk.hold", "self.pins >= 0", "self.pins > 0"),
        ("UniversumRisk.cut", "k / ((k - 1) * n)", "1 / n"),
        ("_Leaning.__call__", ">= self.epsilon", ">= 0"),
        ("_OverGroups.__call__", "[:, None] - 1,", "[:, None],"),
        ("_BalancePart.balanced", "(pull.min() + pull.max()) / 2", "pull.min()"),
        ("_Program._project", "np.maximum(1.0,", "np.maximum(0.5,"),
        ("Partition.objective", "self.coherences.sum()", "self.coherences.max()"),
        ("fill_empty", "if counts[labels[i]] > 1", "if counts[labels[i]] > 0"),
        ("refine", "            stage = 0", "            stage = stage"),
        ("bisections", "gains.argmax()", "gains.argmin()"),
        ("held_out_error", "(products - source.shares)", "products"),
        ("conformal_threshold", "(len(scores) + 1) - 1e-9", "len(scores) - 1e-9"),
        ("bounded", "[::-1]", ""),
        ("Mixture.threshold", "(junk < likely) | (lost > rate)", "junk < likely"),
        ("Objective.fit", "lost_groups if found else vanished", "vanished"),
        ("by_first_row", "np.argsort(np.argsort(first))", "np.argsort(first)"),
    ),
    *_group(
        "tests/storage tests/session/test_project_file.py",
        ("new_file", "_check_file(target, replace, ours, how)\n            filling.replace", "filling.replace"),
        ("new_folder", "kind.check(target, replace=replace)", "kind.check(target, replace=True)"),
        ("_clear", "if not os.path.lexists(target)", "if True"),
        ("Kind.remove", " and _is_file(file):", ":"),
        ("Kind.strange", "(ours.get(path), 0)", "(ours.get(path), stat.S_IFDIR, 0)"),
        ("check_parent", "if not path.parent.is_dir():", "if False:"),
        ("Lines.read", "if is_valid != is_ended:", "if is_whole and not is_ended:"),
        ("_pack", "sorted((_unicode(key, place), part) for", "list((_whole(key, place), part) for"),
        ("_prepare", "if earlier.get(name) != about.get(name):", "if False:"),
    ),
    *_group(
        "tests/test_decisions.py tests/test_universum.py tests/session",
        ("undo", "not in gone", "in gone"),
        ("by_row", "if document not in row_of", "if document in row_of"),
        ("State.weighed", "mean / max(size, 1)", "max(size, 1) / mean"),
        ("Changes.__bool__", "or self.gone", ""),
        ("Label.place", "if self.groups else", "if not self.groups else"),
        ("rest", "_rows(X, np.flatnonzero(~inside))", "_rows(X, np.flatnonzero(inside))"),
        ("LabelSpace.power", "_LABELS.width / k", "_LABELS.width"),
        ("cosine", "where=lengths > 1e-12", "where=lengths > 1e12"),
    ),
    *_group(
        "tests/text",
        ("nfkc", 'normalize("NFKC"', 'normalize("NFC"'),
        ("stem", "or stems.get(word) or word for", "or stems.get(word, word) for"),
        ("best_columns", "np.argsort(-counts[", "np.argsort(counts["),
    ),
    *_group(
        "tests/readers/test_decode.py tests/readers/test_encoding.py",
        ("unicode_encoding", "head.startswith(mark)", "mark in head"),
        ("_nearly_utf8", "> 2 * text.count", "> 200 * text.count"),
        ("_by_name", "(fallback, False)", "(fallback, True)"),
    ),
]


class NotFoundError(LookupError):
    """A mutant whose function or text is not there, or more than once: the list has to follow the code."""


def place_of(mutant: Mutant) -> tuple[str, Path, str]:
    """Return the module that holds a mutant's function, its file, and its text with the mutant in it."""
    found = [each for path in sorted((ROOT / "outgroup").rglob("*.py")) for each in _changed(path, mutant)]
    if len(found) != 1:
        raise NotFoundError(f"{mutant}: in {len(found)} places of src/outgroup")
    missing = [each for each in mutant.folders.split() if not (ROOT.parent / each).exists()]
    if missing:
        raise NotFoundError(f"{mutant}: there are no tests in {', '.join(missing)}")
    path, text = found[0]
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path, text


def _changed(path: Path, mutant: Mutant) -> list[tuple[Path, str]]:
    text = path.read_text(encoding="utf-8")
    *_, name = mutant.function.split(".")
    if f"def {name}(" not in text or mutant.old not in text:
        return []
    lines, found = text.splitlines(keepends=True), list[tuple[Path, str]]()
    for node in _functions(ast.parse(text), mutant.function.split(".")):
        start, end = node.lineno - 1, node.end_lineno
        body = "".join(lines[start:end])
        if body.count(mutant.old) == 1:
            changed = body.replace(mutant.old, mutant.new)
            found.append((path, "".join([*lines[:start], changed, *lines[end:]])))
    return found


def _functions(tree: Any, names: Sequence[str]) -> list[ast.FunctionDef]:
    """Return the functions of a module or class that are called so; a name without a class is of the module."""
    if len(names) == 1:
        return [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == names[0]]
    own = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == names[0]]
    return [each for node in own for each in _functions(node, names[1:])]


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: str, text: str) -> None:
        super().__init__(name, path)
        self._text = text

    def get_code(self, fullname: str) -> CodeType:
        return compile(self._text, self.path, "exec")


class _Finder(importlib.abc.MetaPathFinder):
    """Finds one module, with other text."""

    def __init__(self, name: str, path: Path, text: str) -> None:
        self._name, self._path, self._text = name, path, text

    def find_spec(self, name: str, path: Any, target: ModuleType | None = None) -> Any:
        if name != self._name:
            return None
        loader = _Loader(name, str(self._path), self._text)
        return importlib.util.spec_from_file_location(name, self._path, loader=loader)


def noticed(mutant: Mutant) -> str:
    """Return the first test that a mutant breaks, and "" where there is none; one that fails without it is none."""
    failed = _failed([_Finder(*place_of(mutant))], mutant.folders.split())
    return failed if failed and not _failed([], [failed]) else ""


def _failed(finders: list[_Finder], tests: list[str]) -> str:
    """Run tests in a process that is forked for them, until one fails; return its name."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        said, code = io.StringIO(), 1
        try:
            import pytest

            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
            sys.meta_path[:0] = finders
            options = ["-x", "-p", "no:cacheprovider", "-p", "no:doctest", "-o", "addopts=--import-mode=importlib -q"]
            with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
                code = int(pytest.main([*options, *tests]))
            first = [
                line.removeprefix("FAILED ") for line in said.getvalue().splitlines() if line.startswith("FAILED ")
            ]
            os.write(writing, "".join(first[:1]).partition(" - ")[0].encode())
        finally:
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        failed = pipe.read()
    os.waitpid(child, 0)
    return failed


def main(argv: list[str]) -> None:
    """Print each mutant and the test that failed, and the share caught; exits with 1 where one cannot be put in."""
    parser = argparse.ArgumentParser(prog="python -m bench mutants", description=__doc__)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="try every N-th mutant alone")
    chosen = MUTANTS[:: parser.parse_args(argv).every]
    missing = [str(error) for error in map(_missing, chosen) if error]
    if missing:
        raise SystemExit("\n".join(missing))
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OUTGROUP_THREADS": "1"}
    for name in PRELOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    caught = 0
    for each in chosen:
        test = noticed(each)
        caught += bool(test)
        print(f"{each}\n    {test or 'NOT CAUGHT'}", flush=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{caught} of {len(chosen)} caught ({caught / len(chosen):.0%}), {used.ru_utime + used.ru_stime:.0f} CPU s")


def _missing(mutant: Mutant) -> NotFoundError | None:
    try:
        place_of(mutant)
    except NotFoundError as error:
        return error
    return None
