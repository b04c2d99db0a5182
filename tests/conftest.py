"""Fixtures that every package's tests share, and how Hypothesis draws its cases."""

import gc
import os
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# A shared machine may stall for any length of time; no test is about time.
# "outgroup", the suite: the same cases each time. "random": other ones; what --hypothesis-seed asks for.
# "fuzz": many more, for `make fuzz`; a failure prints the line that repeats it.
settings.register_profile("outgroup", deadline=None, derandomize=True, max_examples=40)
settings.register_profile("random", deadline=None)
settings.register_profile(
    "fuzz", deadline=None, max_examples=500, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("outgroup")


def share_cores() -> None:
    """Workers of pytest-xdist, and the processes that they start, share the cores; said before NumPy is loaded.

    Linear algebra libraries that each take all of them wait for one another.
    """
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS") if workers > 1 else ():
        os.environ.setdefault(name, str(max(1, (os.cpu_count() or 1) // workers)))


share_cores()
collect_ignore = ["fuzz/sanitized.py"]  # a plugin of `make fuzz`
gc.disable()  # until all tests are collected


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is loaded while tests are collected stays: it was looked through for garbage in a third of that time."""
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_configure(config: pytest.Config) -> None:
    """A seed would change nothing in a profile that draws the same cases each time."""
    asked = {name: config.getoption(f"--hypothesis-{name}", None) for name in ("seed", "profile")}
    if asked["seed"] is not None and asked["profile"] is None:
        settings.load_profile("random")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A headless Chromium; tests that need one skip where there is none."""
    from report.browser import chromium

    with chromium() as opened:
        yield opened
