"""What a log hears of a run that takes long: when each step began, and how far it is."""

import re
from io import StringIO

import pytest
from rich.console import Console

from outgroup.cli import output


@pytest.fixture
def clock(monkeypatch):
    """Seconds that pass when a test says so."""
    now = [0.0]
    monkeypatch.setattr(output, "perf_counter", lambda: now[0])
    return now


def run(clock, seconds, file, **options):
    """Read for so many seconds, of which most are silent, and fit for half a minute."""
    with output.Steps(Console(file=file), **options) as steps:
        steps("reading")
        for done in (100, 200, 2000):
            clock[0] += seconds / 3
            steps("reading", done, 3000)
        steps("fitting")
        clock[0] += 1
        steps("fitting", 1)
        clock[0] += 1


def test_a_log_hears_when_each_step_of_a_long_run_began_and_how_far_a_step_is(clock):
    file = StringIO()
    run(clock, 3 * 3600, file)
    lines = [re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d (.*)", line) for line in file.getvalue().splitlines()]
    assert [found and found[1] for found in lines] == [
        "Reading", "Reading: 100 of 3,000", "Reading: 200 of 3,000", "Reading: 2,000 of 3,000",
        "Fitting", "Done after 10,802 s",
    ]  # fmt: skip
