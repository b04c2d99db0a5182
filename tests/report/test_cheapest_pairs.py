"""The cheapest pair of sums, again and again: as all pairs anew say, ties too, without a look at all."""

from unittest import mock

import numpy as np
import pytest

from outgroup.summary.tree import Pairs


def every_pair(gram):
    """Return the merges that all pairs say, looked at anew after each."""
    gram, left, found = gram.copy(), list(range(len(gram))), []
    while len(left) > 1:
        squares = gram.diagonal()
        lengths = np.sqrt(squares)
        loss = lengths[:, None] + lengths - np.sqrt(np.maximum(squares[:, None] + squares + 2 * gram, 0.0))
        loss[np.tril_indices(len(loss))] = np.inf
        i, j = divmod(int(loss.argmin()), len(loss))
        found.append((left[i], left[j], loss[i, j]))
        gram[i] += gram[j]
        gram[:, i] += gram[:, j]
        gram = np.delete(np.delete(gram, j, axis=0), j, axis=1)
        del left[j]
    return found


def merged(gram):
    pairs, found = Pairs(gram.copy()), []
    for _ in range(len(gram) - 1):
        found.append(pairs.cheapest())
        pairs.join(*found[-1][:2])
    return found


@pytest.mark.parametrize("seed", range(6))
def test_merges_are_those_of_all_pairs_looked_at_anew(seed):
    sums = np.abs(np.random.default_rng(seed).normal(size=(40, 5)))
    assert merged(sums @ sums.T) == every_pair(sums @ sums.T)


@pytest.mark.parametrize("seed", range(6))
def test_of_equal_losses_the_first_pair_is_taken(seed):
    sums = np.eye(4)[np.random.default_rng(seed).integers(0, 4, 30)] * 2.0
    assert merged(sums @ sums.T) == every_pair(sums @ sums.T)


def test_few_rows_are_looked_at_again():
    sums = np.abs(np.random.default_rng(0).normal(size=(300, 20)))
    with mock.patch.object(Pairs, "_look", autospec=True, side_effect=Pairs._look) as look:
        merged(sums @ sums.T)
    assert look.call_count < 8 * 300  # all pairs anew look at 300 * 299 / 2
