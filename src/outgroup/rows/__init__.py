"""Rows: the only package that iterates over big data for a fit.

`seam` says what rows are: the six verbs that algorithms know. `choose` picks the kind for what a caller gave: `sparse`,
`dense` or `device` (a graphics card) in memory, `disk` for a folder of `shards`, `dask` for a cluster; `wrappers` are
rows made of other rows. `rules` are what several algorithms ask of a pass, in the operations of `arrays`.
"""

from .choose import as_rows, is_rows
from .neighbours import Neighbours, averaged, nearest
from .rules import cluster_sums, highest
from .seam import OneHot, Rows
from .threads import n_threads, threads
from .wrappers.averaged import AveragedRows, original_of
from .wrappers.centred import CentredRows
from .wrappers.part import PartRows, part_of
from .wrappers.smoothed import SmoothedRows, smoothed_rows
from .wrappers.unit import UnitRows, unit_rows

__all__ = [
    "AveragedRows",
    "CentredRows",
    "Neighbours",
    "OneHot",
    "PartRows",
    "Rows",
    "SmoothedRows",
    "UnitRows",
    "as_rows",
    "averaged",
    "cluster_sums",
    "highest",
    "is_rows",
    "n_threads",
    "nearest",
    "original_of",
    "part_of",
    "smoothed_rows",
    "threads",
    "unit_rows",
]
