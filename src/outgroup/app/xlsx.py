"""Which document went where, as a workbook for Excel: one sheet, written row by row, the same bytes for the same rows.

Texts are cells of text, so that nothing is a formula, ids keep their zeros, and nobody guesses an encoding. The parts
are written here, not by openpyxl, which takes eight times as long and would ask for the extra `io`.
"""

from __future__ import annotations

import re
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from xml.sax.saxutils import escape

from ..errors import InputError, OutgroupWarning, OutputError
from ..report.clean import clean
from ..report.sentences.wording import counted
from ..text.reading.documents import LONGEST_CELL
from .assignments import NUMBERS, CsvTable, Row, counting, is_number

MOST_ROWS = 1_048_575
"""Rows of a sheet below its header."""

_TEXT, _HEADER = 1, 2  # styles of cells, by their places in _STYLES
_WIDTHS = {"id": 16, "title": 50, "name": 30, "off_topic_words": 30, "skipped": 30}  # in digits
_USUAL_WIDTH = 12
_AS_SIGN = re.compile("_(?=x[0-9a-fA-F]{4}_)")  # what Excel takes for the code of a sign

_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_CORE = "docProps/core.xml"
_SHEET = "xl/worksheets/sheet1.xml"
_PARTS = {
    "[Content_Types].xml": f'{_XML}<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_KIND}.sheet.main+xml"/>'
    f'<Override PartName="/{_SHEET}" ContentType="{_KIND}.worksheet+xml"/>'
    f'<Override PartName="/xl/styles.xml" ContentType="{_KIND}.styles+xml"/>'
    f'<Override PartName="/{_CORE}" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>',
    "_rels/.rels": f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/>'
    f'<Relationship Id="rId2" Type="{_PACKAGE}/relationships/metadata/core-properties" Target="{_CORE}"/>'
    "</Relationships>",
    _CORE: f'{_XML}<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator>Outgroup</dc:creator></cp:coreProperties>',
    "xl/_rels/workbook.xml.rels": f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    f'<Relationship Id="rId2" Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>',
    # A plain cell, one of text (its number format is 49, "@"), and one of the header.
    "xl/styles.xml": f'{_XML}<styleSheet xmlns="{_MAIN}">'
    '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>'
    '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills>'
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    '<cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
    '<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>'
    '<xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
}  # fmt: skip


def check_rows(count: int) -> None:
    """Raise InputError where so many documents do not fit into a sheet."""
    if count > MOST_ROWS:
        raise InputError(f"a sheet of Excel has room for {MOST_ROWS:,} documents, not {count:,}: ask for --table csv")


def write(table: CsvTable, file: IO[bytes]) -> Counter[str]:
    """Write a table as a workbook, and return how often each group stands in it, "" for the skipped.

    Texts that are longer than a cell may be are cut, with a warning. Raises OutputError for what is too large for one.
    """
    groups, sheet = Counter[str](), _Sheet(table)
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in _PARTS.items():
            archive.writestr(_entry(name), content)
        try:
            with archive.open(_entry(_SHEET), "w") as part:
                part.writelines(line.encode() for line in sheet.lines(counting(table.rows, groups)))
        except RuntimeError as error:  # as zipfile says that a file is larger than 2 GB
            raise OutputError("the table is too large for a sheet of Excel: ask for --table csv") from error
        archive.writestr(_entry("xl/workbook.xml"), sheet.workbook)
    if sheet.cut:
        said = f"{counted(sheet.cut, 'text')} of more than {LONGEST_CELL:,} letters, which no cell holds, cut with …"
        warnings.warn(said, OutgroupWarning, stacklevel=2)
    return groups


def written_here(path: Path) -> bool:
    """Return whether a file is a workbook as `write` makes it: a program that saves it again says so in it."""
    ours = _PARTS[_CORE].encode()
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.getinfo(_CORE).file_size == len(ours) and archive.read(_CORE) == ours
    except (OSError, ValueError, LookupError, RuntimeError, EOFError, zipfile.BadZipFile, zlib.error):
        return False


class _Sheet:
    """The sheet of a table; it counts its rows and the texts that it cuts."""

    def __init__(self, table: CsvTable) -> None:
        self._header = table.header
        self._letters = [_letters(number) for number in range(1, len(table.header) + 1)]
        self._numeric = [name in NUMBERS for name in table.header]
        self._rows = self.cut = 0

    def lines(self, rows: Iterator[Row]) -> Iterator[str]:
        widths = (_WIDTHS.get(name, _USUAL_WIDTH) for name in self._header)
        yield f'{_XML}<worksheet xmlns="{_MAIN}"><sheetViews><sheetView workbookViewId="0">'
        yield '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>'
        yield "<cols>"
        yield from (
            f'<col min="{at}" max="{at}" width="{width}" customWidth="1"/>' for at, width in enumerate(widths, 1)
        )
        yield "</cols><sheetData>"
        yield self._row(self._header, [False] * len(self._header), _HEADER)
        yield from (self._row(row, self._numeric, _TEXT) for row in rows)
        yield f'</sheetData><autoFilter ref="A1:{self._letters[-1]}{self._rows}"/></worksheet>'

    @property
    def workbook(self) -> str:
        filtered = f"assignments!$A$1:${self._letters[-1]}${self._rows}"
        return (
            f'{_XML}<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">'
            "<bookViews><workbookView/></bookViews>"
            '<sheets><sheet name="assignments" sheetId="1" r:id="rId1"/></sheets><definedNames>'
            f'<definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">{filtered}</definedName>'
            "</definedNames></workbook>"
        )

    def _row(self, row: Row, numeric: list[bool], style: int) -> str:
        self._rows += 1
        each = zip(row, numeric, self._letters, strict=True)
        cells = (self._cell(said, number, f"{at}{self._rows}", style) for said, number, at in each if said)
        return f'<row r="{self._rows}">{"".join(cells)}</row>\n'

    def _cell(self, said: str, number: bool, place: str, style: int) -> str:
        if number and is_number(said):
            return f'<c r="{place}"><v>{said}</v></c>'
        text = _AS_SIGN.sub("_x005F_", escape(self._fitting(clean(said))))
        return f'<c r="{place}" s="{style}" t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'

    def _fitting(self, text: str) -> str:
        """Return as much of a text as a cell holds: Excel counts the pairs of bytes of UTF-16."""
        if 2 * len(text) <= LONGEST_CELL or len(pairs := text.encode("utf-16-le")) <= 2 * LONGEST_CELL:
            return text
        self.cut += 1
        return pairs[: 2 * (LONGEST_CELL - 1)].decode("utf-16-le", "ignore") + "…"


def _entry(name: str) -> zipfile.ZipInfo:
    """Return an entry of no particular time or system."""
    entry = zipfile.ZipInfo(name)
    entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 0
    return entry


def _letters(number: int) -> str:
    """
    >>> _letters(1), _letters(26), _letters(27), _letters(703)
    ('A', 'Z', 'AA', 'AAA')
    """
    name = ""
    while number:
        number, rest = divmod(number - 1, 26)
        name = chr(ord("A") + rest) + name
    return name
