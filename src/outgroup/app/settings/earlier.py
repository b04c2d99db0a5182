"""What the commands that need an earlier result or project can be told."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal

from typer import Argument, Option

from .cluster import ClusterSettings
from .options import (
    CLUSTER,
    EMBEDDINGS,
    ENCODER,
    MEMORY,
    OUT_FOLDER,
    Docs,
    Force,
    Json,
    Quiet,
    Table,
    Threads,
    as_option,
    as_text,
    documents_of,
    path_of,
    reading,
)

_BESIDE = {"project", "docs", "threads", "force", "quiet", "json"}  # of a command that is told again


@dataclass(frozen=True)
class ReplaySettings:
    """What `outgroup replay` can be told; None means as when the project was made."""

    project: Annotated[Path, Argument(metavar="PROJECT", help="A project file, such as work.outgroup.", parser=path_of)]
    docs: Docs
    out: Annotated[Path | None, OUT_FOLDER] = None
    universum: Annotated[
        Any,  # a Place, or None
        Option(help="Off-topic examples. Default: those of the project.", metavar="PATH", parser=documents_of),
    ] = None
    text: Annotated[str | None, reading("Field that holds the text. Default: as for the project.")] = None
    id: Annotated[str | None, reading("Field that holds the id. Default: as for the project.")] = None
    title: Annotated[str | None, reading("Field that holds the title. Default: as for the project.")] = None
    strip: Annotated[str | None, reading("Parts of mails to leave out. Default: as for the project.")] = None
    encoding: Annotated[str | None, reading("Encoding of texts that are no Unicode. Default: as for the project.")] = (
        None
    )
    sheet: Annotated[str | None, reading("Sheet of a spreadsheet. Default: as for the project.")] = None
    embeddings: Annotated[str | None, EMBEDDINGS] = None
    threads: Threads = None
    table: Table = None
    force: Force = False
    quiet: Quiet = False
    json: Json = False

    @property
    def command(self) -> str:
        """Return the command line that gives the same result."""
        given = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in _BESIDE}
        said = {name: as_text(value) for name, value in given.items() if value is not None}
        options = [part for name, value in said.items() for part in as_option(name, value)]
        return shlex.join(["outgroup", "replay", as_text(self.project), as_text(self.docs), *options])


@dataclass(frozen=True)
class ReplayedSettings(ClusterSettings):
    """What a replay comes to: a run of the project's settings, that the command line `made` gives again."""

    made: str = ""

    @property
    def command(self) -> str:
        """Return the command line that gives the same result."""
        return self.made


@dataclass(frozen=True)
class AssignSettings:
    """What `outgroup assign` can be told; None means as when the groups were made."""

    model: Annotated[
        Path,
        Argument(
            metavar="MODEL", help="Folder of a result of `outgroup cluster`, or of a saved model.", parser=path_of
        ),
    ]
    docs: Docs
    out: Annotated[
        Path | None, Option(help="File to write, .csv or .xlsx. Default: the terminal, as CSV.", parser=path_of)
    ] = None
    text: Annotated[str | None, reading("Field that holds the text. Default: as for the groups.")] = None
    id: Annotated[str | None, reading("Field that holds the id. Default: as for the groups.")] = None
    title: Annotated[str | None, reading("Field that holds the title. Default: as for the groups.")] = None
    no_title: Annotated[
        bool | None, reading("Leave the title out of the text. Default: as for the groups.", "--no-title")
    ] = None
    html: Annotated[Literal["text", "keep"] | None, reading("HTML inside fields. Default: as for the groups.")] = None
    strip: Annotated[str | None, reading("Parts of mails to leave out. Default: as for the groups.")] = None
    encoding: Annotated[str | None, reading("Encoding of texts that are no Unicode. Default: as for the groups.")] = (
        None
    )
    sheet: Annotated[str | None, reading("Sheet of a spreadsheet. Default: as for the groups.")] = None
    embeddings: Annotated[str | None, EMBEDDINGS] = None
    encoder: Annotated[str | None, ENCODER] = None
    threads: Threads = None
    memory: Annotated[str | None, MEMORY] = None
    cluster: Annotated[str | None, CLUSTER] = None
    force: Force = False
    quiet: Quiet = False

    @property
    def table(self) -> str:
        """The kind of table that `out` names."""
        return "xlsx" if self.out is not None and self.out.suffix.lower() == ".xlsx" else "csv"
