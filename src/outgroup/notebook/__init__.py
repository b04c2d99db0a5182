"""What a notebook shows of groups: tables, pages, pictures, and the way on."""

from .groups import DocumentClustering
from .version import show

__all__ = ["DocumentClustering", "show"]
