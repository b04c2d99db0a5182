"""Maximum margin with a Universum, one figure each: `python -m bench max-margin quality|certificate|...`.

quality       agreement with the classes, without labels: ten starts, paired with and without Universum
certificate   the proven gap of every convex problem, and J over all steps of all starts
sameness      threads, sparse and dense, float32 and float64
speed         one start against a supervised SVM, ten against k-means
text          raw messages to report: seconds, memory, where the time goes
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats

from bench import data
from bench.methods.starts import MEASURES, Starts, agreement, every_start
from bench.studies import max_margin_speed
from bench.tables import show
from outgroup import MaxMarginClustering
from outgroup.rows import threads

TARGETS = (0.71, 0.50, 0.80)
PAPER = (0.690, 0.476, 0.802)
STARTS, SEED = 10, 0


def quality() -> None:
    """The M2DCU paper's four classes of 20 Newsgroups, defaults, lowest objective of ten starts."""
    task = data.news().rows()
    print(f"{task.X.shape[0]} targets, {task.universum.shape[0]} of the Universum, {task.X.shape[1]} words")
    without, given = (every_start(task, STARTS, SEED, universum=flag) for flag in (False, True))
    show(
        ["start", *("k-means " + m for m in MEASURES), "J without", *MEASURES, "J with", *MEASURES],
        [_paired(task.y, without, given, i) for i in range(STARTS)],
        "Every start: its k-means partition, the fit without Universum, the fit with it",
    )
    print(f"kept (lowest J): {without.kept} without, {given.kept} with")
    show(["measure", "mean effect of the Universum", "95 % interval"], _effects(task.y, without, given), "Paired")
    user = MaxMarginClustering(task.k, set_aside=False, random_state=SEED).fit(task.X, universum=task.universum)
    alone = agreement(task.y, without.fits[without.kept].labels)
    show(
        ["measure", "with", "without", "target", "paper's best row"],
        list(zip(MEASURES, agreement(task.y, user.labels_), alone, TARGETS, PAPER, strict=True)),
        "What a user gets: the most coherent start, steered by the Universum",
    )
    found = np.array([_user(task, seed) for seed in range(STARTS)])
    show(
        ["measure", "mean", "deviation", "lowest", "target"],
        list(zip(MEASURES, found.mean(axis=0), found.std(axis=0, ddof=1), found.min(axis=0), TARGETS, strict=True)),
        f"The same for {STARTS} users, each with a seed of their own",
    )


def _user(task: data.Rows, seed: int) -> tuple[float, ...]:
    fit = MaxMarginClustering(task.k, random_state=seed, off_topic_rate=None).fit(task.X, universum=task.universum)
    return agreement(task.y, fit.labels_)


def _paired(y: np.ndarray, without: Starts, given: Starts, i: int) -> list[object]:
    row: list[object] = [i, *agreement(y, without.initial[i])]
    for starts in (without, given):
        row += [starts.fits[i].objective, *agreement(y, starts.fits[i].labels)]
    return row


def _effects(y: np.ndarray, without: Starts, given: Starts) -> list[tuple[str, float, str]]:
    pairs = zip(without.fits, given.fits, strict=True)
    effects = np.array([np.subtract(agreement(y, b.labels), agreement(y, a.labels)) for a, b in pairs])
    half = stats.t.ppf(0.975, len(effects) - 1) * effects.std(axis=0, ddof=1) / np.sqrt(len(effects))
    means = effects.mean(axis=0)
    return [(m, c, f"{c - h:+.4f} to {c + h:+.4f}") for m, c, h in zip(MEASURES, means, half, strict=True)]


def certificate() -> None:
    """Relative gap at the end of every convex problem, and every rise of J, over all steps of ten starts."""
    task = data.news().rows()
    rows = []
    for name, flag in (("without Universum", False), ("with Universum", True)):
        traces = [fit.trace for fit in every_start(task, STARTS, SEED, universum=flag).fits]
        values = [np.array([step["objective"] for step in trace]) for trace in traces]
        rises = sum(int((np.diff(J) > 0).sum()) for J in values)
        gaps = [step["gap"] for trace in traces for step in trace]
        steps = sum(map(len, traces))
        rows.append((name, steps, sum(step["cuts"] for trace in traces for step in trace), max(gaps), rises))
    show(["fit", "convex problems", "cuts", "largest relative gap (target 0.001)", "rises of J (target 0)"], rows)


def sameness() -> None:
    """The same fit however the rows are stored and however many threads pass over them."""
    task = data.news().rows()
    _print_threads(task)
    small = _few_words(task)
    kinds: dict[str, Callable[[Any], Any]] = {
        "sparse float32": lambda A: A.astype("f4"),
        "sparse float64": lambda A: A.astype("f8"),
        "dense float32": lambda A: A.toarray().astype("f4"),
        "dense float64": lambda A: A.toarray().astype("f8"),
    }
    fits = {name: _fit(as_kind(small.X), as_kind(small.universum), small.k) for name, as_kind in kinds.items()}
    first = fits["sparse float64"]
    rows = [
        (name, fit.objective_, abs(fit.objective_ / first.objective_ - 1), float(np.mean(fit.labels_ == first.labels_)))
        for name, fit in fits.items()
    ]
    title = f"{small.X.shape[0]} x {small.X.shape[1]}, against sparse float64"
    show(["rows", "J", "relative difference of J (target 1e-05)", "labels equal (target 0.999)"], rows, title)


def _print_threads(task: data.Rows) -> None:
    results = []
    for n in (1, 2):
        with threads(n):
            fit = _fit(task.X, task.universum, task.k)
        results.append((fit.labels_.tobytes(), fit.coef_.tobytes(), fit.objective_))
    print(f"one thread and two: {'the same bytes' if results[0] == results[1] else 'DIFFERENT'}")


def _few_words(task: data.Rows, documents: int = 4_000, words: int = 600) -> data.Rows:
    """A part that fits into memory as a dense array: the commonest words, rows of unit length again."""
    common = np.sort(np.argsort(-task.X.getnnz(axis=0), kind="stable")[:words])
    chosen = np.random.default_rng(SEED).permutation(task.X.shape[0])[:documents]
    X, U = (data.unit(A[:, common].astype("f8")) for A in (task.X[chosen], task.universum))
    kept = X.getnnz(axis=1) > 0
    return data.Rows(X[kept], task.y[chosen][kept], U[U.getnnz(axis=1) > 0])


def _fit(X: object, U: object, k: int) -> MaxMarginClustering:
    return MaxMarginClustering(k, n_init=3, set_aside=False, random_state=SEED).fit(X, universum=U)


COMMANDS: dict[str, Callable[[], None]] = {
    "quality": quality,
    "certificate": certificate,
    "sameness": sameness,
    **max_margin_speed.COMMANDS,
}


def main(argv: list[str]) -> None:
    """Run the named measurements, all of them without a name."""
    unknown = [name for name in argv if name not in COMMANDS]
    if unknown:
        sys.exit(f"unknown: {', '.join(unknown)}; choose from {', '.join(COMMANDS)}")
    for name in argv or COMMANDS:
        print(f"\n## max-margin {name}: {(COMMANDS[name].__doc__ or '').strip()}", flush=True)
        COMMANDS[name]()
