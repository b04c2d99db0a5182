"""The settings of each command: a frozen dataclass, filled from options or a TOML file.

`OPTIONS` describes the options, with their metavars, in sections that are the panels of the help (see `options_of`).
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any, Literal

from ..places import Place
from .options import (
    FIXED,
    as_option,
    as_text,
    chat_model,
    documents_of,
    groups,
    level_counts,
    no_address,
    share,
    take_config,
)

Docs = Annotated[Any, {"parser": documents_of}]  # a Place; typer does not support unions
Vectors = Annotated[str | None, {"parser": no_address}]
Chat = Annotated[str | None, {"callback": chat_model}]
Seed = Annotated[int, {"min": 0, "max": 2**32 - 1}]


class CommandSettings:
    """Options of several commands."""

    OPTIONS = """
    Arguments
    ---------
    docs : DOCS
        The documents: a folder or a .zip of .txt, .md, .html, .eml, .pdf and .docx files; one file .jsonl, .json, .csv,
        .tsv, .txt or .log, also compressed (.gz, .xz, .zst); one file .xlsx, .ods, .sav, .mbox or .parquet; an address
        such as s3://bucket/news (install the extra distributed); or - for standard input.

    What to read
    ------------
    embeddings : FILE|FOLDER|COLUMN
        Embeddings to cluster: a .npy file with a row for each document, in order; a folder of such files, in the order
        of their names; or a column of a Parquet file. Words still name and explain the groups.
    encoder : auto|none|PACKAGE:OBJECT|MODEL
        Encoder of the texts. auto: the small offline encoder of the extra meaning, if it is installed and tells as much
        about the texts as their words do. none: words alone. Or a function or an object with encode(texts), as
        package:object; or a model by folder or name. Models of sentence-transformers must be on this machine; others
        are static models (extra embeddings), downloaded from the Hugging Face Hub.

    How many groups
    ---------------
    codebook
        Codebook (.csv, .toml or .xlsx): groups start from the definitions and examples of its codes and keep their
        numbers. -k becomes the number of codes, unless -k is larger. With --from, groups only take numbers, names and
        definitions of the codes.

    What does not belong
    --------------------
    universum : PATH
        Off-topic examples, in any format of DOCS; similar documents are set aside. Give at least 10, better 50.
    universum_embeddings : FILE|COLUMN
        Vectors of the off-topic examples. Default: the column of the same name, or the encoder.

    What to write
    -------------
    force
        Replace an earlier result. Other files are never replaced.
    quiet
        Print errors only.
    json
        Print only the summary, as JSON.
    """


@dataclass(frozen=True)
class ClusterSettings(CommandSettings):
    """Options of `outgroup cluster`."""

    OPTIONS = """
    How many groups
    ---------------
    k : K|auto|FROM-TO
        Number of groups; with auto or a range such as 5-40, it is chosen automatically, and alternatives are listed.
    labels : COLUMN
        Column with the groups that another method found, by number or name, -1 for off-topic: they stay as they are,
        instead of a fit.
    from_ : RESULT
        Earlier result to continue from: groups keep numbers, names and words; only new documents and new decisions
        change assignments.
    steer
        File of decisions to apply, such as the steering.toml that the report saves; or labels of documents or words by
        group name, from which the groups start.
    seed
        Random seed; the same seed gives the same groups.
    quick
        Do not measure the trust in the groups, which takes about as long as the fit.

    What to read
    ------------
    text
        Column or field with the text; give several as subject,body.
    id
        Column or field with the id.
    title
        Column or field with the title.
    label
        Column or field with known classes; used only to evaluate the groups.
    by
        Column of dates or categories by which groups are counted. Default: the only column of dates, if there is one.
    day_first
        Whether the day comes first in dates such as 01/02/2024. Default: as the column tells, with a note if both
        orders fit.
    weight
        Column with document weights, for the fit, the group shares and the table of --by.
    strip
        Parts of mails to remove: any of headers,quotes,signatures.
    encoding
        Encoding of texts that are not UTF-8 or UTF-16: {encodings}. Default: cp1252 (Western Europe), with a note.
    sheet
        Sheet of a spreadsheet. Default: the first nonempty sheet with the text column, joined with later sheets that
        have the same columns.
    language
        Language of the texts, for stop words and stems; give several as german,english. auto detects the language (with
        --memory, the default is English). Languages: {languages}.
    stop_words : FILE|LIST
        Additional stop words: a file with a word per line, or a list such as re,fwd.

    What does not belong
    --------------------
    outliers
        Documents far from all others, found without examples; at most 5 % of ordinary documents count as outliers. flag
        adds the columns outlier and outlier_score; set-aside skips outliers before clustering.

    What to write
    -------------
    out
        Folder for the result. Default: the name of DOCS followed by -clusters.
    config
        TOML file with any of these options, such as k = 20.
    with_text
        Add each text to the table as the last column.
    levels : N,N
        Add levels of groups to the table (columns level_1, level_2, ...) and the report; give the number of groups on
        each level, such as 20,5 (default: with -k auto, the other suggested numbers).
    multi : P
        Find several groups per document: the column groups lists those with at least this probability, such as 0.05,
        and group_0, group_1, ... are 0 or 1.
    table
        Format of the table of documents: csv, csv-excel (for Excel, with a byte-order mark), xlsx (extra io), sav
        (SPSS, extra spss) or parquet (extra io). Default: csv; parquet if the rows live in files.
    redact
        Omit texts, titles and further columns from the result; only ids, groups, and words that occur in at least five
        texts remain.
    namer : URL#MODEL
        Chat model that names the groups, as URL#MODEL, such as http://localhost:11434/v1#llama3.2. Words and beginnings
        of texts are sent to it; naming.csv lists them. Put its key into OUTGROUP_CHAT_KEY.
    yes
        Send the data of --namer without confirmation.

    Large collections
    -----------------
    memory : SIZE
        Memory limit, such as 4G. Documents and rows of a collection that needs more live in temporary files beside the
        result.
    cluster : ADDRESS
        Address of a Dask scheduler, such as tcp://scheduler:8786, or local:4 for four local processes (install the
        extra distributed). All workers must be able to read DOCS.
    device : DEVICE
        Graphics card, such as cuda or cuda:1 (install the extra gpu); the fit then starts from a sample.
    resume
        Continue a killed run with the same options; needs --memory or --cluster.
    """

    docs: Docs
    k: Annotated[Any, {"parser": groups}] = 8
    labels: str = ""
    universum: Docs = None
    codebook: Path | None = None
    from_: Path | None = None
    steer: Path | None = None
    out: Path | None = None
    text: str = "text"
    id: str = "id"
    title: str = "title"
    label: str = "label"
    by: str = ""
    day_first: bool | None = None
    weight: str = ""
    strip: str = ""
    encoding: str = ""
    sheet: str = ""
    embeddings: Vectors = None
    encoder: str = "auto"
    universum_embeddings: Vectors = None
    language: str = "auto"
    stop_words: Annotated[str, {"parser": no_address}] = ""
    outliers: Literal["none", "flag", "set-aside"] = "none"
    seed: Seed = 0
    quick: bool = False
    config: Annotated[Path | None, {"callback": take_config, "is_eager": True}] = None
    with_text: bool = False
    levels: Annotated[str, {"callback": level_counts}] = ""
    multi: Annotated[float | None, {"callback": share}] = None
    table: Literal["csv", "csv-excel", "xlsx", "sav", "parquet"] | None = None
    force: bool = False
    quiet: bool = False
    json: bool = False
    memory: str | None = None
    cluster: str | None = None
    device: str | None = None
    resume: bool = False
    redact: bool = False
    namer: Chat = None
    yes: bool = False
    explicit: frozenset[str] = field(default=frozenset(), compare=False)  # names of the given options

    @property
    def parameters(self) -> dict[str, Any]:
        """Return the options that affect the result, as plain values."""
        others = {"config", "force", "quiet", "json", "resume", "explicit", "yes"}
        found = {each.name: getattr(self, each.name) for each in fields(ClusterSettings) if each.name not in others}
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


# --- Commands that need an earlier result


@dataclass(frozen=True)
class AssignSettings(CommandSettings):
    """Options of `outgroup assign`; None means the value stored with the groups."""

    OPTIONS = """
    Arguments
    ---------
    model : MODEL
        Folder of a result of `outgroup cluster`, or of a saved model.

    Options
    -------
    out
        File to write, .csv or .xlsx. Default: the terminal, as CSV.

    What to read
    ------------
    text
        Field with the text. Default: as for the groups.
    id
        Field with the id. Default: as for the groups.
    title
        Field with the title. Default: as for the groups.
    strip
        Parts of mails to remove. Default: as for the groups.
    encoding
        Encoding of texts that are not Unicode. Default: as for the groups.
    sheet
        Sheet of a spreadsheet. Default: as for the groups.

    What to write
    -------------
    exit_code
        Exit with code 3 if a group is proposed, or if significantly more than 5 % of the documents are unlike every
        group.
    """

    model: Path
    docs: Docs
    out: Path | None = None
    text: str | None = None
    id: str | None = None
    title: str | None = None
    strip: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    embeddings: Vectors = None
    encoder: str | None = None
    exit_code: bool = False
    force: bool = False
    quiet: bool = False

    @property
    def table(self) -> str:
        """The format of the table, by the suffix of `out`."""
        return "xlsx" if self.out is not None and self.out.suffix.lower() == ".xlsx" else "csv"


@dataclass(frozen=True)
class CodebookSettings(CommandSettings):
    """Options of `outgroup codebook`."""

    OPTIONS = """
    Arguments
    ---------
    result : RESULT
        Folder of a result of `outgroup cluster`.

    Options
    -------
    out
        File to write, .csv, .toml or .xlsx.
    """

    result: Path
    out: Path = Path("codebook.csv")
    force: bool = False


@dataclass(frozen=True)
class WatchSettings(AssignSettings):
    """Options of `outgroup watch`."""

    OPTIONS = """
    What to write
    -------------
    exit_code
        Exit with code 3 on an alarm, or if a group is proposed.

    Options
    -------
    out
        File for the assignments, .csv or .xlsx. Default: none.
    history
        File that stores the counts of each night, as JSON Lines; created on the first night.
    false_alarm_every : NIGHTS
        Mean number of nights between false alarms, at least.
    """

    history: Path | None = None
    false_alarm_every: Annotated[float, {"min": 2, "max": 1_000_000.0}] = 365
    json: bool = False


# --- Options of `outgroup agree`


@dataclass(frozen=True)
class AgreeSettings(CommandSettings):
    """Options of `outgroup agree`."""

    OPTIONS = """
    Arguments
    ---------
    first : FIRST
        Table of the first coder, or a result of `outgroup cluster`.
    second : SECOND
        Table of the second coder, or a result.

    What to read
    ------------
    code
        Column with the codes, several separated by ';'. Of several columns the first with a value counts.
    id
        Column with the id.
    title
        Column with the title.
    sheet
        Sheet of a spreadsheet.

    Options
    -------
    seed
        Seed of the intervals.

    What to write
    -------------
    out
        CSV file to write: the documents with different codes, to settle.
    """

    first: Path
    second: Path
    code: str = "groups,code,cluster,label"
    id: str = "id"
    title: str = "title"
    sheet: str = ""
    seed: Seed = 0
    out: Path | None = None
    force: bool = False
    quiet: bool = False
    json: bool = False


# --- Options of `outgroup answer`


@dataclass(frozen=True)
class AnswerSettings(CommandSettings):
    """Options of `outgroup answer`."""

    OPTIONS = """
    Options
    -------
    from_ : RESULT
        Result that the questions are about.
    model : URL#MODEL
        Chat model that answers, as URL#MODEL, such as http://localhost:11434/v1#llama3.2. Beginnings of texts are sent
        to it. Put its key into OUTGROUP_CHAT_KEY.
    check
        The file check.csv with your answers; then those that pass become decisions.
    most
        Number of questions, at most.
    out
        Folder for the answers. Default: the name of DOCS followed by -answers.
    yes
        Send the texts without confirmation.
    """

    docs: Docs
    from_: Path
    model: Chat = None
    check: Path | None = None
    most: Annotated[int, {"min": 1, "max": 10_000}] = 200
    out: Path | None = None
    universum: Docs = None
    universum_embeddings: Vectors = None
    embeddings: Vectors = None
    encoder: str = "auto"
    codebook: Path | None = None
    yes: bool = False
    quiet: bool = False
    json: bool = False


# --- Options of `outgroup workbench`


@dataclass(frozen=True)
class WorkbenchSettings(ClusterSettings):
    """Options of `outgroup workbench`, with those of `cluster`."""

    OPTIONS = """
    Arguments
    ---------
    docs : DOCS
        Documents, as for `outgroup cluster`. Default: those of an existing project.

    Page
    ----
    project
        File that stores every decision. An existing file continues its session, without DOCS. Default: DOCS.outgroup,
        with the texts.
    no_project
        Store no decision.
    embed_texts
        Store the texts in the project file.
    port
        Port of the server. Default: that of the project if it is free, else any.
    no_browser
        Print the address; do not open a browser.
    host
        Address at which the server listens; if other machines can reach it, --i-know is required.
    i_know
        Allow access from other machines, with a password, over an unencrypted connection.
    model : URL#MODEL
        Chat model that can answer the questions, as URL#MODEL, such as http://localhost:11434/v1#llama3.2. The page
        asks before it sends beginnings of texts. Put its key into OUTGROUP_CHAT_KEY.
    """

    docs: Docs = None
    memory: None = None  # no options of the workbench
    cluster: None = None
    device: None = None
    resume: Literal[False] = False
    redact: Literal[False] = False
    namer: None = None
    yes: Literal[False] = False
    project: Path | None = None
    no_project: bool = False
    embed_texts: bool = False
    port: Annotated[int, {"min": 0, "max": 65535}] = 0
    no_browser: bool = False
    host: str = "127.0.0.1"
    i_know: bool = False
    model: Chat = None

    @property
    def command(self) -> str:
        """Return the command line that opens the project or, if there is none, starts the same session."""
        if self.project is None:
            return shlex.join(["outgroup", "workbench", as_text(self.docs), *self.options])
        out = [] if self.out is None else ["--out", as_text(self.out)]
        return shlex.join(["outgroup", "workbench", "--project", as_text(self.project), *out])
