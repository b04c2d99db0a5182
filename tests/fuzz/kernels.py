"""The kernels under an address sanitizer: random sizes, empty rows, extreme k, both widths of values and of indices.

Every call is checked against SciPy; the sanitizer ends the process at the first byte that is not the kernels' own, and
at undefined behaviour. `python -m tests.fuzz.kernels SECONDS` builds the library and starts a second Python on it.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "outgroup" / "_native" / "library.cpp"
FLAGS = [
    "-std=c++17",
    "-O1",
    "-g",
    "-fno-omit-frame-pointer",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
]


def main(seconds: float) -> int:
    """Build the library with the sanitizers and fuzz it; return the exit code, 0 where g++ is missing."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "kernels.so"
        try:
            build = ["g++", *FLAGS, "-ffp-contract=off", "-shared", "-fPIC", str(SOURCE), "-o", str(library)]
            subprocess.run(build, check=True)
            asan = subprocess.run(["g++", "-print-file-name=libasan.so"], check=True, capture_output=True, text=True)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"no address sanitizer here ({error}): the kernels are not fuzzed")
            return 0
        options = {"LD_PRELOAD": asan.stdout.strip(), "ASAN_OPTIONS": "detect_leaks=0", "OUTGROUP_NATIVE": "1"}
        seed = str(int.from_bytes(os.urandom(4), "big"))
        child = [sys.executable, "-m", "tests.fuzz.kernels", str(seconds), str(library), seed]
        return subprocess.run(child, cwd=ROOT, env={**os.environ, **options}, check=False).returncode


def fuzz(seconds: float, path: str, seed: int) -> None:
    """Draw cases until the time is up; an error names the seed and the number of the case."""
    from outgroup._native import by_kernels as loading

    loading._libraries = {loading.Level.BASELINE: ctypes.CDLL(path)}
    loading._level = loading.Level.BASELINE
    end, case = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        rng = np.random.default_rng([seed, case])
        try:
            products(rng, *matrix(rng))
            search(rng, *matrix(rng))
            neighbours(rng, matrix(rng)[0])
            plane(rng)
        except BaseException:
            print(f"kernels: seed {seed}, case {case}")
            raise
        case += 1
    print(f"kernels: {case} cases with the address sanitizer, seed {seed}")


def matrix(rng: Any) -> tuple[Any, float]:
    """Return random rows, many of them empty, and how near results must be."""
    n, d = int(rng.integers(1, 50)), int(rng.choice([1, 2, 15, 16, 17, 40]))
    dtype, index = rng.choice([np.float32, np.float64]), rng.choice([np.int32, np.int64])
    dense = rng.normal(size=(n, d)) * (rng.random((n, d)) < rng.choice([0.0, 0.1, 0.6, 1.0]))
    dense[rng.random(n) < 0.2] = 0
    X = sp.csr_matrix(np.abs(dense) if rng.random() < 0.5 else dense, dtype=dtype)
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    return X, 1e-3 if dtype == np.float32 else 1e-9


def products(rng: Any, X: Any, near: float) -> None:
    """Call every product on a random span, against SciPy."""
    from outgroup._native import by_kernels, by_scipy

    (n, d), columns = X.shape, int(rng.choice([1, 3, 8, 16, 17, 64, 70]))
    W = rng.normal(size=(columns, d)).astype(rng.choice([np.float32, np.float64]))
    start, stop = sorted(rng.integers(0, n + 1, 2).tolist())
    rows = np.sort(rng.choice(n, size=int(rng.integers(1, n + 1)), replace=False)) if rng.random() < 0.5 else None
    span = slice(start, stop) if rows is None else slice(0, len(rows))
    directions = by_kernels.empty_rows(d, columns, X.dtype)
    by_kernels.lay_out(W, slice(0, d), directions)
    scores = by_kernels.scores(X, directions, columns, span, rows)
    _same(scores, by_scipy.scores(X, W.T.astype(X.dtype), columns, span, rows), near * 10)
    _sums(rng, X, columns, near)


def _sums(rng: Any, X: Any, columns: int, near: float) -> None:
    from outgroup._native import by_kernels, by_scipy

    (n, d), members, weights = X.shape, rng.permutation(X.shape[0]), rng.normal(size=X.shape[0])
    edges = np.sort(np.concatenate([[0, n], rng.integers(0, n + 1, columns - 1)])).astype(np.int64)
    terms = X.T.tocsr()
    terms.indices, terms.indptr = terms.indices.astype(X.indices.dtype), terms.indptr.astype(X.indices.dtype)
    coefficients = by_kernels.empty_rows(n, columns, X.dtype)
    coefficients[:] = 0
    coefficients[:, :columns] = rng.normal(size=(n, columns))
    few = np.unique(rng.integers(0, d, 3))
    found, expected = (([np.zeros((columns, d)), np.zeros((columns, d)), np.zeros(n, X.dtype)]) for _ in range(2))
    for module, out, given in ((by_kernels, found, coefficients), (by_scipy, expected, coefficients[:, :columns])):
        module.add_members(X, edges, members, weights, slice(0, columns), out[0])
        module.add_terms(terms, given, slice(0, d), out[1])
        module.correlate(terms, few, rng.spawn(1)[0].normal(size=len(few)).astype(X.dtype) * 0 + 1, out[2])
    for one, other in zip(found, expected, strict=True):
        _same(one, other, near * 10)


def neighbours(rng: Any, X: Any) -> None:
    """Look for the nearest rows of each, in random spans, and for the highest numbers of dense rows."""
    from outgroup._native import by_kernels, by_scipy
    from outgroup.rows import neighbours as pairs
    from outgroup.rows import threads

    count, products = int(rng.integers(1, 20)), (X @ X.T).toarray().astype(np.float32)
    np.fill_diagonal(products, 0)
    for one, other in zip(by_kernels.highest(products, count), by_scipy.highest(products, count), strict=True):
        np.testing.assert_array_equal(one, other)
    pairs._SPARSE_AT_ONCE = int(rng.integers(1, 1000))
    with threads(int(rng.integers(1, 4))):
        found = pairs.nearest_pairs(X, count)[1]
    _same(found, by_scipy.highest(products, count)[1], 1e-3)


def plane(rng: Any) -> None:
    """Compute the gradient of t-SNE at random points, equal ones among them."""
    from outgroup._native import by_kernels, by_scipy

    m = int(rng.integers(1, 150))
    graph, places = sp.random(m, m, rng.random(), format="csr", random_state=rng), rng.normal(0, 9, (2, m)).round(1)
    given = graph.indptr, graph.indices, places.astype(np.float32), float(rng.random())
    _same(by_kernels.tsne_slope(*given), by_scipy.tsne_slope(*given), 1e-3)


def search(rng: Any, X: Any, near: float) -> None:
    """Climb from a random partition by random steps; Q must be that of the labels, and no cluster empty."""
    from outgroup._native import by_kernels

    n = X.shape[0]
    k = int(rng.choice([1, 2, n, int(rng.integers(1, n + 1))])) if n > 1 else 1
    labels = rng.permutation(np.arange(n) % k).astype(np.int32)
    found = by_kernels.LocalSearch(X, labels, k, int(rng.choice([1, k, 5 * k, 1 << 28])))
    for step in rng.integers(0, 4, 6):
        if step == 0:
            found.batch()
        elif step == 1:
            found.sweep(rng.permutation(n).astype(np.int32), 1e-6)
        elif step == 2:
            found.chain(int(rng.choice([0, 1, 10, 10**9])))
        else:
            found.gains(int(rng.integers(n)))
        sums = [np.linalg.norm(X[np.flatnonzero(found.labels == j)].astype(np.float64).sum(axis=0)) for j in range(k)]
        _same(np.array(found.objective), np.array(sum(sums)), near * 100)
        assert set(found.labels) == set(range(k)), "a cluster is empty"


def _same(found: Any, expected: Any, near: float) -> None:
    if not np.allclose(found, expected, atol=near * (1 + np.abs(expected).max(initial=0)), rtol=0):
        raise AssertionError(f"{found} is not {expected}")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        fuzz(float(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
    else:
        sys.exit(main(float(sys.argv[1])))
