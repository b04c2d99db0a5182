"""Outgroup: steerable document clustering.

Say what belongs together, and what does not belong at all.
"""

from importlib.metadata import version as _version

from . import metrics
from .cluster.cpm3c import CPM3C
from .cluster.max_margin import MaxMarginClustering
from .cluster.seeded import SeededKMeans
from .cluster.spherical import SphericalKMeans
from .model import DocumentClustering
from .steering import decisions, universum
from .steering.seeds import Seeds, read_seeds
from .text.vectorize import Vectorizer

__version__ = _version("outgroup")
__all__ = [
    "CPM3C",
    "DocumentClustering",
    "MaxMarginClustering",
    "SeededKMeans",
    "Seeds",
    "SphericalKMeans",
    "Vectorizer",
    "decisions",
    "metrics",
    "read_seeds",
    "universum",
]
