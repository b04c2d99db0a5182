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
    EMBEDDINGS,
    ENCODER,
    FIXED,
    MEMORY,
    OUT_FOLDER,
    Details,
    Docs,
    Force,
    Json,
    Quiet,
    Strict,
    Table,
    Threads,
    as_option,
    as_text,
    chat_model,
    documents_of,
    fit,
    groups,
    large,
    level_counts,
    no_address,
    off_topic,
    output,
    page,
    passes,
    path_of,
    plain,
    rate,
    reading,
    share,
    take_config,
    vectors,
    words,
)

# --- Options of `outgroup cluster`, shared with `outgroup workbench`

_SESSION = {  # options that do not change the result
    "config",
    "force",
    "quiet",
    "json",
    "details",
    "project",
    "embed_texts",
    "port",
    "no_browser",
    "host",
    "i_know",
    "resume",
    "explicit",
    "made",
    "strict",
    "yes",
}


@dataclass(frozen=True)
class ClusterSettings:
    """Options of `outgroup cluster`."""

    docs: Docs
    k: Annotated[
        Any,
        plain(
            "Number of groups; with auto or a range such as 5-40, it is chosen automatically, and alternatives are "
            "listed.",
            "-k",
            metavar="K|auto|FROM-TO",
            parser=groups,
        ),
    ] = 8
    universum: Annotated[
        Any,  # a Place, or None
        plain(
            "Off-topic examples, in any format of DOCS; similar documents are set aside. Give at least 10, better 50.",
            metavar="PATH",
            parser=documents_of,
        ),
    ] = None
    universum_text: Annotated[
        str, plain("Column or field of the off-topic examples with the text. Default: as --text.", metavar="NAME")
    ] = ""
    seeds: Annotated[
        Path | None,
        plain(
            "TOML file with group names, and labelled documents or words for some; these correct the groups.",
            parser=path_of,
        ),
    ] = None
    codebook: Annotated[
        Path | None,
        plain(
            "Codebook (.csv, .toml or .xlsx): groups start from the keywords and examples of its codes and keep "
            "their numbers. -k becomes the number of codes, unless -k is larger.",
            parser=path_of,
        ),
    ] = None
    from_: Annotated[
        Path | None,
        plain(
            "Earlier result to continue from: groups keep numbers, names and words; only new documents and new "
            "decisions change assignments.",
            "--from",
            metavar="RESULT",
            parser=path_of,
        ),
    ] = None
    steer: Annotated[
        Path | None,
        plain(
            "File of decisions to apply, such as the steering.toml that the report saves (or JSON lines).",
            parser=path_of,
        ),
    ] = None
    method: Annotated[
        Literal["max-margin", "spherical"],
        fit(
            "max-margin: wide margins between groups, with off-topic examples and seeds. spherical: k-means by "
            "cosine with local search, faster, without seeds."
        ),
    ] = "max-margin"
    out: Annotated[Path | None, OUT_FOLDER] = None
    text: Annotated[str, reading("Column or field with the text; give several as subject,body.")] = "text"
    id: Annotated[str, reading("Column or field with the id.")] = "id"
    title: Annotated[str, reading("Column or field with the title.")] = "title"
    no_title: Annotated[bool, reading("Exclude the title from the text.", "--no-title")] = False
    label: Annotated[str, reading("Column or field with known classes; used only to evaluate the groups.")] = "label"
    by: Annotated[
        str,
        reading(
            "Column of dates or categories by which groups are counted. Default: the only column of dates, "
            "if there is one."
        ),
    ] = ""
    weight: Annotated[
        str,
        reading("Column with document weights, for the fit, the group shares and the table of --by."),
    ] = ""
    html: Annotated[
        Literal["text", "keep"],
        reading("HTML inside fields: text removes the tags, with a note; keep leaves them."),
    ] = "text"
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
    encoder: Annotated[str | None, ENCODER] = None
    neighbours: Annotated[
        str,
        fit(
            "How often each document is averaged with its nearest neighbours before clustering; 0 for never. auto: 5 "
            "for embeddings (from 200 documents; words also find neighbours), 1 for texts of up to about 80 words "
            "(from 1,000 documents), else 0.",
            metavar="auto|N",
            callback=passes,
        ),
    ] = "auto"
    universum_embeddings: Annotated[
        str | None,
        vectors(
            "Vectors of the off-topic examples. Default: the column of the same name, or the encoder.",
            metavar="FILE|COLUMN",
            parser=no_address,
        ),
    ] = None
    language: Annotated[
        str,
        words(
            "Language of the texts, for stop words and stems; give several as german,english. auto detects the "
            f"language (with --memory, the default is English). Languages: {described()}."
        ),
    ] = "auto"
    stop_words: Annotated[
        str,
        words(
            "Additional stop words: a file with a word per line, or a list such as re,fwd.",
            metavar="FILE|LIST",
            parser=no_address,
        ),
    ] = ""
    phrases: Annotated[bool, words("Add frequent two-word phrases as terms, such as credit card.", "--phrases")] = False
    keep_numbers: Annotated[bool, words("Keep numbers and words with digits.", "--keep-numbers")] = False
    drop_repeated_lines: Annotated[
        bool,
        words(
            "Ignore lines that occur in at least 1 % of the documents, such as signatures.",
            "--drop-repeated-lines",
        ),
    ] = False
    min_length: Annotated[int, words("Minimum length of a word in letters.", min=1)] = 2
    segmentation: Annotated[
        Literal["auto", "pairs", "words"],
        words(
            "Tokens of Chinese, Japanese and Thai: pairs of characters, or words (install the extra segmentation). "
            "auto: words if the extra is installed."
        ),
    ] = "auto"
    min_df: Annotated[int | None, words("Ignore words in fewer documents. Default: 1 to 3.", min=1)] = None
    max_df: Annotated[float, words("Ignore words in a larger share of the documents.", min=0.0, max=1.0)] = 0.5
    max_features: Annotated[int, words("Maximum number of words; the most frequent are kept.", min=1)] = 20_000
    off_topic_rate: Annotated[
        float,
        off_topic("Maximum share of on-topic documents that are flagged by mistake.", callback=rate, metavar="SHARE"),
    ] = 0.05
    off_topic_threshold: Annotated[
        Literal["mixture", "conformal"],
        off_topic(
            "mixture estimates the share of off-topic documents and needs 50 examples. conformal guarantees "
            "--off-topic-rate for any kind of off-topic document, but flags little more than this share of all "
            "documents. Default: mixture; conformal with fewer examples."
        ),
    ] = "mixture"
    keep_off_topic: Annotated[
        bool, off_topic("Only flag off-topic documents; they stay in their groups.", "--keep-off-topic")
    ] = False
    outliers: Annotated[
        Literal["none", "flag", "set-aside"],
        off_topic(
            "Documents far from all others, found without examples; at most 5 % of ordinary documents count as "
            "outliers. flag adds the columns outlier and outlier_score; set-aside skips outliers before clustering."
        ),
    ] = "none"
    n_init: Annotated[
        int | None,
        fit(
            "Number of random starts; the best result is kept. Default: 40 / k, at least 1 (spherical: 1).",
            min=1,
            max=1_000_000,
        ),
    ] = None
    seed: Annotated[int, fit("Random seed; the same seed gives the same groups.", min=0, max=2**32 - 1)] = 0
    quick: Annotated[
        bool, fit("Do not measure the trust in the groups, which takes about as long as the fit.", "--quick")
    ] = False
    threads: Threads = None
    config: Annotated[
        Path | None,
        output(
            "TOML file with any of these options, such as n_init = 20.",
            callback=take_config,
            is_eager=True,
            parser=path_of,
        ),
    ] = None
    report_size: Annotated[
        float,
        output(
            "Megabytes of full texts in report.html; other columns take at most a quarter of this. The first 400 "
            "characters of each document are always included.",
            min=0,
            metavar="MB",
        ),
    ] = 5.0
    with_text: Annotated[bool, output("Add each text to the table as the last column.", "--with-text")] = False
    levels: Annotated[
        str,
        output(
            "Add coarser levels of groups to the table (columns level_1, level_2, ...) and the report; give the "
            "number of groups on each level, such as 20,5.",
            metavar="N,N",
            callback=level_counts,
        ),
    ] = ""
    probabilities: Annotated[
        bool,
        output(
            "Add the columns probability and second_probability to the table and the report, estimated from 100 "
            "quick fits.",
            "--probabilities",
        ),
    ] = False
    multi: Annotated[
        float | None,
        output(
            "Find several groups per document: the column groups lists those with at least this share of its "
            "passages, such as 0.15, and group_0, group_1, ... are 0 or 1.",
            callback=share,
            metavar="SHARE",
        ),
    ] = None
    table: Table = None
    force: Force = False
    quiet: Quiet = False
    json: Json = False
    details: Details = False
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
        found = {name: value for name, value in self.parameters.items() if name not in omitted}
        fixed = {"k"} if self.codebook is not None else set()  # a codebook changes the default
        changed = {name: value for name, value in found.items() if name in fixed or value != defaults[name]}
        return [part for name, value in changed.items() for part in as_option(name, value)]


# --- Options of commands that need an earlier result or project

_OMITTED = {"project", "docs", "threads", "force", "quiet", "json", "details", "strict"}
"""Options outside the command that reproduces a replay."""


@dataclass(frozen=True)
class ReplaySettings:
    """Options of `outgroup replay`; None means the value stored in the project."""

    project: Annotated[Path, Argument(metavar="PROJECT", help="A project file, such as work.outgroup.", parser=path_of)]
    docs: Docs
    out: Annotated[Path | None, OUT_FOLDER] = None
    universum: Annotated[
        Any,  # a Place, or None
        plain("Off-topic examples. Default: those of the project.", metavar="PATH", parser=documents_of),
    ] = None
    text: Annotated[str | None, reading("Field with the text. Default: as for the project.")] = None
    id: Annotated[str | None, reading("Field with the id. Default: as for the project.")] = None
    title: Annotated[str | None, reading("Field with the title. Default: as for the project.")] = None
    strip: Annotated[str | None, reading("Parts of mails to remove. Default: as for the project.")] = None
    encoding: Annotated[str | None, reading("Encoding of texts that are not Unicode. Default: as for the project.")] = (
        None
    )
    sheet: Annotated[str | None, reading("Sheet of a spreadsheet. Default: as for the project.")] = None
    embeddings: Annotated[str | None, EMBEDDINGS] = None
    threads: Threads = None
    table: Table = None
    force: Force = False
    quiet: Quiet = False
    json: Json = False
    details: Details = False
    strict: Strict = False

    @property
    def command(self) -> str:
        """Return the command line that gives the same result."""
        given = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in _OMITTED}
        changed = {name: as_text(value) for name, value in given.items() if value is not None}
        options = [part for name, value in changed.items() for part in as_option(name, value)]
        return shlex.join(["outgroup", "replay", as_text(self.project), as_text(self.docs), *options])


@dataclass(frozen=True)
class ReplayedSettings(ClusterSettings):
    """Options of a replayed run; `made` is the command line that reproduces it."""

    made: str = ""

    @property
    def command(self) -> str:
        """Return the command line that gives the same result."""
        return self.made


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
    no_title: Annotated[
        bool | None, reading("Exclude the title from the text. Default: as for the groups.", "--no-title")
    ] = None
    html: Annotated[Literal["text", "keep"] | None, reading("HTML inside fields. Default: as for the groups.")] = None
    strip: Annotated[str | None, reading("Parts of mails to remove. Default: as for the groups.")] = None
    encoding: Annotated[str | None, reading("Encoding of texts that are not Unicode. Default: as for the groups.")] = (
        None
    )
    sheet: Annotated[str | None, reading("Sheet of a spreadsheet. Default: as for the groups.")] = None
    embeddings: Annotated[str | None, EMBEDDINGS] = None
    encoder: Annotated[str | None, ENCODER] = None
    threads: Threads = None
    memory: Annotated[str | None, MEMORY] = None
    cluster: Annotated[str | None, CLUSTER] = None
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
class WatchSettings(AssignSettings):
    """Options of `outgroup watch`."""

    history: Annotated[
        Path | None,
        plain("File that stores the counts of each night, as JSON Lines; created on the first night.", parser=path_of),
    ] = None
    false_alarm_every: Annotated[
        float, plain("Mean number of nights between false alarms, at least.", min=2, max=1_000_000.0, metavar="NIGHTS")
    ] = 365
    page: Annotated[
        Path | None,
        plain("HTML page of the last hundred nights; rewritten each night.", metavar="FILE.html", parser=path_of),
    ] = None
    json: Json = False


# --- Options for collections larger than memory


@dataclass(frozen=True)
class LargeSettings(ClusterSettings):
    """Options of `outgroup cluster`, with those for collections larger than memory."""

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
    strict: Strict = False
    redact: Annotated[
        bool,
        output(
            "Omit texts, titles and further columns from the result; only ids, groups, and words that occur in at "
            "least five texts (--min-df 5) remain.",
            "--redact",
        ),
    ] = False
    namer: Annotated[
        str | None,
        output(
            "Chat model that names the groups, as URL#MODEL, such as http://localhost:11434/v1#llama3.2. Words and "
            "beginnings of texts are sent to it; naming.csv lists them. Put its key into OUTGROUP_NAMER_KEY.",
            metavar="URL#MODEL",
            callback=chat_model,
        ),
    ] = None
    yes: Annotated[bool, output("Send the data of --namer without confirmation.", "--yes")] = False


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
    project: Annotated[
        Path | None,
        page("File that stores every decision. An existing file continues its session, without DOCS.", parser=path_of),
    ] = None
    embed_texts: Annotated[bool, page("Store the texts in the project file.", "--embed-texts")] = False
    port: Annotated[int, page("Port of the server. Default: any free port.", min=0, max=65535)] = 0
    no_browser: Annotated[bool, page("Print the address; do not open a browser.", "--no-browser")] = False
    host: Annotated[
        str, page("Address at which the server listens; if other machines can reach it, --i-know is required.")
    ] = "127.0.0.1"
    i_know: Annotated[
        bool, page("Allow access from other machines, with a password, over an unencrypted connection.", "--i-know")
    ] = False

    @property
    def command(self) -> str:
        """Return the command line that opens the project or, if there is none, starts the same session."""
        if self.project is None:
            return shlex.join(["outgroup", "workbench", as_text(self.docs), *self.options])
        out = [] if self.out is None else ["--out", as_text(self.out)]
        return shlex.join(["outgroup", "workbench", "--project", as_text(self.project), *out])
