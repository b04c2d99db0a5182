"""Notebook interface: groups as tables, pages and figures."""

from ..document_clustering import DocumentClustering
from .display import show

__all__ = ["DocumentClustering", "show"]
