"""Dense rows: the default fit beside scikit-learn's KMeans and faiss, in processor time of one thread; peak memory.

`banking77-minilm` has 13,083 x 384 embeddings of 77 intents; `planted` 200,000 x 384 rows around 100 directions.
Processor time, so that what else the machine does plays no part; each fit in a program of its own, as is its memory.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from bench import data
from bench.tables import show
from outgroup import SphericalKMeans
from outgroup.metrics import nmi

CASES = {"banking77-minilm": ("ours", "scikit-learn"), "planted": ("ours", "faiss")}
THREADS = ("OUTGROUP_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")


def main(arguments: list[str]) -> None:
    """`dense [CASE]`: print the table of one case or of both; `dense CASE METHOD` is one fit, as JSON."""
    if len(arguments) == 2:
        print(json.dumps(one(*arguments)))
        return
    for case in arguments or CASES:
        rows = [_in_its_own_program(case, method) for method in CASES[case]]
        ratio = rows[1]["seconds"] / rows[0]["seconds"]
        print(f"{case}: {ratio:.1f} times as fast as {rows[1]['method']}")
        show([*rows[0]], [list(row.values()) for row in rows])


def one(case: str, method: str) -> dict[str, Any]:
    """Fit once; return seconds of the processor, Q, NMI with the classes, and the most memory over that of X."""
    X, y = _rows(case)
    k, before, begin = len(np.unique(y)), _peak(), time.process_time()
    with threadpool_limits(1):
        labels = METHODS[method](X, k)
    seconds, memory = time.process_time() - begin, (_peak() - before) / X.nbytes
    sums = np.array([X[labels == j].sum(axis=0, dtype=np.float64) for j in range(k)])
    found = {"method": method, "seconds": round(seconds, 2), "Q": round(float(np.linalg.norm(sums, axis=1).sum()), 1)}
    return {**found, "NMI": round(float(nmi(y, labels)), 4), "memory beyond X, in X": round(memory, 2)}


def _ours(X: Any, k: int) -> Any:
    return SphericalKMeans(k, normalize=False, random_state=0).fit(X).labels_


def _scikit_learn(X: Any, k: int) -> Any:
    from sklearn.cluster import KMeans

    return KMeans(k, n_init=10, random_state=0).fit(X).labels_


def _faiss(X: Any, k: int) -> Any:
    """Spherical k-means over all points, 25 iterations."""
    import faiss

    faiss.omp_set_num_threads(1)
    means = faiss.Kmeans(X.shape[1], k, niter=25, spherical=True, max_points_per_centroid=10**9, seed=0)
    means.train(X)
    return means.index.search(X, 1)[1][:, 0]


METHODS = {"ours": _ours, "scikit-learn": _scikit_learn, "faiss": _faiss}


def _rows(case: str) -> tuple[Any, Any]:
    if case == "planted":
        return planted(200_000, 384, 100)
    X = np.load(data.folder() / "banking77-minilm.npy").astype(np.float32)
    intents = [row["label"] for row in data.records(data.folder() / "banking77.jsonl.xz")]
    return X / np.linalg.norm(X, axis=1, keepdims=True), np.unique(intents, return_inverse=True)[1]


def planted(n: int, d: int, k: int) -> tuple[Any, Any]:
    """Return unit rows (n, d) float32 around `k` random directions, in groups of unequal size, and their groups."""
    rng, weights = np.random.default_rng(0), np.random.default_rng(1).uniform(0.2, 1.8, k)
    y, X = rng.choice(k, n, p=weights / weights.sum()), np.empty((n, d), dtype=np.float32)
    centres = rng.standard_normal((k, d), dtype=np.float32)
    centres *= 6 / np.linalg.norm(centres, axis=1)[:, None]
    for start in range(0, n, 10_000):  # in blocks: the most memory before the fit is that of X
        part = slice(start, start + 10_000)
        block = centres[y[part]] + rng.standard_normal((len(y[part]), d), dtype=np.float32)
        X[part] = block / np.linalg.norm(block, axis=1)[:, None]
    return X, y


def _in_its_own_program(case: str, method: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "bench", "dense", case, method]
    environment = {**os.environ, **dict.fromkeys(THREADS, "1")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
