"""Rows: the only room that iterates over big data for a fit."""

from .centred import CentredRows
from .choose import as_rows
from .seam import OneHot, Rows
from .threads import n_threads, threads

__all__ = ["CentredRows", "OneHot", "Rows", "as_rows", "n_threads", "threads"]
