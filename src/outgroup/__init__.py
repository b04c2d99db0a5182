"""Outgroup: steerable document clustering.

Say what belongs together, and what does not belong at all.
"""

from .cluster.max_margin import MaxMarginClustering
from .cluster.seeded import SeededKMeans
from .cluster.spherical import SphericalKMeans

__version__ = "0.1.0"
__all__ = ["MaxMarginClustering", "SeededKMeans", "SphericalKMeans"]
