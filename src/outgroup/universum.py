"""Examples that belong to none of the groups: the public address of `outgroup.steering.universum`."""

from .steering.universum import *  # noqa: F403
