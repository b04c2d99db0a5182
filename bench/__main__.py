"""The entry point: `python -m bench NAME ...` runs one measurement and prints it."""

from __future__ import annotations

import sys
from importlib import import_module

COMMANDS = {
    "ablation": "studies.ablation",
    "against": "studies.against",
    "against-sklearn": "studies.against_sklearn",
    "all": "papers.everything",
    "aside": "studies.aside",
    "codebook": "studies.definitions",
    "figure": "papers.figures",
    "hostile": "studies.hostile",
    "intents": "studies.intents",
    "kills": "studies.kills",
    "languages": "studies.languages",
    "names": "studies.group_names",
    "mutants": "mutants",
    "outliers": "studies.outliers",
    "peers": "studies.peers",
    "representations": "studies.representations",
    "results": "papers.results",
    "scale": "scale",
    "several": "studies.several",
    "steer": "studies.steer",
    "table": "papers.tables",
    "watch": "studies.watch",
}


def main(argv: list[str]) -> int:
    """Hand the rest of the command line to the measurement that its first word names."""
    if not argv or argv[0] not in COMMANDS:
        print(f"usage: python -m bench {{{','.join(COMMANDS)}}} ...", file=sys.stderr)
        return 2
    module = import_module(f"bench.{COMMANDS[argv[0]]}")
    if argv[1:2] in (["-h"], ["--help"]) and "argparse" not in vars(module):
        print(module.__doc__)  # without options to explain: what it measures, and of what
        return 0
    module.main(argv[1:])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
