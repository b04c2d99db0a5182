"""Runs a paper's grid: resumable, each setting in a process of its own with a time limit, results in Parquet.

A setting is a task, a method and its options; its row for each start holds the loss, the agreement with the classes
and the seconds, or why there is none. What failed is recorded as failed, and tried again next time.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import sklearn

import outgroup
from bench import tasks
from bench.methods import METHODS, Bundle
from bench.timing import once
from outgroup import metrics
from outgroup.rows import threads

RESULTS = Path(__file__).parent / "results"
DONE, FAILED, NOT_RUN = "done", "failed", "not run"
_WORKERS = 2
_FORK = get_context("fork")  # a child finds the data in its place; nothing here starts OpenMP before the fork

Row = dict[str, Any]


@dataclass(frozen=True)
class Setting:
    """A task, a method, its options (JSON, keys sorted) and the number of starts."""

    task: str
    method: str
    options: str
    starts: int


def settings(paper: dict[str, Any]) -> list[Setting]:
    """Return every setting of a paper's definition, defaults (no options) first, in the order of its tasks."""
    names = [name for parts in paper["tasks"].values() for part in parts for name in tasks.expanded(part)]
    found = []
    for task, (method, plan) in product(dict.fromkeys(names), paper["methods"].items()):
        if task.split(" ")[0] in plan.get("not_on", []):
            continue
        starts = paper["starts"] if METHODS[method].random else 1
        found += [Setting(task, method, options, starts) for options in ["{}", *grid(plan.get("grid", []))]]
    return found


def grid(parts: list[dict[str, list[Any]]]) -> list[str]:
    """Return every combination of each part's values, as JSON."""
    combined = [dict(zip(part, values, strict=True)) for part in parts for values in product(*part.values())]
    return [json.dumps(options, sort_keys=True) for options in combined]


def run(paper: dict[str, Any], name: str) -> list[Row]:
    """Run what has no result yet; return all rows. To be interrupted at will: what is done stays done."""
    path = RESULTS / f"{name}.parquet"
    rows = read(path)
    left = [setting for setting in settings(paper) if not _settled(rows, setting, paper["limit_s"])]
    begin, saved = time.monotonic(), time.monotonic()
    try:
        for count, (setting, found) in enumerate(_results(left, paper["limit_s"]), 1):
            rows = [row for row in rows if not _same(row, setting)] + found
            _tell(f"{name}: {count} of {len(left)} settings, {time.monotonic() - begin:.0f} s")
            if time.monotonic() - saved > 5:
                write(path, rows)
                saved = time.monotonic()
    finally:
        if left:
            write(path, rows)
            _tell("\n")
    return rows


def _tell(line: str) -> None:
    if sys.stderr.isatty():
        print(line, end="\r", file=sys.stderr, flush=True)


def read(path: Path) -> list[Row]:
    """Return the rows of earlier runs, none where there is no file."""
    return pq.read_table(path).to_pylist() if path.is_file() else []


def write(path: Path, rows: list[Row]) -> None:
    """Write the rows beside the file and rename."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(".part")
    pq.write_table(pa.Table.from_pylist(rows, schema=_SCHEMA), beside)
    os.replace(beside, path)


def _same(row: Row, setting: Setting) -> bool:
    return (row["task"], row["method"], row["options"]) == (setting.task, setting.method, setting.options)


def _settled(rows: list[Row], setting: Setting, limit_s: float) -> bool:
    mine = [row for row in rows if _same(row, setting)]
    if not mine or any(row["status"] == FAILED for row in mine):
        return False
    if mine[0]["status"] == NOT_RUN:
        return bool(mine[0]["seconds"] >= limit_s)  # a longer limit is another try
    return len(mine) >= setting.starts


def _results(left: list[Setting], limit_s: float) -> Iterator[tuple[Setting, list[Row]]]:
    """Yield each setting's rows as they come, `_WORKERS` at a time; a task's data are read before they are forked."""
    running: dict[Connection, tuple[Setting, Any, float]] = {}
    for setting in left:
        while len(running) >= _WORKERS:
            yield from _finished(running, limit_s)
        try:
            bundle = tasks.bundle(setting.task)
        except tasks.MissingDataError as error:
            yield setting, [_row(setting, NOT_RUN, str(error), seconds=limit_s)]
            continue
        why_not = METHODS[setting.method].why_not(bundle)
        if why_not:
            yield setting, [_row(setting, NOT_RUN, why_not, seconds=limit_s)]
            continue
        receiver, sender = _FORK.Pipe(duplex=False)
        process = _FORK.Process(target=_work, args=(setting, bundle, sender))
        process.start()
        sender.close()
        running[receiver] = (setting, process, time.monotonic())
    while running:
        yield from _finished(running, limit_s)


def _finished(running: dict[Connection, Any], limit_s: float) -> Iterator[tuple[Setting, list[Row]]]:
    ready = wait(list(running), timeout=0.5)
    for receiver, (setting, process, begin) in list(running.items()):
        if receiver in ready:
            yield setting, _received(receiver, setting)
        elif time.monotonic() - begin > limit_s:
            process.kill()
            yield setting, [_row(setting, NOT_RUN, f"not run: time (more than {limit_s} s)", seconds=limit_s)]
        else:
            continue
        process.join()
        del running[receiver]


def _received(receiver: Connection, setting: Setting) -> list[Row]:
    try:
        found: list[Row] = receiver.recv()
    except EOFError:
        return [_row(setting, FAILED, "failed: the process ended without a result, perhaps for want of memory")]
    return found


def _work(setting: Setting, bundle: Bundle, sender: Connection) -> None:
    with threads(1):
        try:
            rows = [_start(setting, bundle, seed) for seed in range(setting.starts)]
        except Exception as error:  # recorded, and tried again next time
            rows = [_row(setting, FAILED, f"failed: {type(error).__name__}: {error}")]
    sender.send(rows)


def _start(setting: Setting, bundle: Bundle, seed: int) -> Row:
    found: list[Any] = []
    method = METHODS[setting.method].start
    seconds = once(lambda: found.append(method(bundle, seed, **json.loads(setting.options))))
    y, labels = bundle.y, np.asarray(found[0].labels)
    return _row(setting, DONE, "", seconds) | {
        "start": seed, "loss": found[0].loss, "accuracy": metrics.accuracy(y, labels),
        "majority": metrics.accuracy(y, labels, matching="majority"), "nmi": metrics.nmi(y, labels),
        "nmi_arithmetic": metrics.nmi(y, labels, average="arithmetic"), "rand": metrics.rand(y, labels),
    }  # fmt: skip


def _row(setting: Setting, status: str, note: str, seconds: float = 0.0) -> Row:
    versions = {"outgroup": outgroup.__version__, "scikit_learn": sklearn.__version__, "numpy": np.__version__}
    return {
        "task": setting.task, "method": setting.method, "options": setting.options, "status": status, "note": note,
        "seconds": float(seconds), "machine": f"{platform.machine()}, {os.cpu_count()} cores", **versions,
    }  # fmt: skip


_TEXTS = ("task", "method", "options", "status", "note", "machine", "outgroup", "scikit_learn", "numpy")
_NUMBERS = ("seconds", "loss", "accuracy", "majority", "nmi", "nmi_arithmetic", "rand")
_SCHEMA = pa.schema(
    [(name, pa.string()) for name in _TEXTS] + [(name, pa.float64()) for name in _NUMBERS] + [("start", pa.int64())]
)
