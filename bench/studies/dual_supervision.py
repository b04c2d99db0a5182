"""Measurements beside the dual-supervision paper's tables: `python -m bench dual-supervision NAME`.

honoured   the share of labelled documents that end in their cluster, for each method
decisions  the pool's error with each labelled document held out, and without
cost       a seeded fit on all of 20 Newsgroups against the same number of unseeded steps

Means and deviations are over 20 draws of documents and seeds, tests are paired and two-tailed at 0.05.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np

from bench import data, timing
from bench.data.dual_supervision import DRAWS, SETS, draw
from bench.methods import oracles
from bench.methods.dual_supervision import HEARD, fit, labelled
from bench.papers.orderings import difference, won
from bench.tables import show
from outgroup import MaxMarginClustering, SeededKMeans, SphericalKMeans
from outgroup.metrics import nmi
from outgroup.rows import as_rows
from outgroup.solve import seeded
from outgroup.solve.seeded import held_out_error
from outgroup.solve.spherical import spherical_kmeans

Array = np.ndarray[Any, Any]
LABELLED = 10  # documents a cluster


def honoured() -> None:
    """The share of labelled documents that end in their cluster."""
    rows = [
        [method, *(_brief(np.array([_honoured(number, seed, method) for seed in range(DRAWS)])) for number in SETS)]
        for method in (*HEARD, "maximum margin")
    ]
    show(["share honoured", *_heads()], rows)


def _honoured(number: str, seed: int, method: str) -> float:
    task = draw(number, seed)
    seeds, words = labelled(task, seed, LABELLED)
    if method in HEARD:
        labels = fit(task, method, seeds, words, seed).labels_
    else:
        labels = MaxMarginClustering(task.k, random_state=seed).fit(task.X, seeds=seeds).predict(task.X)
    given = seeds >= 0
    return float(np.mean(labels[given] == seeds[given]))


def _brief(values: Array) -> str:
    return f"{values.mean():.3f} ± {values.std(ddof=1):.3f}"


def _heads() -> list[str]:
    return [f"{number} {each.name}" for number, each in SETS.items()]


def cost() -> None:
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


def decisions() -> None:
    """What the pool gains by holding each labelled document out of the source that judges it."""
    methods = [method for method, (documents, _) in HEARD.items() if documents]
    held_out = {method: _scores(method) for method in methods}
    with patch.object(seeded, "held_out_error", _judging_themselves(held_out_error)):
        within = {method: _scores(method) for method in methods}
    for title, found in (("held out", held_out), ("judging themselves (the paper's words)", within)):
        show(["NMI", *_heads()], [[m, *map(_brief, found[m])] for m in methods], title)
    pairs = {m: list(zip(held_out[m], within[m], strict=True)) for m in methods}
    rows = [[m, *(difference(*pair) for pair in pairs[m]), won(pairs[m])] for m in methods]
    show(["difference", *_heads(), "holding out is better"], rows, "Held out against judging themselves")


def _scores(method: str) -> list[Array]:
    """Return a method's NMI over the draws of each set."""
    return [np.array([_score(number, seed, method) for seed in range(DRAWS)]) for number in SETS]


def _score(number: str, seed: int, method: str) -> float:
    task = draw(number, seed)
    labels = fit(task, method, *labelled(task, seed, LABELLED), seed).labels_
    return nmi(task.y, labels, average="arithmetic")


def _judging_themselves(rule: Callable[..., Any]) -> Callable[..., Any]:
    def error(source: Any, supervision: Any) -> Any:
        return rule(type(source)(source.sums, np.zeros_like(source.own)), supervision)

    return error


COMMANDS: Mapping[str, Callable[[], None]] = {"honoured": honoured, "decisions": decisions, "cost": cost}


def main(argv: list[str]) -> None:
    """Run the named measurements, all of them without a name."""
    parser = argparse.ArgumentParser(prog="dual-supervision", description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(COMMANDS))
    given = parser.parse_args(argv)
    unknown = [name for name in given.names if name not in COMMANDS]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; choose from {', '.join(COMMANDS)}")
    for name in given.names or COMMANDS:
        print(f"\n## dual-supervision {name}", flush=True)
        COMMANDS[name]()
