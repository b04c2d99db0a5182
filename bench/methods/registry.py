"""Every method that the papers compare, by its name."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.decomposition import NMF
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from bench import baselines
from bench.methods import dual_supervision as dual_methods
from bench.methods import first_variation as search_methods
from bench.methods.bundle import Bundle, Method, Start
from bench.methods.objectives import cutting_plane_objective, margin_objective
from outgroup import SphericalKMeans, universum
from outgroup.rows.threads import one_blas_thread
from outgroup.solve.restarts import best_of, partition_of, varied_starts

_AS_PRINTED = {"class_weight": None}  # the papers' tables are about the papers' forms, from quick starts of three kinds
_OBJECTIVES: dict[str, Callable[..., Any]] = {
    "M2DCU": lambda bundle, **options: margin_objective(bundle.X, bundle.universum, bundle.k, **_AS_PRINTED | options),
    "M2DCU-0": lambda bundle, **options: margin_objective(bundle.X, None, bundle.k, **_AS_PRINTED | options),
    "CPM3C": lambda bundle, **options: cutting_plane_objective(bundle.X, bundle.k, **_AS_PRINTED | options),
}


def _objective(bundle: Bundle, name: str, options: dict[str, Any], labels: Callable[[Any], np.ndarray]) -> Any:
    """Return the objective that all starts of a method share, its automatic weight C settled by the first's labels."""
    key = f"{name} {sorted(options.items())}"
    if key not in bundle.memory:
        objective = _OBJECTIVES[name](bundle, **options)
        bundle.memory[key] = objective.with_scale(labels(objective))
    return bundle.memory[key]


def _margin(name: str) -> Callable[..., Start]:
    """The start of that number of a maximum-margin estimator's `n_init`."""

    def start(bundle: Bundle, seed: int, **options: Any) -> Start:
        def labels(objective: Any) -> np.ndarray:
            starts = varied_starts(objective.data, bundle.k, seed + 1)
            return partition_of(starts[seed], np.random.default_rng(seed))

        with one_blas_thread():
            objective = _objective(bundle, name, options, labels)
            best = best_of(objective, [labels(objective)], np.random.default_rng(seed))
        return Start(best.fit.labels, best.objective.comparable_objective(best.fit))

    return start


def _from_the_classes(name: str) -> Callable[..., Start]:
    """An oracle's start at the true classes: is the objective's best partition the one that people made?"""

    def first(objective: Any) -> np.ndarray:  # the automatic C is that of the first start
        return partition_of(varied_starts(objective.data, objective.k, 1)[0], np.random.default_rng(0))

    def start(bundle: Bundle, seed: int, **options: Any) -> Start:
        with one_blas_thread():
            objective = _objective(bundle, name, options, first)
            best = best_of(objective, [bundle.y.astype(np.int32)], np.random.default_rng(0))
        return Start(best.fit.labels, best.objective.comparable_objective(best.fit))

    return start


def _steered(bundle: Bundle, seed: int, **options: Any) -> Start:
    """M2DCU with another Universum than the documents given: `source` random, mean or selected (of all of them)."""
    source = options.pop("source")
    if source not in bundle.memory:
        bundle.memory[source] = replace(bundle, universum=_SOURCES[source](bundle), memory={})
    return _margin("M2DCU")(bundle.memory[source], seed, **options)


def _candidates(bundle: Bundle) -> Any:
    parts = (bundle.universum, _SOURCES["random"](bundle), _SOURCES["mean"](bundle))
    return sp.vstack([sp.csr_matrix(part) for part in parts]).tocsr()


def _selected(bundle: Bundle) -> Any:
    candidates = _candidates(bundle)
    return candidates[universum.select(bundle.X, candidates, bundle.k, random_state=0)]


_SOURCES: dict[str, Callable[[Bundle], Any]] = {
    "rest": lambda bundle: bundle.universum,
    "random": lambda bundle: universum.random(bundle.X, 1000, random_state=0),
    "mean": lambda bundle: universum.mean(bundle.X, bundle.k, random_state=0),
    "selected": _selected,
}


def _spherical(bundle: Bundle, seed: int, **options: Any) -> Start:
    model = SphericalKMeans(bundle.k, random_state=seed, **options).fit(bundle.X)
    return Start(model.labels_, -model.objective_)


def _k_means(bundle: Bundle, seed: int, **options: Any) -> Start:
    model = KMeans(bundle.k, n_init=1, random_state=seed, **options).fit(bundle.X)
    return Start(model.labels_, model.inertia_)


def _mixture(bundle: Bundle, seed: int, **options: Any) -> Start:
    model = GaussianMixture(bundle.k, covariance_type="diag", reg_covar=1e-5, random_state=seed, **options)
    labels = _quietly(lambda: model.fit_predict(bundle.low))
    return Start(labels, -model.lower_bound_)


def _nmf(bundle: Bundle, seed: int, **options: Any) -> Start:
    model = NMF(bundle.k, init="random", random_state=seed, **options)
    W = _quietly(lambda: model.fit_transform(bundle.X))
    weights = W * np.linalg.norm(model.components_, axis=1)
    return Start(weights.argmax(axis=1), model.reconstruction_err_)


def _plsa(bundle: Bundle, seed: int, **options: Any) -> Start:
    model = baselines.PLSA(bundle.k, random_state=seed, **options).fit(bundle.counts)
    return Start(model.labels_, -model.log_likelihood_)


def _normalised_cut(bundle: Bundle, seed: int, **options: Any) -> Start:
    return Start(baselines.NormalisedCut(bundle.k, random_state=seed, **options).fit_predict(bundle.X))


def _clgr(bundle: Bundle, seed: int, **options: Any) -> Start:
    return Start(baselines.CLGR(bundle.k, random_state=seed, **options).fit_predict(bundle.X))


def _iterative_svr(bundle: Bundle, seed: int, **options: Any) -> Start:
    return Start(baselines.IterativeSVR(random_state=seed, **options).fit_predict(bundle.X))


def _mmc(bundle: Bundle, seed: int, **options: Any) -> Start:
    return Start(_quietly(lambda: baselines.SemidefiniteMMC(**options).fit_predict(bundle.X)))


def _gmmc(bundle: Bundle, seed: int, **options: Any) -> Start:
    return Start(_quietly(lambda: baselines.GeneralisedMMC(**options).fit_predict(bundle.X)))


def _quietly(action: Callable[[], Any]) -> Any:
    """Run an action whose limit on steps is part of the comparison."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return action()


METHODS: dict[str, Method] = {
    "M2DCU": Method(_margin("M2DCU"), needs="universum"),
    "M2DCU-0": Method(_margin("M2DCU-0")),
    "CPM3C": Method(_margin("CPM3C")),
    "CPM3C from the classes": Method(_from_the_classes("CPM3C"), random=False),
    "M2DCU from the classes": Method(_from_the_classes("M2DCU-0"), needs="universum", random=False),
    "M2DCU by source": Method(_steered, needs="universum"),
    "spherical k-means": Method(_spherical),
    "k-means": Method(_k_means),
    "mixture": Method(_mixture),
    "NMF": Method(_nmf),
    "PLSA": Method(_plsa, needs="counts"),
    "normalised cut": Method(_normalised_cut, largest=12_000),
    "CLGR": Method(_clgr, largest=20_000),
    "iterative SVR": Method(_iterative_svr, binary=True, largest=5_000),
    "MMC": Method(_mmc, binary=True, largest=100, random=False),
    "GMMC": Method(_gmmc, binary=True, largest=200, random=False),
    **dual_methods.METHODS,
    **search_methods.METHODS,
}
