"""Rows of data: the only package that iterates over large data during a fit.

`base` defines rows, the six verbs that algorithms know, and the shared rules, in the operations of
`arrays`. `matrix` has dense rows, and picks the kind for an input: these, `sparse` or `device` (a graphics card)
in memory, `mapped` for files, `dask` for a cluster. `wrappers` are rows made of other rows,
`neighbour_graph` the graph of nearest neighbours.
"""

from .base import OneHot, Rows, cluster_sums, highest
from .matrix import as_rows, is_rows
from .neighbour_graph import Neighbours, averaged, nearest
from .threads import n_threads, threads
from .wrappers import (
    AveragedRows,
    CentredRows,
    PartRows,
    ScaledRows,
    UnitRows,
    original_of,
    part_of,
    unit_rows,
    weighed_rows,
)

__all__ = [
    "AveragedRows",
    "CentredRows",
    "Neighbours",
    "OneHot",
    "PartRows",
    "Rows",
    "ScaledRows",
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
    "threads",
    "unit_rows",
    "weighed_rows",
]
