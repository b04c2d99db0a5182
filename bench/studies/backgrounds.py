"""The two questions at the end of the M2DCU paper: `python -m bench backgrounds {methods,selection} [--draws N]`.

methods    a Universum in other clusterers (background clusters of spherical k-means, of a mixture of von Mises-Fisher
           distributions, and pinned topics of a factorisation) against setting documents aside: area under the curve of
           hidden junk, junk and on-topic documents that go out, NMI of the on-topic documents
selection  which examples to take of many: at random, the paper's mixture, nearest to the boundary, farthest apart; area
           under the curve by their number
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import log_softmax, softmax
from sklearn.decomposition import NMF
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import normalize

from bench.data.hidden import ESTIMATES, Hidden
from bench.tables import show
from outgroup import MaxMarginClustering, SphericalKMeans
from outgroup.metrics import nmi
from outgroup.universum import select

SETTINGS = (
    "long, TF-IDF, 8 % junk, 200 examples",
    "long, TF-IDF, six topics, 13 %, 200",
    "news wire, TF-IDF, 14 %, 100",
    "abstracts, TF-IDF, 13 %, 100",
    "short, TF-IDF, 10 %, 200",
    "short, vectors, 10 %, 1,000",
)
COUNTS = (5, 20, 100, 500, 1_000)
_BACKGROUND = 5  # background clusters, components or topics
_STEPS = 50
Verdict = tuple[np.ndarray, np.ndarray, np.ndarray]
"""The off-topic score of each row, whether it is out, and its best group."""


def set_aside(drawn: Hidden, seed: int) -> Verdict:
    """Groups by maximum margins, junk set aside: the product."""
    fit = MaxMarginClustering(drawn.k, random_state=seed).fit(drawn.X, universum=drawn.examples)
    return fit.off_topic_score(drawn.X), fit.labels_ < 0, fit.decision_function(drawn.X).argmax(axis=1)


def _starts(drawn: Hidden, seed: int) -> np.ndarray:
    """Return the first centres: k of the documents, then the background's of the examples."""
    own = SphericalKMeans(drawn.k, random_state=seed).fit(drawn.X).cluster_centers_
    count = min(_BACKGROUND, drawn.examples.shape[0])
    return np.vstack([own, SphericalKMeans(count, random_state=seed).fit(drawn.examples).cluster_centers_])


def background_clusters(drawn: Hidden, seed: int) -> Verdict:
    """Spherical k-means with background clusters, in which the examples are held."""
    centres, k = _starts(drawn, seed), drawn.k
    for _ in range(_STEPS):
        scores = np.asarray(drawn.X @ centres.T)
        held = np.asarray(drawn.examples @ centres[k:].T).argmax(axis=1) + k
        sums = _sums(drawn.X, scores.argmax(axis=1), len(centres)) + _sums(drawn.examples, held, len(centres))
        centres, before = normalize(sums), centres
        if np.allclose(centres, before):
            break
    return _verdict(np.asarray(drawn.X @ centres.T), k)


def background_components(drawn: Hidden, seed: int) -> Verdict:
    """A mixture of von Mises-Fisher distributions of one concentration, the examples held in its background."""
    centres, k = _starts(drawn, seed), drawn.k
    weights, concentration = np.full(len(centres), 1 / len(centres)), 10.0
    for _ in range(_STEPS):
        own = softmax(concentration * np.asarray(drawn.X @ centres.T) + np.log(weights), axis=1)
        held = softmax(concentration * np.asarray(drawn.examples @ centres[k:].T), axis=1)
        sums = np.asarray((drawn.X.T @ own).T)
        sums[k:] += np.asarray((drawn.examples.T @ held).T)
        length = np.linalg.norm(sums, axis=1).sum() / (len(own) + len(held))
        width = drawn.X.shape[1]
        concentration = min(length * (width - length**2) / (1 - length**2), 1e3)  # Banerjee et al., JMLR 2005
        centres, weights = normalize(sums), np.maximum(own.mean(axis=0), 1e-9)
    logs = log_softmax(concentration * np.asarray(drawn.X @ centres.T) + np.log(weights), axis=1)
    return _verdict(logs, k)


def background_topics(drawn: Hidden, seed: int) -> Verdict:
    """A non-negative factorisation by the Kullback-Leibler divergence with pinned topics of the examples."""
    X, k = sp.csr_matrix(drawn.X), drawn.k
    count = min(_BACKGROUND, drawn.examples.shape[0])
    model = NMF(count, beta_loss="kullback-leibler", solver="mu", init="nndsvda", max_iter=_STEPS, random_state=seed)
    pinned = model.fit(drawn.examples).components_
    H = np.vstack([np.maximum(_starts(drawn, seed)[:k], 1e-6), pinned])
    H /= H.sum(axis=1, keepdims=True)
    W = np.full((X.shape[0], len(H)), 1.0 / len(H))
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    for _ in range(_STEPS):
        for side in ("documents", "topics"):
            fitted = np.einsum("ij,ij->i", W[rows], H[:, X.indices].T) + 1e-12
            ratio = sp.csr_matrix((X.data / fitted, X.indices, X.indptr), shape=X.shape)
            if side == "documents":
                W *= np.asarray(ratio @ H.T) / H.sum(axis=1)
            else:
                H[:k] *= np.asarray((ratio.T @ W[:, :k]).T) / np.maximum(W[:, :k].sum(axis=0)[:, None], 1e-12)
    return _verdict(W / np.maximum(W.sum(axis=1, keepdims=True), 1e-12), k)


METHODS: dict[str, Callable[[Hidden, int], Verdict]] = {
    "set aside": set_aside,
    "background clusters": background_clusters,
    "background components": background_components,
    "background topics": background_topics,
}


def _sums(X: Any, labels: np.ndarray, k: int) -> np.ndarray:
    members = sp.csr_matrix((np.ones(len(labels)), (labels, np.arange(len(labels)))), shape=(k, len(labels)))
    sums = members @ X
    return sums.toarray() if sp.issparse(sums) else np.asarray(sums)


def _verdict(scores: np.ndarray, k: int) -> Verdict:
    """Return the verdict by scores of k groups, then of the background."""
    behind = scores[:, k:].max(axis=1) - scores[:, :k].max(axis=1)
    return behind, behind > 0, scores[:, :k].argmax(axis=1)


def methods(draws: int) -> None:
    """Print the figures of each method, mean over draws and settings."""
    for setting in SETTINGS:
        table = []
        for name, method in METHODS.items():
            if name == "background topics" and "vectors" in setting:
                continue  # vectors have negative entries
            found = []
            for seed in range(draws):
                drawn = ESTIMATES[setting].draw(seed)
                score, out, group = method(drawn, seed)
                on = ~drawn.junk
                quality = nmi(drawn.y[on], group[on])
                found.append([roc_auc_score(drawn.junk, score), out[drawn.junk].mean(), out[on].mean(), quality])
            table.append([name, *(f"{value:.3f}" for value in np.mean(found, axis=0))])
        show(["method", "area", "junk out", "on-topic out", "NMI"], table, setting)


def _farthest(candidates: Any, count: int, seed: int) -> np.ndarray:
    """Return the numbers of candidates that are far from one another: each the farthest from those before it."""
    chosen = [int(np.random.default_rng(seed).integers(candidates.shape[0]))]
    nearest = np.full(candidates.shape[0], -1.0)
    while len(chosen) < count:
        last = candidates[chosen[-1]]
        products = candidates @ (last.T if sp.issparse(last) else last)
        nearest = np.maximum(nearest, np.asarray(products.todense() if sp.issparse(products) else products).ravel())
        chosen.append(int(nearest.argmin()))
    return np.array(chosen)


def chosen(way: str, drawn: Hidden, count: int, seed: int) -> np.ndarray:
    """Return the numbers of the examples that a way of selection takes."""
    pool = drawn.examples
    if way == "random":
        return np.random.default_rng(seed).permutation(pool.shape[0])[:count]
    if way == "farthest apart":
        return _farthest(pool, count, seed)
    if way == "mixture":
        share = min(1.0, count / pool.shape[0])
        return np.asarray(select(drawn.X, pool, drawn.k, share, random_state=seed))[:count]
    own = SphericalKMeans(drawn.k, random_state=seed).fit(drawn.X).cluster_centers_
    return np.argsort(-np.asarray(pool @ own.T).max(axis=1))[:count]


def selection(draws: int) -> None:
    """Print the area under the curve by way of selection and number of examples."""
    for setting in ("long, TF-IDF, 8 %, 1,000", "short, TF-IDF, 10 %, 200", "short, vectors, 10 %, 1,000"):
        table = []
        for way in ("random", "mixture", "nearest to the boundary", "farthest apart"):
            line = [way]
            for count in COUNTS:
                areas = []
                for seed in range(draws):
                    drawn = ESTIMATES[setting].draw(seed)
                    if count > drawn.examples.shape[0]:
                        continue
                    rows = chosen(way, drawn, count, seed)
                    fit = MaxMarginClustering(drawn.k, random_state=seed).fit(drawn.X, universum=drawn.examples[rows])
                    areas.append(roc_auc_score(drawn.junk, fit.off_topic_score(drawn.X)))
                line.append(f"{np.mean(areas):.3f}" if areas else "-")
            table.append(line)
        show(["examples", *map(str, COUNTS)], table, setting)


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench backgrounds", description=__doc__)
    parser.add_argument("part", choices=["methods", "selection"])
    parser.add_argument("--draws", type=int, default=3)
    options = parser.parse_args(argv)
    (methods if options.part == "methods" else selection)(options.draws)
