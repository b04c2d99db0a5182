"""`python -m bench against-sklearn [--rounds N]`: the whole command beside two steps of scikit-learn.

`outgroup cluster` by words, with the report, and TfidfVectorizer() with KMeans(n_init=1) take turns on the same file,
each in a fresh process, imports included. Printed are medians of wall and processor seconds, and of the ratios of wall
times.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench import data
from bench.tables import show

JOBS = (("20news-18828", 20), ("banking77", 77))
OURS = "from outgroup.__main__ import main; main()"
THEIRS = """
import json, sys
from sklearn.cluster import KMeans
from sklearn.feature_extraction.text import TfidfVectorizer
texts = [json.loads(line)["text"] for line in open(sys.argv[1], encoding="utf-8")]
X = TfidfVectorizer().fit_transform(texts)
KMeans(int(sys.argv[2]), n_init=1, random_state=0).fit(X)
"""


def main(arguments: list[str]) -> None:
    """Print the seconds of both programs on each collection."""
    parser = argparse.ArgumentParser(prog="python -m bench against-sklearn")
    parser.add_argument("--rounds", type=int, default=3)
    rounds, rows = parser.parse_args(arguments).rounds, []
    with tempfile.TemporaryDirectory() as folder:
        for name, k in JOBS:
            source = Path(folder, f"{name}.jsonl")
            source.write_text("".join(data.lines(data.folder() / f"{name}.jsonl.xz")), encoding="utf-8")
            out = ["--encoder", "none", "--force", "--quiet", "--out", os.fspath(Path(folder, "out"))]
            ours = [OURS, "cluster", os.fspath(source), "-k", str(k), *out]
            pairs = [(_seconds(ours), _seconds([THEIRS, os.fspath(source), str(k)])) for _ in range(rounds)]
            medians = [
                statistics.median(values) for pair in zip(*pairs, strict=True) for values in zip(*pair, strict=True)
            ]
            ratio = statistics.median(here[0] / there[0] for here, there in pairs)
            rows.append([name, k, *(round(each, 2) for each in medians), round(ratio, 2)])
    columns = ["collection", "k", "wall s", "processor s", "scikit-learn wall s", "processor s", "ratio of wall"]
    show(columns, rows, f"medians of {rounds} rounds by turns")


def _seconds(program: list[str]) -> tuple[float, float]:
    """Return the wall and processor seconds of a program of Python."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    compiled = os.environ | {"PYTHONDONTWRITEBYTECODE": ""}  # as an installed package is: the first round writes it
    subprocess.run([sys.executable, "-c", *program], check=True, capture_output=True, env=compiled)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
