"""Outgroup: steerable document clustering.

Say what belongs together, and what does not belong at all.
"""

# Names are imported when they are first used: whoever stops a command while it starts shall see one line, and for that
# the command must be at work before the libraries are.

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # what typing calls so, without the time that its import takes
if TYPE_CHECKING:
    from typing import Any

    from . import decisions, metrics, universum
    from .cluster.cpm3c import CPM3C
    from .cluster.max_margin import MaxMarginClustering
    from .cluster.neighbour_average import NeighbourAverage
    from .cluster.profile import k_profile
    from .cluster.seeded import SeededKMeans
    from .cluster.spherical import SphericalKMeans
    from .cluster.trust import group_trust
    from .document_clustering import DocumentClustering
    from .text.vectorizer import Vectorizer

    __version__: str

_HOMES = {
    "CPM3C": "cluster.cpm3c",
    "DocumentClustering": "document_clustering",
    "MaxMarginClustering": "cluster.max_margin",
    "NeighbourAverage": "cluster.neighbour_average",
    "SeededKMeans": "cluster.seeded",
    "SphericalKMeans": "cluster.spherical",
    "Vectorizer": "text.vectorizer",
    "decisions": "decisions",
    "group_trust": "cluster.trust",
    "k_profile": "cluster.profile",
    "metrics": "metrics",
    "universum": "universum",
}
"""The module of each name; a name that is its module's last part is the module itself."""

__all__ = [
    "CPM3C",
    "DocumentClustering",
    "MaxMarginClustering",
    "NeighbourAverage",
    "SeededKMeans",
    "SphericalKMeans",
    "Vectorizer",
    "decisions",
    "group_trust",
    "k_profile",
    "metrics",
    "universum",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        value: Any = version("outgroup")
    elif name in _HOMES:
        value = _imported(_HOMES[name], name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def _imported(home: str, name: str) -> Any:
    module = import_module(f"{__name__}.{home}")
    return module if home.rpartition(".")[2] == name else getattr(module, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"} - {"TYPE_CHECKING", "annotations", "import_module"})
