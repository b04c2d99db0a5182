"""Rows: the only package that iterates over big data for a fit."""

from .centred import CentredRows
from .choose import as_rows, is_rows
from .rules import cluster_sums, highest
from .seam import OneHot, Rows
from .threads import n_threads, threads
from .unit import UnitRows, unit_rows

__all__ = [
    "CentredRows",
    "OneHot",
    "Rows",
    "UnitRows",
    "as_rows",
    "cluster_sums",
    "highest",
    "is_rows",
    "n_threads",
    "threads",
    "unit_rows",
]
