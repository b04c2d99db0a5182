"""A project file: no acknowledged line is lost, no other file is changed, and damage is refused."""

import os
import signal
import subprocess
import sys
import time

import pytest

from outgroup.errors import ModelError, OutputError
from outgroup.storage.lines import HEAD, Lines, line_of

VALUES = [{"a": 1}, ["b", None], "\ud800 and\nmore"]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "work.outgroup"
    with path.open("wb") as file:
        Lines.create(file, VALUES)
    return path


def content(path):
    lines = Lines(path)
    try:
        return [value for _, value in lines.read()]
    finally:
        lines.close()


def appended(path, *values):
    lines = Lines(path)
    assert len([*lines.read()]) >= 0
    for value in values:
        lines.append(value)
    lines.close()


def test_appended_values_are_read(path):
    appended(path, "one", ["two", 2.5])
    appended(path, {"three": None})
    assert content(path) == [*VALUES, "one", ["two", 2.5], {"three": None}]


def test_a_value_that_cannot_be_written_leaves_no_trace(path):
    lines = Lines(path)
    assert len([*lines.read()]) == len(VALUES)
    for wrong in ({"x": 1j}, [float("nan")]):
        with pytest.raises((TypeError, ValueError)):
            lines.append(wrong)
    lines.append("right")
    lines.close()
    assert content(path) == [*VALUES, "right"]
    with pytest.raises(ModelError, match=r"work\.outgroup was closed"):
        lines.append("late")


def test_a_full_disk_is_an_output_error(path, monkeypatch):
    lines = Lines(path)
    assert len([*lines.read()]) == len(VALUES)
    monkeypatch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OutputError, match="No space left"):
        lines.append("lost")
    monkeypatch.undo()
    lines.append("kept")
    lines.close()
    assert content(path) == [*VALUES, "kept"]


def test_a_second_process_is_refused(path):
    lines = Lines(path)
    code = f"from outgroup.storage.lines import Lines\nLines({str(path)!r})"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "close it there" in found.stderr
    with pytest.raises(ModelError, match="already open"):
        Lines(path)
    lines.close()
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", "not a project file"),
        (b"something else" * 99, "not a project file"),
        (b"SQLite format 3\0" * 99, "not a project file"),
        (HEAD.replace(b"1", b"2"), "newer version"),
        (HEAD + b"0 {}\n", "line 2 changed"),
        (HEAD + line_of({}).replace(b"{}", b"[]"), "line 2 changed"),
        (HEAD + line_of({})[:-1] + b"x", "line 2 changed"),
        (HEAD + line_of({}) + line_of("x").replace(b"\n", b"\n\n"), "line 4 changed"),
    ],
)
def test_a_strange_file_is_refused_and_unchanged(tmp_path, raw, words):
    path = tmp_path / "strange.outgroup"
    path.write_bytes(raw)
    with pytest.raises(ModelError, match=words):
        content(path)
    assert path.read_bytes() == raw
    assert list(tmp_path.iterdir()) == [path]


def test_no_folder_pipe_or_link_is_opened(path, tmp_path):
    (tmp_path / "link").symlink_to(path)
    for place, words in ((tmp_path, "folder"), (tmp_path / "none", "not there"), (tmp_path / "link", "is a link")):
        with pytest.raises(ModelError, match=words):
            Lines(place)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(ModelError, match="project file"):
            Lines(tmp_path / "pipe")


@pytest.mark.parametrize("left", [1, 20, 40])
def test_an_incomplete_last_line_is_replaced(path, left):
    before = path.read_bytes()
    path.write_bytes(before + line_of("x" * 99)[:left])
    assert content(path) == VALUES
    appended(path, "next")
    assert path.read_bytes() == before + line_of("next")


WRITER = """
import sys
from outgroup.storage.lines import Lines
lines = Lines(sys.argv[1])
number = len([*lines.read()])
while True:
    lines.append(number)
    print(number, flush=True)
    number += 1
"""


def test_a_kill_loses_no_acknowledged_line(path):
    for round_ in range(4):
        with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True) as child:
            child.stdout.readline()
            time.sleep(0.026 * round_)
            child.send_signal(signal.SIGKILL)
            printed = child.stdout.read().split()
        found = content(path)[len(VALUES) :]
        assert found == [*range(len(VALUES), len(VALUES) + len(found))]
        assert found[-1] >= int(printed[-1] if printed and printed[-1].isdecimal() else 0)
