"""Compare the codes that two coders gave to the same documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import isnan
from pathlib import Path
from textwrap import shorten
from typing import Any

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from ..agreement import Agreement, Alpha, Codes
from ..errors import InputError, counted, listed, warn
from ..readers.corpus import read_corpus
from ..readers.fields import MissingFieldError
from ..summary.clean import clean
from ..summary.records import plain
from .cluster import apart
from .settings import AgreeSettings
from .tables import FORMATS, write_form
from .xlsx import ASSIGNMENTS

_SHOWN = 10  # codes and confusions on the terminal
_QUOTED, _TITLE = 2, 80  # titles of a confusion, characters of a title
_HEADER = ("id", "title", "first", "first_name", "second", "second_name", "settled")


@dataclass(frozen=True)
class _Coder:
    """The table of a coder: the codes of each document, its title, and the name of each code."""

    codes: Mapping[str, Codes]
    titles: Mapping[str, str]
    names: Mapping[str, str]


@dataclass(frozen=True)
class Comparison:
    """The agreement of two tables, with titles of documents and names of codes."""

    agreement: Agreement
    titles: Mapping[str, str]
    names: Mapping[str, str]


def compare(settings: AgreeSettings) -> Comparison:
    """Read two tables and compare their codes; with `--out`, write the documents to settle."""
    first, second = _coder(settings.first, settings), _coder(settings.second, settings)
    titles, names = {**second.titles, **first.titles}, _names(first.names, second.names)
    # A coder who wrote names has each name as its own code; a number with another name keeps its meaning.
    numbers = {name: code for code, name in names.items() if code != name == names.get(name, name)}
    one, other = ({d: _numbered(codes, numbers) for d, codes in each.codes.items()} for each in (first, second))
    comparison = Comparison(Agreement.of(one, other, seed=settings.seed), titles, names)
    if not any(code.first and code.second for code in comparison.agreement.codes):
        warn("no code is in both tables: if one has numbers and the other names, add a column name to the numbers")
    if settings.out is not None:
        inputs = {"first table": settings.first, "second table": settings.second}
        apart(settings.out.resolve(), inputs, "table to settle")
        write_form(settings.out, _HEADER, _to_settle(comparison), replace=settings.force)
    return comparison


def _names(first: Mapping[str, str], second: Mapping[str, str]) -> dict[str, str]:
    """Return the names of the codes; both for a code with different names, after a note."""
    names = {**second, **first}
    differ = {code: f"{name} / {second[code]}" for code, name in first.items() if second.get(code, name) != name}
    if differ:
        code, both = next(iter(differ.items()))
        warn(
            f"{counted(len(differ), 'code')} with different names in the two tables, such as {code}: {both}; "
            "codes are compared by number"
        )
    return names | differ


def _coder(path: Path, settings: AgreeSettings) -> _Coder:
    table = path
    if path.is_dir():  # a result of `outgroup cluster`: the options for columns are for tables
        settings = AgreeSettings(path, path)
        table = next((file for form in FORMATS.values() if (file := path / form.name).exists()), path)
        if table.suffix == ".xlsx":
            settings = replace(settings, sheet=ASSIGNMENTS)
        if table == path:
            raise InputError(f"{path} has no table of documents: give a result of `outgroup cluster`, or a table")
    options: dict[str, Any] = {
        "id": settings.id,
        "text": settings.id,
        "title": settings.title,
        "label": "",
        "sheet": settings.sheet,
    }
    try:
        corpus = read_corpus(table, join_title=False, html="keep", **options)
    except MissingFieldError as error:
        role = "id" if settings.id not in error.known else "title"
        name = getattr(settings, role)
        raise InputError(f"{table} has no column {name!r}; it has {listed(error.known)}: give --{role}") from error
    requested = [name.strip() for name in settings.code.split(",") if name.strip()]
    present = [name for name in requested if name in corpus.columns]
    if not present:
        absent = " or ".join(map(repr, requested))
        raise InputError(
            f"{table} has no column {absent}; it has {', '.join(corpus.columns)}: give the columns with "
            "the codes of both tables, such as --code code,theme"
        )
    codes = list(_codes(corpus.columns, present))
    named = zip(codes, corpus.columns.get("name", ()), strict=False)
    names = {code: name for code_set, name in named if len(code_set) == 1 and name.strip() for code in code_set}
    texts = corpus.columns.get("text", corpus.titles)  # of a result with its texts
    titles = {id_: title or text for id_, title, text in zip(corpus.ids, corpus.titles, texts, strict=True)}
    return _Coder(dict(zip(corpus.ids, codes, strict=True)), titles, names)


def _codes(columns: Mapping[str, Sequence[str]], present: Sequence[str]) -> Iterator[Codes]:
    """Yield the codes of each row, from the first column with a value; `groups` holds numbers of groups, not codes."""
    code_of = dict(zip(columns.get("cluster", ()), columns.get("code", ()), strict=False))
    for cells in zip(*(columns[name] for name in present), strict=True):
        name, cell = next(((name, cell) for name, cell in zip(present, cells, strict=True) if cell), ("", ""))
        codes = filter(None, map(str.strip, cell.split(";")))
        yield frozenset((code_of.get(code) or code) if name == "groups" else code for code in codes)


def _numbered(codes: Codes, numbers: Mapping[str, str]) -> Codes:
    """Return the codes with numbers in place of names: one coder may write names, the other numbers."""
    return frozenset(numbers.get(code, code) for code in codes)


def _to_settle(comparison: Comparison) -> Iterator[tuple[str, ...]]:
    for (one, other), documents in comparison.agreement.confusions.items():
        for identity in documents:
            coded = (
                "; ".join(cells)
                for codes in (one, other)
                for cells in (sorted(codes), filter(None, (comparison.names.get(code, "") for code in sorted(codes))))
            )
            yield identity, comparison.titles.get(identity, ""), *coded, ""


# --- Output


def as_record(comparison: Comparison) -> dict[str, Any]:
    """Return the agreement as plain values; None for a value that is not defined."""
    agreement = comparison.agreement
    confusions = [
        {"first": sorted(one), "second": sorted(other), "documents": documents}
        for (one, other), documents in agreement.confusions.items()
    ]
    codes = [asdict(code) | {"name": comparison.names.get(code.code, "")} for code in agreement.codes]
    record = asdict(replace(agreement, confusions={}))
    return dict(plain(record | {"documents": len(agreement.documents), "codes": codes, "confusions": confusions}))


def show(comparison: Comparison, console: Console) -> None:
    """Print the agreement in all and by code, and the most frequent confusions."""
    agreement = comparison.agreement
    lines = Table.grid(padding=(0, 2, 0, 0))
    for head, line in _lines(agreement):
        lines.add_row(Text(head, style="bold"), Text(line))
    console.print(lines)
    console.print(_table(("Code", "First", "Second", "Both", "Alpha"), _code_rows(comparison)))
    if agreement.confusions:
        console.print(_table(("Confused", "Documents", "For example"), _confused_rows(comparison)))


def _lines(agreement: Agreement) -> Iterator[tuple[str, str]]:
    alone = [
        f"{count:,} by the {name} alone"
        for name, count in (("first", agreement.only_first), ("second", agreement.only_second))
        if count
    ]
    yield "Coded", "; ".join([f"{counted(len(agreement.documents), 'document')} by both", *alone])
    yield "Same", f"{agreement.same:.0%} have the same codes"
    yield "Alpha", f"{_in_figures(agreement.alpha)} (Krippendorff, distance MASI; 95 % interval)"
    yield "Kappa", f"{_figure(agreement.kappa)} (Cohen)"


def _table(heads: tuple[str, ...], rows: Iterator[list[RenderableType]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for head in heads:
        text = head in ("Code", "Confused", "For example")
        wide = head == "For example"  # wraps, so that the other columns are complete
        table.add_column(head, justify="left" if text else "right", no_wrap=not wide, overflow="ellipsis")
    for row in rows:
        table.add_row(*row)
    return table


def _code_rows(comparison: Comparison) -> Iterator[list[RenderableType]]:
    codes = comparison.agreement.codes
    for code in codes[:_SHOWN]:
        counts = [f"{count:,}" for count in (code.first, code.second, code.both)]
        yield [Text(clean(_full_name(code.code, comparison))), *counts, _in_figures(code.alpha)]
    if len(codes) > _SHOWN:
        yield [f"and {counted(len(codes) - _SHOWN, 'code')}: --json lists all"]


def _confused_rows(comparison: Comparison) -> Iterator[list[RenderableType]]:
    for (one, other), documents in [*comparison.agreement.confusions.items()][:_SHOWN]:
        pair = " | ".join("; ".join(_full_name(code, comparison) for code in sorted(codes)) for codes in (one, other))
        titles = [comparison.titles.get(identity) or identity for identity in documents[:_QUOTED]]
        quoted = "; ".join(shorten(title, _TITLE, placeholder=" …") for title in titles)
        yield [Text(clean(pair)), f"{len(documents):,}", Text(clean(quoted))]


def _full_name(code: str, comparison: Comparison) -> str:
    name = comparison.names.get(code, "")
    return f"{code} {name}" if name and name != code else code


def _in_figures(alpha: Alpha) -> str:
    return f"{_figure(alpha.value)} ({_figure(alpha.low)} to {_figure(alpha.high)})"


def _figure(value: float) -> str:
    return "not defined" if isnan(value) else f"{value:.2f}"
