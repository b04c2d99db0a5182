"""What is told of off-topic verdicts against what is true: `python -m bench estimates [--draws N] [--neighbours]`.

A figure is right within .10 of the truth, an interval where it holds the truth; what "cannot be told" is counted apart.
The groups are those of spherical k-means, the threshold the default. A fifth of the documents is held back: new ones,
for which the promise is made, too. With `--neighbours` rows are averaged with those beside them where
`neighbours="auto"` does so, and settings where it does not are left out.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from bench.data.hidden import ESTIMATES, Setting
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
        "of new junk",
        "of new on-topic",
        "most",
        "precision",
        "precision: right, wrong, untold",
        "recall",
    ]
    show(header, rows, f"Estimates, {given.draws} draws")
    known = [verdict for verdict in verdicts if verdict is not None]
    print(f"right: {np.mean(known):.1%} of {len(known)} told; {len(verdicts) - len(known)} of {len(verdicts)} untold")


def _said(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _measured(setting: Setting, seed: int, neighbours: bool) -> dict[str, Any]:
    each = setting.draw(seed).held_back()
    each = each.averaged() if neighbours else each
    groups = SphericalKMeans(each.k, random_state=seed).fit(each.rows, universum=each.universum)
    out = groups.labels_ < 0
    precision = float(each.junk[out].mean()) if out.any() else 1.0
    recall = float(out[each.junk].mean())
    said, new, off = groups.off_topic_, groups.predict(each.later) < 0, np.asarray(each.new_junk)
    return {
        "out": (recall, float(out[~each.junk].mean())),
        "new": (float(new[off].mean()), float(new[~off].mean())),
        "share": precision,
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
    told = [_shares(found, name) for name in ("out", "new")]
    counts = [[each[name] for each in found] for name in ("precision", "recall")]
    said = [f"{each.count(True)}, {each.count(False)}, {each.count(None)}" for each in counts]
    return [*told[0], *told[1], float(np.mean([each["share"] for each in found])), *said]


def _shares(found: list[dict[str, Any]], name: str) -> list[float]:
    """Return the shares of junk and of on-topic documents that are out, and the most of the latter."""
    recall, lost = np.array([each[name] for each in found]).T
    return [float(recall.mean()), float(lost.mean()), float(lost.max())]
