"""Shared option definitions, and TOML files of options."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, fields
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any, Literal, get_origin, get_type_hints
from urllib.parse import urlsplit

from typer import Argument, BadParameter, Context, Option

from ..errors import InputError, suggestion
from ..places import Address, Place, is_http, place_of
from ..storage.json_values import SINGLE_QUOTES, fits, read_toml

# --- Shared options: panels, parsers, names, and commands built from dataclasses


def share(given: float | None) -> float | None:
    if given is not None and not 0 < given < 1:
        raise BadParameter(f"{given:g} is not valid: give a number between 0 and 1, such as 0.05.")
    return given


def level_counts(given: str) -> str:
    if given and not re.fullmatch(r"[1-9][0-9]{0,5}(,[1-9][0-9]{0,5})*", given):
        raise BadParameter(f"{given!r:.40} is not valid: give numbers of groups for the levels, such as 20,5.")
    return given


def chat_model(given: str | None) -> str | None:
    """Check the address and model name of a chat model; passwords are invalid, because results repeat the address."""
    if given is None:
        return None
    address, _, model = given.partition("#")
    if not is_http(address) or not model:
        raise BadParameter("it is not valid: give URL#MODEL, such as http://localhost:11434/v1#llama3.2.")
    parts = urlsplit(address)
    if "@" in parts.netloc or parts.query:
        raise BadParameter(f"the address contains a key: put the key into the environment variable {CHAT_KEY}.")
    return given


def chat_of(given: str) -> tuple[str, str, str | None]:
    """Return the first arguments of a `Chat`: address, model, and the environment variable of the key if it is set."""
    address, _, model = given.partition("#")
    return address, model, CHAT_KEY if CHAT_KEY in os.environ else None


def path_of(given: str) -> Path:
    if not given:
        raise BadParameter("the path is empty: give a folder or a file.")
    place = place_of(given)
    if isinstance(place, Address):
        raise BadParameter("an address is not valid here: give a local path.")
    if given == "-":
        raise BadParameter("standard input is not valid here: give a path, such as ./- for a file of this name.")
    return place


def no_address(given: str) -> str:
    """Reject an address: it may contain a password, and messages do not repeat it."""
    if given:
        path_of(given)
    return given


def documents_of(given: str) -> Place:
    """Parse a path or an address."""
    if "://" not in given:
        return Path(given) if given == "-" else path_of(given)
    try:
        return place_of(given)
    except InputError as error:
        raise BadParameter(str(error)) from error


def groups(given: Any) -> int | str | tuple[int, int]:
    """Parse `-k`: a number, "auto", or a range."""
    value = str(given).strip()
    number, both = re.fullmatch(r"[0-9]{1,9}", value), re.fullmatch(r"([0-9]{1,9})-([0-9]{1,9})", value)
    if value == "auto" or (number and int(value) > 0):
        return "auto" if value == "auto" else int(value)
    if not both:
        raise BadParameter(f"{value!r:.60} is not valid for -k: give a number, a range such as 5-40, or auto.")
    low, high = int(both[1]), int(both[2])
    if not 2 <= low < high:
        raise BadParameter(f"{value} is not a valid range: start at 2 or more and end higher, such as 5-40.")
    return low, high


def panel(name: str | None) -> Callable[..., Any]:
    """Return a function that declares options of a help panel from a help text, names, and further arguments."""

    def made(help: str, *names: str, **more: Any) -> Any:
        return Option(*names, help=help, rich_help_panel=name, **more)

    return made


plain, page = panel(None), panel("Page")
reading, grouping, off_topic = panel("What to read"), panel("How many groups"), panel("What does not belong")
output, large = panel("What to write"), panel("Large collections")
CHAT_KEY = "OUTGROUP_CHAT_KEY"
EXPLICIT = "explicit"  # the field of settings that lists the given options
FIXED = frozenset({"language", "stop_words", "k", "outliers"})
"Options that the first version of a session fixes."
Docs = Annotated[
    Any,  # a Place; typer does not support unions
    Argument(
        metavar="DOCS",
        help="The documents: a folder or a .zip of .txt, .md, .html, .eml, .pdf and .docx files; one file .jsonl, "
        ".json, .csv, .tsv, .txt or .log, also compressed (.gz, .xz, .zst); one file .xlsx, .ods, .sav, .mbox "
        "or .parquet; an address such as s3://bucket/news (install the extra distributed); or - for standard "
        "input.",
        parser=documents_of,
    ),
]
Quiet = Annotated[bool, output("Print errors only.", "--quiet", "-q")]
Json = Annotated[bool, output("Print only the summary, as JSON.", "--json")]
Force = Annotated[bool, output("Replace an earlier result. Other files are never replaced.", "--force")]


MEMORY = large(
    "Memory limit, such as 4G. Documents and rows of a collection that needs more live in temporary files beside the "
    "result.",
    metavar="SIZE",
)
CLUSTER = large(
    "Address of a Dask scheduler, such as tcp://scheduler:8786, or local:4 for four local processes (install the "
    "extra distributed). All workers must be able to read DOCS.",
    metavar="ADDRESS",
)
Table = Annotated[
    Literal["csv", "csv-excel", "xlsx", "sav", "parquet"] | None,
    output(
        "Format of the table of documents: csv, csv-excel (for Excel, with a byte-order mark), xlsx (extra io), sav "
        "(SPSS, extra spss) or parquet (extra io). Default: csv; parquet if the rows live in files."
    ),
]
OUT_FOLDER = output("Folder for the result. Default: the name of DOCS followed by -clusters.", parser=path_of)
CODEBOOK = grouping(
    "Codebook (.csv, .toml or .xlsx): groups start from the definitions and examples of its codes and keep "
    "their numbers. -k becomes the number of codes, unless -k is larger. With --from, groups only take numbers, names "
    "and definitions of the codes.",
    parser=path_of,
)
EMBEDDINGS = reading(
    "Embeddings to cluster: a .npy file with a row for each document, in order; a folder of such files, in the order "
    "of their names; or a column of a Parquet file. Words still name and explain the groups.",
    metavar="FILE|FOLDER|COLUMN",
    parser=no_address,
)
ENCODER = reading(
    "Encoder of the texts. auto: the small offline encoder of the extra meaning, if it is installed and tells as much "
    "about the texts as their words do. none: words alone. Or a function or an object with encode(texts), as "
    "package:object; or a model by folder or name. Models of sentence-transformers must be on this machine; others "
    "are static models (extra embeddings), downloaded from the Hugging Face Hub.",
    metavar="auto|none|PACKAGE:OBJECT|MODEL",
)


UNIVERSUM = off_topic(
    "Off-topic examples, in any format of DOCS; similar documents are set aside. Give at least 10, better 50.",
    metavar="PATH",
    parser=documents_of,
)
UNIVERSUM_EMBEDDINGS = off_topic(
    "Vectors of the off-topic examples. Default: the column of the same name, or the encoder.",
    metavar="FILE|COLUMN",
    parser=no_address,
)


def named_encoder(settings: Any) -> str | None:
    """Return the encoder that a user names, None for auto and none; raise InputError if embeddings are given, too."""
    encoder: str | None = None if settings.encoder in ("auto", "none") else settings.encoder
    if encoder is not None and settings.embeddings is not None:
        raise InputError("--embeddings and --encoder cannot be combined; give only one of them")
    return encoder


def as_text(path: Place | str) -> str:
    """Return a path as valid UTF-8 text; an address loses its secrets."""
    return os.fsencode(str(path)).decode("utf-8", "replace")


def option(name: str) -> str:
    """Return the option name of a setting."""
    return f"-{name}" if len(name) == 1 else "--" + name.rstrip("_").replace("_", "-")


def as_option(name: str, value: Any) -> list[str]:
    """Return a setting as command-line words; a flag is its name alone."""
    if isinstance(value, bool):
        return [option(name if value else f"no_{name}")]
    return [option(name), str(value)]


def takes(kind: type[Any]) -> Callable[[Callable[[Any], None]], Callable[..., None]]:
    """Return a decorator that turns a function of a settings object into a command with an option for each field.

    The field `explicit` receives the names of the given options, from the command line or a file of options.
    """
    hints = get_type_hints(kind, include_extras=True)
    options = {each.name: each for each in fields(kind) if get_origin(hints[each.name]) is Annotated}
    hints = {name: hints[name] for name in options}
    has_explicit = EXPLICIT in kind.__dataclass_fields__

    def dress(body: Callable[[Any], None]) -> Callable[..., None]:
        def command(context: Context, **given: Any) -> None:
            for name, value in given.items():
                if isinstance(value, float) and not math.isfinite(value):
                    raise BadParameter(f"{value} is not valid: give a finite number.", context, None, option(name))
            body(kind(**given, **({EXPLICIT: _given(context, options)} if has_explicit else {})))

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


def _given(context: Context, names: Iterable[str]) -> frozenset[str]:
    """Return the names of the options given by the user, even if the value is the default."""
    sources = {name: context.get_parameter_source(name) for name in names}
    return frozenset(name for name, source in sources.items() if source is not None and source.name != "DEFAULT")


# --- TOML files of options; the keys are option names


def read_config(path: Path, options: dict[str, bool]) -> dict[str, Any]:
    """Return the options in a TOML file as command-line text; `options` maps each name to whether it is a flag.

    Raises InputError for an unreadable file, an unknown key, or an invalid value.
    """
    return {_known(key, options, path): _plain(key, value, options, path) for key, value in read_toml(path).items()}


_COUNTS = {"k", "clusters", "n_clusters", "num_clusters", "groups", "n_groups", "topics", "n_topics", "nr_topics"}


def is_number_of_groups(name: str) -> bool:
    """Return whether a name stands for the number of groups in other programs; here it is -k.

    >>> is_number_of_groups("--n-clusters"), is_number_of_groups("quick")
    (True, False)
    """
    return name.lstrip("-").replace("-", "_") in _COUNTS


def _known(key: str, options: dict[str, bool], path: Path) -> str:
    name = key.replace("-", "_")
    name = f"{name}_" if f"{name}_" in options else name
    if name not in options and "k" in options and is_number_of_groups(name):
        raise InputError(f"{path}: unknown key {key!r:.60}; the number of groups is k")
    if name not in options:
        advice = suggestion(name, options, f"valid keys: {', '.join(sorted(options))}")
        raise InputError(f"{path}: unknown key {key!r:.60}; {advice}")
    return name


_BROKEN_PATH = re.compile(r"[A-Za-z]:.*[\x00-\x1f]", re.DOTALL)  # in "C:\temp\new", TOML reads a tab and a line feed


def _plain(key: str, value: Any, options: dict[str, bool], path: Path) -> Any:
    flag = options.get(key.replace("-", "_"), False)
    if fits(value, list[str]):
        value = ",".join(value)
    if isinstance(value, bool) != flag or isinstance(value, list | dict):
        raise InputError(
            f"{path}: {key} = {value!r:.60} is not valid: give {'true or false' if flag else 'a number or a string'}"
        )
    if isinstance(value, str) and "\0" in value:
        raise InputError(f"{path}: {key} = {value!r:.60} contains a NUL character; remove it")
    if isinstance(value, str) and _BROKEN_PATH.match(value):
        raise InputError(f"{path}: {key} = {value!r:.60} contains a control character; {SINGLE_QUOTES}")
    return value if flag else _digits(key, value, path)


def _digits(key: str, value: Any, path: Path) -> str:
    try:
        return str(value)
    except ValueError as error:
        raise InputError(f"{path}: {key} has too many digits: give a smaller number") from error


def take_config(context: Context, path: Path | None) -> Path | None:
    if path is not None:
        options = {str(each.name): bool(getattr(each, "is_flag", False)) for each in context.command.params}
        # A file, which may be a stranger's, neither names a model that gets texts nor agrees to that.
        known = {name: flag for name, flag in options.items() if name not in ("config", "model", "namer", "yes")}
        context.default_map = read_config(path, known)
    return path
