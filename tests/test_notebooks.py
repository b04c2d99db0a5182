"""The notebooks run on their bundled data, end better than they began, and their pages show what is run."""

import importlib.util
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "docs" / "notebooks"


def runner():
    made = importlib.util.spec_from_file_location("run_notebooks", FOLDER / "run.py")
    module = importlib.util.module_from_spec(made)
    made.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["tickets", "survey", "papers"])
def test_a_notebook_runs_from_a_bad_first_look_to_a_good_result(name):
    found = runner().page(name)
    shares = [int(share) for share in re.findall(r"(\d+)% of \d+ documents", found)]
    assert shares[0] < 70
    assert shares[-1] >= 90
    assert found.count("\n## ") == 5


@pytest.mark.parametrize("name", ["tickets", "survey", "papers"])
def test_the_page_shows_the_cells_that_are_run(name):
    shown = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    for kind, body in runner().cells((FOLDER / f"{name}.py").read_text(encoding="utf-8")):
        assert (f"```python\n{body}\n```" if kind == "code" else body) in shown


def test_no_notebook_is_left_out():
    assert {path.stem for path in FOLDER.glob("*.py")} == {*runner().NAMES, "made", "run"}
