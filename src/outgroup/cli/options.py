"""What the commands' options have in common, and files of settings in place of options."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, fields
from difflib import get_close_matches
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

from typer import Argument, BadParameter, Context, Option

from ..errors import InputError
from ..places import Address, Place, place_of
from ..storage.toml import read_toml

# --- What the commands' options have in common: panels, checked values, names, and a command made of a dataclass


def rate(given: float) -> float:
    if not 0 < given < 1:
        raise BadParameter(f"{given:g} is not between 0 and 1, such as 0.05 for 5 %.")
    return given


def passes(given: str) -> str:
    if given != "auto" and not (given.isascii() and given.isdigit() and len(given) < 3):
        raise BadParameter(f"{given:.40} is not auto, 0, or how often rows are averaged, such as 1.")
    return given


def path_of(given: str) -> Path:
    if not given:
        raise BadParameter("an empty text is no path: name a folder or a file.")
    place = place_of(given)
    if isinstance(place, Address):
        raise BadParameter("an address is read where documents are asked for alone; give a path of this machine.")
    return place


def no_address(given: str) -> str:
    """Return what names a file of this machine or something else; an address may hold a password, and is not told."""
    if given:
        path_of(given)
    return given


def documents_of(given: str) -> Place:
    """Return where documents lie: a path, or an address."""
    if "://" not in given:
        return path_of(given)
    try:
        return place_of(given)
    except InputError as error:
        raise BadParameter(str(error)) from error


def groups(given: Any) -> int | str | tuple[int, int]:
    """Return what `-k` asks for: a number, "auto", or the fewest and the most."""
    said = str(given).strip()
    number, both = re.fullmatch(r"[0-9]{1,9}", said), re.fullmatch(r"([0-9]{1,9})-([0-9]{1,9})", said)
    if said == "auto" or (number and int(said) > 0):
        return "auto" if said == "auto" else int(said)
    if not both:
        raise BadParameter(f"{said!r:.60} is no number of groups from 1 to 999999999, no range such as 5-40, not auto.")
    low, high = int(both[1]), int(both[2])
    if not 2 <= low < high:
        raise BadParameter(f"{said} is no range: begin at 2 or more, and end above that, such as 5-40.")
    return low, high


READING, WORDS, OFF_TOPIC, FIT, OUTPUT = "Reading", "Words", "Off-topic documents", "Fit", "Output"
SAID = "said"  # the field of settings that is no option, and says which ones were given
VECTORS, PAGE, LARGE = "Embeddings", "Page", "Larger than memory"
FIXED = frozenset(
    {"language", "stop_words", "phrases", "keep_numbers", "min_length", "segmentation", "min_df", "max_df"}
    | {"max_features", "method", "k", "neighbours", "off_topic_rate", "off_topic_threshold", "keep_off_topic"}
)
"""What a session that goes on has from its first groups."""
Docs = Annotated[
    Any,  # a Place: typer knows no unions
    Argument(
        metavar="DOCS",
        help="The documents: a folder of .txt, .md, .html, .eml, .pdf and .docx files, a .zip of them, or a .jsonl, "
        ".json, .csv, .tsv, .txt or .log (also .gz, .xz, .zst), .xlsx, .ods, .mbox or .parquet; or an address of these "
        "(s3://bucket/news, extra distributed); - is the standard input.",
        parser=documents_of,
    ),
]
Threads = Annotated[
    int | None, Option(min=1, help="Threads to use; changes only the time. Default: all.", rich_help_panel=FIT)
]
Quiet = Annotated[bool, Option("--quiet", "-q", help="Say nothing but errors.", rich_help_panel=OUTPUT)]
Json = Annotated[bool, Option("--json", help="Print the summary as JSON, and nothing else.", rich_help_panel=OUTPUT)]
Force = Annotated[
    bool, Option("--force", help="Replace an earlier result; never anything else.", rich_help_panel=OUTPUT)
]


def reading(help: str, *names: str) -> Any:
    return Option(*names, help=help, rich_help_panel=READING)


MEMORY = Option(
    metavar="SIZE",
    help="Memory that the run may take, such as 4G. What does not fit is read in a stream; its work lies on the disk "
    "meanwhile, beside the result.",
    rich_help_panel=LARGE,
)
CLUSTER = Option(
    metavar="ADDRESS",
    help="Several machines or processes: workers that each read parts of DOCS, a folder or an address that all see: "
    "tcp://scheduler:8786, or local:4 for four processes here (extra distributed).",
    rich_help_panel=LARGE,
)
Table = Annotated[
    Literal["csv", "xlsx", "parquet"] | None,
    Option(
        help="How the table of documents is written: csv; xlsx, which Excel opens as it is (extra io); or "
        "parquet (extra io), of a stream alone. Default: csv, of a stream parquet.",
        rich_help_panel=OUTPUT,
    ),
]
OUT_FOLDER = Option(help="Folder for the result. Default: the name of DOCS with -clusters behind it.", parser=path_of)
EMBEDDINGS = Option(
    metavar="FILE|COLUMN",
    help="Vectors in which groups are found, while words name and explain them: a .npy file with a row for each "
    "document (in another order: with an id a line in FILE.ids.txt), or a column of a Parquet file.",
    rich_help_panel=VECTORS,
    parser=no_address,
)
ENCODER = Option(
    metavar="PACKAGE:OBJECT|MODEL",
    help="What makes vectors of the texts: a function or object with encode(texts) that Python can import, or the "
    "folder of a static model (extra embeddings); a name that is no folder is fetched from its hub.",
    rich_help_panel=VECTORS,
)


def as_text(path: Place | str) -> str:
    """Return a path as text that can be written, since its name need not be valid text; an address has no secrets."""
    return os.fsencode(str(path)).decode("utf-8", "replace")


def option(name: str) -> str:
    """Return how a setting is called on the command line."""
    return f"-{name}" if len(name) == 1 else "--" + name.rstrip("_").replace("_", "-")


def as_option(name: str, value: Any) -> list[str]:
    """Return a setting as it is given on the command line; a flag has its name alone."""
    return [option(name)] if value is True else [option(name), str(value)]


def takes(kind: type[Any]) -> Callable[[Callable[[Any], None]], Callable[..., None]]:
    """Make a function of one settings object a command with an option for each field but `said`.

    That is told the names of the options that were given, on the command line or in a file of settings.
    """
    options = {each.name: each for each in fields(kind) if each.name != SAID}
    hints = {name: hint for name, hint in get_type_hints(kind, include_extras=True).items() if name in options}
    tells = len(options) < len(fields(kind))

    def dress(body: Callable[[Any], None]) -> Callable[..., None]:
        def command(context: Context, **given: Any) -> None:
            body(kind(**given, **({SAID: _said(context, options)} if tells else {})))

        first = Parameter("context", Parameter.POSITIONAL_OR_KEYWORD, annotation=Context)
        others = [_parameter(each, hints[name]) for name, each in options.items()]
        command.__signature__ = Signature([first, *others])  # type: ignore[attr-defined]
        command.__annotations__ = {"context": Context, **hints}
        command.__name__, command.__doc__ = body.__name__, body.__doc__
        return command

    return dress


def _parameter(field: Field[Any], hint: Any) -> Parameter:
    default = Parameter.empty if field.default is MISSING else field.default
    return Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def _said(context: Context, names: Iterable[str]) -> frozenset[str]:
    """Return which options were given, though it be with their default."""
    sources = {name: context.get_parameter_source(name) for name in names}
    return frozenset(name for name, source in sources.items() if source is not None and source.name != "DEFAULT")


# --- A file of settings in place of options: its keys are the options' names


def read_config(path: Path, options: dict[str, bool]) -> dict[str, Any]:
    """Return a TOML file's keys as the texts a command line would give; `options` says of each key if it is a flag.

    Raises InputError for a file that cannot be read, an unknown key (naming the nearest), or a value of no use.
    """
    return {_known(key, options, path): _plain(key, value, options, path) for key, value in read_toml(path).items()}


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


def take_config(context: Context, path: Path | None) -> Path | None:
    if path is not None:
        options = {str(each.name): bool(getattr(each, "is_flag", False)) for each in context.command.params}
        context.default_map = read_config(path, {name: flag for name, flag in options.items() if name != "config"})
    return path
