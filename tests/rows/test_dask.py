"""Rows on a cluster: the numbers of one machine, the same bytes on any number of workers, and after a death."""

import gc
import http.client
import os
import platform
import signal
import socket
import subprocess
import sys
import time
import warnings
from contextlib import closing, suppress
from importlib.util import find_spec
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
import scipy.sparse as sp
from clusters import two_processes

from outgroup.errors import ClusterError, InputError, MissingExtraError
from outgroup.places import Address
from outgroup.rows import OneHot, as_rows
from outgroup.rows import dask as tasks
from outgroup.rows.connect import connect, connected
from outgroup.rows.dask import DaskRows, Sent, aligned, disk_rows, fold_parts, gathered, load_rows, received, sent
from outgroup.rows.device import device_rows
from outgroup.rows.shards import DamagedError, ShardWriter
from outgroup.rows.sparse import SparseRows
from outgroup.rows.threads import n_threads, threads

distributed = pytest.importorskip("distributed", reason="needs the extra distributed")
pytestmark = pytest.mark.filterwarnings("ignore")  # Dask's own: ports in use, deprecated asyncio


def matrix(n=60, d=12):
    rng = np.random.default_rng(0)
    return sp.csr_matrix(rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.3), dtype=np.float32)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    writer = ShardWriter(tmp_path_factory.mktemp("parts") / "rows", 12, entries=40)
    for first in range(0, 60, 7):
        writer.append(matrix()[first : first + 7])
    return writer.close()


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


def counted(scores):
    return np.full(len(scores), n_threads())


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


def test_shards_at_an_address_are_copied_by_their_workers(cluster, folder):
    address = f"local://{folder}"
    found = flat(disk_rows(cluster, address).fold(W, weigh, STATE))
    wanted = flat(disk_rows(cluster, folder).fold(W, weigh, STATE))
    assert all(np.array_equal(one, other) for one, other in zip(found, wanted, strict=True))
    copies = [list(Path(each, "outgroup-shards").glob("*/*.npy")) for each in cluster.run(local_directory).values()]
    assert sum(map(len, copies)) >= 3 * len(disk_rows(cluster, address)._parts)
    with pytest.raises(InputError, match=r"local://.*gone contains no rows"):
        disk_rows(cluster, f"{address}/gone")


def test_a_copy_that_was_damaged_on_its_way_is_made_again(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(tasks, "own_folder", lambda name: tmp_path)
    part, read = piece(Address(f"local://{folder}")), Address.read_bytes
    with monkeypatch.context() as patch:
        damaged = {".npy": lambda self: read(self)[:-8] + bytes(8), ".json": read}
        patch.setattr(Address, "read_bytes", lambda self: damaged[self.suffix](self))
        with pytest.raises(DamagedError):
            load_rows(part)
    np.testing.assert_array_equal(load_rows(part).local().toarray(), load_rows(piece(folder)).local().toarray())


def test_a_part_asks_once_what_its_folder_holds(folder, tmp_path, monkeypatch):
    """It may be at an address: a request for each part of each pass."""
    asked, read = [], tasks.read_manifest
    monkeypatch.setattr(tasks, "own_folder", lambda name: tmp_path)
    monkeypatch.setattr(tasks, "read_manifest", lambda place: asked.append(place) or read(place))
    part = piece(folder)
    load_rows.cache_clear()
    assert load_rows(part).shape == (part[3] - part[2], 12)
    assert len(asked) == 1


def local_directory(dask_worker):
    return dask_worker.local_directory


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


def test_parts_that_are_folded_in_one_task_give_the_same_bytes(cluster, folder, monkeypatch):
    cluster.wait_for_workers(2, timeout=60)  # the test before killed one
    rows = disk_rows(cluster, folder)
    found, counts, asked = [], [], []
    monkeypatch.setattr(rows, "_ask", lambda task, *given: asked.append(task) or DaskRows._ask(rows, task, *given))
    for number in (100, 1):
        monkeypatch.setattr("outgroup.rows.dask._TASKS", number)
        found.append(flat(rows.fold(W, weigh, STATE)))
        counts.append(asked.count(fold_parts))
        asked.clear()
    assert len(rows._parts) == counts[0] > counts[1] >= 2
    assert all(np.array_equal(one, other) for one, other in zip(*found, strict=True))


def test_shards_of_unequal_size_are_shared_out_evenly(folder, monkeypatch):
    """Of four shards, the last of them small, one of two workers had 1.2 times the half."""
    monkeypatch.setattr("outgroup.rows.dask._ENTRIES", 10)
    whole = as_rows(matrix())
    with (
        distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        rows, asked = disk_rows(client, folder), []
        monkeypatch.setattr(rows, "_ask", lambda task, *given: asked.append(given) or DaskRows._ask(rows, task, *given))
        for tasks in (2, 4):
            monkeypatch.setattr("outgroup.rows.dask._TASKS", tasks / client.nthreads().popitem()[1])
            asked.clear()
            np.testing.assert_allclose(rows.fold(W, plain)[0], whole.fold(W, plain)[0], rtol=1e-5, atol=1e-6)
            shares = [sum(each.n_rows for each in given[3]) for given in asked if len(given) == 4]
            assert len(shares) == tasks
            assert sum(shares) == 60
            assert max(shares) <= 1.1 * 60 / tasks


def piece(folder):
    return (folder, 1, 0, 14, ())


def test_a_folder_that_was_written_again_has_its_new_rows(tmp_path):
    """A worker keeps parts at hand, and another run may find other shards of the same name."""
    with (
        distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        for number in (1, 2):
            writer = ShardWriter(tmp_path / f"{number}", 12)
            writer.append(number * matrix())
            writer.close().rename(tmp_path / "rows")
            rows = disk_rows(client, tmp_path / "rows")
            np.testing.assert_allclose(rows.squares(), as_rows(number * matrix()).squares(), rtol=1e-5)
            (tmp_path / "rows").rename(tmp_path / f"old{number}")


def test_what_is_added_up_first_comes_to_one_worker(cluster, folder, monkeypatch):
    """Workers are given tasks in turn: neighbours were on two, and one of their sums was sent to the other."""
    rows, asked = disk_rows(cluster, folder), []
    monkeypatch.setattr(rows, "_most_threads", lambda: 2)
    monkeypatch.setattr(rows, "_ask", lambda task, *given: asked.append(given) or DaskRows._ask(rows, task, *given))
    rows.fold(None, sums, np.zeros(60, dtype=int))
    shares = [given[3][0].part for given in asked if len(given) == 4]
    first, third, second, fourth = (rows._parts.index(share) for share in shares)
    assert first < second < third < fourth
    assert [len(given[0]) for given in asked if len(given) == 1] == [2, 2, 2]


def test_directions_are_laid_out_once_a_worker_and_pass(folder, monkeypatch):
    """They were for every part, which took a tenth of a pass."""
    laid, lay_out = [], tasks.laid_out
    monkeypatch.setattr(tasks, "laid_out", lambda *given: laid.append(1) or lay_out(*given))
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        rows, memory = disk_rows(client, folder), as_rows(matrix())
        for number in (1, 2):
            for directions in (number * W, -W):
                np.testing.assert_allclose(
                    rows.fold(directions, plain)[0], memory.fold(directions, plain)[0], rtol=1e-5, atol=1e-6
                )
        assert len(rows._parts) > 2
        assert len(laid) == 4
        rows.map(W, first_score)
        assert len(laid) == 5


def first_score(scores):
    return scores[:, 0]


def wider_and_longer(part):
    return sp.csr_matrix(np.ones((2, part)), dtype=[np.float32, np.float64][part - 3])


def test_parts_of_another_width_or_type_do_not_take_the_directions_of_others(cluster):
    rows = DaskRows(cluster, wider_and_longer, [3, 3, 4], [2, 2, 2], 3)
    with pytest.raises(InputError, match="directions of shape"):
        rows.fold(np.ones((1, 3)), plain)


def mixed(part):
    return sp.csr_matrix(np.ones((2, 3)), dtype=part)


def test_parts_of_single_and_double_precision(cluster):
    rows = DaskRows(cluster, mixed, ["float32", "float64"], [2, 2], 3)
    assert rows.fold(np.ones((1, 3)), plain)[0].tolist() == [[12.0, 12.0, 12.0]]


def test_tasks_are_as_many_as_before_a_worker_was_lost(cluster, folder, monkeypatch):
    """Between a death and a new beginning there may be no worker at all: one task would fold everything then."""
    rows = disk_rows(cluster, folder)
    before = rows._most_threads()
    with monkeypatch.context() as lost:
        lost.setattr(cluster, "nthreads", dict)
        assert rows._most_threads() == before > 0


def test_directions_are_with_every_worker_before_any_is_given_work(cluster, folder):
    """A task goes to a worker that has some of what it needs: one had them all, and folded nearly everything."""
    cluster.wait_for_workers(2, timeout=60)  # a test before killed one
    rows = disk_rows(cluster, folder)
    copies = [len(cluster.who_has([held])[held.key]) for held, _ in (rows._tasks(W, (), None) for _ in range(3))]
    assert max(copies) == 2  # Dask may take a copy back that nobody has asked for yet


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


class Lost:
    """A client whose cluster fails with an error of this name."""

    def __init__(self, name):
        self.name = name

    def gather(self, futures):
        raise type(self.name, (Exception,), {})("in Dask's words")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("KilledWorker", r"several workers died while they read the part a\.jsonl,"),
        ("FutureCancelledError", "scheduler was lost"),
        ("OddError", "OddError: in Dask's words"),
    ],
)
def test_what_was_lost_is_told(name, said):
    with pytest.raises(ClusterError, match=said):
        gathered(Lost(name), [], "the part a.jsonl")


def test_no_workers_are_told():
    with pytest.raises(InputError, match="local:0 gives no number of workers"):
        connect("local:0")


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


def test_what_goes_wrong_on_a_worker_is_said_once(capfd):
    import dask

    with (
        dask.config.set({"distributed.worker.multiprocessing-method": "spawn"}),  # as it is, if nobody says otherwise
        pytest.raises(InputError, match=r"part a is broken"),
        connected("local:1") as client,
    ):
        DaskRows(client, broken, ["a"], [3], 2).squares()
    assert "Traceback" not in capfd.readouterr().err


def test_labels_travel_in_few_bytes_and_come_back_as_they_were():
    labels, wide = np.arange(100, dtype=np.int32), np.array([1, 70_000], dtype=np.int64)
    small, scores = sent((labels, np.ones(3, np.float32)))
    assert small.values.nbytes == 100
    assert sent(wide).values.dtype == np.int32
    back = received((small, scores, sent(wide)))
    assert [each.dtype.name for each in back] == ["int32", "float32", "int64"]
    assert np.array_equal(back[0], labels)
    assert np.array_equal(back[2], wide)


@pytest.mark.usefixtures("freed")
def test_a_service_that_is_silent_or_another_one_is_no_scheduler(monkeypatch):
    monkeypatch.setattr("outgroup.rows.connect._WAIT", 0.5)
    monkeypatch.setattr("outgroup.rows.connect._MORE", 0.5)
    said = "no scheduler answers at .*: "
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(InputError, match=f"{said}no answer for"):
        connect(f"tcp://127.0.0.1:{silent.getsockname()[1]}")
    with socket.create_server(("127.0.0.1", 0)) as other:
        Thread(target=lambda: other.accept()[0].sendall(b"HTTP/1.1 400 Bad Request\r\n"), daemon=True).start()
        address = f"tcp://127.0.0.1:{other.getsockname()[1]}"
        with pytest.raises(InputError, match=f"{said}.*start one with"):
            connect(address)


def test_another_service_on_the_usual_port_is_no_matter():
    """Another cluster of this machine, say: a page that nobody asked for took that port, and a warning told of it."""
    with socket.socket() as other:
        with suppress(OSError):  # something has it already
            other.bind(("127.0.0.1", 8787))
            other.listen()
        with warnings.catch_warnings():
            warnings.filterwarnings("error", message="Port")
            with connected("local:1") as client:
                assert len(client.nthreads()) == 1


def test_rows_by_terms_are_made_once_however_many_parts_a_worker_has(folder, monkeypatch):
    """A worker's process keeps few parts at hand, and makes the others anew in each pass."""
    made, make = [], SparseRows._transposed
    monkeypatch.setattr(SparseRows, "_transposed", lambda rows: made.append(rows.shape) or make(rows))
    with (
        distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        rows = disk_rows(client, str(folder))
        first, again = (
            flat([rows.fold(W, plain)])
            for _ in range(2)
            if not (tasks.rows_of.cache_clear() or tasks.load_rows.cache_clear())
        )
    assert len(made) == len(rows._parts)
    assert [each.tobytes() for each in first] == [each.tobytes() for each in again]


def test_what_came_by_wire_adds_up_as_it_would_here():
    values = np.random.default_rng(0).normal(size=(3, 20_000))
    odd = np.frombuffer(b"-" + values.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(values.shape)
    assert not odd.flags.aligned
    for found in (received(Sent(odd, odd.dtype)), aligned((1.0, odd))[1]):
        assert np.array_equal(np.einsum("kd,kd->k", found, found), np.einsum("kd,kd->k", values, values))


@pytest.mark.parametrize(
    ("values", "bytes_each"),
    [
        (np.arange(10_000) % 100, 1),
        (np.arange(10_000) % 1000, 2),
        ((1.0 / np.arange(1, 101))[np.arange(10_000) % 100], 1),
        (np.repeat([0.5, 2.0], 5000).astype(np.float32), 1),
        (np.random.default_rng(0).normal(size=10_000), 8),
        (np.concatenate([np.ones(5000), np.arange(1.0, 5001)]), 8),
        (np.repeat([0.0, -0.0], 5000), 8),
        (np.repeat([np.nan, 1.0], 5000), 8),
        (np.empty(0), 0),
    ],
)
def test_few_numbers_take_few_bytes_by_wire_and_come_as_they_were(values, bytes_each):
    """Labels, and the weights of groups: one a row."""
    there = sent(values)
    assert there.values.nbytes == bytes_each * len(values)
    back = received(there)
    assert back.dtype == values.dtype
    assert back.tobytes() == values.tobytes()


def test_a_task_has_one_thread(folder):
    """As many tasks as a worker has threads are at work at once: with all cores for each they would wait for others."""
    with (
        threads(3),
        distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        assert set(disk_rows(client, str(folder)).map(np.ones((1, 12)), counted)) == {1}
        assert n_threads() == 3


_FRESH = """
import resource
import numpy as np
from outgroup.rows.dask import keep_freed_memory

def pages():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(100):
        np.ones(1 << 18)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

given_back = pages()
keep_freed_memory()
print(given_back, pages())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc's thresholds")
def test_workers_do_not_take_fresh_pages_for_every_chunk():
    environment = os.environ | {"MALLOC_TRIM_THRESHOLD_": "65536"}  # as Dask's workers have it

    done = subprocess.run([sys.executable, "-c", _FRESH], env=environment, capture_output=True, text=True, check=True)
    given_back, kept = map(int, done.stdout.split())
    assert given_back > 10 * kept


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
