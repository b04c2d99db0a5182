"""Shared option definitions, and TOML files of options."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, fields
from functools import cache
from inspect import Parameter, Signature, cleandoc
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints
from urllib.parse import urlsplit

from typer import Argument, BadParameter, Context, Option

from ..errors import InputError, suggestion
from ..places import Address, Place, is_http, place_of
from ..readers.encoding import EXAMPLES
from ..storage.json_values import SINGLE_QUOTES, fits, read_toml
from ..text.languages import described as described_languages

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


CHAT_KEY = "OUTGROUP_CHAT_KEY"
EXPLICIT = "explicit"  # the field of settings that lists the given options
FIXED = frozenset({"language", "stop_words", "k", "outliers"})
"Options that the first version of a session fixes."


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


@cache
def options_of(kind: type[Any]) -> dict[str, tuple[Any, Any]]:
    """Return the type and the option of each field of a settings class.

    `OPTIONS` of the class and its bases describe the fields: the heading of a section is the panel of its options, or
    "Arguments", then follow `name : METAVAR` and the help. An annotation adds arguments of typer's `Option`.
    """
    described = {name: text for base in reversed(kind.__mro__) for name, text in _described(base).items()}
    found, hints = dict[str, tuple[Any, Any]](), get_type_hints(kind, include_extras=True)
    for name in (each.name for each in fields(kind) if each.name != EXPLICIT):
        hint = hints[name] if get_origin(hints[name]) is Annotated else Annotated[hints[name], {}]
        shape, more = get_args(hint)
        if shape in (type(None), Literal[False]):  # fixed by this command
            continue
        panel, metavar, text = described[name]
        given = {"help": text, "metavar": metavar or None, "parser": None} | more
        if shape in (Path, Path | None):
            given["parser"] = path_of
        if panel == "Arguments":
            found[name] = shape, Argument(**given)
            continue
        names = [option(name)] if shape is bool or len(name) == 1 or name.endswith("_") else []
        names += ["-q"] if name == "quiet" else []
        names = [f"{option(name)}/{option(f'no_{name}')}"] if shape == bool | None else names
        found[name] = shape, Option(*names, rich_help_panel=None if panel == "Options" else panel, **given)
    return found


def _described(kind: type[Any]) -> dict[str, tuple[str, str, str]]:
    """Return the section, the metavar and the help of each option that `OPTIONS` of a class describes."""
    found, section, name = dict[str, tuple[str, str, str]](), "", ""
    text = cleandoc(kind.__dict__.get("OPTIONS", ""))  # no docstring: python -OO has none
    text = text.replace("{encodings}", EXAMPLES).replace("{languages}", described_languages())
    for line, after in pairwise([*text.splitlines(), ""]):
        if after and not after.strip("-"):
            section, name = line, ""
        elif section and line.strip("-") and not line.startswith(" "):
            name, _, metavar = line.partition(" : ")
            found[name] = section, metavar, ""
        elif name and line:
            section, metavar, text = found[name]
            found[name] = section, metavar, f"{text} {line.strip()}".strip()
    return found


def takes(kind: type[Any]) -> Callable[[Callable[[Any], None]], Callable[..., None]]:
    """Return a decorator that turns a function of a settings object into a command with an option for each field.

    The field `explicit` receives the names of the given options, from the command line or a file of options.
    """
    options = options_of(kind)  # type: ignore[arg-type]  # mypy takes a class for unhashable
    hints = {name: Annotated[shape, made] for name, (shape, made) in options.items()}
    has_explicit = EXPLICIT in kind.__dataclass_fields__

    def dress(body: Callable[[Any], None]) -> Callable[..., None]:
        def command(context: Context, **given: Any) -> None:
            for name, value in given.items():
                if isinstance(value, float) and not math.isfinite(value):
                    raise BadParameter(f"{value} is not valid: give a finite number.", context, None, option(name))
            body(kind(**given, **({EXPLICIT: _given(context, hints)} if has_explicit else {})))

        first = Parameter("context", Parameter.POSITIONAL_OR_KEYWORD, annotation=Context)
        others = [_parameter(each, hints[each.name]) for each in fields(kind) if each.name in hints]
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
    try:
        return value if flag else str(value)
    except ValueError as error:
        raise InputError(f"{path}: {key} has too many digits: give a smaller number") from error


def take_config(context: Context, path: Path | None) -> Path | None:
    if path is not None:
        options = {str(each.name): bool(getattr(each, "is_flag", False)) for each in context.command.params}
        # A file, which may be a stranger's, neither names a model that gets texts nor agrees to that.
        known = {name: flag for name, flag in options.items() if name not in ("config", "model", "namer", "yes")}
        context.default_map = read_config(path, known)
    return path
