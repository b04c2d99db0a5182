"""One run of `outgroup cluster --memory` in a process of its own: seconds of each step, memory, disk."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from time import perf_counter, sleep

from bench.tables import show


def run(file: Path, k: int, memory: str) -> None:
    """Print what one run of the command line takes; the highest use of the disk is looked at twice a second."""
    with tempfile.TemporaryDirectory(dir=file.parent) as folder:
        out = Path(folder, "out")
        command = [sys.executable, "-m", "outgroup", "cluster", str(file), "-k", str(k)]
        begin, disk = perf_counter(), 0
        process = subprocess.Popen([*command, "--memory", memory, "--out", str(out), "--quiet"])
        while process.poll() is None:
            disk = max(disk, _size(Path(folder)))
            sleep(0.5)
        used, seconds = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter() - begin
        record = json.loads((out / "run.json").read_bytes())
    show(["step", "seconds"], [[name, f"{took:.1f}"] for name, took in record["timings"].items()])
    n, peak = record["documents"], 1024 * used.ru_maxrss / 1e6
    print(f"{n:,} documents, k = {k}: {seconds:.0f} s, {used.ru_utime + used.ru_stime:.0f} s of processor time")
    print(f"{peak:,.0f} MB at most in a process, {disk / 1e6:,.0f} MB of disk at most")


def _size(folder: Path) -> int:
    found = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                found += os.stat(os.path.join(place, name)).st_size
    return found
