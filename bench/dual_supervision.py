"""The tables and figures of the dual-supervision paper: `python -m bench dual-supervision NAME [--out FOLDER]`.

table2     refined by intermediate clusters against the seeds alone, 10 labelled documents a cluster
table3     dual against single supervision, 20 labelled documents a cluster
figure2    NMI against the number of clusters without seeds, 5 labelled documents a seeded cluster
figure3    the same with 20
figure4    NMI against the number of labelled documents
honoured   the share of labelled documents that end in their cluster, for each method
decisions  the pool's error with each labelled document held out, and without
cost       a seeded fit on all of 20 Newsgroups against the same number of unseeded steps

Each figure stands beside the paper's, in brackets where it prints one. Means and deviations are over 20 draws of
documents and seeds, tests are paired and two-tailed at 0.05. With --out figures
are drawn into that folder as SVG.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from bench import data, oracles, timing
from bench.dual_paper import BASIC, TABLE_2, TABLE_3
from bench.dual_sets import SETS, draw
from bench.plots import curves
from bench.tables import show
from outgroup import MaxMarginClustering, SeededKMeans, SphericalKMeans
from outgroup.metrics import nmi
from outgroup.rows import as_rows
from outgroup.solve.spherical import spherical_kmeans

Array = np.ndarray[Any, Any]
Scores = dict[str, dict[str, Array]]  # method -> set -> one NMI a draw

DRAWS = 20
METHODS = {
    "Document": (True, None),
    "Feature, vote": (False, "vote"),
    "Feature, generative": (False, "generative"),
    "Dual, vote": (True, "vote"),
    "Dual, generative": (True, "generative"),
}


def fit(task: data.Rows, method: str, seeds: Array, words: Array, seed: int = 0, **options: Any) -> SeededKMeans:
    """Return the fit of one of `METHODS`, which hears of the documents, the words, or both."""
    documents, model = METHODS[method]
    estimator = SeededKMeans(task.k, word_model=model or "vote", random_state=seed, **options)
    heard = {"seeds": seeds} if documents and (seeds >= 0).any() else {}
    heard |= {"word_seeds": words} if model and words.any() else {}
    return estimator.fit(task.X, **heard)


def supervised(name: str, seed: int, per_class: int, unseeded: int = 0) -> tuple[data.Rows, Array, Array]:
    """Return a draw with what the oracles label, nothing of them for `unseeded` clusters drawn at random."""
    task, rng = draw(name, seed), np.random.default_rng([seed, per_class, unseeded])
    free = rng.choice(task.k, unseeded, replace=False)
    seeds = oracles.documents(task.y, per_class, rng)
    seeds[np.isin(task.y, free)] = -1
    words = oracles.words(task.X, task.y, seeds)
    words[free] = False
    return task, seeds, words


def scores(name: str, per_class: int, unseeded: int = 0, **options: Any) -> dict[str, Array]:
    """Return the NMI of every method over the draws of a set."""
    found: dict[str, list[float]] = {method: [] for method in METHODS}
    for seed in range(DRAWS):
        task, seeds, words = supervised(name, seed, per_class, unseeded)
        for method in METHODS:
            labels = fit(task, method, seeds, words, seed, **options).labels_
            found[method].append(nmi(task.y, labels, average="arithmetic"))
    return {method: np.array(values) for method, values in found.items()}


def basic(name: str) -> Array:
    """Return the NMI of k-means without seeds, from random rows, over the draws of a set."""
    tasks = [draw(name, seed) for seed in range(DRAWS)]
    fits = [
        SphericalKMeans(task.k, init="random-rows", local_search=None, random_state=seed).fit(task.X)
        for seed, task in enumerate(tasks)
    ]
    return np.array([nmi(task.y, fit.labels_, average="arithmetic") for task, fit in zip(tasks, fits, strict=True)])


def table2(out: Path | None) -> None:
    """Table 2: 10 labelled documents a cluster; refined by intermediate clusters, and by the seeds alone."""
    refined, alone = ({name: scores(name, 10, **options) for name in SETS} for options in ({}, {"max_iter": 1}))
    rows: list[list[str]] = [["Basic KMeans", *(_cell(basic(name), BASIC[name]) for name in SETS)]]
    for method in METHODS:
        for kind, found in (("Seeded", refined), ("Supervised", alone)):
            paper = TABLE_2[method, kind]
            rows.append([f"{method}: {kind}", *(_cell(found[name][method], paper[name]) for name in SETS)])
    show(["NMI, mean ± deviation (paper)", *_heads()], rows)
    _orderings(
        "refined beats supervised",
        [(f"{m}", n, refined[n][m], alone[n][m], TABLE_2[m, "Seeded"][n] > TABLE_2[m, "Supervised"][n])
         for m in METHODS for n in SETS],
    )  # fmt: skip


def table3(out: Path | None) -> None:
    """Table 3: 20 labelled documents a cluster; dual supervision against documents alone and words alone."""
    found = {name: scores(name, 20) for name in SETS}
    rows = [["Basic KMeans", *(_cell(basic(name), BASIC[name]) for name in SETS)]]
    rows += [[method, *(_cell(found[name][method], TABLE_3[method][name]) for name in SETS)] for method in METHODS]
    show(["NMI, mean ± deviation (paper)", *_heads()], rows)
    pairs = [(f"Dual, {w}", other) for w in ("vote", "generative") for other in ("Document", f"Feature, {w}")]
    _orderings(
        "dual beats single",
        [(f"{a} > {b}", n, found[n][a], found[n][b], TABLE_3[a][n] > TABLE_3[b][n]) for a, b in pairs for n in SETS],
    )


def _heads() -> list[str]:
    return [f"{each.number} {name}" for name, each in SETS.items()]


def _cell(values: Array, paper: float) -> str:
    return f"{values.mean():.3f} ± {values.std(ddof=1):.3f} ({paper:.3f})"


def _orderings(claim: str, pairs: list[tuple[str, str, Array, Array, bool]], *, failures_only: bool = False) -> None:
    """Print each pair of methods: the difference, its test, and whether the paper's ordering is met."""
    rows, met = [], 0
    for what, name, a, b, in_paper in pairs:
        verdict, holds = _verdict(a, b), bool(a.mean() > b.mean())
        met += holds
        if holds and failures_only:
            continue
        rows.append([what, SETS[name].number, f"{(a - b).mean():+.3f}", f"{_p(a, b):.3g}", verdict, in_paper])
    show(["pair", "set", "difference", "p", "here", "in the paper"], rows, f"Claim: {claim}")
    print(f"{met} of {len(pairs)} in the claimed order")


def _verdict(a: Array, b: Array) -> str:
    if a.mean() <= b.mean():
        return "FAILS, significantly" if _p(a, b) < 0.05 else "fails, within noise"
    return "holds" if _p(a, b) < 0.05 else "holds, within noise"


def _p(a: Array, b: Array) -> float:
    return 1.0 if np.array_equal(a, b) else float(stats.ttest_rel(a, b).pvalue)


def partial_seeding(per_class: int, figure: str, out: Path | None) -> None:
    """NMI against the number of clusters without seeds."""
    for name in [name for name in SETS if name != "news-similar-3-100"]:
        k = len(SETS[name].classes)
        numbers = range(k + 1)
        found = [scores(name, per_class, unseeded=u) for u in numbers]
        means = {method: [each[method].mean() for each in found] for method in METHODS}
        rows = [[u, *(_brief(each[method]) for method in METHODS)] for u, each in zip(numbers, found, strict=True)]
        show(["clusters without seeds", *METHODS], rows, f"{SETS[name].number} {name}, {per_class} labelled documents")
        most = max(k // 2, 1)
        for method in METHODS:
            a, b = found[0][method], found[most][method]
            print(f"{method}: {most} of {k} clusters without seeds cost {(a - b).mean():.3f} of {a.mean():.3f}")
        curves(out, f"{figure}-{name}", list(numbers), means, "clusters without seeds", "NMI")


def _brief(values: Array) -> str:
    return f"{values.mean():.3f} ± {values.std(ddof=1):.3f}"


def figure4(out: Path | None) -> None:
    """NMI against the number of labelled documents a cluster."""
    numbers = [1, 2, 3, 5, 8, 10, 15, 20, 30, 50]
    always, few, many = [], [], []
    for name in SETS:
        found = [scores(name, number) for number in numbers]
        rows = [[m, *(_brief(each[method]) for method in METHODS)] for m, each in zip(numbers, found, strict=True)]
        show(["labelled documents a cluster", *METHODS], rows, f"{SETS[name].number} {name}")
        means = {method: [each[method].mean() for each in found] for method in METHODS}
        curves(out, f"figure4-{name}", numbers, means, "labelled documents a cluster", "NMI")
        for word in ("vote", "generative"):
            dual, feature = f"Dual, {word}", f"Feature, {word}"
            always += [
                (f"{dual} > Document, {m} documents", name, each[dual], each["Document"], True)
                for m, each in zip(numbers, found, strict=True)
            ]
            few += [(f"{feature} > {o}, {m} documents", name, e[feature], e[o], True)
                    for m, e in zip(numbers, found, strict=True) if m <= 3 for o in ("Document", dual)]  # fmt: skip
            many += [(f"{o} > {feature}, 50 documents", name, found[-1][o], found[-1][feature], True)
                     for o in ("Document", dual)]  # fmt: skip
    _orderings("dual always beats documents only", always, failures_only=True)
    _orderings("words win with few labels", few)
    _orderings("documents and dual win with many labels", many)


def honoured(out: Path | None) -> None:
    """The share of labelled documents that end in their cluster, 10 labelled a cluster."""
    rows = [
        [method, *(_brief(np.array([_honoured(name, seed, method) for seed in range(DRAWS)])) for name in SETS)]
        for method in (*METHODS, "Maximum margin")
    ]
    show(["share honoured", *_heads()], rows)


def _honoured(name: str, seed: int, method: str) -> float:
    task, seeds, words = supervised(name, seed, 10)
    if method in METHODS:
        labels = fit(task, method, seeds, words, seed).labels_
    else:
        labels = MaxMarginClustering(task.k, random_state=seed).fit(task.X, seeds=seeds).labels_
    given = seeds >= 0
    return float(np.mean(labels[given] == seeds[given]))


def cost(out: Path | None) -> None:
    """All of 20 Newsgroups, k = 20, 200 labelled documents and 200 labelled words, 10 steps each."""
    task, rng = data.fixed_matrix(), np.random.default_rng(0)
    seeds = oracles.documents(task.y, 10, rng)
    words = _some(oracles.words(task.X, task.y, seeds), 200, rng)
    options: dict[str, Any] = {"n_clusters": 20, "max_iter": 10, "tol": 0.0, "normalize": False, "random_state": 0}
    plain = SphericalKMeans(init="random-rows", local_search=None, **options)
    unseeded = partial(spherical_kmeans, init="random-rows", rng=np.random.default_rng(0))
    runs: dict[str, Callable[[], Any]] = {
        "k-means, a pass a step": lambda: unseeded(as_rows(task.X), 20, tol=-1.0, max_iter=10),
        "k-means, native, products follow the moves": lambda: plain.fit(task.X),
        "k-means, SeededKMeans without seeds": lambda: SeededKMeans(**options).fit(task.X),
        **{
            f"seeded, {model}": partial(
                SeededKMeans(word_model=model, **options).fit, task.X, seeds=seeds, word_seeds=words
            )
            for model in ("vote", "generative")
        },
    }
    steps = {name: len(_trace(run())) for name, run in runs.items()}
    seconds = timing.interleaved(runs, rounds=15)
    bases = list(runs)[:3]
    rows = [
        [name, steps[name], f"{1000 * seconds[name]:.0f}", *(f"{seconds[name] / seconds[base]:.2f}" for base in bases)]
        for name in runs
    ]
    said = f"{(seeds >= 0).sum()} labelled documents, {words.any(axis=0).sum()} labelled words"
    show(["fit", "steps", "median ms", "of a pass a step (target 1.5)", "of native", "of without seeds"], rows, said)


def _trace(fit: Any) -> list[Any]:
    return list(fit.trace_ if hasattr(fit, "trace_") else fit.trace)


def _some(words: Array, count: int, rng: np.random.Generator) -> Array:
    """Return `words` with the labels of `count` of them only."""
    kept = rng.choice(np.flatnonzero(words.any(axis=0)), count, replace=False)
    some = np.zeros_like(words)
    some[:, kept] = words[:, kept]
    return some


def decisions(out: Path | None) -> None:
    """What the pool gains by holding each labelled document out of the source that judges it, 10 labelled a cluster."""
    from outgroup.solve import seeded

    held_out = {name: scores(name, 10) for name in SETS}
    rule = seeded.held_out_error
    try:
        seeded.held_out_error = _judging_themselves(rule)
        within = {name: scores(name, 10) for name in SETS}
    finally:
        seeded.held_out_error = rule
    methods = [method for method in METHODS if METHODS[method][0]]
    for title, found in (("held out", held_out), ("judging themselves (the paper's words)", within)):
        show(["NMI", *_heads()], [[m, *(_brief(found[name][m]) for name in SETS)] for m in methods], title)
    pairs = [(m, name, held_out[name][m], within[name][m], True) for m in methods for name in SETS]
    _orderings("holding out beats judging themselves", pairs)


def _judging_themselves(rule: Callable[..., Any]) -> Callable[..., Any]:
    def error(source: Any, supervision: Any) -> Any:
        return rule(type(source)(source.sums, np.zeros_like(source.own)), supervision)

    return error


COMMANDS: Mapping[str, Callable[[Path | None], None]] = {
    "table2": table2,
    "table3": table3,
    "figure2": partial(partial_seeding, 5, "figure2"),
    "figure3": partial(partial_seeding, 20, "figure3"),
    "figure4": figure4,
    "honoured": honoured,
    "decisions": decisions,
    "cost": cost,
}


def main(argv: list[str]) -> None:
    """Run the named measurements, all of them without a name."""
    parser = argparse.ArgumentParser(prog="dual-supervision", description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(COMMANDS))
    parser.add_argument("--out", type=Path, default=None, help="folder for the drawn figures")
    given = parser.parse_args(argv)
    unknown = [name for name in given.names if name not in COMMANDS]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; choose from {', '.join(COMMANDS)}")
    for name in given.names or COMMANDS:
        print(f"\n## dual-supervision {name}", flush=True)
        COMMANDS[name](given.out)


if __name__ == "__main__":
    main(sys.argv[1:])
