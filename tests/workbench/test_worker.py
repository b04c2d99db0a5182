"""The worker: the newest job wins, a cancelled one says nothing, an error is told and the next job runs."""

from threading import Event

import pytest

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


def test_an_error_is_told_and_the_thread_lives_on(worker, told):
    worker.ask(lambda _: 1 / 0)
    assert worker.wait(5)
    worker.ask(lambda _: "next")
    assert worker.wait(5)
    assert isinstance(told["failed"][0], ZeroDivisionError)
    assert told["done"] == ["next"]
