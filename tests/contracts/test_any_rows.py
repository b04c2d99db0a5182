"""Every estimator, and the ways to make a Universum, on rows of any kind: the same answer, told how it was found.

One kind is strict about rules: it writes and reads each, as a cluster of machines would, and has its scores in a
library that knows the array API standard and nothing else.
"""

import pickle
from contextlib import nullcontext
from functools import cache
from importlib.util import find_spec

import array_api_strict as xp
import numpy as np
import pytest
import scipy.sparse as sp
from factories import CARD
from rows_examples import ListedRows, small_pieces, sqlite_rows

from outgroup import CPM3C, MaxMarginClustering, SeededKMeans, SphericalKMeans, universum
from outgroup.errors import InputError
from outgroup.metrics import adjusted_rand
from outgroup.rows import AveragedRows, OneHot, as_rows
from outgroup.rows.device import device_rows
from outgroup.solve import refinement

ELSEWHERE = xp.Device("device1")
MOST_BYTES = 2048  # of a rule, beside its per-row arguments


class StrictRows(ListedRows):
    """Every rule is written and read before it is used, and meets arrays of array_api_strict.

    That library refuses whatever the standard does not promise. The arrays lie on a device of theirs from which NumPy
    cannot read: nothing of a rule may be computed elsewhere.
    """

    def _results(self, W, rule, state, on):
        sent = pickle.dumps(rule)
        assert len(sent) < MOST_BYTES, f"{rule} takes {len(sent)} bytes"
        rule = pickle.loads(sent)

        def strict(scores, *state):
            given = None if scores is None else xp.asarray(scores, device=ELSEWHERE)
            return _numpy(rule(given, *(xp.asarray(values, device=ELSEWHERE) for values in state)))

        return super()._results(W, strict, state, on)


def _numpy(result):
    if isinstance(result, tuple):
        return tuple(_numpy(part) for part in result)
    if isinstance(result, OneHot):
        return OneHot(_numpy(result.columns), result.n_columns, _numpy(result.weights))
    if not hasattr(result, "__array_namespace__"):
        return result
    assert result.device == ELSEWHERE
    return np.asarray(xp.asarray(result, device=xp.Device("CPU_DEVICE")))


KINDS = {
    "dense": as_rows,
    "sparse": lambda D: as_rows(sp.csr_matrix(D)),
    "small pieces": lambda D: as_rows(sp.csr_matrix(D)),
    "third party": lambda D: ListedRows(D, 25),
    "SQLite": lambda D: sqlite_rows(D, 25),
    "strict": lambda D: StrictRows(D, 40),
    "averaged": lambda D: AveragedRows(as_rows(sp.csr_matrix(D)), as_rows(D)),
    "device": lambda D: device_rows(sp.csr_matrix(D), CARD, np.float64),
    "device, dense": lambda D: device_rows(D, CARD, np.float64),
}
FITS = {
    "margin": (lambda: MaxMarginClustering(3, n_init=3, gap=0.1, max_iter=3, random_state=0), {"universum"}),
    "margin, seeds": (lambda: MaxMarginClustering(3, gap=0.1, max_iter=3, off_topic_rate=None), {"universum", "seeds"}),
    "CPM3C": (lambda: CPM3C(3, n_init=3, random_state=0), set()),
    "spherical": (lambda: SphericalKMeans(3, random_state=0), set()),
    "spherical, batch": (lambda: SphericalKMeans(3, init="k-means++", local_search=None, random_state=0), set()),
    "spherical, auto": (lambda: SphericalKMeans("auto", random_state=0), set()),
    "spherical, as given": (lambda: SphericalKMeans(3, normalize=False, random_state=0), set()),
    "seeded": (lambda: SeededKMeans(3, random_state=0), {"seeds"}),
    "seeded, free": (lambda: SeededKMeans(6, random_state=0), {"seeds"}),
    "seeded, words": (lambda: SeededKMeans(3, random_state=0), {"word_seeds", "words"}),
}
no_torch = pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed: extra gpu")
every_kind = pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=no_torch) if kind.startswith("device") else kind for kind in KINDS]
)


def planted(n=60, d=36, seed=0):
    """Sparse unit rows of three groups, their groups, and rows that mix the words of all."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    X = (np.arange(d) % 3 == y[:, None]) * (rng.random((n, d)) < 0.4) * rng.random((n, d))
    X += 0.3 * (rng.random((n, d)) < 0.03) + 1e-3 * (np.arange(d) % 3 == y[:, None]) * (rng.random((n, d)) < 0.05)
    U = (rng.random((n // 3, d)) < 0.2) * rng.random((n // 3, d))
    return tuple(A / np.maximum(np.linalg.norm(A, axis=1, keepdims=True), 1e-9) for A in (X, U)), y


def arguments(wanted, make, D, U, y):
    words = np.zeros((3, D.shape[1]), dtype=bool)
    words[[0, 1, 2], [0, 1, 2]] = True
    given = {
        "universum": make(U),
        "seeds": np.where(np.arange(len(y)) < 9, y, -1),
        "word_seeds": words,
        "words": sp.csr_matrix(D),
    }
    return {name: value for name, value in given.items() if name in wanted}


def fitted(name, make, D, U, y):
    estimator, wanted = FITS[name]
    return estimator().fit(make(D), **arguments(wanted, make, D, U, y))


@cache
def in_memory(name):
    """What an estimator finds on the sparse matrix of the planted groups, which tests ask and do not change."""
    (D, U), y = planted()
    return fitted(name, sp.csr_matrix, D, U, y)


@every_kind
@pytest.mark.parametrize("name", FITS)
def test_an_estimator_answers_the_same_on_rows_of_any_kind(name, kind):
    (D, U), y = planted()
    expected = in_memory(name)
    with small_pieces(rows=20, entries=100) if kind == "small pieces" else nullcontext():
        X = KINDS[kind](D)
        found = fitted(name, KINDS[kind], D, U, y)
        labels, scores = found.predict(X), found.decision_function(X)
    assert found.n_features_in_ == D.shape[1]
    assert adjusted_rand(found.labels_, expected.labels_) == 1  # numbers may differ: the same split has two sides
    np.testing.assert_allclose(found.objective_, expected.objective_, rtol=1e-9)
    np.testing.assert_array_equal(labels, found.predict(D))
    np.testing.assert_allclose(scores, found.decision_function(D), atol=1e-12)
    assert scores.shape == (len(D), len(found.coef_))


@every_kind
def test_off_topic_scores_and_verdicts(kind):
    (_, U), _ = planted()
    groups = in_memory("margin")
    score = groups.off_topic_score(KINDS[kind](U))
    np.testing.assert_allclose(score, groups.off_topic_score(U), atol=1e-12)
    np.testing.assert_array_equal(groups.predict(KINDS[kind](U), off_topic=True), groups.predict(U, off_topic=True))


@every_kind
def test_ways_to_make_a_universum(kind):
    (D, U), _ = planted()
    X = KINDS[kind](D)
    noise = universum.random(X, 5, random_state=0)
    blends = universum.mean(X, 3, random_state=0)
    chosen = universum.select(X, KINDS[kind](U), 3, random_state=0)
    assert noise.shape == (5, D.shape[1])
    assert blends.shape == (3, D.shape[1])
    np.testing.assert_array_equal(chosen, universum.select(D, U, 3, random_state=0))
    dense = blends.toarray() if sp.issparse(blends) else blends
    np.testing.assert_allclose(np.sort(dense.sum(axis=1)), np.sort(universum.mean(D, 3, random_state=0).sum(axis=1)))


@pytest.mark.parametrize("name", ["spherical", "spherical, auto", "margin"])
def test_a_sample_of_rows_that_do_not_lie_in_memory_finds_the_groups(name, monkeypatch):
    monkeypatch.setattr(refinement, "MOST_SAMPLED", 200)
    (D, U), y = planted(n=400, d=60)
    found = fitted(name, ListedRows, D, U, y)
    assert len(found.coef_) == 3
    inside = found.labels_ >= 0
    assert adjusted_rand(y[inside], found.labels_[inside]) > 0.95
    if name != "margin":
        assert found.restarts_[0]["searched"] == 200
        assert [step["kind"] for step in found.trace_][:2] == ["sample", "batch"]
        assert fitted(name, as_rows, D, U, y).restarts_[0]["searched"] == 400


def test_what_cannot_be_done_is_refused():
    (D, _), _ = planted()
    with pytest.raises(InputError, match="words"):
        SeededKMeans(3).fit(ListedRows(D), word_seeds=np.eye(3, D.shape[1]))
    with pytest.raises(ValueError, match="35 features"):
        in_memory("CPM3C").predict(ListedRows(D[:, :-1]))
