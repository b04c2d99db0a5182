"""A cluster of processes on this machine that begin with the libraries loaded: a server has done so, and forks itself.

A worker that begins as usual takes two seconds of processor time, and a test that kills one waits for the next.
"""

from contextlib import contextmanager

LOADED = ["distributed", "outgroup.collection.parts"]


@contextmanager
def two_processes():
    """Give the client of a cluster of two workers, each a process with one thread."""
    import dask
    import distributed
    from distributed.utils import get_mp_context

    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        get_mp_context().set_forkserver_preload(LOADED)
        options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
        with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
            yield client
