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
from outgroup.solve.local_search import Schedule
from outgroup.solve.max_margin import MarginObjective, value
from outgroup.solve.risks import MarginRisk
from outgroup.solve.spherical import spherical_kmeans
from outgroup.solve.starts import local_search_start
from outgroup.types import no_op

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


def _quick_start(data: Any, k: int, number: int) -> np.ndarray:
    """A partition by three kinds of quick spherical k-means in turn: sweeps of unit rows from repeated bisection or
    k-means++, and batch steps of the rows as fitted from random rows; the last alone where most entries are nonzero.
    """
    X, rng = data.original.local(), np.random.default_rng(number)
    stored = X.count_nonzero() if sp.issparse(X) else np.count_nonzero(X)
    if number % 3 == 2 or stored > 0.2 * X.shape[0] * X.shape[1]:
        return spherical_kmeans(data.rows, k, init="random-rows", rng=rng, tol=1e-4).labels
    init = ("bisect", "k-means++")[number % 3]
    return local_search_start(data.unit, k, Schedule("sweep", init=init), rng)


def _solved(objective: Any, labels: Callable[[Any], np.ndarray]) -> Start:
    """The local optimum from a partition, and its J without the Universum, by which starts are compared."""
    objective, fit = objective.fit(labels(objective), found=False, on_step=no_op)
    J = fit.objective
    if isinstance(objective, MarginObjective):
        J = value([MarginRisk(objective.data.rows, float(objective.C))], fit.labels, fit.weights)
    return Start(fit.labels, J)


def _margin(name: str) -> Callable[..., Start]:
    """A maximum-margin fit from the quick start of that number."""

    def start(bundle: Bundle, seed: int, **options: Any) -> Start:
        def labels(objective: Any) -> np.ndarray:
            return _quick_start(objective.data, bundle.k, seed)

        with one_blas_thread():
            return _solved(_objective(bundle, name, options, labels), labels)

    return start


def _from_the_classes(name: str) -> Callable[..., Start]:
    """An oracle's start at the true classes: is the objective's best partition the one that people made?"""

    def first(objective: Any) -> np.ndarray:  # the automatic C is that of the first start
        return _quick_start(objective.data, objective.k, 0)

    def start(bundle: Bundle, seed: int, **options: Any) -> Start:
        with one_blas_thread():
            return _solved(_objective(bundle, name, options, first), lambda _: bundle.y.astype(np.int32))

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
