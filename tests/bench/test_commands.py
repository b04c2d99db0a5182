"""Every measurement that `python -m bench` names is there, and says what it prints."""

import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

bench = pytest.importorskip("bench.__main__", reason="the measurements are not part of an installed package")
commands = bench.COMMANDS


@pytest.mark.parametrize("name", sorted(commands))
def test_a_command_is_a_module_with_a_main_and_a_sentence(name):
    module = import_module(f"bench.{commands[name]}")
    assert callable(module.main)
    assert module.__doc__.splitlines()[0][-1] in ".:?`"


@pytest.mark.parametrize("name", sorted(commands))
def test_help_needs_no_collections(name, capsys, monkeypatch):
    monkeypatch.setenv("OUTGROUP_DATA", "/nonexistent")
    with pytest.raises(SystemExit) as ended:
        sys.exit(bench.main([name, "--help"]))
    assert ended.value.code == 0
    assert capsys.readouterr().out.strip()


def test_each_mutant_is_a_wrong_line_of_one_function():
    mutants = import_module("bench.mutants")
    assert all(mutants.place_of(each) and each.old != each.new for each in mutants.MUTANTS)


def test_every_command_that_a_page_or_a_module_names_is_there():
    root = Path(bench.__file__).parents[1]
    places = [
        path
        for folder, ending in (("docs", "*.md"), ("bench", "*.md"), ("bench", "*.py"), ("src", "*.py"))
        for path in (root / folder).rglob(ending)
    ]
    texts = "".join(path.read_text(encoding="utf-8") for path in [*places, root / "README.md", root / "CHANGELOG.md"])
    assert {*re.findall(r"`python -m bench ([a-z][a-z-]*)", texts)} <= {*commands}
