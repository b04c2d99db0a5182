"""Threads change the time and nothing else; the pool survives errors, nesting and forks."""

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from outgroup.errors import InputError
from outgroup.rows.threads import n_threads, one_blas_thread, one_thread, ordered_map, threads


@pytest.mark.parametrize("count", [1, 2, 5])
def test_results_come_in_the_order_of_the_items(count):
    with threads(count):
        assert ordered_map(lambda x: x * x, range(50)) == [x * x for x in range(50)]
        assert ordered_map(str, []) == []


def test_two_threads_work_at_once():
    meeting = threading.Barrier(2, timeout=30)  # nobody passes alone
    with threads(2):
        assert len(ordered_map(lambda _: meeting.wait(), range(2))) == 2


def test_one_thread_is_the_callers_own():
    with threads(1):
        assert set(ordered_map(lambda _: threading.get_ident(), range(5))) == {threading.get_ident()}


def test_an_error_stops_the_rest_and_reaches_the_caller():
    begun = []

    def task(x):
        begun.append(x)
        raise KeyError(x)

    with threads(2), pytest.raises(KeyError):
        ordered_map(task, range(1000))
    assert len(begun) <= 2


def test_tasks_may_call_for_threads_themselves():
    with threads(4):
        assert ordered_map(lambda x: sum(ordered_map(int, [x] * 3)), range(20)) == [3 * x for x in range(20)]


def test_a_task_of_several_has_its_own_thread_alone():
    def own(_):
        return len(set(ordered_map(lambda _: threading.get_ident(), range(50))))

    with threads(4):
        assert ordered_map(own, range(4)) == [1] * 4
        meeting = threading.Barrier(2, timeout=30)
        assert ordered_map(lambda _: len(ordered_map(lambda _: meeting.wait(), range(2))), [0]) == [2]


def test_the_number_of_threads_is_what_was_asked_for(monkeypatch):
    monkeypatch.setenv("OUTGROUP_THREADS", "3")
    assert n_threads() == 3
    with threads(1):
        assert n_threads() == 1
    for unset in ("", " "):
        monkeypatch.setenv("OUTGROUP_THREADS", unset)
        assert n_threads() >= 1
    for wrong in ("many", "0", "-1", "1.5", "²"):
        monkeypatch.setenv("OUTGROUP_THREADS", wrong)
        with pytest.raises(InputError, match="OUTGROUP_THREADS is"):
            n_threads()


def test_a_task_of_a_worker_keeps_to_its_thread():
    @one_thread()
    def task():
        return n_threads(), len(set(ordered_map(lambda _: threading.get_ident(), range(50))))

    with threads(3):
        assert task() == (1, 1)
        with one_thread():
            assert task() == (1, 1)
            assert n_threads() == 1
        assert n_threads() == 3
        with ThreadPoolExecutor(1) as pool, one_thread():
            assert pool.submit(n_threads).result() == 3


def blas_threads():
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_linear_algebra_stays_on_one_thread_until_the_last_holder_leaves():
    with threadpool_limits(2, "blas"):  # a suite on several processes may have one thread in each
        before = blas_threads()
        assert 2 in before  # some library may have one thread at most; of others it must be seen to come back
        with one_blas_thread():
            with one_blas_thread():
                assert blas_threads() <= {1}
            assert blas_threads() <= {1}
        assert blas_threads() == before


def test_a_library_that_is_loaded_later_stays_on_one_thread_too():
    code = """
from threadpoolctl import threadpool_info
from outgroup.rows.threads import one_blas_thread
with one_blas_thread():
    import scipy.linalg
    print({each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"} <= {1})
"""
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "2"}
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert ran.stdout == "True\n"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not fork")
def test_a_forked_process_has_threads_of_its_own():
    code = """
import os, signal
from outgroup.rows.threads import ordered_map, threads
with threads(2):
    ordered_map(str, range(9))
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        os._exit(0 if ordered_map(str, range(9)) == [str(i) for i in range(9)] else 1)
    raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=False).returncode == 0


def test_an_error_of_the_caller_ends_the_others_at_their_next_pass():
    begun, passes = threading.Event(), []

    def task(x):
        if threading.current_thread() is threading.main_thread():
            begun.wait(30)
            raise KeyboardInterrupt
        begun.set()
        for _ in range(10_000):  # a long task of many short passes
            ordered_map(lambda _: passes.append(time.sleep(0.001)), [0])

    with threads(2), pytest.raises(KeyboardInterrupt):
        ordered_map(task, range(2))
    assert len(passes) < 5_000
