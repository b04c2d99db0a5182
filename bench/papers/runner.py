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
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import sklearn
from threadpoolctl import threadpool_limits

import outgroup
from bench.methods.bundle import Bundle
from bench.methods.registry import METHODS
from bench.papers import tasks
from bench.papers.plan import Setting
from bench.timing import once
from outgroup import metrics
from outgroup.rows import threads

RESULTS = Path(__file__).resolve().parents[1] / "results"
DONE, FAILED, NOT_RUN = "done", "failed", "not run"
_WORKERS = 2
_FORK = get_context("fork")  # a child finds the data in its place; nothing here starts OpenMP before the fork

Row = dict[str, Any]
Key = tuple[str, str, str]


def run(wanted: list[Setting], name: str, limit_s: float) -> list[Row]:
    """Run what has no result yet; return all rows. To be interrupted at will: what is done stays done."""
    path = RESULTS / f"{name}.parquet"
    found = by_setting(read(path))
    left = [setting for setting in wanted if not _settled(found.get(setting.key, []), setting, limit_s)]
    begin, saved = time.monotonic(), time.monotonic()
    try:
        for count, (setting, rows) in enumerate(_results(left, limit_s), 1):
            found[setting.key] = rows
            _tell(f"{name}: {count} of {len(left)} settings, {time.monotonic() - begin:.0f} s")
            if time.monotonic() - saved > 5:
                write(path, _all(found))
                saved = time.monotonic()
    finally:
        if left:
            write(path, _all(found))
            _tell("\n")
    return _all(found)


def by_setting(rows: list[Row]) -> dict[Key, list[Row]]:
    """Return the rows of each task, method and options."""
    found: dict[Key, list[Row]] = {}
    for row in rows:
        found.setdefault((row["task"], row["method"], row["options"]), []).append(row)
    return found


def _all(found: dict[Key, list[Row]]) -> list[Row]:
    return [row for rows in found.values() for row in rows]


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


def _settled(mine: list[Row], setting: Setting, limit_s: float) -> bool:
    if any(row["status"] == FAILED for row in mine):
        return False
    if any(row["status"] == NOT_RUN for row in mine):
        return any(row["seconds"] >= limit_s for row in mine if row["status"] == NOT_RUN)  # a longer limit: a new try
    return len(mine) >= setting.starts


@dataclass
class _Running:
    """A setting at work in a process of its own, and the rows that have come of it."""

    setting: Setting
    process: Any
    begin: float
    rows: list[Row]


def _results(left: list[Setting], limit_s: float) -> Iterator[tuple[Setting, list[Row]]]:
    """Yield each setting's rows when it ends, `_WORKERS` at a time; a task's data are read before they are forked."""
    running: dict[Connection, _Running] = {}
    try:
        for setting in left:
            while len(running) >= _WORKERS:
                yield from _finished(running, limit_s)
            found = _begun(setting)
            if isinstance(found, str):  # costs nothing to find out again, when there may be data or a wider limit
                yield setting, [_row(setting, NOT_RUN, found)]
            else:
                running[found[0]] = _Running(setting, found[1], time.monotonic(), [])
        while running:
            yield from _finished(running, limit_s)
    finally:
        for job in running.values():
            job.process.kill()


def _begun(setting: Setting) -> tuple[Connection, Any] | str:
    """Return the pipe and the process of a setting that has begun, or why it cannot."""
    try:
        bundle = tasks.bundle(setting.task)
    except tasks.MissingDataError as error:
        return str(error)
    why_not = METHODS[setting.method].why_not(bundle)
    if why_not:
        return why_not
    receiver, sender = _FORK.Pipe(duplex=False)
    process = _FORK.Process(target=_work, args=(setting, bundle, sender))
    process.start()
    sender.close()
    return receiver, process


def _finished(running: dict[Connection, _Running], limit_s: float) -> Iterator[tuple[Setting, list[Row]]]:
    """Take in rows; yield the settings that have ended, or that the limit ends: the starts they did count."""
    ready = wait(list(running), timeout=0.5)
    for receiver, job in list(running.items()):
        while receiver in ready and not _ended(job) and receiver.poll():
            job.rows += _received(receiver, job)
        if not _ended(job) and time.monotonic() - job.begin > limit_s:
            note = f"not run: time (more than {limit_s:g} s)"
            job.rows.append(_row(job.setting, NOT_RUN, note, seconds=limit_s))
        if _ended(job):
            job.process.kill()
            job.process.join()
            del running[receiver]
            yield job.setting, job.rows


def _ended(job: _Running) -> bool:
    return len(job.rows) >= job.setting.starts or any(row["status"] != DONE for row in job.rows)


def _received(receiver: Connection, job: _Running) -> list[Row]:
    try:
        return [receiver.recv()]
    except EOFError:
        note = "failed: the process ended without a result, perhaps for want of memory"
        return [_row(job.setting, FAILED, note)]


def _work(setting: Setting, bundle: Bundle, sender: Connection) -> None:
    with threads(1), threadpool_limits(1):
        try:
            for seed in range(setting.starts):
                sender.send(_start(setting, bundle, seed))
        except Exception as error:  # recorded, and tried again next time
            sender.send(_row(setting, FAILED, f"failed: {type(error).__name__}: {error}"))


def _start(setting: Setting, bundle: Bundle, seed: int) -> Row:
    found: list[Any] = []
    method = METHODS[setting.method].start
    seconds = once(lambda: found.append(method(bundle, seed, **json.loads(setting.options))))
    y, labels = bundle.y if found[0].y is None else found[0].y, np.asarray(found[0].labels)
    return _row(setting, DONE, "", seconds) | {
        "start": seed, "loss": found[0].loss, "groups": found[0].groups, "accuracy": metrics.accuracy(y, labels),
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
    [(name, pa.string()) for name in _TEXTS]
    + [(name, pa.float64()) for name in _NUMBERS]
    + [(name, pa.int64()) for name in ("start", "groups")]
)
