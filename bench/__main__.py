"""The entry point: `python -m bench NAME ...` runs one measurement and prints it."""

from __future__ import annotations

import sys
from importlib import import_module

COMMANDS = {
    "ablation": "studies.ablation",
    "against": "studies.against",
    "all": "papers.everything",
    "aside": "studies.aside",
    "backgrounds": "studies.backgrounds",
    "codes": "studies.codes",
    "corpus": "papers.corpus",
    "corrections": "studies.corrections",
    "defaults": "studies.defaults",
    "dense": "studies.dense",
    "dual-supervision": "studies.dual_supervision",
    "emerging": "studies.emerging",
    "estimates": "studies.estimates",
    "figure": "papers.figures",
    "film": "studies.film",
    "first-variation": "studies.first_variation",
    "hostile": "studies.hostile",
    "intents": "studies.intents",
    "kills": "studies.kills",
    "labels": "studies.labels",
    "languages": "studies.languages",
    "levels": "studies.levels",
    "max-margin": "studies.max_margin",
    "names": "studies.group_names",
    "near": "studies.near",
    "membership": "studies.membership",
    "mutants": "mutants",
    "neighbours": "studies.neighbours",
    "new-groups": "studies.new_groups",
    "numbers": "studies.numbers",
    "off-topic": "studies.off_topic",
    "outliers": "studies.outliers",
    "page": "studies.page",
    "peers": "studies.peers",
    "products": "studies.products",
    "representations": "studies.representations",
    "results": "papers.results",
    "scale": "scale",
    "shares": "studies.shares",
    "steer": "studies.steer",
    "table": "papers.tables",
    "trust": "studies.trust",
    "vectorizer-defaults": "studies.vectorizer_defaults",
    "watch": "studies.watch",
    "words": "studies.labelled_words",
}


def main(argv: list[str]) -> int:
    """Hand the rest of the command line to the measurement that its first word names."""
    if not argv or argv[0] not in COMMANDS:
        print(f"usage: python -m bench {{{','.join(COMMANDS)}}} ...", file=sys.stderr)
        return 2
    module = import_module(f"bench.{COMMANDS[argv[0]]}")
    if {"-h", "--help"} & set(argv[1:]) and "argparse" not in vars(module):
        print(module.__doc__)  # without options to explain: what it measures, and of what
        return 0
    module.main(argv[1:])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
