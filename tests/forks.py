"""Commands in processes of their own that begin with the libraries loaded.

A new interpreter takes two seconds of processor time to load them. A server has done so, and forks itself for each
command: a process with its own signals, limits, streams and end, as any other.
"""

import atexit
import gc
import io
import json
import os
import select
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from tempfile import TemporaryFile

COMMAND = "from outgroup.__main__ import main; main()"
LOADED = [f"outgroup.cli.{name}" for name in ("answer", "assign", "cluster", "watch")]
LOADED_EXTRAS = ["outgroup.cli.workbench", "starlette.applications", "starlette.responses", "uvicorn"]
FORKS = hasattr(os, "fork")
_WIDTH = 12  # of a number in the pipe through which a command is heard of


@dataclass(frozen=True)
class Ended:
    """How a command ended: minus the number of a signal that killed it; what it printed, where nobody took that."""

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
            return Ended(process.wait(300), *(_said(each) for each in (out, err)))
        finally:
            process.close()


def _said(file):
    file.seek(0)
    return file.read().decode()


def started(*words, start=COMMAND, stdout, stderr):
    """Start a command that prints to these files or numbers of ones; an interpreter begins where nothing can be forked.

    What is returned has the words of `subprocess.Popen`: `pid`, `returncode`, `send_signal`, `kill`, `wait`.
    """
    if not FORKS:
        return _Interpreter(words, start, stdout, stderr)
    return Process(words, start, stdout, stderr)


class _Interpreter(subprocess.Popen):
    def __init__(self, words, start, stdout, stderr):
        command = [sys.executable, "-c", f"import sys; sys.argv[0] = 'outgroup'\n{start}", *map(str, words)]
        super().__init__(command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr)

    def close(self):
        pass


class Process:
    """A command that was forked; a process that waits for it says how it ended."""

    def __init__(self, words, start, stdout, stderr):
        self.returncode, (self.status, told) = None, os.pipe()
        asked = {"words": [str(word) for word in words], "start": start, "folder": os.getcwd()}
        with open(os.devnull) as nothing:
            streams = [each if isinstance(each, int) else each.fileno() for each in (nothing, stdout, stderr)]
            message = json.dumps(asked | {"environment": dict(os.environ)}).encode()
            socket.send_fds(_server(), [message], [told, *streams])
        os.close(told)
        self.pid = self._hear(300)

    def _hear(self, timeout):
        if not select.select([self.status], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired("a command", timeout)
        return int(os.read(self.status, _WIDTH))

    def wait(self, timeout=None):
        if self.returncode is None:
            self.returncode = self._hear(timeout)
        return self.returncode

    def send_signal(self, number):
        if self.returncode is None:
            os.kill(self.pid, number)

    def kill(self):
        self.send_signal(signal.SIGKILL)

    def close(self):
        """Let nobody be left: a command that has not ended is killed."""
        if self.returncode is None:
            self.kill()
            self.wait()
        os.close(self.status)


@cache
def _server():
    ours, theirs = socket.socketpair()
    with theirs:
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
        process = subprocess.Popen(
            [sys.executable, __file__, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            env=environment,
            start_new_session=True,
        )
    atexit.register(process.wait)
    atexit.register(ours.close)
    return ours


def _serve(ours):
    """Fork for each command that is asked for; return in the process that is to run it, with what was asked."""
    signal.signal(signal.SIGCHLD, _reap)
    while True:
        message, given, *_ = socket.recv_fds(ours, 1 << 20, 4)
        if not message:
            os._exit(0)
        if not os.fork():
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            ours.close()
            _begun(given.pop(0))
            return json.loads(message), given
        for each in given:
            os.close(each)


def _reap(*_):
    """Wait for processes that have ended: their seconds count as those of the server."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _begun(told):
    """Fork once more, and return in the new process, while the old one says its number, and how it ended."""
    process = os.fork()
    if process:
        os.write(told, f"{process:{_WIDTH}}".encode())
        status = os.waitpid(process, 0)[1]
        os.write(told, f"{os.waitstatus_to_exitcode(status):{_WIDTH}}".encode())
        os._exit(0)
    os.close(told)


def _become(asked, streams):
    """Take on the folder, the environment and the streams, these as Python opens them when it begins."""
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    for number, each in enumerate(streams):
        os.dup2(each, number)
        os.close(each)
    sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = sys.__stdout__ = _opened(1, "strict")
    sys.stderr = sys.__stderr__ = _opened(2, "backslashreplace")
    sys.argv = ["outgroup", *asked["words"]]


def _opened(number, errors):
    raw = open(number, "wb", closefd=False)  # noqa: SIM115
    at_once = number == 2 or os.isatty(number)
    return io.TextIOWrapper(raw, encoding="utf-8", errors=errors, newline="\n", line_buffering=at_once)


if __name__ == "__main__":
    from importlib import import_module

    for each in LOADED:
        import_module(each)
    for each in LOADED_EXTRAS:
        with suppress(ImportError):
            import_module(each)
    gc.freeze()  # or each command would look through them once more when it ends, and so copy all their memory
    asked, streams = _serve(socket.socket(fileno=int(sys.argv[1])))
    _become(asked, streams)
    exec(asked["start"], {"__name__": "__main__"})
