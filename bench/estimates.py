"""What is told of off-topic verdicts against what is true: `python -m bench estimates [--draws N] [--neighbours]`.

A figure is right within .10 of the truth, an interval where it holds the truth; what "cannot be told" is counted apart.
The groups are those of spherical k-means, the threshold the default. With `--neighbours` rows are averaged with those
beside them where `neighbours="auto"` does so, and settings where it does not are left out.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from bench.hidden import ESTIMATES, Setting
from bench.tables import show
from outgroup import SphericalKMeans

_NEAR = 0.1


def main(argv: list[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench estimates", description=__doc__)
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--only", default="")
    parser.add_argument("--neighbours", action="store_true")
    given = parser.parse_args(argv)
    chosen = {name: each for name, each in ESTIMATES.items() if given.only in name}
    if given.neighbours:
        chosen = {name: each for name, each in chosen.items() if name.startswith("short") or "vectors" in name}
    rows, verdicts = [], []
    for name, setting in chosen.items():
        found = [_measured(setting, seed, given.neighbours) for seed in range(given.draws)]
        verdicts += [verdict for each in found for verdict in (each["precision"], each["recall"])]
        rows.append([name, *_row(found)])
        print("|", " | ".join(map(_said, rows[-1])), "|", flush=True)
    header = [
        "setting",
        "junk out",
        "on-topic out",
        "most",
        "precision",
        "recall",
        "precision: right, wrong, untold",
        "recall",
    ]
    show(header, rows, f"Estimates, {given.draws} draws")
    known = [verdict for verdict in verdicts if verdict is not None]
    print(f"right: {np.mean(known):.1%} of {len(known)} told; {len(verdicts) - len(known)} of {len(verdicts)} untold")


def _said(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _measured(setting: Setting, seed: int, neighbours: bool) -> dict[str, Any]:
    each = setting.draw(seed).averaged() if neighbours else setting.draw(seed)
    groups = SphericalKMeans(each.k, random_state=seed).fit(each.X, universum=each.examples)
    out = groups.labels_ < 0
    precision = float(each.junk[out].mean()) if out.any() else 1.0
    recall = float(out[each.junk].mean())
    said = groups.off_topic_
    return {
        "out": (recall, float(out[~each.junk].mean()), precision),
        "precision": right(said, "precision", precision),
        "recall": right(said, "recall", recall),
    }


def right(said: dict[str, Any], name: str, truth: float) -> bool | None:
    """Return whether what is said of a share is right; None where it cannot be told."""
    if said[name] is not None:
        return bool(abs(said[name] - truth) <= _NEAR)
    if said[f"{name}_low"] is None:
        return None
    return bool(said[f"{name}_low"] <= truth <= said[f"{name}_high"])


def _row(found: list[dict[str, Any]]) -> list[Any]:
    recall, lost, precision = np.array([each["out"] for each in found]).mean(axis=0)
    counts = [[each[name] for each in found] for name in ("precision", "recall")]
    said = [f"{each.count(True)}, {each.count(False)}, {each.count(None)}" for each in counts]
    most = max(each["out"][1] for each in found)
    return [float(recall), float(lost), float(most), float(precision), float(recall), *said]
