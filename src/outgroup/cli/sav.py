"""The table of assignments as an SPSS file, written with pyreadstat (extra `spss`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import required
from .assignments import NUMBERS, OFF_TOPIC, CsvTable

_GROUPS = ("cluster", "second")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)([.][0-9]+)?(e[+-]?[0-9]{1,2})?")  # no leading zeros: those are codes
_LONGEST_NAME, _LONGEST_VALUE, _LONGEST_LABEL = 32, 8_000, 120  # letters of at most four bytes


def write(table: CsvTable, path: Path, names: Mapping[int, str], codes: Mapping[int, str]) -> None:
    """Write a table as an SPSS file; `names` are the value labels of the group numbers, `codes` those of the codes.

    The column `cluster` becomes a number: -1 for off-topic documents, missing for skipped ones. Other columns of
    numbers alone, but for `id`, are numbers, too. Raises MissingExtraError without pyreadstat or pandas.
    """
    spss, pandas = libraries()
    columns = dict(zip(_variables(table.header), zip(*table.rows, strict=True), strict=True))
    labels = {-1.0: OFF_TOPIC, **{float(number): name[:_LONGEST_LABEL] for number, name in names.items()}}
    groups = {name: labels for name in _GROUPS if name in columns}
    groups["code"] = {float(number): name[:_LONGEST_LABEL] for number, name in codes.items()}
    cells = {name: _cells(name, values) for name, values in columns.items()}
    headers = dict(zip(columns, table.header, strict=True))
    spss.write_sav(pandas.DataFrame(cells), str(path), column_labels=headers, variable_value_labels=groups)


def libraries() -> tuple[Any, Any]:
    """Return pyreadstat and pandas, or raise MissingExtraError."""
    purpose = "writing .sav files requires pyreadstat and pandas"
    return required("pyreadstat", "spss", purpose), required("pandas", "spss", purpose)


def _cells(name: str, values: tuple[str, ...]) -> list[Any]:
    filled = [cell for cell in values if cell]
    if name in NUMBERS or (name != "id" and filled and all(map(_NUMBER.fullmatch, filled))):
        return [float(cell) if _NUMBER.fullmatch(cell) else -1.0 if cell else None for cell in values]
    return [cell[:_LONGEST_VALUE] for cell in values]


def _variables(header: tuple[str, ...]) -> list[str]:
    """Return a valid, unique variable name for each column: letters, digits and underscores.

    >>> _variables(("cluster", "off-topic (input)", "2nd", "Cluster"))
    ['cluster', 'off_topic_input', 'v_2nd', 'Cluster_2']
    """
    names: list[str] = []
    for column in header:
        name = re.sub(r"\W+", "_", column).strip("_")[:_LONGEST_NAME] or "v"
        name = name if name[0].isalpha() else f"v_{name}"
        lowered, count, unique = {earlier.casefold() for earlier in names}, 2, name
        while unique.casefold() in lowered:
            unique, count = f"{name}_{count}", count + 1
        names.append(unique)
    return names
