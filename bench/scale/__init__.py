"""Collections larger than memory: made on the fly, written as rows in files, and passed over.

make N FILE     JSON lines of N documents of 30 words from a topic model of 20 Newsgroups (100 topics), seeded
rows FILE DIR   text to rows in files, in two passes: seconds and peak memory of each
passes DIR      a pass over rows in files in the page cache, against the same rows in memory
run FILE        `outgroup cluster FILE --memory` in a process of its own: seconds of each step, memory, disk
device          passes and fits on a graphics card, against this processor
workers DIR     a pass on a scheduler and two single-threaded workers, against one in this process on two threads
"""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path
from typing import Any

Options = dict[str, dict[str, Any]]


def _k(default: int) -> Options:
    return {"-k": {"type": int, "default": default}}


_FILE: Options = {"file": {"type": Path}}
_FOLDER: Options = {"folder": {"type": Path}}

COMMANDS: dict[str, tuple[str, Options]] = {
    "make": ("documents.make", {"n": {"type": int}} | _FILE),
    "rows": ("passes.rows", _FILE | _FOLDER | {"--max-features": {"type": int, "default": 20_000}}),
    "passes": ("passes.passes", _FOLDER | _k(100)),
    "run": ("run.run", _FILE | _k(100) | {"--memory": {"default": "4G"}}),
    "device": ("device.device", {"--device": {"default": "cuda"}, "--share": {"type": float, "default": 1.0}}),
    "workers": ("passes.workers", _FOLDER | _k(100)),
}
"""What is measured by which function, and what it takes."""


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench scale", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    what = parser.add_subparsers(dest="what", required=True)
    for name, (_, options) in COMMANDS.items():
        own = what.add_parser(name)
        for option, given in options.items():
            own.add_argument(option, **given)
    chosen = vars(parser.parse_args(argv))
    module, function = COMMANDS[chosen.pop("what")][0].split(".")
    getattr(import_module(f"bench.scale.{module}"), function)(**chosen)
