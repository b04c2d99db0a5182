"""Rows: the only package that iterates over big data for a fit."""

from .centred import CentredRows
from .choose import as_rows, is_rows
from .part import PartRows, part_of
from .rules import cluster_sums, highest
from .seam import OneHot, Rows
from .threads import n_threads, threads
from .unit import UnitRows, unit_rows

__all__ = [
    "CentredRows",
    "OneHot",
    "PartRows",
    "Rows",
    "UnitRows",
    "as_rows",
    "cluster_sums",
    "highest",
    "is_rows",
    "n_threads",
    "part_of",
    "threads",
    "unit_rows",
]
