"""Times that can be compared: interleaved rounds, medians, ratios; memory of this process."""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any


def once(action: Callable[[], Any]) -> float:
    """Return the seconds that one call takes."""
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def interleaved(actions: Mapping[str, Callable[[], Any]], rounds: int = 5) -> dict[str, float]:
    """Return each action's median seconds over rounds that run each once, so that drift meets all."""
    seconds: dict[str, list[float]] = {name: [] for name in actions}
    for _ in range(rounds):
        for name, action in actions.items():
            seconds[name].append(once(action))
    return {name: statistics.median(values) for name, values in seconds.items()}


def own_peak() -> float:
    """Return this process's peak memory so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
