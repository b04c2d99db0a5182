"""Runs killed at every file operation and step: the old or the new result, and no litter after the next."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs forks and the signals of POSIX")


def killed(*words):
    command = [sys.executable, str(Path(__file__).with_name("killed.py")), *map(str, words)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@pytest.mark.parametrize("signal", ["KILL", "TERM"])
def test_a_kill_at_any_file_operation_leaves_the_old_or_the_new_result(tmp_path, signal):
    seen = killed("POINTS", signal, 1, tmp_path)
    assert seen["old"] > 10
    assert seen["new"] > 1


def test_ctrl_c_at_any_step_of_the_interpreter_leaves_the_old_or_the_new_result(tmp_path):
    seen = killed("STEPS", "TERM", 59, tmp_path)
    assert seen["old"] > 20
    assert seen["new"] > 1


def test_two_runs_at_once_leave_one_whole_result(tmp_path):
    seen = killed("TOGETHER", "TERM", 50, tmp_path)
    assert set(seen) <= {"1", "2"}  # of the two, by chance
    assert sum(seen.values()) == 50
