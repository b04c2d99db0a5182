"""Runs that are killed: a small process that forks one after another, and looks at what each leaves.

`python killed.py POINTS|STEPS KILL|TERM COUNT FOLDER` kills a run at every COUNT-th point, and prints how often the old
and the new result were found. With TOGETHER two runs write at once, COUNT times, half of them where nothing is; it
prints how often each number of them wrote. It imports nothing large, so that a run takes a millisecond.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

from outgroup.storage.atomic import new_folder, restore
from outgroup.storage.folders import Kind

KIND = Kind("tiny", "mark.json", frozenset({"mark.json", "text", "deep/deeper"}), "say please")
OPERATIONS = ("open", "os.", "fcntl.", "shutil.")  # how the audit events of the file system begin


def fill(folder: Path, text: str, value: int = 0) -> Path:
    (folder / "deep").mkdir(parents=True)
    (folder / "mark.json").write_text(json.dumps({"format": "tiny", "value": value}))
    (folder / "text").write_text(text)
    (folder / "deep" / "deeper").write_text(text)
    return folder


def write(target: Path, value: int) -> None:
    with new_folder(target, KIND, replace=True) as folder:
        fill(folder, f"{value}\n" * 1000, value)


def found(target: Path) -> int:
    """Return the value that a whole result holds; a half of one is an error."""
    value = json.loads((target / "mark.json").read_text())["value"]
    assert (target / "text").read_text() == (target / "deep" / "deeper").read_text() == f"{value}\n" * 1000
    assert list(KIND.strange(target)) == []
    return int(value)


def child(target: Path, value: int, number: signal.Signals, point: int | None, *, steps: bool = False) -> int:
    """Fork a run that writes.

    With a `point`, it sends itself the signal before its so manieth file operation; with `steps`, a KeyboardInterrupt
    comes at the so manieth step of the interpreter within the package.
    """
    pid = os.fork()
    if pid:
        return pid
    signal.signal(signal.SIGTERM, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
    count = iter(range(1, 10**9))

    def kill(event: str, _: object) -> None:
        if event.startswith(OPERATIONS) and next(count) == point:
            os.kill(os.getpid(), number)

    def trace(frame: FrameType, event: str, _: object) -> Any:
        if "outgroup" not in frame.f_code.co_filename and "contextlib" not in frame.f_code.co_filename:
            return None
        frame.f_trace_opcodes = True
        if event in ("opcode", "line") and next(count) == point:
            raise KeyboardInterrupt
        return trace

    try:
        if steps:
            sys.settrace(trace)
        elif point is not None:
            sys.addaudithook(kill)
        write(target, value)
    except BaseException:
        os._exit(1)
    os._exit(0)


def look(target: Path, values: tuple[int, int], seen: Counter[str]) -> None:
    """Assert that the old or the new result is there, and that the next run leaves it alone there."""
    restore(target, KIND)
    seen["old" if found(target) == values[0] else "new"] += 1
    assert found(target) in values
    write(target, values[1] + 1)
    assert found(target) == values[1] + 1
    assert os.listdir(target.parent) == [target.name], os.listdir(target.parent)


def at_points(target: Path, number: signal.Signals, every: int, *, steps: bool) -> Counter[str]:
    seen: Counter[str] = Counter()
    for point in range(1, 100_000, every):
        values = found(target), found(target) + 1
        _, status = os.waitpid(child(target, values[1], number, point, steps=steps), 0)
        if status == 0:
            return seen
        look(target, values, seen)
    raise AssertionError("a run has no end")


def together(target: Path, count: int) -> Counter[str]:
    """Let two runs write at once; each must write a whole result or be refused, and the result must be of one of them.

    A reader may see no file for a moment; one that it sees is whole.
    """
    seen: Counter[str] = Counter()
    for number in range(count):
        if number % 2:
            KIND.remove(target)
        values = [3 * number + 1, 3 * number + 2]
        pids = {child(target, value, signal.SIGTERM, None): value for value in values}
        wrote = list[int]()
        while pids:
            with suppress(FileNotFoundError):
                lines = (target / "text").read_text().splitlines()
                assert len(lines) == 1000
                assert len(set(lines)) == 1, "a torn file"
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid:
                value = pids.pop(pid)
                wrote += [] if status else [value]
        assert found(target) in wrote, "the result of a run that was not refused is lost"
        assert os.listdir(target.parent) == [target.name], os.listdir(target.parent)
        seen[str(len(wrote))] += 1
    return seen


def main(when: str, name: str, count: str, folder: str) -> None:
    target, number = Path(folder) / "result", signal.Signals[f"SIG{name}"]
    write(target, 0)
    if when == "TOGETHER":
        seen = together(target, int(count))
    else:
        seen = at_points(target, number, int(count), steps=when == "STEPS")
    print(json.dumps(seen))


if __name__ == "__main__":
    main(*sys.argv[1:])
