"""Measurements beside the first-variation paper's tables: `python -m bench first-variation NAME [--out FOLDER]`.

    climbs       the climbs of example 3.2 and of 30, 150 and 300 abstracts of CLASSIC3 (figures 1 to 4)
    chain        one chain of 30 moves (figure 5)
    auto-k       the number of clusters the data choose
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

from bench import data, plots
from bench.data.first_variation import abstracts, five_classes
from bench.methods.first_variation import partition
from bench.tables import show
from outgroup import SphericalKMeans
from outgroup.metrics import nmi
from outgroup.solve.local_search import Schedule, open_search, refine


def climbs(out: Path | None) -> None:
    """Draw the climbs of figures 1 to 4; print the groups of the abstracts before and after."""
    example = five_classes("table-1")
    start = partition(example, 0, 5)
    _, _, trace = refine(example.X, start, 5, Schedule("first-variation"), np.random.default_rng(0))
    _draw_climb(out, "first-variation-figure-1", example.X, start, 5, trace)
    for figure, each in ((2, 10), (3, 50), (4, 100)):
        _climb_of_abstracts(out, f"first-variation-figure-{figure}", abstracts(each, seed=0), each)


def _climb_of_abstracts(out: Path | None, name: str, task: data.Rows, each: int) -> None:
    start = _thirds(each, each)
    rows = [["start", *_quality(task, start, 0)]]
    for line, how, f in (("batch", None, 1), ("f = 1", "chains", 1), ("f = 30", "chains", 30)):
        labels, _, trace = refine(task.X, start, 3, Schedule(how, chain_length=f), np.random.default_rng(0))
        rows.append([line, *_quality(task, labels, sum(step["moved"] for step in trace))])
        if line == "f = 1":
            _draw_climb(out, name, task.X, start, 3, trace)
    show(["", "Q", "NMI", "rows moved", "confusion (clusters by classes)"], rows,
         f"{3 * each} abstracts of CLASSIC3, {task.X.shape[1]} words")  # fmt: skip
    still = sum(open_search(task.X, _thirds(each, seed), 3).batch() == 0 for seed in range(1000))
    print(f"batch steps leave {still} of 1,000 random partitions unmoved")


def _thirds(each: int, seed: int) -> np.ndarray:
    """Return a random partition of 3 x `each` rows into clusters of one size."""
    return np.random.default_rng(seed).permutation(np.arange(3 * each) % 3)


def _draw_climb(out: Path | None, name: str, X: Any, start: np.ndarray, k: int, trace: list[dict[str, Any]]) -> None:
    """Percentage increase of Q over the steps that moved something, first-variation moves apart from batch steps."""
    base = open_search(X, start, k).objective
    steps = [step for step in trace if step["moved"]]
    plots.climb(out, name, [100 * (s["objective"] / base - 1) for s in steps], [s["kind"] for s in steps])


def _quality(task: data.Rows, labels: np.ndarray, moved: int) -> list[Any]:
    confusion = np.zeros((3, 3), dtype=int)
    np.add.at(confusion, (labels, task.y), 1)
    order = confusion.argmax(axis=0) if len(set(confusion.argmax(axis=0))) == 3 else np.arange(3)
    return [open_search(task.X, labels, 3).objective, nmi(task.y, labels), moved, confusion[order].tolist()]


def chain(out: Path | None) -> None:
    """Find 300 abstracts (TF) where first variation is stuck and one chain of 30 moves first loses, then wins."""
    for seed in range(200):
        task = abstracts(100, seed=seed % 10, idf=False)
        start = _thirds(100, 1000 + seed)
        labels, before, _ = refine(task.X, start, 3, Schedule("first-variation", tol=0.0), np.random.default_rng(0))
        search = open_search(task.X, labels, 3)
        totals, kept = search.chain(30)
        if kept < 3 or totals[:kept].min() > -0.02:
            continue
        after, end, _ = refine(task.X, search.labels, 3, Schedule("chains", chain_length=30), np.random.default_rng(0))
        print(f"start {seed}: falls to {totals[:kept].min():+.4f}, best after {kept} moves: {totals[kept - 1]:+.4f}")
        rows = [["stuck at f = 1", *_quality(task, labels, 0)], ["end, f = 30", *_quality(task, after, 0)]]
        show(["", "Q", "NMI", "", "confusion"], rows, f"The chain of 30 moves, Q {before:.4f} -> {end:.4f}")
        change = {"one chain of 30 moves": (100 * totals / before).tolist()}
        plots.curves(out, "first-variation-figure-5", list(range(1, len(totals) + 1)), change, "move", "change of Q, %")
        return
    print("no such chain in 200 starts")


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
    """Run one measurement."""
    from bench.studies import first_variation_speed as speed

    figures = {
        "climbs": climbs, "chain": chain, "auto-k": auto_k, "speed": speed.speed, "quality": speed.quality,
        "synthetic": speed.synthetic, "max-margin-start": speed.max_margin_start,
    }  # fmt: skip
    parser = argparse.ArgumentParser(prog="first-variation", description=__doc__.split("\n")[0])
    parser.add_argument("figure", choices=figures)
    parser.add_argument("--out", type=Path, default=None, help="folder for the drawn figures")
    chosen = parser.parse_args(argv)
    figures[chosen.figure](chosen.out)
