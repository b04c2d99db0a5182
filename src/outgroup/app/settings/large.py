"""What `outgroup cluster` can be told of collections larger than memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from typer import Option

from .cluster import ClusterSettings
from .options import CLUSTER, LARGE, MEMORY


@dataclass(frozen=True)
class LargeSettings(ClusterSettings):
    """What `outgroup cluster` can be told beside that, of collections larger than memory."""

    memory: Annotated[str | None, MEMORY] = None
    cluster: Annotated[str | None, CLUSTER] = None
    device: Annotated[
        str | None,
        Option(
            metavar="DEVICE",
            help="Graphics card to compute on, such as cuda or cuda:1 (extra gpu); a fit then starts from a sample.",
            rich_help_panel=LARGE,
        ),
    ] = None
    resume: Annotated[
        bool,
        Option(
            "--resume",
            help="Go on where a run with the same options was killed; needs --memory or --cluster.",
            rich_help_panel=LARGE,
        ),
    ] = False
