"""The methods of the dual-supervision paper: each start draws its documents anew, and the seeds that oracles label."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bench.data import Rows
from bench.methods import oracles
from bench.methods.bundle import Bundle, Method, Start
from outgroup import SeededKMeans, SphericalKMeans

Array = np.ndarray[Any, Any]

HEARD = {  # whether it hears of the labelled documents, and its model of labelled words
    "labelled documents": (True, None),
    "labelled words (vote)": (False, "vote"),
    "labelled words (generative)": (False, "generative"),
    "dual (vote)": (True, "vote"),
    "dual (generative)": (True, "generative"),
}


def labelled(task: Rows, seed: int, documents: int, unseeded: int = 0) -> tuple[Array, Array]:
    """Return the seeds (n,) and word seeds (k, V) that the oracles label, none for `unseeded` clusters at random."""
    rng = np.random.default_rng([seed, documents, unseeded])
    free = rng.choice(task.k, unseeded, replace=False)
    seeds = oracles.documents(task.y, documents, rng)
    seeds[np.isin(task.y, free)] = -1
    words = oracles.words(task.X, task.y, seeds)
    words[free] = False
    return seeds, words


def fit(task: Rows, method: str, seeds: Array, words: Array, seed: int = 0, **options: Any) -> SeededKMeans:
    """Return the fit of one of `HEARD`."""
    documents, model = HEARD[method]
    options = {"weights": "pool"} | options
    estimator = SeededKMeans(task.k, word_model=model or "vote", hold_seeds=False, random_state=seed, **options)
    heard = {"seeds": seeds} if documents and (seeds >= 0).any() else {}
    heard |= {"word_seeds": words} if model and words.any() else {}
    return estimator.fit(task.X, **heard)


def _supervised(method: str) -> Callable[..., Start]:
    def start(bundle: Bundle, seed: int, documents: int, unseeded: int = 0, **options: Any) -> Start:
        task = _drawn(bundle, seed)
        return Start(fit(task, method, *labelled(task, seed, documents, unseeded), seed, **options).labels_, y=task.y)

    return start


def _basic(bundle: Bundle, seed: int) -> Start:
    task = _drawn(bundle, seed)
    model = SphericalKMeans(task.k, init="random-rows", local_search=None, random_state=seed).fit(task.X)
    return Start(model.labels_, -model.objective_, task.y)


def _drawn(bundle: Bundle, seed: int) -> Rows:
    assert bundle.draws is not None
    return bundle.draws[seed]


METHODS = {"basic k-means": Method(_basic, needs="draws")} | {
    name: Method(_supervised(name), needs="draws") for name in HEARD
}
