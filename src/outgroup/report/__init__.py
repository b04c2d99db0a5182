"""The report: plain data in, one HTML file, a terminal's tables or `clusters.json` out. Knows no estimator."""

from .facts import Summary
from .render import render
from .summary import clusters_json, summarise
from .terminal import terminal
from .words import pulled_out

__all__ = ["Summary", "clusters_json", "pulled_out", "render", "summarise", "terminal"]
