"""What a user gets by default, without a label: `python -m bench defaults [PARTS] [--seeds N]`.

quality   groups with rows, NMI and ARI of the default fit, of SphericalKMeans' and of the forms before, over seeds
universum the same with the Universum of the paper's tasks, of all documents: nothing is set aside
empty     how many of k groups have no rows, k = 2 to 150, on every collection
aside     the same with the rows of one class, of which 100 are the examples, set aside
wide      seconds on 126,321 words, against SphericalKMeans
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from bench import data
from bench.methods.objectives import margin_objective
from bench.papers import tasks
from bench.tables import show
from bench.timing import interleaved
from outgroup import MaxMarginClustering, NeighbourAverage, SphericalKMeans, Vectorizer, metrics
from outgroup.rows.threads import one_blas_thread
from outgroup.solve.restarts import best_of, varied_starts

Task = tuple[Any, np.ndarray]
KS = (2, 5, 10, 20, 50, 100, 150)


def _spherical(X: Any, k: int, seed: int) -> np.ndarray:
    return SphericalKMeans(k, random_state=seed).fit(X).labels_


def _default(X: Any, k: int, seed: int, universum: Any = None, **changed: Any) -> np.ndarray:
    fit = MaxMarginClustering(k, random_state=seed, off_topic_rate=None, **changed)
    return fit.fit(X, universum=universum).labels_


def _asked(X: Any, k: int, seed: int) -> np.ndarray:
    """The default beside neighbours, as `DocumentClustering` asks them where it does not average."""
    return MaxMarginClustering(k, random_state=seed, off_topic_rate=None).fit(X, graph=_graph(X, k)).labels_


def _graph(X: Any, k: int) -> Any:
    return NeighbourAverage(n_groups=k).fit(X).graph_


def _before(X: Any, k: int, seed: int) -> np.ndarray:
    """The default before: unweighted, the best of ten quick starts of three kinds."""
    with one_blas_thread():
        objective = margin_objective(X, None, k, class_weight=None)
        starts = varied_starts(objective.data, k, 10)
        return best_of(objective, starts, np.random.default_rng(seed)).fit.labels


FORMS: dict[str, Callable[..., np.ndarray]] = {
    "SphericalKMeans": _spherical,
    "MaxMarginClustering": _default,
    "the same, neighbours asked": _asked,
    "the same, class_weight=None": partial(_default, class_weight=None),
    "ten quick starts, class_weight=None": _before,
}


def _texts(name: str, text: Callable[[dict[str, Any]], str]) -> Task:
    rows = data.records(data.folder() / f"{name}.jsonl.xz")
    found = data.Texts([text(row) for row in rows], [row["label"] for row in rows], []).rows(Vectorizer())
    return found.X, found.y


def _vectors(name: str, vectors: str) -> Task:
    rows = data.records(data.folder() / f"{name}.jsonl.xz")
    X = np.load(data.folder() / f"{vectors}.npy").astype(np.float32)
    return X, np.unique([row["label"] for row in rows], return_inverse=True)[1]


def _numbers(name: str) -> Task:
    with np.load(data.folder() / f"{name}.npz", allow_pickle=False) as arrays:
        return arrays["X"].astype(np.float32), np.unique(arrays["y"], return_inverse=True)[1]


def _task(name: str) -> Task:
    found = tasks.bundle(name)
    return found.X, found.y


TASKS = {"four classes of news": "news", "Reuters, 6 topics": "reuters 1", "Reuters, 10 topics": "reuters 2"}


COLLECTIONS: dict[str, Callable[[], Task]] = {
    "banking77": lambda: _texts("banking77", lambda row: row["text"]),
    "banking77, MiniLM": lambda: _vectors("banking77", "banking77-minilm"),
    "20 Newsgroups": lambda: _texts("20news-18828", lambda row: row["text"]),
    "20 Newsgroups, MiniLM": lambda: _vectors("20news-18828", "ng20-minilm"),
    "four classes of news": lambda: _task("news"),
    "Classic4": lambda: _texts("classic4", lambda row: f"{row['title']} {row['text']}"),
    "Reuters, 6 topics": lambda: _task("reuters 1"),
    "Reuters, 10 topics": lambda: _task("reuters 2"),
    "digits": lambda: _task("digits 0 1 2 3 4 5 6 7 8 9"),
    "digits 1279": lambda: _task("digits 1 2 7 9"),
    "digits 0689": lambda: _task("digits 0 6 8 9"),
    "digits 38": lambda: _task("digits 3 8"),
    "MNIST, 5,000": lambda: _task("mnist 0 1 2 3 4 5 6 7 8 9 @5000"),
    "Satellite": lambda: _task("satellite"),
    "Satellite, all": lambda: _numbers("satimage"),
    "Letter A B": lambda: _task("letter"),
    "Letter, all": lambda: _numbers("letter"),
}


def quality(names: list[str], seeds: int, forms: list[str]) -> None:
    """Mean and deviation over seeds, and how well pairs of seeds agree (0 with 1, 2 with 3, ...)."""
    rows = []
    for name in names:
        X, y = COLLECTIONS[name]()
        rows += [_line(name, form, FORMS[form], X, y, seeds) for form in forms]
    show(_QUALITY, rows, f"{seeds} seeds: mean (deviation)")


def with_universum(names: list[str], seeds: int, forms: list[str]) -> None:
    """The same with a Universum, by maximum margins."""
    rows = []
    for name in names:
        if name in TASKS:
            task = tasks.bundle(TASKS[name])
            for form, class_weight in (("MaxMarginClustering", "balanced"), ("the same, class_weight=None", None)):
                fit = partial(_default, universum=task.universum, class_weight=class_weight)
                rows.append(_line(name, form, fit, task.X, task.y, seeds))
    show(_QUALITY, rows, f"With a Universum, {seeds} seeds: mean (deviation)")


_QUALITY = ["collection", "k", "fit", "groups", "accuracy", "NMI", "ARI", "Rand", "pairs of seeds, ARI", "seconds"]


def _line(name: str, form: str, fit: Callable[..., np.ndarray], X: Any, y: np.ndarray, seeds: int) -> list[Any]:
    k = int(y.max()) + 1
    labels, seconds = zip(*(_timed(fit, X, k, seed) for seed in range(seeds)), strict=True)
    line = [name, k, form, *_scores(y, labels), float(np.median(seconds))]
    print(line, flush=True)
    return line


def _timed(form: Callable[..., np.ndarray], X: Any, k: int, seed: int) -> tuple[np.ndarray, float]:
    begin = perf_counter()
    return form(X, k, seed), perf_counter() - begin


def _scores(y: np.ndarray, labels: Sequence[np.ndarray]) -> list[Any]:
    pairs = [metrics.adjusted_rand(a, b) for a, b in zip(labels[::2], labels[1::2], strict=False)]
    measures = (metrics.accuracy, metrics.nmi, metrics.adjusted_rand, metrics.rand)
    told = [_told([measure(y, found) for found in labels]) for measure in measures]
    return [min(len(np.unique(found)) for found in labels), *told, float(np.mean(pairs)) if pairs else None]


def _told(values: list[float]) -> str:
    spread = f" ({np.std(values, ddof=1):.3f})" if len(values) > 1 else ""
    return f"{np.mean(values):.3f}{spread}"


def empty(names: list[str], seeds: int, forms: list[str]) -> None:
    """Groups without rows, the most over seeds."""
    rows = []
    for name in names:
        X, _ = COLLECTIONS[name]()
        rows += [_emptied(name, form, partial(FORMS[form], X), seeds) for form in forms]
    show(_EMPTY, rows, f"Groups without rows, the most of {seeds} seeds")


def empty_aside(names: list[str], seeds: int, forms: list[str]) -> None:
    """Groups without rows where the largest class is junk and 100 of it are known, by both methods."""
    rows = []
    for name in names:
        X, y = COLLECTIONS[name]()
        methods = {f"{method.__name__}, set aside": method for method in (SphericalKMeans, MaxMarginClustering)}
        rows += [_emptied(name, form, partial(_aside, method, X, y), seeds) for form, method in methods.items()]
    show(_EMPTY, rows, f"Groups without rows, junk set aside, the most of {seeds} seeds")


_EMPTY = ["collection", "fit", *(f"k = {k}" for k in KS)]


def _emptied(name: str, form: str, fit: Callable[[int, int], np.ndarray], seeds: int) -> list[Any]:
    line = [name, form, *(max(k - len(np.unique(fit(k, seed))) for seed in range(seeds)) for k in KS)]
    print(line, flush=True)
    return line


def _aside(method: Any, X: Any, y: np.ndarray, k: int, seed: int) -> np.ndarray:
    """The groups of what is in groups, where the largest class is junk and 100 of it are known."""
    junk = np.flatnonzero(y == np.bincount(y).argmax())[:100]
    labels = method(k, random_state=seed).fit(X, universum=X[junk]).labels_
    return np.asarray(labels[labels >= 0])


def wide_rows(n: int = 2301, d: int = 126_321, each: int = 205, topics: int = 6) -> Any:
    """Unit rows of very many columns: half of a row's words from a Zipf background, half from one topic's own.

    Every word is somewhere: those that nobody drew are in one row each, as most words of a real collection are.
    """
    rng = np.random.default_rng(0)
    background = rng.zipf(1.15, size=(n, each // 2)) % d
    topic = rng.integers(0, topics, n)
    own = (topic[:, None] * (d // topics) + rng.zipf(1.2, size=(n, each - each // 2)) % (d // topics)) % d
    terms = np.hstack([background, own]).ravel()
    rest = np.setdiff1d(np.arange(d), terms)
    place = np.concatenate([np.repeat(np.arange(n), each), rng.integers(0, n, len(rest))])
    terms = np.concatenate([terms, rest])
    X = sp.csr_matrix((np.ones(len(terms), dtype=np.float32), (place, terms)), (n, d))
    X.sum_duplicates()
    frequency = np.bincount(X.indices, minlength=d)
    X.data = (1 + np.log(X.data)) * np.log(n / np.maximum(frequency, 1))[X.indices].astype(np.float32)
    return data.unit(X)


def wide(names: list[str], seeds: int, forms: list[str]) -> None:
    """Seconds of a fit, interleaved medians."""
    X = wide_rows()
    seconds = interleaved({form: partial(FORMS[form], X, 6, 0) for form in forms}, max(3, seeds))
    first = seconds[forms[0]]
    show(
        ["fit", "seconds", f"times {forms[0]}"],
        [[form, s, s / first] for form, s in seconds.items()],
        f"{X.shape[0]:,} x {X.shape[1]:,}, {X.nnz:,} entries, k = 6",
    )


PARTS = {"quality": quality, "universum": with_universum, "empty": empty, "aside": empty_aside, "wide": wide}


def main(argv: list[str]) -> None:
    """Print the parts that are named, all of them without a name."""
    parser = argparse.ArgumentParser(prog="python -m bench defaults", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=[*PARTS])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--on", action="append", choices=[*COLLECTIONS], help="collections; all of them by default")
    parser.add_argument("--fit", action="append", choices=[*FORMS], help="forms; the first two by default")
    given = parser.parse_args(argv)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the tables say how many groups there are
        for part in given.parts:
            PARTS[part](given.on or [*COLLECTIONS], given.seeds, given.fit or [*FORMS][:2])
