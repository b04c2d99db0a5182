"""Connect to a Dask cluster, and check that its workers have the same libraries."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from importlib.metadata import version
from threading import Thread
from typing import Any

from ..errors import InputError, MissingExtraError, OutgroupError, installing, required

_WAIT = 10  # seconds that a scheduler may take to answer
_MORE = 1  # seconds, so that its own error comes first
_LOCAL = {  # Dask's settings of local processes: no status pages, a safe module path also where one starts again
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.nanny.pre-spawn-environ.PYTHONSAFEPATH": "1",
}


def connect(address: str) -> Any:
    """Return a client of a scheduler address such as "tcp://host:8786", or of "local:4", four local processes.

    Local processes listen at 127.0.0.1 and accept only each other, by a TLS key made for them. Their module path lacks
    the current folder. A scheduler at an address is trusted: it and its workers run code in one another and here.

    Raises MissingExtraError without the extra `distributed`, and InputError without an answer in ten seconds.
    """
    purpose = "computing on several machines or processes requires dask"
    client = required("distributed", "distributed", purpose).Client
    try:
        if address.startswith("local:") and address[6:].isdigit():
            return _here(address)
        return _soon(lambda: client(address, timeout=_WAIT))
    except OutgroupError:
        raise
    except Exception as error:  # another service may answer anything, which is read as a length or a message
        missing = f"no scheduler answers at {address}: {_in_a_line(error)}; start one with `dask scheduler`"
        raise InputError(f"{missing}, or give local:4 for four local processes") from error


def _here(address: str) -> Any:
    """Return a client of local processes; the address, such as "local:4", gives their number."""
    import dask
    from distributed import Client, LocalCluster
    from distributed.security import Security

    if not int(address[6:]):
        raise InputError(f"{address} gives no number of workers: write, for example, local:4")
    try:
        security = Security.temporary()
    except ImportError as error:
        raise MissingExtraError(f"local processes require cryptography: {installing('distributed')}") from error
    with dask.config.set(_LOCAL):
        cluster = LocalCluster(
            n_workers=int(address[6:]),
            threads_per_worker=1,
            host="127.0.0.1",
            security=security,
            dashboard_address=None,
            scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # of its web server, which has no page
            silence_logs=logging.CRITICAL,  # our own message reports a worker's error
        )
    return Client(cluster, direct_to_workers=True)


def _soon(make: Callable[[], Any]) -> Any:
    """Return the result of a function that runs in a thread, with a timeout, because a silent service blocks."""
    result: Future[Any] = Future()

    def work() -> None:
        try:
            result.set_result(make())
        except BaseException as error:  # raised again in the waiting thread
            result.set_exception(error)

    Thread(target=work, daemon=True).start()
    return result.result(_WAIT + _MORE)


def _in_a_line(error: Exception) -> str:
    """Return the first line of a connection error; for other errors, the type."""
    if isinstance(error, OSError | ValueError):
        return str(error).partition("\n")[0] or f"no answer for {_WAIT} seconds"
    return f"another service does ({type(error).__name__})"


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """Yield a client with checked workers, and close it after the `with` block.

    Raises InputError where the workers cannot import outgroup, or have other versions.
    """
    before = {*os.environ}
    client = connect(address)
    cluster = client.cluster
    with _without_log():
        try:
            check_versions(client)
            yield client
        finally:
            with suppress(Exception):  # a lost connection cannot be closed
                client.close(timeout=_WAIT)
            if cluster is not None:
                cluster.close(timeout=_WAIT)
            for name in {*os.environ} - before:  # Dask sets variables of its processes here
                del os.environ[name]


@contextmanager
def _without_log() -> Iterator[None]:
    """Suppress Dask's log of lost connections."""
    loggers = [
        logging.getLogger(name) for name in list(logging.root.manager.loggerDict) if name.startswith("distributed")
    ]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


def check_versions(client: Any) -> None:
    """Raise InputError, with the worker, if a worker lacks the libraries of this process."""
    mine = versions()
    try:
        reports = client.run(versions, on_error="return")
    except Exception as error:
        raise InputError(f"the workers did not report their versions: {error}") from error
    for worker, theirs in reports.items():
        if isinstance(theirs, Exception):
            raise InputError(f"the worker {worker} cannot import outgroup ({theirs}); install it there")
        different = [name for name in mine if theirs.get(name) != mine[name]]
        if different:
            name = different[0]
            raise InputError(
                f"the worker {worker} has {name} {theirs.get(name)}, but this machine has {mine[name]}: install the "
                "same version on both, because results depend on it"
            )
    if not reports:
        raise InputError("the scheduler has no workers; start one with `dask worker ADDRESS`")


def versions() -> dict[str, str]:
    """Return the versions of the libraries that affect results."""
    return {name: version(name) for name in ("outgroup", "numpy", "scipy")}
