"""Text to rows in files, and passes over them: against rows in memory, and on workers against this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from bench.tables import show
from bench.timing import interleaved, once, own_peak
from outgroup import Vectorizer
from outgroup.rows import OneHot, as_rows, threads
from outgroup.rows.base import Members
from outgroup.rows.connect import connected
from outgroup.rows.dask import disk_rows
from outgroup.rows.mapped import read_rows, write_rows

from .documents import texts


def rows(file: Path, folder: Path, max_features: int) -> None:
    vectorizer = Vectorizer(max_features=max_features)
    table = [["vocabulary", once(lambda: vectorizer.fit_blocks(texts(file))), own_peak()]]

    def write() -> None:
        blocks = (vectorizer.transform(block) for block in texts(file))
        write_rows(folder, (X[np.diff(X.indptr) > 0] for X in blocks))

    table.append(["rows", once(write), own_peak()])
    size = sum(each.stat().st_size for each in folder.rglob("*.npy")) / 1e6
    show(["pass", "seconds", "peak MB"], [[name, f"{s:.1f}", f"{mb:.0f}"] for name, s, mb in table])
    print(f"{read_rows(folder).shape[0]:,} rows, {size:,.0f} MB")


def passes(folder: Path, k: int) -> None:
    disk = read_rows(folder)
    memory = as_rows(disk.sample(np.arange(disk.shape[0])))
    rng = np.random.default_rng(0)
    W, labels = rng.normal(size=(k, disk.shape[1])), rng.integers(0, k, disk.shape[0]).astype(np.int32)
    for name in ("nearest", "sums", "dense"):
        every = {"disk": partial(one_pass, disk, name, W, labels), "memory": partial(one_pass, memory, name, W, labels)}
        seconds = interleaved(every)
        print(f"{name}: {seconds['disk']:.2f} s from files, {seconds['disk'] / seconds['memory']:.2f} times memory")


def one_pass(on: Any, name: str, W: np.ndarray, labels: np.ndarray) -> Any:
    k = len(W)
    if name == "sums":
        return on.fold(None, lambda _, y: (OneHot(y, k), 0.0), labels)
    if name == "dense":
        return on.fold(W, dense)
    return on.fold(W, lambda scores: (OneHot(scores.argmax(axis=1).astype(np.int32), k), 0.0))


def workers(folder: Path, k: int) -> None:
    """Time the passes of a fit on two single-threaded workers and on two threads of this process; what goes by wire."""
    disk, rng = read_rows(folder), np.random.default_rng(0)
    W, labels = rng.normal(size=(k, disk.shape[1])), rng.integers(0, k, disk.shape[0]).astype(np.int32)
    with (
        threads(2),
        connected("local:2") as client,
    ):
        on = disk_rows(client, str(folder))
        for name, rule, state in (("nearest", Nearest(k), ()), ("sums", Members(k), (labels,)), ("dense", dense, ())):
            directions = None if name == "sums" else W
            every = {
                "workers": partial(on.fold, directions, rule, *state),
                "here": partial(disk.fold, directions, rule, *state),
            }
            seconds = interleaved(every)
            ratio = seconds["workers"] / seconds["here"]
            print(f"{name}: {seconds['workers']:.2f} s on two workers, {ratio:.2f} times here")
            used = {what: min(_used(act, client) for _ in range(3)) for what, act in every.items()}
            print(f"  {used['workers']:.2f} s of processor time, with the client's, and {used['here']:.2f} s here")
            if _LOOPBACK.exists():
                moved = min(_moved(every["workers"]) for _ in range(3))
                print(f"  {moved / 1e6:,.1f} MB over the wire, {moved / (8 * W.size):.1f} times 8 k V bytes")


def _used(act: Callable[[], Any], client: Any) -> float:
    """Return the processor time that this process and the workers take meanwhile."""
    before = process_time() + sum(client.run(process_time).values())
    act()
    return process_time() + sum(client.run(process_time).values()) - before


_LOOPBACK = Path("/sys/class/net/lo/statistics/rx_bytes")


def _moved(act: Callable[[], Any]) -> int:
    """Return the bytes that went from process to process of this machine in the meantime."""
    before = int(_LOOPBACK.read_text())
    act()
    return int(_LOOPBACK.read_text()) - before


@dataclass(frozen=True)
class Nearest:
    """Fold each row into the group of its highest score."""

    k: int

    def __call__(self, scores: Any) -> tuple[OneHot, float]:
        return OneHot(scores.argmax(axis=1).astype(np.int32), self.k), 0.0


def dense(scores: Any) -> tuple[Any, float]:
    """Fold each row with all of its scores."""
    return scores, 0.0
