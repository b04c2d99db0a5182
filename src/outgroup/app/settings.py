"""What each command can be told: one frozen dataclass a command, filled by options or by a TOML file alike."""

from __future__ import annotations

import os
import shlex
import tomllib
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from difflib import get_close_matches
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

from typer import Argument, BadParameter, Context, Option

from ..errors import InputError
from ..text.languages import described

_SESSION = {  # options that shape the session and not the result
    "config", "force", "quiet", "json", "project", "embed_texts", "port", "no_browser", "host", "i_know",
}  # fmt: skip


def read_config(path: Path, options: dict[str, bool]) -> dict[str, Any]:
    """Return a TOML file's keys as the texts a command line would give; `options` says of each key if it is a flag.

    Raises InputError for a file that cannot be read, an unknown key (naming the nearest), or a value of no use.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not a TOML file: {error}") from error
    return {_known(key, options, path): _plain(key, value, options, path) for key, value in content.items()}


def _known(key: str, options: dict[str, bool], path: Path) -> str:
    name = key.replace("-", "_")
    name = f"{name}_" if f"{name}_" in options else name
    if name not in options:
        near = get_close_matches(name, options, 1)
        meant = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(sorted(options))}"
        raise InputError(f"{path}: unknown key {key!r:.60}; {meant}")
    return name


def _plain(key: str, value: Any, options: dict[str, bool], path: Path) -> Any:
    flag = options.get(key.replace("-", "_"), False)
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        value = ",".join(value)
    if isinstance(value, bool) != flag or isinstance(value, list | dict):
        raise InputError(f"{path}: {key} = {value!r:.60} is not {'true or false' if flag else 'a number or a text'}")
    if isinstance(value, str) and "\0" in value:
        raise InputError(f"{path}: {key} = {value!r:.60} holds a NUL, which no text or path may")
    return value if flag else _digits(key, value, path)


def _digits(key: str, value: Any, path: Path) -> str:
    try:
        return str(value)
    except ValueError as error:
        raise InputError(f"{path}: {key} is a number of thousands of digits") from error


def _take_config(context: Context, path: Path | None) -> Path | None:
    if path is not None:
        options = {str(each.name): bool(getattr(each, "is_flag", False)) for each in context.command.params}
        context.default_map = read_config(path, {name: flag for name, flag in options.items() if name != "config"})
    return path


def _rate(given: float) -> float:
    if not 0 < given < 1:
        raise BadParameter(f"{given:g} is not between 0 and 1, such as 0.05 for 5 %.")
    return given


def _path(given: str) -> Path:
    if not given:
        raise BadParameter("an empty text is no path: name a folder or a file.")
    return Path(given)


_READING, _WORDS, _OFF_TOPIC, _FIT, _OUTPUT = "Reading", "Words", "Off-topic documents", "Fit", "Output"
_VECTORS, _PAGE = "Embeddings", "Page"
Docs = Annotated[
    Path,
    Argument(
        metavar="DOCS",
        help="A folder of .txt, .md, .html, .eml, .pdf and .docx files, a .zip of them, or a .jsonl, .json, .csv, .tsv "
        "(also .gz, .xz, .zst), .xlsx, .ods, .mbox or .parquet; - is the standard input.",
        parser=_path,
    ),
]
Threads = Annotated[
    int | None, Option(min=1, help="Threads to use; changes nothing but the time. Default: all.", rich_help_panel=_FIT)
]
Quiet = Annotated[bool, Option("--quiet", "-q", help="Say nothing but errors.", rich_help_panel=_OUTPUT)]
Force = Annotated[
    bool, Option("--force", help="Replace an earlier result; never anything else.", rich_help_panel=_OUTPUT)
]


def _reading(help: str) -> Any:
    return Option(help=help, rich_help_panel=_READING)


def _flag(name: str, help: str) -> Any:
    return Option(name, help=help, rich_help_panel=_READING)


_EMBEDDINGS = Option(
    metavar="FILE|COLUMN",
    help="Vectors in which groups are found, told by the texts' words: a .npy file with a row for each document (ids a "
    "line in FILE.ids.txt, if in another order), or a column of a Parquet file.",
    rich_help_panel=_VECTORS,
)
_ENCODER = Option(
    metavar="PACKAGE:OBJECT|MODEL",
    help="What makes the vectors: a function or object with encode(texts) that Python can import, or the folder of a "
    "static model (extra embeddings); a name that is no folder is fetched from its hub.",
    rich_help_panel=_VECTORS,
)


@dataclass(frozen=True)
class ClusterSettings:
    """What `outgroup cluster` can be told."""

    docs: Docs
    k: Annotated[int, Option("-k", min=1, help="Number of groups.")] = 8
    universum: Annotated[
        Path | None, Option(help="Off-topic examples, of the same kinds as DOCS.", metavar="PATH", parser=_path)
    ] = None
    seeds: Annotated[
        Path | None, Option(help="TOML file that says what belongs together: names, documents and words.")
    ] = None
    from_: Annotated[
        Path | None,
        Option(
            "--from",
            metavar="RESULT",
            help="Go on from an earlier result: groups keep their numbers, names and words, and only what is new or "
            "decided moves.",
            parser=_path,
        ),
    ] = None
    steer: Annotated[
        Path | None,
        Option(help="Decisions to follow, as TOML or lines of JSON, such as the report's steering.toml.", parser=_path),
    ] = None
    method: Annotated[
        Literal["max-margin", "spherical"],
        Option(
            help="max-margin takes off-topic examples and seeds; spherical is k-means by the cosine with local search: "
            "faster, and takes off-topic examples alone.",
            rich_help_panel=_FIT,
        ),
    ] = "max-margin"
    out: Annotated[Path | None, Option(help="Folder for the result. Default: named after DOCS.")] = None
    text: Annotated[str, _reading("Field of a record that holds the text, or several: subject,body.")] = "text"
    id: Annotated[str, _reading("Field that holds the id.")] = "id"
    title: Annotated[str, _reading("Field that holds the title.")] = "title"
    no_title: Annotated[bool, _flag("--no-title", "Leave the title out of the text; it is joined otherwise.")] = False
    label: Annotated[str, _reading("Field that holds a label to compare with; never used to find the groups.")] = (
        "label"
    )
    by: Annotated[
        str,
        _reading("Column to count groups by: a date or a category. Default: the only column of dates, if there is."),
    ] = ""
    html: Annotated[
        Literal["text", "keep"], _reading("HTML inside fields: text takes the tags out, and says of how many texts.")
    ] = "text"
    strip: Annotated[str, _reading("Parts of mails to leave out: any of headers,quotes,signatures.")] = ""
    embeddings: Annotated[str | None, _EMBEDDINGS] = None
    encoder: Annotated[str | None, _ENCODER] = None
    universum_embeddings: Annotated[
        str | None,
        Option(
            metavar="FILE|COLUMN",
            help="The same for the off-topic examples. Default: the column of the same name, or the encoder.",
            rich_help_panel=_VECTORS,
        ),
    ] = None
    language: Annotated[
        str,
        Option(help=f"Language of the texts, for stop words and stems: {described()}.", rich_help_panel=_WORDS),
    ] = "english"
    stop_words: Annotated[
        str,
        Option(
            metavar="FILE|LIST",
            help="Words to leave out besides the language's own: a file with a word a line, or a list such as re,fwd.",
            rich_help_panel=_WORDS,
        ),
    ] = ""
    phrases: Annotated[
        bool,
        Option(
            "--phrases",
            help="Count pairs of words that stand together more often than chance says, such as credit card.",
            rich_help_panel=_WORDS,
        ),
    ] = False
    keep_numbers: Annotated[
        bool, Option("--keep-numbers", help="Count numbers, and words with digits in them.", rich_help_panel=_WORDS)
    ] = False
    min_length: Annotated[int, Option(min=1, help="Fewest letters of a word.", rich_help_panel=_WORDS)] = 2
    segmentation: Annotated[
        Literal["pairs", "words"],
        Option(
            help="How Chinese, Japanese and Thai are taken apart: into pairs of signs, or into words of a dictionary "
            "(extra segmentation).",
            rich_help_panel=_WORDS,
        ),
    ] = "pairs"
    min_df: Annotated[
        int | None,
        Option(min=1, help="Fewest documents a word occurs in. Default: by their number.", rich_help_panel=_WORDS),
    ] = None
    max_df: Annotated[
        float,
        Option(min=0.0, max=1.0, help="Largest share of documents a word occurs in.", rich_help_panel=_WORDS),
    ] = 0.5
    max_features: Annotated[int, Option(min=1, help="Most words to keep.", rich_help_panel=_WORDS)] = 20_000
    off_topic_rate: Annotated[
        float,
        Option(
            callback=_rate,
            metavar="SHARE",
            help="Largest share of on-topic documents that may be called off-topic by mistake.",
            rich_help_panel=_OFF_TOPIC,
        ),
    ] = 0.05
    off_topic_threshold: Annotated[
        Literal["mixture", "conformal"],
        Option(
            help="mixture finds as much as there is, if it is like the examples; conformal keeps the rate whatever the "
            "junk is like, but flags hardly more than that share of all.",
            rich_help_panel=_OFF_TOPIC,
        ),
    ] = "mixture"
    keep_off_topic: Annotated[
        bool,
        Option(
            "--keep-off-topic",
            help="Flag off-topic documents, but leave them in their groups.",
            rich_help_panel=_OFF_TOPIC,
        ),
    ] = False
    n_init: Annotated[
        int | None,
        Option(
            min=1,
            max=1_000_000,
            help="Starts, of which the best is kept; by default 20 / k, at least 1 (spherical: 1).",
            rich_help_panel=_FIT,
        ),
    ] = None
    seed: Annotated[int, Option(min=0, max=2**32 - 1, help="Another number, other starts.", rich_help_panel=_FIT)] = 0
    threads: Threads = None
    config: Annotated[
        Path | None,
        Option(
            help="TOML file with any of these options, such as n_init = 20.",
            callback=_take_config,
            is_eager=True,
            rich_help_panel=_OUTPUT,
        ),
    ] = None
    report_size: Annotated[
        float,
        Option(
            min=0,
            metavar="MB",
            help="Megabytes of report.html for full texts; it always has each document's first 400 characters.",
            rich_help_panel=_OUTPUT,
        ),
    ] = 5.0
    force: Force = False
    quiet: Quiet = False
    json: Annotated[
        bool, Option("--json", help="Print the summary as JSON, and nothing else.", rich_help_panel=_OUTPUT)
    ] = False

    @property
    def parameters(self) -> dict[str, Any]:
        """Return what shapes the result, as plain values."""
        found = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in _SESSION}
        return {name: as_text(value) if isinstance(value, Path) else value for name, value in found.items()}

    @property
    def command(self) -> str:
        """Return the command line that gives the same result: what differs from the defaults."""
        defaults = {each.name: each.default for each in fields(self)}
        said = {name: value for name, value in self.parameters.items() if value != defaults[name]}
        options = [part for name, value in said.items() if name != "docs" for part in _said(name, value)]
        return shlex.join(["outgroup", "cluster", as_text(self.docs), *options])


@dataclass(frozen=True)
class WorkbenchSettings(ClusterSettings):
    """What `outgroup workbench` can be told, beside what `cluster` can."""

    project: Annotated[
        Path | None,
        Option(
            help="File that keeps every decision as it is made; where it exists, it is gone on with.",
            rich_help_panel=_PAGE,
        ),
    ] = None
    embed_texts: Annotated[
        bool,
        Option("--embed-texts", help="Keep the texts in the project file, too.", rich_help_panel=_PAGE),
    ] = False
    port: Annotated[
        int, Option(min=0, max=65_535, help="Port to listen at. Default: one that is free.", rich_help_panel=_PAGE)
    ] = 0
    no_browser: Annotated[
        bool, Option("--no-browser", help="Print the address, and open nothing.", rich_help_panel=_PAGE)
    ] = False
    host: Annotated[
        str,
        Option(help="Address to listen at; others than this machine's need --i-know.", rich_help_panel=_PAGE),
    ] = "127.0.0.1"
    i_know: Annotated[
        bool,
        Option(
            "--i-know",
            help="Let other machines in, over a connection that is not encrypted; a password is asked for.",
            rich_help_panel=_PAGE,
        ),
    ] = False


@dataclass(frozen=True)
class ReplaySettings:
    """What `outgroup replay` can be told."""

    project: Annotated[Path, Argument(metavar="PROJECT", help="A project file, such as work.outgroup.", parser=_path)]
    docs: Docs
    out: Annotated[Path | None, Option(help="Folder for the result. Default: named after DOCS.")] = None
    universum: Annotated[
        Path | None,
        Option(help="Off-topic examples. Default: those of the project, if it keeps texts.", parser=_path),
    ] = None
    text: Annotated[str, _reading("Field of a record that holds the text, or several: subject,body.")] = "text"
    id: Annotated[str, _reading("Field that holds the id.")] = "id"
    title: Annotated[str, _reading("Field that holds the title.")] = "title"
    strip: Annotated[str, _reading("Parts of mails to leave out: any of headers,quotes,signatures.")] = ""
    embeddings: Annotated[str | None, _EMBEDDINGS] = None
    threads: Threads = None
    force: Force = False
    quiet: Quiet = False


@dataclass(frozen=True)
class AssignSettings:
    """What `outgroup assign` can be told; None means as when the groups were made."""

    model: Annotated[Path, Argument(metavar="MODEL", help="A result of `outgroup cluster`, or a saved model.")]
    docs: Docs
    out: Annotated[Path | None, Option(help="CSV file to write. Default: the terminal.")] = None
    text: Annotated[str | None, _reading("Field that holds the text. Default: as for the groups.")] = None
    id: Annotated[str | None, _reading("Field that holds the id. Default: as for the groups.")] = None
    title: Annotated[str | None, _reading("Field that holds the title. Default: as for the groups.")] = None
    no_title: Annotated[
        bool | None, _flag("--no-title", "Leave the title out of the text. Default: as for the groups.")
    ] = None
    html: Annotated[Literal["text", "keep"] | None, _reading("HTML inside fields. Default: as for the groups.")] = None
    strip: Annotated[str | None, _reading("Parts of mails to leave out. Default: as for the groups.")] = None
    embeddings: Annotated[str | None, _EMBEDDINGS] = None
    encoder: Annotated[str | None, _ENCODER] = None
    threads: Threads = None
    force: Force = False
    quiet: Quiet = False


def as_text(path: Path | str) -> str:
    """Return a path as text that can be written: its name need not be valid text."""
    return os.fsencode(path).decode("utf-8", "replace")


def _said(name: str, value: Any) -> list[str]:
    return [option(name)] if value is True else [option(name), str(value)]


def option(name: str) -> str:
    """Return how a setting is called on the command line."""
    return f"-{name}" if len(name) == 1 else "--" + name.rstrip("_").replace("_", "-")


def takes(kind: type[Any]) -> Callable[[Callable[[Any], None]], Callable[..., None]]:
    """Make a function of one settings object a command with an option for each field."""
    hints = get_type_hints(kind, include_extras=True)

    def dress(body: Callable[[Any], None]) -> Callable[..., None]:
        def command(**given: Any) -> None:
            body(kind(**given))

        parameters = [
            Parameter(
                each.name,
                Parameter.KEYWORD_ONLY,
                default=Parameter.empty if each.default is MISSING else each.default,
                annotation=hints[each.name],
            )
            for each in fields(kind)
        ]
        command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = hints
        command.__name__, command.__doc__ = body.__name__, body.__doc__
        return command

    return dress
