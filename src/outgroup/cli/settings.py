"""The settings of each command: a frozen dataclass filled by options or by a TOML file."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any, Literal

from typer import Argument, Option

from ..places import Place
from ..readers.encoding import EXAMPLES
from ..text.languages import described
from .options import (
    CLUSTER,
    EMBEDDINGS,
    ENCODER,
    FIT,
    FIXED,
    LARGE,
    MEMORY,
    OFF_TOPIC,
    OUT_FOLDER,
    OUTPUT,
    PAGE,
    VECTORS,
    WORDS,
    Docs,
    Force,
    Json,
    Quiet,
    Table,
    Threads,
    as_option,
    as_text,
    documents_of,
    groups,
    no_address,
    passes,
    path_of,
    rate,
    reading,
    take_config,
)  # fmt: skip

# --- What `outgroup cluster` can be told, in a stream or not; `outgroup workbench` knows these options, too

_SESSION = {  # options that shape the session and not the result
    "config", "force", "quiet", "json", "project", "embed_texts", "port", "no_browser", "host", "i_know",
    "resume", "said", "made",
}  # fmt: skip


@dataclass(frozen=True)
class ClusterSettings:
    """What `outgroup cluster` can be told."""

    docs: Docs
    k: Annotated[
        Any,
        Option(
            "-k",
            metavar="K|auto|FROM-TO",
            parser=groups,
            help="How many groups: a number; or auto or a range such as 5-40, and one is chosen, others proposed.",
        ),
    ] = 8
    universum: Annotated[
        Any,  # a Place, or None
        Option(
            help="Examples of what belongs to no group, a folder or a file like DOCS: what is like them is set aside. "
            "Ten at least, better 50.",
            metavar="PATH",
            parser=documents_of,
        ),
    ] = None
    seeds: Annotated[
        Path | None,
        Option(
            help="TOML file with names of groups, and some documents or words of each: the groups grow around them.",
            parser=path_of,
        ),
    ] = None
    from_: Annotated[
        Path | None,
        Option(
            "--from",
            metavar="RESULT",
            help="Earlier result to go on from: groups keep their numbers, names and words, and only what is new or "
            "decided moves.",
            parser=path_of,
        ),
    ] = None
    steer: Annotated[
        Path | None,
        Option(
            help="File of decisions to follow, such as the steering.toml that the report saves (or lines of JSON).",
            parser=path_of,
        ),
    ] = None
    method: Annotated[
        Literal["max-margin", "spherical"],
        Option(
            help="max-margin: wide margins between groups; takes off-topic examples and seeds. spherical: k-means by "
            "the cosine with local search; faster, and takes off-topic examples alone.",
            rich_help_panel=FIT,
        ),
    ] = "max-margin"
    out: Annotated[Path | None, OUT_FOLDER] = None
    text: Annotated[str, reading("Column or field that holds the text, or several: subject,body.")] = "text"
    id: Annotated[str, reading("Column or field that holds the id.")] = "id"
    title: Annotated[str, reading("Column or field that holds the title.")] = "title"
    no_title: Annotated[bool, reading("Leave the title out of the text; else it is in it.", "--no-title")] = False
    label: Annotated[
        str, reading("Column or field with known classes, to compare the groups with; never used to find them.")
    ] = "label"
    by: Annotated[
        str,
        reading("Column to count groups by: a date or a category. Default: the only column of dates, if there is."),
    ] = ""
    html: Annotated[
        Literal["text", "keep"],
        reading("HTML inside fields: text takes the tags out, and says of how many texts; keep leaves them in."),
    ] = "text"
    strip: Annotated[str, reading("Parts of mails to leave out: any of headers,quotes,signatures.")] = ""
    encoding: Annotated[
        str,
        reading(f"Encoding of texts that are no Unicode: {EXAMPLES}. Default: cp1252, of Western Europe, and a note."),
    ] = ""
    sheet: Annotated[
        str,
        reading(
            "Sheet of a spreadsheet. Default: the first one with the field of the text and rows below it, and those "
            "behind it with the same columns."
        ),
    ] = ""
    embeddings: Annotated[str | None, EMBEDDINGS] = None
    encoder: Annotated[str | None, ENCODER] = None
    neighbours: Annotated[
        str,
        Option(
            metavar="auto|N",
            help="How often a document is averaged with its nearest ones before groups are looked for; 0: never. "
            "auto: texts of up to some 80 words once, embeddings five times (with the nearest by words, too), where "
            "there are a thousand or more; of longer texts neighbours are asked once the groups stand.",
            rich_help_panel=FIT,
            callback=passes,
        ),
    ] = "auto"
    universum_embeddings: Annotated[
        str | None,
        Option(
            metavar="FILE|COLUMN",
            help="Vectors of the off-topic examples. Default: the column of the same name, or the encoder.",
            rich_help_panel=VECTORS,
            parser=no_address,
        ),
    ] = None
    language: Annotated[
        str,
        Option(
            help=f"Language of the texts, for stop words and stems, or several, as in german,english: {described()}.",
            rich_help_panel=WORDS,
        ),
    ] = "english"
    stop_words: Annotated[
        str,
        Option(
            metavar="FILE|LIST",
            help="Words to leave out besides the language's own: a file with a word a line, or a list such as re,fwd.",
            rich_help_panel=WORDS,
            parser=no_address,
        ),
    ] = ""
    phrases: Annotated[
        bool,
        Option(
            "--phrases",
            help="Count pairs of words that stand together more often than chance says, such as credit card.",
            rich_help_panel=WORDS,
        ),
    ] = False
    keep_numbers: Annotated[
        bool, Option("--keep-numbers", help="Count numbers, too, and words with digits in them.", rich_help_panel=WORDS)
    ] = False
    min_length: Annotated[int, Option(min=1, help="Fewest letters of a word that counts.", rich_help_panel=WORDS)] = 2
    segmentation: Annotated[
        Literal["pairs", "words"],
        Option(
            help="How Chinese, Japanese and Thai are taken apart: into pairs of signs, or into words of a dictionary "
            "(extra segmentation).",
            rich_help_panel=WORDS,
        ),
    ] = "pairs"
    min_df: Annotated[
        int | None,
        Option(min=1, help="Words of fewer documents do not count. Default: 1 to 3.", rich_help_panel=WORDS),
    ] = None
    max_df: Annotated[
        float,
        Option(min=0.0, max=1.0, help="Words of a larger share of the documents do not count.", rich_help_panel=WORDS),
    ] = 0.5
    max_features: Annotated[
        int, Option(min=1, help="Most words to count, those of the most documents.", rich_help_panel=WORDS)
    ] = 20_000
    off_topic_rate: Annotated[
        float,
        Option(
            callback=rate,
            metavar="SHARE",
            help="Largest share of on-topic documents that may be called off-topic by mistake.",
            rich_help_panel=OFF_TOPIC,
        ),
    ] = 0.05
    off_topic_threshold: Annotated[
        Literal["mixture", "conformal"],
        Option(
            help="mixture takes out as much as there is, if it is like the examples, of which it needs 50; conformal, "
            "taken where there are fewer, keeps the rate whatever the junk is like, but flags hardly more than that "
            "share of all.",
            rich_help_panel=OFF_TOPIC,
        ),
    ] = "mixture"
    keep_off_topic: Annotated[
        bool,
        Option(
            "--keep-off-topic",
            help="Flag off-topic documents, but leave them in their groups.",
            rich_help_panel=OFF_TOPIC,
        ),
    ] = False
    n_init: Annotated[
        int | None,
        Option(
            min=1,
            max=1_000_000,
            help="Number of starts, of which the best is kept. Default: 40 / k, at least 1 (spherical: 1).",
            rich_help_panel=FIT,
        ),
    ] = None
    seed: Annotated[
        int, Option(min=0, max=2**32 - 1, help="The same number gives the same groups.", rich_help_panel=FIT)
    ] = 0
    quick: Annotated[
        bool,
        Option(
            "--quick",
            help="Do not find out how far each group can be trusted, which takes about as long as the fit.",
            rich_help_panel=FIT,
        ),
    ] = False
    threads: Threads = None
    config: Annotated[
        Path | None,
        Option(
            help="TOML file with any of these options, such as n_init = 20.",
            callback=take_config,
            is_eager=True,
            parser=path_of,
            rich_help_panel=OUTPUT,
        ),
    ] = None
    report_size: Annotated[
        float,
        Option(
            min=0,
            metavar="MB",
            help="Megabytes of report.html for full texts and, a quarter at most, for other columns; it always has "
            "each document's first 400 characters.",
            rich_help_panel=OUTPUT,
        ),
    ] = 5.0
    with_text: Annotated[
        bool,
        Option("--with-text", help="Write each text into the table, too, as the last column.", rich_help_panel=OUTPUT),
    ] = False
    table: Table = None
    force: Force = False
    quiet: Quiet = False
    json: Json = False
    said: frozenset[str] = field(default=frozenset(), compare=False)  # options that were given, by name

    @property
    def parameters(self) -> dict[str, Any]:
        """Return what shapes the result, as plain values."""
        found = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in _SESSION}
        return {name: as_text(value) if isinstance(value, Place) else value for name, value in found.items()}

    @property
    def command(self) -> str:
        """Return the command line that gives the same result: what differs from the defaults."""
        return shlex.join(["outgroup", "cluster", as_text(self.docs), *self.options])

    @property
    def options(self) -> list[str]:
        """Return the options that differ from their defaults, as they are given on a command line: of those that follow
        an earlier result it needs none."""
        defaults = {each.name: each.default for each in fields(self)}
        needless = {"docs"} if self.from_ is None else {"docs", *FIXED}
        found = {name: value for name, value in self.parameters.items() if name not in needless}
        said = {name: value for name, value in found.items() if value != defaults[name]}
        return [part for name, value in said.items() for part in as_option(name, value)]


# --- What the commands that need an earlier result or project can be told

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


# --- What `outgroup cluster` can be told of collections larger than memory


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


# --- What `outgroup workbench` can be told


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
