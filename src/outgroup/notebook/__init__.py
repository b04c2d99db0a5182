"""Notebook interface: groups as tables, pages and figures."""

from .display import show
from .groups import DocumentClustering

__all__ = ["DocumentClustering", "show"]
