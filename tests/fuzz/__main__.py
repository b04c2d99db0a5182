"""`python -m tests.fuzz [MINUTES]`: random cases, first of the kernels under an address sanitizer; 10 minutes."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INTERRUPTED = 2  # how pytest ends when the time is up
SOURCE = ROOT / "src" / "outgroup" / "_native" / "library.cpp"
BUILD = ["g++", "-std=c++17", "-O1", "-g", "-ffp-contract=off", "-shared", "-fPIC", str(SOURCE), "-o"]
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"]
KERNELS = [
    f"tests/{name}.py"
    for name in (
        "contracts/test_rows", "rows/test_neighbours", "rows/test_products", "solve/test_bisection",
        "solve/test_local_search", "text/test_tokens",
    )
]  # fmt: skip
"""The tests that call the kernels on random arrays."""


def test_files() -> list[str]:
    """Return the files whose tests Hypothesis draws, in random order: a short run tries others."""
    files = [
        str(path) for path in sorted((ROOT / "tests").rglob("test_*.py")) if "hypothesis" in path.read_text("utf-8")
    ]
    random.shuffle(files)
    return files


def one_round(seconds: float, options: list[str], **environment: str) -> int:
    """Run tests once, or for `seconds`; return pytest's exit code, 0 where the time was up with nothing found."""
    command = [sys.executable, "-m", "pytest", "-x", "--hypothesis-profile=fuzz", *options]
    with subprocess.Popen(command, cwd=ROOT, env=os.environ | environment) as process:
        try:
            return process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            code = process.wait()
            return 0 if code == INTERRUPTED else code


def kernels(seconds: float) -> int:
    """Run the tests of the kernels on a library with sanitizers; return the exit code, 0 where g++ is missing."""
    with tempfile.TemporaryDirectory() as folder:
        library = os.path.join(folder, "kernels.so")
        try:
            subprocess.run([*BUILD, library, *SANITIZERS], check=True)
            asan = subprocess.run(["g++", "-print-file-name=libasan.so"], check=True, capture_output=True, text=True)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"no address sanitizer here ({error}): the kernels are not fuzzed")
            return 0
        return one_round(
            seconds,
            ["-p", "tests.fuzz.sanitized", *KERNELS],
            LD_PRELOAD=asan.stdout.strip(),
            ASAN_OPTIONS="detect_leaks=0",
            OUTGROUP_SANITIZED=library,
        )


def main(minutes: float) -> int:
    """Fuzz until something is found or the time is up: a fifth of it the kernels, the rest Hypothesis's tests."""
    end = time.monotonic() + 60 * minutes
    if code := kernels(12 * minutes):
        return code
    while (left := end - time.monotonic()) > 1:
        if code := one_round(left, ["-m", "hypothesis", *test_files()]):
            return code
    print(f"nothing found in {minutes:g} minutes")
    return 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 10))
