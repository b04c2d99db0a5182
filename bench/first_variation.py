"""The figures of spherical k-means with first variation: `python -m bench first-variation NAME [--out FOLDER]`.

    example31    three vectors over the angle              example32  25 vectors: printed starts, 100 random ones
    classic3     samples of 30, 150 and 300 abstracts      chain      one chain of 30 moves (figure 5)
    gain-over-k  20 Newsgroups, k = 20 .. 180 (figure 6)   auto-k     the number of clusters the data choose
    speed        beside scikit-learn, from one start       quality    Q in a second, ten seeds
    synthetic    200,000 x 50,000: seconds a pass, against memory bandwidth
    max-margin-start  what each spherical start is worth to the maximum-margin fit

With --out each figure of the paper is drawn into that folder as SVG.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from outgroup import SphericalKMeans
from outgroup.metrics import nmi
from outgroup.solve.local_search import open_search, refine

from . import data, plots
from .tables import show

LENGTHS = ("batch", "f = 1", "f = 2", "f = 3", "f = 5")
REFINED = ("first-variation", "chains", "ping-pong", "split-merge")


def three_vectors(angle: float) -> Any:
    """Example 3.1: unit vectors at 0, `angle` and 90 degrees."""
    return sp.csr_matrix(np.array([[1.0, 0.0], [np.cos(angle), np.sin(angle)], [0.0, 1.0]]))


def example31(out: Path | None) -> None:
    angles = np.append(np.linspace(0.1, np.pi / 2 - 0.1, 57), [np.pi / 4, 0.9, np.pi / 3])
    start, rows = np.array([0, 0, 1]), []
    for angle in np.sort(angles):
        found = [refine(three_vectors(angle), start, 2, local_search=how)[1] for how in (None, "first-variation")]
        rows.append([float(angle), *found, found[1] - found[0]])
    shown = [[f"{value:.6f}" for value in row] for row in rows if row[0] in (np.pi / 4, 0.9, np.pi / 3)]
    show(["angle", "Q batch", "Q first variation", "gain"], shown, "Example 3.1 from {x1, x2}, {x3}")
    curves = {"batch steps": [r[1] for r in rows], "with first variation": [r[2] for r in rows]}
    plots.curves(out, "first-variation-example-3-1", [r[0] for r in rows], curves, "angle of x2", "Q")


def classes_of_25(k: int = 5) -> Any:
    """Example 3.2: k classes of k unit vectors that share one direction a class."""
    classes = np.repeat(np.arange(k), k)
    X = np.hstack([np.eye(k)[classes] / k, np.eye(k * k)])
    return sp.csr_matrix(X / np.linalg.norm(X, axis=1, keepdims=True))


def example32(out: Path | None) -> None:
    X, k = classes_of_25(), 5
    table_1 = [[2, 0, 0, 0, 3], [0, 2, 0, 1, 2], [0, 2, 1, 1, 1], [0, 0, 0, 4, 1], [1, 1, 0, 1, 2]]  # a class a row
    starts = {
        "printed in the example": np.tile(np.arange(k), k),
        "table 1": np.concatenate([np.repeat(np.arange(k), counts) for counts in table_1]),
    }
    rows = [[name, *_from_start(X, start, k)] for name, start in starts.items()]
    show(
        ["start", "Q start", "batch", "f = 1", "f = 2", "f = 3", "f = 5"], rows, "Example 3.2, k = 5 (best: 12.009612)"
    )
    ends = np.array([_from_start(X, _random_start(seed, k), k) for seed in range(100)]).astype(float)
    reached = (ends > 12.0096).sum(axis=0)
    show(["", "start", *LENGTHS], [["reached", *map(int, reached)]], "100 random starts")
    _, _, trace = refine(X, starts["table 1"], k, local_search="first-variation")
    _draw_climb(out, "first-variation-figure-1", X, starts["table 1"], k, trace)


def _random_start(seed: int, k: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    while len(set(start := rng.integers(0, k, 25))) < k:
        pass
    return start


def _from_start(X: Any, start: np.ndarray, k: int) -> list[str]:
    ends = [open_search(X, start, k).objective, refine(X, start, k, local_search=None)[1]]
    ends += [refine(X, start, k, local_search="chains", chain_length=f)[1] for f in (1, 2, 3, 5)]
    return [f"{end:.6f}" for end in ends]


def _draw_climb(out: Path | None, name: str, X: Any, start: np.ndarray, k: int, trace: list[dict[str, Any]]) -> None:
    """Percentage increase of Q over the steps that moved something, first-variation moves apart from batch steps."""
    base = open_search(X, start, k).objective
    steps = [step for step in trace if step["moved"]]
    plots.climb(out, name, [100 * (s["objective"] / base - 1) for s in steps], [s["kind"] for s in steps])


def abstracts(each: int, seed: int, *, idf: bool = True) -> data.Rows:
    """Draw `each` abstracts of MEDLINE, CISI and CRANFIELD; rows without stop words, TF-IDF or TF, unit length."""
    rng = np.random.default_rng(seed)
    records = data.records(data.folder() / "classic4.jsonl.xz")
    chosen = []
    for label in ("MED", "CISI", "CRAN"):
        members = [r for r in records if r["label"] == label and len(r["text"].split()) > 5]
        chosen += [members[i] for i in rng.choice(len(members), each, replace=False)]
    vectorizer = data.Vectorizer(min_df=1, max_df=1.0, max_features=None, sublinear_tf=idf)
    task = data.Texts([r["text"] for r in chosen], [r["label"] for r in chosen], []).rows(vectorizer)
    return task if idf else data.Rows(normalize(task.X @ sp.diags(1 / vectorizer.idf_)).tocsr(), task.y)


def classic3(out: Path | None) -> None:
    for each in (10, 50, 100):
        task = abstracts(each, seed=0)
        start = np.random.default_rng(each).permutation(np.arange(3 * each) % 3)
        rows = [["start", *_quality(task, start, 0)]]
        for name, how, f in (("batch", None, 1), ("f = 1", "chains", 1), ("f = 30", "chains", 30)):
            labels, _, trace = refine(task.X, start, 3, local_search=how, chain_length=f)
            rows.append([name, *_quality(task, labels, sum(step["moved"] for step in trace))])
            if name == "f = 1":
                _draw_climb(out, f"first-variation-figure-{ {10: 2, 50: 3, 100: 4}[each] }", task.X, start, 3, trace)
        show(["", "Q", "NMI", "rows moved", "confusion (clusters by classes)"], rows,
             f"{3 * each} abstracts of CLASSIC3, {task.X.shape[1]} words")  # fmt: skip
        _unmoved(task, each)


def _unmoved(task: data.Rows, each: int) -> None:
    """How many of 1,000 random partitions batch steps leave exactly as they are, and where f = 1 takes 100 of them."""
    starts = [np.random.default_rng(seed).permutation(np.arange(3 * each) % 3) for seed in range(1000)]
    still = sum(open_search(task.X, start, 3).batch() == 0 for start in starts)
    ends = [
        [nmi(task.y, refine(task.X, s, 3, local_search=how)[0]) for how in (None, *REFINED[:3])] for s in starts[:100]
    ]
    print(f"batch steps leave {still} of 1,000 random partitions unmoved")
    show(["100 random starts", "batch", *REFINED[:3]], [["mean NMI", *np.mean(ends, axis=0).tolist()]])


def _quality(task: data.Rows, labels: np.ndarray, moved: int) -> list[Any]:
    confusion = np.zeros((3, 3), dtype=int)
    np.add.at(confusion, (labels, task.y), 1)
    order = confusion.argmax(axis=0) if len(set(confusion.argmax(axis=0))) == 3 else np.arange(3)
    return [open_search(task.X, labels, 3).objective, nmi(task.y, labels), moved, confusion[order].tolist()]


def chain(out: Path | None) -> None:
    """Find 300 abstracts (TF) where first variation is stuck and one chain of 30 moves first loses, then wins."""
    for seed in range(200):
        task = abstracts(100, seed=seed % 10, idf=False)
        start = np.random.default_rng(1000 + seed).permutation(np.arange(300) % 3)
        labels, before, _ = refine(task.X, start, 3, local_search="first-variation", tol=0.0)
        search = open_search(task.X, labels, 3)
        totals, kept = search.chain(30)
        if kept < 3 or totals[:kept].min() > -0.02:
            continue
        after, end, _ = refine(task.X, search.labels, 3, local_search="chains", chain_length=30)
        print(f"start {seed}: falls to {totals[:kept].min():+.4f}, best after {kept} moves: {totals[kept - 1]:+.4f}")
        rows = [["stuck at f = 1", *_quality(task, labels, 0)], ["end, f = 30", *_quality(task, after, 0)]]
        show(["", "Q", "NMI", "", "confusion"], rows, f"The chain of 30 moves, Q {before:.4f} -> {end:.4f}")
        change = {"one chain of 30 moves": (100 * totals / before).tolist()}
        plots.curves(out, "first-variation-figure-5", list(range(1, len(totals) + 1)), change, "move", "change of Q, %")
        return
    print("no such chain in 200 starts")


def gain_over_k(out: Path | None) -> None:
    task, rows = data.fixed_matrix(), []
    for k in range(20, 181, 20):
        gains = np.mean([_gains(task, k, seed) for seed in range(3)], axis=0)
        rows.append([k, *gains.tolist()])
        print(rows[-1], flush=True)
    show(["k", "Q batch", "chains, f = 20: gain %", "with sweeps: gain %"], rows, "Figure 6, means of three starts")
    curves = {"chains, f = 20": [row[2] for row in rows], "sweeps and chains": [row[3] for row in rows]}
    plots.curves(out, "first-variation-figure-6", [row[0] for row in rows], curves, "clusters", "gain in Q, %")


def _gains(task: data.Rows, k: int, seed: int) -> list[float]:
    start = np.random.default_rng(seed).permutation(np.arange(len(task.y)) % k)
    labels, base, _ = refine(task.X, start, k, local_search=None)
    ends = [
        refine(task.X, labels, k, local_search=how, chain_length=20, rng=np.random.default_rng(seed))[1]
        for how in ("chains", "ping-pong")
    ]
    return [base, *(100 * (end / base - 1) for end in ends)]


def auto_k(out: Path | None) -> None:
    rows = []
    for name, task in _tasks().items():
        found = [SphericalKMeans("auto", local_search="sweep", random_state=s).fit(task.X) for s in range(3)]
        at_people = SphericalKMeans(task.k, local_search="sweep", random_state=0).fit(task.X)
        ks = " ".join(str(model.n_clusters_) for model in found)
        rows.append([name, task.k, ks, nmi(task.y, found[0].labels_), nmi(task.y, at_people.labels_)])
    show(["data", "k of people", "k found, three seeds", "NMI", "NMI at people's k"], rows, "The number of clusters")


def _tasks() -> dict[str, data.Rows]:
    found = {f"planted, {k}": planted(k, 100 * k) for k in (1, 3, 5, 12, 30)}
    found["20 Newsgroups"] = data.fixed_matrix()
    found["20 Newsgroups, four fields (16 groups)"] = data.news().rows()
    records = data.records(data.folder() / "classic4.jsonl.xz")
    for name, left_out in (("CLASSIC3", {"CACM"}), ("CLASSIC4", set())):
        kept = [r for r in records if r["label"] not in left_out]
        found[name] = data.Texts([r["text"] for r in kept], [r["label"] for r in kept], []).rows()
    found["Reuters, ten topics"] = _reuters()
    return found


def _reuters() -> data.Rows:
    records = [r for r in data.records(data.folder() / "reuters21578.jsonl.xz") if len(r["labels"]) == 1]
    names, counts = np.unique([r["labels"][0] for r in records], return_counts=True)
    top = set(names[np.argsort(-counts)[:10]])
    kept = [r for r in records if r["labels"][0] in top]
    return data.Texts([r["title"] + "\n" + r["text"] for r in kept], [r["labels"][0] for r in kept], []).rows()


def planted(k: int, n: int, d: int = 3000, share: float = 0.5) -> data.Rows:
    """Draw `n` rows of 80 words from `k` topics that share half of their weight with one background."""
    rng = np.random.default_rng(k)
    background, y = rng.dirichlet(np.full(d, 0.05)), rng.permutation(np.arange(n) % k)
    topics = [share * background + (1 - share) * rng.dirichlet(np.full(d, 0.02)) for _ in range(k)]
    X = np.log1p([rng.multinomial(80, topics[j]) for j in y])
    X *= np.log(n / np.maximum((X > 0).sum(axis=0), 1))
    return data.Rows(sp.csr_matrix(X / np.linalg.norm(X, axis=1, keepdims=True)), y)


def main(argv: list[str]) -> None:
    """Run one figure, or the paper's all."""
    from . import first_variation_speed as speed

    figures = {
        "example31": example31, "example32": example32, "classic3": classic3, "chain": chain,
        "gain-over-k": gain_over_k, "auto-k": auto_k, "speed": speed.speed, "quality": speed.quality,
        "synthetic": speed.synthetic, "max-margin-start": speed.max_margin_start,
    }  # fmt: skip
    parser = argparse.ArgumentParser(prog="first-variation", description=__doc__.split("\n")[0])
    parser.add_argument("figure", choices=figures)
    parser.add_argument("--out", type=Path, default=None, help="folder for the drawn figures")
    chosen = parser.parse_args(argv)
    figures[chosen.figure](chosen.out)
