"""Rows on a device: what no other back end has. Its products are tested with all others in contracts/test_rows.py."""

import sys

import numpy as np
import pytest
import scipy.sparse as sp
from factories import CARD

from outgroup import SphericalKMeans
from outgroup.errors import InputError, MissingExtraError
from outgroup.rows import as_rows
from outgroup.rows import device as tensors
from outgroup.rows.device import device_rows, fits_on

torch = pytest.importorskip("torch", reason="PyTorch is not installed: extra gpu")


def planted(n=300, d=30, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    X = (np.arange(d) % 3 == y[:, None]) * (rng.random((n, d)) < 0.5) * rng.random((n, d))
    X[:, 0] += 0.1
    return sp.csr_matrix(X / np.linalg.norm(X, axis=1, keepdims=True)), y


@pytest.mark.parametrize("form", [lambda X: X, lambda X: X.toarray()])
def test_rows_are_single_precision_unless_asked_for(form):
    X, _ = planted()
    assert device_rows(form(X), CARD).dtype == np.float32
    assert device_rows(form(X), CARD, np.float64).dtype == np.float64
    assert device_rows(as_rows(form(X)), CARD).local() is None


def test_too_little_memory_is_an_error(monkeypatch):
    rows = device_rows(planted()[0], CARD)

    def out_of_memory(self, directions):
        raise torch.OutOfMemoryError("out of memory")

    monkeypatch.setattr(tensors.DeviceBlock, "scores", out_of_memory)
    with pytest.raises(InputError, match="too little memory"):
        rows.map(np.ones((2, 30)), lambda scores: scores)


def test_the_same_bits_twice():
    X, _ = planted()
    first, second = (SphericalKMeans(3, random_state=0).fit(device_rows(X, CARD)) for _ in range(2))
    assert first.cluster_centers_.tobytes() == second.cluster_centers_.tobytes()
    assert first.labels_.tobytes() == second.labels_.tobytes()


def test_no_card_is_told_at_once(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(InputError, match="finds no graphics"), fits_on("cuda"):
        pytest.fail("nothing is fitted")


def test_without_pytorch_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"pip install '\.\[gpu\]'"):
        device_rows(np.eye(2))
