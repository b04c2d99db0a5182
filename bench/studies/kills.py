"""`python -m bench kills [COUNT] [WAY ...]`: runs killed at random moments, and what each leaves.

The ways: `plain` runs of `outgroup cluster --force`; `memory`, the same with rows in files (`--memory`); `resume`, such
a run that is resumed after the kill (`--resume`); `export`, a project opened and exported as the workbench does.
Without a way COUNT runs (200) are killed in all four, a quarter each. A run that ends before the kill does not count.

Half of the moments are anywhere in a run, half near its end, where it writes; half of the kills are kill -9, half
SIGTERM. After each, the result must be the earlier or the new one byte for byte, the project must hold every decision,
and after the next run nothing else may be left.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

from outgroup.cli.result import RESULT
from outgroup.storage.atomic import restore

FILES = ("assignments.csv", "clusters.json", "report.html", "run.json", "model/model.json", "model/arrays.bin")
SAME = tuple(name for name in FILES if name not in ("report.html", "run.json"))  # those two tell the time
KITCHEN = ["bread", "butter", "knife", "oven", "flour", "crust", "yeast", "dough", "salt", "pan"]
TRAINS = ["train", "town", "station", "ticket", "platform", "railway", "driver", "signal", "track", "coach"]
_INPUTS = ["2.outgroup", "3.outgroup", "docs.jsonl", "result"]


def cluster(k: int, *options: str) -> None:
    """Run the command line; files are forced, since so few documents fit into memory."""
    from outgroup.cli import start

    if "--memory" in options:
        vars(start)["in_files"] = lambda settings: True
    sys.argv = ["outgroup", "cluster", "docs.jsonl", "-k", str(k), "--out", "result", "--force"]
    sys.argv += options
    from outgroup.__main__ import main

    main()


def export(k: int) -> None:
    """Open the project with this number of groups and export it in place of the result."""
    from rich.console import Console

    from outgroup.cli.output import Steps
    from outgroup.cli.settings import WorkbenchSettings
    from outgroup.cli.workbench import open_workbench

    settings = WorkbenchSettings(project=Path(f"{k}.outgroup"), out=Path("result"), force=True, quick=True)
    bench = open_workbench(settings, Steps(Console(stderr=True), quiet=True))
    with bench.desk.session:
        assert bench.desk.version is not None
        bench.export(bench.desk.version)


MEMORY = ("--memory", "1G", "--table", "csv")
WAYS: dict[str, tuple[Callable[[int], None], Callable[[int], None]]] = {
    "plain": (cluster, cluster),
    "memory": (lambda k: cluster(k, *MEMORY), lambda k: cluster(k, *MEMORY)),
    "resume": (lambda k: cluster(k, *MEMORY), lambda k: cluster(k, *MEMORY, "--resume")),
    "export": (export, export),
}
"""What is killed, and what is run next."""


def begun(work: Callable[[], None]) -> int:
    """Fork a process that does the work, whose libraries are there already; return its number."""
    pid = os.fork()
    if pid:
        return pid
    os.close(1)
    os.close(2)
    os.open(os.devnull, os.O_WRONLY)
    os.open(os.devnull, os.O_WRONLY)
    code = 0
    try:
        work()
    except SystemExit as error:
        code = int(error.code or 0)
    except BaseException:  # a process that is killed by SIGTERM may end so
        code = 1
    os._exit(code)


def run(work: Callable[[], None]) -> float:
    start = time.perf_counter()
    _, status = os.waitpid(begun(work), 0)
    assert status == 0, status
    return time.perf_counter() - start


def content(folder: Path) -> dict[str, bytes]:
    assert all((folder / name).is_file() for name in FILES)
    return {name: (folder / name).read_bytes() for name in SAME}


def documents(path: Path) -> None:
    """Write 200 documents of two topics."""
    rng = random.Random(0)
    texts = [" ".join(rng.choices(words, k=9)) for words in (KITCHEN, TRAINS) * 100]
    path.write_text("".join(json.dumps({"id": i, "text": text}) + "\n" for i, text in enumerate(texts)))


def projects() -> None:
    """Write a project with two groups and one with three, of two decisions each."""
    from outgroup.decisions import Label, Rename
    from outgroup.session import Session

    rows = [json.loads(line) for line in Path("docs.jsonl").read_text().splitlines()]
    for k in (2, 3):
        session = Session([row["text"] for row in rows], n_clusters=k, ids=[row["id"] for row in rows])
        version = session.fit([Rename(0, "kitchen"), Label("1", 1)], start=session.fit())
        session.save(f"{k}.outgroup", version, embed_texts=True)


def log(k: int) -> list[str]:
    from outgroup.session.project_file import Project

    with Project.open(f"{k}.outgroup") as project:
        return [str(each.to_dict()) for each in project.log]


def killed(way: str, count: int) -> Counter[str]:
    """Start runs of a way until so many are killed; return what each left, and how often."""
    work, after = WAYS[way]
    seen: Counter[str] = Counter()
    whole, seconds, decisions = {}, 0.0, log(3)
    for k in (3, 2):
        seconds = run(partial(work, k))
        whole[k] = content(Path("result"))
    rng, number, hits = random.Random(), -1, 0
    while hits < count:
        number += 1
        sort = (signal.SIGKILL, signal.SIGTERM)[number % 2]
        pid = begun(partial(work, 3))
        time.sleep(seconds * rng.uniform(*((0, 1) if number % 4 < 2 else (0.6, 1))))
        os.kill(pid, sort)
        _, status = os.waitpid(pid, 0)
        left = sorted(name for name in os.listdir() if name not in _INPUTS)
        restore("result", RESULT)  # after a kill between the two renames
        now = content(Path("result"))
        assert now in whole.values(), "neither the earlier nor the new result"
        assert log(3) == decisions, "a decision is lost"
        hits += status != 0
        ended = "ended before" if status == 0 else sort.name
        seen[f"{way}, {ended}: the {'new' if now == whole[3] else 'earlier'} result, {len(left)} hidden left"] += 1
        run(partial(after, 3))
        assert content(Path("result")) == whole[3], "the next run makes another result"
        seconds = 0.8 * seconds + 0.2 * run(partial(work, 2))
        assert content(Path("result")) == whole[2]
        assert sorted(os.listdir()) == _INPUTS, os.listdir()
    return seen


def main(argv: list[str]) -> None:
    """Kill runs in a temporary folder, and print how often each result was found."""
    import outgroup.cli.main  # once, for all the forks
    import outgroup.cli.workbench  # noqa: F401

    count, ways = int(argv[0]) if argv else 200, argv[1:] or [*WAYS]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        documents(Path("docs.jsonl"))
        projects()
        found = sum((killed(way, -(-count // len(ways))) for way in ways), Counter[str]())
    for what, times in sorted(found.items()):
        print(f"{times:5}  {what}")
    print(f"{found.total()} runs: always the earlier or the new result, and nothing left after the next run")


if __name__ == "__main__":
    main(sys.argv[1:])
