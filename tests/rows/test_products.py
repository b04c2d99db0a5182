"""Who does the products, how it is said, and that the native kernels refuse what would lead them astray."""

import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

from outgroup._native import by_scipy, products

KERNELS = products.kernels()


needs_native = pytest.mark.skipif(KERNELS is None, reason="no native kernels here")


def said_by(code, **environment):
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=True)
    return done.stdout.strip(), done.stderr.strip()


def test_without_kernels_one_log_line_says_so():
    code = """
import sys
sys.modules["outgroup._native.by_kernels"] = None  # as if it had not been built
import outgroup._native, outgroup.rows
print(outgroup._native.products.describe())
print(outgroup.rows.as_rows([[1.0, 2.0]]).correlate([3.0, 4.0]))
"""
    out, err = said_by(code, OUTGROUP_NATIVE="")
    assert out.splitlines() == ["SciPy (installed without kernels: up to twenty times slower)", "[11.]"]
    assert err.count("\n") == 0
    assert "SciPy is used" in err


@pytest.fixture
def by_kernels():
    return pytest.importorskip("outgroup._native.by_kernels", reason="no native kernels here")


def with_each_instruction_set(ask):
    """Return what `ask` returns with each instruction set that this processor has."""
    best, found = KERNELS.level(), []
    try:
        for level in KERNELS.InstructionSet:
            if level <= best:
                KERNELS.use_level(level)
                found.append(ask())
    finally:
        KERNELS.use_level(best)
    return found


@needs_native
@pytest.mark.parametrize(
    ("start", "stop", "width", "columns"), [(0, 4, 16, 2), (2, 1, 16, 2), (-1, 1, 16, 2), (0, 3, 2, 2), (0, 3, 16, 17)]
)
def test_kernels_refuse_spans_and_shapes_that_do_not_fit(start, stop, width, columns):
    X = sp.csr_matrix(np.eye(3, dtype=np.float32))
    with pytest.raises(ValueError, match=r"span|shape|cache lines"):
        KERNELS.scores(X, np.zeros((3, width), np.float32), columns, slice(start, stop), None)


@needs_native
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("m", "k"), [(1, 1), (50, 3), (41, 100), (0, 4)])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_instruction_set_makes_the_same_coefficients(by_kernels, dtype, m, k, weighted):
    """To the last bit, and what they add up to, in the order of the rows."""
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(m, k)).round(1).astype(dtype)  # differences of exactly 1 among them
    scores[1:2, 0] = np.nan
    own, weights = rng.integers(0, k, m), rng.random(m) if weighted else None
    expected = by_scipy.hinges(scores, own, weights)
    sums = by_scipy.column_sums(expected)
    for found in with_each_instruction_set(lambda: by_kernels.hinges(scores, own, weights)):
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, expected)
    for found in with_each_instruction_set(lambda: by_kernels.column_sums(expected)):
        np.testing.assert_array_equal(found, sums)


def test_coefficients_worked_by_hand():
    """A rival within 1 of the row's own score counts, at exactly 1, too; the row's own has as many as it has rivals."""
    scores = np.array([[3.0, 2.0, 1.9], [0.0, 9.0, -1.5]])
    expected = [[2.0, -2.0, 0.0], [3.0, -3.0, 0.0]]
    np.testing.assert_array_equal(products.current().hinges(scores, np.array([0, 0]), np.array([2.0, 3.0])), expected)


@needs_native
@pytest.mark.parametrize(("m", "n", "count"), [(1, 1, 1), (30, 200, 15), (4, 64, 64), (3, 65, 7), (0, 9, 2)])
def test_every_instruction_set_finds_the_same_highest_numbers(by_kernels, m, n, count):
    values = np.random.default_rng(1).normal(size=(m, n)).round(1).astype(np.float32)  # many are equal
    values[1:2] = -1
    expected = by_scipy.highest(values, count)
    for found in with_each_instruction_set(lambda: by_kernels.highest(values, count)):
        for a, b in zip(found, expected, strict=True):
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a, b)


@needs_native
def test_every_instruction_set_gives_the_same_gradient_of_tsne(by_kernels):
    """To the last bit, and SciPy's to rounding."""
    rng = np.random.default_rng(2)
    graph = sp.random(75, 75, 0.1, format="csr", random_state=rng)
    given = graph.indptr, graph.indices, rng.normal(0, 3, (2, 75)).astype(np.float32), 0.01
    found = with_each_instruction_set(lambda: by_kernels.tsne_slope(*given))
    assert all(np.array_equal(each, found[0]) for each in found)
    np.testing.assert_allclose(found[0], by_scipy.tsne_slope(*given), atol=1e-6)


def test_a_gradient_of_tsne_worked_by_hand():
    """Points 2 apart: q = 1 / 5, Z = 2 / 5, so 4 (pull q - q / 2) (point - other)."""
    places = np.array([[0.0, 2.0], [0.0, 0.0]], dtype=np.float32)
    indptr, indices = np.array([0, 1, 2], dtype=np.int32), np.array([1, 0], dtype=np.int32)
    slope = products.current().tsne_slope(indptr, indices, places, 3.0)
    np.testing.assert_allclose(slope, [[-4.0, 4.0], [0.0, 0.0]], rtol=1e-6)


@needs_native
@pytest.mark.parametrize("own", [[0, 3], [-1, 0], [0]])
def test_coefficients_of_a_column_that_is_none_are_refused(own):
    with pytest.raises(ValueError, match=r"column is out of range|and columns differ"):
        products.current().hinges(np.zeros((2, 3)), np.array(own), None)
