"""`python -m tests.fuzz [MINUTES]`: the kernels under an address sanitizer, then random cases; 10 minutes."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from . import kernels

ROOT = Path(__file__).resolve().parents[2]
INTERRUPTED = 2  # how pytest ends when the time is up


def test_files() -> list[str]:
    """Return the files whose tests Hypothesis draws, in random order: a short run tries others."""
    files = [
        str(path) for path in sorted((ROOT / "tests").rglob("test_*.py")) if "hypothesis" in path.read_text("utf-8")
    ]
    random.shuffle(files)
    return files


def one_round(seconds: float) -> int:
    """Run the files once, or for `seconds`; return pytest's exit code, 0 where the time was up with nothing found."""
    command = [sys.executable, "-m", "pytest", "-x", "-m", "hypothesis", "--hypothesis-profile=fuzz", *test_files()]
    with subprocess.Popen(command, cwd=ROOT) as process:
        try:
            return process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            code = process.wait()
            return 0 if code == INTERRUPTED else code


def main(minutes: float) -> int:
    """Fuzz until something is found or the time is up: a fifth of it the kernels, the rest Hypothesis's tests."""
    end = time.monotonic() + 60 * minutes
    if code := kernels.main(12 * minutes):
        return code
    while (left := end - time.monotonic()) > 1:
        if code := one_round(left):
            return code
    print(f"nothing found in {minutes:g} minutes")
    return 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 10))
