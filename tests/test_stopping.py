"""Work is stopped where it is asked to, from every thread, and nowhere else."""

from threading import Event
from time import perf_counter

import pytest
import scipy.sparse as sp

from outgroup import CPM3C, MaxMarginClustering, SphericalKMeans
from outgroup.errors import CancelledError
from outgroup.stopping import stop_if_asked, stoppable


def test_nothing_stops_unless_asked():
    stop_if_asked()
    with stoppable(lambda: False):
        stop_if_asked()
    with stoppable(None):
        stop_if_asked()


@pytest.fixture(scope="module")
def rows():
    return sp.random(3000, 400, 0.05, format="csr", random_state=0)


@pytest.mark.parametrize("make", [MaxMarginClustering, CPM3C, SphericalKMeans])
def test_a_fit_ends_soon_after_it_is_asked(rows, make):
    asked, since = Event(), []

    def cancel():
        if not since and perf_counter() - begin > 0.05:
            asked.set()
            since.append(perf_counter())
        return asked.is_set()

    model, begin = make(20, n_init=3, random_state=0), perf_counter()
    with stoppable(cancel), pytest.raises(CancelledError):
        model.fit(rows)
    assert perf_counter() - since[0] < 1.0
    assert not hasattr(model, "labels_")
