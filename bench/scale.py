"""Collections larger than memory: made on the fly, streamed into shards, and passed over.

make N FILE     JSON lines of N documents of 30 words from a topic model of 20 Newsgroups (100 topics), seeded
rows FILE DIR   text to shards on the disk, in two passes: seconds and peak memory of each
passes DIR      a pass over the shards in the page cache, against the same rows in memory
run FILE        `outgroup cluster FILE --memory` in a process of its own: seconds of each step, memory, disk
quality [FILE]  fits from shards against fits in memory: Q, J and the groups' agreement; without a file 20 Newsgroups
cost DIR [DIR]  processor time of a pass by groups, the cost model of docs/scale.md, and how far it is off elsewhere
pruned          directions of which the largest entries alone are kept: what that costs in Q, on 20 Newsgroups
device          passes and fits on a graphics card, against this processor
deaths DIR      kills of workers and of the scheduler while a folder of parts is clustered: seconds lost, same bytes
workers DIR     a pass on a scheduler and two single-threaded workers, against one in this process on two threads
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from time import perf_counter, process_time, sleep
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

from outgroup import MaxMarginClustering, SphericalKMeans, Vectorizer
from outgroup.rows import OneHot, as_rows, cluster_sums, highest, threads
from outgroup.rows.dask import disk_rows
from outgroup.rows.disk import DiskRows
from outgroup.rows.rules import Members
from outgroup.rows.shards import ShardWriter
from outgroup.text.reading.blocks import read_blocks
from outgroup.text.reading.fields import Fields
from outgroup.text.seen import Seen

from . import data
from .scale_deaths import deaths
from .scale_device import device
from .tables import show
from .timing import interleaved, once, own_peak

TOPICS, LENGTH, BLOCK = 100, 30, 50_000


@dataclass(frozen=True)
class TopicModel:
    """Words, and for each topic the cumulated chances of its words and, last, those of any text."""

    words: list[str]
    cumulated: np.ndarray

    def documents(self, n: int, seed: int = 0) -> Iterator[tuple[int, str]]:
        """Yield the topic and the text of each of n documents; two words of three are the topic's."""
        for start in range(0, n, BLOCK):
            rng = np.random.default_rng((seed, start))
            yield from self._block(min(BLOCK, n - start), rng)

    def _block(self, n: int, rng: np.random.Generator) -> Iterator[tuple[int, str]]:
        topic = rng.integers(TOPICS, size=n)
        source = np.where(rng.random((n, LENGTH)) < 2 / 3, topic[:, None], TOPICS)
        draw, chosen = rng.random((n, LENGTH)), np.empty((n, LENGTH), dtype=np.int64)
        for each in range(TOPICS + 1):
            mine = source == each
            chosen[mine] = np.searchsorted(self.cumulated[each], draw[mine])
        word = self.words.__getitem__
        for number, row in zip(topic.tolist(), chosen.tolist(), strict=True):
            yield number, " ".join(map(word, row))


def topic_model() -> TopicModel:
    """Learn the topics from the shared text, seeded."""
    texts = data.news().texts
    vectorizer = Vectorizer(max_features=None)
    X = vectorizer.fit_transform(texts)
    labels = SphericalKMeans(TOPICS, random_state=0).fit(X[np.diff(X.indptr) > 0]).labels_
    kept = X[np.diff(X.indptr) > 0]
    member = sp.csr_matrix((np.ones(len(labels)), (labels, np.arange(len(labels)))), shape=(TOPICS, len(labels)))
    weight = np.vstack([(member @ kept).toarray(), np.asarray(kept.sum(axis=0))])
    cumulated = np.cumsum(weight, axis=1)
    return TopicModel(vectorizer.get_feature_names_out().tolist(), cumulated / cumulated[:, -1:] * (1 - 1e-12))


def make(n: int, path: Path) -> None:
    model = topic_model()
    with path.open("w", encoding="utf-8") as file:
        for number, (topic, text) in enumerate(model.documents(n)):
            file.write(f'{{"id": "d{number}", "label": "{topic}", "text": "{text}"}}\n')
    print(f"{n:,} documents, {path.stat().st_size / 1e6:,.0f} MB")


def texts(path: Path) -> Iterator[list[str]]:
    """Yield the texts in blocks."""
    with path.open(encoding="utf-8") as file:
        while lines := list(islice(file, BLOCK)):
            yield [json.loads(line)["text"] for line in lines]


def rows(path: Path, folder: Path) -> None:
    vectorizer = Vectorizer()
    table = [["vocabulary", once(lambda: vectorizer.fit_blocks(texts(path))), own_peak()]]

    def write() -> None:
        writer = ShardWriter(folder, len(vectorizer.vocabulary_))
        for block in texts(path):
            X = vectorizer.transform(block)
            writer.append(X[np.diff(X.indptr) > 0])
        writer.close()

    table.append(["shards", once(write), own_peak()])
    size = sum(file.stat().st_size for file in folder.iterdir()) / 1e6
    show(["pass", "seconds", "peak MB"], [[name, f"{s:.1f}", f"{mb:.0f}"] for name, s, mb in table])
    print(f"{DiskRows(folder).shape[0]:,} rows, {size:,.0f} MB")


def passes(folder: Path, k: int) -> None:
    disk = DiskRows(folder)
    memory = as_rows(disk.sample(np.arange(disk.shape[0])))
    rng = np.random.default_rng(0)
    W, labels = rng.normal(size=(k, disk.shape[1])), rng.integers(0, k, disk.shape[0]).astype(np.int32)
    for name in ("nearest", "sums", "dense"):
        every = {"disk": partial(_pass, disk, name, W, labels), "memory": partial(_pass, memory, name, W, labels)}
        seconds = interleaved(every)
        print(f"{name}: {seconds['disk']:.2f} s from shards, {seconds['disk'] / seconds['memory']:.2f} times memory")


def _pass(on: Any, name: str, W: np.ndarray, labels: np.ndarray) -> Any:
    k = len(W)
    if name == "sums":
        return on.fold(None, lambda _, y: (OneHot(y, k), 0.0), labels)
    if name == "dense":
        return on.fold(W, dense)
    return on.fold(W, lambda scores: (OneHot(scores.argmax(axis=1).astype(np.int32), k), 0.0))


def run(path: Path, k: int, method: str, memory: str) -> None:
    """Print what one run of the command line takes; the highest use of the disk is looked at twice a second."""
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        out = Path(folder, "out")
        command = [sys.executable, "-m", "outgroup", "cluster", str(path), "-k", str(k), "--method", method]
        begin, disk = perf_counter(), 0
        process = subprocess.Popen([*command, "--memory", memory, "--out", str(out), "--quiet"])
        while process.poll() is None:
            disk = max(disk, _size(Path(folder)))
            sleep(0.5)
        used, seconds = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter() - begin
        record = json.loads((out / "run.json").read_bytes())
    show(["step", "seconds"], [[name, f"{took:.1f}"] for name, took in record["timings"].items()])
    n, peak = record["documents"], record["stream"]["memory_peak"] / 1e6
    print(
        f"{n:,} documents, {method}, k = {k}: {seconds:.0f} s, {used.ru_utime + used.ru_stime:.0f} s of processor time"
    )
    print(f"{peak:,.0f} MB at most in the first process, {disk / 1e6:,.0f} MB of disk at most")


def _size(folder: Path) -> int:
    found = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                found += os.stat(os.path.join(place, name)).st_size
    return found


def quality(path: Path | None, k: int, draws: int) -> None:
    """Compare fits from shards, which start from a sample, with fits in memory."""
    documents = data.news().texts if path is None else [text for block in texts(path) for text in block]
    X = Vectorizer().fit_transform(documents)
    X = X[np.flatnonzero(np.diff(X.indptr))]
    with tempfile.TemporaryDirectory() as folder:
        writer = ShardWriter(Path(folder, "rows"), X.shape[1])
        writer.append(X)
        disk, table, found = DiskRows(writer.close()), [], []
        for seed in range(draws):
            for make in (SphericalKMeans, partial(MaxMarginClustering, n_init=1, off_topic_rate=None)):
                memory, other = make(k, random_state=seed).fit(X), make(k, random_state=seed)
                if hasattr(memory, "C_"):  # J of another C is another objective
                    other.set_params(C=memory.C_)
                shards = other.fit(disk)
                table.append(_compared(memory, shards, seed))
                found.append((type(memory).__name__, memory.objective_, shards.objective_))
    show(["fit", "draw", "in memory", "from shards", "difference", "ARI"], table)
    if draws > 1:
        for name in dict.fromkeys(name for name, *_ in found):
            _tell_of_draws(name, np.array([values for each, *values in found if each == name]))


def _tell_of_draws(name: str, found: np.ndarray) -> None:
    """Print the means over draws, since one draw differs from the next by more than shards from memory."""
    (memory, shards), apart = found.mean(axis=0), found.std(axis=0, ddof=1)
    error = 100 * float(np.sqrt((apart**2).sum() / len(found))) / memory
    spread = ", ".join(f"{100 * each / mean:.2f} %" for each, mean in zip(apart, (memory, shards), strict=True))
    print(
        f"{name}: from shards {100 * (shards / memory - 1):+.2f} % in the mean of {len(found)} draws, with a standard "
        f"error of {error:.2f}; the draws' standard deviation is {spread}"
    )


def _compared(memory: Any, shards: Any, seed: int) -> list[str]:
    ratio = 100 * (shards.objective_ / memory.objective_ - 1)
    return [
        type(memory).__name__, str(seed), f"{memory.objective_:.5g}", f"{shards.objective_:.5g}", f"{ratio:+.2f} %",
        f"{adjusted_rand_score(memory.labels_, shards.labels_):.3f}",
    ]  # fmt: skip


def pruned(k: int) -> None:
    """Take batch steps from a fit with directions cut to their largest entries, and compare Q."""
    X = Vectorizer().fit_transform(data.news().texts[:5000])
    rows = as_rows(X[np.flatnonzero(np.diff(X.indptr))])
    whole, table = SphericalKMeans(k, random_state=0).fit(rows.local()), []
    for most in (1024, 256, 64):
        labels = whole.labels_
        for _ in range(5):
            sums = cluster_sums(rows, labels, k)
            least = np.partition(sums, -most, axis=1)[:, -most, None]
            directions = np.where(sums >= least, sums, 0.0)
            labels = highest(rows, directions / np.maximum(np.linalg.norm(directions, axis=1, keepdims=True), 1e-30))
        Q = float(np.linalg.norm(cluster_sums(rows, labels, k), axis=1).sum())
        same = adjusted_rand_score(whole.labels_, labels)
        table.append(
            [str(most), f"{100 * (Q / whole.objective_ - 1):+.2f} %", f"{same:.3f}", f"{12 * most * k / 1e6:.2f}"]
        )
    table.append(["all", "", "", f"{8 * rows.shape[1] * k / 1e6:.2f}"])
    show(["entries kept", "Q", "ARI", "MB of directions"], table)


def workers(folder: Path, k: int) -> None:
    """Time the passes of a fit on two single-threaded workers and on two threads of this process."""
    from distributed import Client, LocalCluster

    disk, rng = DiskRows(folder), np.random.default_rng(0)
    W, labels = rng.normal(size=(k, disk.shape[1])), rng.integers(0, k, disk.shape[0]).astype(np.int32)
    with (
        threads(2),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        client.run(os.environ.update, {"OUTGROUP_THREADS": "1"})
        on = disk_rows(client, str(folder))
        for name, rule, each in (("nearest", Nearest(k), ()), ("sums", Members(k), (labels,)), ("dense", dense, ())):
            directions = None if name == "sums" else W
            every = {
                "workers": partial(on.fold, directions, rule, *each),
                "here": partial(disk.fold, directions, rule, *each),
            }
            seconds = interleaved(every)
            ratio = seconds["workers"] / seconds["here"]
            print(f"{name}: {seconds['workers']:.2f} s on two workers, {ratio:.2f} times here")


_FITTED, _CHECKED = (10, 200), (50, 100)


def cost(folders: list[Path], file: Path | None) -> None:
    """Fit seconds = entries (a k + b) to the first folder at two k, and compare with others and with other folders."""
    constants, table = {}, []
    for folder in folders:
        disk = DiskRows(folder)
        entries = sum(shard["entries"] for shard in disk._shards)
        for name in ("nearest", "sums", "dense"):
            took = {k: _processor(disk, name, k) / entries for k in (*_FITTED, *_CHECKED)}
            low, high = _FITTED
            if name not in constants:
                a = (took[high] - took[low]) / (high - low)
                constants[name] = (a, took[low] - a * low)
            a, b = constants[name]
            off = {k: 100 * ((a * k + b) / took[k] - 1) for k in _CHECKED}
            said = [f"{took[k] * 1e9:.1f}" for k in (*_FITTED, *_CHECKED)]
            table.append(
                [folder.name, name, *said, f"{a * 1e9:.3f}", f"{b * 1e9:.2f}", *(f"{off[k]:+.0f} %" for k in off)]
            )
    head = [f"k = {k}" for k in (*_FITTED, *_CHECKED)]
    show(["rows", "pass", *head, "a", "b", *(f"model at {k}" for k in _CHECKED)], table)
    print("nanoseconds of one thread for an entry")
    if file is not None:
        _cost_of_texts(file)


def _cost_of_texts(file: Path) -> None:
    """Print the processor time of reading and of counting the words of a document."""
    vectorizer, seen, begin = Vectorizer(), Seen(), process_time()
    blocks = list(islice(read_blocks(file, Fields()), 5))
    read, n = process_time() - begin, sum(len(block.documents) for block in blocks)
    for block in blocks:
        seen.add(*vectorizer.count([document.whole for document in block.documents]))
    counted = process_time() - begin - read
    print(f"{1e6 * read / n:.0f} microseconds to read a document, {1e6 * counted / n:.0f} to count its words")


def _processor(disk: DiskRows, name: str, k: int) -> float:
    """Return the processor time of a pass on one thread, the least of three: others on the machine only add to it."""
    rng = np.random.default_rng(0)
    W, labels = rng.normal(size=(k, disk.shape[1])), rng.integers(0, k, disk.shape[0]).astype(np.int32)
    found = []
    with threads(1):
        for _ in range(3):
            begin = process_time()
            _pass(disk, name, W, labels)
            found.append(process_time() - begin)
    return min(found)


@dataclass(frozen=True)
class Nearest:
    """Fold each row into the group of its highest score."""

    k: int

    def __call__(self, scores: Any) -> tuple[OneHot, float]:
        return OneHot(scores.argmax(axis=1).astype(np.int32), self.k), 0.0


def dense(scores: Any) -> tuple[Any, float]:
    """Fold each row with all of its scores."""
    return scores, 0.0


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench scale", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    what = parser.add_subparsers(dest="what", required=True)
    made = what.add_parser("make")
    made.add_argument("n", type=int)
    made.add_argument("file", type=Path)
    read = what.add_parser("rows")
    read.add_argument("file", type=Path)
    read.add_argument("folder", type=Path)
    passed = what.add_parser("passes")
    passed.add_argument("folder", type=Path)
    passed.add_argument("-k", type=int, default=100)
    ran = what.add_parser("run")
    ran.add_argument("file", type=Path)
    ran.add_argument("--method", default="max-margin")
    ran.add_argument("--memory", default="4G")
    compared = what.add_parser("quality")
    compared.add_argument("file", type=Path, nargs="?")
    compared.add_argument("--draws", type=int, default=3)
    priced = what.add_parser("cost")
    priced.add_argument("folders", type=Path, nargs="+")
    priced.add_argument("--texts", type=Path)
    cut = what.add_parser("pruned")
    remote = what.add_parser("workers")
    remote.add_argument("folder", type=Path)
    killed = what.add_parser("deaths")
    killed.add_argument("parts", type=Path)
    card = what.add_parser("device")
    card.add_argument("--device", default="cuda")
    card.add_argument("--share", type=float, default=1.0, help="of the rows of the generated collections")
    for each, k in ((ran, 100), (compared, 20), (remote, 100), (cut, 50), (killed, 20)):
        each.add_argument("-k", type=int, default=k)
    given = parser.parse_args(argv)
    if given.what == "make":
        make(given.n, given.file)
    elif given.what == "rows":
        rows(given.file, given.folder)
    elif given.what == "passes":
        passes(given.folder, given.k)
    elif given.what == "run":
        run(given.file, given.k, given.method, given.memory)
    elif given.what == "cost":
        cost(given.folders, given.texts)
    elif given.what == "pruned":
        pruned(given.k)
    elif given.what == "quality":
        quality(given.file, given.k, given.draws)
    elif given.what == "deaths":
        deaths(given.parts, given.k)
    elif given.what == "device":
        device(given.device, given.share)
    else:
        workers(given.folder, given.k)
