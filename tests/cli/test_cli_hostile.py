"""The command line under hostile circumstances: what is given, where it is printed, and when it is stopped."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from commands import outgroup, records
from factories import KITCHEN, TRAINS
from forks import ran

TEXTS = [*KITCHEN, *TRAINS]
LINUX = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full, a disk that is always full")


@pytest.fixture(autouse=True)
def docs(here):
    return records("docs.jsonl", TEXTS)


def cluster(*words, code=0):
    return outgroup("cluster", "docs.jsonl", "-k", 2, "--quick", *words, code=code)


HOSTILE = "\x1b[31mred\x1b]0;title\x07\u202eevil\u2066\x00\x9b2J\r\u2028"


@pytest.fixture
def hostile():
    records(
        "hostile.jsonl", [f"{text} {HOSTILE}" for text in TEXTS], id=lambda i: f"{i}{HOSTILE}", title=lambda _: HOSTILE
    )
    outgroup("cluster", "hostile.jsonl", "-k", 2, "--quick", "--out", "a", "--quiet")
    return "hostile.jsonl"


def on_terminal(*words):
    """What a command writes to a terminal, both streams."""
    pty = pytest.importorskip("pty", reason="needs terminals as POSIX has them")
    ours, theirs = pty.openpty()
    with ThreadPoolExecutor(1) as beside:
        said = beside.submit(read_until_gone, ours)
        code = ran(*words, stdout=theirs, stderr=theirs).returncode
        os.close(theirs)
        assert code == 0
        return said.result().decode()


def read_until_gone(terminal):
    """Read what a terminal is sent, so that nobody waits to write, until it is gone."""
    said = b""
    with suppress(OSError):  # the terminal is gone
        while part := os.read(terminal, 1 << 16):
            said += part
    os.close(terminal)
    return said


def test_no_command_of_a_document_reaches_a_terminal(hostile, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    said = on_terminal("assign", "a", hostile)
    for sign in ("\x1b[31m", "\x1b]0", "\x07", "\u202e", "\u2066", "\x00", "\x9b", "\u2028"):
        assert sign not in said
    assert said.count("evil") >= 8
    summary = on_terminal("cluster", hostile, "-k", 2, "--quick", "--out", "b")
    for sign in ("\x1b[31m", "\x1b]0", "\x07", "\u202e", "\u2066", "\x00", "\x9b", "\u2028"):
        assert sign not in summary


IN_LATIN = """
import sys
from outgroup.__main__ import main
sys.stdout.reconfigure(encoding="latin-1")
main()
"""


def test_a_table_for_a_pipe_is_utf_8_whatever_letters_the_language_of_the_system_has():
    cluster("--out", "a", "--quiet")
    Path("new.jsonl").write_text(json.dumps({"id": "žluťoučký ä", "text": "bread and butter"}))
    assert "žluťoučký ä," in ran("assign", "a", "new.jsonl", start=IN_LATIN).stdout


def test_too_little_memory_is_told_in_one_line_with_what_needs_less(monkeypatch):
    def too_much(*_):
        raise MemoryError("Unable to allocate 5.00 GiB")

    monkeypatch.setattr("outgroup.cli.documents.InMemory.fit", too_much)
    said = cluster("--out", "a", code=2).stderr
    assert said.startswith("Error: not enough memory (Unable to allocate 5.00 GiB); ")
    assert "--memory" in said
    assert len(said.splitlines()) == 1
    assert os.listdir() == ["docs.jsonl"]


CHILDREN = """
import multiprocessing, subprocess, sys, types
from concurrent.futures import ProcessPoolExecutor
def run():
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        print(pool.submit(abs, -1).result())
    subprocess.run([sys.executable, "-c", "import multiprocessing"], check=True)
if __name__ == "__main__":
    sys.modules["outgroup.cli.main"] = types.SimpleNamespace(main=run)
    from outgroup.__main__ import main
    main()
"""


def test_no_child_of_a_command_imports_a_module_of_the_current_folder():
    """The current folder may be a stranger's."""
    os.mkdir("stranger")
    Path("command.py").write_text(CHILDREN)
    Path("stranger/multiprocessing.py").write_text("open('ran', 'w').close()\nraise SystemExit\n")
    words, given = [sys.executable, "../command.py"], {"capture_output": True, "text": True, "check": True}
    assert subprocess.run(words, cwd="stranger", **given).stdout == "1\n"
    assert os.listdir("stranger") == ["multiprocessing.py"]


CLOSED = """
import os, sys
os.close({number})
sys.{name} = sys.__{name}__ = None
from outgroup.__main__ import main
main()
"""


@LINUX
@pytest.mark.parametrize(("number", "name", "code"), [(1, "stdout", 2), (2, "stderr", 0)])
def test_one_closed_stream_is_an_error_where_something_asked_for_goes_there(number, name, code):
    cluster("--out", "a", "--quiet")
    start = CLOSED.format(number=number, name=name)
    assigned = ran("assign", "a", "docs.jsonl", start=start)
    assert assigned.returncode == code
    clustered = ran("cluster", "docs.jsonl", "-k", 2, "--quick", "--out", "b", start=start)
    assert clustered.returncode == 0
    if name == "stdout":
        assert assigned.stderr == "Error: standard output is closed: write to a file with --out\n"
        assert clustered.stderr == ""
    assert sorted(os.listdir("b")) == sorted(os.listdir("a"))


@LINUX
@pytest.mark.parametrize("name", [os.fsdecode(b"\xff"), "\ud800"])  # a byte without a text; a text without bytes
def test_a_path_that_cannot_be_encoded_is_an_error_in_one_line(name):
    before = os.listdir()
    assert cluster("--out", name, code=2).output.count("\n") == 1
    assert os.listdir() == before
