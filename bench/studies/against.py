"""`python -m bench against CHECKOUT [JOB ...] [--rounds N]`: what the main jobs take here and in another checkout.

The two take turns, each run a program of its own on one thread, and the medians of their processor times are compared,
so that what else the machine does plays a small part. The other checkout (`git worktree add`) needs its kernels beside
its `_native`; both are run by this Python.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench import data
from bench.tables import show

HERE = Path(__file__).resolve().parents[2]
THREADS = ("OUTGROUP_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")

CLOCK = """
import atexit, sys, time
began = 0.0
atexit.register(lambda: sys.stderr.write(f"\\n{time.process_time() - began}"))
"""
RUN = "from outgroup.__main__ import main; main()"
READ = """
from pathlib import Path
try:
    from outgroup.readers.corpus import read_corpus
except ImportError:
    from outgroup.text.corpus import read_corpus
began = time.process_time()
read_corpus(Path(sys.argv[1]))
"""
SPHERICAL = """
import numpy, scipy.sparse
from outgroup import SphericalKMeans
with numpy.load(sys.argv[1]) as file:
    X = scipy.sparse.csr_matrix((file["data"], file["indices"], file["indptr"]), shape=tuple(file["shape"]))
began = time.process_time()
SphericalKMeans(20, random_state=0).fit(X)
"""

Job = Callable[[Path, Path], list[str]]  # a folder to work in, a checkout -> a program of Python and its arguments


def main(arguments: list[str]) -> None:
    """Print each job's seconds here and there, and their ratio; exits for a checkout that is none."""
    parser = argparse.ArgumentParser(prog="python -m bench against", description="jobs: " + ", ".join(JOBS))
    parser.add_argument("checkout", type=Path)
    parser.add_argument("jobs", nargs="*", default=[*JOBS])
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_intermixed_args(arguments)
    if not (asked.checkout / "src" / "outgroup").is_dir():
        sys.exit(f"{asked.checkout} is no checkout: there is no src/outgroup in it")
    with tempfile.TemporaryDirectory() as folder:
        rows = [_row(job, Path(folder), asked.checkout.resolve(), asked.rounds) for job in asked.jobs]
    show(["job", "here s", "there s", "ratio"], rows, f"processor time, medians of {asked.rounds} rounds by turns")


def _row(name: str, folder: Path, there: Path, rounds: int) -> list[Any]:
    """Run a job here and there by turns, and compare; the first round fills caches, that of compiled modules too."""
    seconds: dict[Path, list[float]] = {HERE: [], there: []}
    for _ in range(rounds + 1):
        for checkout, found in seconds.items():
            found.append(_seconds(JOBS[name](folder, checkout), checkout, folder))
    ours, theirs = (statistics.median(found[1:]) for found in seconds.values())
    return [name, round(ours, 2), round(theirs, 2), round(ours / theirs, 2)]


def _seconds(job: list[str], checkout: Path, folder: Path) -> float:
    program, *arguments = job
    told = os.environ | dict.fromkeys(THREADS, "1") | {"PYTHONPATH": os.fspath(checkout / "src")}
    told |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": os.fspath(folder / "modules")}
    done = subprocess.run(
        [sys.executable, "-c", CLOCK + program, *arguments], env=told, capture_output=True, text=True, check=True
    )
    return float(done.stderr.splitlines()[-1])


def _demo(folder: Path, checkout: Path) -> list[str]:
    return [RUN, "demo", "--out", os.fspath(folder / f"demo-{checkout == HERE}")]


def _report(count: int | None) -> Job:
    """The job of `outgroup cluster` on so many messages."""

    def job(folder: Path, checkout: Path) -> list[str]:
        source, out = _messages(folder, count), folder / f"{count}-{checkout == HERE}"
        return [RUN, "cluster", os.fspath(source), "-k", "20", "--force", "--quiet", "--out", os.fspath(out)]

    return job


def _read(folder: Path, checkout: Path) -> list[str]:
    return [READ, os.fspath(_messages(folder, None))]


def _spherical(folder: Path, checkout: Path) -> list[str]:
    return [SPHERICAL, os.fspath(data.folder() / "ng20-tfidf.npz")]


def _messages(folder: Path, count: int | None) -> Path:
    """Return a file of the messages of 20 Newsgroups, or so many, unpacked: no time shall go to that."""
    path = folder / f"news-{count or 'all'}.jsonl"
    if not path.exists():
        lines = data.lines(data.folder() / "20news-18828.jsonl.xz")
        path.write_text("".join(random.Random(0).sample(lines, count or len(lines))), encoding="utf-8")
    return path


JOBS: dict[str, Job] = {
    "demo": _demo,
    "2000": _report(2_000),
    "all": _report(None),
    "read": _read,
    "spherical": _spherical,
}
