"""What `outgroup workbench` can be told."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from .cluster import ClusterSettings
from .options import PAGE, as_text, documents_of, path_of


@dataclass(frozen=True)
class WorkbenchSettings(ClusterSettings):
    """What `outgroup workbench` can be told, beside what `cluster` can."""

    docs: Annotated[
        Any,  # a Place, or None
        Argument(
            metavar="DOCS",
            help="Documents, as for `outgroup cluster`. Default: those of an existing project.",
            parser=documents_of,
        ),
    ] = None
    project: Annotated[
        Path | None,
        Option(
            help="File that keeps every decision as it is made. If it exists, you go on where it stood; it knows DOCS.",
            parser=path_of,
            rich_help_panel=PAGE,
        ),
    ] = None
    embed_texts: Annotated[
        bool,
        Option("--embed-texts", help="Keep the texts in the project file, too.", rich_help_panel=PAGE),
    ] = False
    port: Annotated[
        int, Option(min=0, max=65_535, help="Port to listen at. Default: one that is free.", rich_help_panel=PAGE)
    ] = 0
    no_browser: Annotated[
        bool, Option("--no-browser", help="Print the address, and open no browser.", rich_help_panel=PAGE)
    ] = False
    host: Annotated[
        str,
        Option(help="Address to listen at; one that other machines can reach needs --i-know.", rich_help_panel=PAGE),
    ] = "127.0.0.1"
    i_know: Annotated[
        bool,
        Option(
            "--i-know",
            help="Let other machines in, over a connection that is not encrypted; a password is asked for.",
            rich_help_panel=PAGE,
        ),
    ] = False

    @property
    def command(self) -> str:
        """Return the command line that opens these groups again; without a project, the one that they began with."""
        if self.project is None:
            return shlex.join(["outgroup", "workbench", as_text(self.docs), *self.options])
        out = [] if self.out is None else ["--out", as_text(self.out)]
        return shlex.join(["outgroup", "workbench", "--project", as_text(self.project), *out])
