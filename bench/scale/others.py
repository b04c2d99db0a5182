"""What users would otherwise take for spherical k-means of many documents: dask-ml's KMeans and Spark's MLlib.

Each runs in a process of its own on two cores, and says so where it is not installed. All are given the same rows; Q is
the sum of the lengths of the groups' sums, which spherical k-means makes as large as it can.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import islice, pairwise
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

import numpy as np
import psutil
from sklearn.datasets import dump_svmlight_file

from bench.tables import show
from outgroup import SphericalKMeans, Vectorizer
from outgroup.rows import as_rows, cluster_sums, threads
from outgroup.rows.connect import connected
from outgroup.rows.dask import disk_rows
from outgroup.rows.mapped import read_rows, write_rows

from .documents import texts

_DENSE = 2e9  # bytes of dense rows that are tried


def from_files(folder: Path, k: int) -> Any:
    with threads(2):
        return SphericalKMeans(k, random_state=0).fit(read_rows(folder)).labels_


def two_workers(folder: Path, k: int) -> Any:
    with connected("local:2") as client:
        return SphericalKMeans(k, random_state=0).fit(disk_rows(client, str(folder))).labels_


def dask_ml_sparse(folder: Path, k: int) -> Any:
    return _dask_ml(folder, k, lambda X: X)


def dask_ml_dense(folder: Path, k: int) -> Any:
    n, d = read_rows(folder).shape
    if 8 * n * d > _DENSE:
        raise MemoryError(f"dense rows take {8e-9 * n * d:.0f} GB")
    return _dask_ml(folder, k, lambda X: X.toarray())


def _dask_ml(folder: Path, k: int, form: Callable[[Any], Any]) -> Any:
    import dask.array as da
    from dask_ml.cluster import KMeans
    from distributed import Client

    rows = read_rows(folder)
    cuts = np.linspace(0, rows.shape[0], 5).astype(int)
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None):
        parts = [form(rows.sample(np.arange(a, b))) for a, b in pairwise(cuts)]
        X = da.concatenate([da.from_array(part, chunks=part.shape, asarray=False) for part in parts])
        return np.asarray(KMeans(k, random_state=0).fit(X).labels_)


def spark(folder: Path, k: int) -> Any:
    from pyspark.ml.clustering import KMeans
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[2]").config("spark.driver.memory", "8g").getOrCreate()
    frame = session.read.format("libsvm").option("numFeatures", read_rows(folder).shape[1]).load(f"{folder}.svm")
    model = KMeans(k=k, seed=0, distanceMeasure="cosine", maxIter=50).fit(frame.cache())
    return np.array([row.prediction for row in model.transform(frame).select("prediction").collect()])


TOOLS: dict[str, Callable[[Path, int], Any]] = {
    "Outgroup, rows in files": from_files,
    "Outgroup, two workers": two_workers,
    "dask-ml KMeans, sparse rows": dask_ml_sparse,
    "dask-ml KMeans, dense rows": dask_ml_dense,
    "Spark MLlib KMeans, cosine": spark,
}


def others(file: Path, n: int, k: int, only: str | None, max_features: int) -> None:
    """Print seconds, memory and Q of each, or (`only`) run one on rows that are there."""
    if only is not None:
        print(json.dumps(_told(TOOLS[only], file, k)))
        return
    with tempfile.TemporaryDirectory() as place:
        folder = _rows(islice(_each(file), n), Path(place, "rows"), max_features)
        table = [[name, *_run(name, folder, k)] for name in TOOLS]
    show(["", "seconds of the fit", "Q", "peak MB", ""], table)


def _each(file: Path) -> Iterator[str]:
    for block in texts(file):
        yield from block


def _rows(documents: Iterator[str], folder: Path, max_features: int) -> Path:
    """Write the rows in files, and as the lines that Spark reads."""
    X = Vectorizer(max_features=max_features).fit_transform(list(documents))
    X = X[np.flatnonzero(np.diff(X.indptr))]
    write_rows(folder, (X[part] for part in np.array_split(np.arange(X.shape[0]), 4)))
    dump_svmlight_file(X, np.zeros(X.shape[0]), f"{folder}.svm", zero_based=False)
    return folder


def _told(tool: Callable[[Path, int], Any], folder: Path, k: int) -> dict[str, Any]:
    begin = perf_counter()
    try:
        labels = tool(folder, k)
    except Exception as error:  # what it is that a tool refuses is what is asked
        return {"said": f"{type(error).__name__}: {str(error).splitlines()[0][:90]}"}
    seconds, rows = perf_counter() - begin, read_rows(folder)
    X = as_rows(rows.sample(np.arange(rows.shape[0])))
    sums = cluster_sums(X, np.asarray(labels, dtype=np.int32), k)
    return {"seconds": seconds, "Q": float(np.linalg.norm(sums, axis=1).sum())}


def _run(name: str, folder: Path, k: int) -> list[str]:
    command = [sys.executable, "-m", "bench", "scale", "others", str(folder), "--only", name, "-k", str(k)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    peak = 0
    while process.poll() is None:
        peak = max(peak, _memory(psutil.Process(process.pid)))
        sleep(0.2)
    lines = process.stdout.read().splitlines() if process.stdout else []
    found = json.loads(lines[-1]) if lines else {"said": "it ended without a word"}
    if "said" in found:
        return ["", "", f"{peak / 1e6:,.0f}", found["said"]]
    return [f"{found['seconds']:.1f}", f"{found['Q']:,.0f}", f"{peak / 1e6:,.0f}", ""]


def _memory(process: psutil.Process) -> int:
    """Return the bytes that a process and those that it began hold."""
    found = 0
    try:
        for each in [process, *process.children(recursive=True)]:
            found += each.memory_info().rss
    except psutil.NoSuchProcess:
        pass
    return found
