"""A code frame: numbered codes with names, descriptions, keywords and examples, in an editable file."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import chain, count
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import InputError, OutgroupError, check_keys, required
from .readers.documents import Skip
from .readers.fields import Fields
from .readers.source import file_source
from .readers.tables import sheet_rows, table_rows
from .seeds import Cluster, Seeds
from .storage.atomic import new_file
from .storage.json_values import read_toml, toml_value
from .summary.clean import clean, harmless, unshielded
from .summary.records import SPECIAL, own_code

if TYPE_CHECKING:
    from .summary.records import Group

__all__ = ["Code", "Codebook"]


@dataclass(frozen=True)
class _Constants:
    """Conventions of coded surveys; no value is tuned."""

    largest: int = 999_999  # number
    keywords: int = 8  # words of a group
    examples: int = 3  # documents of a group
    longest: int = 200  # characters of a text as an example; for a longer one the id stands


_CODES = _Constants()


@dataclass(frozen=True)
class Code:
    """A code of a codebook; white space and control characters in its texts are normalised.

    Parameters
    ----------
    number : int
        From 0 to 999999. 98 ("no answer") and 99 ("other") are special: no group starts from them.
    name : str
    parent : int, default None
        The number of the code above it.
    description, include, exclude : str, default ""
        The definition of the code, and the answers that belong or do not belong to it.
    keywords : sequence of str, default ()
        Words of the code; a string with commas or semicolons is split there.
    examples : sequence of str, default ()
        Texts or ids of documents.

    Raises
    ------
    InputError
        A value is not valid.

    Examples
    --------
    >>> Code(3, "Price ", keywords=["cheap, expensive"]).keywords
    ('cheap', 'expensive')
    """

    number: int
    name: str
    parent: int | None = None
    description: str = ""
    include: str = ""
    exclude: str = ""
    keywords: Sequence[str] = ()
    examples: Sequence[str] = ()

    def __post_init__(self) -> None:
        _check_number("number", self.number)
        if self.parent is not None:
            _check_number("parent", self.parent)
        for key in _TEXTS:
            if not isinstance(given := getattr(self, key), str):
                raise InputError(f"the {key} {given!r:.60} of code {self.number} is not valid: give a string")
            text = _line(given) if key == "name" else clean("\n".join(given.splitlines()).strip())
            object.__setattr__(self, key, text)
        if not self.name:
            raise InputError(f"code {self.number} has no name; add a name")
        for key in _LISTS:
            given = getattr(self, key)
            if isinstance(given, str) or not all(isinstance(text, str) for text in given):
                raise InputError(f"the {key} {given!r:.60} of code {self.number} are not valid: give a list of strings")
            parts = [part for text in given for part in (re.split(r"[,;\n]", text) if key == "keywords" else [text])]
            object.__setattr__(self, key, tuple(dict.fromkeys(filter(None, map(_line, parts)))))

    @property
    def special(self) -> bool:
        """Whether the code never starts a group: 98 or 99."""
        return self.number in SPECIAL

    def _texts(self, ids: Collection[str]) -> tuple[str, ...]:
        """Return the texts that define the code; examples that are `ids` of documents are left out."""
        first = ": ".join(filter(None, (self.name, self.description)))
        more = (self.include, *(example for example in self.examples if example not in ids))
        return (first, *filter(None, more))


_TEXTS, _LISTS = ("name", "description", "include", "exclude"), ("keywords", "examples")
COLUMNS = tuple(field.name for field in fields(Code))
"""The columns of a codebook's file."""


@dataclass(frozen=True)
class Codebook:
    """Codes with unique numbers and names; each parent is a code, without cycles.

    Parameters
    ----------
    codes : sequence of Code

    Raises
    ------
    InputError
        `codes` is empty, a number or a name occurs twice, or a parent is unknown or part of a cycle.

    Examples
    --------
    >>> book = Codebook([Code(1, "Bread", keywords=["bread"]), Code(2, "Trains", examples=["b"]), Code(99, "Other")])
    >>> texts = ["bread and butter", "a train to town", "butter on bread"]
    >>> book.seeds(texts, ["a", "b", "c"]).clusters["Trains"].documents
    ('b',)
    """

    codes: Sequence[Code]

    @classmethod
    def of(cls, given: Codebook | Mapping[str, str]) -> Codebook:
        """Return a codebook of names and their descriptions, numbered in their order; or the given codebook.

        Parameters
        ----------
        given : Codebook or mapping of str to str

        Returns
        -------
        Codebook

        Raises
        ------
        InputError
            `given` is something else, or as for the class.

        Examples
        --------
        >>> Codebook.of({"delivery": "late, lost or damaged parcels"}).codes[0].number
        0
        """
        if isinstance(given, Codebook):
            return given
        if not isinstance(given, Mapping):
            example = '{"delivery": "late, lost or damaged parcels"}'
            raise InputError(f"codebook={given!r:.60} is not valid: give a Codebook, or a mapping such as {example}")
        return cls([Code(own_code(place), name, description=text) for place, (name, text) in enumerate(given.items())])

    def __post_init__(self) -> None:
        object.__setattr__(self, "codes", tuple(self.codes))
        if not self.codes:
            raise InputError("the codebook has no codes: give at least one code with a number and a name")
        known: dict[int, Code] = {}
        names: dict[str, Code] = {}
        for code in self.codes:
            if code.number in known:
                other = known[code.number].name
                raise InputError(f"number {code.number} is used twice, for {other!r:.60} and {code.name!r:.60}")
            if code.name in names:
                raise InputError(f"codes {names[code.name].number} and {code.number} are both named {code.name!r:.60}")
            known[code.number] = names[code.name] = code
        for code in self.codes:
            if code.parent is not None and code.parent not in known:
                raise InputError(f"code {code.number} ({code.name:.60}) has the unknown parent {code.parent}")
        for code in self.codes:
            above = [code.number]
            while (parent := known[above[-1]].parent) is not None:
                if parent in above:
                    cycle = [*above[above.index(parent) :], parent]
                    raise InputError(f"the parents of code {parent} form a cycle: {' -> '.join(map(str, cycle))}")
                above.append(parent)

    @property
    def special(self) -> dict[int, str]:
        """The names of the special codes, by number."""
        return {code.number: code.name for code in self.codes if code.special}

    @property
    def starting(self) -> list[Code]:
        """The codes that start groups: without special codes, and without parents that have no keywords and
        examples.
        """
        parents = {code.parent for code in self.codes}
        return [
            code
            for code in self.codes
            if not code.special and (code.keywords or code.examples or code.number not in parents)
        ]

    def n_clusters(self, asked: Any = None) -> Any:
        """Return the number of groups of a fit: that of the codes that start groups, or a larger number or a choice.

        Parameters
        ----------
        asked : int, "auto" or (int, int), default None
            As for `DocumentClustering`.

        Returns
        -------
        int, "auto" or (int, int)

        Examples
        --------
        >>> book = Codebook([Code(1, "Bread"), Code(2, "Trains"), Code(99, "Other")])
        >>> book.n_clusters(), book.n_clusters(5), book.n_clusters("auto")
        (2, 5, 'auto')
        """
        codes = len(self.starting)
        return codes if asked is None else max(asked, codes) if isinstance(asked, Integral) else asked

    # --- Files

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Codebook:
        """Read a codebook from a file.

        Parameters
        ----------
        path : str or path
            A .csv, .toml or .xlsx file (extra `io`), read as a table of documents is. Codes without any number are
            numbered in their order, as by `of`.

        Returns
        -------
        Codebook

        Raises
        ------
        InputError
            The file cannot be read, or its codes are not valid; the message names the row or the code.
        MissingExtraError
            The file is a workbook, and openpyxl is not installed.
        """
        path = Path(path)
        records = list(_of_toml(path) if _kind(path) == ".toml" else _of_table(path))
        if all(record.get("number") in (None, "") for _, record in records):
            records = [(where, {**record, "number": own_code(at)}) for at, (where, record) in enumerate(records)]
        codes = [_code(record, f"{path}, {where}") for where, record in records]
        try:
            return cls(codes)
        except InputError as error:
            raise InputError(f"{path}: {error}") from error

    def write(self, path: str | os.PathLike[str], *, replace: bool = False) -> None:
        """Write the codebook to a file; cells that a spreadsheet would evaluate get an apostrophe.

        Parameters
        ----------
        path : str or path
            A .csv, .toml or .xlsx file (extra `io`).
        replace : bool, default False
            Whether to replace a codebook at `path`.

        Raises
        ------
        InputError
            The suffix is another one.
        MissingExtraError
            The file is a workbook, and XlsxWriter is not installed.
        OutputError
            `path` cannot be written, or exists and is not a codebook or `replace` is False.
        """
        kind = _kind(Path(path))
        content = {".csv": _as_csv, ".toml": _as_toml, ".xlsx": _as_workbook}[kind](self.codes)
        how = "give replace=True (--force on the command line) to replace it"
        with new_file(path, replace=replace, ours=_is_codebook, how=how) as file:
            file.buffer.write(content)

    # --- From groups, and to groups

    @classmethod
    def of_groups(
        cls,
        groups: Iterable[Group],
        texts: Mapping[str, str],
        frame: Codebook | None = None,
        parents: Iterable[tuple[str, Sequence[int]]] = (),
    ) -> Codebook:
        """Return a code for each group, after the codes of an earlier codebook `frame`.

        Parameters
        ----------
        groups : iterable of Group
            The groups of a summary.
        texts : mapping
            The id of a document -> its text, which is an example if it is short; else the id is. The description of a
            new code is that of the group or, without one, the sentence of its examples with most of its words.
        frame : Codebook, default None
            Its codes stay. A group belongs to the code of its number `code`, or of its name, gives it this name, and
            fills empty keywords and examples; other groups get the next free numbers.
        parents : iterable of (str, sequence of int), default ()
            The name and the groups of branches: a branch of several new codes becomes their parent.

        Returns
        -------
        Codebook
        """
        there = [group for group in groups if not group.gone]
        codes = {} if frame is None else {code.number: code for code in frame.codes}
        before = {group.number: group.code for group in there if group.code is not None}
        numbers = numbers_of({group.number: group.name for group in there}, before, frame)
        names = {code.name for code in codes.values()}
        for group in there:
            found, code = _code_of(group, texts), codes.get(numbers[group.number])
            if code is None:
                if found.name in names:  # people may give a name twice
                    found = replace(found, name=f"{found.name} ({group.number})")
                names.add(found.name)
                codes[numbers[group.number]] = replace(found, number=numbers[group.number])
            elif not code.special:
                filled = {key: getattr(code, key) or getattr(found, key) for key in _LISTS}
                name = code.name if found.name in names else found.name
                names.add(name)
                codes[code.number] = replace(code, name=name, **filled)
        known = set() if frame is None else {code.number for code in frame.codes}
        for name, below in parents:
            new = [numbers[group] for group in below if numbers.get(group, -1) not in {-1, *known}]
            if len(new) > 1:
                free = next(n for n in count(1 + max(codes)) if n not in SPECIAL)
                name = name if name not in names else f"{name} ({free})"
                names.add(name)
                codes[free] = Code(free, name)
                codes |= {number: replace(codes[number], parent=free) for number in new}
        return cls(sorted(codes.values(), key=lambda code: code.special))

    def seeds(self, texts: Sequence[str], ids: Iterable[object] | None = None) -> Seeds:
        """Return the seeds of the codes: their definitions, and the documents that are examples.

        Parameters
        ----------
        texts : sequence of n str
        ids : sequence of n str, default None
            The ids of the documents; by default their indices.

        Returns
        -------
        Seeds
            By the names of the codes. The texts of a code are its name with the description, what it includes, and its
            examples; an example that is the id or the text of a document labels this document. Keywords are labelled
            words. Special codes with more than a name define no group.
        """
        named = list(map(str, range(len(texts)) if ids is None else ids))
        by_text: dict[str, list[str]] = {}
        if any(code.examples for code in self.starting):
            for identity, text in zip(named, texts, strict=True):
                by_text.setdefault(_line(text), []).append(identity)
        there, clusters = set(named), {}
        for code in self.starting:
            documents = [[text] if text in there else by_text.get(text, []) for text in code.examples]
            clusters[code.name] = Cluster(
                tuple(dict.fromkeys(chain.from_iterable(documents))),
                words=tuple(code.keywords),
                texts=code._texts(there),
                exclude=tuple(filter(None, [code.exclude])),
            )
        special = [
            code for code in self.codes if code.special and (code.keywords or code._texts(there) != (code.name,))
        ]
        return Seeds(clusters, none=tuple(text for code in special for text in (*code._texts(there), *code.keywords)))


def numbers_of(names: Mapping[int, str], before: Mapping[int, int], frame: Codebook | None = None) -> dict[int, int]:
    """Return the number of the code of each group, given by number with its name.

    A group belongs to the code of `frame` that it had `before`, else to the one of its name. Other groups keep their
    number or, if it is taken, get the next free one.

    >>> book = Codebook([Code(3, "Bread"), Code(7, "Trains")])
    >>> numbers_of({0: "trains", 1: "Bread", 2: "tea"}, {0: 7}, book)
    {0: 7, 1: 3, 2: 8}
    """
    codes = {} if frame is None else {code.number: code.name for code in frame.codes}
    found = {group: number for group in names if (number := before.get(group)) in codes and number not in SPECIAL}
    by_name = {_line(name): number for number, name in codes.items() if number not in found.values()}
    for group, name in names.items():
        if group not in found and (number := by_name.pop(_line(name), None)) is not None:
            found[group] = number
    taken = {*codes, *found.values(), *SPECIAL}
    for group in names:
        if group not in found:
            number = before.get(group, -1 if codes else own_code(group))
            if number in taken or not 0 <= number <= _CODES.largest:
                number = next(n for n in count(1 + max(taken - {*SPECIAL}, default=0)) if n not in taken)
            found[group] = number
            taken.add(number)
    return {group: found[group] for group in names}


def _code_of(group: Group, texts: Mapping[str, str]) -> Code:
    examples = []
    for document in group.exemplars[: _CODES.examples]:
        text = _line(texts.get(document.id, ""))
        examples.append(text if 0 < len(text) <= _CODES.longest else document.id)
    words = [word for word, _ in group.words[: _CODES.keywords]]
    read = [texts.get(document.id, "") for document in group.exemplars[: _CODES.examples]]
    description = group.description or _typical_sentence(read, words)
    name = _line(group.name) or f"group {group.number}"
    return Code(group.number, name, description=description, keywords=words, examples=examples)


def _typical_sentence(texts: Iterable[str], words: Sequence[str]) -> str:
    """Return the sentence of at most 200 characters that holds most of the words, "" for none.

    >>> _typical_sentence(["I wrote. The parcel came late!", "A late bus."], ["parcel", "late"])
    'The parcel came late!'
    """
    parts = (re.split(r"(?<=[.!?])\s+|(?<=[。！？])|\n", text) for text in texts)
    short = [line for line in map(_line, chain.from_iterable(parts)) if 0 < len(line) <= _CODES.longest]
    return max(short, key=lambda line: sum(word.lower() in line.lower() for word in words), default="")


# --- Records of files


def _kind(path: Path) -> str:
    if (kind := path.suffix.lower()) not in (".csv", ".toml", ".xlsx"):
        raise InputError(f"{path} is not a codebook: give a .csv, .toml or .xlsx file")
    return kind


def _is_codebook(path: Path) -> bool:
    try:
        return bool(Codebook.read(path))
    except OutgroupError:
        return False


def _line(text: str) -> str:
    """Return a text as one line, without control characters."""
    return clean(" ".join(text.split()))


def _check_number(key: str, given: Any) -> None:
    if isinstance(given, bool) or not isinstance(given, int) or not 0 <= given <= _CODES.largest:
        raise InputError(f"{key} {given!r:.60} is not valid: give a whole number from 0 to {_CODES.largest}")


def _code(record: Mapping[str, Any], where: str) -> Code:
    """Return the code of a record; raise InputError with the place `where`."""
    if missing := [key for key in ("number", "name") if record.get(key) in (None, "")]:
        raise InputError(f"{where}: {missing[0]} is missing")
    try:
        return Code(**record)
    except InputError as error:
        raise InputError(f"{where}: {error}") from error


def _of_toml(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    content = read_toml(path)
    tables = content.get("code")
    if set(content) - {"code"} or not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise InputError(f"{path} is not a codebook: write a table [[code]] with number and name for each code")
    for place, table in enumerate(tables, start=1):
        check_keys(table, COLUMNS, f"{path}, code {place}")
        for key in _LISTS:
            if not isinstance(given := table.get(key, []), list):
                raise InputError(f"{path}, code {place}: {key} {given!r:.60} is not valid: give a list of strings")
        yield f"code {place}", table


def _of_table(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    fields, read = Fields("name", "", "", ""), sheet_rows if path.suffix.lower() == ".xlsx" else table_rows
    try:
        for number, row in read(file_source(path), fields):
            assert not isinstance(row, Skip)
            cells = {key.casefold(): unshielded(str(cell)) for key, cell in row.items() if cell not in (None, "")}
            if any(map(str.strip, cells.values())):
                check_keys(cells, COLUMNS, f"{path}, row {number}", "column")
                yield f"row {number}", {key: _value(key, cell) for key, cell in cells.items()}
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error


def _value(key: str, cell: str) -> Any:
    """Return the value of a cell; an invalid number stays text, so that `Code` raises an error."""
    if key in ("number", "parent"):
        digits = cell.strip()
        return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else digits or None
    return cell.splitlines() if key in _LISTS else cell


def _cells(code: Code) -> list[Any]:
    """Return the cells of a code: keywords with commas, examples one per line."""
    values = asdict(code) | {"keywords": ", ".join(code.keywords), "examples": "\n".join(code.examples)}
    return [harmless(value) if isinstance(value, str) else value for value in values.values()]


def _as_csv(codes: Sequence[Code]) -> bytes:
    file = io.StringIO(newline="")
    csv.writer(file).writerows([COLUMNS, *map(_cells, codes)])
    return file.getvalue().encode("utf-8")


def _as_toml(codes: Sequence[Code]) -> bytes:
    tables = []
    for code in codes:
        given = {key: value for key, value in asdict(code).items() if value not in (None, "", ())}
        tables.append("[[code]]\n" + "".join(f"{key} = {toml_value(value)}\n" for key, value in given.items()))
    return "\n".join(tables).encode("utf-8")


def _as_workbook(codes: Sequence[Code]) -> bytes:
    xlsxwriter = required("xlsxwriter", "io", "writing .xlsx files needs XlsxWriter")
    file = io.BytesIO()
    with xlsxwriter.Workbook(file, {"in_memory": True}) as book:
        sheet, text = book.add_worksheet("codebook"), book.add_format({"num_format": "@", "text_wrap": True})
        sheet.freeze_panes(1, 2)
        sheet.set_column(1, len(COLUMNS) - 1, 30)
        for row, cells in enumerate([COLUMNS, *map(_cells, codes)]):
            for column, cell in enumerate(cells):
                if isinstance(cell, int):
                    sheet.write_number(row, column, cell)
                elif cell and sheet.write_string(row, column, cell, text):
                    raise InputError(f"{COLUMNS[column]} of code {cells[0]} is too long for a workbook: use .toml")
    return file.getvalue()
