"""What a person decides about groups, as values: the public address of `outgroup.steering.decisions`."""

from .steering.decisions import *  # noqa: F403
