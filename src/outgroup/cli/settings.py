"""The settings of each command: a frozen dataclass, filled from options or a TOML file."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any, Literal

from typer import Argument

from ..places import Place
from ..readers.encoding import EXAMPLES
from ..text.languages import described
from .options import (
    CLUSTER,
    CODEBOOK,
    EMBEDDINGS,
    ENCODER,
    FIXED,
    MEMORY,
    OUT_FOLDER,
    UNIVERSUM,
    UNIVERSUM_EMBEDDINGS,
    Docs,
    Force,
    Json,
    Quiet,
    Table,
    as_option,
    as_text,
    chat_model,
    documents_of,
    grouping,
    groups,
    large,
    level_counts,
    no_address,
    off_topic,
    output,
    page,
    path_of,
    plain,
    reading,
    share,
    take_config,
)

# --- Options of `outgroup cluster`, shared with `outgroup workbench`

_SESSION = {  # options that do not change the result
    "config",
    "force",
    "quiet",
    "json",
    "project",
    "no_project",
    "embed_texts",
    "port",
    "no_browser",
    "host",
    "i_know",
    "resume",
    "explicit",
    "yes",
    "model",
}


@dataclass(frozen=True)
class ClusterSettings:
    """Options of `outgroup cluster`."""

    docs: Docs
    k: Annotated[
        Any,
        grouping(
            "Number of groups; with auto or a range such as 5-40, it is chosen automatically, and alternatives are "
            "listed.",
            "-k",
            metavar="K|auto|FROM-TO",
            parser=groups,
        ),
    ] = 8
    labels: Annotated[
        str,
        grouping(
            "Column with the groups that another method found, by number or name, -1 for off-topic: they stay as they "
            "are, instead of a fit.",
            metavar="COLUMN",
        ),
    ] = ""
    universum: Annotated[Any, UNIVERSUM] = None  # a Place, or None
    codebook: Annotated[Path | None, CODEBOOK] = None
    from_: Annotated[
        Path | None,
        grouping(
            "Earlier result to continue from: groups keep numbers, names and words; only new documents and new "
            "decisions change assignments.",
            "--from",
            metavar="RESULT",
            parser=path_of,
        ),
    ] = None
    steer: Annotated[
        Path | None,
        grouping(
            "File of decisions to apply, such as the steering.toml that the report saves; or labels of documents or "
            "words by group name, from which the groups start.",
            parser=path_of,
        ),
    ] = None
    out: Annotated[Path | None, OUT_FOLDER] = None
    text: Annotated[str, reading("Column or field with the text; give several as subject,body.")] = "text"
    id: Annotated[str, reading("Column or field with the id.")] = "id"
    title: Annotated[str, reading("Column or field with the title.")] = "title"
    label: Annotated[str, reading("Column or field with known classes; used only to evaluate the groups.")] = "label"
    by: Annotated[
        str,
        reading(
            "Column of dates or categories by which groups are counted. Default: the only column of dates, "
            "if there is one."
        ),
    ] = ""
    day_first: Annotated[
        bool | None,
        reading(
            "Whether the day comes first in dates such as 01/02/2024. Default: as the column tells, with a note if "
            "both orders fit.",
            "--day-first/--no-day-first",
        ),
    ] = None
    weight: Annotated[
        str,
        reading("Column with document weights, for the fit, the group shares and the table of --by."),
    ] = ""
    strip: Annotated[str, reading("Parts of mails to remove: any of headers,quotes,signatures.")] = ""
    encoding: Annotated[
        str,
        reading(
            f"Encoding of texts that are not UTF-8 or UTF-16: {EXAMPLES}. Default: cp1252 (Western Europe), with "
            "a note."
        ),
    ] = ""
    sheet: Annotated[
        str,
        reading(
            "Sheet of a spreadsheet. Default: the first nonempty sheet with the text column, joined with later "
            "sheets that have the same columns."
        ),
    ] = ""
    embeddings: Annotated[str | None, EMBEDDINGS] = None
    encoder: Annotated[str, ENCODER] = "auto"
    universum_embeddings: Annotated[str | None, UNIVERSUM_EMBEDDINGS] = None
    language: Annotated[
        str,
        reading(
            "Language of the texts, for stop words and stems; give several as german,english. auto detects the "
            f"language (with --memory, the default is English). Languages: {described()}."
        ),
    ] = "auto"
    stop_words: Annotated[
        str,
        reading(
            "Additional stop words: a file with a word per line, or a list such as re,fwd.",
            metavar="FILE|LIST",
            parser=no_address,
        ),
    ] = ""
    outliers: Annotated[
        Literal["none", "flag", "set-aside"],
        off_topic(
            "Documents far from all others, found without examples; at most 5 % of ordinary documents count as "
            "outliers. flag adds the columns outlier and outlier_score; set-aside skips outliers before clustering."
        ),
    ] = "none"
    seed: Annotated[int, grouping("Random seed; the same seed gives the same groups.", min=0, max=2**32 - 1)] = 0
    quick: Annotated[
        bool, grouping("Do not measure the trust in the groups, which takes about as long as the fit.", "--quick")
    ] = False
    config: Annotated[
        Path | None,
        output(
            "TOML file with any of these options, such as k = 20.",
            callback=take_config,
            is_eager=True,
            parser=path_of,
        ),
    ] = None
    with_text: Annotated[bool, output("Add each text to the table as the last column.", "--with-text")] = False
    levels: Annotated[
        str,
        output(
            "Add levels of groups to the table (columns level_1, level_2, ...) and the report; give the "
            "number of groups on each level, such as 20,5 (default: with -k auto, the other suggested numbers).",
            metavar="N,N",
            callback=level_counts,
        ),
    ] = ""
    multi: Annotated[
        float | None,
        output(
            "Find several groups per document: the column groups lists those with at least this probability, such as "
            "0.05, and group_0, group_1, ... are 0 or 1.",
            callback=share,
            metavar="P",
        ),
    ] = None
    table: Table = None
    force: Force = False
    quiet: Quiet = False
    json: Json = False
    memory: Annotated[str | None, MEMORY] = None
    cluster: Annotated[str | None, CLUSTER] = None
    device: Annotated[
        str | None,
        large(
            "Graphics card, such as cuda or cuda:1 (install the extra gpu); the fit then starts from a sample.",
            metavar="DEVICE",
        ),
    ] = None
    resume: Annotated[
        bool, large("Continue a killed run with the same options; needs --memory or --cluster.", "--resume")
    ] = False
    redact: Annotated[
        bool,
        output(
            "Omit texts, titles and further columns from the result; only ids, groups, and words that occur in at "
            "least five texts remain.",
            "--redact",
        ),
    ] = False
    namer: Annotated[
        str | None,
        output(
            "Chat model that names the groups, as URL#MODEL, such as http://localhost:11434/v1#llama3.2. Words and "
            "beginnings of texts are sent to it; naming.csv lists them. Put its key into OUTGROUP_CHAT_KEY.",
            metavar="URL#MODEL",
            callback=chat_model,
        ),
    ] = None
    yes: Annotated[bool, output("Send the data of --namer without confirmation.", "--yes")] = False
    explicit: frozenset[str] = field(default=frozenset(), compare=False)  # names of the given options

    @property
    def parameters(self) -> dict[str, Any]:
        """Return the options that affect the result, as plain values."""
        found = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in _SESSION}
        return {name: as_text(value) if isinstance(value, Place) else value for name, value in found.items()}

    @property
    def command(self) -> str:
        """Return the command line that reproduces the result, without default values."""
        return shlex.join(["outgroup", "cluster", as_text(self.docs), *self.options])

    @property
    def options(self) -> list[str]:
        """Return the options that differ from their defaults as command-line words; omit those that `from_` fixes."""
        defaults = {each.name: each.default for each in fields(self)}
        omitted = {"docs"} if self.from_ is None else {"docs", *FIXED}
        omitted |= {"k"} if self.labels else set()  # the labels determine it
        found = {name: value for name, value in self.parameters.items() if name not in omitted}
        fixed = {"k"} if self.codebook is not None else set()  # a codebook changes the default
        changed = {name: value for name, value in found.items() if name in fixed or value != defaults[name]}
        return [part for name, value in changed.items() for part in as_option(name, value)]


# --- Options of commands that need an earlier result


@dataclass(frozen=True)
class AssignSettings:
    """Options of `outgroup assign`; None means the value stored with the groups."""

    model: Annotated[
        Path,
        Argument(
            metavar="MODEL", help="Folder of a result of `outgroup cluster`, or of a saved model.", parser=path_of
        ),
    ]
    docs: Docs
    out: Annotated[
        Path | None, plain("File to write, .csv or .xlsx. Default: the terminal, as CSV.", parser=path_of)
    ] = None
    text: Annotated[str | None, reading("Field with the text. Default: as for the groups.")] = None
    id: Annotated[str | None, reading("Field with the id. Default: as for the groups.")] = None
    title: Annotated[str | None, reading("Field with the title. Default: as for the groups.")] = None
    strip: Annotated[str | None, reading("Parts of mails to remove. Default: as for the groups.")] = None
    encoding: Annotated[str | None, reading("Encoding of texts that are not Unicode. Default: as for the groups.")] = (
        None
    )
    sheet: Annotated[str | None, reading("Sheet of a spreadsheet. Default: as for the groups.")] = None
    embeddings: Annotated[str | None, EMBEDDINGS] = None
    encoder: Annotated[str | None, ENCODER] = None
    exit_code: Annotated[
        bool,
        output(
            "Exit with code 3 if a group is proposed, or if significantly more than 5 % of the documents are unlike "
            "every group.",
            "--exit-code",
        ),
    ] = False
    force: Force = False
    quiet: Quiet = False

    @property
    def table(self) -> str:
        """The format of the table, by the suffix of `out`."""
        return "xlsx" if self.out is not None and self.out.suffix.lower() == ".xlsx" else "csv"


@dataclass(frozen=True)
class CodebookSettings:
    """Options of `outgroup codebook`."""

    result: Annotated[
        Path, Argument(metavar="RESULT", help="Folder of a result of `outgroup cluster`.", parser=path_of)
    ]
    out: Annotated[Path, plain("File to write, .csv, .toml or .xlsx.", parser=path_of)] = Path("codebook.csv")
    force: Force = False


@dataclass(frozen=True)
class WatchSettings(AssignSettings):
    """Options of `outgroup watch`."""

    out: Annotated[Path | None, plain("File for the assignments, .csv or .xlsx. Default: none.", parser=path_of)] = None
    exit_code: Annotated[bool, output("Exit with code 3 on an alarm, or if a group is proposed.", "--exit-code")] = (
        False
    )
    history: Annotated[
        Path | None,
        plain("File that stores the counts of each night, as JSON Lines; created on the first night.", parser=path_of),
    ] = None
    false_alarm_every: Annotated[
        float, plain("Mean number of nights between false alarms, at least.", min=2, max=1_000_000.0, metavar="NIGHTS")
    ] = 365
    json: Json = False


# --- Options of `outgroup agree`


@dataclass(frozen=True)
class AgreeSettings:
    """Options of `outgroup agree`."""

    first: Annotated[
        Path,
        Argument(metavar="FIRST", help="Table of the first coder, or a result of `outgroup cluster`.", parser=path_of),
    ]
    second: Annotated[Path, Argument(metavar="SECOND", help="Table of the second coder, or a result.", parser=path_of)]
    code: Annotated[
        str,
        reading("Column with the codes, several separated by ';'. Of several columns the first with a value counts."),
    ] = "groups,code,cluster,label"
    id: Annotated[str, reading("Column with the id.")] = "id"
    title: Annotated[str, reading("Column with the title.")] = "title"
    sheet: Annotated[str, reading("Sheet of a spreadsheet.")] = ""
    seed: Annotated[int, plain("Seed of the intervals.", min=0, max=2**32 - 1)] = 0
    out: Annotated[
        Path | None, output("CSV file to write: the documents with different codes, to settle.", parser=path_of)
    ] = None
    force: Force = False
    quiet: Quiet = False
    json: Json = False


# --- Options of `outgroup answer`


@dataclass(frozen=True)
class AnswerSettings:
    """Options of `outgroup answer`."""

    docs: Docs
    from_: Annotated[Path, plain("Result that the questions are about.", "--from", metavar="RESULT", parser=path_of)]
    model: Annotated[
        str | None,
        plain(
            "Chat model that answers, as URL#MODEL, such as http://localhost:11434/v1#llama3.2. Beginnings of texts "
            "are sent to it. Put its key into OUTGROUP_CHAT_KEY.",
            metavar="URL#MODEL",
            callback=chat_model,
        ),
    ] = None
    check: Annotated[
        Path | None,
        plain("The file check.csv with your answers; then those that pass become decisions.", parser=path_of),
    ] = None
    most: Annotated[int, plain("Number of questions, at most.", min=1, max=10_000)] = 200
    out: Annotated[
        Path | None,
        plain("Folder for the answers. Default: the name of DOCS followed by -answers.", parser=path_of),
    ] = None
    universum: Annotated[Any, UNIVERSUM] = None
    universum_embeddings: Annotated[str | None, UNIVERSUM_EMBEDDINGS] = None
    embeddings: Annotated[str | None, EMBEDDINGS] = None
    encoder: Annotated[str, ENCODER] = "auto"
    codebook: Annotated[Path | None, CODEBOOK] = None
    yes: Annotated[bool, plain("Send the texts without confirmation.", "--yes")] = False
    quiet: Quiet = False
    json: Json = False


# --- Options of `outgroup workbench`


@dataclass(frozen=True)
class WorkbenchSettings(ClusterSettings):
    """Options of `outgroup workbench`, with those of `cluster`."""

    docs: Annotated[
        Any,  # a Place, or None
        Argument(
            metavar="DOCS",
            help="Documents, as for `outgroup cluster`. Default: those of an existing project.",
            parser=documents_of,
        ),
    ] = None
    memory: None = None  # no options of the workbench
    cluster: None = None
    device: None = None
    resume: Literal[False] = False
    redact: Literal[False] = False
    namer: None = None
    yes: Literal[False] = False
    project: Annotated[
        Path | None,
        page(
            "File that stores every decision. An existing file continues its session, without DOCS. Default: "
            "DOCS.outgroup, with the texts.",
            parser=path_of,
        ),
    ] = None
    no_project: Annotated[bool, page("Store no decision.", "--no-project")] = False
    embed_texts: Annotated[bool, page("Store the texts in the project file.", "--embed-texts")] = False
    port: Annotated[
        int, page("Port of the server. Default: that of the project if it is free, else any.", min=0, max=65535)
    ] = 0
    no_browser: Annotated[bool, page("Print the address; do not open a browser.", "--no-browser")] = False
    host: Annotated[
        str, page("Address at which the server listens; if other machines can reach it, --i-know is required.")
    ] = "127.0.0.1"
    i_know: Annotated[
        bool, page("Allow access from other machines, with a password, over an unencrypted connection.", "--i-know")
    ] = False
    model: Annotated[
        str | None,
        page(
            "Chat model that can answer the questions, as URL#MODEL, such as http://localhost:11434/v1#llama3.2. The "
            "page asks before it sends beginnings of texts. Put its key into OUTGROUP_CHAT_KEY.",
            metavar="URL#MODEL",
            callback=chat_model,
        ),
    ] = None

    @property
    def command(self) -> str:
        """Return the command line that opens the project or, if there is none, starts the same session."""
        if self.project is None:
            return shlex.join(["outgroup", "workbench", as_text(self.docs), *self.options])
        out = [] if self.out is None else ["--out", as_text(self.out)]
        return shlex.join(["outgroup", "workbench", "--project", as_text(self.project), *out])
