"""Off-topic documents: `python -m bench off-topic bar|groups|reuters|demo|speed [--draws N]`.

bar      20 Newsgroups, junk hidden among the targets: area under the ROC curve against logistic regression
groups   the targets' groups with and without examples
reuters  the same on Reuters-21578: four large topics, two others as Universum and hidden
demo     the bundled corpus: what its examples find
speed    the fit with and without the search for off-topic documents

How much is thrown out of fitted and of new documents, against the promise, is printed by `python -m bench estimates`.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy.sparse as sp
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from bench import data, timing
from bench.tables import show
from outgroup import MaxMarginClustering, demo
from outgroup.metrics import nmi
from outgroup.readers.corpus import read_corpus
from outgroup.text.vectorizer import Vectorizer

EXAMPLES = (20, 100, 400, 1384)
REGRESSIONS = [(C, weight) for C in (0.01, 0.1, 1.0, 10.0) for weight in ("balanced", None)]
DEFAULT = (1.0, "balanced")
RATE = 0.05
_WITH, _WITHOUT = "NMI with", "NMI without"


@dataclass(frozen=True)
class Hidden:
    """Targets with junk among them, which rows are junk, the targets' classes, and further junk as examples."""

    X: sp.csr_matrix
    junk: np.ndarray
    y: np.ndarray
    examples: sp.csr_matrix

    @property
    def k(self) -> int:
        return len(np.unique(self.y))


def draws(task: data.Rows, n: int, hidden: int | None = None) -> Iterator[Hidden]:
    """Split the Universum at random, `n` times: half of it (or `hidden` rows) among the targets, the rest to give."""
    size = task.universum.shape[0]
    for seed in range(n):
        order = np.random.default_rng(seed).permutation(size)
        among, rest = np.split(order, [size // 2 if hidden is None else hidden])
        X = sp.vstack([task.X, task.universum[among]]).tocsr()
        junk = np.arange(X.shape[0]) >= task.X.shape[0]
        yield Hidden(X, junk, task.y, task.universum[rest])


def compare(task: data.Rows, n_draws: int, sizes: tuple[int, ...], title: str) -> None:
    """Print the area under the ROC curve over paired draws, and what the search does to the groups."""
    found: dict[int, list[dict[str, float]]] = {size: [] for size in sizes}
    for each in draws(task, n_draws):
        alone = MaxMarginClustering(each.k, random_state=0).fit(each.X)
        for size in sizes:
            found[size].append(_measures(each, alone, size))
    for size, measures in found.items():
        _report({name: np.array([one[name] for one in measures]) for name in measures[0]}, f"{title}: {size} examples")


def _report(measured: dict[str, np.ndarray], title: str) -> None:
    apart = (_WITH, _WITHOUT)
    areas = {name: values for name, values in measured.items() if name not in apart}
    ours, plain = areas["outgroup"], areas[_name(*DEFAULT)]
    best = max((_name(*each) for each in REGRESSIONS), key=lambda name: areas[name].mean())
    header = ["method", "mean", "deviation", "outgroup is better by", "95 % interval"]
    show(header, [_row(name, values, ours) for name, values in areas.items()], f"{title}, {len(ours)} draws")
    print(f"above {_name(*DEFAULT)}: {ours.mean() > plain.mean()} ({ours.mean() - plain.mean():+.4f})")
    print(f"against the best by the labels, {best}: {ours.mean() - areas[best].mean():+.4f} (at least -0.005)")
    with_it, without = (measured[name].mean() for name in apart)
    print(f"targets' NMI with examples {with_it:.4f}, without {without:.4f}: {with_it - without:+.4f} (at least -0.01)")


def _measures(each: Hidden, alone: MaxMarginClustering, size: int) -> dict[str, float]:
    U = each.examples[:size]
    steered = MaxMarginClustering(each.k, set_aside=False, random_state=0).fit(each.X, universum=U)
    found = {"outgroup": roc_auc_score(each.junk, steered.off_topic_score(each.X))}
    scores = steered.decision_function(each.X)
    found["M2DCU's leaning (paper)"] = roc_auc_score(each.junk, scores.mean(axis=1) - scores.max(axis=1))
    found["margin, no examples"] = roc_auc_score(each.junk, alone.off_topic_score(each.X))
    for C, weight in REGRESSIONS:
        found[_name(C, weight)] = roc_auc_score(each.junk, regression(each.X, U, C, weight)(each.X))
    return found | {name: nmi(each.y, fit.labels_[~each.junk]) for name, fit in ((_WITH, steered), (_WITHOUT, alone))}


def groups(n_draws: int) -> None:
    """20 Newsgroups: agreement of the targets' groups with their classes, with and without examples, ten starts."""
    found = []
    for each in draws(data.news().rows(), n_draws):
        fits = [MaxMarginClustering(each.k, off_topic_rate=None, random_state=0).fit(each.X, universum=U)
                for U in (None, *(each.examples[:size] for size in EXAMPLES))]  # fmt: skip
        found.append([nmi(each.y, fit.labels_[~each.junk]) for fit in fits])
    without, *given = np.array(found).T
    effects = [(each.mean(), np.mean(each - without)) for each in given]
    rows = [[size, *map(float, effect), "-0.01"] for size, effect in zip(EXAMPLES, effects, strict=True)]
    title = f"Without examples {without.mean():.4f}, {n_draws} draws"
    show(["examples", "targets' NMI", "difference", "at least"], rows, title)


def regression(X: sp.csr_matrix, U: sp.csr_matrix, C: float, weight: str | None) -> Callable[..., np.ndarray]:
    """Return the score of a logistic regression of the Universum against the collection."""
    known = np.arange(X.shape[0] + U.shape[0]) >= X.shape[0]
    model = LogisticRegression(C=C, class_weight=weight, max_iter=300)
    return model.fit(sp.vstack([X, U]), known).decision_function


def _name(C: float, weight: str | None) -> str:
    return f"LogisticRegression(C={C:g}{', balanced' if weight else ''})"


def _row(name: str, values: np.ndarray, ours: np.ndarray) -> list[object]:
    gain = ours - values
    spread = gain.std(ddof=1) if len(gain) > 1 else np.nan
    half = stats.t.ppf(0.975, max(len(gain) - 1, 1)) * spread / np.sqrt(len(gain))
    interval = "" if name == "outgroup" else f"{gain.mean() - half:+.4f} to {gain.mean() + half:+.4f}"
    deviation = float(values.std(ddof=1)) if len(values) > 1 else None
    return [name, float(values.mean()), deviation, float(gain.mean()), interval]


def bar(n_draws: int) -> None:
    """comp, rec, sci, talk with half of the other groups hidden among them; the other half gives the examples."""
    compare(data.news().rows(), n_draws, EXAMPLES, "20 Newsgroups")


def reuters(n_draws: int) -> None:
    """The largest topics of Reuters-21578 as targets; the next two are the junk."""
    compare(reuters_task(), n_draws, (20, 100), "Reuters-21578")


def reuters_task() -> data.Rows:
    """Documents of one topic only: the four most frequent as targets, the fifth and sixth as Universum."""
    records = data.records(data.folder() / "reuters21578.jsonl.xz")
    single = [(row["text"], row["labels"][0]) for row in records if len(row["labels"]) == 1 and row["text"]]
    topics = [topic for topic, _ in Counter(topic for _, topic in single).most_common(6)]
    texts = [(text, topic) for text, topic in single if topic in topics[:4]]
    rest = [text for text, topic in single if topic in topics[4:]]
    print(f"targets {topics[:4]}, Universum {topics[4:]}")
    return data.Texts([text for text, _ in texts], [topic for _, topic in texts], rest).rows()


def demonstration(n_draws: int) -> None:
    """The bundled corpus, as `outgroup demo` sees it; every draw is another random state."""
    corpus, off = read_corpus(demo.documents_path()), read_corpus(demo.off_topic_path())
    words = Vectorizer()
    X, U = words.fit_transform(corpus.texts), words.transform(off.texts)
    junk = np.array([label == "off-topic" for label in corpus.labels or ()])
    rows = []
    for seed in range(n_draws):
        groups = MaxMarginClustering(5, set_aside=False, random_state=seed).fit(X, universum=U)
        score = groups.off_topic_score(X)
        for choice in groups.off_topic_["choices"]:
            flagged = score > choice["value"]
            rows.append([roc_auc_score(junk, score), flagged[junk].mean(), flagged[~junk].mean()])
    means = np.array(rows).reshape(n_draws, 2, 3).mean(axis=0)
    header = ["threshold", "area under ROC", "junk found", "on-topic thrown out"]
    show(header, [["conformal", *means[0]], ["mixture", *means[1]]], f"Bundled corpus, {n_draws} random states")
    plain = roc_auc_score(junk, regression(X, U, *DEFAULT)(X))
    print(f"{_name(*DEFAULT)}: {plain:.4f}")


def speed(n_draws: int) -> None:
    """The whole fit with ten starts, with and without the reject row and its calibration, interleaved."""
    task = data.news().rows()
    rates = {"with": RATE, "without": None}
    for size in EXAMPLES:
        U = task.universum[:size]
        actions = {name: partial(_fit, rate, task, U) for name, rate in rates.items()}
        seconds = timing.interleaved(actions, n_draws)
        print(f"{size} examples: {seconds['with']:.2f} s with, {seconds['without']:.2f} s without: "
              f"{seconds['with'] / seconds['without']:.2f} times (2 at most)")  # fmt: skip


def _fit(rate: float | None, task: data.Rows, U: sp.csr_matrix) -> None:
    MaxMarginClustering(task.k, off_topic_rate=rate, random_state=0).fit(task.X, universum=U)


FIGURES = {
    "bar": (bar, 20),
    "groups": (groups, 20),
    "reuters": (reuters, 20),
    "demo": (demonstration, 20),
    "speed": (speed, 3),
}


def main(argv: list[str]) -> None:
    """Print one figure."""
    parser = argparse.ArgumentParser(prog="python -m bench off-topic", description=__doc__)
    parser.add_argument("figure", choices=FIGURES)
    parser.add_argument("--draws", type=int)
    given = parser.parse_args(argv)
    figure, usual = FIGURES[given.figure]
    warnings.filterwarnings("ignore", category=FutureWarning)
    figure(given.draws or usual)
