"""Speed and quality of spherical k-means: beside scikit-learn in one process, in a second, and on a large matrix."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans

from bench import data
from bench.methods.objectives import margin_objective
from bench.tables import show
from bench.timing import interleaved, once
from outgroup import SphericalKMeans
from outgroup.metrics import nmi
from outgroup.rows import as_rows
from outgroup.rows.threads import one_blas_thread
from outgroup.solve.local_search import Schedule, open_search, refine
from outgroup.solve.refinement import Plan, fit
from outgroup.solve.restarts import best_of, made, spherical_start
from outgroup.solve.spherical import partition_from

GMEANS = {"batch": 4.14 / 0.97, "chains": 4.14 / 36.0}  # scikit-learn's lloyd over gmeans -O3, peers run side by side
SKMEANS_CHAINS = 4.14 / 206  # the same over R's skmeans with maxchains = 10


def speed(out: Path | None) -> None:
    """Batch steps and chains from the common start, interleaved with scikit-learn's lloyd; two threads."""
    task, k = data.fixed_matrix(), 20
    start = np.load(data.folder() / "ng20-start-k20.npy")
    means = partition_from(as_rows(task.X), start, k).sums / np.bincount(start)[:, None]
    wide, narrow_means = task.X.astype(np.float64), means.astype(np.float32)

    def ours(local_search: str | None) -> Any:
        return SphericalKMeans(k, init=start, local_search=local_search, random_state=0).fit(task.X)

    seconds = interleaved({
        "scikit-learn lloyd, float64": lambda: KMeans(k, init=means, n_init=1, algorithm="lloyd").fit(wide),
        "scikit-learn lloyd, float32": lambda: KMeans(k, init=narrow_means, n_init=1, algorithm="lloyd").fit(task.X),
        "batch": lambda: ours(None),
        "chains": lambda: ours("chains"),
        "ping-pong": lambda: ours("ping-pong"),
    })  # fmt: skip
    lloyd, narrow = list(seconds.values())[:2]
    theirs = KMeans(k, init=means, n_init=1, algorithm="lloyd").fit(wide).labels_
    found = {"batch": None, "chains": "chains", "ping-pong": "ping-pong"}
    rows: list[list[Any]] = [
        [
            "scikit-learn lloyd, float64",
            lloyd,
            1.0,
            lloyd / narrow,
            partition_from(as_rows(task.X), theirs, k).objective,
        ],
        ["scikit-learn lloyd, float32", narrow, lloyd / narrow, 1.0, None],
    ]
    rows += [[n, seconds[n], lloyd / seconds[n], narrow / seconds[n], ours(how).objective_] for n, how in found.items()]
    show(["", "seconds", "times lloyd f64", "times lloyd f32", "Q"], rows, "Common start, k = 20, medians of five")
    print(f"against gmeans, by its ratio to scikit-learn: batch {lloyd / seconds['batch'] / GMEANS['batch']:.1f} times,"
          f" chains {lloyd / seconds['chains'] / GMEANS['chains']:.0f} times;"
          f" against R skmeans' chains {lloyd / seconds['chains'] / SKMEANS_CHAINS:.0f} times")  # fmt: skip


def quality(out: Path | None) -> None:
    """Q from the default start, ten seeds (CLUTO rbr: 3347.65 in 1.7 to 1.9 s)."""
    task, rows = data.fixed_matrix(), []
    for seed in range(10):
        model = SphericalKMeans(20, random_state=seed)
        seconds = once(lambda: model.fit(task.X))  # noqa: B023
        rows.append([seed, seconds, model.objective_, nmi(task.y, model.labels_)])
    show(["seed", "seconds", "Q", "NMI"], rows, "Default fit, k = 20")
    table = np.array(rows)
    show(["", "seconds", "Q", "NMI"], [
        ["mean", *table[:, 1:].mean(axis=0).tolist()],
        ["worst", float(table[:, 1].max()), float(table[:, 2].min()), float(table[:, 3].min())],
    ])  # fmt: skip


def large_matrix(n: int = 200_000, d: int = 50_000, each: int = 160, k: int = 50) -> Any:
    """Unit rows of `each` words, about half distinct: half from a Zipf background, half from one of `k` topics."""
    rng = np.random.default_rng(0)
    background = rng.zipf(1.3, size=(n, each // 2)) % d
    topic = rng.integers(0, k, n)
    own = (topic[:, None] * (d // k) + rng.zipf(1.5, size=(n, each - each // 2)) % (d // k)) % d
    terms = np.hstack([background, own])
    X = sp.csr_matrix((np.ones(terms.size, dtype=np.float32), (np.repeat(np.arange(n), each), terms.ravel())), (n, d))
    X.sum_duplicates()
    frequency = np.bincount(X.indices, minlength=d)
    X.data = (1 + np.log(X.data)) * np.log(n / np.maximum(frequency, 1))[X.indices].astype(np.float32)
    norms = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    return sp.diags_array(np.float32(1) / norms, dtype=np.float32).tocsr() @ X


def synthetic(out: Path | None) -> None:
    """Seconds a pass on 200,000 x 50,000, k = 50, against the time to read the matrix once and to copy memory."""
    X, k = large_matrix(), 50
    rows, start = as_rows(X), np.random.default_rng(0).permutation(np.arange(X.shape[0]) % k)
    partition = partition_from(rows, start, k)
    centres, block = partition.centres, np.ones((2, 16_000_000))
    search = open_search(X, start, k)
    order = np.random.default_rng(1).permutation(X.shape[0]).astype(np.int32)
    seconds = interleaved({
        "copy 128 MB": lambda: np.copyto(block[0], block[1]),
        "read X once (sum)": lambda: (X.data.sum(), X.indices.sum()),
        "scores and nearest centre, two threads": lambda: rows.map(centres, lambda s: s.argmax(axis=1)),
        "SciPy X @ centres": lambda: X @ centres.T.astype(np.float32),
        "sweep, one thread": lambda: search.sweep(order, 1e9),
    })  # fmt: skip
    entries, bandwidth = X.nnz, block.nbytes / seconds["copy 128 MB"]
    least = 8 * entries / bandwidth
    flops = {name: 2 * entries * k / s / 1e9 for name, s in seconds.items()}
    show(["", "seconds", "GFLOP/s", "times the least time"], [
        [name, s, flops[name] if i > 1 else None, s / least] for i, (name, s) in enumerate(seconds.items())
    ], f"{X.shape[0]:,} x {X.shape[1]:,}, {entries:,} entries, k = {k}; {bandwidth / 1e9:.1f} GB/s copied")  # fmt: skip
    fit_seconds = once(lambda: refine(X, start, k, Schedule(None), np.random.default_rng(0)))
    print(f"the least time is that of reading X once ({8 * entries / 1e6:.0f} MB): {least * 1e3:.1f} ms;"
          f" a whole batch fit takes {fit_seconds:.1f} s")  # fmt: skip


def max_margin_start(out: Path | None) -> None:
    """J and NMI of the maximum-margin fit from each kind of start, ten of each, same data and weights."""
    task = data.news().rows()
    with one_blas_thread():
        objective = margin_objective(task.X, task.universum, task.k)
        default: Any = spherical_start(objective.data, task.k)
        objective = objective.with_scale(made(default, np.random.default_rng(0)))
        kinds = {"the default": default} | {
            f"{init}, {how}": partial(_spherical_start, task.X, task.k, init, how)
            for init in ("random-rows", "bisect") for how in ("sweep", "ping-pong", "split-merge")
        }  # fmt: skip
        rows = []
        for name, start in kinds.items():
            begin = perf_counter()
            starts = [start(np.random.default_rng(seed)) for seed in range(10)]
            seconds = perf_counter() - begin
            fits = [best_of(objective, [labels], np.random.default_rng(0)).fit for labels in starts]
            best = min(fits, key=lambda fit: fit.preference)
            J, agreed = [fit.objective for fit in fits], [nmi(task.y, fit.labels) for fit in fits]
            rows.append(
                [name, seconds, float(np.mean(J)), best.objective, float(np.mean(agreed)), nmi(task.y, best.labels)]
            )
    show(["start", "seconds for 10", "mean J", "lowest J", "mean NMI", "NMI of lowest J"], rows,
         "Maximum-margin fits of comp, rec, sci, talk")  # fmt: skip


def _spherical_start(X: Any, k: int, init: str, how: str, rng: np.random.Generator) -> np.ndarray:
    return fit(X, k, Plan(init, Schedule(how)), rng).labels
