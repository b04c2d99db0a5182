"""Threads change the time and nothing else; the pool survives errors, nesting and forks; spans cover every row once."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_info, threadpool_limits

from outgroup.errors import InputError
from outgroup.rows.blocks import heavy_spans
from outgroup.rows.threads import n_threads, one_blas_thread, ordered_map, threads


@pytest.mark.parametrize("count", [1, 2, 5])
def test_results_come_in_the_order_of_the_items(count):
    with threads(count):
        assert ordered_map(lambda x: x * x, range(50)) == [x * x for x in range(50)]
        assert ordered_map(str, []) == []


def test_an_error_stops_the_rest_and_reaches_the_caller():
    begun = []

    def task(x):
        begun.append(x)
        raise KeyError(x)

    with threads(2), pytest.raises(KeyError):
        ordered_map(task, range(1000))
    assert len(begun) <= 2


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


def covered(spans):
    return [i for span in spans for i in range(span.start, span.stop)]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40), st.integers(0, 9), st.data())
def test_heavy_spans_cover_rows_and_share_their_entries(lengths, count, data):
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    start = data.draw(st.integers(0, len(lengths)))
    stop = data.draw(st.integers(start, len(lengths)))
    spans = heavy_spans(indptr, start, stop, count)
    assert covered(spans) == list(range(start, stop))
    assert 1 <= len(spans) <= max(1, count)
    share = (indptr[stop] - indptr[start]) / max(1, count)
    assert all(indptr[s.stop] - indptr[s.start] <= share + 2 * max(lengths) for s in spans)
