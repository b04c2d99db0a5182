"""`python -m bench hostile [COUNT] [AREA ...]`: hostile files, COUNT (default 1,000) of each area, each in a process.

The areas are those of `tests/fuzz/hostile.py`, by names such as `forged-results`: forged results, models, decisions and
projects, damaged projects, hostile documents, names and options. A case falls by a traceback, by more than 30 s of
processor time or 2 GB of memory, by a signal, by a file outside its result, or by an import, a socket, a process or a
file that no field of a file may cause.
"""

from __future__ import annotations

import os
import random
import resource
import sys
import tempfile
import time
from pathlib import Path

from bench.tables import show
from tests.fuzz.hostile import AREAS, Case, Guard, fall_of, make_base, warm

_SECONDS, _MEMORY, _WAIT = 30, 2_000_000, 300  # of processor time, kB, and seconds on a busy machine


def tried(case: Case, base: Path) -> str:
    """Run a case in a process of its own; return why it fell, "" where it held."""
    told, said = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(told)
        resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        os.write(said, fall_of(case, base, Guard()).encode("utf-8", "replace")[:4000])
        os._exit(0)
    os.close(said)
    end, status, used = time.monotonic() + _WAIT, 0, None
    while used is None:
        done, status, found = os.wait4(pid, os.WNOHANG)
        used = found if done else None
        if not done:
            if time.monotonic() > end:
                os.kill(pid, 9)
            time.sleep(0.005)
    with os.fdopen(told, "rb") as pipe:
        why = pipe.read().decode()
    if status:
        return f"ended by signal {os.WTERMSIG(status)} after {used.ru_utime:.0f} s"
    return why or (f"{used.ru_maxrss // 1000} MB" if used.ru_maxrss > _MEMORY else "")


def main(argv: list[str]) -> None:
    """Print for each area how many cases held and fell, and each that fell."""
    count, wanted = int(argv[0]) if argv else 1_000, argv[1:]
    table = list[tuple[str, int, int, int]]()
    with tempfile.TemporaryDirectory() as place:
        base = Path(place, "base")
        base.mkdir()
        make_base(base)
        warm(base)
        for area in AREAS:
            if wanted and area.__name__.replace("_", "-") not in wanted:
                continue
            rng = random.Random(count)
            cases = list(area(base, rng))
            chosen = rng.sample(cases, min(count, len(cases)))
            fell = [(case, why) for case in chosen if (why := tried(case, base))]
            for case, why in fell:
                print(f"{case.area}: {case.name}: {why}", file=sys.stderr)
            table.append((area.__name__.replace("_", " "), len(chosen), len(chosen) - len(fell), len(fell)))
    every = [sum(column) for column in zip(*(row[1:] for row in table), strict=True)]
    show(["area", "cases", "held", "fell"], [*table, ("all", *every)])


if __name__ == "__main__":
    main(sys.argv[1:])
