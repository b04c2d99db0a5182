"""Times that can be compared: interleaved rounds, medians, ratios; memory of a program of its own."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping
from typing import Any


def once(action: Callable[[], Any]) -> float:
    """Return the seconds that one call takes."""
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def timed(actions: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, list[float]]:
    """Return each action's seconds over `rounds`, every round running each once, so that drift meets all."""
    seconds: dict[str, list[float]] = {name: [] for name in actions}
    for _ in range(rounds):
        for name, action in actions.items():
            seconds[name].append(once(action))
    return seconds


def interleaved(actions: Mapping[str, Callable[[], Any]], rounds: int = 5) -> dict[str, float]:
    """Return each action's median seconds over interleaved rounds."""
    return {name: statistics.median(values) for name, values in timed(actions, rounds).items()}


def program(command: list[str], **environment: str) -> tuple[float, float]:
    """Run a program to its end; return its seconds and its peak memory in MB (of itself and the programs it waits for).

    Raises subprocess.CalledProcessError when it fails.
    """
    begin = time.perf_counter()
    process = subprocess.Popen(command, env=os.environ | environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return time.perf_counter() - begin, usage.ru_maxrss / 1024


def own_peak() -> float:
    """Return this process's peak memory so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
