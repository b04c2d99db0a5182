"""Collections larger than memory: text to shards, folds over them, and a result in parts."""

from .assign import assign
from .choice import streams, streams_new
from .cluster import cluster

__all__ = ["assign", "cluster", "streams", "streams_new"]
