"""What a notebook shows of groups: tables, pages, pictures, and the way on."""

from .display import show
from .groups import DocumentClustering

__all__ = ["DocumentClustering", "show"]
