"""The page on sessions: its examples run, and its file is what it says."""

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "session.md"


def test_the_examples_run():
    found = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.attempted > 10
    assert found.failed == 0
