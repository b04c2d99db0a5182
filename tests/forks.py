"""Commands in processes of their own that begin with the libraries loaded.

A new interpreter takes two seconds of processor time to load them. A server has done so, and forks itself for each
command: a process with its own signals, limits, streams and end, as any other.
"""

import gc
import io
import multiprocessing
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from multiprocessing.reduction import DupFd
from tempfile import TemporaryFile

COMMAND = "from outgroup.__main__ import main; main()"
LOADED = [f"outgroup.cli.{name}" for name in ("answer", "assign", "cluster", "watch", "workbench")]
LOADED += ["starlette.applications", "starlette.responses", "uvicorn"]


@dataclass(frozen=True)
class Ended:
    """How a command ended: minus the number of a signal that killed it; its output, unless a file took that."""

    returncode: int
    stdout: str
    stderr: str


def ran(*words, start=COMMAND, stdout=None, stderr=None):
    """Run a command by the code `start`, and return how it ended; what is printed to no given file is kept."""
    with TemporaryFile() as out, TemporaryFile() as err:
        process = started(
            *words, start=start, stdout=out if stdout is None else stdout, stderr=err if stderr is None else stderr
        )
        try:
            return Ended(process.wait(300), *(_content(each) for each in (out, err)))
        finally:
            process.close()


def _content(file):
    file.seek(0)
    return file.read().decode()


def started(*words, start=COMMAND, stdout, stderr):
    """Start a command that prints to these files or their numbers; an interpreter begins where nothing can be forked.

    What is returned has the words of `subprocess.Popen`: `pid`, `returncode`, `send_signal`, `kill`, `wait`.
    """
    words = [str(word) for word in words]
    return (Process if hasattr(os, "fork") else _Interpreter)(words, start, stdout, stderr)


class _Interpreter(subprocess.Popen):
    def __init__(self, words, start, stdout, stderr):
        command = [sys.executable, "-c", f"import sys; sys.argv[0] = 'outgroup'\n{start}", *words]
        super().__init__(command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr)

    def close(self):
        pass


@cache
def _server():
    server = multiprocessing.get_context("forkserver")
    server.set_forkserver_preload(LOADED)  # those that are not installed are left out
    return server


class Process:
    """A command that was forked."""

    def __init__(self, words, start, stdout, stderr):
        streams = [each if isinstance(each, int) else each.fileno() for each in (stdout, stderr)]
        given = (words, start, os.getcwd(), dict(os.environ))
        self._process = _server().Process(target=_command, args=(*given, *map(_Stream, streams)))
        self._process.start()
        self.pid, self.kill = self._process.pid, self._process.kill

    @property
    def returncode(self):
        return self._process.exitcode

    def wait(self, timeout=None):
        self._process.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired("a command", timeout)
        return self.returncode

    def send_signal(self, number):
        if self.returncode is None:
            os.kill(self.pid, number)

    def close(self):
        """A command that has not ended is killed."""
        self.kill()
        self.wait()


@dataclass(frozen=True)
class _Stream:
    """The number of an open file, which goes to the new process."""

    number: int

    def __reduce__(self):
        return _taken, (DupFd(self.number),)


def _taken(sent):
    return sent.detach()


def _command(words, start, folder, environment, *streams):
    """Take on the folder, the environment and the streams, these as Python opens them when it begins; then run."""
    gc.freeze()  # or the libraries are looked through once more at the end, and so all their memory is copied
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, each in enumerate((os.open(os.devnull, os.O_RDONLY), *streams)):
        os.dup2(each, number)
        os.close(each)
    sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = sys.__stdout__ = _opened(1, "strict")
    sys.stderr = sys.__stderr__ = _opened(2, "backslashreplace")
    sys.argv = ["outgroup", *words]
    exec(start, {"__name__": "__main__"})


def _opened(number, errors):
    raw = open(number, "wb", closefd=False)  # noqa: SIM115
    at_once = number == 2 or os.isatty(number)
    return io.TextIOWrapper(raw, encoding="utf-8", errors=errors, newline="\n", line_buffering=at_once)
