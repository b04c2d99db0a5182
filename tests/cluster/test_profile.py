"""The choice of a number of groups: planted numbers, ranges that cannot be, and rows with nothing to choose by."""

import numpy as np
import pytest
from factories import around_axes

from outgroup import SphericalKMeans
from outgroup.cluster.profile import k_profile
from outgroup.errors import InputError


@pytest.mark.parametrize("k", [3, 5, 8])
def test_a_planted_number_is_chosen(k):
    X, _ = around_axes(k, 30, 30)
    assert k_profile(X, (2, 12)).chosen == k
    model = SphericalKMeans("auto", random_state=0).fit(X)
    assert model.n_clusters_ == len(model.cluster_centers_) == k
    assert SphericalKMeans.from_state(model.to_state()).n_clusters_ == k


@pytest.mark.parametrize("spread", [0.0, 0.05])
def test_copies_and_near_copies_do_not_lower_the_number(spread):
    rng = np.random.default_rng(0)
    subjects = np.repeat(np.eye(40)[:4], 25, axis=0) + 0.3 * rng.random((100, 40))
    alerts = np.eye(40)[39] + spread * rng.random((300, 40))
    assert k_profile(subjects).chosen == 4
    assert k_profile(np.concatenate([subjects, alerts])).chosen == 5


def near(k, chosen):
    return any(abs(each - k) <= 0.2 * k for each in chosen)


def nested(outer, inner, each, d=32):
    """Rows of `outer` subjects, of `inner` small ones each."""
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((outer, 1, d)) + 0.55 * rng.standard_normal((outer, inner, d))
    X = np.repeat(centres.reshape(-1, d), each, axis=0)
    return X + 0.6 * rng.standard_normal(X.shape)


def test_sixty_small_groups_are_seen_where_modularity_sees_few():
    profile = k_profile(nested(6, 10, 80), (2, 150))
    assert profile.chosen < 30
    assert near(60, profile.candidates)
    assert profile.candidates[1] == profile.chosen


@pytest.mark.parametrize("wrong", [(40, 5), (1, 5), (5, 5), (2, 51), "many", (2, 3, 4), None])
def test_ranges_that_cannot_be_are_refused(wrong):
    with pytest.raises(InputError, match=r"not a valid range|is not valid|too few|a smaller range"):
        k_profile(around_axes(2, 50, 30)[0], wrong)
