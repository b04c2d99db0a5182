"""Work is stopped where it is asked to, from every thread, and nowhere else."""

from threading import Event
from time import perf_counter

import numpy as np
import pytest
import scipy.sparse as sp

from outgroup import CPM3C, MaxMarginClustering, SphericalKMeans
from outgroup.errors import CancelledError
from outgroup.rows import threads
from outgroup.rows.threads import ordered_map
from outgroup.stopping import stop_if_asked, stoppable


def test_nothing_stops_unless_asked():
    stop_if_asked()
    with stoppable(lambda: False):
        stop_if_asked()
    with stoppable(None):
        stop_if_asked()


def test_the_request_ends_with_its_block():
    with pytest.raises(CancelledError), stoppable(lambda: True), stoppable(None):
        stop_if_asked()
    stop_if_asked()


@pytest.mark.parametrize("n", [1, 2])
def test_threads_hear_of_it(n):
    asked, done = Event(), []

    def task(number):
        if number == 3:
            asked.set()
        stop_if_asked()
        done.append(number)

    with threads(n), stoppable(asked.is_set), pytest.raises(CancelledError):
        ordered_map(task, range(50))
    assert len(done) < 50


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


def test_an_exception_of_a_callback_ends_a_fit(rows):
    def enough(step):
        assert step["start"] == 0
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        MaxMarginClustering(5, n_init=1, random_state=0).fit(rows, on_step=enough)


def test_being_asked_changes_nothing(rows):
    plain = MaxMarginClustering(5, n_init=2, random_state=0).fit(rows)
    steps = []
    with stoppable(lambda: False):
        heard = MaxMarginClustering(5, n_init=2, random_state=0).fit(rows, on_step=steps.append)
    np.testing.assert_array_equal(plain.coef_, heard.coef_)
    assert {step["start"] for step in steps} == {0}
