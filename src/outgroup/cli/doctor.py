"""The command `doctor`: versions, processors, extras, a self-test, and causes of slow runs."""

from __future__ import annotations

import os
import platform
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from time import perf_counter
from typing import Any

import numpy as np
from threadpoolctl import threadpool_info

from .._native.products import describe
from ..errors import installing
from ..rows.threads import n_threads

_LIBRARIES = ("outgroup", "numpy", "scipy", "scikit-learn", "piqp")


def versions() -> dict[str, str]:
    """Return the versions of Python and the libraries that affect results, and the kernels in use, by name."""
    return {name: version(name) for name in _LIBRARIES} | {"python": platform.python_version(), "kernels": describe()}


@dataclass(frozen=True)
class _Constants:
    documents: int = 40_000  # of the self-test: a second with kernels on two processors of 2023, texts included
    topics: int = 4
    topic_words: int = 40  # of each topic; a document has ten of them
    common_words: int = 400  # of all topics; a document has five
    slow: float = 4.0  # seconds of words and groups; ten times those of two processors of 2023
    low_memory: float = 2.0  # GB of free memory; the libraries and a small collection need one


_EXTRAS = {  # the modules of each extra of pyproject.toml that a user may install
    "io": ("pyarrow", "pypdf", "openpyxl", "xlsxwriter", "zstandard"),
    "spss": ("pyreadstat", "pandas"),
    "workbench": ("starlette", "uvicorn"),
    "embeddings": ("model2vec",),
    "llm": ("httpx2",),
    "segmentation": ("rjieba", "sudachipy", "pythainlp"),
    "distributed": ("distributed", "fsspec", "pyarrow"),
    "gpu": ("torch", "array_api_compat"),
    "plots": ("matplotlib",),
    "map": ("openTSNE",),
    "sdp": ("cvxpy",),
}
_FURTHER = ("threadpoolctl", "typer", "narwhals", "PyStemmer")  # dependencies that `outgroup --version` omits


def examine() -> dict[str, Any]:
    """Examine the installation and the machine; return plain values.

    Returns
    -------
    dict
        `versions`, `kernels`, `blas` (threads by library), `threads`, `processors`, `memory_gb`, `free_gb` (None if
        unknown), `extras` (missing modules by extra), `self_test` and `slow`, the reasons for slow runs.
    """
    found = versions()
    kernels = found.pop("kernels")
    found |= {name: _version(name) for name in _FURTHER}
    total, free = _memory()
    record: dict[str, Any] = {
        "versions": found,
        "platform": sys.platform,
        "kernels": kernels,
        "blas": {str(each["internal_api"]): int(each["num_threads"]) for each in threadpool_info()},
        "threads": n_threads(),
        "processors": os.cpu_count() or 1,
        "memory_gb": total,
        "free_gb": free,
        "extras": {extra: [name for name in names if find_spec(name) is None] for extra, names in _EXTRAS.items()},
        "self_test": _self_test(),
    }
    return record | {"slow": reasons(record)}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"


def _memory() -> tuple[float | None, float | None]:
    """Return the total and the free memory in GB; None if the system does not report it."""
    sizes: list[float | None] = []
    for name in ("SC_PHYS_PAGES", "SC_AVPHYS_PAGES"):
        try:
            sizes.append(round(os.sysconf(name) * os.sysconf("SC_PAGE_SIZE") / 1e9, 1))
        except (AttributeError, ValueError, OSError):  # Windows; macOS for free pages
            sizes.append(None)
    return sizes[0], _available() or sizes[1]


def _available() -> float | None:
    """Return the available memory in GB as Linux reports it, including the file cache."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            kilobytes = next(int(line.split()[1]) for line in file if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError):
        return None
    return round(kilobytes * 1024 / 1e9, 1)


def _self_test() -> dict[str, Any]:
    """Cluster synthetic documents of four topics; return whether the topics were found, and the seconds."""
    from ..cluster.spherical import SphericalKMeans
    from ..metrics import nmi
    from ..text.vectorizer import Vectorizer

    made, rng = _Constants(), np.random.default_rng(0)
    truth = np.arange(made.documents) % made.topics
    own = rng.integers(made.topic_words, size=(made.documents, 10))
    common = rng.integers(made.common_words, size=(made.documents, 5))
    texts = [
        " ".join([*(_word(topic, each) for each in first), *(_word(made.topics, each) for each in second)])
        for topic, first, second in zip(truth.tolist(), own.tolist(), common.tolist(), strict=True)
    ]
    begun = perf_counter()
    rows = Vectorizer().fit_transform(texts)
    read = perf_counter()
    labels = SphericalKMeans(made.topics, random_state=0).fit(rows).labels_
    ended = perf_counter()
    return {
        "passed": bool(nmi(truth, labels) > 0.999),
        "documents": made.documents,
        "seconds_words": round(read - begun, 2),
        "seconds_groups": round(ended - read, 2),
    }


def _word(topic: int, number: int) -> str:
    """Return a synthetic word that is neither stemmed nor a stop word."""
    letters = "bdfgklmprz"
    digits = f"{number:03d}"
    return "".join(["qx", letters[topic], *(letters[int(each)] + "o" for each in digits)])


def reasons(found: dict[str, Any]) -> list[str]:
    """Return the causes of slow runs on this machine, each with a remedy."""
    limits, tested = _Constants(), found["self_test"]
    slow: list[str] = []
    if not found["kernels"].startswith("native"):
        remedy = (
            "unset OUTGROUP_NATIVE" if os.environ.get("OUTGROUP_NATIVE") == "0" else "pip install -v . with a compiler"
        )
        slow.append(f"no native kernels: sparse products take up to twenty times as long; {remedy}")
    elif "no vector extension" in found["kernels"]:
        slow.append("the processor has no AVX2: products take two to four times as long")
    if found["threads"] == 1:
        slow.append("only one thread: limited by OUTGROUP_THREADS, the processors or the container")
    elif found["threads"] < found["processors"]:
        limited = "limited by OUTGROUP_THREADS or the container"
        slow.append(f"only {found['threads']} of {found['processors']} processors are used: {limited}")
    if found["free_gb"] is not None and found["free_gb"] < limits.low_memory:
        slow.append(f"{found['free_gb']:g} GB of free memory: stream large collections with --memory 1G")
    if tested["seconds_words"] + tested["seconds_groups"] > limits.slow:
        slow.append("the self-test took long: other programs may use the processors")
    return slow


def lines(found: dict[str, Any]) -> list[str]:
    """Return the findings of `examine` as lines that fit one screen."""
    names = [f"{name} {number}" for name, number in found["versions"].items()]
    half = -(-len(names) // 2)
    memory, free = ("unknown" if each is None else f"{each:g} GB" for each in (found["memory_gb"], found["free_gb"]))
    blas = ", ".join(f"{name} {count}" for name, count in found["blas"].items()) or "none found"
    tested = found["self_test"]
    extras = found["extras"]
    complete = [name for name, missing in extras.items() if not missing]
    failed = "FAILED: the groups are wrong; reinstall outgroup, or report this output as a bug"
    verdict = "passed" if tested["passed"] else failed
    seconds = f"words {tested['seconds_words']:g} s, groups {tested['seconds_groups']:g} s"
    rows = [
        ("Versions", ", ".join(names[:half])),
        ("", ", ".join(names[half:])),
        ("Kernels", found["kernels"]),
        ("Threads", f"{found['threads']} of {found['processors']} processors; libraries: {blas}"),
        ("Memory", f"{memory}, free {free}"),
        ("Extras", f"complete: {', '.join(complete) or 'none'}"),
        *(("", f"{name}: missing {', '.join(gone)}; {installing(name)}") for name, gone in extras.items() if gone),
        ("Self-test", f"{verdict}; {tested['documents']:,} documents: {seconds}"),
        *(("Slow" if not place else "", each) for place, each in enumerate(found["slow"] or ["nothing found"])),
    ]
    return [f"{head:<11}{row}" for head, row in rows]
