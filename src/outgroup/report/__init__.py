"""The report: plain data in, one HTML file, a terminal's tables or `clusters.json` out. Knows no estimator."""

from .facts import Fixed, Summary
from .pack import PackedTexts, pack, pack_texts
from .render import render
from .summary import clusters_json, summarise
from .terminal import terminal
from .words import distinctive, pulled_out

__all__ = [
    "Fixed",
    "PackedTexts",
    "Summary",
    "clusters_json",
    "distinctive",
    "pack",
    "pack_texts",
    "pulled_out",
    "render",
    "summarise",
    "terminal",
]
