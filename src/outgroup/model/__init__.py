"""Texts in, their groups out: a vectorizer and a clusterer as one, saved and loaded as one."""

from .clustering import DocumentClustering
from .saved import SAVEABLE

__all__ = ["SAVEABLE", "DocumentClustering"]
