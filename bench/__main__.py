"""The entry point: `python -m bench NAME ...` runs one measurement and prints it."""

from __future__ import annotations

import sys
from importlib import import_module

COMMANDS = {
    "corpus": "corpus",
    "table": "paper_tables",
    "figure": "paper_figures",
    "results": "results",
    "against": "against",
    "all": "everything",
    "peers": "peers",
    "corrections": "corrections",
    "defaults": "defaults",
    "dense": "dense",
    "film": "film",
    "first-light": "first_light",
    "first-variation": "first_variation",
    "dual-supervision": "dual_supervision",
    "near": "near",
    "neighbours": "neighbours",
    "numbers": "numbers",
    "off-topic": "off_topic",
    "aside": "aside",
    "estimates": "estimates",
    "kills": "kills",
    "labels": "labels",
    "languages": "languages",
    "page": "page",
    "passes": "passes",
    "representations": "representations",
    "scale": "scale",
    "steer": "steer",
    "trust": "trust",
    "vectorizer-defaults": "vectorizer_defaults",
}


def main(argv: list[str]) -> int:
    """Hand the rest of the command line to the measurement that its first word names."""
    if not argv or argv[0] not in COMMANDS:
        print(f"usage: python -m bench {{{','.join(COMMANDS)}}} ...", file=sys.stderr)
        return 2
    import_module(f"bench.{COMMANDS[argv[0]]}").main(argv[1:])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
