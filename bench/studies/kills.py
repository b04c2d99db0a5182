"""`python -m bench kills [COUNT]`: runs of `outgroup cluster --force` killed at random moments, and what each leaves.

Half of the moments are anywhere in a run, half near its end, where it writes; half of the kills are kill -9, half
SIGTERM. After each, the result must be the earlier or the new one byte for byte, and after the next run nothing else
may be left.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections import Counter
from pathlib import Path

from bench.studies.killed import tell

FILES = ("assignments.csv", "clusters.json", "report.html", "run.json", "model/model.json", "model/arrays.npz")
SAME = tuple(name for name in FILES if name not in ("report.html", "run.json"))  # those two tell the time


def cluster(k: int) -> int:
    """Fork a run of the command line, whose libraries are there already."""
    pid = os.fork()
    if pid:
        return pid
    os.close(1)
    os.close(2)
    os.open(os.devnull, os.O_WRONLY)
    os.open(os.devnull, os.O_WRONLY)
    sys.argv = ["outgroup", "cluster", "docs.jsonl", "-k", str(k), "--n-init", "1", "--out", "result", "--force"]
    from outgroup.__main__ import main

    code = 1
    try:
        main()
    except SystemExit as error:
        code = int(error.code or 0)
    os._exit(code)


def run(k: int) -> float:
    begun = time.perf_counter()
    _, status = os.waitpid(cluster(k), 0)
    assert status == 0, status
    return time.perf_counter() - begun


def content(folder: Path) -> dict[str, bytes]:
    assert all((folder / name).is_file() for name in FILES)
    return {name: (folder / name).read_bytes() for name in SAME}


def kills(count: int) -> Counter[str]:
    seen: Counter[str] = Counter()
    whole, seconds = {}, 0.0
    for k in (3, 2):
        seconds = run(k)
        whole[k] = content(Path("result"))
    rng = random.Random(1)
    for number in range(count):
        sort = (signal.SIGKILL, signal.SIGTERM)[number % 2]
        pid = cluster(3)
        time.sleep(seconds * rng.uniform(*((0, 1) if number % 4 < 2 else (0.6, 1))))
        os.kill(pid, sort)
        _, status = os.waitpid(pid, 0)
        left = sorted(name for name in os.listdir() if name not in ("docs.jsonl", "result"))
        now = content(Path("result"))
        assert now in whole.values(), "neither the earlier nor the new result"
        ended = "ended before" if status == 0 else sort.name
        seen[f"{ended}: the {'new' if now == whole[3] else 'earlier'} result, {len(left)} hidden left"] += 1
        seconds = 0.8 * seconds + 0.2 * run(2)
        assert content(Path("result")) == whole[2]
        assert sorted(os.listdir()) == ["docs.jsonl", "result"], os.listdir()
    return seen


def main(argv: list[str]) -> None:
    """Print how often each result was found."""
    import outgroup.app.cli  # noqa: F401  # once, for all the forks

    tell(argv, kills, "always the earlier or the new result, and nothing left after the next run")


if __name__ == "__main__":
    main(sys.argv[1:])
