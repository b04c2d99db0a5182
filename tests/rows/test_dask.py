"""Rows on a cluster: the numbers of one machine, the same bytes on any number of workers, and after a death."""

import gc
import http.client
import os
import signal
import time
from contextlib import closing, suppress
from importlib.util import find_spec

import numpy as np
import pytest
import scipy.sparse as sp
from clusters import two_processes

from outgroup.errors import ClusterError, InputError, MissingExtraError
from outgroup.rows import OneHot, as_rows
from outgroup.rows.connect import connect, connected
from outgroup.rows.dask import DaskRows, disk_rows, load_rows
from outgroup.rows.device import device_rows
from outgroup.rows.mapped import write_rows

distributed = pytest.importorskip("distributed", reason="needs the extra distributed")
pytestmark = pytest.mark.filterwarnings("ignore")  # Dask's own: ports in use, deprecated asyncio


def matrix(n=60, d=12):
    rng = np.random.default_rng(0)
    return sp.csr_matrix(rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.3), dtype=np.float32)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("parts") / "rows"
    write_rows(place, (matrix()[first : first + 7] for first in range(0, 60, 7)))
    return place


@pytest.fixture(scope="module")
def cluster():
    with two_processes() as client:
        yield client


def weigh(scores, state):
    return scores * state[:, None], (float(state.sum()), scores.sum(axis=0, dtype=np.float64))


def first_column(scores, state):
    return scores[:, 0], state


def sums(_, labels):
    return OneHot(labels, 3), 0


def slowly(scores, state):
    time.sleep(0.1)
    return weigh(scores, state)


def flat(found):
    return [part for each in found for part in (flat(each) if isinstance(each, tuple) else [np.asarray(each)])]


W, STATE = np.random.default_rng(1).normal(size=(3, 12)), np.linspace(0, 1, 60)


@pytest.mark.parametrize("on", [None, np.array([0, 3, 30, 59]), np.array([], dtype=int)])
def test_passes_are_those_of_one_machine(cluster, folder, on):
    rows, memory = disk_rows(cluster, folder), as_rows(matrix())
    assert rows.shape == memory.shape
    for verb, rule in (("fold", weigh), ("map", first_column)):
        found, wanted = (flat(getattr(each, verb)(W, rule, STATE, on=on)) for each in (rows, memory))
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def on_a_device(part):
    return device_rows(load_rows(part).local(), "cpu")


@pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed: extra gpu")
def test_parts_may_lie_on_a_device_of_their_worker(cluster, folder):
    rows, W = disk_rows(cluster, str(folder)), np.random.default_rng(1).normal(size=(3, 12))
    there = DaskRows(cluster, on_a_device, rows._parts, np.diff(rows._edges), 12)
    total, _ = there.fold(W, plain)
    np.testing.assert_allclose(total, as_rows(matrix()).fold(W, plain)[0], rtol=1e-5, atol=1e-6)


def plain(scores):
    return scores, 0.0


def test_the_other_verbs(cluster, folder):
    rows, memory = disk_rows(cluster, folder), as_rows(matrix())
    labels = np.arange(60) % 4 - 1
    np.testing.assert_allclose(rows.fold(None, sums, labels)[0], memory.fold(None, sums, labels)[0], rtol=1e-6)
    index = np.array([40, 2, 2, 17])
    assert np.array_equal(rows.take(index), memory.take(index))
    np.testing.assert_allclose(rows.correlate(W[0]), memory.correlate(W[0]), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(rows.squares(), memory.squares(), rtol=1e-6)
    assert rows.local() is None


def test_the_number_of_workers_and_a_death_change_no_byte(cluster, folder):
    rows = disk_rows(cluster, folder)
    found = [flat(rows.fold(W, weigh, STATE))]
    for number in (1, 7):
        with distributed.Client(
            processes=False, n_workers=number, threads_per_worker=1, dashboard_address=None
        ) as other:
            found.append(flat(disk_rows(other, folder).fold(W, weigh, STATE)))
    os.kill(next(iter(cluster.run(os.getpid).values())), signal.SIGKILL)
    found.append(flat(rows.fold(W, slowly, STATE)))
    assert all(np.array_equal(each[0], other) for each in zip(*found, strict=True) for other in each)


def broken(part):
    raise InputError(f"part {part} is broken")


def test_a_broken_part_is_named(cluster):
    rows = DaskRows(cluster, broken, ["a.parquet"], [3], 2)
    with pytest.raises(InputError, match=r"part a.parquet is broken"):
        rows.squares()
    with pytest.raises(InputError, match="at least one"):
        DaskRows(cluster, broken, [], [], 2)


def dying(part):
    os._exit(9)


def test_a_part_that_kills_its_workers_is_told(cluster, monkeypatch):
    monkeypatch.setattr(cluster.cluster.scheduler, "allowed_failures", 1)  # of three: a new worker takes seconds
    with pytest.raises(ClusterError, match=r"cluster failed: several workers died .* use smaller parts"):
        DaskRows(cluster, dying, ["a"], [3], 3).squares()


@pytest.fixture
def freed():
    """Free clients that found no scheduler here: where that falls into the beginning of another, both wait forever."""
    yield
    gc.collect()


@pytest.mark.usefixtures("freed")
def test_a_scheduler_that_does_not_answer(monkeypatch):
    monkeypatch.setattr("outgroup.rows.connect._WAIT", 0.5)
    with pytest.raises(InputError, match=r"no scheduler answers at tcp://127.0.0.1:9"):
        connect("tcp://127.0.0.1:9")
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r"\.\[distributed\]"):
        connect("local:2")


def listening():
    """The addresses at which this process and its children listen."""
    import psutil

    every = [psutil.Process(), *psutil.Process().children(recursive=True)]
    return {each.laddr for one in every for each in one.net_connections("tcp") if each.status == psutil.CONN_LISTEN}


def test_local_processes_listen_at_this_machine_alone_and_to_each_other():
    """Any user of the machine could run code through a scheduler without a key, and read the names of tasks."""
    from distributed.security import Security

    before = listening()
    with connected("local:1") as client:
        found = listening() - before
        assert {each.ip for each in found} == {"127.0.0.1"}
        address = client.scheduler.address
        assert address.startswith("tls://")
        for each in found:
            with closing(http.client.HTTPConnection(*each, timeout=10)) as page:
                for path in ("/info/main/workers.html", "/json/counts.json", "/health", "/metrics"):
                    with suppress(OSError, http.client.HTTPException):
                        page.request("GET", path)
                        answer = page.getresponse()
                        answer.read()
                        assert answer.status == 404
        for security in (None, Security.temporary()):  # none, and a stranger's own
            way = address if security else address.replace("tls", "tcp")
            with pytest.raises((OSError, ValueError)):
                distributed.Client(way, security=security, timeout=1)
        assert client.submit(len, "abc").result(30) == 3


def test_no_module_of_the_current_folder_runs_in_local_processes(tmp_path, monkeypatch):
    for name in ("multiprocessing", "distributed", "struct", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'a').write('{name} ')\n")
    monkeypatch.chdir(tmp_path)
    before = dict(os.environ)
    with connected("local:1") as client:
        [first] = client.run(os.getpid).values()
        os.kill(first, signal.SIGKILL)  # another one is started
        deadline = time.monotonic() + 60
        while first in (pids := [*client.run(os.getpid, on_error="ignore").values()]) or not pids:
            assert time.monotonic() < deadline
            time.sleep(0.1)
    assert not (tmp_path / "ran").exists()
    assert dict(os.environ) == before
