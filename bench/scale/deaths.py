"""Kills of workers and of the scheduler while `outgroup cluster --cluster` runs: the same bytes, and the seconds lost.

python -m bench scale deaths PARTS [-k 20]      PARTS: a folder of files of records, each a part
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter, sleep
from typing import Any, Self

from bench.studies.kills import SAME
from bench.tables import show

_LOOK = 2.0  # seconds
_WORKERS = 2


class Cluster:
    """A scheduler and two single-threaded workers, processes that can be killed and begun again."""

    def __init__(self, place: Path) -> None:
        self._place, self.kills = place, 0
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self._port}"

    def __enter__(self) -> Self:
        self.begin()
        return self

    def __exit__(self, *_: Any) -> None:
        for process in [*self.workers, self.scheduler]:
            _kill(process)

    def begin(self) -> None:
        """Start a scheduler and its workers."""
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", str(self._port))
        sleep(3)
        self.workers = [self._worker() for _ in range(_WORKERS)]
        sleep(4)

    def kill_worker(self, number: int) -> None:
        """Kill a worker, and begin another in its place."""
        self.kills += 1
        _kill(self.workers[number])
        self.workers[number] = self._worker()

    def kill_all(self) -> None:
        """Kill the scheduler and its workers."""
        self.kills += 1
        self.__exit__()

    def _worker(self) -> Any:
        return self._start(
            "worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory",
            str(self._place),
        )  # fmt: skip

    def _start(self, *words: str) -> Any:
        command = [sys.executable, "-m", "dask", *words]
        environment = os.environ | {"OUTGROUP_THREADS": "1"}
        return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _kill(process: Any) -> None:
    process.kill()
    process.wait()


Harm = Callable[[Cluster, int, int], None]
"""What to kill at the moment with this number, after so many kills."""


def nothing(cluster: Cluster, number: int, kills: int) -> None:
    """Kill no worker, for comparison."""


def one_worker(cluster: Cluster, number: int, kills: int) -> None:
    """Kill a worker at the second moment, once."""
    if number >= 2 and not kills:
        cluster.kill_worker(0)


def a_worker_each_moment(cluster: Cluster, number: int, kills: int) -> None:
    """Kill the workers in turn, one at each moment."""
    cluster.kill_worker(number % _WORKERS)


def the_scheduler(cluster: Cluster, number: int, kills: int) -> None:
    """Kill the scheduler in the middle of the fit, once."""
    if number >= 5 and not kills:
        cluster.kill_all()


def run(parts: Path, k: int, out: Path, harm: Harm) -> tuple[float, int, int]:
    """Return the seconds of a run, how many moments there were, and how many kills."""
    command = [sys.executable, "-m", "outgroup", "cluster", str(parts), "-k", str(k)]
    command += ["--table", "csv", "--quick", "--out", str(out)]
    with Cluster(out.parent) as cluster:
        begin, moments = perf_counter(), 0
        for more in ([], ["--resume"]):
            moments = _watched([*command, "--cluster", cluster.address, *more], out, partial(harm, cluster), cluster)
            if out.exists():
                return perf_counter() - begin, moments, cluster.kills
            cluster.begin()
    raise SystemExit(f"{harm.__name__}: the run could not be gone on with")


def _watched(command: list[str], out: Path, harm: Callable[[int, int], None], cluster: Cluster) -> int:
    """Run a command to its end, with a harm every two seconds once the words are learned; return their number."""
    process, moments = subprocess.Popen(command, stdout=subprocess.DEVNULL), 0
    learned = out.parent / f".{out.name}.outgroup-stage" / "words"
    while process.poll() is None:
        sleep(_LOOK)
        if learned.exists():
            moments += 1
            harm(moments, cluster.kills)
    return moments


HARMS = (one_worker, a_worker_each_moment, the_scheduler)


def deaths(parts: Path, k: int, only: str | None) -> None:
    """Print what each kind of death costs, or `only` one, and whether the result is the same."""
    harms = [harm for harm in HARMS if only in (None, harm.__name__)]
    table = []
    with tempfile.TemporaryDirectory(dir=parts.parent) as folder:
        outs: dict[str, float] = {}
        for harm in (nothing, *harms):
            name = harm.__name__.replace("_", " ")
            out = Path(folder, harm.__name__)
            seconds, moments, killed = run(parts, k, out, harm)
            outs[harm.__name__] = seconds
            same = all((out / each).read_bytes() == Path(folder, "nothing", each).read_bytes() for each in SAME)
            lost = seconds - outs["nothing"]
            table.append([name, f"{seconds:.0f}", f"{lost:.0f}", str(moments), str(killed), "yes" if same else "no"])
            print(table[-1], flush=True)
    show(["killed", "seconds", "lost", "moments", "kills", "same bytes"], table)
