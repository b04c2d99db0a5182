"""The clusterer that the settings ask for."""

from __future__ import annotations

from typing import Any

from ..cluster.max_margin import MaxMarginClustering
from ..cluster.spherical import SphericalKMeans
from ..errors import InputError
from .settings.cluster import ClusterSettings
from .settings.options import option


def neighbours_of(settings: ClusterSettings) -> int | str:
    return settings.neighbours if settings.neighbours == "auto" else int(settings.neighbours)


def clusterer_of(settings: ClusterSettings) -> MaxMarginClustering | SphericalKMeans:
    k = settings.k if isinstance(settings.k, int) else 1  # what a profile will choose
    found: dict[str, Any] = {
        "n_init": settings.n_init or ("auto" if settings.method == "max-margin" else 1),
        "off_topic_rate": settings.off_topic_rate,
        "off_topic_threshold": settings.off_topic_threshold,
        "set_aside": not settings.keep_off_topic,
        "random_state": settings.seed,
    }
    if settings.method == "max-margin":
        return MaxMarginClustering(k, **found)
    if settings.seeds is not None:
        raise InputError("--method spherical takes no --seeds; leave them out, or use max-margin")
    names = ("off_topic_rate", "off_topic_threshold", "keep_off_topic")
    unused = [option(name) for name in names if getattr(settings, name) != getattr(ClusterSettings, name)]
    if unused and settings.universum is None:
        said = " or ".join(unused)
        raise InputError(f"--method spherical makes no use of {said} without --universum; leave it out, or give both")
    return SphericalKMeans(k, **found)
