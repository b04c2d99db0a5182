"""Peers on the same rows: `python -m bench peers [banking77 news news-words] [--methods NAME ...]`.

MiniLM vectors of banking77 (k = 77) and 20 Newsgroups (k = 20), and the TF-IDF rows of the latter. Each method runs
twice, in processes of its own on one thread. NMI and ARI are of all documents, those outside every group as one more
group; `score` is EVoC's own, the cube root of ARI squared of the covered documents times coverage; seconds are of the
processor, compilation included; `same` says whether both runs gave the same groups. Programs that are not installed, or
take no such rows, are named.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from bench import data
from bench.data.collections import CASES
from bench.tables import show
from bench.timing import own_peak
from outgroup import DocumentClustering, SphericalKMeans, Vectorizer, metrics
from outgroup.rows import threads

COLLECTIONS = {"banking77": "banking-vectors", "news": "news-vectors", "news-words": "news"}
LIMIT_S = 1200
Fit = Callable[[list[str], np.ndarray, int], Any]  # texts, vectors (n, d), k -> groups (n,), -1 outside


def _outgroup(texts: list[str], X: Any, k: int) -> Any:
    vectors = None if sp.issparse(X) else X
    return DocumentClustering(k, encoder=None, random_state=0).fit(texts, embeddings=vectors).labels_


def _evoc(nearest: bool, texts: list[str], X: np.ndarray, k: int) -> Any:
    from evoc import EVoC

    model = EVoC(random_state=0)
    labels = model.fit_predict(X)
    return min(model.cluster_layers_, key=lambda layer: abs(int(layer.max()) + 1 - k)) if nearest else labels


def _umap(X: np.ndarray) -> np.ndarray:
    from umap import UMAP

    return np.asarray(
        UMAP(n_neighbors=15, n_components=5, min_dist=0.0, metric="cosine", random_state=0).fit_transform(X)
    )


def _umap_kmeans(texts: list[str], X: np.ndarray, k: int) -> Any:
    from sklearn.cluster import KMeans

    return KMeans(k, n_init=10, random_state=0).fit_predict(_umap(X))


def _umap_hdbscan(texts: list[str], X: np.ndarray, k: int) -> Any:
    from hdbscan import HDBSCAN

    return HDBSCAN(min_cluster_size=10).fit_predict(_umap(X))


def _bertopic(texts: list[str], X: np.ndarray, k: int) -> Any:
    from bertopic import BERTopic
    from umap import UMAP

    space = UMAP(n_neighbors=15, n_components=5, min_dist=0.0, metric="cosine", random_state=0)
    return np.array(BERTopic(umap_model=space).fit_transform(texts, X)[0])


def _faiss(texts: list[str], X: np.ndarray, k: int) -> Any:
    import faiss

    model = faiss.Kmeans(X.shape[1], k, niter=25, nredo=3, spherical=True, seed=1)
    model.train(X)
    return model.index.search(X, 1)[1].ravel()


def _kmeans(texts: list[str], X: np.ndarray, k: int) -> Any:
    from sklearn.cluster import KMeans

    return KMeans(k, n_init=10, random_state=0).fit_predict(X)


METHODS: dict[str, Fit] = {
    "Outgroup, DocumentClustering": _outgroup,
    "Outgroup, SphericalKMeans": lambda texts, X, k: SphericalKMeans(k, random_state=0).fit(X).labels_,
    "EVoC": partial(_evoc, False),
    "EVoC, layer nearest to k": partial(_evoc, True),
    "UMAP + k-means": _umap_kmeans,
    "UMAP + HDBSCAN": _umap_hdbscan,
    "BERTopic": _bertopic,
    "faiss, 3 runs": _faiss,
    "scikit-learn KMeans, 10 runs": _kmeans,
}


def _measure(name: str, texts: list[str], X: np.ndarray, k: int, sender: Connection) -> None:
    began = time.process_time()
    try:
        with threads(1), threadpool_limits(1):
            labels = np.asarray(METHODS[name](texts, X, k))
    except Exception as error:  # a line of the table
        sender.send(f"not run: {error}")
        return
    sender.send((labels, time.process_time() - began, own_peak()))


def _apart(name: str, texts: list[str], X: np.ndarray, k: int) -> Any:
    context = get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_measure, args=(name, texts, X, k, sender))
    process.start()
    sender.close()
    try:
        return receiver.recv() if receiver.poll(LIMIT_S) else f"not run: more than {LIMIT_S} s"
    except EOFError:
        return "not run: the process ended without a result"
    finally:
        process.kill()
        process.join()


def _line(name: str, runs: list[Any], y: np.ndarray) -> list[Any]:
    if isinstance(runs[0], str):
        return [name, runs[0], *[None] * 7]
    labels, seconds, peak = runs[0]
    inside = labels >= 0
    covered = float(inside.mean())
    score = np.cbrt(max(metrics.adjusted_rand(y[inside], labels[inside]), 0) ** 2 * covered)
    both = (metrics.nmi(y, labels), metrics.adjusted_rand(y, labels), score, covered)
    same = "yes" if len(runs) > 1 and np.array_equal(labels, runs[1][0]) else "no"
    groups = len(np.unique(labels[inside]))
    return [name, *(round(float(each), 3) for each in both), groups, round(seconds, 1), round(peak), same]


def main(argv: list[str]) -> None:
    """Print a table for each collection."""
    parser = argparse.ArgumentParser(prog="python -m bench peers", description=__doc__)
    parser.add_argument("collections", nargs="*", default=["banking77", "news"], metavar="|".join(COLLECTIONS))
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    given = parser.parse_args(argv)
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
    for name in given.collections:
        case = CASES[COLLECTIONS[name]]()
        X = data.unit(Vectorizer().fit_transform(case.texts) if case.embeddings is None else case.embeddings)
        lines = []
        for method in given.methods:
            runs = [_apart(method, case.texts, X, case.k)]
            if not isinstance(runs[0], str):
                runs.append(_apart(method, case.texts, X, case.k))
            lines.append(_line(method, runs, case.y))
            print(lines[-1], flush=True)
        show(
            ["method", "NMI", "ARI", "score", "covered", "groups", "seconds", "MB", "same"],
            lines,
            f"{name}, k = {case.k}",
        )
