"""The speed of a whole fit, as ratios of interleaved medians: machines differ, and drift while they measure."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.svm import LinearSVC

from bench import data
from bench.tables import show
from bench.timing import interleaved, program
from outgroup import MaxMarginClustering
from outgroup.rows import n_threads

ROUNDS = 5


def speed() -> None:
    """One start against liblinear's Crammer-Singer SVM given the classes, ten against KMeans(n_init=10)."""
    task = data.news().rows()
    X64 = task.X.astype("f8")  # liblinear copies to this type: it is given it
    seconds = interleaved(
        {
            "M2DCU, one start": lambda: _clusters(task, 1),
            "liblinear Crammer-Singer, given the classes": lambda: _crammer_singer(X64, task.y),
            "M2DCU, ten starts": lambda: _clusters(task, 10),
            "scikit-learn KMeans(n_init=10)": lambda: KMeans(task.k, n_init=10, random_state=0).fit(task.X),
        },
        ROUNDS,
    )
    print(f"{n_threads()} threads (liblinear has one), median of {ROUNDS} interleaved rounds")
    show(["fit", "seconds"], list(seconds.items()))
    one, svm, ten, kmeans = seconds.values()
    show(["ratio", "measured", "target"], [
        ("one start / Crammer-Singer", one / svm, "0.5 at most"),
        ("ten starts / KMeans(n_init=10)", ten / kmeans, "1 at most"),
    ])  # fmt: skip


def _clusters(task: data.Rows, n_init: int) -> MaxMarginClustering:
    alone = MaxMarginClustering(task.k, n_init=n_init, off_topic_rate=None, random_state=0)  # the method of the paper
    return alone.fit(task.X, universum=task.universum)


def _crammer_singer(X: Any, y: np.ndarray) -> LinearSVC:
    return LinearSVC(multi_class="crammer_singer", random_state=0).fit(X, y)


def text() -> None:
    """The 18,828 messages to `outgroup cluster`'s report: seconds, peak memory, where the time goes."""
    command = shutil.which("outgroup", path=str(Path(sys.executable).parent))
    if command is None:
        sys.exit("the command outgroup is not installed beside this Python")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        source = data.folder() / "20news-18828.jsonl.xz"
        seconds, peak = program([command, "cluster", str(source), "-k", "20", "--quiet", "--out", str(out)])
        run = json.loads((out / "run.json").read_text(encoding="utf-8"))
    show(["figure", "measured", "target"], [("seconds", seconds, "12"), ("peak MB", peak, "700")])
    show(["step", "seconds"], list(run["timings"].items()))


COMMANDS: dict[str, Callable[[], None]] = {"speed": speed, "text": text}
