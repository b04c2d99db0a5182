"""One pass over the fixed matrix: SciPy and the native kernels, one thread and two, and growth with rows and columns.

times     scores, and whole folds, against SciPy on one thread; two threads against one; that threads change no byte
growth    against rows (2,000 to 16,000: linear) and columns (linear in steps of a cache line), drawn with --out
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from bench import data
from bench.plots import curves
from bench.tables import show
from bench.timing import interleaved, timed
from outgroup._native import by_scipy, products
from outgroup.rows import OneHot, Rows, as_rows, threads
from outgroup.solve.risks import MarginRisk

Pass = Callable[[], Any]
ROUNDS = 21
CELL = 16  # float32 columns in a cache line
COLUMNS = (20, 100)
RUNS = ("SciPy 1", "SciPy 2", "native 1", "native 2")


def passes(rows: Rows, k: int) -> dict[str, Pass]:
    """The passes that fits are made of: scores alone; folds with dense and with one-hot coefficients."""
    rng = np.random.default_rng(0)
    W, labels = rng.normal(size=(k, rows.shape[1])), rng.integers(0, k, rows.shape[0]).astype(np.int32)
    margin = MarginRisk(rows, 1.0)

    def nearest(scores: Any) -> Any:
        return OneHot(scores.argmax(axis=1).astype(np.int32), k), 0.0

    return {
        "scores": lambda: rows.map(W, lambda scores: scores),
        "fold, dense coefficients": lambda: rows.fold(W, lambda scores: (scores, 0.0)),
        "fold, margin cut": lambda: margin.cut(W, labels).slope,
        "fold, nearest": lambda: rows.fold(W, nearest),
        "fold, sums of clusters": lambda: rows.fold(None, lambda _, y: (OneHot(y, k), 0.0), labels),
    }


def by_scipy_alone(action: Pass, count: int) -> Pass:
    """The same pass, with SciPy doing the products, on `count` threads."""

    def run() -> Any:
        with products.using(by_scipy), threads(count):
            return action()

    return run


def natively(action: Pass, count: int) -> Pass:
    """The same pass as it is, on `count` threads."""

    def run() -> Any:
        with threads(count):
            return action()

    return run


def times() -> None:
    """Print each pass's time, SciPy's against the native one's, one thread's against two's."""
    X = data.fixed_matrix().X
    print(f"{X.shape[0]:,} x {X.shape[1]:,}, {X.nnz:,} entries; {products.describe()}; {ROUNDS} interleaved rounds")
    header = ["pass", *RUNS, "SciPy 1 / native 1", "native 1 / native 2", "(least)", "same bytes"]
    for dtype in (np.float32, np.float64):
        rows = as_rows(X.astype(dtype))
        for k in COLUMNS:
            table = [_row(name, action) for name, action in passes(rows, k).items()]
            show(header, table, f"k = {k}, {np.dtype(dtype).name}; median ms, and ratios of medians and of least times")


def _row(name: str, action: Pass) -> list[Any]:
    runs = [by_scipy_alone(action, 1), by_scipy_alone(action, 2), natively(action, 1), natively(action, 2)]
    same = _bytes(runs[2]()) == _bytes(runs[3]()) == _bytes(natively(action, 3)())
    seconds = timed(dict(zip(RUNS, runs, strict=True)), ROUNDS)
    scipy, _, one, two = (median(values) for values in seconds.values())
    least = min(seconds["native 1"]) / min(seconds["native 2"])
    ms = [1e3 * median(values) for values in seconds.values()]
    return [name, *ms, scipy / one, one / two, least, "yes" if same else "NO"]


def _bytes(result: Any) -> bytes:
    return np.asarray(result[0] if isinstance(result, tuple) else result).tobytes()


def growth(out: Path | None) -> None:
    """Print, and draw, the time of scores and of a fold against the number of rows and of columns."""
    X = data.fixed_matrix().X
    X = X[np.random.default_rng(0).permutation(X.shape[0])]
    parts = {n: passes(as_rows(X[:n]), 20) for n in (2_000, 4_000, 8_000, 16_000)}
    _draw(out, "pass-by-rows", "rows", parts, step=1)
    rows = as_rows(X[:16_000])
    _draw(out, "pass-by-columns", "columns", {k: passes(rows, k) for k in range(8, 129, 8)}, step=CELL)


def _draw(out: Path | None, name: str, across: str, actions: dict[int, dict[str, Pass]], step: int) -> None:
    kinds = ("scores", "fold, dense coefficients")
    ms: dict[str, list[float]] = {}
    for kind in kinds:
        seconds = interleaved({str(x): natively(found[kind], 1) for x, found in actions.items()}, ROUNDS)
        ms[kind] = [1e3 * s for s in seconds.values()]
    header = [across, *(f"{kind}, ms" for kind in kinds), *(f"{kind}, us each" for kind in kinds)]
    each = ([1e3 * t / x for t, x in zip(ms[kind], actions, strict=True)] for kind in kinds)
    columns = [list(actions), *ms.values(), *each]
    rows = list(zip(*columns, strict=True))
    show(header, rows, "one thread")
    for kind in kinds:
        print(f"{kind}: {_line([-(-x // step) * step for x in actions], ms[kind])}, in steps of {step}")
    curves(out, name, list(actions), ms, across, "ms a pass")


def _line(x: list[int], ms: list[float]) -> str:
    """Say how well a straight line explains the times; the constant is what the number of terms costs."""
    slope, constant = np.polyfit(x, ms, 1)
    off = np.abs(np.polyval([slope, constant], x) / ms - 1).max()
    return f"{constant:.2f} ms + {1e3 * slope:.3f} us each, at most {off:.0%} off"


def main(argv: list[str]) -> None:
    """Print the tables; draw with `--out FOLDER`."""
    parser = argparse.ArgumentParser(prog="products", description=__doc__.split("\n")[0])
    parser.add_argument("what", nargs="?", choices=["times", "growth", "all"], default="all")
    parser.add_argument("--out", type=Path, help="folder to draw the growth into (SVG)")
    chosen = parser.parse_args(argv)
    if chosen.what in ("times", "all"):
        times()
    if chosen.what in ("growth", "all"):
        growth(chosen.out)
