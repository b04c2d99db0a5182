"""Curves as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def curves(
    out: Path,
    name: str,
    x: Sequence[float],
    ys: Mapping[str, Sequence[float | None]],
    across: str,
    up: str,
    log: str = "",
) -> None:
    """Draw one or more curves over `x`; `log` names the axes that are logarithmic: "", "x" or "xy"."""
    axes = _axes(across, up)
    for axis in log:
        getattr(axes, f"set_{axis}scale")("log")
    if "x" in log:
        axes.set_xticks(x, [f"{each:g}" for each in x])
        axes.set_xticks([], minor=True)
    for label, y in ys.items():
        axes.plot(x, y, marker="o", markersize=3, label=label)
    beside = {"loc": "center left", "bbox_to_anchor": (1, 0.5)} if len(ys) > 3 else {}
    axes.legend(frameon=False, **beside)
    _save(axes, out, name)


def _axes(across: str, up: str) -> Any:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "outgroup"  # the same figure, the same file
    from matplotlib import pyplot

    axes = pyplot.figure(figsize=(5, 3.2)).add_subplot()
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def _save(axes: Any, out: Path, name: str) -> None:
    out.mkdir(parents=True, exist_ok=True)
    axes.figure.savefig(out / f"{name}.svg", bbox_inches="tight", metadata={"Date": None})
    print(f"drawn: {out / name}.svg")
