"""The words behind each document's place: against all of its words at once, and however many documents are at work."""

import numpy as np
import pytest
import scipy.sparse as sp

from outgroup.summary import partition as module
from outgroup.summary.partition import VIEW, Partition


@pytest.fixture
def look():
    rng = np.random.default_rng(0)
    X = sp.random(60, 30, 0.5, format="csr", rng=rng)
    labels = rng.integers(0, 4, 60)
    rivals = (labels + rng.integers(1, 4, 60)) % 4
    scores = np.zeros((60, 4))
    scores[np.arange(60), rivals], scores[np.arange(60), labels] = 1.0, 2.0
    return Partition(X, labels, scores, rng.normal(size=(4, 30)), [], [], [], [])


@pytest.mark.parametrize("at_once", [1, 7, 1000])
def test_words_are_those_that_add_most(look, monkeypatch, at_once):
    monkeypatch.setitem(vars(module.VIEW), "block", at_once)
    words, pull = look.reasons()
    for row in range(60):
        adds = look.X[[row]].toarray()[0] * (look.coef[look.labels[row]] - look.coef[look.rivals[row]])
        best = np.argsort(-adds, kind="stable")[: int(np.clip(np.count_nonzero(adds > 0), 0, VIEW.reasons))]
        assert words[row].tolist() == [*best, *[-1] * (VIEW.reasons - len(best))]
        np.testing.assert_allclose(pull[row, : len(best)], adds[best], rtol=1e-6)
        assert not pull[row, len(best) :].any()
