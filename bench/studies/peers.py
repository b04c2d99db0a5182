"""Peers side by side on one matrix, k = 20: `python -m bench peers [ROUNDS]`; `peers vectors`: on sentence vectors.

20 Newsgroups, 18,828 x 57,285, from one common random partition where a program takes a start. Interleaved rounds,
each fit in a process of its own: median seconds of the fit alone, peak memory, coherence Q (recomputed from the labels)
and NMI. Machines drift: compare within one run.
"""

from __future__ import annotations

import statistics
import warnings
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import HDBSCAN, BisectingKMeans, KMeans, MiniBatchKMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from bench import data
from bench.studies import peers_vectors
from bench.tables import show
from bench.timing import once, own_peak
from outgroup import CPM3C, MaxMarginClustering, SphericalKMeans, metrics

K = 20
LIMIT_S = 60
Fit = Callable[[Any, np.ndarray, np.ndarray], np.ndarray]  # rows, start, classes -> labels
Measured = tuple[float, float, float, float] | str


def _means(X: Any, start: np.ndarray) -> np.ndarray:
    member = sp.csr_matrix((np.ones(len(start)), (start, np.arange(len(start)))))
    return np.asarray((member @ X).toarray() / member.sum(axis=1).A1[:, None], dtype=X.dtype)


def _lloyd(algorithm: str, dtype: str) -> Fit:
    def fit(X: Any, start: np.ndarray, y: np.ndarray) -> np.ndarray:
        X = X.astype(dtype)
        return KMeans(K, init=_means(X, start), n_init=1, algorithm=algorithm).fit_predict(X)

    return fit


def _lsa(X: Any) -> np.ndarray:
    return normalize(TruncatedSVD(50, random_state=0).fit_transform(X))


def _supervised(multi_class: str) -> Fit:
    return lambda X, start, y: LinearSVC(multi_class=multi_class, random_state=0).fit(X, y).predict(X)


def _spherecluster(X: Any, start: np.ndarray, y: np.ndarray) -> np.ndarray:
    from spherecluster import SphericalKMeans as Theirs

    return Theirs(K, n_init=1, random_state=0).fit(X).labels_


def _soyclustering(X: Any, start: np.ndarray, y: np.ndarray) -> np.ndarray:
    np.int = int  # type: ignore[attr-defined]  # it asks for an alias that NumPy has dropped
    from soyclustering import SphericalKMeans as Theirs

    return Theirs(K, init="k-means++", max_iter=100, sparsity=None, random_state=0).fit_predict(X)


def _coclust(X: Any, start: np.ndarray, y: np.ndarray) -> np.ndarray:
    from coclust.clustering import SphericalKmeans as Theirs

    return np.asarray(Theirs(n_clusters=K, n_init=1, random_state=0).fit(X).labels_)


PEERS: dict[str, Fit] = {
    "scikit-learn KMeans lloyd, float64": _lloyd("lloyd", "f8"),
    "scikit-learn KMeans lloyd, float32": _lloyd("lloyd", "f4"),
    "scikit-learn KMeans elkan, float64": _lloyd("elkan", "f8"),
    "scikit-learn MiniBatchKMeans": lambda X, s, y: MiniBatchKMeans(K, n_init=1, random_state=0).fit_predict(X),
    "scikit-learn BisectingKMeans": lambda X, s, y: BisectingKMeans(K, random_state=0).fit_predict(X),
    "k-means on LSA": lambda X, s, y: KMeans(K, n_init=1, random_state=0).fit_predict(_lsa(X)),
    "HDBSCAN on LSA": lambda X, s, y: HDBSCAN(min_cluster_size=50, copy=True).fit_predict(_lsa(X)),
    "SphericalKMeans, batch": lambda X, s, y: SphericalKMeans(K, init=s, local_search=None).fit(X).labels_,
    "SphericalKMeans, ping-pong": lambda X, s, y: SphericalKMeans(K, init=s, local_search="ping-pong").fit(X).labels_,
    "SphericalKMeans, defaults": lambda X, s, y: SphericalKMeans(K, random_state=0).fit(X).labels_,
    "MaxMarginClustering, one start": lambda X, s, y: MaxMarginClustering(K, n_init=1, random_state=0).fit(X).labels_,
    "CPM3C, one start": lambda X, s, y: CPM3C(K, n_init=1, random_state=0).fit(X).labels_,
    "LinearSVC one-vs-rest, given the classes": _supervised("ovr"),
    "LinearSVC Crammer-Singer, given the classes": _supervised("crammer_singer"),
    "coclust": _coclust,
    "spherecluster": _spherecluster,
    "soyclustering": _soyclustering,
}


def main(argv: list[str]) -> None:
    """Run the rounds and print the table; programs that are not installed, or do not run, are named with the reason."""
    if argv and argv[0] == "vectors":
        peers_vectors.main(argv[1:])
        return
    rounds = int(argv[0]) if argv else 3
    rows = data.fixed_matrix()
    start = np.load(data.folder() / "ng20-start-k20.npy").astype(np.int32)
    found: dict[str, list[Measured]] = {name: [] for name in PEERS}
    for _ in range(rounds):
        for name, measured in found.items():
            if not any(isinstance(each, str) for each in measured):  # one failure is enough
                measured.append(_apart(name, rows, start))
    lines = [[name, *_medians(measured)] for name, measured in found.items()]
    show(["program", "seconds", "Q", "NMI", "peak MB"], lines, f"Median of {rounds} interleaved rounds, k = {K}")


def _medians(measured: list[Measured]) -> list[Any]:
    reasons = [each for each in measured if isinstance(each, str)]
    if reasons:
        return [reasons[0], None, None, None]
    return [statistics.median(values) for values in zip(*measured, strict=True)]


def _apart(name: str, rows: data.Rows, start: np.ndarray) -> Measured:
    """Return seconds, Q, NMI and peak memory, or why there are none."""
    context = get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_measure, args=(name, rows, start, sender))
    process.start()
    sender.close()
    found: Measured = f"not run: time (more than {LIMIT_S} s)"
    if receiver.poll(LIMIT_S):
        try:
            found = receiver.recv()
        except EOFError:
            found = "failed: the process ended without a result, perhaps for want of memory"
    process.kill()
    process.join()
    return found


def _measure(name: str, rows: data.Rows, start: np.ndarray, sender: Connection) -> None:
    warnings.simplefilter("ignore")  # limits on steps are part of the comparison
    labels: list[np.ndarray] = []
    try:
        seconds = once(lambda: labels.append(PEERS[name](rows.X, start, rows.y)))
    except ModuleNotFoundError as error:
        absent = error.name == name
        sender.send("absent: not installed" if absent else f"does not run with these versions: {error}")
        return
    peak = own_peak()
    sums = [np.asarray(rows.X[labels[0] == c].sum(axis=0)).ravel() for c in np.unique(labels[0])]
    sender.send((seconds, sum(map(float, map(np.linalg.norm, sums))), metrics.nmi(rows.y, labels[0]), peak))
