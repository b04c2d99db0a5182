"""Rows: the only package that iterates over big data for a fit."""

from .centred import CentredRows
from .choose import as_rows, is_rows
from .neighbours import Neighbours, averaged, nearest
from .original import AveragedRows, original_of
from .part import PartRows, part_of
from .rules import cluster_sums, highest
from .seam import OneHot, Rows
from .smoothed import SmoothedRows, smoothed_rows
from .threads import n_threads, threads
from .unit import UnitRows, unit_rows

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
