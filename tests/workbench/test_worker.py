"""The worker: the newest job wins, a cancelled one says nothing, an error is told and the next job runs."""

from contextlib import suppress
from threading import Event
from time import perf_counter

import pytest

from outgroup.errors import CancelledError
from outgroup.stopping import stop_if_asked
from outgroup.workbench.controller import Worker


@pytest.fixture
def told():
    return {"done": [], "failed": []}


@pytest.fixture
def worker(told):
    with Worker(told["done"].append, told["failed"].append) as worker:
        yield worker


def until_cancelled(began):
    def job(cancelled):
        began.set()
        while not cancelled():
            Event().wait(0.001)
        return "late"

    return job


def test_the_newest_job_wins(worker, told):
    began = Event()
    worker.ask(until_cancelled(began))
    assert began.wait(5)
    assert worker.busy
    worker.ask(lambda _: "between")
    worker.ask(lambda _: "newest")
    assert worker.wait(5)
    assert told["done"][-1] == "newest"
    assert "late" not in told["done"]
    assert not worker.busy


def test_what_comes_after_a_job_ends_where_another_is_asked_for():
    ended, begun = [], Event()

    def after():
        begun.set()
        with suppress(CancelledError):
            until = perf_counter() + 30
            while perf_counter() < until:
                stop_if_asked()
        ended.append(perf_counter())
        stop_if_asked()
        ended.append("not")

    found, failed = [], []
    with Worker(found.append, failed.append, after) as worker:
        worker.ask(lambda cancelled: 1)
        assert begun.wait(30)
        asked = perf_counter()
        worker.close()
        assert found == [1]
        assert [at - asked < 0.2 for at in ended] == [True]
    assert failed == []


def test_who_waits_for_a_job_does_not_wait_for_what_comes_after_it(told):
    begun, go = Event(), Event()
    with Worker(told["done"].append, told["failed"].append, lambda: (begun.set(), go.wait(30))) as worker:
        worker.ask(lambda _: 1)
        assert begun.wait(30)
        assert worker.wait(0)
        assert not worker.wait(0.01, after=True)
        assert worker.busy
        go.set()
        assert worker.wait(30, after=True)
        assert not worker.busy


def test_what_comes_after_a_job_can_be_asked_for_alone(told):
    rested, began = [], Event()
    with Worker(told["done"].append, told["failed"].append, lambda: rested.append(1)) as worker:
        worker.rest()
        assert worker.wait(0)  # nobody waits for that either
        assert worker.wait(30, after=True)
        assert (rested, told["done"]) == ([1], [])
        worker.ask(until_cancelled(began))
        assert began.wait(5)
        worker.rest()  # it comes by itself
        worker.ask(lambda _: "newest")
        worker.rest()
        assert worker.wait(30, after=True)
    assert (rested, told["done"]) == ([1, 1], ["newest"])


def test_an_error_is_told_and_the_thread_lives_on(worker, told):
    worker.ask(lambda _: 1 / 0)
    assert worker.wait(5)
    worker.ask(lambda _: "next")
    assert worker.wait(5)
    assert isinstance(told["failed"][0], ZeroDivisionError)
    assert told["done"] == ["next"]


def test_closing_cancels_what_runs(told):
    worker, began = Worker(told["done"].append, told["failed"].append), Event()
    worker.ask(until_cancelled(began))
    assert began.wait(5)
    worker.close()
    assert told == {"done": [], "failed": []}
